%% Modules of small functions over all types, made up from a number: the same one gives the same
%% module.
%%
%% Of every choice, its place in the program says which it is: there is no state. Expressions are
%% made for a type that is wanted. Mostly they have it; now and then a variable of another type is
%% taken, so that what raises for a wrong type is met too. What a function returns is a tuple whose
%% first element is a number of the place in the program, so that its results show where it went.
-module(cuter_program_gen).

-export([source/3, argument_types/2, seed/2, term/2]).

-export_type([type/0]).

%% `ints` are lists of integers, `items` of anything, `text` of characters.
-type type() ::
    int | float | atom | bool | ints | items | text | tuple | map | bin | function | any.

%% What a choice depends on; `scope` has the variables that can be named here, `calls` is the name
%% of a function of a list and an integer, if there is one.
-record(gen, {seed, path = [], scope = [], fuel = 3, calls = []}).

-define(TYPES, [int, int, float, atom, bool, ints, items, text, tuple, map, bin, function, any]).
-define(ATOMS, [a, b, ok, error, true, false, undefined, 'B', zz]).
-define(NUMBERS, [0, 1, -1, 2, 3, 7, 10, -8, 13, 255, 256, 1000]).
-define(FLOATS, ["0.0", "1.0", "0.5", "-2.25", "0.1", "3.0", "1.0e10"]).

%% A module that exports `f1` to `f<Count>`, of one to three arguments each.
-spec source(module(), integer(), pos_integer()) -> iodata().
source(Module, Seed, Count) ->
    Numbers = lists:seq(1, Count),
    Exports = [[name("f", N), "/", digits(length(argument_types(Seed, N)))] || N <- Numbers],
    [
        ["-module(", atom_to_list(Module), ").\n"],
        ["-export([", lists:join(", ", Exports), "]).\n"],
        [program(Seed, N) || N <- Numbers]
    ].

%% The types of the arguments, and whether the function has a spec that says so.
-spec argument_types(integer(), pos_integer()) -> [type()].
argument_types(Seed, N) ->
    Gen = gen(Seed, N),
    Count = 1 + choose(3, at(arity, Gen)),
    [pick(?TYPES, at({argument, I}, Gen)) || I <- lists:seq(1, Count)].

%% The first input, a dull one.
-spec seed(integer(), pos_integer()) -> [term()] | arity().
seed(Seed, N) ->
    Types = argument_types(Seed, N),
    case has_spec(gen(Seed, N)) of
        true -> length(Types);
        false -> [dull(Type) || Type <- Types]
    end.

has_spec(Gen) ->
    choose(2, at(spec, Gen)) =:= 0.

dull(int) -> 0;
dull(float) -> 0.0;
dull(atom) -> a;
dull(bool) -> false;
dull(List) when List =:= ints; List =:= items; List =:= text -> [];
dull(tuple) -> {};
dull(map) -> #{};
dull(bin) -> <<>>;
dull(function) -> fun(_) -> 0 end;
dull(any) -> 0.

gen(Seed, N) ->
    #gen{seed = Seed, path = [N]}.

name(Letter, N) ->
    [Letter, digits(N)].

digits(N) ->
    integer_to_list(N).

%%% Choices

