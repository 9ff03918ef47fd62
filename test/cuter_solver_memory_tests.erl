%% Z3 with hardly any memory: questions stay without an answer, and nothing else happens.
-module(cuter_solver_memory_tests).

-include_lib("eunit/include/eunit.hrl").

-define(PROGRAM,
    "-export([f/3, g/2]).\n"
    "-spec f(integer(), integer(), integer()) -> atom().\n"
    "f(X, Y, Z) when X + Y =:= 77, Y + Z =:= 99, X - Z + Y > 100 -> error(found);\n"
    "f(_, _, _) -> other.\n"
    "-spec g(integer(), integer()) -> atom().\n"
    "g(X, Y) when X + Y =:= 34, X - Y =:= 12 -> error(found);\n"
    "g(_, _) -> other.\n"
).

%% What an exploration with hardly any memory gives up is found by the next one.
without_memory_the_solver_gives_up_and_with_it_it_answers_test_() ->
    {timeout, 120, fun() ->
        cuter_fixture:with_source(?PROGRAM, [debug_info], fun(_) ->
            #{queries := #{sat := Sat}} = Before = run(#{}),
            ?assert(Sat > 0),
            [without_memory(Workers) || Workers <- [1, 4, 1]],
            ?assertEqual(essence(Before), essence(run(#{})))
        end)
    end}.

without_memory(Workers) ->
    Report = run(#{solver_memory => 1, workers => Workers, time_limit => 10000}),
    ?assertMatch(#{failures := [], verdict := {limit, solver}, queries := #{sat := 0}}, Report),
    #{queries := #{unknown := Unknown}} = Report,
    ?assert(Unknown > 0).

%% Z3 counts for the whole process. What one exploration is given another one has too.
several_explorations_at_once_without_memory_end_test_() ->
    {timeout, 120, fun() ->
        cuter_fixture:with_source(?PROGRAM, [debug_info], fun(_) ->
            Calls = [{cuter_tried, F, A} || _ <- [1, 2, 3], {F, A} <- [{f, 3}, {g, 2}]],
            Options = #{solver_memory => 1, quiet => true, workers => 4, time_limit => 5000},
            Reports = cuter:run(Calls, Options),
            ?assertEqual([[]], lists:usort([F || #{failures := F} <- Reports])),
            ?assertMatch(#{failures := [_]}, run(#{}))
        end)
    end}.

run(Options) ->
    cuter:run(cuter_tried, f, 3, maps:merge(#{quiet => true, workers => 1}, Options)).

essence(#{verdict := Verdict, failures := Failures, runs := Runs, queries := Queries}) ->
    {Verdict, [Input || #{input := Input} <- Failures], Runs, Queries}.
