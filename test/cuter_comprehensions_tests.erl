%% Comprehensions of all shapes, with good and bad generators: the machine does what the BEAM does,
%% to the last frame of the stacktrace.
%%
%% The programs are made up from a seed: lists and binaries out of lists and bitstrings, with
%% patterns that may not match, filters that may not be Boolean, nested ones, and in all kinds of
%% surroundings. `CUTER_SEED` tries others.
-module(cuter_comprehensions_tests).

-include_lib("eunit/include/eunit.hrl").

-define(MODULES, 30).
-define(FUNCTIONS, 10).
-define(CALLS, 14).

-define(LISTS, [
    [], [1, 2], [1, a], [1 | 2], x, [300, -1], [{1, 2}, 3], [[1, 2], [3 | 4]], <<>>, [<<1, 2>>, x]
]).
-define(BITS, [<<>>, <<1, 2, 3>>, <<5:4>>, x, [1], <<"ab", 1:1>>, <<255, 0, 129, 7>>]).
-define(SIZES, [8, 3, 1, -1, a, 2.0, 16]).

comprehensions_are_those_of_the_beam_test_() ->
    Seed = list_to_integer(os:getenv("CUTER_SEED", "7")),
    [
        {timeout, 120, fun() -> module_of_comprehensions({Seed, N}) end}
     || N <- lists:seq(1, ?MODULES)
    ].

module_of_comprehensions({Seed, N}) ->
    _ = rand:seed(exsss, {Seed, N, 0}),
    Names = [list_to_atom("f" ++ integer_to_list(F)) || F <- lists:seq(1, ?FUNCTIONS)],
    Exports = [[atom_to_list(Name), "/3"] || Name <- Names],
    Functions = [function(Name) || Name <- Names],
    Text = ["-export([", lists:join(", ", Exports), "]).\n\n" | Functions],
    Rows = [
        {Name, [pick(?LISTS), pick(?BITS), pick(?SIZES)]}
     || Name <- Names, _ <- lists:seq(1, ?CALLS)
    ],
    cuter_fixture:with_source(Text, [debug_info, nowarn_unused_vars], fun(Source) ->
        Differing = lists:flatmap(fun differing/1, Rows),
        ?assertEqual([], [{Row, text(Source, F)} || {F, _, _, _} = Row <- Differing])
    end).

text(Source, Name) ->
    {ok, Text} = file:read_file(Source),
    Prefix = atom_to_binary(Name),
    [Line || Line <- binary:split(Text, <<"\n\n">>, [global]),
        binary:match(Line, <<Prefix/binary, "(">>) =:= {0, byte_size(Prefix) + 1}].

differing({Function, Args}) ->
    cuter_fixture:differing(Function, Args, fun(Term) -> Term end).

%%% Programs

function(Name) ->
    [atom_to_list(Name), "(L, B, S) ->\n", surrounded(comprehension(2, [])), ".\n\n"].

surrounded(C) ->
    pick([
        ["    ", C],
        ["    ", C],
        ["    {ok, ", C, "}"],
        ["    try ", C, "\n    catch error:E -> {caught, E} end"],
        ["    try {", C, ", S} of V -> V\n    after put(a, S) end"],
        ["    F = fun(Q) -> {Q, ", C, "} end,\n    F(S)"],
        ["    case ", C, " of <<>> -> none; V -> {V} end"],
        ["    V = ", C, ",\n    {V, length(L)}"],
        ["    case S of 8 -> ", C, ";\n    _ -> {other, ", C, "} end"],
        ["    case B of <<H, T/bits>> -> {H, ", C, ", T}; _ -> ", C, " end"]
    ]).

%% `Bound` are variables of qualifiers further out.
comprehension(Depth, Bound) ->
    comprehension(pick([list, bits, bits, bits]), Depth, Bound).

comprehension(Kind, Depth, Bound) ->
    {Qualifiers, Inner} = qualifiers(1 + rand:uniform(3) div 2, Depth, Bound),
    case Kind of
        list -> ["[", value(Depth, Inner), " || ", Qualifiers, "]"];
        bits -> ["<< <<", segments(Depth, Inner), ">> ||\n        ", Qualifiers, ">>"]
    end.

