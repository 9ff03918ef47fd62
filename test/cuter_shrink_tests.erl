%% The functions that fail are those of this module, at its end.
-module(cuter_shrink_tests).

-include_lib("eunit/include/eunit.hrl").

-export([no_list/1, has_42/1, eval/1, above/1, below/1, lucky_float/1, fraction/1, has_key/1]).
-export([has_large_key/1, not_latin/1, not_a/1]).
-export([has_byte/1, odd_bits/1, ends_in/1, anything/2, pick/2, library/1, by_link/1, reasons/1]).
-export([hangs_below/1, kills_below/1, leaves_processes/1, nested/1, long/1, sometimes/1]).
-export([named/1, kept/1, prints/1]).

%%% Numbers

an_integer_becomes_the_closest_to_zero_test_() ->
    [
        ?_assertEqual([1001], shrunk(above, [123456789])),
        ?_assertEqual([1001], shrunk(above, [1 bsl 200])),
        ?_assertEqual([-1001], shrunk(below, [-987654321])),
        ?_assertEqual([0, 0], shrunk(anything, [1, -1]))
    ].

a_float_stays_a_float_if_it_must_test() ->
    ?assertEqual([8.0], shrunk(lucky_float, [1234.5678])).

a_float_becomes_an_integer_if_it_may_test() ->
    ?assertEqual([1001], shrunk(above, [1234.5678])).

a_float_has_few_digits_test() ->
    [Float] = shrunk(fraction, [17.123456789]),
    ?assert(Float - trunc(Float) > 0),
    ?assert(length(float_to_list(Float, [short])) =< 4).

%%% Lists

