%% The scheduler, with jobs that are no explorations.
-module(cuter_batch_tests).

-include_lib("eunit/include/eunit.hrl").

results_are_in_the_order_of_the_jobs_test() ->
    Jobs = [job(N, fun(_) -> timer:sleep(20 - N), N end) || N <- lists:seq(1, 10)],
    ?assertEqual([{done, N} || N <- lists:seq(1, 10)], cuter_batch:run(Jobs, #{cores => 4})).

no_jobs_give_no_results_test() ->
    ?assertEqual([], cuter_batch:run([], #{})).

no_more_run_at_once_than_there_are_cores_test() ->
    Running = counters:new(2, []),
    Work = fun(_) ->
        ok = counters:add(Running, 1, 1),
        Now = counters:get(Running, 1),
        timer:sleep(5),
        ok = counters:sub(Running, 1, 1),
        Now
    end,
    Seen = cuter_batch:run([job(N, Work) || N <- lists:seq(1, 12)], #{cores => 3}),
    ?assert(lists:max([N || {done, N} <- Seen]) =< 3),
    ?assert(lists:max([N || {done, N} <- Seen]) > 1).

cores_are_shared_by_what_runs_at_once_test_() ->
    Work = fun(#{workers := Workers}) -> timer:sleep(5), Workers end,
    Workers = fun(Number, Cores) ->
        [W || {done, W} <- cuter_batch:run([job(N, Work) || N <- lists:seq(1, Number)], #{
            cores => Cores
        })]
    end,
    [
        ?_assertEqual([8], Workers(1, 8)),
        ?_assertEqual([4, 4], Workers(2, 8)),
        ?_assertEqual([1, 1, 1], Workers(3, 2))
    ].

a_job_gets_no_more_than_its_own_time_test() ->
    Work = fun(#{time_limit := Time}) -> Time end,
    ?assertEqual([{done, 50}], cuter_batch:run([(job(a, Work))#{time := 50}], #{})),
    ?assertEqual(
        [{done, 50}], cuter_batch:run([(job(a, Work))#{time := 50}], #{total_time => 100000})
    ).

the_time_for_all_is_shared_fairly_test() ->
    Work = fun(#{time_limit := Time}) -> Time end,
    Jobs = [(job(N, Work))#{time := 1000000} || N <- lists:seq(1, 4)],
    Times = [T || {done, T} <- cuter_batch:run(Jobs, #{cores => 1, total_time => 40000})],
    %% None uses its share, so there is more for those after it.
    [First, Second, Third, Fourth] = Times,
    ?assert(First =< 10000),
    ?assert(First =< Second andalso Second =< Third andalso Third =< Fourth),
    ?assert(Fourth =< 40000).

what_has_no_time_left_is_not_started_test() ->
    Work = fun(_) -> timer:sleep(60), done end,
    Results = cuter_batch:run([job(N, Work) || N <- [1, 2]], #{cores => 1, total_time => 40}),
    ?assertEqual([{done, done}, {not_started, time}], Results).

a_job_that_dies_does_not_take_others_with_it_test() ->
    Jobs = [
        job(1, fun(_) -> error(oops) end),
        job(2, fun(_) -> fine end),
        job(3, fun(_) -> exit(self(), kill), timer:sleep(infinity) end)
    ],
    Results = cuter_batch:run(Jobs, #{}),
    ?assertMatch([{died, {error, oops, _}}, {done, fine}, {died, killed}], Results).

who_stops_gets_what_there_is_test() ->
    Stop = atomics:new(1, []),
    Work = fun(_) -> atomics:put(Stop, 1, 1), timer:sleep(300), done end,
    Settings = #{cores => 1, stop => fun() -> atomics:get(Stop, 1) =:= 1 end},
    Results = cuter_batch:run([job(N, Work) || N <- [1, 2, 3]], Settings),
    ?assertEqual([{done, done}, {not_started, stopped}, {not_started, stopped}], Results).

events_tell_what_happens_test() ->
    Test = self(),
    _ = cuter_batch:run([job(a, fun(_) -> 1 end)], #{notify => fun(E) -> Test ! {event, E} end}),
    ?assertEqual([{started, a}, {ended, a, {done, 1}}], [E || {event, E} <- flush()]).

jobs_end_when_the_caller_dies_test() ->
    Test = self(),
    Work = fun(_) -> Test ! {job, self()}, timer:sleep(infinity) end,
    Caller = spawn(fun() -> cuter_batch:run([job(a, Work)], #{}) end),
    Job = receive {job, Pid} -> Pid end,
    exit(Caller, kill),
    ?assertEqual(false, cuter_fixture:eventually(fun() -> is_process_alive(Job) end, false)).

the_caller_keeps_its_flags_and_mailbox_test() ->
    Before = process_info(self(), [trap_exit, group_leader, links, monitors]),
    self() ! mine,
    _ = cuter_batch:run([job(a, fun(_) -> error(oops) end)], #{}),
    ?assertEqual(Before, process_info(self(), [trap_exit, group_leader, links, monitors])),
    ?assertEqual([mine], flush()).

flush() ->
    receive
        Message -> [Message | flush()]
    after 0 -> []
    end.

job(Name, Work) ->
    #{name => Name, time => 1000, work => Work}.
