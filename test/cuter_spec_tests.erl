%% Signatures: from the text of a type to its table.
-module(cuter_spec_tests).

-include_lib("eunit/include/eunit.hrl").

%%% One kind of type after the other. The type of the argument comes first in the
%%% table, then what it refers to, level by level.

types_test_() ->
    [{Text, ?_assertEqual(Expected, argument(Text))} || {Text, Expected} <- rows()].

rows() ->
    simple_rows() ++ integer_rows() ++ list_rows() ++ tuple_rows() ++ map_rows() ++ fun_rows() ++
        union_rows().

simple_rows() ->
    [
        {"any()", {any}},
        {"term()", {any}},
        {"_", {any}},
        {"Unbound", {any}},
        {"none()", {none}},
        {"no_return()", {none}},
        {"float()", {float}},
        {"atom()", {atom}},
        {"module()", {atom}},
        {"node()", {atom}},
        {"'an atom'", {{atom, 'an atom'}}},
        {"pid()", {pid}},
        {"port()", {port}},
        {"reference()", {reference}},
        {"identifier()", {{union, [1, 2, 3]}, pid, port, reference}},
        {"boolean()", {{union, [1, 2]}, {atom, true}, {atom, false}}},
        {"number()", {{union, [1, 2]}, {integer, neg_inf, pos_inf}, float}},
        {"timeout()", {{union, [1, 2]}, {atom, infinity}, {integer, 0, pos_inf}}},
        {"mfa()", {{tuple, [1, 1, 2]}, atom, {integer, 0, 255}}},
        {"binary()", {{bits, 0, 8}}},
        {"bitstring()", {{bits, 0, 1}}},
        {"nonempty_binary()", {{bits, 8, 8}}},
        {"nonempty_bitstring()", {{bits, 1, 1}}},
        {"<<>>", {{bits, 0, 0}}},
        {"<<_:7>>", {{bits, 7, 0}}},
        {"<<_:_*4>>", {{bits, 0, 4}}},
        {"<<_:8, _:_*16>>", {{bits, 8, 16}}},
        {"Name :: pid()", {pid}}
    ].

