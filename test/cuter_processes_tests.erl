%% Programs with several processes, in the machine and on the BEAM.
-module(cuter_processes_tests).

-include_lib("eunit/include/eunit.hrl").

-define(FIXTURE, "test/fixtures/diff_processes.erl").

outcomes_are_those_of_the_beam_test_() ->
    [
        {atom_to_list(Function), fun() -> same(Function, Args) end}
     || {Function, Args} <- rows()
    ].

rows() ->
    [
        {ping, [5]},
        {mon, [a]},
        {monthrow, [a]},
        {link1, [x]},
        {link1, [normal]},
        {link2, [boom]},
        {kill, [1]},
        {in_time, [20]},
        {too_late, [20]},
        {ring, [200]},
        {mfa, [z]},
        {busy, [1]},
        {demonitored, [1]},
        {server, [5]}
    ].

same(Function, Args) ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        Native = cuter_replay:native({diff_processes, Function}, Args),
        ?assertEqual(plain(Native), plain(cuter:eval(diff_processes, Function, Args)))
    end).

plain({raised, Class, Reason, _Stacktrace}) -> {raised, Class, Reason};
plain(Other) -> Other.

a_process_that_nobody_can_wake_is_told_of_test() ->
    Source =
        "-export([f/0]).\n"
        "f() -> spawn(fun() -> receive x -> y end end), receive z -> a end.\n",
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        ?assertEqual({error, {cuter, {stopped, deadlock}}}, cuter:eval(cuter_tried, f, []))
    end).

a_value_is_solved_for_across_processes_test() ->
    Source =
        "-export([f/1]).\n"
        "f(X) -> Me = self(), P = spawn(fun() -> server(Me) end), P ! X,\n"
        "  receive {answer, 42} -> error(found); {answer, _} -> ok end.\n"
        "server(To) -> receive {ask, N} -> To ! {answer, N * 2}; _ -> To ! {answer, 0} end.\n",
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        #{failures := Failures} = cuter:run(cuter_tried, f, [a], #{quiet => true}),
        ?assertMatch([#{input := [{ask, 21}]}], [F || #{reason := found} = F <- Failures])
    end).