what_is_no_list_becomes_a_leaf_test_() ->
    [?_assertEqual([0], shrunk(no_list, [Term])) || Term <- [[43.0 | <<>>], {}, <<1>>, #{a => b}]].

an_improper_tail_becomes_proper_test() ->
    ?assertEqual([[42]], shrunk(has_42, [[42 | <<>>]])),
    ?assertEqual([[42]], shrunk(has_42, [[1, 2, 42, 3 | {4, 5}]])).

an_improper_tail_that_matters_is_kept_alone_test() ->
    ?assertEqual([tail], shrunk(ends_in, [[1, 2, 3 | tail]])).

elements_that_do_not_matter_are_removed_test() ->
    ?assertEqual([[42]], shrunk(has_42, [lists:seq(1, 200)])).

a_list_of_which_only_the_length_matters_has_simple_elements_test() ->
    ?assertEqual([lists:duplicate(10, 0)], shrunk(long, [lists:seq(1, 100)])).

a_list_becomes_one_of_its_elements_test() ->
    ?assertEqual([{'not', {num, 0}}], shrunk(eval, [[x, y, {'not', {num, 2}}]])).

a_list_of_a_hundred_thousand_elements_shrinks_in_time_test_() ->
    [
        in_time(fun() ->
            ?assertEqual([[42]], shrunk(has_42, [lists:seq(100000, 1, -1)]))
        end),
        in_time(fun() ->
            [List] = shrunk(long, [lists:seq(1, 100000)]),
            ?assertEqual(lists:duplicate(10, 0), List)
        end)
    ].

a_large_input_that_cannot_shrink_ends_in_time_test_() ->
    in_time(fun() ->
        Valid = fun([List]) -> is_list(List) andalso length(List) =:= 100000 end,
        [List] = input(shrink(long, [lists:seq(1, 100000)], #{valid => Valid})),
        ?assertEqual(100000, length(List))
    end).

%%% Tuples and terms in terms

parts_of_a_tuple_that_do_not_matter_become_leaves_test() ->
    ?assertEqual([{'if', {num, 0}, 0, 0}], shrunk(eval, [{'if', {num, 2}, <<>>, <<1>>}])).

a_tree_becomes_its_smallest_part_that_fails_test() ->
    Part = {'not', {num, 17}},
    Tree = {'and', {'and', {bool, true}, {'if', {bool, true}, Part, x}}, {bool, false}},
    ?assertEqual([{'not', {num, 0}}], shrunk(eval, [Tree])).

a_part_of_a_tree_is_replaced_by_its_own_part_test() ->
    Condition = {'and', {bool, true}, {'not', {bool, true}}},
    [{'and', A, B}] = shrunk(eval, [{'and', {num, 5}, {'and', Condition, Condition}}]),
    ?assertMatch({{num, 0}, {_, _}}, {A, B}).

a_tree_in_a_list_in_a_tree_is_found_test() ->
    Tree = {block, [{bool, true}, {'not', {num, 3}}]},
    ?assertEqual([{'not', {num, 0}}], shrunk(eval, [{block, [Tree, Tree]}])).

deep_nesting_is_searched_in_jumps_test_() ->
    in_time(fun() -> ?assertEqual([{{{{{0}}}}}], shrunk(nested, [wrapped(20000, 17)])) end).

an_argument_that_does_not_matter_is_a_leaf_test() ->
    ?assertEqual([0, []], shrunk(anything, [{some, "tuple"}, "a list"])).

%%% Maps and binaries

keys_that_do_not_matter_are_removed_test() ->
    Map = maps:from_list([{N, {N, N}} || N <- lists:seq(1, 50)]),
    ?assertEqual([#{17 => 0}], shrunk(has_key, [Map])),
    ?assertEqual([#{17 => 0}], shrunk(has_key, [#{17 => <<"value">>}])),
    ?assertEqual([#{1 => 0}], shrunk(has_large_key, [#{"text" => 1, 4711 => 2}])).

names_that_have_to_be_quoted_become_simple_test() ->
    ?assertEqual(['\x{100}'], shrunk(not_latin, ['a\x{d7ff} b'])),
    ?assertEqual([other], shrunk(not_a, [other])),
    ?assertEqual([b], shrunk(not_a, [[b]])).

a_binary_is_short_test() ->
    ?assertEqual([<<128>>], shrunk(has_byte, [<<"some text", 255, "and more">>])),
    ?assertEqual([<<128>>], shrunk(has_byte, [<<1, 200, 3:3>>])).

bytes_that_must_stay_become_zero_test() ->
    Valid = fun([Bits]) -> is_bitstring(Bits) andalso bit_size(Bits) >= 24 end,
    ?assertEqual([<<0, 128, 0>>], input(shrink(has_byte, [<<"x", 200, "y">>], #{valid => Valid}))).

bits_behind_the_last_byte_stay_if_they_matter_test() ->
    ?assertEqual([<<0:3>>], shrunk(odd_bits, [<<"text", 7:3>>])).

%%% What is the same failure

another_place_is_another_failure_test() ->
    ?assertEqual([2, a], shrunk(pick, [2, hello])),
    ?assertEqual([1, a], shrunk(pick, [1, hello])).

another_reason_is_another_failure_test() ->
    ?assertEqual([11], shrunk(reasons, [500])),
    ?assertEqual([-1], shrunk(reasons, [-500])).

another_reason_of_a_library_is_another_failure_test() ->
    %% What is no list at all is a function_clause within the same module.
    Failure = shrink(library, [[3, 5, {x}, 7]], #{}),
    ?assertMatch(#{input := [[_ | _]], reason := badarith}, Failure).

the_reason_is_that_of_the_shrunk_input_test() ->
    Failure = shrink(has_42, [[1, 2, 42, 3]], #{}),
    ?assertMatch(#{input := [[42]], reason := {found, [42]}, stacktrace := [_ | _]}, Failure).

the_first_input_is_kept_as_the_original_test() ->
    ?assertMatch(#{original := [[42, 1]]}, shrink(has_42, [[42, 1]], #{})),
    Found = (found(has_42, [[42, 1]]))#{original => first},
    ?assertMatch(#{input := [[42]], original := first}, failure(has_42, Found, #{})).

the_smallest_input_stays_test() ->
    ?assertMatch(#{input := [0], original := [0]}, shrink(no_list, [0], #{})).

an_exit_by_a_link_is_shrunk_test() ->
    ?assertMatch(#{input := [101], class := exit, reason := oops}, shrink(by_link, [5000], #{})).

failures_that_became_the_same_are_one_test() ->
    Found = [found(has_42, [[42, N]]) || N <- [1, 2, 3]] ++ [found(has_42, [0])],
    Shrunk = cuter_shrink:failures({?MODULE, has_42, 1}, Found),
    ?assertMatch([#{input := [[42]], original := [[42, 1]]}, #{input := [0]}], Shrunk).

%%% Limits and hooks

only_valid_inputs_are_tried_test() ->
    Valid = fun([List]) -> is_list(List) andalso length(List) rem 2 =:= 0 end,
    ?assertMatch([[_, _]], input(shrink(has_42, [lists:seq(1, 100)], #{valid => Valid}))).

a_failure_without_executions_stays_test() ->
    ?assertEqual([[42, 1]], input(shrink(has_42, [[42, 1]], #{executions => 0}))),
    ?assertEqual([[42, 1]], input(shrink(has_42, [[42, 1]], #{time => 0}))).

no_more_candidates_are_called_than_allowed_test() ->
    Calls = counters:new(1, []),
    Valid = fun(_Input) -> counters:add(Calls, 1, 1) =:= ok end,
    _ = shrink(long, [lists:seq(1, 1000)], #{executions => 50, valid => Valid}),
    ?assertEqual(50, counters:get(Calls, 1)).

a_predicate_that_crashes_leaves_the_input_alone_test() ->
    ?assertEqual([[42, 1]], input(shrink(has_42, [[42, 1]], #{valid => fun(_) -> exit(no) end}))).

a_candidate_that_hangs_does_not_fail_test_() ->
    in_time(fun() -> ?assertEqual([1000], shrunk(hangs_below, [1000000])) end).

a_candidate_that_kills_its_process_does_not_fail_test_() ->
    in_time(fun() -> ?assertEqual([1000], shrunk(kills_below, [1000000])) end).

a_failure_that_does_not_come_again_stays_test() ->
    Calls = counters:new(1, []),
    ok = persistent_term:put(?MODULE, Calls),
    Found = (found(has_42, [[42, 1]]))#{input := [[1, 2, 3]]},
    Shrunk = cuter_shrink:failure({?MODULE, sometimes, 1}, Found, #{}),
    true = persistent_term:erase(?MODULE),
    ?assertEqual([[1, 2, 3]], input(Shrunk)),
    ?assert(counters:get(Calls, 1) > 1).

names_and_tables_of_one_candidate_are_gone_for_the_next_test() ->
    ?assertEqual([101], shrunk(named, [5000])).

funs_and_pids_are_left_alone_test() ->
    Fun = fun() -> ok end,
    ?assertEqual([{self(), Fun}], shrunk(kept, [{self(), Fun}])),
    Pids = lists:duplicate(10, self()),
    ?assertEqual([Pids], shrunk(long, [Pids])).

nothing_is_printed_test() ->
    ?assertEqual([0], shrunk(prints, [50])).

nothing_is_left_behind_test() ->
    Before = length(processes()),
    _ = shrunk(hangs_below, [5000]),
    _ = shrunk(kills_below, [5000]),
    ?assertEqual([101], shrunk(leaves_processes, [5000])),
    ?assertEqual({messages, []}, process_info(self(), messages)),
    ?assertEqual(Before, cuter_fixture:eventually(fun() -> length(processes()) end, Before)).

two_searches_find_the_same_test_() ->
    Calls = [
        {eval, [{'and', {num, 5}, {'and', {bool, true}, {'not', {bool, false}}}}]},
        {has_key, [maps:from_list([{N, N} || N <- lists:seq(1, 40)])]},
        {fraction, [123.456]},
        {has_42, [[1, {42}, 42 | x]]}
    ],
    [?_assertEqual(shrunk(F, Input), shrunk(F, Input)) || {F, Input} <- Calls].

%%% Steps

%% With time enough on any machine.
shrunk(Function, Input) ->
    input(shrink(Function, Input, #{time => 30000, candidate_time => 1000})).

shrink(Function, Input, Options) ->
    failure(Function, found(Function, Input), Options).

%% The shrunk failure, for which the BEAM says the same.
failure(Function, #{class := Class} = Found, Options) ->
    Arity = length(input(Found)),
    #{input := Smaller, reason := Reason} =
        Shrunk = cuter_shrink:failure({?MODULE, Function, Arity}, Found, Options),
    {raised, Class, Native, _} = cuter_replay:native({?MODULE, Function}, Smaller),
    ?assert(cuter_replay:same_reason(Reason, Native)),
    Shrunk.

found(Function, Input) ->
    {raised, Class, Reason, Stacktrace} = cuter_replay:native({?MODULE, Function}, Input),
    #{input => Input, class => Class, reason => Reason, stacktrace => Stacktrace}.

input(#{input := Input}) ->
    Input.

%% With room for a busy machine.
in_time(Test) ->
    {timeout, 20, fun() ->
        {Microseconds, _} = timer:tc(Test),
        ?assert(Microseconds < 5000000)
    end}.

wrapped(0, Term) -> Term;
wrapped(N, Term) -> wrapped(N - 1, {Term}).

%%% What fails

no_list([]) -> ok;
no_list([_ | Tail]) -> no_list(Tail).

has_42([42 | _] = List) -> error({found, List});
has_42([_ | Tail]) -> has_42(Tail);
has_42([]) -> ok.

ends_in([_ | Tail]) -> ends_in(Tail);
ends_in([]) -> ok;
ends_in(Tail) when Tail =/= 0, Tail =/= a -> error(improper);
ends_in(_Tail) -> ok.

long(List) when length(List) >= 10 -> error(too_long);
long(_List) -> ok.

eval({num, N}) when is_integer(N) -> N;
eval({bool, B}) when is_boolean(B) -> B;
eval({'and', A, B}) -> eval(A) and eval(B);
eval({'not', A}) -> not eval(A);
eval({'if', Condition, A, B}) -> choose(eval(Condition), A, B);
eval({block, Trees}) -> lists:last([eval(Tree) || Tree <- Trees]);
eval(Trees) when is_list(Trees) -> eval(lists:last(Trees)).

choose(true, A, _B) -> eval(A);
choose(false, _A, B) -> eval(B).

above(N) when is_number(N), N > 1000 -> error(too_large);
above(_N) -> ok.

below(N) when N < -1000 -> error(too_small);
below(_N) -> ok.

lucky_float(F) when is_float(F), F > 7.0 -> error(lucky);
lucky_float(_F) -> ok.

fraction(F) when is_float(F), F > trunc(F) -> error(fraction);
fraction(_F) -> ok.

has_key(#{17 := _}) -> error(key);
has_key(_Map) -> ok.

has_large_key(Map) ->
    [error(large) || Key <- maps:keys(Map), is_integer(Key), Key > 0],
    ok.

not_latin(Atom) when is_atom(Atom) ->
    [error(not_latin) || Char <- atom_to_list(Atom), Char > 255],
    ok;
not_latin(_Other) ->
    ok.

not_a(Term) when Term =/= a, Term =/= 0, Term =/= [] -> error(other);
not_a(_Term) -> ok.

has_byte(Bits) when is_bitstring(Bits) ->
    [error(byte) || <<Byte>> <= Bits, Byte > 127];
has_byte(_Term) ->
    ok.

odd_bits(Bits) when is_bitstring(Bits), bit_size(Bits) rem 8 =:= 3 -> error(odd);
odd_bits(_Term) -> ok.

anything(_A, _B) ->
    throw(anything).

pick(1, Atom) when is_atom(Atom) ->
    error({picked, first});
pick(2, Atom) when is_atom(Atom) ->
    error({picked, second});
pick(_N, _Term) ->
    ok.

library(List) ->
    {sum, lists:sum(List)}.

reasons(N) when N > 10 -> error(large);
reasons(N) when N < 0 -> error(negative);
reasons(N) when N > 0 -> error(small);
reasons(_N) -> ok.

by_link(N) when N > 100 ->
    _ = spawn_link(fun() -> exit(oops) end),
    timer:sleep(infinity);
by_link(_N) ->
    ok.

hangs_below(N) when N < 1000 -> timer:sleep(infinity);
hangs_below(_N) -> error(large).

kills_below(N) when N < 1000 ->
    exit(self(), kill),
    timer:sleep(infinity);
kills_below(_N) ->
    error(large).

%% Fails in another way if a process of an earlier call is still there.
leaves_processes(N) ->
    Left = spawn(fun() -> timer:sleep(infinity) end),
    true = register(cuter_shrink_left, Left),
    above_100(N).

named(N) ->
    true = register(cuter_shrink_named, self()),
    _ = ets:new(cuter_shrink_table, [named_table]),
    above_100(N).

above_100(N) when is_integer(N), N > 100 -> error(above);
above_100(_N) -> ok.

nested({{{{{_}}}}}) -> error(nested);
nested(_Term) -> ok.

%% Fails as has_42/1 does, but once only.
sometimes(_Term) ->
    Calls = persistent_term:get(?MODULE),
    ok = counters:add(Calls, 1, 1),
    has_42([42 || 1 <- [counters:get(Calls, 1)]]).

kept({Pid, Fun}) when is_pid(Pid), is_function(Fun) -> error(kept);
kept(_Term) -> ok.

prints(N) ->
    io:format("~p~n", [N]),
    error(printed).
