%% Terms whose parts are shared: what would take for ever ends at a limit, and nothing else does.
-module(cuter_shared_terms_tests).

-include_lib("eunit/include/eunit.hrl").

-define(FIXTURE, "test/fixtures/shared_terms.erl").

what_needs_the_spine_alone_is_exact_test() ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        ?assertEqual({ok, 100}, cuter:eval(shared_terms, f, [length]))
    end).

what_visits_all_of_it_ends_at_a_limit_test_() ->
    Operations = [
        send,
        size,
        binary,
        characters,
        external,
        hash,
        same,
        less,
        key,
        match,
        native,
        flat_size,
        returned,
        exit,
        arguments
    ],
    [{timeout, 300, {atom_to_list(O), fun() -> ends_at_a_limit(O) end}} || O <- Operations].

ends_at_a_limit(Operation) ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        Result = cuter:eval(shared_terms, f, [Operation]),
        ?assertMatch({error, {cuter, {stopped, _}}}, Result),
        {error, {cuter, {stopped, Limit}}} = Result,
        ?assert(lists:member(Limit, [steps, memory]))
    end).

inputs_are_found_beside_them_test_() ->
    {timeout, 300, fun() ->
        cuter_fixture:with_modules([?FIXTURE], fun() ->
            Options = #{quiet => true, max_runs => 20},
            #{failures := Failures} = cuter:run(shared_terms, solved, [0, 0], Options),
            ?assertMatch([#{input := [4711 | _]}], [F || #{reason := found} = F <- Failures])
        end)
    end}.