qualifiers(N, Depth, Bound) ->
    {Generator, Now} = generator(Depth, Bound),
    more_qualifiers(N - 1, Depth, [Generator], Now).

more_qualifiers(0, _Depth, Done, Bound) ->
    {lists:join(",\n        ", lists:reverse(Done)), Bound};
more_qualifiers(N, Depth, Done, Bound) ->
    case rand:uniform(3) of
        1 ->
            more_qualifiers(N - 1, Depth, [filter(Bound) | Done], Bound);
        _ ->
            {Generator, Now} = generator(Depth, Bound),
            more_qualifiers(N - 1, Depth, [Generator | Done], Now)
    end.

generator(Depth, Bound) ->
    Name = "X" ++ integer_to_list(length(Bound)),
    Text =
        case rand:uniform(2) of
            1 -> [list_pattern(Name), " <- ", list(Depth, Bound)];
            2 -> [bits_pattern(Name), " <= ", bits(Depth, Bound)]
        end,
    {Text, [Name | Bound]}.

list_pattern(X) ->
    pick([X, X, X, X, X, ["{", X, ", _}"], ["[", X, " | _]"], ["<<", X, ", _/bits>>"]]).

list(Depth, Bound) ->
    Choices = ["L", "L", "L", "L", "[1, 2]", "[S, 1]", "[1 | L]",
        "lists:append([1], L)" | Bound],
    nested(list, Depth, Bound, Choices).

bits_pattern(X) ->
    Segments = [X, X, X, [X, ":4"], [X, ":S"], [X, ", _:3"], [X, "/utf8"], [X, ":2/binary"],
        ["1:1, ", X, ":7"], [X, ":S/bits"], [X, ":16/float"], ["_:S, ", X]],
    ["<<", pick(Segments), ">>"].

bits(Depth, Bound) ->
    nested(bits, Depth, Bound, ["B", "B", "B", "B", "<<\"ab\">>", "<<S>>", "<<1, B/bits>>"
        | Bound]).

nested(Kind, Depth, Bound, Choices) when Depth > 1 ->
    case rand:uniform(12) of
        1 -> ["(", comprehension(Kind, Depth - 1, Bound), ")"];
        _ -> pick(Choices)
    end;
nested(_Kind, _Depth, _Bound, Choices) ->
    pick(Choices).

filter(Bound) ->
    X = pick(Bound),
    pick([[X, " > 1"], ["is_integer(", X, ")"], "true", "S", ["lists:member(", X, ", L)"],
        ["hd(L) =:= ", X], ["begin Y", X, " = ", X, ", Y", X, " =/= a end"], ["abs(", X, ") < 9"],
        [X, " =:= 1 orelse S"]]).

segments(Depth, Bound) ->
    lists:join(", ", [segment(Depth, Bound) || _ <- lists:seq(1, rand:uniform(3))]).

segment(Depth, Bound) ->
    X = pick(["S" | Bound ++ Bound]),
    Plain = [X, X, X, [X, ":4"], [X, ":S"], [X, ":16/little"], "0:3", [X, ":0"], ["(", X, " + 1)"],
        [X, ":S/unit:8"], [X, ":", X], ["(abs(", X, ")):8"], [X, "/utf8"], [X, "/float"],
        [X, "/bits"], [X, ":1/binary"], ["(case ", X, " of 1 -> 2; _ -> ", X, " end):8"],
        ["(if ", X, " =:= 2 -> 7; S > 3 -> 9 end)"], ["(byte_size(B))"]],
    case Depth > 1 andalso rand:uniform(10) of
        1 -> ["(", comprehension(bits, Depth - 1, Bound), ")/bits"];
        _ -> pick(Plain)
    end.

value(Depth, Bound) ->
    X = pick(Bound),
    case Depth > 1 andalso rand:uniform(3) of
        1 -> comprehension(Depth - 1, Bound);
        _ -> pick([X, ["{", X, ", S}"], [X, " + 1"], "hd(L)"])
    end.

pick(Choices) ->
    lists:nth(rand:uniform(length(Choices)), Choices).
