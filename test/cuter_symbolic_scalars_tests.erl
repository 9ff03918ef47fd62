%% What can be solved for numbers, atoms, lists, tuples and the order of terms: each function of the
%% fixture has a failure that only a solved input reaches, from a dull seed, with default options.
-module(cuter_symbolic_scalars_tests).

-include_lib("eunit/include/eunit.hrl").

-export([rows/0]).

-define(FIXTURE, "test/fixtures/symbolic_scalars.erl").
-define(SECONDS, 120).
%% Functions on lists have no end of paths: what is expected is found long before.
-define(LIMIT, 8000).

every_function_fails_for_an_input_that_was_solved_for_test_() ->
    [
        {atom_to_list(Function), {timeout, ?SECONDS, fun() -> found(Function, Seed, Wanted) end}}
     || {Function, Seed, Wanted} <- rows()
    ].

every_function_of_the_fixture_has_a_row_test() ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        Exported = [F || {F, _} <- symbolic_scalars:module_info(exports), F =/= module_info],
        ?assertEqual(lists:usort(Exported), lists:usort([F || {F, _, _} <- rows()]))
    end).

found(Function, Seed, Wanted) ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        Options = #{time_limit => ?LIMIT, quiet => true},
        Report = cuter:run(symbolic_scalars, Function, Seed, Options),
        #{failures := Failures, divergences := Divergences} = Report,
        ?assertMatch([_ | _], [Failure || Failure <- Failures, is_wanted(Failure, Wanted)]),
        ?assertEqual([], [Failure || Failure <- Failures, is_wrong(Failure, Wanted)]),
        ?assertEqual([], maps:get(disagreements, Report)),
        ?assertEqual(0, Divergences)
    end).

