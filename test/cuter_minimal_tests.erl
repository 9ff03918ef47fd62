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

%% Greed takes the set of six first and then needs the two others nevertheless.
a_smaller_choice_than_the_greedy_one_is_found_test() ->
    Sets = [[1, 2, 3, 7, 8, 9], [1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [4, 6], [5, 10]],
    ?assertEqual([lists:nth(2, Sets), lists:nth(3, Sets)], choose(Sets)).

no_choice_is_smaller_test_() ->
    [
        ?_test(begin
            Sets = random_sets(Seed),
            Smallest = smallest(Sets, lists:seq(1, length(Sets))),
            ?assertEqual(Smallest, length(choose(Sets)))
        end)
     || Seed <- lists:seq(1, 20)
    ].

%% By trying all choices.
smallest(Sets, Sizes) ->
    All = union(Sets),
    hd([Size || Size <- Sizes, Choice <- some(Size, Sets), union(Choice) =:= All]).

some(0, _Sets) -> [[]];
some(_Size, []) -> [];
some(Size, [Set | Sets]) -> [[Set | Rest] || Rest <- some(Size - 1, Sets)] ++ some(Size, Sets).

%% Many sets: the search ends.
a_large_problem_has_an_answer_test() ->
    Sets = [[N, (N * 7) rem 101, (N * N) rem 101] || N <- lists:seq(1, 300)],
    ?assertEqual(union(Sets), union(choose(Sets))).

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
