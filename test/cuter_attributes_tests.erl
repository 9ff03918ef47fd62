%% What modules say about their functions, and what comes of it.
-module(cuter_attributes_tests).

-include_lib("eunit/include/eunit.hrl").

-define(CONTRACTS, ["test/fixtures/contracts.erl"]).

%%% Reading

every_form_of_an_attribute_is_read_test() ->
    cuter_fixture:with_modules(?CONTRACTS, fun() ->
        {ok, Attributes} = cuter_attributes:of_module(contracts),
        ?assertEqual(
            #{
                {half, 1} => #{raises => [{error, {odd, 1}}, {throw, '_'}]},
                {tenth, 1} => #{pre => {contracts, is_multiple}, depth => 30},
                {nth, 2} => #{pre => {contracts, is_index}},
                {root, 1} => #{pre => {erlang, is_float}, seeds => [[1.0], [2.5]]}
            },
            Attributes
        )
    end).

attributes_of_one_function_are_taken_together_test() ->
    Text = [
        "-export([f/1]).\n-cuter({f/1, #{depth => 5}}).\n-cuter({f/1, #{max_runs => 7}}).\n",
        "f(X) -> X.\n"
    ],
    with(Text, fun() ->
        Expected = {ok, #{depth => 5, max_runs => 7}},
        ?assertEqual(Expected, cuter_attributes:of_function({cuter_tried, f, 1}))
    end).

a_module_without_attributes_has_none_test() ->
    ?assertEqual({ok, #{}}, cuter_attributes:of_module(lists)).

%%% Mistakes

mistakes_are_named_by_file_and_line_test_() ->
    [
        {Attribute, fun() -> check_mistake(Attribute, Part) end}
     || {Attribute, Part} <- [
            {"{f, 1}", "a cuter attribute is {Function/Arity, Options}"},
            {"f/1", "a cuter attribute is {Function/Arity, Options}"},
            {"[a | b]", "a cuter attribute is {Function/Arity, Options}"},
            {"{f/1, 17}", "The options must be a map or a property list"},
            {"{f/2, #{}}", "a cuter attribute for function f/2, which does not exist"},
            {"{f/1, #{prr => p/1}}", "There is no option prr"},
            {"{f/1, #{depth => 0}}", "Option depth cannot be 0"},
            {"{f/1, #{pre => no_such}}", "The predicate cuter_tried:no_such/1 does not exist"},
            {"{f/1, #{pre => {lists, no_such}}}", "lists:no_such/1 does not exist"},
            {"{f/1, #{pre => p/2}}", "A predicate of 2 arguments cannot be the precondition"},
            {"{f/1, #{pre => 17}}", "Option pre cannot be 17"},
            {"{f/1, #{raises => badarg}}", "Option raises cannot be badarg"},
            {"{f/1, #{seeds => [1]}}", "Option seeds cannot be [1]"},
            {"{f/1, #{seeds => [[1, 2]]}}", "Seed [1,2] must be a list of the arguments"},
            {"[{f/1, #{depth => 1}}, {f/1, #{depth => 2}}]", "option depth of f/1 was given before"}
        ]
    ].

check_mistake(Attribute, Part) ->
    Text = ["-export([f/1, p/2]).\n\n\n-cuter(", Attribute, ").\nf(X) -> X.\np(_, _) -> true.\n"],
    with(Text, fun() ->
        {error, Reason} = cuter:run(cuter_tried, f, [1], #{quiet => true}),
        Sentence = lists:flatten(cuter:format_error(Reason)),
        ?assertNotEqual(nomatch, string:find(Sentence, "cuter_tried.erl:5: ")),
        ?assertNotEqual(nomatch, string:find(Sentence, Part)),
        ?assertEqual($., lists:last(Sentence))
    end).

an_attribute_of_an_included_file_is_named_by_that_file_test() ->
    Text = [
        "-export([f/1]).\n-file(\"other.hrl\", 16).\n-cuter({f/1, #{depth => 0}}).\n",
        "-file(\"cuter_tried.erl\", 5).\nf(X) -> X.\n"
    ],
    with(Text, fun() ->
        {error, Reason} = cuter_attributes:of_module(cuter_tried),
        Sentence = lists:flatten(cuter:format_error(Reason)),
        ?assertMatch({match, _}, re:run(Sentence, "^other.hrl:1[67]: Option depth"))
    end).

%%% Effects

expected_exceptions_are_no_failures_test() ->
    Report = explore(half, [4], #{}),
    #{failures := Failures, expected := Expected} = Report,
    ?assert(Expected >= 1),
    %% What the function may raise is not reported, also not after shrinking.
    ?assertEqual([], [F || #{class := throw} = F <- Failures]),
    ?assertEqual([], [F || #{reason := {odd, 1}} = F <- Failures]),
    Text = lists:flatten(cuter_report:text(Report)),
    ?assertNotEqual(nomatch, string:find(Text, "expected       ")).

options_of_the_call_come_before_attributes_test() ->
    #{failures := Failures} = explore(half, [4], #{raises => []}),
    ?assertNotEqual([], [F || #{class := throw} = F <- Failures]).

inputs_outside_a_local_precondition_are_no_failures_test() ->
    ?assertMatch(#{failures := []}, explore(tenth, [10], #{})),
    ?assertMatch(#{failures := [_ | _]}, explore(tenth, [10], #{pre => is_anything})).

inputs_outside_an_exported_precondition_are_no_failures_test() ->
    ?assertMatch(#{failures := []}, explore(nth, [1, [a]], #{max_runs => 200})).

a_failure_is_shrunk_within_its_precondition_test() ->
    Options = #{pre => {contracts, is_index}, raises => []},
    cuter_fixture:with_modules(?CONTRACTS, fun() ->
        {ok, Target} = cuter_target:to_explore(contracts, nth, [1, [a]], Options),
        Valid = cuter_target:valid(Target),
        ?assert(Valid([1, [a]])),
        ?assertNot(Valid([2, [a]])),
        ?assertNot(Valid([a, b]))
    end).

explore(Function, Args, Options) ->
    cuter_fixture:with_modules(?CONTRACTS, fun() ->
        cuter:run(contracts, Function, Args, Options#{quiet => true})
    end).

with(Text, Test) ->
    cuter_fixture:with_source(Text, [debug_info], fun(_Source) -> Test() end).
