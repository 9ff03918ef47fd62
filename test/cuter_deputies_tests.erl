%% Processes of the machine that deal with native code, in the machine and on the BEAM.
-module(cuter_deputies_tests).

-include_lib("eunit/include/eunit.hrl").

-define(FIXTURE, "test/fixtures/diff_deputies.erl").

outcomes_are_those_of_the_beam_test_() ->
    {setup, fun() -> cuter_fixture:file(?FIXTURE) end, fun(File) ->
        [
            {atom_to_list(Function), {timeout, 60, fun() -> same(Function, Args) end}}
         || {Function, Args} <- rows(File)
        ]
    end}.

rows(File) ->
    Without = [
        printing, a_file, a_line, a_device, a_timer, a_port, own_port, a_command,
        a_call_of_another_node, in_parallel, a_table, all_tables, protected_table, callbacks,
        a_native_server,
        nobody, monitored, several, globally, a_fun_elsewhere, through_native_code,
        given_away, given_back, given_to_the_dead, inherited_table,
        leaders, leader_of_another, a_device_of_its_own
    ],
    [{Function, []} || Function <- Without] ++
        [
            {preprocessed, [File]},
            {in_time_or_not, [1000]},
            {in_time_or_not, [1]},
            {linked_port, [true]},
            {linked_port, [false]}
        ] ++
        [{started, [Options]} || Options <- options()].

options() ->
    [
        [], [link], [monitor], [{priority, low}, {min_heap_size, 10}, {fullsweep_after, 0}],
        [{max_heap_size, #{size => 0}}, {message_queue_data, off_heap}],
        [links], a, [link | monitor], [{priority, lowest}], [{min_heap_size, -1}], [{a, b, c}],
        [{message_queue_data, 1}], [1.5], [{async_dist, 'maybe'}], [{max_heap_size, a}], [{b, 1}]
    ].

same(Function, Args) ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        Native = cuter_replay:native({diff_deputies, Function}, Args),
        ?assertMatch({ok, _}, Native),
        ?assertEqual(Native, cuter:eval(diff_deputies, Function, Args))
    end).

%% Whatever a run has started on the VM is gone with it.
deputies_end_with_their_run_test() ->
    Source =
        "-export([f/0]).\n"
        "f() -> Me = self(), [spawn(fun() -> group_leader(whereis(user), self()),\n"
        "  Me ! ready, receive never -> ok end end) || _ <- [1, 2]],\n"
        "  [receive ready -> ok end || _ <- [1, 2]].\n",
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        Before = processes(),
        ?assertEqual({ok, [ok, ok]}, cuter:eval(cuter_tried, f, [])),
        ?assertEqual([], cuter_fixture:eventually(fun() -> processes() -- Before end, []))
    end).

%% Time jumps for those that native code knows nothing of, also while it knows of others.
a_long_time_passes_at_once_test_() ->
    {timeout, 60, fun() ->
        Source =
            "-export([f/0]).\n"
            "f() -> io:format(\"x\"), Me = self(),\n"
            "  spawn(fun() -> receive never -> ok after 3600000 -> Me ! over end end),\n"
            "  receive over -> ok end.\n",
        cuter_fixture:with_source(Source, [debug_info], fun(_) ->
            ?assertEqual({ok, ok}, cuter:eval(cuter_tried, f, []))
        end)
    end}.

%% A process of the VM calls a fun of the machine: it waits for a host that loads a module, but not
%% for one that is in native code and may wait for this process.
visitors_wait_for_the_machine_only_test_() ->
    [
        {timeout, 60, fun() ->
            Host = busy_host(fun(_) -> ok end),
            ?assertEqual({done, {7, [a]}}, cuter_deputy:call_back(Host, 7, [a]))
        end},
        {timeout, 60, fun() ->
            Host = busy_host(fun cuter_deputy:enters_native_code/1),
            ?assertEqual(busy, cuter_deputy:call_back(Host, 7, [a]))
        end}
    ].

%% Has no time for some time.
busy_host(Begin) ->
    Me = self(),
    Pid = spawn_link(fun() ->
        Host = cuter_deputy:host(self()),
        ok = Begin(Host),
        Me ! {self(), Host},
        timer:sleep(2000),
        receive
            {cuter_deputy, Visitor, {visit, _, _} = Visit} ->
                Answer = fun(Number, Args) -> {Number, Args} end,
                cuter_deputy:serve_visitor({Visitor, Visit}, Answer)
        end
    end),
    receive
        {Pid, Host} -> Host
    end.
