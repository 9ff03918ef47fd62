%% What only some releases have: the machine does what the BEAM does.
%%
%% Each row is a source that the compiler of some release understands. It is compiled in all that
%% are not older, and its function `f/1` is run both ways on the same arguments.
-module(cuter_releases_tests).

-include_lib("eunit/include/eunit.hrl").

maybe_test_() ->
    %% Features exist from OTP 25 on.
    case otp() >= 25 of
        true -> rows("maybe", maybe_sources(), [{feature, maybe_expr, enable}]);
        false -> []
    end.

newer_syntax_test_() ->
    [rows(Name, [Row], []) || {Release, Name, Row} <- newer(), otp() >= Release].

rows(Name, Sources, Options) ->
    [
        {Name, {timeout, 60, fun() -> compare(Source, Arguments, Options) end}}
     || {Source, Arguments} <- Sources
    ].

maybe_sources() ->
    Values = [{1, 2}, {a, 2}, {1, b}, {{ok, 1}, {ok, 2}}, {{ok, 1}, x}, {{ok, 0}, {ok, 2}}, []],
    [
        {"f({A, B}) -> maybe {ok, X} ?= A, {ok, Y} ?= B, X + Y end;\nf(X) -> X.\n", Values},
        {
            "f(P) -> maybe {A, B} ?= P, {ok, X} ?= A, true ?= X > 0, {ok, B} = B, X\n"
            "else N when is_integer(N) -> {number, N}; false -> no; [] -> [] end.\n",
            Values
        },
        {
            "f(P) -> maybe {A, _} ?= P, B = maybe {ok, X} ?= A, X else _ -> inner end, {B}\n"
            "else Other -> {outer, Other} end.\n",
            Values
        },
        {
            "f(P) -> try maybe {ok, X} ?= element(1, P), hd(X) else {no, Y} -> Y end\n"
            "catch error:E -> {caught, E} end.\n",
            Values
        }
    ].

newer() ->
    Lists = [[], [1, 2, 3], [1, a, 3], [{k, 1}, {l, 2}, x], [1 | 2], x, #{a => 1, 2 => b}],
    Pairs = [{L, M} || L <- Lists, M <- [[], [1, 2, 3], [x | y], z]],
    [
        {28, "hibernating in place", {
            "f(X) -> P = spawn(fun() -> Y = {before, X}, R = erlang:hibernate(),\n"
            "receive {From, M} -> From ! {self(), {Y, R, M}} end end),\n"
            "erlang:yield(), P ! {self(), X}, receive {P, A} -> A end.\n", Lists
        }},
        {27, "lines for coverage", {
            "-compile(line_coverage).\nf(L) ->\n    X = length(L),\n    {X, hd(L)}.\n", Lists
        }},
        {26, "map comprehension", {"f(L) -> #{X => {X} || X <- L}.\n", Lists}},
        {26, "map comprehension with a filter", {
            "f(L) -> #{K => V + 1 || {K, V} <- L, V > 1}.\n", Lists
        }},
        {26, "map generator", {
            "f(M) -> lists:sort([{K, V} || K := V <- M, K =/= a]).\n", Lists
        }},
        {26, "maps made of maps", {"f(M) -> #{V => K || K := V <- M}.\n", Lists}},
        {26, "ordered iterators", {
            "f(M) -> {maps:to_list(maps:iterator(M, ordered)),\n"
            "maps:to_list(maps:iterator(M, reversed)),\n"
            "maps:to_list(maps:iterator(M, fun(A, B) -> A > B end))}.\n",
            [#{}, #{b => 1, a => 2, 3 => c}, maps:from_list([{N, a} || N <- lists:seq(1, 40)]), x]
        }},
        {26, "exact update of many keys", {
            "f(M) -> M#{zz := 1, yy := 2, aa := 3, 7 := 4, mm := 5}.\n",
            [#{}, #{zz => 0}, #{zz => 0, yy => 0, aa => 0}, #{7 => 0, mm => 0}, x]
        }},
        {27, "triple-quoted strings", {
            "f(X) -> {\"\"\"\n  a \"text\"\n    of lines\n  \"\"\", X}.\n", [1]
        }},
        {27, "sigils", {
            "f(X) -> {~\"a\\n\", ~S(b\\n), ~s[c], ~B'd', X =:= ~\"a\"}.\n", [<<"a">>, a]
        }},
        {27, "zeros", {
            "f(X) -> {X =:= 0.0, X == 0.0, X =:= -0.0, #{0.0 => a, -0.0 => b}, case X of\n"
            "+0.0 -> plus; -0.0 -> minus; _ -> other end, abs(X), -X}.\n",
            [0.0, -0.0, 0, 1.5, a]
        }},
        {28, "zip generators", {"f({L, M}) -> [{X, Y} || X <- L && Y <- M].\n", Pairs}},
        {28, "zip with a binary", {
            "f({L, M}) -> << <<X, Y>> || X <- L && <<Y>> <= M >>.\n",
            [
                {L, B}
             || L <- [[1, 2], [1], [1, a], x], B <- [<<>>, <<3, 4>>, <<3, 4:4>>, y]
            ]
        }},
        {28, "zip with a map", {
            "f({L, M}) -> [{X, K, V} || X <- L && K := V <- M].\n",
            [{[1], #{a => 1}}, {[], #{}}, {[1, 2], #{a => 1}}, {[1], x}]
        }},
        {28, "strict generators", {"f(L) -> [X || {X, _} <:- L].\n", Lists}},
        {28, "strict binary generators", {
            "f(B) -> [X || <<X, 1>> <:= B].\n", [<<>>, <<5, 1, 6, 1>>, <<5, 1, 6, 2>>, <<5>>, x]
        }},
        {28, "strict map generators", {
            "f(M) -> [K || K := {_} <:- M].\n", [#{a => {1}}, #{a => 1}, x]
        }}
    ].

compare(Source, Arguments, Options) ->
    Text = ["-module(cuter_tried).\n-export([f/1]).\n", Source],
    cuter_fixture:in_directory(fun(Dir) ->
        File = filename:join(Dir, "cuter_tried.erl"),
        ok = file:write_file(File, unicode:characters_to_binary(Text)),
        Module = load(File, Dir, Options),
        try
            [
                ?assertEqual({A, native(Module, A)}, {A, plain(cuter:eval(Module, f, [A]))})
             || A <- Arguments
            ]
        after
            _ = code:purge(Module),
            true = code:delete(Module)
        end
    end).

%% Without the chunk that names features: a VM takes those only if it was started with them.
load(File, Dir, Options) ->
    {ok, Module, Code} = compile:file(File, [debug_info, return_errors, binary | Options]),
    {ok, Module, Chunks} = beam_lib:all_chunks(Code),
    {ok, Beam} = beam_lib:build_module([C || {Name, _} = C <- Chunks, Name =/= "Meta"]),
    ok = file:write_file(filename:join(Dir, "cuter_tried.beam"), Beam),
    _ = code:purge(Module),
    _ = code:delete(Module),
    {module, Module} = code:load_file(Module),
    Module.

native(Module, Argument) ->
    try
        {ok, Module:f(Argument)}
    catch
        Class:Reason:Stacktrace -> plain({raised, Class, Reason, Stacktrace})
    end.

%% With the frames of the module itself and of what it calls.
plain({raised, Class, Reason, Stacktrace}) ->
    {raised, Class, Reason, lists:takewhile(fun(F) -> element(1, F) =/= ?MODULE end, Stacktrace)};
plain(Other) ->
    Other.

otp() ->
    list_to_integer(erlang:system_info(otp_release)).
