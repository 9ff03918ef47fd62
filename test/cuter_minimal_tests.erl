-module(cuter_minimal_tests).

-include_lib("eunit/include/eunit.hrl").

one_set_that_has_all_is_enough_test() ->
    ?assertEqual([[1, 2, 3]], choose([[1], [2], [1, 2, 3], [3]])).

nothing_is_chosen_of_nothing_test() ->
    ?assertEqual([], choose([])),
    ?assertEqual([], choose([[], []])).

the_earlier_of_equal_ones_is_chosen_test() ->
    ?assertEqual([{a, [1]}], cuter_minimal:choose([{a, [1]}, {b, [1]}], fun({_, Set}) -> Set end)).

%% The greedy choice takes the large set first; the two others make it superfluous.
a_set_that_others_make_superfluous_is_left_out_test() ->
    Sets = [[2, 3, 4, 5], [1, 2, 3], [4, 5, 6]],
    ?assertEqual([[1, 2, 3], [4, 5, 6]], choose(Sets)).

what_is_chosen_has_everything_and_needs_each_test_() ->
    [
        ?_test(begin
            Sets = random_sets(Seed),
            Chosen = choose(Sets),
            ?assertEqual(union(Sets), union(Chosen)),
            [?assertNotEqual(union(Sets), union(Chosen -- [Set])) || Set <- Chosen]
        end)
     || Seed <- lists:seq(1, 20)
    ].

random_sets(Seed) ->
    Start = rand:seed_s(exsss, Seed),
    {Sets, _} = lists:mapfoldl(fun random_set/2, Start, lists:seq(1, 12)),
    Sets.

random_set(_, State) ->
    lists:mapfoldl(fun(_, S) -> rand:uniform_s(20, S) end, State, lists:seq(1, 4)).

choose(Sets) ->
    cuter_minimal:choose(Sets, fun(Set) -> Set end).

union(Sets) ->
    lists:usort(lists:append(Sets)).
