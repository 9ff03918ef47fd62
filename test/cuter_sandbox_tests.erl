-module(cuter_sandbox_tests).

-export([log/2]).

-include_lib("eunit/include/eunit.hrl").

the_result_of_the_work_comes_back_test() ->
    ?assertEqual({done, 42}, cuter_sandbox:run(fun() -> 42 end, #{})).

work_that_exits_is_told_with_its_reason_test() ->
    ?assertEqual({died, oops}, cuter_sandbox:run(fun() -> exit(oops) end, #{})).

work_that_takes_too_long_is_stopped_test() ->
    ?assertEqual(timeout, cuter_sandbox:run(fun() -> timer:sleep(infinity) end, #{time => 20})).

work_that_takes_too_much_memory_is_stopped_test() ->
    Work = fun() -> lists:seq(1, 10000000) end,
    ?assertEqual({died, killed}, cuter_sandbox:run(Work, #{heap_words => 100000})).

work_that_kills_its_keeper_leaves_nothing_behind_test() ->
    Before = processes(),
    Work = fun() ->
        process_flag(trap_exit, true),
        _ = spawn(fun() -> timer:sleep(infinity) end),
        exit(group_leader(), kill),
        timer:sleep(infinity)
    end,
    ?assertEqual({died, killed}, cuter_sandbox:run(Work, #{})),
    ?assertEqual([], cuter_fixture:eventually(fun() -> processes() -- Before end, [])).

nothing_is_printed_test() ->
    Work = fun() ->
        [io:format("~s~n", ["x"]), io:put_chars("y"), io:get_line(">"), io:getopts()]
    end,
    ?assertMatch({done, [ok, ok, eof, [_ | _]]}, cuter_sandbox:run(Work, #{})).

what_cannot_be_printed_is_refused_as_by_a_terminal_test_() ->
    Large = lists:duplicate(10000, $x),
    Refused = [
        {format, ["~d~n", [1]]},
        {format, ["~p ~p", [1]]},
        {format, ["~p", [1, 2]]},
        {format, ["~s", [1]]},
        {format, ["~ts", [[16#d800]]]},
        {put_chars, [a]},
        {put_chars, [<<1:1>>]},
        {put_chars, [[Large | -1]]}
    ],
    Printed = [
        {format, ["~ts ~p~n", [[8364], {x, 1.5}]]},
        {format, [Large]},
        {put_chars, [<<"x">>]},
        {put_chars, [[Large, <<"x">>]]},
        {write, [{a, b}]},
        {nl, []}
    ],
    Call = fun({Function, Args}) -> fun() -> cuter_replay:call(io, Function, Args) end end,
    [
        ?_assertMatch({done, {raised, error, badarg, [{io, _, _, _} | _]}},
            cuter_sandbox:run(Call(Row), #{}))
     || Row <- Refused
    ] ++
        [?_assertEqual({done, {ok, ok}}, cuter_sandbox:run(Call(Row), #{})) || Row <- Printed].

%% The one who prints is told, and the sandbox goes on.
text_that_takes_for_ever_to_make_is_no_end_of_the_sandbox_test() ->
    Work = fun() ->
        group_leader() ! {io_request, self(), r, {put_chars, unicode, timer, sleep, [infinity]}},
        io:format("x")
    end,
    ?assertEqual({done, ok}, cuter_sandbox:run(Work, #{})).

processes_that_the_work_leaves_behind_are_killed_test() ->
    Work = fun() -> spawn(fun() -> spawn_child(5) end) end,
    {done, Pid} = cuter_sandbox:run(Work, #{}),
    ?assertNot(is_process_alive(Pid)).

so_is_what_runs_in_a_sandbox_inside_of_it_test() ->
    Test = self(),
    Inner = fun() ->
        Test ! {worker, self()},
        timer:sleep(infinity)
    end,
    Work = fun() ->
        _ = cuter_sandbox:start(Inner, #{}),
        receive
            go_on -> done
        end
    end,
    {_, Monitor} = cuter_sandbox:start(fun() -> Test ! {outer, self()}, Work() end, #{}),
    Worker =
        receive
            {worker, Pid} -> Pid
        end,
    receive
        {outer, Outer} -> Outer ! go_on
    end,
    receive
        {'DOWN', Monitor, process, _, _} -> ?assertNot(is_process_alive(Worker))
    end.

spawn_child(0) ->
    timer:sleep(infinity);
spawn_child(N) ->
    _ = spawn(fun() -> spawn_child(N - 1) end),
    timer:sleep(infinity).

tables_and_names_are_gone_afterwards_test() ->
    Work = fun() ->
        true = register(cuter_sandbox_name, self()),
        ets:new(cuter_sandbox_table, [named_table, public])
    end,
    ?assertEqual({done, cuter_sandbox_table}, cuter_sandbox:run(Work, #{})),
    ?assertEqual(undefined, whereis(cuter_sandbox_name)),
    ?assertEqual(undefined, ets:info(cuter_sandbox_table)).

the_work_ends_when_the_one_who_asked_dies_test() ->
    Test = self(),
    Work = fun() ->
        Test ! {worker, self()},
        process_flag(trap_exit, true),
        timer:sleep(infinity)
    end,
    Asking = spawn(fun() -> cuter_sandbox:run(Work, #{}) end),
    Worker =
        receive
            {worker, Pid} -> Pid
        end,
    Monitor = monitor(process, Worker),
    exit(Asking, kill),
    ?assertEqual(down, await_down(Monitor)).

nothing_is_left_in_the_mailbox_test() ->
    _ = cuter_sandbox:run(fun() -> self() ! hello end, #{time => 1000}),
    ?assertEqual({messages, []}, process_info(self(), messages)).

what_is_logged_stays_inside_test() ->
    ok = logger:add_handler(?MODULE, ?MODULE, #{config => self()}),
    try
        _ = cuter_sandbox:run(fun() -> logger:error("inside") end, #{}),
        logger:error("outside"),
        ?assertEqual("outside", logged())
    after
        logger:remove_handler(?MODULE)
    end.

%% A handler of the logger.
log(#{msg := {string, Text}}, #{config := Test}) ->
    Test ! {logged, Text};
log(_Event, _Config) ->
    ok.

logged() ->
    receive
        {logged, Text} -> Text
    after 1000 -> nothing
    end.

await_down(Monitor) ->
    receive
        {'DOWN', Monitor, process, _, _} -> down
    after 1000 -> still_alive
    end.

a_wrong_format_is_a_failure_of_the_function_test() ->
    Source =
        "-export([f/1]).\n"
        "f(X) when X > 10 -> io:format(\"~d~n\", [X]);\n"
        "f(X) -> io:format(\"~p~n\", [X]).\n",
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        #{failures := Failures} = cuter:run(cuter_tried, f, [1], #{quiet => true}),
        ?assertMatch([#{input := [_], class := error, reason := badarg}], Failures)
    end).

%% What a control sequence does not take is solved for.
the_kind_of_what_is_printed_is_decided_test_() ->
    [
        {Format, fun() ->
            Source = ["-export([f/1]).\nf(X) -> io:format(\"", Format, "\", [X]).\n"],
            cuter_fixture:with_source(Source, [debug_info], fun(_) ->
                Report = cuter:run(cuter_tried, f, [Seed], #{quiet => true}),
                ?assertEqual(Fails, maps:get(failures, Report) =/= []),
                ?assertMatch(#{divergences := 0}, Report)
            end)
        end}
     || {Format, Seed, Fails} <- [
            {"~s", a, true},
            {"~ts and more", "text", true},
            {"~B", 1, true},
            {"~.3f", 1.5, true},
            {"~p", 1, false},
            {"~w ~~ ~n", [], false}
        ]
    ].