integer_rows() ->
    [
        {"integer()", {{integer, neg_inf, pos_inf}}},
        {"non_neg_integer()", {{integer, 0, pos_inf}}},
        {"pos_integer()", {{integer, 1, pos_inf}}},
        {"neg_integer()", {{integer, neg_inf, -1}}},
        {"byte()", {{integer, 0, 255}}},
        {"arity()", {{integer, 0, 255}}},
        {"char()", {{integer, 0, 16#10FFFF}}},
        {"17", {{integer, 17, 17}}},
        {"-1", {{integer, -1, -1}}},
        {"$a", {{integer, $a, $a}}},
        {"$a..$z", {{integer, $a, $z}}},
        {"-5..-(2)", {{integer, -5, -2}}},
        {"0..(1 bsl 8 - 1)", {{integer, 0, 255}}},
        {"1..(7 div 2 * 10 + (bnot 0) bxor 2 band 3 bor 1 bsr 0 rem 9)",
            {{integer, 1, (7 div 2 * 10 + (bnot 0)) bxor (2 band 3) bor (1 bsr (0 rem 9))}}}
    ].

list_rows() ->
    [
        {"[]", {nil}},
        {"[a]", {{union, [1, 2]}, nil, {cons, 3, 0}, {atom, a}}},
        {"list(a)", {{union, [1, 2]}, nil, {cons, 3, 0}, {atom, a}}},
        {"list()", {{union, [1, 2]}, nil, {cons, 3, 0}, any}},
        {"[a, ...]", {{cons, 1, 2}, {atom, a}, {union, [3, 0]}, nil}},
        {"nonempty_list()", {{cons, 1, 2}, any, {union, [3, 0]}, nil}},
        {"string()", {{union, [1, 2]}, nil, {cons, 3, 0}, {integer, 0, 16#10FFFF}}},
        {"nonempty_string()", {{cons, 1, 2}, {integer, 0, 16#10FFFF}, {union, [3, 0]}, nil}},
        {"maybe_improper_list()", {{union, [1, 2]}, nil, {cons, 3, 3}, any}},
        {"maybe_improper_list(a, b)",
            {{union, [1, 2]}, nil, {cons, 3, 4}, {atom, a}, {union, [1, 2, 5]}, {atom, b}}},
        {"nonempty_improper_list(a, b)", {{cons, 1, 2}, {atom, a}, {union, [0, 3]}, {atom, b}}},
        {"nonempty_maybe_improper_list(a, b)",
            {{cons, 1, 2}, {atom, a}, {union, [3, 0, 4]}, nil, {atom, b}}},
        {"nonempty_maybe_improper_list()", {{cons, 1, 1}, any}},
        {"iolist()",
            {{union, [1, 2]}, nil, {cons, 3, 4}, {union, [5, 6, 1, 2]}, {union, [1, 2, 6]},
                {integer, 0, 255}, {bits, 0, 8}}},
        {"iodata()",
            {{union, [1, 2, 3]}, nil, {cons, 4, 0}, {bits, 0, 8}, {union, [5, 3, 1, 2]},
                {integer, 0, 255}}}
    ].

tuple_rows() ->
    [
        {"tuple()", {tuple}},
        {"{}", {{tuple, []}}},
        {"{a, b, a}", {{tuple, [1, 2, 1]}, {atom, a}, {atom, b}}},
        {"#point{}", {{tuple, [1, 2, 3]}, {atom, point}, {integer, 0, 9}, any}},
        {"#point{y :: a, x :: b}", {{tuple, [1, 2, 3]}, {atom, point}, {atom, b}, {atom, a}}},
        {"#chain{}", {{tuple, [1, 2]}, {atom, chain}, {union, [3, 0]}, {atom, undefined}}},
        {"#tight{}",
            {{tuple, [1, 2, 3]}, {atom, tight}, {tuple, [1, 2, 4]}, any, {atom, x}}}
    ].

map_rows() ->
    [
        {"map()", {{map, [{optional, 1, 1}]}, any}},
        {"#{}", {{map, []}}},
        {"#{a := b, c => a}",
            {{map, [{mandatory, 1, 2}, {optional, 3, 1}]}, {atom, a}, {atom, b}, {atom, c}}}
    ].

fun_rows() ->
    [
        {"function()", {{'fun', any, 1}, any}},
        {"fun()", {{'fun', any, 1}, any}},
        {"fun((...) -> a)", {{'fun', any, 1}, {atom, a}}},
        {"fun(() -> a)", {{'fun', [], 1}, {atom, a}}},
        {"fun((a, b) -> a)", {{'fun', [1, 2], 1}, {atom, a}, {atom, b}}}
    ].

union_rows() ->
    [
        {"a | b | a", {{union, [1, 2]}, {atom, a}, {atom, b}}},
        {"a | a", {{atom, a}}},
        {"a | none()", {{atom, a}}},
        {"a | any()", {any}},
        {"none() | none()", {none}},
        {"a | (b | (c | a))", {{union, [1, 2, 3]}, {atom, a}, {atom, b}, {atom, c}}},
        {"{a | b} | {a | b | a}", {{tuple, [1]}, {union, [2, 3]}, {atom, a}, {atom, b}}},
        {"boolean() | perhaps()",
            {{union, [1, 2, 3]}, {atom, true}, {atom, false}, {atom, perhaps}}},
        %% Named types
        {"itself()", {none}},
        {"itself_or_a()", {{atom, a}}},
        {"secret()", {{tuple, [1]}, {atom, a}}},
        {"even()", {{union, [1, 2]}, {atom, zero}, {tuple, [3]}, {tuple, [0]}}},
        {"tree(a)", {{union, [1, 2]}, {atom, leaf}, {tuple, [0, 3, 0]}, {atom, a}}},
        {"swapped(a, b)",
            {{union, [1, 2]}, {atom, leaf}, {tuple, [3, 4]}, {atom, a}, {union, [1, 5]},
                {tuple, [6, 0]}, {atom, b}}},
        {"ints()", {{union, [1, 2]}, nil, {cons, 3, 0}, {integer, neg_inf, pos_inf}}},
        %% Two ways to write the same recursion are one node.
        {"{unary(), twice()}",
            {{tuple, [1, 1]}, {union, [2, 3]}, {atom, zero}, {tuple, [1]}}}
    ].

definitions() ->
    "-record(point, {x = 0 :: 0..9, y}).\n"
    "-record(chain, {next :: undefined | #chain{}}).\n"
    "-record(tight, {a :: #tight{b :: x}, b}).\n"
    "-type perhaps() :: perhaps.\n"
    "-type itself() :: itself().\n"
    "-type itself_or_a() :: itself_or_a() | a.\n"
    "-opaque secret() :: {a}.\n"
    "-type even() :: zero | {odd()}.\n"
    "-type odd() :: {even()}.\n"
    "-type tree(A) :: leaf | {tree(A), A, tree(A)}.\n"
    "-type swapped(A, B) :: leaf | {A, swapped(B, A)}.\n"
    "-type ints() :: orddict_like(integer()).\n"
    "-type orddict_like(T) :: [T].\n"
    "-type unary() :: zero | {unary()}.\n"
    "-type twice() :: zero | {zero | {twice()}}.\n"
    "-export_type([perhaps/0, itself/0, itself_or_a/0, secret/0, even/0, odd/0, tree/1]).\n"
    "-export_type([swapped/2, ints/0, unary/0, twice/0]).\n".

%% The types that the argument of a function leads to, which is also what it returns.
argument(Type) ->
    Text = [definitions(), "-export([f/1]).\n-spec f(", Type, ") -> ", Type, ".\nf(X) -> X.\n"],
    #{clauses := [{[0], 0}], types := Types, widened := []} = signature(Text),
    Types.

%%% Specs

all_clauses_are_there_test() ->
    Text = "-export([f/2]).\n-spec f(a, b) -> c; (b, a) -> d.\nf(X, _) -> X.\n",
    Types = {{atom, a}, {atom, b}, {atom, c}, {atom, d}},
    ?assertEqual(
        #{clauses => [{[0, 1], 2}, {[1, 0], 3}], types => Types, widened => []}, signature(Text)
    ).

a_spec_with_the_name_of_its_module_counts_test() ->
    Text = "-export([f/0]).\n-spec cuter_tried:f() -> a.\nf() -> a.\n",
    ?assertMatch(#{clauses := [{[], 0}]}, signature(Text)).

variables_are_what_when_says_test() ->
    Spec = "-spec f(X, Y) -> {X, Y, Z} when X :: [Y], Y :: a, Z :: b.",
    Types = types([Spec, "\n-export([f/2]).\nf(X, Y) -> {X, Y, b}.\n"]),
    ?assertEqual(
        {{union, [3, 4]}, {atom, a}, {tuple, [0, 1, 5]}, nil, {cons, 1, 0}, {atom, b}}, Types
    ).

the_old_form_of_a_constraint_counts_test() ->
    Spec = "-spec f(X) -> X when is_subtype(X, a).\n",
    ?assertEqual({{atom, a}}, types([Spec, "-export([f/1]).\nf(X) -> X.\n"])).

variables_of_when_can_be_recursive_test() ->
    Spec = "-spec f(X) -> Y when X :: a | {Y}, Y :: b | [X].\n",
    Expected =
        {{union, [2, 3]}, {union, [4, 5, 6]}, {atom, a}, {tuple, [1]}, {atom, b}, nil, {cons, 0, 7},
            {union, [5, 6]}},
    ?assertEqual(Expected, types([Spec, "-export([f/1]).\nf(X) -> X.\n"])).

variables_of_another_clause_are_others_test() ->
    Spec = "-spec f(X) -> X when X :: a; (X) -> X when X :: b.\n",
    Signature = signature([Spec, "-export([f/1]).\nf(X) -> X.\n"]),
    ?assertMatch(
        #{clauses := [{[0], 0}, {[1], 1}], types := {{atom, a}, {atom, b}}}, Signature
    ).

the_second_constraint_of_a_variable_is_named_test() ->
    Spec = "-spec f(X) -> X when X :: atom(),\n X :: a | b.\n",
    #{types := {atom}, widened := [Sentence]} =
        signature([Spec, "-export([f/1]).\nf(X) -> X.\n"]),
    ?assertNotEqual(nomatch, string:find(Sentence, "cuter_tried.erl:3: variable X has more")).

a_function_without_a_spec_has_none_test() ->
    with("-export([f/0]).\nf() -> a.\n", fun() ->
        ?assertEqual(none, cuter_spec:signature(cuter_tried, f, 0))
    end).

the_source_is_read_without_debug_info_test() ->
    Text = "-export([f/0]).\n-spec f() -> a.\nf() -> a.\n",
    cuter_fixture:with_source(Text, [], fun(_) ->
        ?assertMatch({ok, #{types := {{atom, a}}}}, cuter_spec:signature(cuter_tried, f, 0))
    end).

%%% Other modules

remote_types_are_read_from_their_modules_test() ->
    Types = types("-export([f/0]).\n-spec f() -> orddict:orddict(a, b).\nf() -> [].\n"),
    Expected = {{union, [1, 2]}, nil, {cons, 3, 0}, {tuple, [4, 5]}, {atom, a}, {atom, b}},
    ?assertEqual(Expected, Types).

%% They are defined there by themselves.
types_of_erlang_are_the_built_in_ones_test() ->
    Types = types("-export([f/0]).\n-spec f() -> erlang:timestamp().\nf() -> {0, 0, 0}.\n"),
    ?assertEqual({{tuple, [1, 1, 1]}, {integer, 0, pos_inf}}, Types),
    Number = types("-export([f/0]).\n-spec f() -> erlang:non_neg_integer().\nf() -> 0.\n"),
    ?assertEqual({{integer, 0, pos_inf}}, Number).

a_type_of_a_module_without_code_is_any_and_named_test() ->
    Text = "-export([f/0]).\n-spec f() ->\n  {no_such_module:t(a), b}.\nf() -> {a, b}.\n",
    #{types := {{tuple, [1, 2]}, any, {atom, b}}, widened := [Sentence]} = signature(Text),
    ?assertNotEqual(
        nomatch,
        string:find(
            Sentence,
            "cuter_tried.erl:4: type no_such_module:t/1 is taken as any(): "
            "the code of module no_such_module is not available."
        )
    ).

a_type_whose_parameters_grow_is_cut_and_named_test() ->
    Text =
        "-export([f/0]).\n-export_type([g/1]).\n-spec f() -> g(a).\nf() -> nil.\n"
        "-type g(A) :: nil | {A, g([A]), g({A})}.\n",
    #{types := Types, widened := [Sentence]} = signature(Text),
    ?assertNotEqual(nomatch, string:find(Sentence, "cuter_tried.erl:6: type cuter_tried:g/1 is")),
    ?assert(lists:member(any, tuple_to_list(Types))),
    %% The first levels are as they were declared.
    ?assertMatch({{union, [1, 2]}, {atom, nil}, {tuple, [_, _, _]}, _}, first(4, Types)).

first(Count, Tuple) ->
    list_to_tuple(lists:sublist(tuple_to_list(Tuple), Count)).

%%% All of OTP that everybody has

all_specs_of_stdlib_kernel_and_compiler_are_read_test_() ->
    {timeout, 300, fun all_specs/0}.

all_specs() ->
    Signatures = [
        signature_of(Module, Function)
     || App <- [stdlib, kernel, compiler],
        Module <- modules(App),
        Function <- specified(Module)
    ],
    ?assert(length(Signatures) > 3000),
    Widened = lists:usort(lists:append([W || #{widened := W} <- Signatures])),
    %% Nothing is left out but second constraints on a variable.
    ?assertEqual([], [W || W <- Widened, string:find(W, "more than one constraint") =:= nomatch]).

modules(App) ->
    _ = application:load(App),
    {ok, Modules} = application:get_key(App, modules),
    Modules.

specified(Module) ->
    {ok, #{specs := Specs}} = cuter_forms:definitions(Module),
    [Function || {_, Function, _} <- Specs].

signature_of(Module, {Name, Arity}) ->
    {ok, Signature} = cuter_spec:signature(Module, Name, Arity),
    ?assertEqual([], faults(Signature)),
    Signature.

%% What a closed table must not have.
faults(#{clauses := Clauses, types := Types}) ->
    Roots = lists:append([[Result | Args] || {Args, Result} <- Clauses]),
    All = tuple_to_list(Types),
    Used = lists:usort(Roots ++ lists:flatmap(fun refs/1, All)),
    [{unused, R} || R <- lists:seq(0, tuple_size(Types) - 1) -- Used] ++
        [{outside, R} || R <- Used, R >= tuple_size(Types)] ++
        [{twice, T} || T <- All -- lists:usort(All)] ++
        [
            {nested, T}
         || {union, Members} = T <- All,
            M <- Members,
            is_union(element(M + 1, Types)) orelse length(Members) < 2
        ].

is_union({union, _}) -> true;
is_union(Type) -> Type =:= any orelse Type =:= none.

refs({cons, H, T}) -> [H, T];
refs({Kind, Refs}) when Kind =:= tuple; Kind =:= union -> Refs;
refs({map, Associations}) -> lists:append([[K, V] || {_, K, V} <- Associations]);
refs({'fun', any, Result}) -> [Result];
refs({'fun', Args, Result}) -> [Result | Args];
refs(_Leaf) -> [].

%%% What is malformed. The compiler lets only some of it pass: all of it is put into debug_info.

malformed_types_are_named_by_file_and_line_test_() ->
    [
        {Part, fun() -> check_malformed(Type, Part) end}
     || {Type, Part} <- [
            {user([], no_such_type), "type no_such_type/0 is not defined"},
            {user([{atom, 7, a}], pair), "type pair has 1 parameters here, but takes 2"},
            {builtin([{atom, 7, a}], integer), "type integer has 1 parameters here, but takes 0"},
            {builtin([{atom, 7, a}, {atom, 7, a}], list), "takes 0 or 1"},
            {remote(lists, no_such_type, []), "type lists:no_such_type/0 is not defined"},
            {remote(orddict, orddict, [{atom, 7, a}]), "orddict has 1 parameters here, but takes"},
            {builtin([{atom, 7, nothing}], record), "record nothing is not defined"},
            {record_override(), "record point has no field z"},
            {builtin([{integer, 7, 5}, {integer, 7, 1}], range), "no integer is in the range 5..1"},
            {builtin([{integer, 7, 5}, {atom, 7, a}], range), "an integer is needed here"},
            {builtin([{integer, 7, 5}, division()], range), "an integer is needed here"},
            {builtin([{op, 7, '-', {integer, 7, 8}}, {integer, 7, 0}], binary), "-8 bits"},
            {{what, 7, ever, 1}, "no type that this release"}
        ]
    ].

user(Args, Name) -> {user_type, 7, Name, Args}.

builtin(Args, Name) -> {type, 7, Name, Args}.

remote(Module, Name, Args) -> {remote_type, 7, [{atom, 7, Module}, {atom, 7, Name}, Args]}.

record_override() ->
    builtin([{atom, 7, point}, {type, 7, field_type, [{atom, 7, z}, {atom, 7, a}]}], record).

division() ->
    {op, 7, 'div', {integer, 7, 1}, {integer, 7, 0}}.

check_malformed(Type, Part) ->
    Spec = {type, 7, 'fun', [{type, 7, product, []}, {type, 7, tuple, [Type]}]},
    check_sentence(with_spec({{f, 0}, [Spec]}), ["cuter_tried.erl:7: ", Part]).

a_malformed_spec_is_named_by_file_and_line_test() ->
    Fun = {type, 7, 'fun', [{type, 7, product, []}, {atom, 7, a}]},
    check_sentence(
        with_spec({{g, 0}, [Fun]}),
        ["cuter_tried.erl:7: ", "a spec for function g/0, which does not exist"]
    ),
    check_sentence(
        with_spec({{f, 1}, [Fun]}), ["cuter_tried.erl:7: ", "function f/1 has 0 arguments"]
    ).

nothing_runs_if_a_spec_is_malformed_test() ->
    Text = "-export([f/0]).\n\n-spec f() -> {lists:no_such_type()}.\nf() -> {a}.\n",
    with(Text, fun() ->
        Result = cuter:run(cuter_tried, f, 0, #{quiet => true}),
        check_sentence(Result, ["cuter_tried.erl:4: type lists:no_such_type/0 is not defined"]),
        ?assertMatch(#{}, cuter:run(cuter_tried, f, [], #{quiet => true, ignore_specs => true}))
    end).

%% The signature of `f` in a module whose debug_info has this spec.
with_spec({{_, Arity}, _} = Spec) ->
    Text =
        "-export([f/0, f/1]).\n-record(point, {x}).\n-type pair(A, B) :: {A, B}.\n"
        "-export_type([pair/2]).\nf() -> #point{}.\nf(X) -> X.\n",
    cuter_fixture:with_source(Text, [debug_info], fun(Source) ->
        Beam = filename:rootname(Source) ++ ".beam",
        {ok, _, Chunks} = beam_lib:all_chunks(Beam),
        {_, Dbgi} = lists:keyfind("Dbgi", 1, Chunks),
        {debug_info_v1, Backend, {Forms, Options}} = binary_to_term(Dbgi),
        {Before, Functions} = lists:splitwith(fun is_attribute/1, Forms),
        Changed = Before ++ [{attribute, 7, spec, Spec} | Functions],
        NewDbgi = term_to_binary({debug_info_v1, Backend, {Changed, Options}}),
        New = lists:keyreplace("Dbgi", 1, Chunks, {"Dbgi", NewDbgi}),
        {ok, Binary} = beam_lib:build_module(New),
        ok = file:write_file(Beam, Binary),
        cuter_spec:signature(cuter_tried, f, Arity)
    end).

is_attribute(Form) ->
    element(1, Form) =:= attribute.

check_sentence({error, Reason}, Parts) ->
    Text = unicode:characters_to_list(cuter:format_error(Reason)),
    [?assertNotEqual(nomatch, string:find(Text, Part)) || Part <- Parts],
    ?assertEqual($., lists:last(Text)).

%%% Reading

types(Text) ->
    #{types := Types, widened := []} = signature(Text),
    Types.

%% The signature of the function `f` in a module of this text. The first line is 2.
signature(Text) ->
    with(Text, fun() ->
        {ok, #{specs := [{_, {f, Arity}, _}]}} = cuter_forms:definitions(cuter_tried),
        {ok, Signature} = cuter_spec:signature(cuter_tried, f, Arity),
        ?assertEqual([], faults(Signature)),
        ?assertEqual({ok, Signature}, cuter_spec:signature(cuter_tried, f, Arity)),
        Signature
    end).

with(Text, Test) ->
    cuter_fixture:with_source(Text, [debug_info], fun(_Source) -> Test() end).
