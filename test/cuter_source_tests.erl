-module(cuter_source_tests).

-include_lib("eunit/include/eunit.hrl").

lists_of_integers_stay_lists_test_() ->
    [
        ?_assertEqual("[42]", text([42])),
        ?_assertEqual("[97, 98, 99]", text("abc")),
        ?_assertEqual("[42, 42, 42, 42]", text([42, 42, 42, 42])),
        ?_assertEqual("[49, 50, 51, 52, 97]", text("1234a")),
        ?_assertEqual("[1, 97, 98, 99, 100]", text([1, $a, $b, $c, $d])),
        ?_assertEqual("[97, 98, 99, 100 | e]", text("abcd" ++ e))
    ].

text_prints_as_text_test_() ->
    [
        ?_assertEqual("\"abcd\"", text("abcd")),
        ?_assertEqual("\"hello, world\\n\"", text("hello, world\n")),
        ?_assertEqual("<<\"ok\">>", text(<<"ok">>)),
        ?_assertEqual("<<42>>", text(<<42>>)),
        ?_assertEqual("<<1,2:3>>", text(<<1, 2:3>>)),
        ?_assertEqual("<<>>", text(<<>>))
    ].

%% What is printed means the same term again when it is pasted into a shell.
printed_terms_can_be_read_again_test_() ->
    [?_assertEqual(Term, evaluated(Term)) || Term <- terms()].

terms() ->
    [
        0,
        -1,
        1 bsl 200,
        1.0e300,
        -2.5,
        'an atom',
        'λ',
        true,
        {},
        {a, {b}},
        [],
        [1 | 2],
        [[], [[]]],
        "tab\tand \"quotes\"",
        <<0, 255>>,
        <<5:7>>,
        #{},
        #{a => 1, {1} => [#{}]},
        self(),
        make_ref(),
        fun lists:map/2,
        lists:seq(1000, 1200),
        lists:duplicate(10000, 1000)
    ].

the_sign_of_zero_is_kept_test() ->
    ?assertEqual("-0.0", text(-0.0)).

a_fun_of_the_shell_prints_as_source_test() ->
    Fun = evaluated_text("fun(X) when X > 1 -> {X}; (_) -> no end"),
    Again = evaluated_text(text(Fun)),
    ?assertEqual([{2}, no], [Again(2), Again(1)]).

a_compiled_fun_prints_as_the_shell_does_test() ->
    ?assertMatch("#Fun<cuter_source_tests." ++ _, text(fun() -> ok end)).

a_call_can_be_pasted_test() ->
    Text = cuter_source:call({lists, nth, 2}, [1, [42]], 0),
    ?assertEqual("lists:nth(1, [42])", lists:flatten(Text)).

text(Term) ->
    lists:flatten(cuter_source:term(Term)).

evaluated(Term) ->
    evaluated_text(text(Term)).

evaluated_text(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text ++ "."),
    {ok, Exprs} = erl_parse:parse_exprs(Tokens),
    {value, Value, _} = erl_eval:exprs(Exprs, []),
    Value.
