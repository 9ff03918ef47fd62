-module(cuter_layout_tests).

-include_lib("eunit/include/eunit.hrl").

what_fits_stays_on_the_line_test_() ->
    [
        ?_assertEqual("{a, [1, 2 | b], <<1, 2:3>>}", text({a, [1, 2 | b], <<1, 2:3>>})),
        ?_assertEqual("#{a => -1, b => \"text\"}", text(#{a => -1, b => "text"})),
        ?_assertEqual("<<\"wörld\"/utf8>>", text(<<"wörld"/utf8>>)),
        ?_assertEqual("[]", text([])),
        ?_assertEqual("#{}", text(#{})),
        ?_assertEqual("fun lists:map/2", text(fun lists:map/2))
    ].

parts_get_lines_of_their_own_where_they_do_not_fit_test() ->
    Term = {lists:seq(100000, 100009), lists:seq(100010, 100019), b},
    Expected =
        "{\n"
        "    [100000, 100001, 100002, 100003, 100004, 100005, 100006, 100007, 100008, 100009],\n"
        "    [100010, 100011, 100012, 100013, 100014, 100015, 100016, 100017, 100018, 100019],\n"
        "    b\n"
        "}",
    ?assertEqual(Expected, text(Term)).

a_long_string_is_continued_test() ->
    Text = text({lists:duplicate(150, $x)}),
    ?assertMatch([_, _ | _], string:split(Text, "\"\n")),
    ?assertEqual({lists:duplicate(150, $x)}, evaluated(Text)).

%% Laid out anywhere, a term means the same and stays inside the page.
layout_keeps_meaning_and_width_test_() ->
    [
        ?_test(begin
            Text = text(Term, Indent),
            ?assertEqual(Term, evaluated(Text)),
            Lines = string:split(lists:duplicate(Indent, $\s) ++ Text, "\n", all),
            [?assert(string:length(Line) =< 100) || Line <- Lines]
        end)
     || Term <- terms(), Indent <- [0, 8, 40]
    ].

terms() ->
    Long = [list_to_atom("element_" ++ integer_to_list(N)) || N <- lists:seq(1, 30)],
    [
        Long,
        list_to_tuple(Long),
        Long ++ tail,
        #{Long => Long, key => #{inner => {Long, "some text"}}},
        [{Name, lists:seq(1, 60)} || Name <- Long],
        lists:duplicate(30, <<"binary with text">>),
        list_to_binary(lists:seq(0, 255)),
        [lists:flatten(lists:duplicate(40, "words \"quoted\" ")), <<5:7>>, -0.5, 'an atom']
    ].

a_guarded_pattern_has_no_commas_between_guards_test() ->
    Pattern = cuter_layout:text("{A, B}"),
    Guarded = cuter_layout:guarded(Pattern, ["is_pid(A)", "is_pid(B)"]),
    Flat = cuter_layout:render(Guarded, 0, 0),
    ?assertEqual("{A, B} when is_pid(A) andalso is_pid(B)", Flat).

text(Term) ->
    text(Term, 0).

text(Term, Indent) ->
    cuter_layout:render(cuter_layout:form(cuter_source:form(Term, #{})), Indent, 0).

evaluated(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text ++ "."),
    {ok, Exprs} = erl_parse:parse_exprs(Tokens),
    {value, Value, _} = erl_eval:exprs(Exprs, []),
    Value.
