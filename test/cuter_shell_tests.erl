%% `cuter:run` as a good guest of the shell that calls it.
-module(cuter_shell_tests).

-include_lib("eunit/include/eunit.hrl").

-define(QUIET, #{quiet => true, workers => 1, max_runs => 20}).

the_caller_stays_as_it_was_test_() ->
    {timeout, 60, fun() ->
        Before = surroundings(),
        #{} = cuter:run(lists, nth, [1, [2]], ?QUIET),
        #{} = cuter:check(lists, member, [1, [1]], ?QUIET),
        #{} = cuter:diff({lists, last}, {erlang, hd}, [[1]], ?QUIET),
        [_, _] = cuter:run([{lists, last, [[1]]}, {lists, nth, [1, [2]]}], ?QUIET),
        ?assertEqual(Before, surroundings())
    end}.

surroundings() ->
    #{
        process => process_info(self(), [trap_exit, group_leader, links, monitors, dictionary]),
        code_path => code:get_path(),
        log_handlers => logger:get_handler_ids(),
        log_level => logger:get_primary_config(),
        mailbox => process_info(self(), messages)
    }.

nothing_is_printed_when_quiet_test() ->
    Calls = [
        fun() -> cuter:run(lists, nth, [1, [2]], ?QUIET) end,
        fun() -> cuter:check(lists, member, [1, [1]], ?QUIET) end,
        fun() -> cuter:diff({lists, last}, {erlang, hd}, [[1]], ?QUIET) end,
        fun() -> cuter:run([{lists, last, [[1]]}, oops], ?QUIET) end,
        fun() -> cuter:check(lists, oops, [1], ?QUIET) end
    ],
    [?assertEqual("", cuter_fixture:printed(Call)) || Call <- Calls].

otherwise_it_is_test() ->
    Loud = #{workers => 1, max_runs => 20},
    Contains = fun(Part, Call) ->
        Text = cuter_fixture:printed(Call),
        ?assertNotEqual({nomatch, Text}, {string:find(Text, Part), Text})
    end,
    Contains("cuter: lists:nth/2", fun() -> cuter:run(lists, nth, [1, [2]], Loud) end),
    Contains("Difference 1", fun() -> cuter:diff({lists, last}, {erlang, hd}, [[1]], Loud) end),
    Contains("is not {Module, Function", fun() -> cuter:run([oops], Loud) end),
    Contains("cuter:run(M, F, Args)", fun() -> cuter:help() end).

it_can_be_cancelled_and_says_what_it_found_test() ->
    cuter_fixture:with_modules(["test/fixtures/endless.erl"], fun() ->
        Test = self(),
        Options = #{quiet => true, workers => 1, time_limit => 60000, watcher => {Test, tag}},
        Explore = fun() -> exit(cuter:run(endless, walk, [[1], 0], Options)) end,
        {Pid, Monitor} = spawn_monitor(Explore),
        Session = receive {cuter_session, tag, S} -> S end,
        ?assertMatch({_, _, _, _, _}, cuter:progress(Session)),
        ok = cuter:cancel(Session),
        receive
            {'DOWN', Monitor, process, Pid, Report} ->
                ?assertMatch(#{verdict := {limit, cancelled}}, Report)
        end
    end).

progress_counts_runs_and_clauses_test() ->
    Test = self(),
    Options = #{quiet => true, workers => 1, max_runs => 20, watcher => {Test, tag}},
    #{runs := Runs, coverage := #{clauses := Clauses}} = cuter:run(lists, nth, [1, [2]], Options),
    Session = receive {cuter_session, tag, S} -> S end,
    {Seen, Paths, Failures, Covered, Total} = cuter:progress(Session),
    ?assertEqual({Runs, Clauses}, {Seen, {Covered, Total}}),
    ?assert(Paths >= 1 andalso Paths =< Runs),
    ?assert(Failures >= 1).

several_run_at_once_without_harm_test() ->
    Test = self(),
    Work = fun() -> Test ! {self(), essence(cuter:run(lists, nth, [1, [2]], ?QUIET))} end,
    Pids = [spawn_link(Work) || _ <- lists:seq(1, 6)],
    Results = [receive {Pid, Result} -> Result end || Pid <- Pids],
    ?assertEqual([essence(cuter:run(lists, nth, [1, [2]], ?QUIET))], lists:usort(Results)).

essence(#{failures := Failures, verdict := Verdict}) ->
    {Verdict, [maps:with([input, class, reason], F) || F <- Failures]}.

results_of_several_functions_are_in_their_order_test() ->
    Targets = [{lists, F, [[1]]} || F <- [last, reverse, sum, max]],
    Reports = cuter:run(Targets, #{quiet => true, max_runs => 5, workers => 2}),
    ?assertEqual([F || {_, F, _} <- Targets], [F || #{mfa := {_, F, _}} <- Reports]).
