-module(cuter_failures_tests).

-include_lib("eunit/include/eunit.hrl").

-define(UNDER_TEST, {my_module, start, 1}).

%%% What is the same

two_inputs_that_fail_at_one_place_for_one_reason_are_one_failure_test() ->
    A = failure([1], {badmatch, 1}, [user(f, 10)]),
    B = failure([2], {badmatch, 2}, [user(f, 10)]),
    ?assertEqual([A], distinct([A, B])).

two_lines_are_two_failures_test() ->
    A = failure([1], badarg, [user(f, 10)]),
    B = failure([1], badarg, [user(f, 11)]),
    ?assertEqual([A, B], distinct([A, B])).

two_functions_are_two_failures_test() ->
    A = failure([1], badarg, [user(f, 10)]),
    B = failure([1], badarg, [user(g, 10)]),
    ?assertEqual([A, B], distinct([A, B])).

two_classes_are_two_failures_test() ->
    A = failure([1], stop, [user(f, 10)]),
    B = A#{class => throw},
    ?assertEqual([A, B], distinct([A, B])).

callers_of_the_failing_function_do_not_matter_test() ->
    A = failure([1], badarg, [user(f, 10), user(g, 20)]),
    B = failure([2], badarg, [user(f, 10), user(h, 30)]),
    ?assertEqual([A], distinct([A, B])).

reasons_are_told_apart_by_their_tag_test() ->
    Reasons = [badarith, {badkey, 1}, {badmap, 1}, {badkey, 1, 2}, 1, 1.0, [], #{}, <<>>, {{}}],
    Failures = [failure([1], Reason, [user(f, 10)]) || Reason <- Reasons],
    ?assertEqual(Failures, distinct(Failures)).

a_division_by_zero_is_not_the_same_as_what_is_no_number_test() ->
    Raised = [{'div', [1, 0]}, {'div', [a, 0]}, {'-', [a, 0]}, {'/', [1, 0.0]}, {'/', [1.5, []]}],
    [Zero, Type | Others] = [
        failure([1], badarith, [{erlang, Operator, Args, []}, user(f, 10)])
     || {Operator, Args} <- Raised
    ],
    ?assertEqual([Zero, Type], distinct([Zero, Type | Others])).

what_a_tag_carries_does_not_matter_test() ->
    Failures = [failure([1], {oops, X}, [user(f, 10)]) || X <- [1, a, [], {}]],
    ?assertEqual(1, length(distinct(Failures))).

%%% Library code

a_library_rejects_its_arguments_in_one_way_test() ->
    Frames = [[library(lists, nth, 100), user(f, 10)], [library(lists, nthtail, 200), user(f, 10)]],
    Reasons = [function_clause, {case_clause, x}, {badmatch, y}, if_clause, {try_clause, z}],
    Failures = [failure([1], R, Stack) || R <- Reasons, Stack <- Frames],
    ?assertEqual(1, length(distinct(Failures))).

a_library_called_from_two_places_rejects_in_two_ways_test() ->
    A = failure([1], function_clause, [library(lists, nth, 100), user(f, 10)]),
    B = failure([1], function_clause, [library(lists, nth, 100), user(f, 11)]),
    ?assertEqual([A, B], distinct([A, B])).

two_libraries_called_from_one_place_are_two_failures_test() ->
    A = failure([1], function_clause, [library(lists, nth, 100), user(f, 10)]),
    B = failure([1], function_clause, [library(string, split, 100), user(f, 10)]),
    ?assertEqual([A, B], distinct([A, B])).

other_reasons_of_a_library_are_distinct_test() ->
    Reasons = [function_clause, badarg, badarith, {badkey, x}],
    Failures = [failure([1], R, [library(maps, get, 1), user(f, 10)]) || R <- Reasons],
    ?assertEqual(Failures, distinct(Failures)).

a_clause_missing_in_user_code_is_not_a_rejection_test() ->
    A = failure([1], function_clause, [user(f, 10)]),
    B = failure([1], {case_clause, x}, [user(f, 10)]),
    ?assertEqual([A, B], distinct([A, B])).

a_built_in_function_fails_in_the_code_that_calls_it_test() ->
    Stack = [{erlang, '+', [1, a], []}, user(f, 10)],
    ?assertMatch({{my_module, f, 1, 10}, user, error, badarith}, key(badarith, Stack)).

the_module_under_test_is_user_code_even_in_a_library_test() ->
    A = failure([1], function_clause, [library(lists, nth, 100)]),
    B = failure([1], function_clause, [library(lists, nthtail, 200)]),
    ?assertEqual([A, B], cuter_failures:distinct({lists, nth, 2}, [A, B])).

without_a_user_frame_the_place_is_the_function_under_test_test() ->
    Stack = [library(lists, nth, 100)],
    Key = key(function_clause, Stack),
    ?assertEqual({{my_module, start, 1, 0}, {library, lists}, error, rejected}, Key).

an_undefined_function_fails_at_its_caller_test() ->
    Stack = [{no_such, function, [1, 2], []}, user(f, 10)],
    Shape = {undef, {no_such, function, 2}},
    ?assertEqual({{my_module, f, 1, 10}, user, error, Shape}, key(undef, Stack)).

functions_that_do_not_exist_are_one_failure_where_their_name_is_computed_test() ->
    Text =
        "-export([call/2]).\n"
        "call(Module, 1) -> no_such:one(Module);\n"
        "call(Module, 2) -> Module:f();\n"
        "call(Module, 3) -> [no_such:one(Module), no_such:two(Module), Module:f()].\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Missing = fun(Name, Line) -> failure([1], undef, [Name, tried(Line)]) end,
        One = Missing({no_such, one, [1], []}, 4),
        Two = Missing({no_such, two, [1], []}, 4),
        Computed = [Missing({Module, f, [], []}, 4) || Module <- [a, b, c]],
        ?assertEqual([One, Two, hd(Computed)], distinct([One, Two | Computed]))
    end).

