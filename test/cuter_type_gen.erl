%% Modules with types and specs, made up from a number: the same one gives the same module.
%%
%% Of every choice, its place in the module says which it is: there is no state. Types are
%% inhabited: a type that comes later or is being defined is named only in a union, never as its
%% first member.
-module(cuter_type_gen).

-export([forms/3, forms/4, source/3, names/1, values/3]).

%% What a choice depends on. `guarded` says whether types of higher numbers may be named.
-record(gen, {
    seed, path = [], number, count, depth = 3, guarded = false, variables = [], flavour = mixed
}).

%% Types of all kinds alike, or mostly maps and funs, inside of each other and of everything else.
-type flavour() :: mixed | maps_and_funs.

-export_type([flavour/0]).

-define(RECORDS, 3).
-define(PARAMETRIC, 4).
-define(ATOMS, [a, b, ok, error, undefined, 'an atom', ünïcode]).

%% A module that exports `f<N>/1` for each of its types, with `-spec f<N>(t<N>()) -> t<N>()` or, for
%% even numbers, the same with a variable.
-spec source(module(), integer(), pos_integer()) -> binary().
source(Module, Seed, Count) ->
    Text = [erl_pp:form(Form, [{encoding, unicode}]) || Form <- forms(Module, Seed, Count)],
    unicode:characters_to_binary(Text).

%% The names of the types in a module of that many.
-spec names(pos_integer()) -> [atom()].
names(Count) ->
    [name("t", N) || N <- lists:seq(1, Count)].

-spec forms(module(), integer(), pos_integer()) -> [tuple()].
forms(Module, Seed, Count) ->
    forms(Module, Seed, Count, mixed).

-spec forms(module(), integer(), pos_integer(), flavour()) -> [tuple()].
forms(Module, Seed, Count, Flavour) ->
    Numbers = lists:seq(1, Count),
    Gen = #gen{seed = Seed, count = Count, flavour = Flavour},
    [
        {attribute, 1, file, {atom_to_list(Module) ++ ".erl", 1}},
        {attribute, 1, module, Module},
        {attribute, 1, export, [{name("f", N), 1} || N <- Numbers]},
        {attribute, 1, export_type, [{Name, 0} || Name <- names(Count)]}
    ] ++
        [record(N, Gen) || N <- lists:seq(1, ?RECORDS)] ++
        [parametric(N, Gen) || N <- lists:seq(1, ?PARAMETRIC)] ++
        [{attribute, 1, type, {name("t", N), body(N, Gen), []}} || N <- Numbers] ++
        lists:append([function(N) || N <- Numbers]).

name(Letter, Number) ->
    list_to_atom(Letter ++ integer_to_list(Number)).

function(N) ->
    Clause = {clause, 1, [{var, 1, 'X'}], [], [{var, 1, 'X'}]},
    [
        {attribute, 1, spec, {{name("f", N), 1}, [spec(N, {user_type, 1, name("t", N), []})]}},
        {function, 1, name("f", N), 1, [Clause]}
    ].

spec(N, Type) when N rem 2 =:= 1 ->
    {type, 1, 'fun', [{type, 1, product, [Type]}, Type]};
spec(N, Type) ->
    Variable = {var, 1, 'X'},
    Constraint = {type, 1, constraint, [{atom, 1, is_subtype}, [Variable, Type]]},
    {type, 1, bounded_fun, [spec(N + 1, Variable), [Constraint]]}.

%% The second field of a record can hold a record of the same name.
record(N, Gen0) ->
    Gen = Gen0#gen{path = [record, N], number = 0},
    Self = {type, 1, record, [{atom, 1, name("r", N)}]},
    Types = [type(at(1, Gen)), union([{atom, 1, undefined}, type(at(2, Gen)), Self])],
    Fields = [
        {typed_record_field, {record_field, 1, {atom, 1, Name}}, Type}
     || {Name, Type} <- lists:zip([x, y], Types)
    ],
    {attribute, 1, record, {name("r", N), Fields ++ [{record_field, 1, {atom, 1, z}}]}}.

