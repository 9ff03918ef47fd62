-module(cuter_failure_text_tests).

-include_lib("eunit/include/eunit.hrl").

-define(FIXTURE, "test/fixtures/regress.erl").

a_failure_is_shown_with_its_source_test() ->
    ?assertEqual(
        "  regress:classify(17)\n"
        "  ** error: {bad_luck, 17}\n"
        "test/fixtures/regress.erl:13: regress:classify/1\n"
        "   >   13 |         17 -> error({bad_luck, X});\n",
        text(classify, [17], #{})
    ).

the_clause_is_shown_where_it_begins_on_another_line_test() ->
    ?assertEqual(
        "  regress:unlucky(0, [])\n"
        "  ** error: function_clause\n"
        "     no function clause matching lists:nth(0,[])\n"
        "     lists.erl:LINE: lists:nth/2\n"
        "test/fixtures/regress.erl:53: regress:unlucky/2\n"
        "       52 | unlucky(N, List) ->\n"
        "   >   53 |     {found, lists:nth(N, List)}.\n",
        without_library_lines(text(unlucky, [0, []], #{}))
    ).

a_tail_call_into_a_library_names_the_function_it_came_from_test() ->
    Text = text(last, [0, []], #{}),
    Expected = "\ntest/fixtures/regress.erl:56: in a tail call of regress:last/2\n",
    ?assertNotEqual(nomatch, string:find(Text, Expected)).

%% Lines of OTP differ between releases, and some name them twice.
without_library_lines(Text) ->
    Once = re:replace(Text, " \\(lists.erl:[0-9]+\\)", "", [{return, list}]),
    re:replace(Once, "lists.erl:[0-9]+", "lists.erl:LINE", [{return, list}]).

the_input_it_was_shrunk_from_and_the_condition_are_shown_test() ->
    Text = text(classify, [17], #{original => [10017], condition => "X =:= 17"}),
    ?assertNotEqual(nomatch, string:find(Text, "\n  fails whenever X =:= 17\n")),
    ?assertNotEqual(nomatch, string:find(Text, "\n  shrunk from regress:classify(10017)\n")).

records_have_names_and_a_word_on_how_to_use_them_test() ->
    Failure = #{
        input => [{point, 1, 2, undefined}],
        class => error,
        reason => oops,
        stacktrace => []
    },
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        Records = cuter_module:records(regress),
        Text = flat(cuter_failure_text:failure(Failure, {regress, move, 1}, Records)),
        ?assertNotEqual(nomatch, string:find(Text, "  regress:move(#point{x = 1, y = 2})\n")),
        ?assertNotEqual(nomatch, string:find(Text, "rr(regress)"))
    end).

reasons_are_explained_as_the_shell_does_test_() ->
    [
        ?_assertEqual(Lines, explanation(Class, Reason, Stack))
     || {Class, Reason, Stack, Lines} <- [
            {error, {badmatch, 1}, [], ["no match of right hand side value 1"]},
            {error, {case_clause, x}, [], ["no case clause matching x"]},
            {error, if_clause, [], ["no true branch found when evaluating an if expression"]},
            {error, {badkey, k}, [], ["bad key: k"]},
            {error, undef, [{no, such, [], []}], ["undefined function no:such/0"]},
            {error, my_own, [], []},
            {error, {my, own}, [], []},
            {error, "text", [], []},
            {throw, {badmatch, 1}, [], []},
            {exit, undef, [], []}
        ]
    ].

explanation(Class, Reason, Stack) ->
    Failure = #{class => Class, reason => Reason, stacktrace => Stack},
    cuter_failure_text:explanation(Failure, #{}).

text(Function, Input, More) ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        {raised, Class, Reason, Stack} = cuter_replay:native({regress, Function}, Input),
        Raised = #{input => Input, class => Class, reason => Reason, stacktrace => Stack},
        Mfa = {regress, Function, length(Input)},
        flat(cuter_failure_text:failure(maps:merge(Raised, More), Mfa, #{}))
    end).

flat(Text) ->
    unicode:characters_to_list(Text).