tried(Line) ->
    {cuter_tried, call, 2, [{file, "cuter_tried.erl"}, {line, Line}]}.

an_empty_stacktrace_is_the_function_under_test_test() ->
    ?assertMatch({{my_module, start, 1, 0}, user, error, badarg}, key(badarg, [])).

arguments_in_a_frame_count_as_arity_test() ->
    Stack = [{my_module, f, [a, b], [{file, "my_module.erl"}, {line, 3}]}],
    ?assertMatch({{my_module, f, 2, 3}, user, _, _}, key(function_clause, Stack)).

%%% Which one is kept

the_smaller_input_is_kept_test() ->
    Big = failure([lists:seq(1000, 1100)], badarg, [user(f, 10)]),
    Small = failure([[1]], badarg, [user(f, 10)]),
    ?assertEqual([Small], distinct([Big, Small])),
    ?assertEqual([Small], distinct([Small, Big])).

of_inputs_of_one_size_the_first_in_term_order_is_kept_test() ->
    A = failure([1], badarg, [user(f, 10)]),
    B = failure([2], badarg, [user(f, 10)]),
    ?assertEqual([A], distinct([B, A])).

the_order_is_that_of_the_first_finding_test() ->
    A = failure([111111], badarg, [user(f, 10)]),
    B = failure([1], badarg, [user(g, 10)]),
    Smaller = failure([1], badarg, [user(f, 10)]),
    ?assertEqual([Smaller, B], distinct([A, B, Smaller])).

distinct(Failures) ->
    cuter_failures:distinct(?UNDER_TEST, Failures).

key(Reason, Stacktrace) ->
    cuter_failures:key(?UNDER_TEST, failure([1], Reason, Stacktrace)).

failure(Input, Reason, Stacktrace) ->
    #{input => Input, class => error, reason => Reason, stacktrace => Stacktrace}.

user(Function, Line) ->
    {my_module, Function, 1, [{file, "my_module.erl"}, {line, Line}]}.

library(Module, Function, Line) ->
    {Module, Function, 2, [{file, atom_to_list(Module) ++ ".erl"}, {line, Line}]}.

%%% What is expected

patterns_match_reasons_at_any_depth_test_() ->
    [
        ?_assertEqual(Expected, cuter_failures:is_expected(raised(Class, Reason), [Pattern]))
     || {Expected, Pattern, Class, Reason} <- [
            {true, badarg, error, badarg},
            {true, badarg, throw, badarg},
            {false, badarg, error, badarith},
            {true, {error, badarg}, error, badarg},
            {false, {error, badarg}, exit, badarg},
            {true, {throw, '_'}, throw, {anything, 1}},
            {true, '_', exit, killed},
            {true, {bad, '_'}, error, {bad, [1]}},
            {false, {bad, '_'}, error, {bad, 1, 2}},
            {false, {bad, '_'}, error, bad},
            {true, {error, {bad, [1, '_' | '_']}}, error, {bad, [1, 2, 3]}},
            {false, {error, {bad, [1, '_' | '_']}}, error, {bad, [1]}},
            {true, #{a => '_'}, error, #{a => 1}},
            {false, #{a => '_'}, error, #{b => 1}},
            {false, #{a => '_'}, error, #{a => 1, b => 2}},
            {false, 1, error, 1.0},
            {true, {error, {error, x}}, error, {error, x}},
            {false, {error, x}, throw, {error, x}}
        ]
    ].

nothing_is_expected_without_a_pattern_test() ->
    ?assertNot(cuter_failures:is_expected(raised(error, badarg), [])).

raised(Class, Reason) ->
    #{class => Class, reason => Reason, stacktrace => []}.
