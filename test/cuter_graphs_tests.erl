%% digraph, run in the machine and on the BEAM: state that is in the VM, driven from the machine.
-module(cuter_graphs_tests).

-include_lib("eunit/include/eunit.hrl").

graphs_are_those_of_the_beam_test_() ->
    {timeout, 60, fun() ->
        cuter_fixture:with_modules(["test/fixtures/diff_graphs.erl"], fun() ->
            [?assertEqual(native(Args), cuter:eval(diff_graphs, facts, Args)) || Args <- graphs()]
        end)
    end}.

native(Args) ->
    {ok, apply(diff_graphs, facts, Args)}.

graphs() ->
    Pairs = [{A, B} || A <- lists:seq(1, 6), B <- lists:seq(1, 6)],
    [
        [[], []],
        [[a], [{a, a}]],
        [[a, b, c], [{a, b}, {b, c}, {a, c}]],
        [lists:seq(1, 6), [P || {A, B} = P <- Pairs, (A * 7 + B * 3) rem 5 =:= 0]],
        [lists:seq(1, 6), [P || {A, B} = P <- Pairs, A < B]]
    ].
