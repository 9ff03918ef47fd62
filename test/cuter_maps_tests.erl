%% Maps: the engine against the BEAM.
-module(cuter_maps_tests).

-include_lib("eunit/include/eunit.hrl").

-define(M, diff_maps).

every_row_is_as_on_the_beam_test_() ->
    {timeout, 300, fun() -> with_fixture(fun() -> [] = [Row || Row <- rows(), not agrees(Row)] end) end}.

symbolic_keys_and_values_are_explored_test_() ->
    [
        {atom_to_list(F), {timeout, 60, fun() -> with_fixture(fun() -> explore(F, Args, Reasons) end) end}}
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
    #{failures := Failures} = cuter:run(?M, F, Args, #{quiet => true, time_limit => 20000}),
    Found = [Reason || #{reason := Reason} <- Failures],
    ?assertEqual([], Reasons -- Found).

agrees({M, F, Args}) ->
    case {outcome(cuter:eval(M, F, Args)), native(M, F, Args)} of
        {Same, Same} ->
            true;
        {Interpreted, Native} ->
            ?debugFmt("~tp:~tp~tP~n interpreted ~tP~n native ~tP", [M, F, Args, 30, Interpreted, 30, Native, 30]),
            false
    end.

outcome({raised, Class, Reason, _}) -> {raised, Class, Reason};
outcome(Other) -> Other.

native(M, F, Args) ->
    try
        {ok, apply(M, F, Args)}
    catch
        Class:Reason -> {raised, Class, Reason}
    end.

rows() ->
    lists:append([
        construction(), updates(), patterns(), guards(), functions(), iteration(), order(), sizes()
    ]).

%% Maps and what is none
maps() ->
    [
        #{}, #{a => 1}, #{a => 1, b => 2}, #{b => 1, c => 2}, #{a => 7, z => 1, b => x, c => []},
        #{1 => a, 1.0 => b}, #{1 => 1, 2 => 2, 1.5 => 3, a => 4}, #{1.0 => x}, #{-0.0 => z},
        #{[] => 1, {} => 2, <<>> => 3, "ab" => 4, [a | b] => 5, #{} => 6, 1 bsl 70 => 7, <<1:3>> => 8},
        #{a => #{b => 1}}, #{a => [x, y]}, #{a => 3, b => 3}, #{{t, []} => 1}, #{<<"bin">> => 1},
        #{k => v, z => 3, 1 => 4}, #{{5, 6} => p, 5 => q}, #{5 => only}, large(31), large(32), large(33), large(34), large(200),
        (large(40))#{a => 9, b => 8, c => 7, z => 6}
    ].

large(N) -> maps:from_list([{I, I} || I <- lists:seq(1, N)]).

no_maps() -> [a, 1, 1.5, [], [{a, 1}], {a, 1}, <<"map">>, <<1:3>>, 1 bsl 80, [a | b], fun lists:map/2].

keys() ->
    [a, b, z, 1, 1.0, 0.0, -0.0, [], {}, <<>>, "ab", [a | b], #{}, 1 bsl 70, {t, []}, 33, 5, <<1:3>>, large(33)].

all() -> maps() ++ no_maps().

construction() ->
    [{?M, new, [A, B]} || A <- [1, a, #{}], B <- [[], 1.0]] ++
        [{?M, new_of_keys, [K, L, v]} || K <- keys(), L <- [a, 1, 1.0, -0.0, {}, "ab"]] ++
        [{?M, new_with_doubles, [K, v]} || K <- [a, b, 1, []]] ++
        [{?M, new_literal, []}, {?M, new_large, [v]}] ++
        [{?M, as_keys, [A, B]} || A <- maps(), B <- [#{}, #{1 => a, 1.0 => b}, large(33), large(200)]].

updates() ->
    [{?M, F, [M, v]} || M <- all(), F <- [
        assoc, exact, exact_many, exact_many_numbers, mixed, assoc_then_exact, exact_then_assoc, nested_update
    ]] ++
        [{?M, F, [M, K, v]} || M <- all(), K <- keys(), F <- [
            assoc_key, assoc_many, exact_key, mixed_keys, caught
        ]] ++
        [{?M, exact_with_keys, [M, K, L, v]} || M <- all(), K <- [a, y, 1], L <- [b, 1.0]] ++
        [{?M, update_of_call, [M, K]} || M <- all(), K <- [a, 1, []]].

patterns() ->
    [{?M, F, [M]} || M <- all(), F <- [match, match_values, match_alias, match_bad, match_in_fun]] ++
        [{?M, match_key, [M, K]} || M <- all(), K <- keys()] ++
        [{?M, match_computed, [M, K]} || M <- all(), K <- [5, 1, a]].

guards() ->
    [{?M, F, [M]} || M <- all(), F <- [guard_size, guard_or, size_of]] ++
        [{?M, guard_get, [M, K]} || M <- all(), K <- keys()] ++
        [{?M, F, [K, M]} || M <- all(), K <- keys(), F <- [get_of, is_key_of]] ++
        [{?M, guard_update, [M, V]} || M <- all(), V <- [1, v]] ++
        [{?M, guard_new, [K, V, M]} || M <- all(), K <- [a, 1, 1.0], V <- [1, x]].

functions() ->
    [{?M, call, [F, [K, M]]} || M <- all(), K <- keys(), F <- [get, find, is_key, remove, take]] ++
        [{?M, call, [F, [K, v, M]]} || M <- all(), K <- keys(), F <- [put, update, get]] ++
        [{?M, call, [get, [K, M, d]]} || M <- all(), K <- [a, 1, x]] ++
        [{?M, call, [F, [M]]} || M <- all(), F <- [keys, values, to_list, size, from_list, iterator]] ++
        [{?M, call, [F, [A, B]]} || A <- all(), B <- all(), F <- [merge, intersect]] ++
        [{?M, call, [F, [Ks, M]]} || M <- all(), Ks <- [[a, 1], [], [a | b], x], F <- [with, without]] ++
        [{?M, call, [from_list, [L]]} || L <- lists_of_pairs()] ++
        [{?M, call, [from_keys, [L, v]]} || L <- [[], [a, b, a], [1, 1.0], [a | b], x, lists:seq(1, 40), lists:seq(1, 40) ++ [a | b]]] ++
        [{?M, F, [K, M]} || M <- all(), K <- [a, 1, 1.0, q], F <- [update_with]] ++
        [{?M, update_with, [K, i, M]} || M <- all(), K <- [a, 1, 1.0, q]] ++
        [{?M, F, [A, B]} || A <- all(), B <- [#{}, #{a => b, 1 => c}, large(33), 1], F <- [merge_with, intersect_with]] ++
        [{?M, groups, [L]} || L <- [[], lists:seq(1, 20), [a], [1 | 2]]] ++
        [{?M, zeros, [A, B]} || A <- [0.0, -0.0], B <- [0.0, -0.0]].

lists_of_pairs() ->
    [
        [], [{a, 1}], [{a, 1}, {a, 2}, {b, 3}], [{a, 1} | {b, 2}], [{a, 1}, b], [{a, 1, 2}], [[]], x, {a, 1},
        [{1, a}, {1.0, b}, {1, c}], [{I rem 50, I} || I <- lists:seq(1, 200)], [{I rem 20, I} || I <- lists:seq(1, 200)],
        [{{I rem 34}, I} || I <- lists:seq(1, 200)] ++ [x], [{0.0, a}, {-0.0, b}]
    ].

iteration() ->
    [{?M, F, [M]} || M <- all(), F <- [
        fold, map, filter, filtermap, foreach, iterate, with_bad_fun, written, packed
    ]] ++
        [{?M, comprehension, [M, 3]} || M <- all()] ++
        [{?M, next_of, [I]} || I <- [
            none, {a, b, c}, {}, [0 | #{}], [0 | #{a => 1}], [1 | #{a => 1}], [x | #{a => 1}], [0 | x], [0 | []], [-1 | large(40)],
            [1 bsl 70 | #{}], [[a] | #{a => 1}]
        ]] ++
        [{erts_internal, map_next, [P, M, F]} || P <- [0, 1, x, 1 bsl 70], M <- [#{}, #{a => 1}, x], F <- [iterator, [], [y | z], foo]] ++
        [{?M, shown_of, [L]} || L <- [
            [], [b, a, c], lists:seq(1, 50), [{I, a} || I <- lists:seq(1, 40)], [<<I>> || I <- lists:seq(1, 64)],
            [integer_to_list(I) || I <- lists:seq(1, 100)], [list_to_atom("k" ++ integer_to_list(I)) || I <- lists:seq(1, 33)],
            [I / 3 || I <- lists:seq(1, 40)], [1 bsl I || I <- lists:seq(1, 100)], [#{I => I} || I <- lists:seq(1, 40)]
        ]].

order() ->
    Some = all() ++ [#{a => 1.0}, #{a => 2}, #{b => 1}, #{1 => 1}, #{1.0 => 1}, #{1 => 1.0}, #{0.0 => 1}],
    [{?M, compare, [A, B]} || A <- Some, B <- Some] ++
        [{?M, sorted, [Some]}, {?M, sorted, [lists:reverse(Some)]}].

sizes() ->
    Boundaries = [0, 1, 2, 30, 31, 32, 33, 34, 35, 63, 64, 65, 100],
    [{?M, F, [N]} || N <- Boundaries, F <- [
        upto, one_by_one, up_and_down, shown, sum, taken, closures, closure_keys, count_words
    ]] ++
        [{?M, F, [N]} || N <- [1, 5, 32, 33, 40, 1000], F <- [large_equal, large_compare]] ++
        [{?M, merged, [N, M]} || N <- [5, 20, 32, 40, 300], M <- [1, 5, 32, 40, 300]] ++
        [{?M, F, [N]} || N <- [1000, 100000], F <- [upto, one_by_one, sum, up_and_down]] ++
        [{?M, shown, [10000]}, {?M, taken, [10000]}, {?M, count_words, [20000]}].
