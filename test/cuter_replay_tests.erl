-module(cuter_replay_tests).

-include_lib("eunit/include/eunit.hrl").

-export([loop/0, hog/0, link_and_die/0, kill_itself/0]).

a_failure_that_happens_natively_is_confirmed_test() ->
    Verdict = confirm({erlang, hd}, [[]], error, badarg),
    ?assertMatch({confirmed, #{class := error, reason := badarg, stacktrace := [_ | _]}}, Verdict).

the_stacktrace_has_no_frames_of_cuter_test() ->
    {confirmed, #{stacktrace := Stacktrace}} =
        confirm({lists, nth}, [1, []], error, function_clause),
    ?assertMatch([{lists, nth, [1, []], _}], Stacktrace).

another_reason_is_a_disagreement_test() ->
    Verdict = confirm({erlang, hd}, [[]], error, badarith),
    ?assertMatch({disagreement, {raised, error, badarg, _}}, Verdict).

another_class_is_a_disagreement_test() ->
    Verdict = confirm({erlang, throw}, [oops], error, oops),
    ?assertMatch({disagreement, {raised, throw, oops, _}}, Verdict).

a_call_that_returns_is_a_disagreement_test() ->
    ?assertEqual({disagreement, {ok, 1}}, confirm({erlang, hd}, [[1]], error, badarg)).

an_exit_by_a_link_is_an_exit_test() ->
    Verdict = confirm({?MODULE, link_and_die}, [], exit, oops),
    ?assertEqual({confirmed, #{class => exit, reason => oops, stacktrace => []}}, Verdict).

an_input_can_be_the_process_that_makes_the_call_test_() ->
    Text =
        "-export([own/1, owner/1, among/1, in_map/1]).\n"
        "own(Pid) when Pid =:= self() -> error(found);\n"
        "own(_) -> ok.\n"
        "owner({queue, Pid, N}) -> case self() of Pid -> N + 1; _ -> other end;\n"
        "owner(_) -> ok.\n"
        "among([Pid, _ | _]) -> Pid =:= self() andalso error(found);\n"
        "among(_) -> ok.\n"
        "in_map(#{owner := Pid, n := 42}) when Pid == self() -> error(found);\n"
        "in_map(_) -> ok.\n",
    Expected = [{own, found}, {owner, badarith}, {among, found}, {in_map, found}],
    {timeout, 60, fun() ->
        cuter_fixture:with_source(Text, [debug_info], fun(_) ->
            [explored(Function, [Reason]) || {Function, Reason} <- Expected]
        end)
    end}.

what_is_made_in_a_run_is_in_no_input_test() ->
    Text =
        "-export([reference/1, process/1, closure/1, in_tuple/1]).\n"
        "reference(X) -> case make_ref() of X -> error(found); _ -> ok end.\n"
        "process(X) -> case spawn(fun() -> ok end) of X -> error(found); _ -> ok end.\n"
        "closure(X) -> case fun(Y) -> [Y | X] end of X -> error(found); _ -> ok end.\n"
        "in_tuple(X) -> case {make_ref(), 1} of X -> error(found); _ -> ok end.\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        [explored(Function, []) || Function <- [reference, process, closure, in_tuple]]
    end).

explored(Function, Reasons) ->
    Options = #{quiet => true, time_limit => 10000},
    #{failures := Failures} = Report = cuter:run(cuter_tried, Function, [0], Options),
    ?assertEqual({Function, Reasons}, {Function, [Reason || #{reason := Reason} <- Failures]}),
    ?assertMatch(#{disagreements := [], divergences := 0}, Report),
    Shown = unicode:characters_to_list(cuter_report:text(Report)),
    ?assertEqual(Reasons =/= [], string:find(Shown, "self()") =/= nomatch).

a_call_that_does_not_end_is_not_confirmed_test() ->
    Verdict = confirm_within({?MODULE, loop}, #{time => 100}),
    ?assertEqual({disagreement, timeout}, Verdict).

a_call_that_eats_all_memory_is_not_confirmed_test_() ->
    {timeout, 30, fun() ->
        Verdict = confirm_within({?MODULE, hog}, #{heap_words => 1_000_000}),
        ?assertEqual({disagreement, killed}, Verdict)
    end}.

a_process_that_kills_itself_is_killed_either_way_test() ->
    Verdict = confirm({?MODULE, kill_itself}, [], exit, killed),
    ?assertEqual({confirmed, #{class => exit, reason => killed, stacktrace => []}}, Verdict).

no_answer_is_no_disagreement_test() ->
    Found = [#{input => [], native => Native} || Native <- [timeout, killed, halted, {ok, 1}]],
    {Disagreements, Unconfirmed} = cuter_findings:answered(Found),
    ?assertEqual([halted, {ok, 1}], [Native || #{native := Native} <- Disagreements]),
    ?assertEqual([timeout, killed], [Native || #{native := Native} <- Unconfirmed]).

what_depends_on_the_time_is_no_disagreement_test() ->
    Text =
        "-export([late/1]).\n"
        "late(T) ->\n"
        "    case erlang:system_time(millisecond) =:= T of true -> error(now); _ -> ok end.\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        #{failures := [], disagreements := [], unconfirmed := [Found]} =
            Report = cuter:run(cuter_tried, late, [0], [quiet]),
        ?assertMatch(#{reason := now, native := {ok, ok}}, Found),
        Shown = unicode:characters_to_list(cuter_report:text(Report)),
        ?assertMatch([_ | _], string:find(Shown, "depends on what erlang:system_time/1 returns")),
        Three = [{erlang, system_time, 1}, {erlang, node, 0}, {ets, whereis, 1}],
        Other = cuter_report:text(Report#{unconfirmed := [Found#{outside => Three}]}),
        Sentence = "depends on what erlang:system_time/1, erlang:node/0 and ets:whereis/1 return\n",
        ?assertMatch([_ | _], string:find(unicode:characters_to_list(Other), Sentence))
    end).

references_pids_and_funs_are_compared_by_kind_test() ->
    Sample = fun() -> {oops, [make_ref(), spawn(fun() -> ok end), fun() -> ok end | x]} end,
    ?assert(cuter_replay:same_reason(Sample(), Sample())),
    ?assert(cuter_replay:same_reason(#{a => make_ref()}, #{a => make_ref()})),
    ?assertNot(cuter_replay:same_reason(self(), make_ref())),
    ?assertNot(cuter_replay:same_reason(fun() -> ok end, fun(X) -> X end)).

stacktraces_inside_a_reason_are_not_compared_test() ->
    Reason = fun(Line) -> {'EXIT', {badarg, [{m, f, 1, [{file, "m.erl"}, {line, Line}]}]}} end,
    ?assert(cuter_replay:same_reason(Reason(1), Reason(2))),
    ?assertNot(cuter_replay:same_reason({'EXIT', {badarg, [{m, f, 1}]}}, Reason(2))).

reasons_are_compared_exactly_test_() ->
    [
        ?_assertNot(cuter_replay:same_reason(A, B))
     || {A, B} <- [{1, 1.0}, {a, b}, {[1], [1, 2]}, {{a}, {a, b}}, {#{a => 1}, #{a => 2}}]
    ].

confirm(Function, Input, Class, Reason) ->
    cuter_replay:confirm(Function, #{input => Input, class => Class, reason => Reason}).

confirm_within(Function, Limits) ->
    Failure = #{input => [], class => error, reason => badarg},
    cuter_replay:confirm(Function, Failure, Limits).

loop() ->
    loop().

hog() ->
    hog([]).

hog(Acc) ->
    hog([erlang:make_tuple(100_000, x) | Acc]).

link_and_die() ->
    _ = spawn_link(fun() -> exit(oops) end),
    timer:sleep(infinity).

kill_itself() ->
    exit(self(), kill).
