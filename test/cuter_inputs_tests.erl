%% What the engine reports of clauses, inputs and paths.
-module(cuter_inputs_tests).

-include_lib("eunit/include/eunit.hrl").

-define(SECONDS, 60).
-define(PROGRAM,
    "-export([f/1]).\n"
    "f(X) when is_integer(X) ->\n"
    "    case g(X) of\n"
    "        large -> X > 100 andalso error(too_large);\n"
    "        small -> small\n"
    "    end;\n"
    "f([_ | _]) ->\n"
    "    list.\n"
    "g(X) when X > 10 -> large;\n"
    "g(_) -> small.\n"
    "unused(X) -> X.\n"
).

inputs_enter_every_clause_that_was_entered_test_() ->
    explored([], fun(#{inputs := Inputs, coverage := Coverage}) ->
        Entered = lists:usort(lists:append([Clauses || #{clauses := Clauses} <- Inputs])),
        Covered = lists:usort([Clause || #{clause := Clause} <- maps:get(covered, Coverage)]),
        ?assertEqual(Covered, Entered)
    end).

inputs_enter_what_they_are_said_to_test_() ->
    explored([], fun(#{inputs := Inputs, coverage := #{covered := Covered}}) ->
        Own = [Row || #{generated := false} = Row <- Covered],
        Lines = maps:from_list([{Clause, Line} || #{clause := Clause, line := Line} <- Own]),
        Entered = [{I, lists:sort(maps:values(maps:with(Cs, Lines)))} || {I, Cs} <- pairs(Inputs)],
        ?assertEqual([{Input, lines(Input)} || {Input, _} <- Entered], Entered)
    end).

pairs(Inputs) ->
    [{Input, Clauses} || #{input := [Input], clauses := Clauses} <- Inputs].

%% The lines of the clauses that a call enters, by the program text.
lines(X) when is_integer(X), X > 10 -> [3, 5, 10];
lines(X) when is_integer(X) -> [3, 6, 11];
lines([_ | _]) -> [8];
lines(_) -> [].

the_outcome_of_each_input_is_that_of_the_beam_test_() ->
    explored([], fun(#{inputs := Inputs}) ->
        Outcomes = [
            {Outcome, cuter_replay:native({cuter_tried, f}, Input)}
         || #{input := Input, outcome := Outcome} <- Inputs
        ],
        [?assertMatch({_, _}, same(Pair)) || Pair <- Outcomes],
        ?assertEqual([raised, returned], lists:usort([Outcome || {Outcome, _} <- Outcomes]))
    end).

same({returned, {ok, _}} = Pair) -> Pair;
same({raised, {raised, _, _, _}} = Pair) -> Pair.

the_inputs_of_failures_are_among_them_test_() ->
    explored([], fun(#{inputs := Inputs, failures := Failures}) ->
        Raising = [Input || #{input := Input, outcome := raised} <- Inputs],
        ?assertEqual([], [Original || #{original := Original} <- Failures] -- Raising),
        ?assert(length(Failures) >= 2)
    end).

coverage_is_counted_with_and_without_compiler_made_clauses_test_() ->
    explored([], fun(#{coverage := Coverage}) ->
        #{clauses := {6, 6}, all_clauses := {AllCovered, AllTotal}, lines := {6, 6}} = Coverage,
        ?assert(AllTotal > 6 andalso AllCovered =< AllTotal),
        #{covered := Covered, all_lines := {_, _}} = Coverage,
        ?assertEqual(6, length([C || #{generated := false} = C <- Covered])),
        ?assertEqual(AllCovered, length(Covered)),
        ?assertEqual([3, 5, 6, 8, 10, 11], [L || #{generated := false, line := L} <- Covered])
    end).

what_a_receive_becomes_does_not_count_but_for_messages_and_after_test() ->
    Text =
        "-export([wait/1, for_long/2]).\n"
        "wait(X) ->\n"
        "    self() ! b,\n"
        "    receive {a, Y} when X -> Y;\n"
        "        b -> X end.\n"
        "for_long(X, Time) when is_integer(Time), Time >= 0, Time < 9 ->\n"
        "    self() ! X,\n"
        "    receive a -> message\n"
        "    after\n"
        "        Time -> no_message\n"
        "    end.\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Lines = fun(Function, Input) ->
            #{coverage := Coverage} = cuter:run(cuter_tried, Function, Input, [quiet]),
            #{covered := Covered, uncovered := Uncovered} = Coverage,
            [[L || #{generated := false, line := L} <- Some] || Some <- [Covered, Uncovered]]
        end,
        ?assertEqual([[3, 6], [5]], Lines(wait, [true])),
        ?assertEqual([[7, 9, 11], []], Lines(for_long, [b, 1]))
    end).

references_are_the_same_in_every_exploration_test_() ->
    explored([], fun(#{coverage := #{covered := First}}) ->
        #{coverage := #{covered := Second}} = cuter:run(cuter_tried, f, [[]], [quiet]),
        ?assertEqual(lists:sort(First), lists:sort(Second))
    end).

paths_are_reported_only_when_asked_for_test_() ->
    explored([], fun(Report) ->
        ?assertNot(is_map_key(paths, Report)),
        ?assertNot(is_map_key(sites, Report))
    end).

there_is_a_path_for_each_run_test_() ->
    explored([trace], fun(#{paths := Paths, sites := Sites, runs := Runs}) ->
        ?assertEqual(lists:seq(1, Runs), lists:sort([Run || #{run := Run} <- Paths])),
        %% Two runs never make the same decisions.
        Decisions = [D || #{decisions := D} <- Paths],
        ?assertEqual(length(Paths), length(lists:usort(Decisions))),
        Used = lists:usort([Site || {Site, _} <- lists:append(Decisions)]),
        ?assertEqual(Used, lists:sort(maps:keys(Sites))),
        Places = [{Mfa, Line} || #{mfa := Mfa, line := Line} <- maps:values(Sites)],
        [?assertMatch({{cuter_tried, _, 1}, L} when L > 0, Place) || Place <- Places],
        ?assert(lists:member({returned, list}, [Outcome || #{outcome := Outcome} <- Paths]))
    end).

explored(Options, Test) ->
    {timeout, ?SECONDS, fun() ->
        cuter_fixture:with_source(?PROGRAM, [debug_info], fun(_) ->
            Report = cuter:run(cuter_tried, f, [1], [quiet | Options]),
            Test(Report)
        end)
    end}.
