-module(cuter_replay_tests).

-include_lib("eunit/include/eunit.hrl").

-export([loop/0, hog/0, link_and_die/0]).

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

a_call_that_does_not_end_is_a_disagreement_test_() ->
    {timeout, 30, fun() ->
        ?assertEqual({disagreement, timeout}, confirm({?MODULE, loop}, [], error, badarg))
    end}.

a_call_that_eats_all_memory_is_a_disagreement_test_() ->
    {timeout, 30, fun() ->
        Verdict = confirm({?MODULE, hog}, [], error, badarg),
        ?assertEqual({disagreement, killed}, Verdict)
    end}.

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

loop() ->
    loop().

hog() ->
    hog([]).

hog(Acc) ->
    hog([erlang:make_tuple(10_000_000, x) | Acc]).

link_and_die() ->
    _ = spawn_link(fun() -> exit(oops) end),
    timer:sleep(infinity).

