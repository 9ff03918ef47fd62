%% The host with an engine that plays a script.
-module(cuter_host_tests).

-include_lib("eunit/include/eunit.hrl").

a_module_that_the_engine_asks_for_is_provided_test() ->
    Steps = [{load, lists}, {load, cuter_no_such_module}],
    Expected = [{provided, lists, ast}, {provided, cuter_no_such_module, undefined}],
    ?assertEqual(Expected, notes(Steps)).

failures_come_in_the_order_in_which_they_were_found_test() ->
    Failures = [#{input => [N], class => error, reason => N, stacktrace => []} || N <- [1, 2, 3]],
    {ok, #{failures := Found}} = explore([{failure, F} || F <- Failures]),
    ?assertEqual(Failures, Found).

results_outside_the_spec_come_in_the_order_in_which_they_were_found_test() ->
    Returns = [#{input => [N], result => N} || N <- [1, 2, 3]],
    {ok, #{outside_spec := Found}} = explore([{outside_spec, R} || R <- Returns]),
    ?assertEqual(Returns, Found).

a_hosted_run_gets_the_value_of_its_call_test() ->
    Requests = [{call, erlang, abs, [-3]}, {call, lists, reverse, [[1, 2]]}],
    ?assertEqual([first, {ok, 3}, {ok, [2, 1]}], notes([{host, Requests}])).

a_hosted_run_gets_the_exception_of_its_call_test() ->
    [first, {raised, error, function_clause, Stacktrace}] =
        notes([{host, [{call, lists, nth, [0, []]}]}]),
    ?assertMatch([{lists, nth, [0, []], _}], Stacktrace).

a_hosted_run_continues_after_a_slice_test() ->
    ?assertEqual([first, continue, continue], notes([{host, [continue, continue]}])).

a_hosted_run_can_ask_for_a_module_test() ->
    ?assertEqual([first, {provided, orddict, ast}, loaded], notes([{host, [{load, orddict}]}])).

a_run_whose_host_process_dies_is_abandoned_test() ->
    Requests = [{call, erlang, exit, [self_of_host, kill]}],
    [first, {raised, error, badarg, _}] = notes([{host, Requests}]),
    Dying = [{call, erlang, apply, [fun() -> exit(self(), kill) end, []]}],
    ?assertEqual([first, {abandoned, {died, killed}}], notes([{host, Dying}])).

a_hosted_run_keeps_its_process_between_calls_and_loses_it_afterwards_test() ->
    New = {call, ets, new, [cuter_host_table, [named_table]]},
    Insert = {call, ets, insert, [cuter_host_table, {a, 1}]},
    Notes = notes([{host, [New, Insert]}, {host, [New]}]),
    ?assertEqual([first, {ok, cuter_host_table}, {ok, true}, first, {ok, cuter_host_table}], Notes),
    Table = fun() -> ets:info(cuter_host_table) end,
    ?assertEqual(undefined, cuter_fixture:eventually(Table, undefined)).

what_native_references_stand_for_lasts_as_long_as_the_run_test() ->
    Text =
        "-export([packed/1, hashed/1]).\n"
        "packed(X) -> Z = zlib:open(), ok = zlib:deflateInit(Z), true = erlang:garbage_collect(),\n"
        "    L = lists:sum(lists:seq(1, 20000)), P = zlib:deflate(Z, X, finish),\n"
        "    ok = zlib:close(Z), {L, iolist_to_binary(P)}.\n"
        "hashed(X) -> S = #{s => crypto:hash_init(sha256)}, true = erlang:garbage_collect(),\n"
        "    crypto:hash_final(crypto:hash_update(map_get(s, S), X)).\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        [
            ?assertEqual({ok, cuter_tried:F(<<"aaaa">>)}, cuter:eval(cuter_tried, F, [<<"aaaa">>]))
         || F <- [packed, hashed]
        ]
    end).

compiled_patterns_are_those_of_the_vm_test_() ->
    Text =
        "-export([split/2, kept/2, printed/1, found/1, wrong/1, many/1]).\n"
        "split(B, P) -> {binary:split(B, P, [global]), binary:matches(B, P), binary:match(B, P)}.\n"
        "kept(B, L) -> P = binary:compile_pattern(L), ok = persistent_term:put(cuter_tried, P),\n"
        "    Q = persistent_term:get(cuter_tried),\n"
        "    {P =:= Q, split(B, P), apply(list_to_atom(\"binary\"), split, [B, Q])}.\n"
        "printed(L) -> {K, R} = binary:compile_pattern(L), {K, is_reference(R)}.\n"
        "wrong(L) -> {_, R} = binary:compile_pattern(L),\n"
        "    try binary:match(<<\"a\">>, {ac, R}) catch error:badarg -> wrong end.\n"
        "many(N) -> Ps = [binary:compile_pattern(<<X:32>>) || X <- lists:seq(1, N)],\n"
        "    [binary:match(<<7:32, 2:32>>, P) || P <- Ps].\n"
        "-spec found(binary()) -> ok.\n"
        "found(B) -> case binary:split(B, binary:compile_pattern([<<\"=\">>, <<\":=\">>])) of\n"
        "    [<<\"k\">>, <<\"v\">>] -> error(hidden); _ -> ok end.\n",
    Native = binary:compile_pattern([<<",">>, <<",,">>]),
    Rows = [
        {split, [<<"a,b,,c">>, Native]},
        {split, [<<>>, Native]},
        {split, [<<"a">>, {bm, make_ref()}]},
        {split, [<<"a">>, {ac, element(2, binary:compile_pattern(<<"a">>))}]},
        {kept, [<<"a,b">>, <<",">>]},
        {kept, [<<"a,b;c">>, [<<";">>, <<",">>]]},
        {printed, [<<"a">>]},
        {printed, [[<<"a">>, <<"b">>]]},
        {printed, [[]]},
        {wrong, [<<"a">>]},
        {many, [300]}
    ],
    [{timeout, 60, fun() ->
        cuter_fixture:with_source(Text, [debug_info], fun(_) ->
            [
                ?assertEqual(
                    cuter_replay:native({cuter_tried, F}, Args), cuter:eval(cuter_tried, F, Args)
                )
             || {F, Args} <- Rows
            ],
            #{failures := Failures} = cuter:run(cuter_tried, found, [<<"ab">>], #{quiet => true}),
            ?assertMatch([#{reason := hidden}], Failures)
        end)
    end}].

the_outcome_of_an_evaluation_comes_back_test() ->
    Request = request([{outcome, {ok, 7}}]),
    ?assertEqual({ok, {ok, 7}}, cuter_host:eval(Request, cuter_scripted_engine)).

an_engine_that_refuses_gives_a_sentence_test() ->
    Request = #{mfa => {m, f, 0}, options => #{refuse => {bad_request, <<"It makes no sense.">>}}},
    {error, {cuter_host, Description}} = cuter_host:explore(Request, cuter_scripted_engine),
    Text = lists:flatten(cuter_host:format_error(Description)),
    ?assertEqual("The engine cannot do this: It makes no sense.", Text).

an_event_that_is_not_known_ends_the_session_test() ->
    ?assertMatch({error, {cuter_host, {engine, {unknown_event, what}}}}, explore([what])).

nothing_is_left_in_the_mailbox_of_the_caller_test() ->
    self() ! mine,
    _ = notes([{load, lists}, {host, [{call, erlang, abs, [1]}]}]),
    ?assertEqual({messages, [mine]}, process_info(self(), messages)),
    receive mine -> ok end.

the_session_is_cancelled_when_the_caller_dies_test() ->
    Test = self(),
    Steps = [{tell, Test, started}, {wait_for_cancel, Test}],
    Caller = spawn(fun() -> explore(Steps) end),
    receive
        started -> exit(Caller, kill)
    end,
    Noted =
        receive
            {noted, Note} -> Note
        after 1000 -> nothing
        end,
    ?assertEqual(cancelled, Noted).

a_hosted_run_ends_when_the_caller_dies_test() ->
    Test = self(),
    Sleep = fun() ->
        process_flag(trap_exit, true),
        Test ! {hosted, self()},
        timer:sleep(infinity)
    end,
    Caller = spawn(fun() -> explore([{host, [{call, erlang, apply, [Sleep, []]}]}]) end),
    Hosted =
        receive
            {hosted, Pid} -> Pid
        end,
    exit(Caller, kill),
    ?assertEqual(false, cuter_fixture:eventually(fun() -> is_process_alive(Hosted) end, false)).

notes(Steps) ->
    {ok, #{statistics := #{notes := Notes}}} = explore(Steps),
    Notes.

explore(Steps) ->
    cuter_host:explore(request(Steps), cuter_scripted_engine).

request(Steps) ->
    #{mfa => {m, f, 0}, seeds => [[]], options => #{steps => Steps}}.
