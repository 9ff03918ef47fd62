%% Membership by the table against membership by the forms.
-module(cuter_type_check_tests).

-include_lib("eunit/include/eunit.hrl").

-define(MODULES, 10).
-define(TYPES, 30).
-define(VALUES, 20).

%%% Generated types

both_checkers_agree_on_generated_types_test_() ->
    {timeout, 300, fun agreement/0}.

agreement() ->
    Counts = [with_generated(Seed, fun compare_all/1) || Seed <- lists:seq(1, ?MODULES)],
    {Members, Others} = lists:unzip(lists:append(Counts)),
    ?assertEqual(?MODULES * ?TYPES, length(Members)),
    %% Both answers must be common for the comparison to mean something.
    ?assert(lists:sum(Members) > ?MODULES * ?TYPES * ?VALUES div 2),
    ?assert(lists:sum(Others) > ?MODULES * ?TYPES * ?VALUES div 4).

with_generated(Seed, Test) ->
    Forms = cuter_type_gen:forms(cuter_generated, Seed, ?TYPES),
    cuter_fixture:in_directory(fun(Dir) ->
        Source = filename:join(Dir, "cuter_generated.erl"),
        ok = file:write_file(Source, cuter_type_gen:source(cuter_generated, Seed, ?TYPES)),
        cuter_generated = cuter_fixture:load(Source, Dir, [debug_info]),
        try
            Test(Forms)
        after
            _ = code:delete(cuter_generated),
            _ = code:purge(cuter_generated)
        end
    end).

compare_all(Forms) ->
    Names = cuter_type_gen:names(?TYPES),
    [compare(N, Name, Forms) || {N, Name} <- lists:zip(lists:seq(1, ?TYPES), Names)].

