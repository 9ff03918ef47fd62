%% Programs with several processes, in the machine and on the BEAM.
-module(cuter_processes_tests).

-include_lib("eunit/include/eunit.hrl").

outcomes_are_those_of_the_beam_test_() ->
    [
        {timeout, 300, {atom_to_list(Function), fun() -> same(diff_processes, Function, Args) end}}
     || {Function, Args} <- rows()
    ].

processes_with_names_are_those_of_the_beam_test_() ->
    [
        {timeout, 300, {atom_to_list(Function), fun() -> same(diff_names, Function, []) end}}
     || Function <- [
            itself,
            server,
            watched,
            nobody,
            info,
            crashing,
            refused,
            gen_server,
            hibernating,
            gen_statem,
            gen_event,
            supervisor
        ]
    ].

signals_are_those_of_the_beam_test_() ->
    [
        {timeout, 300, {atom_to_list(Function), fun() -> same(diff_signals, Function, []) end}}
     || Function <- [
            tagged,
            tagged_too_late,
            spawned_with_alias,
            alias_ends_with_its_monitor,
            of_itself,
            monitor_options,
            demonitor_options,
            spawn_options,
            flushed,
            pid_from_text,
            others_pid_from_text,
            systems_pid_from_text,
            reference_from_text,
            requested,
            requested_quietly,
            requested_wrongly,
            refused,
            starting_in_the_vm,
            starting_nowhere,
            nowhere_to_be_found,
            not_ones_own,
            all_that_is_known,
            all_processes,
            watchers_that_ended,
            where_it_waits,
            bad_timeout,
            many_messages,
            memory,
            port_exits,
            port_exits_unnoticed,
            names_of_funs
        ]
    ].

timers_are_those_of_the_beam_test_() ->
    [
        {timeout, 300, {atom_to_list(Function), fun() -> same(diff_timers, Function, []) end}}
     || Function <- [
            time_passes,
            in_order,
            in_another_process,
            by_name,
            left,
            cancelled_asynchronously,
            not_at_once,
            late,
            through_timer,
            intervals,
            applied,
            server_of_timers,
            refused
        ]
    ].

waiting_is_that_of_the_beam_test_() ->
    [
        {timeout, 300, {atom_to_list(Function), fun() -> same(diff_waiting, Function, []) end}}
     || Function <- [
            answers,
            server_answers,
            from_the_middle,
            older_references,
            other_clauses,
            in_any_place,
            too_late,
            dictionary,
            dictionary_keys,
            handler,
            handler_of_another,
            timers_of_the_dead,
            timers_of_the_living,
            timers_by_name,
            options_seen,
            evaluated,
            late_evaluated,
            badly_evaluated
        ]
    ].

%% Each of both begins with the first version.
changed_code_is_that_of_the_beam_test_() ->
    [
        {timeout, 300, {atom_to_list(Function), fun() -> changing(Function) end}}
     || Function <- [
            loaded, deleted, by_fun, in_another_process, atomically, from_file, prepared
        ]
    ].

changing(Function) ->
    Changed = "test/fixtures/diff_changed.erl",
    {ok, diff_changed, Second} =
        compile:file(cuter_fixture:file(Changed), [binary, debug_info, {d, 'VERSION', 2}]),
    [Native, Interpreted] = [
        cuter_fixture:with_modules([Changed, "test/fixtures/diff_changing.erl"], fun() ->
            Call(Function, [Second])
        end)
     || Call <- [
            fun(F, Args) -> cuter_replay:native({diff_changing, F}, Args) end,
            fun(F, Args) -> cuter:eval(diff_changing, F, Args) end
        ]
    ],
    ?assertMatch({ok, _}, Native),
    ?assertEqual(Native, Interpreted).

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
        {after_a_message, [[first, second], any]},
        {after_a_message, [[first, second], second]},
        {after_a_message, [[first], second]},
        {server, [5]}
    ] ++ [{odd_start, [Start]} || Start <- odd_starts()].

odd_starts() ->
    [
        {erlang, hd, [[]]},
        {erlang, apply, [lists, last, [[]]]},
        {ets, lookup, [nobody, 1]},
        {lists, no_such_function, [1]},
        {no_such_module, f, []},
        {opt, fun lists:last/1},
        {opt, {lists, last}}
    ].

