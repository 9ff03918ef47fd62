%% Stacktraces where the compiler's types have a say: calls that become last calls, arithmetic on
%% floats, and funs that capture variables, with the names that the compiler gives them.
%%
%% The programs are made up from a seed: functions that call each other, with results that the
%% compiler can tell something about, used in tests and arithmetic. `CUTER_SEED` tries others.
-module(cuter_traces_tests).

-include_lib("eunit/include/eunit.hrl").

-export([differences/1]).

-define(MODULES, 20).
-define(FUNCTIONS, 12).
-define(DEPTH, 4).
-define(VALUES, [0, 1, -2, 2.5, 0.0, 1.0e308, a, [], [1, 2], [a | b], {1, 2}, {a}, <<1>>]).

%% Where one line does the same several times, and the compiler has removed some of it, the order of
%% what is left decides which is which, and not always rightly. Then a frame is wrong, and never
%% what is raised.
stacktraces_are_those_of_the_beam_test_() ->
    Seed = list_to_integer(os:getenv("CUTER_SEED", "1")),
    {timeout, 900, fun() ->
        Found = [{N, Row} || N <- lists:seq(1, ?MODULES), Row <- differences({Seed, N})],
        IsOther = fun({_, {_, _, Native, Own}}) -> raised(Native) =/= raised(Own) end,
        ?assertEqual([], lists:filter(IsOther, Found)),
        Functions = lists:usort([{N, Name} || {N, {Name, _, _, _}} <- Found]),
        ?assert(length(Functions) * 50 =< ?MODULES * ?FUNCTIONS)
    end}.

raised({raised, Class, Reason, _Stacktrace}) -> {Class, Reason};
raised(Returned) -> Returned.

%% The calls of one module that end in another way on the BEAM, with both ways.
differences({Seed, N}) ->
    _ = rand:seed(exsss, erlang:phash2({Seed, N})),
    Numbers = lists:seq(1, ?FUNCTIONS),
    Exports = [[name(F), "/2"] || F <- Numbers],
    Functions = [function(F) || F <- Numbers],
    Text = ["-export([", lists:join(", ", Exports), "]).\n\n", shown() | Functions],
    Rows = [{name(F), [X, pick(?VALUES)]} || F <- Numbers, X <- ?VALUES],
    Options = [debug_info, nowarn_unused_vars, nowarn_failed, nowarn_nomatch, nowarn_ignored],
    cuter_fixture:with_source(Text, Options, fun(_) -> lists:flatmap(fun differing/1, Rows) end).

name(Number) ->
    "f" ++ integer_to_list(Number).

differing({Name, Args}) ->
    cuter_fixture:differing(list_to_atom(Name), Args, fun plain/1).

%% Without the identity of funs.
plain([Head | Tail]) -> [plain(Head) | plain(Tail)];
plain(Tuple) when is_tuple(Tuple) -> list_to_tuple(plain(tuple_to_list(Tuple)));
plain(Fun) when is_function(Fun) -> erlang:fun_info(Fun, arity);
plain(Other) -> Other.

%%% Programs

%% Of stacktraces that the program sees itself, what is above the function called.
shown() ->
    "shown({'EXIT', {Reason, Trace}}) -> {'EXIT', Reason, own(Trace)};\n"
    "shown(Value) -> Value.\n\n"
    "own(Trace) -> [{F, A, L} || {?MODULE, F, A, L} <- Trace].\n\n".

function(Number) ->
    [name(Number), "(X, Y) ->\n    ", body(Number), ".\n\n"].

body(Number) ->
    expression(?DEPTH, ["X", "Y"], Number).

%% `Vars` can be used; functions of lower numbers than `Number` can be called.
expression(0, Vars, _Number) ->
    pick(lists:append(lists:duplicate(4, Vars)) ++ ["0", "1", "2.5", "a"]);
expression(Depth, Vars, Number) ->
    E = fun() -> expression(Depth - 1, Vars, Number) end,
    With = fun(Var) -> expression(Depth - 1, [Var | Vars], Number) end,
    V = variable(Depth, Vars),
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