%% Recursive with its own parameter, or with another one that closes after a step.
parametric(N, Gen0) ->
    Gen = Gen0#gen{path = [parametric, N], number = 0, variables = ['A']},
    Var = {var, 1, 'A'},
    Again = pick([Var, type(at(1, Gen#gen{variables = []}))], at(again, Gen)),
    Self = {user_type, 1, name("p", N), [Again]},
    Step = pick([fun tuple_of/1, fun cell_of/1, fun map_of/1], at(step, Gen)),
    Body = union([{atom, 1, empty}, Step([Var, Self]), type(at(2, Gen))]),
    {attribute, 1, type, {name("p", N), Body, [Var]}}.

tuple_of(Types) -> {type, 1, tuple, Types}.

cell_of([Head, Tail]) -> {type, 1, nonempty_improper_list, [Head, Tail]}.

map_of([Key, Value]) -> {type, 1, map, [{type, 1, map_field_assoc, [Key, Value]}]}.

body(N, Gen0) ->
    Gen = Gen0#gen{path = [type, N], number = N},
    type(Gen).

%%% Choices

at(Step, #gen{path = Path} = Gen) ->
    Gen#gen{path = [Step | Path]}.

choose(Count, #gen{seed = Seed, path = Path}) ->
    erlang:phash2({Seed, Path}, Count).

pick(List, Gen) ->
    lists:nth(choose(length(List), Gen) + 1, List).

%%% Types

type(#gen{depth = 0} = Gen) ->
    leaf(Gen);
type(#gen{depth = Depth} = Gen) ->
    Inner = Gen#gen{depth = Depth - 1},
    Kind = pick(kinds(Gen), at(kind, Gen)),
    compound(Kind, at(Kind, Inner)).

kinds(#gen{flavour = mixed}) ->
    [leaf, leaf, union, union, union, tuple, list, improper, map, 'fun', record, annotated] ++
        [named, named, parametric, remote];
kinds(#gen{flavour = maps_and_funs, depth = Depth, path = [type, _]}) when Depth > 0 ->
    [map, map, 'fun', 'fun', union, tuple, list, record, parametric];
kinds(#gen{flavour = maps_and_funs}) ->
    [leaf, map, map, map, 'fun', 'fun', union, union, tuple, list, record, named, parametric].

types(From, To, Gen) ->
    Count = From + choose(To - From + 1, at(count, Gen)),
    [type(at(N, Gen)) || N <- lists:seq(1, Count)].

union(Members) ->
    {type, 1, union, Members}.

compound(leaf, Gen) ->
    leaf(Gen);
compound(union, Gen) ->
    Others = types(1, 3, Gen#gen{guarded = true}),
    union([type(at(first, Gen)) | Others ++ recursion(at(recursion, Gen))]);
compound(tuple, Gen) ->
    tuple_of(types(0, 3, Gen));
compound(list, Gen) ->
    {type, 1, pick([list, nonempty_list], at(which, Gen)), [type(Gen)]};
compound(improper, Gen) ->
    Names = [maybe_improper_list, nonempty_improper_list, nonempty_maybe_improper_list],
    {type, 1, pick(Names, at(which, Gen)), [type(at(1, Gen)), type(at(2, Gen))]};
compound(map, Gen) ->
    {type, 1, map, associations(choose(4, at(count, Gen)), Gen)};
compound('fun', Gen) ->
    Args = pick([{type, 1, any}, {type, 1, product, types(0, 3, Gen)}], at(which, Gen)),
    {type, 1, 'fun', [Args, type(at(result, Gen))]};
compound(record, #gen{number = 0} = Gen) ->
    leaf(Gen);
compound(record, Gen) ->
    Field = pick([x, y, z], at(field, Gen)),
    Override = {type, 1, field_type, [{atom, 1, Field}, type(Gen)]},
    Name = {atom, 1, name("r", 1 + choose(?RECORDS, at(which, Gen)))},
    {type, 1, record, pick([[Name], [Name, Override]], at(overridden, Gen))};
compound(annotated, Gen) ->
    {ann_type, 1, [{var, 1, 'Name'}, type(Gen)]};
compound(named, Gen) ->
    earlier(Gen);
compound(parametric, Gen) ->
    parametric_use(Gen);
compound(remote, Gen) ->
    Args = [type(at(1, Gen)), type(at(2, Gen))],
    Types = [{orddict, orddict, Args}, {unicode, chardata, []}, {proplists, proplist, []}],
    {Module, Name, Parameters} = pick(Types, at(which, Gen)),
    {remote_type, 1, [{atom, 1, Module}, {atom, 1, Name}, Parameters]}.

%% Records and parametric types come first in the module and do not use each other.
parametric_use(#gen{number = 0} = Gen) ->
    leaf(Gen);
parametric_use(Gen) ->
    {user_type, 1, name("p", 1 + choose(?PARAMETRIC, at(which, Gen))), [type(Gen)]}.

earlier(#gen{number = Number} = Gen) when Number =< 1 ->
    leaf(Gen);
earlier(#gen{number = Number, count = Count, guarded = Guarded} = Gen) ->
    Known =
        case Guarded of
            true -> Count;
            false -> Number - 1
        end,
    {user_type, 1, name("t", 1 + choose(Known, at(which, Gen))), []}.

%% Half of the unions of a type contain that type, in a tuple or list.
recursion(#gen{number = 0}) ->
    [];
recursion(#gen{number = Number} = Gen) ->
    Self = {user_type, 1, name("t", Number), []},
    Tuple = tuple_of([{atom, 1, pick(?ATOMS, at(tag, Gen))}, Self]),
    pick([[], [], [Tuple], [{type, 1, list, [Self]}]], Gen).

%% Literal keys first, so that each mandatory association can have its key.
associations(Count, Gen) ->
    Literals = [
        {type, 1, pick([map_field_exact, map_field_assoc], at({kind, N}, Gen)), [
            lists:nth(N, [{atom, 1, a}, {integer, 1, 1}, {type, 1, nil, []}]), type(at(N, Gen))
        ]}
     || N <- lists:seq(1, Count)
    ],
    Literals ++ pick([[], [general(Gen)]], at(general, Gen)).

%% Of these keys there are more than the literals, so that each map can have one.
general(#gen{flavour = maps_and_funs} = Gen) ->
    Kind = pick([map_field_exact, map_field_assoc, map_field_assoc], at(general_kind, Gen)),
    Plain = [{type, 1, Name, []} || Name <- [atom, integer, binary, pos_integer, string]],
    Pair = tuple_of([{type, 1, boolean, []}, {type, 1, integer, []}]),
    Key = pick([Pair, {type, 1, range, [{integer, 1, 0}, {integer, 1, 9}]} | Plain], at(key, Gen)),
    {type, 1, Kind, [Key, type(at(value, Gen))]};
general(Gen) ->
    {type, 1, map_field_assoc, [type(at(key, Gen)), type(at(value, Gen))]}.

leaf(#gen{variables = [Name | _]} = Gen) ->
    pick([{var, 1, Name}, leaf(Gen#gen{variables = []})], at(variable, Gen));
leaf(Gen) ->
    Kinds = [plain, plain, plain, atom, integer, range, bits, nil, any_tuple, any_map],
    leaf(pick(Kinds, at(leaf, Gen)), at(value, Gen)).

leaf(plain, Gen) -> {type, 1, pick(plain(), Gen), []};
leaf(atom, Gen) -> {atom, 1, pick(?ATOMS, Gen)};
leaf(integer, Gen) -> pick(integers(), Gen);
leaf(range, Gen) -> {type, 1, range, pick(ranges(), Gen)};
leaf(bits, Gen) -> {type, 1, binary, [{integer, 1, N} || N <- pick(bits(), Gen)]};
leaf(nil, _Gen) -> {type, 1, nil, []};
leaf(any_tuple, _Gen) -> {type, 1, tuple, any};
leaf(any_map, _Gen) -> {type, 1, map, any}.

plain() ->
    [integer, non_neg_integer, pos_integer, neg_integer, byte, char, arity, float, number] ++
        [atom, boolean, module, node, binary, bitstring, nonempty_binary, nonempty_bitstring] ++
        [string, nonempty_string, iolist, iodata, list, nonempty_list, maybe_improper_list] ++
        [pid, reference, port, identifier, timeout, mfa, function, term, any].

integers() ->
    Big = {op, 1, 'bsl', {integer, 1, 1}, {integer, 1, 70}},
    [{integer, 1, 0}, {integer, 1, 42}, {op, 1, '-', {integer, 1, 7}}, {char, 1, $x}, Big].

ranges() ->
    Minus = {op, 1, '-', {integer, 1, 3}},
    Byte = {op, 1, '-', {op, 1, 'bsl', {integer, 1, 1}, {integer, 1, 8}}, {integer, 1, 1}},
    [[Minus, {integer, 1, 3}], [{char, 1, $a}, {char, 1, $z}], [{integer, 1, 1}, Byte]].

bits() ->
    [[0, 0], [8, 0], [0, 3], [5, 7], [16, 8], [1, 1]].

%%% Values

%% Terms of the type of that name: some that belong to it, and some that are a step away from that.
-spec values([tuple()], atom(), pos_integer()) -> [term()].
values(Forms, Name, Count) ->
    Type = {user_type, 1, Name, []},
    Good = [
        cuter_value_gen:value(Type, Forms, {Name, N}, N rem 5)
     || N <- lists:seq(1, Count)
    ],
    Good ++ [cuter_value_gen:changed(Value, {Name, N}) || {N, Value} <- numbered(Good)].

numbered(List) ->
    lists:zip(lists:seq(1, length(List)), List).
