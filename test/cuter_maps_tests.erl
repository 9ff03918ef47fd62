%% Maps: the engine against the BEAM.
-module(cuter_maps_tests).

-include_lib("eunit/include/eunit.hrl").

-define(M, diff_maps).

every_row_is_as_on_the_beam_test_() ->
    {timeout, 300, fun() ->
        with_fixture(fun() -> ?assertEqual([], differences(rows())) end)
    end}.

symbolic_keys_and_values_are_explored_test_() ->
    [
        {atom_to_list(F), {timeout, 60, fun() -> explore(F, Args, Reasons) end}}
     || {F, Args, Reasons} <- [
            {find_bug, [1, 2], [seventeen]},
            {value_bug, [1], [found]},
            {equal_bug, [1], [equal]},
            {list_bug, [[]], [five, three]}
        ]
    ].

with_fixture(Test) ->
    cuter_fixture:with_modules(["test/fixtures/diff_maps.erl"], Test).

explore(F, Args, Reasons) ->
    with_fixture(fun() ->
        #{failures := Failures} = cuter:run(?M, F, Args, #{quiet => true, time_limit => 5000}),
        ?assertEqual([], Reasons -- [Reason || #{reason := Reason} <- Failures])
    end).

%% The rows of one function are interpreted in one go; each by itself if something differs.
differences(Rows) ->
    Functions = lists:usort([F || {_M, F, _Args} <- Rows]),
    lists:append([different(F, [Args || {_M, G, Args} <- Rows, G =:= F]) || F <- Functions]).

different(F, Rows) ->
    Native = ?M:each(F, Rows),
    case cuter:eval(?M, each, [F, Rows]) of
        {ok, Native} -> [];
        _ -> [Different || Args <- Rows, Different <- different_row(F, Args)]
    end.

different_row(F, Args) ->
    Native = ?M:outcome(F, Args),
    case cuter:eval(?M, outcome, [F, Args]) of
        {ok, Native} -> [];
        Interpreted -> [{F, Args, {interpreted, Interpreted}, {native, Native}}]
    end.

rows() ->
    lists:append([
        construction(), updates(), patterns(), guards(), functions(), iteration(), order(), sizes()
    ]).

%% A row for each of these functions and each choice of arguments.
rows(Functions, Choices) ->
    [{?M, F, Args} || F <- Functions, Args <- arguments(Choices)].

arguments([]) -> [[]];
arguments([Choice | Choices]) -> [[Arg | Args] || Arg <- Choice, Args <- arguments(Choices)].

%% The same for functions of `maps`.
calls(Functions, Choices) ->
    [{?M, call, [F, Args]} || F <- Functions, Args <- arguments(Choices)].

%%% Maps and what is none

maps() ->
    [
        #{},
        #{a => 1},
        #{a => 1, b => 2},
        #{b => 1, c => 2},
        #{a => 7, z => 1, b => x, c => []},
        #{1 => a, 1.0 => b},
        #{1 => 1, 2 => 2, 1.5 => 3, a => 4},
        #{1.0 => x},
        #{-0.0 => z},
        #{[] => 1, {} => 2, <<>> => 3, "ab" => 4, [a | b] => 5, #{} => 6, <<1:3>> => 8},
        #{1 bsl 70 => 7, -1 bsl 70 => 8},
        #{a => #{b => 1}},
        #{a => [x, y]},
        #{a => 3, b => 3},
        #{{t, []} => 1},
        #{<<"bin">> => 1},
        #{k => v, z => 3, 1 => 4},
        #{{5, 6} => p, 5 => q},
        #{5 => only},
        (large(40))#{a => 9, b => 8, c => 7, z => 6}
        | [large(N) || N <- [31, 32, 33, 34, 200]]
    ].

large(N) -> maps:from_list([{I, I} || I <- lists:seq(1, N)]).

no_maps() ->
    [a, 1, 1.5, [], [{a, 1}], {a, 1}, <<"map">>, <<1:3>>, 1 bsl 80, [a | b], fun lists:map/2].

all() -> maps() ++ no_maps().

keys() ->
    [a, b, z, 1, 33, 5, 1.0, 0.0, -0.0, 1 bsl 70, [], {}, <<>>, <<1:3>>, "ab", [a | b]] ++
        [{t, []}, #{}, large(33)].

%%% Families

construction() ->
    rows([new], [[1, a, #{}], [[], 1.0]]) ++
        rows([new_of_keys], [keys(), [a, 1, 1.0, -0.0, {}, "ab"], [v]]) ++
        rows([new_with_doubles], [[a, b, 1, []], [v]]) ++
        rows([new_literal], []) ++
        rows([new_large], [[v]]) ++
        rows([as_keys], [maps(), [#{}, #{1 => a, 1.0 => b}, large(33), large(200)]]).

updates() ->
    Literal = [assoc, exact, exact_many, exact_many_numbers, mixed, nested_update],
    Keyed = [assoc_key, assoc_many, exact_key, mixed_keys, caught],
    rows(Literal ++ [assoc_then_exact, exact_then_assoc], [all(), [v]]) ++
        rows(Keyed, [all(), keys(), [v]]) ++
        rows([exact_with_keys], [all(), [a, y, 1], [b, 1.0], [v]]) ++
        rows([update_of_call], [all(), [a, 1, []]]).

patterns() ->
    rows([match, match_values, match_alias, match_bad, match_in_fun], [all()]) ++
        rows([match_key], [all(), keys()]) ++
        rows([match_computed], [all(), [5, 1, a]]).

guards() ->
    rows([guard_size, guard_or, size_of], [all()]) ++
        rows([guard_get], [all(), keys()]) ++
        rows([get_of, is_key_of], [keys(), all()]) ++
        rows([guard_update], [all(), [1, v]]) ++
        rows([guard_new], [[a, 1, 1.0], [1, x], all()]).

functions() ->
    calls([get, find, is_key, remove, take], [keys(), all()]) ++
        calls([put, update], [keys(), [v], all()]) ++
        calls([get], [keys(), all(), [default]]) ++
        calls([keys, values, to_list, size, iterator], [all()]) ++
        calls([merge, intersect], [all(), all()]) ++
        calls([with, without], [[[a, 1], [], [a | b], x], all()]) ++
        calls([from_list], [all() ++ lists_of_pairs()]) ++
        calls([from_keys], [lists_of_keys(), [v]]) ++
        rows([update_with], [[a, 1, 1.0, q], all()]) ++
        rows([update_with], [[a, 1, 1.0, q], [i], all()]) ++
        rows([merge_with, intersect_with], [all(), [#{}, #{a => b, 1 => c}, large(33), 1]]) ++
        rows([groups], [[[], lists:seq(1, 20), [a], [1 | 2]]]) ++
        rows([zeros], [[0.0, -0.0], [0.0, -0.0]]).

lists_of_pairs() ->
    Seq = lists:seq(1, 200),
    [
        [],
        [{a, 1}],
        [{a, 1}, {a, 2}, {b, 3}],
        [{a, 1} | {b, 2}],
        [{a, 1}, b],
        [{a, 1, 2}],
        [[]],
        [{1, a}, {1.0, b}, {1, c}],
        [{0.0, a}, {-0.0, b}],
        [{I rem 50, I} || I <- Seq],
        [{I rem 20, I} || I <- Seq],
        [{{I rem 34}, I} || I <- Seq] ++ [x]
    ].

lists_of_keys() ->
    Seq = lists:seq(1, 40),
    [[], [a, b, a], [1, 1.0], [a | b], x, Seq, Seq ++ Seq, Seq ++ [a | b]].

iteration() ->
    Walks = [fold, map, filter, filtermap, foreach, iterate, with_bad_fun, packed],
    rows(Walks, [all()]) ++
        rows([comprehension], [all(), [3]]) ++
        rows([next_of], [iterators()]) ++
        rows([next_of], [
            [0, 1, 2, 3, -1, x, 1 bsl 70, [a], []],
            [#{}, #{a => 1}, #{a => 1, b => 2}, x],
            [iterator, [], [y | z], foo]
        ]) ++
        rows([shown_of], [[[], [b, a, c] | many_keys()]]).

iterators() ->
    [none, {a, b, c}, {}, [0 | #{}], [0 | #{a => 1}], [1 | #{a => 1}], [x | #{a => 1}]] ++
        [[0 | x], [0 | []], [-1 | large(40)], [1 bsl 70 | #{}], [[a] | #{a => 1}]].

many_keys() ->
    Seq = lists:seq(1, 40),
    [
        Seq,
        [{I, a} || I <- Seq],
        [<<I>> || I <- Seq],
        [<<I:11>> || I <- Seq],
        [integer_to_list(I) || I <- Seq],
        [list_to_atom("k" ++ integer_to_list(I)) || I <- Seq],
        [I / 3 || I <- Seq],
        [1 bsl (3 * I) || I <- Seq],
        [#{I => I} || I <- Seq]
    ].

order() ->
    Numbers = [#{1 => 1}, #{1.0 => 1}, #{1 => 1.0}, #{0.0 => 1}],
    Some = all() ++ [#{a => 1.0}, #{a => 2}, #{b => 1} | Numbers],
    rows([compare, cmp], [Some, Some]) ++ rows([sorted], [[Some, lists:reverse(Some)]]).

sizes() ->
    Walks = [upto, one_by_one, up_and_down, shown, sum, taken],
    rows(Walks ++ [closures, closure_keys, count_words], [
        [0, 1, 2, 30, 31, 32, 33, 34, 35, 63, 64, 65, 100]
    ]) ++
        rows([returned, merged_with_nothing], [[0, 1, 5, 20, 40]]) ++
        rows([large_equal, large_compare], [[1, 5, 32, 33, 40, 1000]]) ++
        rows([merged], [[5, 20, 32, 40, 300], [1, 5, 32, 40, 300]]) ++
        rows([upto, one_by_one, sum, up_and_down], [[1000, 100000]]) ++
        rows([literal_large], [[1, a, 1.0, "a", "z", z, 9.0, 9, -0.0], [1, v]]) ++
        rows([deep], [[0, 1, 2, 30, 100]]) ++
        rows([chain_size], [[0, 10, 1000, 10000]]) ++
        rows([shown, taken, count_words], [[10000]]).