same(Module, Function, Args) ->
    Source = filename:join("test/fixtures", atom_to_list(Module) ++ ".erl"),
    cuter_fixture:with_modules([Source], fun() ->
        Native = cuter_replay:native({Module, Function}, Args),
        ?assertEqual(plain(Native), plain(cuter:eval(Module, Function, Args)))
    end).

plain({raised, Class, Reason, _Stacktrace}) -> {raised, Class, Reason};
plain(Other) -> Other.

what_the_vm_does_to_its_processes_is_waited_for_test() ->
    Source =
        "-export([collected/1, everybody/0, old/1]).\n"
        "collected(Name) -> erlang:garbage_collect(whereis(Name)).\n"
        "everybody() -> lists:foreach(fun erlang:garbage_collect/1, processes()).\n"
        "old(Name) -> erlang:check_process_code(whereis(Name), lists).\n",
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        [
            ?assertEqual({ok, Result}, cuter:eval(cuter_tried, Function, Args))
         || {Function, Args} <- [
                {collected, [init]}, {collected, [kernel_sup]}, {everybody, []}, {old, [init]}
            ],
            {ok, Result} <- [cuter_replay:native({cuter_tried, Function}, Args)]
        ]
    end).

a_process_that_nobody_can_wake_is_told_of_test() ->
    Source =
        "-export([f/0]).\n"
        "f() -> spawn(fun() -> receive x -> y end end), receive z -> a end.\n",
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        ?assertEqual({error, {cuter, {stopped, deadlock}}}, cuter:eval(cuter_tried, f, []))
    end).

a_turn_is_not_over_when_code_is_loaded_test() ->
    Source =
        "-export([f/0, g/1]).\n"
        "f() ->\n"
        "    Us = self(),\n"
        "    Them = spawn(fun() ->\n"
        "        receive go -> Us ! in_time after 0 -> Us ! too_late end\n"
        "    end),\n"
        "    [] = ?MODULE:g(base64:decode(\"\")),\n"
        "    Them ! go,\n"
        "    receive Answer -> Answer end.\n"
        "g(<<>>) -> proplists:compact([]).\n",
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        ?assertEqual({ok, in_time}, cuter:eval(cuter_tried, f, []))
    end).

a_turn_is_over_after_many_calls_test() ->
    Source =
        "-export([f/0]).\n"
        "f() ->\n"
        "    Us = self(),\n"
        "    Them = spawn(fun() -> Us ! ready end),\n"
        "    {Them, polled(1)}.\n"
        "polled(N) -> receive ready -> N after 0 -> polled(N + 1) end.\n",
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        ?assertMatch(
            {ok, {_, N}} when N > 1000 andalso N < 10000, cuter:eval(cuter_tried, f, [])
        )
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

%% Keys with expressions are decided upon, beside others that are found without.
keys_of_the_dictionary_are_solved_for_test() ->
    Source =
        "-export([f/1, g/1]).\n"
        "f(X) -> put(X, 1), put(a, 2), put({b, 1}, 3), 2 = get(a),\n"
        "  case get(X) of 1 -> ok; 2 -> error(is_a); 3 -> error(is_b) end.\n"
        "g(X) -> put(a, 1), put([X], 2), put([1.0], 3), erase(a),\n"
        "  case {get([X]), get([1.0]), get([1]), length(get())} of\n"
        "    {3, 3, undefined, 1} -> error(float); {2, 3, 2, 2} -> error(integer);\n"
        "    {2, 3, undefined, 2} -> ok end.\n",
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        ?assertEqual([{is_a, [a]}, {is_b, [{b, 1}]}], found(f)),
        ?assertEqual([{float, [1.0]}, {integer, [1]}], found(g))
    end).

