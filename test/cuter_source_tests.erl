-module(cuter_source_tests).

-include_lib("eunit/include/eunit.hrl").

lists_of_integers_stay_lists_test_() ->
    [
        ?_assertEqual("[42]", text([42])),
        ?_assertEqual("[97]", text("a")),
        ?_assertEqual("[1000, 1001, 1002]", text([1000, 1001, 1002])),
        ?_assertEqual("[42, 42, 42, 42]", text([42, 42, 42, 42])),
        ?_assertEqual("[49, 50, 51]", text("123")),
        ?_assertEqual("[40, 41, 40, 41]", text("()()")),
        ?_assertEqual("[1, 97, 98, 99, 100]", text([1, $a, $b, $c, $d])),
        ?_assertEqual("[97, 98, 99, 100 | e]", text("abcd" ++ e))
    ].

text_prints_as_text_test_() ->
    [
        ?_assertEqual("\"abcd\"", text("abcd")),
        ?_assertEqual("\"ab\"", text("ab")),
        ?_assertEqual("\"grüße\"", text("grüße")),
        ?_assertEqual("<<\"日本\"/utf8>>", text(<<"日本"/utf8>>)),
        ?_assertEqual("\"hello, world\\n\"", text("hello, world\n")),
        ?_assertEqual("<<\"ok\">>", text(<<"ok">>)),
        ?_assertEqual("<<42>>", text(<<42>>)),
        ?_assertEqual("<<\"91+9\">>", text(<<"91+9">>)),
        ?_assertEqual("\"2024-02-29\"", text("2024-02-29")),
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

a_fun_with_variables_from_outside_prints_with_their_values_test() ->
    Fun = evaluated_text("begin A = 1, B = [two], fun(X) -> {A, B, X} end end"),
    Again = evaluated_text(text(Fun)),
    ?assertEqual({1, [two], 3}, Again(3)).

records_have_their_names_test_() ->
    Records = #{{point, 3} => [{x, true}, {y, false}], {'Odd name', 1} => []},
    Text = fun(Term) -> lists:flatten(cuter_source:term(Term, 0, Records)) end,
    [
        ?_assertEqual("#point{x = 1, y = [42]}", Text({point, 1, [42]})),
        ?_assertEqual("#point{y = undefined}", Text({point, undefined, undefined})),
        ?_assertEqual("[#'Odd name'{}]", Text([{'Odd name'}])),
        ?_assertEqual("{point, 1}", Text({point, 1})),
        ?_assertEqual("{1, 2, 3}", Text({1, 2, 3}))
    ].

what_is_of_this_vm_only_cannot_be_expressed_test_() ->
    Fun = evaluated_text("fun(X) -> X end"),
    Self = self(),
    [?_assertNot(cuter_source:is_expressible(Term)) || Term <- [
        Self, [make_ref()], #{a => Self}, #{Self => a}, [a | Self], {fun() -> Self end}
    ]] ++
    [?_assert(cuter_source:is_expressible(Term)) || Term <- [
        1, [a | b], #{1 => {2.5}}, <<1:3>>, fun lists:map/2, Fun
    ]].

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

%% What a spec says of an argument decides whether lists of integers are text.
specs_tell_text_from_numbers_test_() ->
    Forms = [
        form("-type name() :: {first, string()}."),
        form("-type tree() :: [tree()] | name()."),
        form("-spec f(string(), [0..127], [term()], iodata() | [byte()]) -> ok."),
        form("-spec g([char()]) -> ok; (none) -> ok."),
        form("-spec h(T, tree()) -> T when T :: [integer()]."),
        form("-spec k(fun((string()) -> ok), unicode:chardata()) -> ok.")
    ],
    Hints = cuter_texts:hints(Forms),
    Records = #{texts => Hints},
    Call = fun(Name, Args) -> lists:flatten(cuter_source:call({m, Name}, Args, 0, Records)) end,
    [
        ?_assertEqual([text, numbers, unknown, unknown], maps:get({f, 4}, Hints)),
        ?_assertEqual([text], maps:get({g, 1}, Hints)),
        ?_assertEqual([numbers, text], maps:get({h, 2}, Hints)),
        ?_assertEqual([unknown, text], maps:get({k, 2}, Hints)),
        ?_assertEqual("m:g(\"*\")", Call(g, ["*"])),
        ?_assertEqual("m:g([0, 42])", Call(g, [[0, 42]])),
        ?_assertEqual("m:h([97, 98, 99], [[{first, \"a\"}]])", Call(h, ["abc", [[{first, "a"}]]])),
        ?_assertEqual("m:other(\"abc\", [42])", Call(other, ["abc", [42]]))
    ].

form(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.
