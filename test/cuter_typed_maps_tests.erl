%% Types inside maps and the results of funs are solved for, not made to fit afterwards.
%%
%% Each function of `typed_maps` raises `found` for inputs that the predicate here describes, and
%% `impossible` where no input of its type goes: those sides have to be shown to be infeasible.
-module(cuter_typed_maps_tests).

-include_lib("eunit/include/eunit.hrl").

typed_maps_test_() ->
    {setup, fun() -> ok end, fun(_) -> ok end, [
        {atom_to_list(Name), {timeout, 120, fun() -> solved(Row) end}}
     || {Name, _, _} = Row <- rows()
    ]}.

every_function_has_a_row_test() ->
    cuter_fixture:with_modules(["test/fixtures/typed_maps.erl"], fun() ->
        Exported = [Name || {Name, _} <- typed_maps:module_info(exports), Name =/= module_info],
        ?assertEqual(lists:sort(Exported), lists:sort([Name || {Name, _, _} <- rows()]))
    end).

solved({Name, Verdict, Expected}) ->
    cuter_fixture:with_modules(["test/fixtures/typed_maps.erl"], fun() ->
        {arity, Arity} = erlang:fun_info(Expected, arity),
        Options = #{quiet => true, trace => true, time_limit => 30000},
        Report = cuter:run(typed_maps, Name, Arity, Options),
        #{failures := Failures} = Report,
        ?assertMatch(#{disagreements := [], divergences := 0, misfits := 0}, Report),
        ?assertEqual([found], lists:usort([Reason || #{reason := Reason} <- Failures])),
        Unexpected = [Input || #{input := Input} <- Failures, not apply(Expected, Input)],
        ?assertEqual([], Unexpected),
        [?assertEqual(Verdict, maps:get(verdict, Report)) || Verdict =/= any],
        Mfa = {typed_maps, Name, Arity},
        Inputs = [Input || #{input := Input} <- maps:get(paths, Report)],
        Wrong = [Input || Input <- Inputs, not cuter_spec_checker:is_input(Mfa, Input)],
        ?assertEqual([], Wrong)
    end).

%% What is explored, whether all of it can be, and for which inputs `found` is raised.
rows() ->
    [
        {options, exhausted, fun(#{retries := R, mode := M, timeout := T}) ->
            R =:= 4 andalso M =:= slow andalso T > 1000
        end},
        {forbidden_key, exhausted, fun(#{a := A, b := B}) -> A + B =:= 77 end},
        {only_optional, exhausted, fun(M) -> M =:= #{a => 3, b => y} end},
        {size_of_closed, exhausted, fun(M) ->
            lists:sort(maps:keys(M)) =:= [a, b, d]
        end},
        {size_of_open, exhausted, fun(M) ->
            map_size(M) =:= 4 andalso not is_map_key(0, M) andalso not is_map_key(1, M)
        end},
        {size_of_ranges, exhausted, fun(#{1 := A, 3 := B} = M) ->
            A =/= B andalso map_size(M) =:= 2
        end},
        {literal_union, exhausted, fun(M) -> M =:= #{kind => b, level => 9} end},
        {shapes, any, fun(M) -> M =:= #{type => square, side => 12} end},
        {shape_by_key, exhausted, fun(M) -> M =:= #{type => circle, radius => 12345} end},
        {nested_config, exhausted, fun(M) ->
            #{server := #{port := P}, logging := #{level := L, sinks := [_, #{path := S} | _]}} = M,
            P =:= 8080 andalso L =:= debug andalso hd(S) =:= $/
        end},
        {config_list, exhausted, fun([#{id := I, on := On}, #{id := J, on := Off}]) ->
            I =:= J + 100 andalso On andalso not Off
        end},
        {json_depth, exhausted, fun(#{<<"a">> := #{<<"b">> := [_, N]}}) -> N =:= 42 end},
        {json_object, exhausted, fun(M) ->
            #{<<"type">> := T, <<"age">> := Age, <<"tags">> := [Tag | _]} = M,
            T =:= <<"user">> andalso Age > 17 andalso Tag =/= null
        end},
        {scores, exhausted, fun(#{alice := A, bob := B}) -> A + B =:= 199 end},
        {value_sum, exhausted, fun(M) -> M =:= #{a => 10, b => 10, c => 10} end},
        {symbolic_key, exhausted, fun(M, K) ->
            is_integer(K) andalso K > 3 andalso maps:get(K, M) =:= -5
        end},
        {two_keys, exhausted, fun(M, K, L) -> M =:= #{K => 1, L => 2} end},
        {some_key_needed, exhausted, fun(M) ->
            map_size(M) > 0 andalso maps:without([0, 1, 2], M) =:= M
        end},
        {one_flag_needed, exhausted, fun(#{false := N} = M) -> map_size(M) =:= 1 andalso N > 9 end},
        {tuple_keys, exhausted, fun(#{{x, 3} := N}) -> N > 6 end},
        {overlapping, exhausted, fun(#{10 := large} = M, K) -> maps:get(K, M) =:= small end},
        {binary_keys, exhausted, fun(#{<<"host">> := Host}) ->
            byte_size(Host) =:= 3 andalso binary:first(Host) =:= $h
        end},
        {in_record, exhausted, fun({state, #{depth := D}, [#{n := N}]}) ->
            D =:= 4 andalso N < -7
        end},
        {record_inside, exhausted, fun(#{point := {point, X, Y}, path := [{point, Z, _}]}) ->
            X =:= Z andalso X > 2 andalso Y =:= 7
        end},
        {in_tuple, exhausted, fun(T) -> T =:= {error, #{reason => enoent}} end},
        {tree, exhausted, fun(#{left := #{right := #{value := V}, value := W}}) -> V =:= W + 9 end},
        {updated, exhausted, fun(#{count := C, log := L}) -> C =:= 9 andalso L =:= [a, b] end},
        {removed, exhausted, fun(#{b := B} = M) -> B =:= 3 andalso is_map_key(c, M) end},
        {merged, exhausted, fun(M) -> M =:= #{mode => slow, size => 9} end},
        {handlers, exhausted, fun(#{double := F}, X) -> X > 100 andalso F(X) =:= 7 end},
        {map_from_fun, exhausted, fun(F) -> {F(1), F(2)} =:= {#{ok => 1}, #{ok => 2}} end},
        {optional_from_fun, exhausted, fun(F, K) -> K =:= third andalso F(K) =:= #{v => 3} end},
        {list_from_fun, exhausted, fun(F) -> F() =:= [#{n => 5}, #{n => 1}] end},
        {fun_from_fun, exhausted, fun(F) -> (F(3))(4) =:= 8 andalso (F(5))(6) =:= 1 end},
        {comparator, exhausted, fun(F, A, B) -> A =/= B andalso F(A, B) andalso F(B, A) end},
        {key_fun, exhausted, fun(F, [A, B]) ->
            {{high, N}, {low, N}} = {F(A), F(B)},
            true
        end},
        {fun_in_record, exhausted, fun({task, F, R}) -> F(2) =:= {done, 99} andalso R =:= 3 end},
        {funs_in_list, exhausted, fun([F, G | _]) -> {F(1), G(1)} =:= {a, b} end},
        {two_kinds_of_funs, exhausted, fun(F) -> is_atom(F(1)) andalso F(1) =/= F(2) end},
        {recursive_fun, exhausted, fun(S) ->
            {1, T} = S(),
            element(1, T()) =:= 2
        end},
        {set_member, any, fun(Set) -> is_map_key(13, Set) andalso map_size(Set) =:= 2 end},
        {iterated, any, fun(Iterator) ->
            {stop, 9, _} = maps:next(Iterator),
            true
        end},
        {child_spec, exhausted, fun(#{restart := R, shutdown := N, type := T}) ->
            R =:= temporary andalso T =:= worker andalso N > 50
        end},
        {equal_maps, exhausted, fun(M, N) -> M =:= N andalso M =:= #{a => 3} end},
        {whole_map, exhausted, fun(M) -> M =:= #{a => 2, b => false} end},
        {enumerated, any, fun(M) ->
            [{K, 9}, {_, V}] = maps:to_list(M),
            K > b andalso V < 3
        end},
        {values_by_key, any, fun(M) ->
            [{K, [x]}, {_, 4}] = maps:to_list(M),
            K > 3
        end},
        {never, exhausted, fun(#{a := A, c := F}) -> A =:= 2 andalso is_function(F, 0) end}
    ].