at(Step, #gen{path = Path} = Gen) ->
    Gen#gen{path = [Step | Path]}.

%% The same, one level further in.
inside(Step, #gen{fuel = Fuel} = Gen) ->
    at(Step, Gen#gen{fuel = Fuel - 1}).

choose(Count, #gen{seed = Seed, path = Path}) ->
    erlang:phash2({Seed, Path}, Count).

pick(List, Gen) ->
    lists:nth(choose(length(List), Gen) + 1, List).

%% A type, as a rule that of some variable.
some_type(#gen{scope = Scope} = Gen) ->
    Known = [Type || {_, Type} <- Scope],
    first_order(pick(Known ++ Known ++ [pick(?TYPES, at(other, Gen))], Gen)).

first_order(function) -> int;
first_order(Type) -> Type.

%% A variable that no other place in the program names.
fresh(#gen{path = Path}) ->
    ["V", integer_to_list(erlang:phash2(Path, 1 bsl 27), 36)].

bound(Variables, #gen{scope = Scope} = Gen) ->
    Gen#gen{scope = Variables ++ Scope}.

%%% Functions

program(Seed, N) ->
    Gen = gen(Seed, N),
    Types = argument_types(Seed, N),
    Arguments = [{name("X", I), T} || {I, T} <- numbered(Types)],
    Variables = lists:join(", ", [X || {X, _} <- Arguments]),
    Walks = choose(4, at(walks, Gen)) =:= 0,
    Body = Gen#gen{scope = Arguments, calls = [name("walk", N) || Walks]},
    [
        [spec(N, Types, Gen) || has_spec(Gen)],
        [name("f", N), "(", Variables, ") ->\n", body(at(body, Body)), ".\n"],
        [walk(name("walk", N), at(walk, Gen)) || Walks]
    ].

numbered(List) ->
    lists:zip(lists:seq(1, length(List)), List).

spec(N, Types, Gen) ->
    Said = [type(T, at({spec, I}, Gen)) || {I, T} <- numbered(Types)],
    ["-spec ", name("f", N), "(", lists:join(", ", Said), ") -> term().\n"].

type(int, Gen) -> pick(["integer()", "integer()", "0..255", "pos_integer()"], Gen);
type(float, Gen) -> pick(["float()", "number()"], Gen);
type(atom, Gen) -> pick(["atom()", "a | b | ok"], Gen);
type(bool, _Gen) -> "boolean()";
type(ints, Gen) -> pick(["[integer()]", "[byte()]", "nonempty_list(integer())"], Gen);
type(items, Gen) -> pick(["list()", "[atom() | integer()]", "[{atom(), integer()}]"], Gen);
type(text, _Gen) -> "string()";
type(tuple, Gen) -> pick(["tuple()", "{integer(), atom()}", "{a, integer()} | {b}"], Gen);
type(map, Gen) -> pick(["map()", "#{a := integer(), b => atom()}", "#{atom() => integer()}"], Gen);
type(bin, Gen) -> pick(["binary()", "bitstring()"], Gen);
type(function, _Gen) -> "fun((integer()) -> integer())";
type(any, Gen) -> pick(["term()", "integer() | atom() | [integer()]"], Gen).

%% A function that goes down a list.
walk(Name, Gen0) ->
    Gen = Gen0#gen{scope = [{"X", int}, {"Acc", int}], fuel = 2},
    End = pick(["[]", "_"], at('end', Gen)),
    [
        [Name, "([X | Rest], Acc) when ", guard(at(1, Gen)), " ->\n    "],
        [Name, "(Rest, ", expr(int, at(2, Gen)), ");\n"],
        [Name, "([_ | Rest], Acc) ->\n    ", Name, "(Rest, Acc);\n"],
        [Name, "(", End, ", Acc) ->\n    Acc.\n"]
    ].

%%% Bodies: what stands on lines of its own

body(#gen{fuel = Fuel} = Gen) when Fuel =< 0 ->
    leaf(Gen);
body(Gen) ->
    Kinds = ['case', 'case', 'case', 'if', match, bind, bind, 'try', leaf, clauses],
    body(pick(Kinds, at(kind, Gen)), Gen).

body(leaf, Gen) ->
    leaf(Gen);
body('case', Gen) ->
    Type = some_type(at(type, Gen)),
    Variable = variable(Type, at(variable, Gen)),
    Subject = pick([Variable, Variable, expr(Type, inside(subject, Gen))], Gen),
    Count = 1 + choose(3, at(count, Gen)),
    Clauses = [clause(Type, inside({clause, I}, Gen)) || I <- lists:seq(1, Count)],
    ["case ", Subject, " of\n", lists:join(";\n", Clauses ++ rest(Gen)), "\nend"];
body('if', Gen) ->
    First = [guard(at(guard, Gen)), " ->\n", body(inside(then, Gen))],
    Second = [guard(at(second, Gen)), " ->\n", body(inside('second then', Gen))],
    ["if\n", First, ";\n", Second, ";\ntrue ->\n", body(inside('else', Gen)), "\nend"];
body(match, Gen) ->
    Type = some_type(at(type, Gen)),
    {Pattern, Variables} = pattern(Type, at(pattern, Gen#gen{fuel = 2})),
    Expr = expr(Type, inside(expr, Gen)),
    [Pattern, " = ", Expr, ",\n", body(inside(then, bound(Variables, Gen)))];
body(bind, Gen) ->
    Type = some_type(at(type, Gen)),
    Name = fresh(Gen),
    Expr = expr(Type, Gen#gen{path = [bound | Gen#gen.path], fuel = 2}),
    [Name, " = ", Expr, ",\n", body(inside(then, bound([{Name, Type}], Gen)))];
body('try', Gen) ->
    Caught = pick(["error:badarg", "error:badarith", "error:_", "throw:_", "_:_"], at(class, Gen)),
    Caught2 = pick(["error:{badmatch, _}", "throw:caught", "error:function_clause"], Gen),
    [
        ["try\n", body(inside('try', Gen)), "\ncatch\n"],
        [Caught2, " ->\n", leaf(at('first catch', Gen)), ";\n"],
        [Caught, " ->\n", body(inside('catch', Gen)), "\nend"]
    ];
body(clauses, Gen) ->
    Type = some_type(at(type, Gen)),
    Count = 1 + choose(2, at(count, Gen)),
    Clauses = [fun_clause(Type, inside({clause, I}, Gen)) || I <- lists:seq(1, Count)],
    ["(fun\n", lists:join(";\n", Clauses), "\nend)(", expr(Type, inside(argument, Gen)), ")"].

rest(Gen) ->
    case choose(3, at(rest, Gen)) of
        0 -> [];
        _ -> [["_ ->\n", leaf(at('rest leaf', Gen))]]
    end.

clause(Type, Gen) ->
    {Pattern, Variables} = pattern(Type, at(pattern, Gen#gen{fuel = 2})),
    Inner = bound(Variables, Gen),
    [Pattern, when_guard(at('when', Inner)), " ->\n", body(at(then, Inner))].

fun_clause(Type, Gen) ->
    {Pattern, Variables} = pattern(Type, at(pattern, Gen#gen{fuel = 2})),
    Inner = bound(Variables, Gen),
    ["(", Pattern, ")", when_guard(at('when', Inner)), " ->\n", body(at(then, Inner))].

when_guard(Gen) ->
    case choose(2, Gen) of
        0 -> "";
        1 -> [" when ", guard(at(guard, Gen))]
    end.

leaf(Gen) ->
    Raised = ["{found, ", expr(int, at(found, Gen#gen{fuel = 1})), "}"],
    case choose(8, at(leaf, Gen)) of
        0 -> ["error(", Raised, ")"];
        1 -> "error(found)";
        2 -> "throw(caught)";
        3 -> ["exit(", Raised, ")"];
        _ -> ["{", leaf_number(Gen), ", ", expr(some_type(at(type, Gen)), inside(value, Gen)), "}"]
    end.

leaf_number(#gen{path = Path}) ->
    digits(erlang:phash2(Path, 1 bsl 27)).

%%% Patterns: text and the variables that are bound

pattern(Type, Gen) ->
    case choose(5, at(simple, Gen)) of
        0 -> {"_", []};
        1 -> variable_pattern(Type, Gen);
        _ -> made_pattern(Type, Gen)
    end.

variable_pattern(Type, Gen) ->
    Name = fresh(Gen),
    {Name, [{Name, Type}]}.

inner(Type, Step, Gen) ->
    pattern(Type, inside(Step, Gen)).

made_pattern(Type, #gen{fuel = Fuel} = Gen) when Fuel =< 0 ->
    variable_pattern(Type, Gen);
made_pattern(int, Gen) ->
    {digits(pick(?NUMBERS, Gen)), []};
made_pattern(float, Gen) ->
    {pick(?FLOATS, Gen), []};
made_pattern(atom, Gen) ->
    {quoted(pick(?ATOMS, Gen)), []};
made_pattern(bool, Gen) ->
    {pick(["true", "false"], Gen), []};
made_pattern(ints, Gen) ->
    list_pattern(int, Gen);
made_pattern(items, Gen) ->
    list_pattern(any, Gen);
made_pattern(text, Gen) ->
    {Rest, Variables} = inner(text, rest, Gen),
    Prefix = {["\"ab\" ++ ", Rest], Variables},
    pick([Prefix, {"\"-1\"", []}, list_pattern(int, Gen)], at(which, Gen));
made_pattern(tuple, Gen) ->
    {First, One} = inner(pick([atom, int], Gen), 1, Gen),
    {Second, Two} = inner(any, 2, Gen),
    Third = {["{", First, ", ", Second, "}"], One ++ Two},
    pick([{["{", First, "}"], One}, Third, Third, {"{}", []}], at(which, Gen));
made_pattern(map, Gen) ->
    {First, One} = inner(int, 1, Gen),
    {Second, Two} = inner(any, 2, Gen),
    Both = {["#{a := ", First, ", b := ", Second, "}"], One ++ Two},
    pick([{["#{a := ", First, "}"], One}, Both, {["#{1 := ", Second, "}"], Two}], at(which, Gen));
made_pattern(bin, Gen) ->
    binary_pattern(Gen);
made_pattern(any, Gen) ->
    made_pattern(pick(?TYPES -- [function, any], at(any, Gen)), Gen).

list_pattern(Type, Gen) ->
    {First, One} = inner(Type, 1, Gen),
    {Second, Two} = inner(Type, 2, Gen),
    {Rest, Three} = inner(items, 3, Gen),
    pick(
        [
            {"[]", []},
            {["[", First, " | ", Rest, "]"], One ++ Three},
            {["[", First, ", ", Second, "]"], One ++ Two},
            {["[", First, ", ", Second, " | ", Rest, "]"], One ++ Two ++ Three}
        ],
        at(which, Gen)
    ).

binary_pattern(Gen) ->
    {N, R, X} = {fresh(at(n, Gen)), fresh(at(r, Gen)), fresh(at(x, Gen))},
    Sized = [{N, int}, {X, bin}],
    Number = pick(["16", "16/little", "8/signed", "12", "24/signed-little"], at(number, Gen)),
    pick(
        [
            {["<<", N, ", ", R, "/binary>>"], [{N, int}, {R, bin}]},
            {["<<", N, ":", Number, ">>"], [{N, int}]},
            {["<<1, ", N, ":", Number, ", ", R, "/bitstring>>"], [{N, int}, {R, bin}]},
            {["<<", N, ", ", X, ":", N, "/binary, ", R, "/binary>>"], Sized ++ [{R, bin}]},
            {["<<", N, ":3, ", X, "/bitstring>>"], Sized},
            {["<<\"ab\", ", R, "/binary>>"], [{R, bin}]},
            {["<<", N, "/utf8, ", R, "/binary>>"], [{N, int}, {R, bin}]},
            {["<<", N, "/float>>"], [{N, float}]},
            {["<<", N, ":32/float, ", R, "/binary>>"], [{N, float}, {R, bin}]},
            {"<<>>", []}
        ],
        at(which, Gen)
    ).

%%% Guards

guard(#gen{fuel = Fuel} = Gen) ->
    Inner = Gen#gen{fuel = min(Fuel, 2)},
    First = condition(at(1, Inner)),
    Second = condition(at(2, Inner)),
    Operator = pick([", ", "; ", " andalso ", " orelse "], at(operator, Gen)),
    pick([First, First, [First, Operator, Second], ["not (", First, ")"]], at(which, Gen)).

condition(Gen) ->
    Type = some_type(at(type, Gen)),
    Left = guard_expr(Type, inside(left, Gen)),
    Other = pick([Type, Type, Type, any], at(other, Gen)),
    Right = guard_expr(Other, inside(right, Gen)),
    case choose(4, at(test, Gen)) of
        0 -> [type_test(at(name, Gen)), "(", Left, ")"];
        _ -> [Left, comparison(at(name, Gen)), Right]
    end.

type_test(Gen) ->
    pick(
        [
            "is_integer",
            "is_float",
            "is_number",
            "is_atom",
            "is_boolean",
            "is_list",
            "is_tuple",
            "is_map",
            "is_binary",
            "is_bitstring",
            "is_function"
        ],
        Gen
    ).

comparison(Gen) ->
    pick([" =:= ", " == ", " =/= ", " /= ", " < ", " > ", " =< ", " >= "], Gen).

guard_expr(Type, #gen{fuel = Fuel} = Gen) when Fuel =< 0 ->
    atomic(Type, Gen);
guard_expr(int, Gen) ->
    case choose(3, at(simple, Gen)) of
        0 -> atomic(int, Gen);
        _ -> int(pick(guard_ints(), at(which, Gen)), fun guard_expr/2, Gen)
    end;
guard_expr(Type, Gen) ->
    atomic(Type, Gen).

guard_ints() ->
    [plus, minus, times, 'div', 'rem', 'band', 'bor', 'bxor', 'bsl', 'bsr', 'bnot', abs, length] ++
        [byte_size, bit_size, tuple_size, map_size, element, hd, trunc, round].

%%% Expressions

%% A variable of a type, if there is one; now and then one of another type.
variable(Type, #gen{scope = Scope} = Gen) ->
    Right = [Name || {Name, T} <- Scope, T =:= Type orelse fits(T, Type)],
    Any = [Name || {Name, _} <- Scope],
    case {Right, choose(8, at(wrong, Gen))} of
        {_, 0} -> pick(Any, Gen);
        {[], 1} -> constant(Type, Gen);
        {[], _} -> derived(Type, pick(Scope, at(from, Gen)), at(derived, Gen));
        {_, _} -> pick(Right, Gen)
    end.

%% Something of a type that is made of one variable, also in guards.
derived(int, {Name, From}, Gen) ->
    ["(", pick(measures(Name, From), Gen), ")"];
derived(float, Variable, Gen) ->
    ["(", derived(int, Variable, Gen), " * 0.5)"];
derived(atom, {Name, _}, _Gen) ->
    Name;
derived(bool, {Name, _}, Gen) ->
    ["(", Name, comparison(Gen), pick(["1", "a", "[]", "0.5"], at(with, Gen)), ")"];
derived(tuple, {Name, _}, Gen) ->
    pick([["{", Name, "}"], ["{a, ", Name, "}"]], Gen);
derived(map, {Name, _}, Gen) ->
    pick([["#{a => ", Name, "}"], ["#{", Name, " => 1}"]], Gen);
derived(bin, Variable, Gen) ->
    Size = pick(["", ":16", ":3"], at(size, Gen)),
    ["<<", derived(int, Variable, Gen), Size, ">>"];
derived(function, _Variable, Gen) ->
    constant(function, Gen);
derived(_List, {Name, _}, Gen) ->
    pick([["[", Name, "]"], ["[1, ", Name, "]"], ["[", Name, " | ", Name, "]"]], Gen).

measures(X, float) -> [["trunc(", X, ")"], ["round(", X, ")"], X];
measures(X, List) when List =:= ints; List =:= items; List =:= text ->
    [["length(", X, ")"], ["hd(", X, ")"], ["hd(tl(", X, "))"]];
measures(X, tuple) -> [["tuple_size(", X, ")"], ["element(1, ", X, ")"], ["element(2, ", X, ")"]];
measures(X, map) -> [["map_size(", X, ")"], ["map_get(a, ", X, ")"]];
measures(X, bin) -> [["byte_size(", X, ")"], ["bit_size(", X, ")"]];
measures(X, _) -> [X].

fits(_, any) -> true;
fits(int, float) -> true;
fits(bool, atom) -> true;
fits(ints, items) -> true;
fits(text, ints) -> true;
fits(text, items) -> true;
fits(_, _) -> false.

atomic(Type, Gen) ->
    case choose(5, at(atomic, Gen)) of
        0 -> constant(Type, Gen);
        _ -> variable(Type, Gen)
    end.

quoted(Atom) ->
    io_lib:format("~tp", [Atom]).

constant(int, Gen) -> digits(pick(?NUMBERS ++ [1 bsl 40, -(1 bsl 70)], at(constant, Gen)));
constant(float, Gen) -> pick(?FLOATS, at(constant, Gen));
constant(atom, Gen) -> quoted(pick(?ATOMS, at(constant, Gen)));
constant(bool, Gen) -> pick(["true", "false"], at(constant, Gen));
constant(ints, Gen) -> pick(["[]", "[1, 2, 3]", "[0]", "[5, -1]"], at(constant, Gen));
constant(items, Gen) -> pick(["[]", "[a, 1]", "[{a, 1}, {b, 2}]", "[1.0]"], at(constant, Gen));
constant(text, Gen) -> pick(["\"\"", "\"12\"", "\"ab\"", "\"-7\""], at(constant, Gen));
constant(tuple, Gen) -> pick(["{}", "{a, 1}", "{1, 2, 3}", "{1.0}"], at(constant, Gen));
constant(map, Gen) -> pick(["#{}", "#{a => 1}", "#{a => 0, b => c}"], at(constant, Gen));
constant(bin, Gen) -> pick(["<<>>", "<<1, 2>>", "<<\"ab\">>", "<<5:3>>"], at(constant, Gen));
constant(function, _Gen) -> "fun(X) -> X end";
constant(any, Gen) -> constant(pick(?TYPES -- [function, any], at(any, Gen)), Gen).

expr(Type, #gen{fuel = Fuel} = Gen) when Fuel =< 0 ->
    atomic(Type, Gen);
expr(Type, Gen) ->
    case choose(4, at(simple, Gen)) of
        0 -> atomic(Type, Gen);
        _ -> made(Type, Gen)
    end.

call(Name, Types, Gen) ->
    Args = [expr(T, inside({arg, I}, Gen)) || {I, T} <- numbered(Types)],
    [Name, "(", lists:join(", ", Args), ")"].

made(int, Gen) ->
    int(pick(guard_ints() ++ ints(Gen), at(which, Gen)), fun expr/2, Gen);
made(float, Gen) ->
    [A, B] = [expr(T, inside({arg, T}, Gen)) || T <- [float, int]],
    C = expr(float, inside(third, Gen)),
    Operator = pick([" + ", " - ", " * ", " / "], at(operator, Gen)),
    Sums = [["(", A, Operator, B, ")"], ["(", A, Operator, C, ")"], ["(", C, Operator, A, ")"]],
    Calls = [["float(", B, ")"], ["abs(", A, ")"], ["-(", A, ")"], ["math:sqrt(", A, ")"]],
    Texts = [["list_to_float(", expr(text, inside(text, Gen)), ")"]],
    pick(Sums ++ Sums ++ Calls ++ Texts, at(which, Gen));
made(atom, Gen) ->
    Name = pick(["list_to_atom", "hd", "max", "min"], at(which, Gen)),
    call(Name, atom_args(Name), Gen);
made(bool, Gen) ->
    bool(pick([compare, test, strict, short, 'not', member, key, prefix, map_key], Gen), Gen);
made(List, Gen) when List =:= ints; List =:= items; List =:= text ->
    list(List, Gen);
made(tuple, Gen) ->
    Elements = [expr(T, inside(T, Gen)) || T <- [atom, int, any]],
    Some = lists:sublist(Elements, 1 + choose(3, at(size, Gen))),
    Tuple = ["{", lists:join(", ", Some), "}"],
    Calls = [{"setelement", [int, tuple, any]}, {"list_to_tuple", [items]}],
    {Name, Types} = pick(Calls, at(call, Gen)),
    pick([Tuple, Tuple, call(Name, Types, Gen)], at(which, Gen));
made(map, Gen) ->
    map(pick([new, new, update, exact, put, remove, merge, from_list], at(which, Gen)), Gen);
made(bin, Gen) ->
    binary(Gen);
made(function, Gen) ->
    variable(function, Gen);
made(any, Gen) ->
    made(pick(?TYPES -- [function, any], at(any, Gen)), Gen).

atom_args("list_to_atom") -> [text];
atom_args("hd") -> [items];
atom_args(_) -> [atom, atom].

%% Integers that no guard can have; of funs only if there is one.
ints(#gen{scope = Scope, calls = Calls}) ->
    Applied = [apply || {_, function} <- Scope],
    Walked = [walk || [_ | _] <- Calls],
    [sum, nth, last, max, min, list_to_integer, binary_to_integer, get, fold, phash2, floor] ++
        Applied ++ Applied ++ Walked ++ Walked.

%% An integer made of others, by whoever makes those.
int(Which, Make, Gen) ->
    Of = fun(Type) -> Make(Type, inside({Which, Type}, Gen)) end,
    Two = fun(Operator) -> ["(", Of(int), Operator, Make(int, inside(second, Gen)), ")"] end,
    Small = digits(choose(5, at(small, Gen))),
    case Which of
        plus -> Two(" + ");
        minus -> Two(" - ");
        times -> Two(" * ");
        'div' -> Two(" div ");
        'rem' -> Two(" rem ");
        'band' -> Two(" band ");
        'bor' -> Two(" bor ");
        'bxor' -> Two(" bxor ");
        'bsl' -> ["(", Of(int), " bsl ", Small, ")"];
        'bsr' -> ["(", Of(int), " bsr ", Small, ")"];
        'bnot' -> ["(bnot ", Of(int), ")"];
        abs -> ["abs(", Of(int), ")"];
        length -> ["length(", Of(items), ")"];
        byte_size -> ["byte_size(", Of(bin), ")"];
        bit_size -> ["bit_size(", Of(bin), ")"];
        tuple_size -> ["tuple_size(", Of(tuple), ")"];
        map_size -> ["map_size(", Of(map), ")"];
        element -> ["element(", Of(int), ", ", Of(tuple), ")"];
        hd -> ["hd(", Of(ints), ")"];
        trunc -> ["trunc(", Of(float), ")"];
        round -> ["round(", Of(float), ")"];
        floor -> ["floor(", Of(float), ")"];
        sum -> ["lists:sum(", Of(ints), ")"];
        nth -> ["lists:nth(", Of(int), ", ", Of(ints), ")"];
        last -> ["lists:last(", Of(ints), ")"];
        max -> ["max(", Of(int), ", ", Of(float), ")"];
        min -> ["lists:min(", Of(ints), ")"];
        list_to_integer -> ["list_to_integer(", Of(text), ")"];
        binary_to_integer -> ["binary_to_integer(", Of(bin), ")"];
        get -> ["maps:get(", Of(atom), ", ", Of(map), ", ", Of(int), ")"];
        fold -> fold(Gen, Of);
        phash2 -> ["erlang:phash2(", Of(any), ", 4)"];
        apply -> ["(", variable(function, at(which, Gen)), ")(", Of(int), ")"];
        walk -> [Gen#gen.calls, "(", Of(ints), ", ", Of(int), ")"]
    end.

fold(Gen, Of) ->
    [A, B] = [fresh(at(V, Gen)) || V <- [a, b]],
    Body = expr(int, inside(body, bound([{A, int}, {B, int}], Gen))),
    ["lists:foldl(fun(", A, ", ", B, ") -> ", Body, " end, ", Of(int), ", ", Of(ints), ")"].

bool(compare, Gen) ->
    Type = some_type(at(type, Gen)),
    Other = pick([Type, Type, any], at(other, Gen)),
    [Left, Right] = [expr(T, inside(S, Gen)) || {T, S} <- [{Type, left}, {Other, right}]],
    ["(", Left, comparison(at(name, Gen)), Right, ")"];
bool(test, Gen) ->
    call(type_test(at(name, Gen)), [any], Gen);
bool(strict, Gen) ->
    two_bools(pick([" and ", " or ", " xor "], at(operator, Gen)), Gen);
bool(short, Gen) ->
    two_bools(pick([" andalso ", " orelse "], at(operator, Gen)), Gen);
bool('not', Gen) ->
    call("not ", [bool], Gen);
bool(member, Gen) ->
    call("lists:member", [any, items], Gen);
bool(key, Gen) ->
    ["lists:keymember(", expr(any, inside(key, Gen)), ", 1, ", expr(items, inside(list, Gen)), ")"];
bool(prefix, Gen) ->
    call("lists:prefix", [ints, ints], Gen);
bool(map_key, Gen) ->
    call("is_map_key", [atom, map], Gen).

two_bools(Operator, Gen) ->
    ["(", expr(bool, inside(left, Gen)), Operator, expr(bool, inside(right, Gen)), ")"].

list(Type, Gen) ->
    Element = element_type(Type),
    Variable = fresh(at(variable, Gen)),
    Inner = bound([{Variable, Element}], Gen),
    Head = expr(Element, inside(head, Gen)),
    Tail = expr(Type, inside(tail, Gen)),
    Other = expr(Type, inside(other, Gen)),
    Mapped = expr(Element, inside(mapped, Inner)),
    Condition = expr(bool, inside(condition, Inner)),
    pick(
        [
            ["[", Head, " | ", Tail, "]"],
            ["[", Head, "]"],
            ["(", Tail, " ++ ", Other, ")"],
            ["(", Tail, " -- ", Other, ")"],
            ["tl(", Tail, ")"],
            ["lists:", pick(["reverse", "sort", "usort"], at(name, Gen)), "(", Tail, ")"],
            ["lists:map(fun(", Variable, ") -> ", Mapped, " end, ", Tail, ")"],
            ["[", Mapped, " || ", Variable, " <- ", Tail, ", ", Condition, "]"],
            ["lists:filter(fun(", Variable, ") -> ", Condition, " end, ", Tail, ")"],
            ["lists:delete(", Head, ", ", Tail, ")"],
            ["lists:nthtail(", digits(choose(3, at(count, Gen))), ", ", Tail, ")"]
            | conversions(Type, Gen)
        ],
        at(which, Gen)
    ).

element_type(items) -> any;
element_type(_) -> int.

conversions(items, Gen) ->
    [call("tuple_to_list", [tuple], Gen), call("maps:values", [map], Gen)] ++
        [call("maps:keys", [map], Gen), call("maps:to_list", [map], Gen)];
conversions(_, Gen) ->
    Calls = [{"atom_to_list", atom}, {"integer_to_list", int}, {"binary_to_list", bin}],
    [call(Name, [T], at(Name, Gen)) || {Name, T} <- Calls] ++
        [["[C || <<C>> <= ", expr(bin, inside(bytes, Gen)), "]"]].

map(new, Gen) ->
    ["#{a => ", expr(int, inside(1, Gen)), ", ", expr(any, inside(2, Gen)), " => 1}"];
map(update, Gen) ->
    [expr(map, inside(1, Gen#gen{fuel = 1})), "#{", expr(atom, inside(2, Gen)), " => 2}"];
map(exact, Gen) ->
    [atomic(map, inside(1, Gen)), "#{a := ", expr(int, inside(2, Gen)), "}"];
map(put, Gen) ->
    call("maps:put", [any, int, map], Gen);
map(remove, Gen) ->
    call("maps:remove", [any, map], Gen);
map(merge, Gen) ->
    call("maps:merge", [map, map], Gen);
map(from_list, Gen) ->
    call("maps:from_list", [items], Gen).

binary(Gen) ->
    Int = expr(int, inside(int, Gen)),
    Bin = expr(bin, inside(bin, Gen)),
    Float = expr(float, inside(float, Gen)),
    Size = pick(["", ":16", ":16/little", ":3", "/utf8"], at(size, Gen)),
    pick(
        [
            ["<<(", Int, ")", Size, ">>"],
            ["<<(", Int, ")", Size, ", (", Bin, ")/bitstring>>"],
            ["<<(", Bin, ")/binary, (", Int, ")>>"],
            ["<<(", Float, ")/float>>"],
            call("list_to_binary", [ints], Gen),
            call("integer_to_binary", [int], Gen),
            call("atom_to_binary", [atom], Gen),
            ["binary:part(", Bin, ", 0, ", Int, ")"],
            ["<< <<C>> || C <- ", expr(ints, inside(ints, Gen)), " >>"]
        ],
        at(which, Gen)
    ).

%%% Terms

%% A term of a type or, now and then, of another one; made up from a key.
-spec term(type(), term()) -> term().
term(Type, Key) ->
    Gen = #gen{seed = Key, fuel = 2},
    case choose(6, at(wrong, Gen)) of
        0 -> value(any, Gen);
        _ -> value(Type, Gen)
    end.

value(int, Gen) ->
    Near = pick(?NUMBERS, at(number, Gen)) + choose(3, at(near, Gen)) - 1,
    pick([Near, Near, Near, choose(1 bsl 20, Gen), 1 bsl 40, -(1 bsl 70)], at(which, Gen));
value(float, Gen) ->
    Float = list_to_float(pick(?FLOATS, at(float, Gen))),
    pick([Float, Float * 1.5, -Float, float(choose(100, Gen)), 1.0e300], at(which, Gen));
value(atom, Gen) -> pick(?ATOMS ++ ['', 'a b', aa, ab, 'A'], at(atom, Gen));
value(bool, Gen) -> choose(2, at(bool, Gen)) =:= 0;
value(ints, Gen) -> values(int, Gen);
value(items, Gen) -> values(any, Gen);
value(text, Gen) -> pick(["", "12", "-7", "ab", "abc", "a", "1.5", "x-1"], at(text, Gen));
value(tuple, Gen) ->
    pick([{a, value(any, inside(1, Gen))}, list_to_tuple(values(any, Gen))], at(tuple, Gen));
value(map, Gen) ->
    Keys = [K || K <- [a, b, 1, c], choose(2, at({key, K}, Gen)) =:= 0],
    maps:from_list([{K, value(pick([int, any], at(K, Gen)), inside(K, Gen))} || K <- Keys]);
value(bin, Gen) ->
    Bytes = << <<(choose(256, at({byte, I}, Gen)))>> || I <- lists:seq(1, choose(5, Gen)) >>,
    Longer = [<<Bytes/binary, 5:3>>, <<"ab", Bytes/binary>>, <<1.5/float>>],
    pick([Bytes, Bytes | Longer], at(bin, Gen));
value(function, Gen) ->
    N = choose(4, at(function, Gen)),
    pick([fun(_) -> N end, fun(X) -> as_integer(X) end], at(which, Gen));
value(any, #gen{fuel = Fuel} = Gen) when Fuel =< 0 ->
    value(pick([int, float, atom], at(any, Gen)), Gen);
value(any, Gen) ->
    value(pick(?TYPES -- [any], at(any, Gen)), Gen).

%% Whatever it is called with, the fun returns what its type says.
as_integer(X) when is_integer(X) -> X;
as_integer(_) -> 0.

values(Type, Gen) ->
    [value(Type, inside(I, Gen)) || I <- lists:seq(1, choose(4, at(length, Gen)))].