%% A row says which inputs fail with `found`, or with which reason of a built-in function.
is_wanted(#{input := Input, reason := found}, Wanted) when is_function(Wanted) ->
    apply(Wanted, Input);
is_wanted(#{input := Input, reason := Reason}, {Reason, Wanted}) ->
    apply(Wanted, Input);
is_wanted(_Failure, _Wanted) ->
    false.

is_wrong(#{reason := found} = Failure, Wanted) -> not is_wanted(Failure, Wanted);
is_wrong(_Failure, _Wanted) -> false.

rows() ->
    integers() ++ floats() ++ atoms() ++ lists() ++ tuples() ++ order() ++ known_functions().

integers() ->
    [
        {int_sum, [0, 0], fun(X, Y) -> {X, Y} == {634, 600} end},
        {int_product, [0, 0], fun(X, Y) -> {X, Y} =:= {7, 13} end},
        {int_square, [0], fun(X) -> X =:= -(1 bsl 64) end},
        {int_div, [0], fun(X) -> X >= -1007 andalso X =< -1001 end},
        {int_rem, [0], fun(X) -> X < -1000 andalso (X + 5) rem 13 =:= 0 end},
        {int_div_unknown, [0, 1], fun(X, Y) -> Y > 3 andalso X =:= 29 * Y + 2 end},
        {int_div_negative, [0, 1], fun(X, Y) -> Y < -3 andalso X =:= 17 * Y - 2 end},
        {int_abs, [0], fun(X) -> X == -77 end},
        {int_min_max, [0, 0], fun(X, Y) -> X == 12 andalso Y == -9 end},
        {int_band, [0], fun(X) -> X > 1000 andalso (X - 16#2A) rem 256 =:= 0 end},
        {int_band_middle, [0], fun(X) -> X < 0 andalso <<16#AB>> =:= <<(X bsr 8)>> end},
        {int_band_scattered, [0], fun(X) -> <<16#C433:16>> =:= <<X:16>> end},
        {int_band_negative, [0], fun(X) -> X > -4096 andalso X < -4080 end},
        {int_bor, [0], fun(X) -> X =:= 16#73 end},
        {int_bor_negative, [0], fun(X) -> X > 0 andalso <<X>> =:= <<-3>> end},
        {int_bxor, [0], fun(X) -> X =:= 16#486E end},
        {int_bxor_large, [0], fun(X) -> X =:= 16#0F0F0F0F0F0F0F0F0F0F end},
        {int_bxor_unknown, [0, 0], fun(X, Y) -> X + Y =:= 16#3C + 2 * 16#41 end},
        {int_bor_unknown, [0, 0], fun(X, Y) -> X > 5 andalso Y =:= -1 - X end},
        {int_bnot, [0], fun(X) -> X =:= -4712 end},
        {int_bsl, [0], fun(X) -> X =:= -13 end},
        {int_bsr, [0], fun(X) -> X =:= -163 end},
        {int_shift_unknown, [0, 0], fun(X, N) -> lists:member({X, N}, [{10, 3}, {5, 4}]) end},
        {int_checksum, [0, 0, 0], fun(A, B, C) ->
            C > 100 andalso <<16#99>> =:= <<(A bxor (B * 4) bxor (C div 2))>>
        end},
        {int_band_wide, [0, 0], fun(X, Y) -> Y band X =:= 16#0F0F0F0F bsl 32 end},
        {int_bor_wide, [0, 0], fun(X, Y) -> bnot (X bor Y) =:= 16#FFFFFFFFF end},
        {int_bxor_wide, [0, 0], fun(X, Y) -> X =:= Y bxor 16#123456789ABCDEF end},
        {int_bxor_wider, [0, 0], fun(X, Y) -> Y =:= X bxor ((1 bsl 90) + 5) end},
        {int_mixed, [0, 0], fun(X, Y) -> <<Y:16>> =:= <<(X bxor (X div 8192)):16>> end},
        {int_of_bytes, [<<"0">>], fun(B) -> string:to_integer(B) =:= {-314, <<>>} end},
        {int_to_bytes, [0], fun(X) -> X =:= 2#10011 orelse X =:= 2#10111 end},
        {int_equals_float, [0], fun(X) -> X =:= 3 end},
        {int_not_a_number, [0], {badarith, fun(X) -> not is_number(X) end}}
    ].

floats() ->
    [
        {float_sum, [0.0], fun(X) -> X =:= 2.75 end},
        {float_product, [0.0], fun(X) -> abs(X - 1 / 3) < 1.0e-9 end},
        {float_square, [0.0], fun(X) -> X =:= -1.5 end},
        {float_division, [0.0, 1.0], fun(X, Y) -> Y > 3.0 andalso X / Y =:= 0.125 end},
        {float_tenths, [0.0], fun(X) -> X + 0.1 =:= 0.3 end},
        {float_absorbed, [0.0], fun(X) -> abs(X) >= 9.0e15 end},
        {float_not_distributive, [0.0], fun(X) -> X > 0.0 andalso X < 10.0 end},
        {float_overflow, [0.0], {badarith, fun(X) -> abs(X) >= 1.5 end}},
        {float_division_by_zero, [0.0], {badarith, fun(X) -> X =:= 2.5 end}},
        {float_mixed, [0, 0.0], fun(X, Y) -> {X, Y} =:= {101, 101.0} end},
        {float_beside_large, [0], fun(X) -> X > trunc(1.0e30) end},
        {float_trunc, [0.0], fun(X) -> X > -8.0 andalso X < -7.5 end},
        {float_round, [0.0], fun(X) -> X >= 11.5 andalso X < 12.0 end},
        {float_floor, [0.0], fun(X) -> X > -2.5 andalso X < -2.0 end},
        {float_ceil, [0.0], fun(X) -> X > 8.0 andalso X < 8.25 end},
        {float_of_integer, [0], fun(X) -> X =:= 1000000000000000 end},
        {float_too_large, [0], {badarg, fun(X) -> abs(X) >= 1 bsl 1023 end}},
        {float_sqrt, [1.0], fun(X) -> X > 100 end},
        {float_exp, [1.0], fun(X) -> X > 2.9 andalso X < 4.1 end}
    ].

atoms() ->
    [
        {atom_equal, [x], fun(X) -> atom_to_list(X) =:= "secret" end},
        {atom_boolean, [x, x], fun(X, Y) -> Y =:= not X end},
        {atom_strict, [true, true], fun(X, Y) -> X andalso not Y end},
        {atom_strict_type, [true], {badarg, fun(X) -> not is_boolean(X) end}},
        {atom_short_circuit, [false, false], fun(X, Y) -> X andalso not Y end},
        {atom_between, [x], fun(X) ->
            "banana" < atom_to_list(X) andalso atom_to_list(X) < "cherry"
        end},
        {atom_narrow, [x], fun(X) -> lists:prefix("apple", atom_to_list(X)) end},
        {atom_ordered, [x, x], fun(X, Y) ->
            [$m, _ | _] = atom_to_list(X),
            [$m, _ | _] = atom_to_list(Y),
            atom_to_list(X) < atom_to_list(Y)
        end},
        {atom_name, [x], fun(X) -> X =:= sesame end},
        {atom_name_parts, [x], fun(X) ->
            [$q, C, $_, _, _] = atom_to_list(X),
            C > $d
        end},
        {atom_from_list, ["x"], fun(L) -> L =:= "treasure" end},
        {atom_from_parts, ["x"], fun(L) -> L =:= "ok" end},
        {atom_name_in_order, [x], fun(X) -> "mango" < atom_to_list(X) end},
        {atom_named_in_order, [""], fun(L) -> "ear" < L andalso L < "lum" end},
        {atom_to_bytes, [x], fun(X) -> [$s, $e, _, $a, $m] = atom_to_list(X), true end},
        {atom_of_bytes, [<<"x">>], fun(B) -> B =:= <<"sesame">> end}
    ].

lists() ->
    [
        {list_length, [[]], fun(L) -> {_, []} = lists:split(5, L), true end},
        {list_improper, [[]], fun([_, _ | T]) -> T =:= tail end},
        {list_append, [[], []], fun([1, 2], [3 | _]) -> true end},
        {list_subtract, [[]], fun(L) -> lists:member(1, L) andalso lists:member(3, L) end},
        {list_prefix, [""], fun(L) -> lists:prefix("GET /z", improper_to_proper(L)) end},
        {list_hd_tl, [[]], fun([8, 9 | _]) -> true end},
        {list_member, [0], fun(X) -> X =:= {9} end},
        {list_member_of, [[]], fun(L) -> lists:member(needle, improper_to_proper(L)) end},
        {list_keyfind, [[]], fun(L) ->
            [P || {port, P} <- improper_to_proper(L), P > 65535] =/= []
        end},
        {list_keymember, [0], fun(K) -> K =:= 2 end},
        {list_reverse, [[]], fun(L) -> lists:suffix([b, c], L) end},
        {list_nth, [1], fun(N) -> N =:= 3 end},
        {list_last, [[a]], fun(L) -> lists:suffix([omega], L) end},
        {list_sum, [[]], fun([A, B, C]) -> A + B + C == 42 end},
        {list_max, [[1]], fun([X | _] = L) -> X < 5 andalso lists:member(99, L) end},
        {list_sort, [[0, 0, 0]], fun([A, B, C]) -> C =< A andalso A < B end},
        {list_to_int, ["1"], fun(L) -> string:to_integer(L) =:= {-42, ""} end},
        {list_to_int_base, ["1"], fun(L) -> lists:suffix("BEE", string:uppercase(L)) end},
        {list_of_int, [0], fun(X) -> X =:= -705 end},
        {list_of_int_base, [0], fun(X) -> X >= 2#1011000 andalso X =< 2#1011111 end},
        {list_to_real, ["1.0"], fun(L) -> {F, ""} = string:to_float(L), F == 2.5 end},
        {binary_to_real, [<<"1.0">>], fun(B) -> binary_to_float(B) == 2.5 end},
        {list_existing, ["ok"], fun(L) -> L =:= "purple" end},
        {binary_existing, [<<"ok">>], fun(B) -> lists:member(B, [<<"green">>, <<"yellow">>]) end},
        {list_tuple, [[]], fun([key, _, 3]) -> true end}
    ].

improper_to_proper([X | Rest]) -> [X | improper_to_proper(Rest)];
improper_to_proper(_) -> [].

tuples() ->
    [
        {tuple_shape, [x], fun({point, X, Y}) -> Y > 20 andalso X =:= Y * 2 end},
        {tuple_record, [x], fun({order, 77, A, State}) -> A < 0 andalso State =/= open end},
        {tuple_index, [1, {}], fun(I, T) -> I =:= 3 andalso element(3, T) =:= chosen end},
        {tuple_constant_index, [1], fun(I) -> I =:= 4 end},
        {tuple_set, [1, {}], fun(I, {_, X, 5}) -> I =:= 2 orelse X =:= new end},
        {tuple_size_of, [{}], fun({_, _, _, last}) -> true end},
        {tuple_to_items, [{}], fun({a, _, _}) -> true end},
        {tuple_append, [{}], fun(T) -> T =:= {x, y} end},
        {tuple_delete, [1, {x}], fun(I, T) ->
            lists:delete(gone, tuple_to_list(T)) =:= [1, 2] andalso element(I, T) =:= gone
        end},
        {tuple_insert, [1], fun(I) -> I =:= 2 end},
        {tuple_make, [1, x], fun(N, X) -> {N, X} =:= {3, q} end}
    ].

order() ->
    [
        {order_types, [0], fun(X) -> is_pid(X) orelse is_reference(X) orelse is_function(X) end},
        {order_list_above, [0], fun([X | _]) -> X =< z end},
        {order_tuples, [0], fun({1, X}) -> X > 5 orelse X == 5; ({1.0, _}) -> true end},
        {order_tuple_size, [0], fun(X) -> tuple_size(X) =:= 2 orelse tuple_size(X) =:= 3 end},
        {order_lists, [0], fun([_, _ | _]) -> true end},
        {order_both, [0, 0], fun([X | _], [Y | _]) -> is_atom(X) andalso is_list(Y) end},
        {order_min, [0], fun(X) -> tuple_size(X) =:= 1 end},
        {order_max, [0], fun(X) -> X =:= zoo end},
        {order_sort, [a, a], fun(X, Y) -> X < m andalso m < Y end},
        {order_mixed_sort, [0], fun(X) -> X > 5.5 andalso X =< a end}
    ].

known_functions() ->
    [
        {known_hash, [x], fun(X) -> erlang:phash2(X) band 3 =:= 2 end},
        {known_hash_range, [x], fun(X) -> erlang:phash2({salt, X}) rem 16 =:= 11 end},
        {known_power, [1.0], fun(X) -> abs(X) == 10 end}
    ].