%% How many terms are of the type, and how many are not.
compare(N, Name, Forms) ->
    Function = list_to_atom("f" ++ integer_to_list(N)),
    {ok, #{widened := []} = Signature} = cuter_spec:signature(cuter_generated, Function, 1),
    Mfa = {cuter_generated, Function, 1},
    Answers = [
        same_answer(Mfa, Value, Signature)
     || Value <- cuter_type_gen:values(Forms, Name, ?VALUES)
    ],
    {length([yes || true <- Answers]), length([no || false <- Answers])}.

same_answer(Mfa, Value, Signature) ->
    ByForms = cuter_spec_checker:is_input(Mfa, [Value]),
    ByTable = cuter_type_check:is_input([Value], Signature),
    ?assertEqual({Mfa, Value, ByForms}, {Mfa, Value, ByTable}),
    ByTable.

a_seed_gives_the_same_module_each_time_and_others_differ_test() ->
    Source = fun(Seed) -> cuter_type_gen:source(m, Seed, 5) end,
    ?assertEqual(Source(1), Source(1)),
    ?assertNotEqual(Source(1), Source(2)).

every_kind_of_type_is_generated_test_() ->
    {timeout, 60, fun all_kinds/0}.

all_kinds() ->
    Tables = lists:append([with_generated(Seed, fun(_) -> tables() end) || Seed <- [1, 2, 3, 4]]),
    Kinds = lists:usort([kind(Type) || Table <- Tables, Type <- tuple_to_list(Table)]),
    Expected = [any, atom, bits, cons, float, 'fun', integer, map, nil, pid, port, reference] ++
        [tuple, union],
    ?assertEqual([], Expected -- Kinds),
    %% At least a fifth of the types contain themselves.
    Recursive = [Table || Table <- Tables, leads_back(0, Table)],
    ?assert(length(Recursive) * 5 > length(Tables)).

tables() ->
    [
        begin
            Function = list_to_atom("f" ++ integer_to_list(N)),
            {ok, #{types := Types}} = cuter_spec:signature(cuter_generated, Function, 1),
            Types
        end
     || N <- lists:seq(1, ?TYPES)
    ].

kind(Type) when is_atom(Type) -> Type;
kind(Type) -> element(1, Type).

%% Whether a type contains itself.
leads_back(Ref, Types) ->
    lists:member(Ref, reached(children(element(Ref + 1, Types)), Types, [])).

reached([], _Types, Seen) -> Seen;
reached([Ref | Refs], Types, Seen) ->
    case lists:member(Ref, Seen) of
        true -> reached(Refs, Types, Seen);
        false -> reached(children(element(Ref + 1, Types)) ++ Refs, Types, [Ref | Seen])
    end.

children({cons, Head, Tail}) -> [Head, Tail];
children({Kind, Refs}) when Kind =:= tuple; Kind =:= union -> Refs;
children({map, Associations}) -> lists:append([[K, V] || {_, K, V} <- Associations]);
children({'fun', any, Result}) -> [Result];
children({'fun', Args, Result}) -> [Result | Args];
children(_Leaf) -> [].

%%% Specs of OTP

both_checkers_agree_on_results_of_otp_test_() ->
    [
        {lists:flatten(io_lib:format("~0tp", [{M, F, Args}])), fun() -> agree(M, F, Args) end}
     || {M, F, Args} <- [
            {lists, keyfind, [a, 1, [{a, 1}]]},
            {lists, keyfind, [b, 1, [{a, 1}]]},
            {lists, splitwith, [fun is_atom/1, [a, 1]]},
            {maps, find, [a, #{a => 1}]},
            {orddict, from_list, [[{b, 1}, {a, 2}]]},
            {gb_trees, insert, [a, 1, gb_trees:empty()]},
            {sets, from_list, [[a, b]]},
            {queue, from_list, [[a, b]]},
            {array, from_list, [[a, b]]},
            {dict, from_list, [[{a, 1}]]},
            {string, split, ["a b", " "]},
            {unicode, characters_to_binary, [["a", <<"b">>]]},
            {erl_scan, string, ["f(X) -> X + 1."]},
            {erl_parse, parse_exprs, [tokens("f(X, [1, {a}]), #{a => <<1:2>>}.")]},
            {calendar, universal_time, []},
            {file, get_cwd, []},
            {io_lib, format, ["~p", [a]]}
        ]
    ].

tokens(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    Tokens.

agree(Module, Function, Args) ->
    Mfa = {Module, Function, length(Args)},
    {ok, Signature} = cuter_spec:signature(Module, Function, length(Args)),
    Result = apply(Module, Function, Args),
    ?assert(cuter_spec_checker:is_input(Mfa, Args)),
    ?assert(cuter_type_check:is_input(Args, Signature)),
    ?assert(cuter_spec_checker:is_result(Mfa, Args, Result)),
    ?assert(cuter_type_check:is_result(Args, Result, Signature)),
    Wrong = {no, such, [result]},
    ?assertEqual(
        cuter_spec_checker:is_result(Mfa, Args, Wrong),
        cuter_type_check:is_result(Args, Wrong, Signature)
    ).

%%% Cases of their own

a_result_counts_for_the_clauses_that_take_the_arguments_test() ->
    Types = {{atom, a}, {atom, b}, {integer, 0, 9}},
    Signature = #{clauses => [{[0], 2}, {[1], 1}], types => Types, widened => []},
    ?assert(cuter_type_check:is_result([a], 3, Signature)),
    ?assertNot(cuter_type_check:is_result([a], b, Signature)),
    ?assert(cuter_type_check:is_result([b], b, Signature)),
    %% A spec that does not take the arguments says nothing.
    ?assert(cuter_type_check:is_result([c], whatever, Signature)).

a_key_belongs_to_the_first_association_that_fits_test() ->
    Types = {{map, [{mandatory, 1, 2}, {optional, 3, 4}]}, {atom, a}, float, atom, {atom, b}},
    [
        ?assertEqual({Map, Expected}, {Map, cuter_type_check:is_member(Map, 0, Types)})
     || {Map, Expected} <- [
            {#{a => 1.0}, true},
            {#{a => b}, false},
            {#{}, false},
            {#{a => 1.0, c => b}, true},
            {#{c => b}, false},
            {#{a => 1.0, c => 1.0}, false},
            {#{a => 1.0, 1 => b}, false}
        ]
    ].

an_integer_is_no_float_test() ->
    ?assertNot(cuter_type_check:is_member(1, 0, {float})),
    ?assertNot(cuter_type_check:is_member(1.0, 0, {{integer, 1, 1}})).

%% Each level has two members that ask the same of what is inside: 2 to the power of 200 questions,
%% unless they are asked together.
nested_unions_are_no_harder_than_others_test() ->
    Types = {{union, [1, 2, 3]}, nil, {cons, 4, 0}, {cons, 5, 0}, {tuple, [0]}, {tuple, [6]}, any},
    Value = lists:foldl(fun(_, Inner) -> [{Inner}, {Inner}] end, [], lists:seq(1, 12)),
    Deep = lists:foldl(fun(_, Inner) -> [{Inner}] end, [], lists:seq(1, 200)),
    ?assert(cuter_type_check:is_member(Value, 0, Types)),
    ?assert(cuter_type_check:is_member(Deep, 0, Types)),
    ?assertNot(cuter_type_check:is_member([{Deep} | no_list], 0, Types)).

a_long_list_is_checked_test() ->
    Types = {{union, [1, 2]}, nil, {cons, 3, 0}, {integer, 0, 1}},
    List = lists:duplicate(100000, 1),
    ?assert(cuter_type_check:is_member(List, 0, Types)),
    ?assertNot(cuter_type_check:is_member(List ++ [2], 0, Types)).

a_type_without_an_end_has_no_members_test() ->
    ?assertNot(cuter_type_check:is_member({{{a}}}, 0, {{tuple, [0]}})).