found(Function) ->
    #{failures := Failures, divergences := 0, disagreements := []} =
        cuter:run(cuter_tried, Function, [x], #{quiet => true}),
    lists:sort([{Reason, Input} || #{reason := Reason, input := Input} <- Failures]).

%% Messages of the input that are older than a reference are not asked whether they are it.
a_reference_is_no_question_to_older_messages_test() ->
    Source =
        "-export([f/1]).\n"
        "f(X) -> self() ! {X, 1}, R = make_ref(), self() ! {R, X},\n"
        "  receive {R, 7} -> error(found); {R, _} -> ok end.\n",
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        ?assertEqual([{found, [7]}], found(f))
    end).

a_value_is_solved_for_in_a_named_server_test_() ->
    {timeout, 300, fun value_in_a_named_server/0}.

value_in_a_named_server() ->
    Source =
        "-export([f/1, init/1, handle_call/3, handle_cast/2]).\n"
        "f(X) -> {ok, _} = gen_server:start({local, cuter_tried}, cuter_tried, 7, []),\n"
        "  gen_server:cast(cuter_tried, {add, X}),\n"
        "  case gen_server:call(cuter_tried, get) of 42 -> error(found); _ -> ok end.\n"
        "init(N) -> {ok, N}.\n"
        "handle_call(get, _, N) -> {reply, N, N}.\n"
        "handle_cast({add, X}, N) when is_integer(X) -> {noreply, N + X};\n"
        "handle_cast({add, _}, N) -> {noreply, N}.\n",
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        #{failures := Failures, coverage := #{clauses := Clauses}} =
            cuter:run(cuter_tried, f, [0], #{quiet => true}),
        ?assertMatch([#{input := [35]}], [F || #{reason := found} = F <- Failures]),
        %% Callbacks that were called count: init/1, handle_call/3 and handle_cast/2 too.
        ?assertEqual({7, 7}, Clauses)
    end).

%% The options of processes and monitors are concrete, and the report says so.
options_from_the_input_are_counted_test() ->
    Text =
        "-export([f/1, g/1, h/1, k/1]).\n"
        "-spec f(link | {priority, low | high}) -> pid().\n"
        "f(X) -> spawn_opt(fun() -> ok end, [X]).\n"
        "-spec g(flush | info) -> boolean().\n"
        "g(X) -> demonitor(monitor(process, self()), [X]).\n"
        "-spec h(alias | unalias) -> reference().\n"
        "h(X) -> monitor(process, self(), [{alias, X}]).\n"
        "-spec k(term()) -> reference().\n"
        "k(X) -> monitor(process, self(), [{tag, X}]).\n",
    Rows = [
        {f, [{erlang, spawn_opt, 4}]}, {g, [{erlang, demonitor, 2}]}, {h, [{erlang, monitor, 3}]},
        {k, []}
    ],
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        [
            begin
                #{concretised := Counts} = cuter:run(cuter_tried, F, 1, #{quiet => true}),
                ?assertEqual({F, Names}, {F, maps:keys(Counts)})
            end
         || {F, Names} <- Rows
        ]
    end).

%% Nobody waits an hour for the process that stands for any one in inputs: it never answers.
a_process_of_the_input_is_not_waited_for_test_() ->
    Source =
        "-export([ask/2, call/2, down/1]).\n"
        "-spec ask(pid(), integer()) -> term().\n"
        "ask(P, X) ->\n"
        "  P ! {self(), X},\n"
        "  receive {P, Y} -> Y after 3600000 -> later(X) end.\n"
        "-spec call(pid(), integer()) -> term().\n"
        "call(P, X) ->\n"
        "  try gen_server:call(P, X, 3600000)\n"
        "  catch exit:{timeout, _} -> later(X); exit:_ -> ok end.\n"
        "later(42) -> a;\n"
        "later(_) -> b.\n"
        "-spec down(pid()) -> no_return().\n"
        "down(P) when P =/= self() ->\n"
        "  M = monitor(process, P), exit(P, kill),\n"
        "  receive {'DOWN', M, process, P, _} -> error(down) end.\n",
    Run = fun(Function, Arity) ->
        cuter_fixture:with_source(Source, [debug_info], fun(_) ->
            Options = #{quiet => true, time_limit => 20000},
            cuter:run(cuter_tried, Function, Arity, Options)
        end)
    end,
    [
        {timeout, 60, fun() ->
            #{failures := [], unconfirmed := [], coverage := #{uncovered := Uncovered}} =
                Run(Function, 2),
            ?assertEqual([], [Line || #{mfa := {_, later, 1}, line := Line} <- Uncovered])
        end}
     || Function <- [ask, call]
    ] ++
        [
            {timeout, 60, fun() ->
                #{failures := Failures} = Run(down, 1),
                ?assertMatch([_], [F || #{reason := down} = F <- Failures])
            end}
        ].
