%% The example programs, explored by the engine. Expectations are predicates on inputs.
-module(cuter_demo_tests).

-include_lib("eunit/include/eunit.hrl").

-define(SECONDS, 120).
%% Some of the programs have no end: all of what is expected is found long before.
-define(LIMIT, 10000).

the_comparison_fails_in_exactly_three_ways_test_() ->
    explored(demo_compare, check, [[17]], fun(#{failures := Failures}) ->
        Stops = lists:sort([stop(List) || #{input := [List]} <- Failures]),
        ?assertEqual([at_a_float, at_an_integer, no_list], Stops)
    end).

%% Where the check of a list stops.
stop(List) ->
    case is_proper(List) of
        true -> stop_at(hd([X || X <- List, not (X > 42 orelse X < 42)]));
        false -> no_list
    end.

stop_at(42) -> at_an_integer;
stop_at(42.0) -> at_a_float.

is_proper([_ | Tail]) -> is_proper(Tail);
is_proper(Tail) -> Tail =:= [].

the_one_bad_order_is_found_test_() ->
    explored(demo_threshold, order, [1, 1], fun(#{failures := Failures}) ->
        ?assertMatch([#{class := error, reason := limit_too_high}], Failures),
        [#{input := [Amount, Limit]}] = Failures,
        ?assert(Amount =:= 100000 andalso Amount < 2 * Limit)
    end).

the_robot_leaves_the_grid_only_over_the_left_edge_test_() ->
    explored(demo_robot, walk, [{3, 3}, [{5, 4}, {6, 6}]], fun(#{failures := Failures}) ->
        [#{reason := function_clause, stacktrace := Stacktrace}] = Failures,
        [{demo_robot, column, [Column], _} | _] = Stacktrace,
        ?assert(Column < 1)
    end).

every_way_to_mix_up_booleans_and_numbers_is_found_test_() ->
    explored(demo_expr, eval, [{add, {num, 1}, {num, 2}}], fun(#{failures := Failures}) ->
        Found = [failing(F) || F <- Failures],
        Expected = [
            {eval, function_clause},
            {'+', badarith},
            {'and', badarg},
            {'not', badarg},
            {choose, function_clause}
        ],
        ?assertEqual([], Expected -- Found)
    end).

failing(#{reason := Reason, stacktrace := [{_, Function, _, _} | _]}) ->
    {Function, Reason}.

%% A report that is sound, confirmed by the BEAM once more, goes to the check. With one worker,
%% because what is found in a tree without end depends on the order of the runs.
explored(Module, Function, Args, Check) ->
    Test = fun() ->
        Options = #{quiet => true, time_limit => ?LIMIT, workers => 1},
        Report = cuter:run(Module, Function, Args, Options),
        ?assertMatch(#{disagreements := [], mfa := {Module, Function, _}}, Report),
        [confirm(Module, Function, F) || F <- maps:get(failures, Report)],
        Check(Report)
    end,
    Source = filename:join("examples/demo/src", atom_to_list(Module) ++ ".erl"),
    {timeout, ?SECONDS, fun() -> cuter_fixture:with_modules([Source], Test) end}.

confirm(Module, Function, #{input := Input, class := Class, reason := Reason}) ->
    ?assertMatch({raised, Class, Reason, _}, cuter_replay:native({Module, Function}, Input)).

%% Also where the input is not the one that was found first.
the_condition_of_a_failure_holds_for_its_input_test_() ->
    {timeout, 120, fun() ->
        cuter_fixture:with_modules(["examples/demo/src/demo_compare.erl"], fun() ->
            #{failures := Failures} = cuter:run(demo_compare, check, [[17]], [quiet]),
            Conditions = [{Input, C} || #{input := Input, condition := C} <- Failures],
            ?assertMatch([_, _ | _], Conditions),
            [?assertEqual({C, true}, {C, holds(Input, C)}) || {Input, C} <- Conditions]
        end)
    end}.

holds([Argument], Condition) ->
    Text = ["case Argument of X1 when ", Condition, " -> true; _ -> false end."],
    {ok, Tokens, _} = erl_scan:string(unicode:characters_to_list(Text)),
    {ok, Exprs} = erl_parse:parse_exprs(Tokens),
    {value, Holds, _} = erl_eval:exprs(Exprs, [{'Argument', Argument}]),
    Holds.
