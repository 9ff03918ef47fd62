%% Makes up modules whose stacktraces depend on what the compiler makes of them: functions that call
%% each other, with results that it can tell something about, used in tests and arithmetic, often
%% several times in one line; funs and loops that capture variables; inlining, headers and macros.
%%
%% `plain` keeps to calls, arithmetic, funs and loops; `rich` has all of the language, `wide` more
%% of its ways to fail (`cuter_trace_shapes`).
-module(cuter_trace_programs).

-export([module/2, values/0, name/1]).
-export([pick/1, pick_made/1, type_test/1, space/0, gap/0]).

-export_type([kind/0]).

-type kind() :: plain | rich | wide.

-define(DEPTH, 4).

%% The text of a module of that many functions of two arguments, without its name. The generator of
%% random numbers of this process decides.
-spec module(kind(), pos_integer()) -> iolist().
module(Kind, Count) ->
    Numbers = lists:seq(1, Count),
    Exports = [[name(F), "/2"] || F <- Numbers],
    Functions = [function(Kind, F) || F <- Numbers],
    Head = ["-export([", lists:join(", ", Exports), "]).\n", head(Kind, Count), "\n"],
    [Head, shown() | Functions].

%% Arguments for the functions.
-spec values() -> [term()].
values() ->
    [0, 1, -2, 2.5, 0.0, 1.0e308, a, [], [1, 2], [a | b], {1, 2}, {a}, <<1>>] ++
        [#{a => 1}, {r, 1, [2]}, <<1, 2, 3:4>>].

-spec name(pos_integer()) -> string().
name(Number) ->
    "f" ++ integer_to_list(Number).

head(plain, _Count) ->
    "";
head(_Kind, Count) ->
    Inlined = [["{", name(rand:uniform(Count)), ", 2}"] || _ <- [1, 2, 3]],
    Inlining = ["-compile({inline, [", lists:join(", ", Inlined), "]}).\n"],
    [
        pick(["", "", Inlining, "-compile(inline).\n", "-compile(inline_list_funcs).\n"]),
        "-define(TWICE(E), {E, E}).\n"
        "-define(EITHER(C, E), case C of 0 -> E; {_, _} -> [E]; _ -> E end).\n"
        "-record(r, {a = 0, b}).\n"
    ].

%% Of stacktraces that the program sees itself, what is above the function called.
shown() ->
    "shown({'EXIT', {Reason, Trace}}) -> {'EXIT', Reason, own(Trace)};\n"
    "shown(Value) -> Value.\n\n"
    "own(Trace) -> [{F, A, L} || {?MODULE, F, A, L} <- Trace].\n\n".

function(plain, Number) ->
    [name(Number), "(X, Y) ->\n    ", expression(?DEPTH, ["X", "Y"], {plain, Number}), ".\n\n"];
function(Kind, Number) ->
    Guarded = "X, Y) when (is_list(X)",
    Patterns = pick(["X, Y", "X, Y", "X, Y", "X = {_, _}, Y", "[X | _], Y", Guarded]),
    Other = pick([[], [], [";\n", name(Number), "(X, Y = 0) -> ", body(Kind, Number)]]),
    Clause = [name(Number), "(", Patterns, ") ->\n    ", body(Kind, Number)],
    [included(Number), Clause, Other, ".\n\n"].

body(Kind, Number) ->
    expression(?DEPTH, ["X", "Y"], {Kind, Number}).

%% As if it stood in a header, or in the module's file again.
included(Number) ->
    case rand:uniform(6) of
        1 -> ["-file(\"included.hrl\", ", integer_to_list(10 * Number), ").\n"];
        2 -> ["-file(\"other.erl\", ", integer_to_list(100 * Number), ").\n"];
        _ -> ""
    end.

%% `Vars` can be used; functions of lower numbers than that of `In` can be called.
expression(0, Vars, _In) ->
    pick(lists:append(lists:duplicate(4, Vars)) ++ ["0", "1", "2.5", "a"]);
expression(Depth, Vars, {Kind, Number} = In) ->
    E = fun() -> expression(Depth - 1, Vars, In) end,
    With = fun(Var) -> expression(Depth - 1, [Var | Vars], In) end,
    V = variable(Depth, Vars),
    Small = fun() -> expression(0, Vars, In) end,
    case {Kind, rand:uniform(6)} of
        {wide, N} when N > 3 -> cuter_trace_shapes:expression(E, With, V, Small, Vars);
        {wide, 3} -> rich(E, With, V, Small, Number);
        {rich, N} when N > 3 -> rich(E, With, V, Small, Number);
        _ -> plain(E, With, V, Number)
    end.

plain(E, With, V, Number) ->
    pick_made([
        E,
        fun() -> ["{", E(), gap(), E(), "}"] end,
        fun() -> ["[", E(), gap(), E(), "]"] end,
        fun() -> arithmetic(E) end,
        fun() -> arithmetic(E) end,
        fun() -> arithmetic(E) end,
        fun() -> ["float(", E(), ")"] end,
        fun() -> [library_function(), "(", E(), ")"] end,
        fun() -> call(E, Number) end,
        fun() -> call(E, Number) end,
        fun() -> call(E, Number) end,
        fun() -> test(call(E, Number), V, E, With) end,
        fun() -> test(E(), V, E, With) end,
        fun() -> ["begin\n    ", V, " = ", E(), ",", space(), With(V), " end"] end,
        fun() -> checked(call(E, Number), V) end,
        fun() -> protected(E, V, With) end,
        fun() -> ["shown(catch ", E(), ")"] end,
        fun() -> ["(fun(", V, ") when ", type_test(V), " -> ", With(V), " end)(", E(), ")"] end,
        fun() -> captured(E, V, [V, "(", E(), ")"]) end,
        fun() -> captured(E, V, ["{", V, ", ", V, "(", E(), ")}"]) end,
        fun() -> loop(V, E, With) end,
        fun() -> ["[", With(V), " ||", space(), V, " <- ", E(), "]"] end,
        fun() -> ["lists:map(fun(", V, ") -> ", With(V), " end,", space(), E(), ")"] end
    ]).

rich(E, With, V, Small, Number) ->
    pick_made([
        fun() -> repeated(E, Small, Number) end,
        fun() -> repeated(E, Small, Number) end,
        fun() -> record(E) end,
        fun() -> map(E) end,
        fun() -> bits(E, With, V) end,
        fun() -> raising(E) end,
        fun() -> guarded(E, With, V) end,
        fun() -> dynamic(E, Small, Number) end,
        fun() -> handled(E, With, V) end,
        fun() -> comprehension(E, With, V) end,
        fun() -> ["receive after 0 ->", space(), E(), " end"] end,
        fun() -> ["((fun(", V, ") -> fun() -> ", With(V), " end end)(", E(), "))()"] end
    ]).

%% The same call several times in one line.
repeated(E, Small, Number) ->
    Call = call(Small, Number),
    pick_made([
        fun() -> ["?TWICE(", Call, ")"] end,
        fun() -> ["?EITHER(", E(), ", ", Call, ")"] end,
        fun() -> ["?EITHER(", Call, ", ", call(Small, Number), ")"] end,
        fun() -> ["{", E(), ", ?EITHER(", Small(), ", ?TWICE(", Call, "))}"] end,
        fun() -> ["begin ", Call, ", ", Call, space(), "end"] end
    ]).

record(E) ->
    pick_made([
        fun() -> ["#r{a = ", E(), ", b = ", E(), "}"] end,
        fun() -> ["(", E(), ")#r.a"] end,
        fun() -> ["(", E(), ")#r{b = ", E(), "}"] end
    ]).

map(E) ->
    pick_made([
        fun() -> ["#{a => ", E(), ", ", E(), " => 1}"] end,
        fun() -> ["(", E(), ")#{a := ", E(), "}"] end,
        fun() -> ["map_get(a, ", E(), ")"] end,
        fun() -> ["maps:get(", E(), ", ", E(), ")"] end
    ]).

bits(E, With, V) ->
    pick_made([
        fun() -> ["<<(", E(), "):8, (", E(), ")/float>>"] end,
        fun() -> ["<<(", E(), ")/binary,", space(), "(", E(), "):4>>"] end,
        fun() -> ["begin <<", V, ":8, _/bits>> = ", E(), ",", space(), With(V), " end"] end,
        fun() -> ["[", With(V), " || <<", V, ":4>> <= ", E(), "]"] end
    ]).

raising(E) ->
    pick_made([
        fun() -> ["erlang:error(", E(), ")"] end,
        fun() -> ["erlang:error(", E(), ", [", E(), "])"] end,
        fun() -> ["erlang:error(", E(), ", none, [{error_info, #{}}])"] end,
        fun() -> ["throw(", E(), ")"] end,
        fun() -> ["exit(", E(), ")"] end,
        fun() -> ["erlang:raise(error, ", E(), ", [])"] end
    ]).

guarded(E, With, V) ->
    pick_made([
        fun() ->
            ["if ", type_test("X"), " -> ", E(), "; ", type_test("Y"), " -> ", E(), " end"]
        end,
        fun() -> ["(", E(), " andalso", space(), E(), ")"] end,
        fun() -> ["(", E(), " orelse ", E(), ")"] end,
        fun() ->
            Guard = ["hd(", V, ") > 0; ", type_test(V)],
            ["case ", E(), " of ", V, " when ", Guard, " -> ", With(V), " end"]
        end,
        fun() -> ["(not ", E(), ")"] end,
        fun() -> ["(", E(), " ++ ", E(), ")"] end
    ]).

dynamic(E, _Small, 1) ->
    ["apply(lists, last, [", E(), "])"];
dynamic(E, Small, Number) ->
    Name = name(rand:uniform(Number - 1)),
    pick_made([
        fun() -> ["(fun ", Name, "/2)(", E(), gap(), E(), ")"] end,
        fun() -> ["?MODULE:", Name, "(", E(), gap(), Small(), ")"] end,
        fun() -> ["apply(?MODULE, ", Name, ", [", E(), gap(), Small(), "])"] end,
        fun() -> ["(", Small(), "):", Name, "(", E(), ")"] end,
        fun() -> ["(element(1, {", E(), "}))(", Small(), ")"] end,
        fun() -> ["lists:foldl(fun ", Name, "/2, ", E(), gap(), E(), ")"] end
    ]).

handled(E, With, V) ->
    Exception = [V, "c:", V, "r:", V],
    pick_made([
        fun() ->
            Shown = ["{", V, "c, ", V, "r, own(", V, ")}"],
            ["try ", E(), " catch ", Exception, " ->", space(), Shown, " end"]
        end,
        fun() ->
            Again = ["erlang:raise(", V, "c, ", V, "r, ", V, ")"],
            ["try ", E(), " catch ", Exception, " -> ", Again, " end"]
        end,
        fun() -> ["try", space(), E(), " after ", E(), " end"] end,
        fun() ->
            ["try ", E(), " of ", V, " -> ", With(V), " catch throw:", V, " -> ", V, " end"]
        end,
        fun() -> ["try ", E(), " catch error:badarith -> ", E(), "; exit:_ -> 0 end"] end
    ]).

comprehension(E, With, V) ->
    pick_made([
        fun() -> ["[", With(V), " || ", V, " <- ", E(), ", ", type_test(V), "]"] end,
        fun() -> ["[", V, " || ", V, " <- ", E(), ", ", With(V), "]"] end,
        fun() -> ["[", With(V), " || _ <- ", E(), ",", space(), "{", V, ", _} <- ", E(), "]"] end,
        fun() -> ["<< <<(", With(V), ")>> || ", V, " <- ", E(), " >>"] end
    ]).

library_function() ->
    pick(["abs", "hd", "length", "math:sqrt", "lists:sum", "erlang:tuple_size"]).

checked(Value, V) ->
    ["begin\n    ", V, " = ", Value, ",\n    true = ", type_test(V), ",", space(), V, " end"].

protected(E, V, With) ->
    ["try ", E(), " of\n    ", V, " -> ", With(V),
        "\n    catch error:_:", V, " -> own(", V, ") end"].

captured(E, V, Use) ->
    Pattern = pick(["1", "{_, _}", "[_]"]),
    ["begin ", V, " = fun(", Pattern, ") -> ", E(), " end,", space(), Use, " end"].

variable(Depth, Vars) ->
    "V" ++ integer_to_list(Depth) ++ integer_to_list(length(Vars)) ++
        integer_to_list(rand:uniform(1000000)).

arithmetic(E) ->
    ["(", E(), space(), pick(["+", "-", "*", "/", "/", "*"]), " ", E(), ")"].

call(E, 1) ->
    ["lists:last(", E(), ")"];
call(E, Number) ->
    [name(rand:uniform(Number - 1)), "(", E(), gap(), E(), ")"].

test(Subject, V, E, With) ->
    Pattern = pick(["{a}", "[_ | _]", "0", "1.5", [V, "a when is_map(", V, "a)"], "{_, _}"]),
    Otherwise = pick([
        [V, " -> ", V],
        [V, " -> ", With(V)],
        ["_ -> ", E()],
        [V, " when is_number(", V, ") -> ", With(V)]
    ]),
    ["case ", Subject, " of\n    ", Pattern, " -> ", E(), ";\n    ", Otherwise, " end"].

type_test(V) ->
    [pick(["is_list", "is_number", "is_tuple", "is_float", "is_integer"]), "(", V, ")"].

loop(V, E, With) ->
    N = V ++ "n",
    Again = [V, "(", N, " - 1)"],
    Step = pick([Again, ["{", Again, ", ", With(N), "}"], [Again, " + 1"]]),
    ["(fun ", V, "(", N, ") when is_integer(", N, "), ", N, " > 0, ", N, " < 4 ->", space(), Step,
        ";\n    ", V, "(", pick(["0", "{_, _}", "[]", "_"]), ") -> ", E(), " end)(", E(), ")"].

gap() -> [",", space()].
space() -> pick([" ", " ", "\n    "]).

pick(Choices) ->
    lists:nth(rand:uniform(length(Choices)), Choices).

pick_made(Choices) ->
    (pick(Choices))().
