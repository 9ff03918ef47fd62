%% Maps that are inputs: each function of the fixture has a crash that only a solved map reaches.
-module(cuter_symbolic_maps_tests).

-include_lib("eunit/include/eunit.hrl").

-define(M, symbolic_maps).

each_crash_is_found_test_() ->
    [
        {atom_to_list(F), {timeout, 60, fun() -> explore(F, Seed, Expected) end}}
     || {F, Seed, Expected} <- expectations()
    ].

no_question_is_left_open_where_no_map_is_shown_as_a_whole_test_() ->
    [
        {atom_to_list(F), {timeout, 60, fun() -> exhausted(F, Seed) end}}
     || {F, Seed} <- [
            {nested, [#{}]},
            {update_then_lookup, [1, #{}]},
            {merged, [#{}]},
            {removed_size, [#{}, 1]},
            {equal_maps, [#{}, 0]},
            {different_maps, [#{}, #{}]},
            {with_keys, [#{}]},
            {ten_keys, [#{}]},
            {five_levels, [#{}]},
            {float_inside, [#{}]}
        ]
    ].

keys_are_never_found_out_of_order_test_() ->
    {timeout, 60, fun() ->
        #{failures := Failures} = run(misordered, [#{}]),
        ?assertEqual([], [F || #{reason := impossible} = F <- Failures])
    end}.

%% From OTP 26 on small maps have their atoms in the order in which the VM came to know them.
keys_are_found_in_the_order_of_the_vm_test_() ->
    ByAge = maps:keys(#{true => 1, error => 1}) =:= [true, error],
    Order = if ByAge -> by_age; true -> by_name end,
    Unsorted = if ByAge -> [found]; true -> [] end,
    [
        {atom_to_list(F), {timeout, 60, fun() ->
            #{failures := Failures, divergences := Divergences} = run(F, [#{}]),
            Found = [R || #{reason := R} <- Failures, R =/= function_clause],
            ?assertEqual({Reasons, 0}, {lists:usort(Found), Divergences})
        end}}
     || {F, Reasons} <- [{older_first, [{found, Order}]}, {unsorted, Unsorted}]
    ].

a_symbolic_key_of_a_large_map_is_found_test_() ->
    {timeout, 60, fun() -> explore(large, [0], fun([K]) -> K rem 7 =:= 3 end) end}.

what_is_put_into_an_input_keeps_its_expressions_test_() ->
    {timeout, 60, fun() -> explore(kept, [#{}, 0], fun([_, X]) -> X =:= 12345 end) end}.

a_large_input_that_is_shown_as_a_whole_is_counted_test_() ->
    {timeout, 60, fun() ->
        Seed = maps:from_list([{N, N} || N <- lists:seq(1, 40)]),
        #{concretised := Concretised} = run(values_of, [Seed]),
        ?assertMatch(#{{maps, iterator, 1} := _}, Concretised)
    end}.

%% An input that fulfils the predicate is found to crash, and every input takes its predicted path.
explore(F, Seed, Expected) ->
    #{failures := Failures, divergences := Divergences, disagreements := Disagreements} =
        run(F, Seed),
    Found = [Input || #{reason := found, input := Input} <- Failures],
    ?assertMatch([_ | _], Found),
    ?assertEqual([], [Input || Input <- Found, not Expected(Input)]),
    ?assertEqual({0, []}, {Divergences, Disagreements}).

exhausted(F, Seed) ->
    ?assertMatch(#{verdict := exhausted, concretised := C} when C =:= #{}, run(F, Seed)).

run(F, Seed) ->
    cuter_fixture:with_modules(["test/fixtures/symbolic_maps.erl"], fun() ->
        cuter:run(?M, F, Seed, #{quiet => true, time_limit => 6000})
    end).

expectations() ->
    single_keys() ++ changes() ++ sizes() ++ wholes() ++ comparisons() ++ structures().

single_keys() ->
    [
        {two_keys, [#{}], fun([#{a := X, b := Y}]) -> X > 10 andalso Y =:= X + 1 end},
        {nested, [#{}], fun([#{user := #{name := bob, address := #{zip := Z}}}]) -> Z > 9000 end},
        {symbolic_key, [1, #{}], fun([K, M]) -> maps:get(K, M) =:= {K, 7} end},
        {found_or_not, [1, #{}], fun([K, M]) -> lists:sum(maps:get(K, M)) =:= 100 end},
        {ten_keys, [#{}], fun([#{k10 := X} = M]) -> X > 100 andalso map_size(M) =:= 10 end},
        {five_levels, [#{}], fun([M]) -> M =:= #{a => #{b => #{c => #{d => #{e => 5}}}}} end},
        {graph, [#{}, 1, 2], fun([G, From, To]) ->
            [Next | _] = maps:get(From, G),
            maps:get(Next, G) =:= [To]
        end}
    ].

changes() ->
    [
        {update_then_lookup, [1, #{}], fun([K, M]) -> maps:get(b, M#{K => 1}) =:= 5 end},
        {exact_update, [#{}], fun([#{count := _, other := 4}]) -> true end},
        {removed, [1, #{}], fun([K, M]) -> K =:= a andalso is_map_key(a, M) end},
        {taken, [#{}], fun([#{state := ready} = M]) -> map_size(M) =:= 2 end},
        {words, [[], #{}], fun([_, M]) -> maps:get(the, M, 0) =< 3 end},
        {counted, [[]], fun([Ws]) -> length([the || the <- Ws]) =:= 3 end},
        {put_then_pattern, [1, 2], fun(Input) -> Input =:= [a, 5] end},
        {updated_nested, [#{}], fun([#{inner := #{level := 9}}]) -> true end},
        {swapped, [#{}, 1, 2], fun([M, K, L]) -> {1, 2} =:= {maps:get(K, M), maps:get(L, M)} end}
    ].

sizes() ->
    [
        {of_size_three, [#{}], fun([#{x := _} = M]) -> map_size(M) =:= 3 end},
        {not_empty, [#{}], fun([M]) -> map_size(M) > 4 end},
        {removed_size, [#{}, 1], fun([M, K]) -> map_size(M) =:= 3 andalso is_map_key(K, M) end},
        {with_keys, [#{}], fun([#{a := X, c := Y} = M]) ->
            X =:= Y andalso not is_map_key(b, M)
        end},
        {without_keys, [#{}], fun([M]) -> is_map_key(a, M) andalso is_map_key(b, M) end}
    ].

wholes() ->
    [
        {folded, [#{}], fun([M]) -> lists:sum(maps:values(M)) =:= 42 andalso map_size(M) =:= 2 end},
        {sorted_keys, [#{}], fun([M]) -> lists:sort(maps:keys(M)) =:= [1, foo] end},
        {listed, [#{}], fun(Input) -> Input =:= [#{false => 1, true => 2}] end},
        {misordered, [#{}], fun([M]) -> lists:sort(maps:keys(M)) =:= [false, true] end},
        {put_between, [#{}, a], fun([M, K]) ->
            [{_, 1}, {K1, new}, {_, 2}] = maps:to_list(M#{K => new}),
            K1 =:= K
        end},
        {merged, [#{}], fun([#{retries := 0, mode := fast} = M]) ->
            maps:get(timeout, M, 5) =:= 5
        end},
        {conflict, [#{}, #{}], fun([#{k := V} = A, B]) ->
            maps:get(k, maps:merge(A, B)) =:= V - 1
        end},
        {mapped, [#{}], fun([#{n := 42}]) -> true end},
        {filtered, [#{}], fun([M]) ->
            map_size(M) =:= 2 andalso
                1 =:= length([K || {K, V} <- maps:to_list(M), is_atom(K), V > 5])
        end},
        {iterated, [#{}], fun([M]) ->
            [{K, V}, {_, stop} | _] = maps:to_list(M),
            V =:= K * 3
        end},
        {values_of, [#{}], fun([M]) ->
            [X, Y] = maps:values(M),
            X * 10 =:= Y
        end}
    ].

comparisons() ->
    [
        {equal_maps, [#{}, 0], fun(Input) -> Input =:= [#{z => 3}, #{z => 3}] end},
        {different_maps, [#{}, #{}], fun([A, B]) -> A =/= B end},
        {less, [#{}], fun([M]) -> M > #{error => 1, true => 2} andalso map_size(M) =:= 2 end},
        {equals_literal, [#{}], fun([M]) -> M =:= #{one => 1, two => {2, #{three => 3}}} end},
        {equals_part, [0, 0], fun([X, Y]) -> X =:= {ok, #{k => Y}} end},
        {smaller, [#{}, #{}], fun([A, B]) -> A < B andalso map_size(A) =:= map_size(B) end}
    ].

structures() ->
    [
        {in_list_in_tuple, [0], fun([{items, [_, #{id := 17, tags := [hot | _]} | _]}]) ->
            true
        end},
        {binary_keys, [#{}], fun([#{<<"id">> := Id, <<"tags">> := Tags}]) ->
            Id > 7 andalso lists:member(<<"x">>, Tags)
        end},
        {map_as_key, [#{}], fun([M]) -> maps:get(#{x => 1}, M) =:= deep end},
        {map_key_of_map, [#{}, #{}], fun([K, M]) -> maps:get(K, M) =:= map_size(K) end}
    ].
