%% Shapes of expressions whose exceptions depend on what the compiler makes of them: handlers in
%% handlers, guards of all kinds, bitstrings that cannot be built, computed calls, exceptions with
%% stacktraces of their own, messages, operators with literals, and functions of the library.
-module(cuter_trace_shapes).

-export([expression/5]).

-import(cuter_trace_programs, [pick/1, pick_made/1, type_test/1, space/0, gap/0]).

-type make() :: fun(() -> iolist()).

%% `E` makes an expression, `With` one that has another variable, `Small` one without parts. `V`
%% begins the names of new variables; those in `Vars` can be used.
-spec expression(make(), fun((string()) -> iolist()), string(), make(), [string()]) -> iolist().
expression(E, With, V, Small, Vars) ->
    Var = fun() -> pick(Vars) end,
    pick_made([
        fun() -> tried(E, With, V, Var) end,
        fun() -> tried(E, With, V, Var) end,
        fun() -> guards(E, With, V, Var) end,
        fun() -> guards(E, With, V, Var) end,
        fun() -> built_bits(E, Small) end,
        fun() -> built_bits(E, Small) end,
        fun() -> matched_bits(E, With, V, Small) end,
        fun() -> matched(E, With, V) end,
        fun() -> matched(E, With, V) end,
        fun() -> called(E, Small, V, With) end,
        fun() -> raised(E, Small) end,
        fun() -> raised(E, Small) end,
        fun() -> received(E, With, V) end,
        fun() -> records(E, V, With) end,
        fun() -> maps(E, V, With, Var) end,
        fun() -> operators(E, Small) end,
        fun() -> operators(E, Small) end,
        fun() -> library(E, V, With) end,
        fun() -> library(E, V, With) end,
        fun() -> effects(E) end,
        fun() -> nested(E, V, With) end,
        fun() -> loops(E, V, With) end
    ]).

tried(E, With, V, Var) ->
    Class = pick(["error", "exit", "throw", "_", V ++ "c"]),
    Guard = pick(["", [" when ", guard(Var)], [" when ", type_test(V ++ "r")]]),
    R = V ++ "r",
    pick_made([
        fun() ->
            ["try ", E(), " catch ", Class, ":", R, Guard, " ->", space(), With(R), " end"]
        end,
        fun() ->
            ["try ", E(), space(), "catch ", Class, ":", R, ":", V, "s", Guard, " -> {", With(R),
             ", own(", V, "s)} after", space(), E(), " end"]
        end,
        fun() ->
            ["try ", E(), " of ", V, " when ", guard(Var), " -> ", With(V), "; {", V,
             "t, _} -> ", With(V ++ "t"), " after ", E(), " end"]
        end,
        fun() ->
            ["try", space(), "try ", E(), " after ", E(), " end catch ", Class, ":", R, " -> ",
             With(R), " end"]
        end,
        fun() ->
            ["try ", E(), " catch throw:", V, " -> ", With(V), "; error:{badmatch, ", V, "} -> ",
             With(V), "; error:{", V, "a, _}:", V, "b -> {", V, "a, own(", V, "b)} end"]
        end,
        fun() ->
            ["try ", E(), " catch ", V, "c:", R, ":", V, "s ->", space(), "erlang:raise(", V,
             "c, {", R, ", ", E(), "}, ", V, "s) end"]
        end,
        fun() ->
            ["try ", E(), " catch error:", R, ":", V, "s ->", space(), "erlang:error({", R,
             ", own(", V, "s)}) end"]
        end,
        fun() ->
            ["begin ", V, " = (catch ", E(), "),", space(), "case ", V, " of {'EXIT', {", V,
             "x, ", V, "y}} when is_list(", V, "y) -> {", V, "x, own(", V, "y)}; _ -> ", With(V),
             " end end"]
        end
    ]).

guard(Var) ->
    X = Var(), Y = Var(),
    pick_made([
        fun() -> type_test(X) end,
        fun() -> [type_test(X), " andalso ", type_test(Y)] end,
        fun() -> [type_test(X), " orelse ", X, " > ", Y] end,
        fun() -> ["(", type_test(X), ") and (", type_test(Y), ")"] end,
        fun() -> ["(", type_test(X), ") or (", X, " =:= ", Y, ")"] end,
        fun() -> ["not (", type_test(X), ")"] end,
        fun() -> [X, " + 1 > ", Y] end,
        fun() -> ["element(1, ", X, ") =:= ", Y] end,
        fun() -> ["element(1, ", X, ") =:= a; hd(", Y, ") > 0, tl(", Y, ") =/= []"] end,
        fun() -> ["map_get(a, ", X, ") =:= 1; ", type_test(Y)] end,
        fun() -> ["is_map_key(", X, ", ", Y, "); tuple_size(", X, ") > 1"] end,
        fun() -> ["length(", X, ") > 1 orelse byte_size(", Y, ") > 0"] end,
        fun() -> ["is_record(", X, ", r) andalso ", Y, " > 0"] end,
        fun() -> ["(", X, " > 0) xor (", Y, " > 0)"] end,
        fun() -> ["is_function(", X, ", ", Y, ")"] end,
        fun() -> [X, " == 0 andalso not (", Y, " =:= [])"] end
    ]).

guards(E, With, V, Var) ->
    pick_made([
        fun() -> ["if ", guard(Var), " -> ", E(), ";\n    ", guard(Var), " -> ", E(), " end"] end,
        fun() ->
            ["case ", E(), " of ", V, " when ", guard(Var), " -> ", With(V), ";", space(), V,
             " when ", guard(fun() -> pick([V, Var()]) end), " -> ", With(V), " end"]
        end,
        fun() ->
            ["(fun(", V, ") when ", guard(fun() -> pick([V, Var()]) end), " -> ", With(V),
             ";\n    (", V, ") when ", guard(fun() -> V end), " -> ", With(V), " end)(", E(),
             ")"]
        end,
        fun() -> ["case (", guard1(Var), ") of true -> ", E(), "; false -> ", E(), " end"] end,
        fun() ->
            ["case ", E(), " andalso ", E(), " of true ->", space(), E(), "; ", V, " -> ",
             With(V), " end"]
        end,
        fun() -> ["(", E(), " and", space(), E(), ")"] end,
        fun() -> ["(", E(), " or ", E(), ")"] end,
        fun() -> ["(", E(), " xor ", E(), ")"] end
    ]).

guard1(Var) ->
    G = guard(Var),
    case lists:member($;, lists:flatten(G)) of true -> guard1(Var); false -> G end.

built_bits(E, Small) ->
    pick_made([
        fun() -> ["<<(", E(), "):(", Small(), ")>>"] end,
        fun() ->
            ["<<(", E(), "):8,", space(), "(", E(), "):(", Small(), ")/little-signed-unit:3>>"]
        end,
        fun() -> ["<<(", E(), ")/utf8, (", Small(), ")/utf16>>"] end,
        fun() -> ["<<(", E(), "):(", Small(), ")/binary, (", Small(), ")/bits>>"] end,
        fun() -> ["<<(", E(), "):16/float,", space(), "(", Small(), "):32/float-little>>"] end,
        fun() -> ["<<\"abc\", (", E(), ")/binary-unit:4>>"] end,
        fun() -> ["<<1:(", E(), "), (", Small(), ")/float>>"] end,
        fun() -> ["<< <<(", E(), "):(", Small(), ")>>/bits, (", Small(), "):4>>"] end
    ]).

matched_bits(E, With, V, Small) ->
    W = V ++ "w",
    pick_made([
        fun() ->
            ["case ", E(), " of <<", V, ":8, ", W, ":", V, "/binary, _/bits>> -> {", W, ", ",
             With(V), "}; <<", V, "/utf8, _/bits>> ->", space(), With(V), " end"]
        end,
        fun() ->
            ["case ", E(), " of <<\"a\", ", V, "/binary>> -> ", With(V), "; <<", V,
             ":4/bits, _:4>> -> ", With(V), "; ", V, " -> ", With(V), " end"]
        end,
        fun() ->
            ["begin ", W, " = ", Small(), ", <<", V, ":", W, "/little, _/bits>> = ", E(), ",",
             space(), With(V), " end"]
        end,
        fun() ->
            ["(fun(<<", V, ":8, _/binary>>) -> ", With(V), ";\n    (<<>>) -> ", E(), " end)(",
             E(), ")"]
        end,
        fun() -> ["<< <<", V, ":4>> || <<", V, ":8>> <= ", E(), ", ", With(V), " >>"] end,
        fun() -> ["<< <<(", With(V), "):8>> || <<", V, ">> <= ", E(), " >>"] end,
        fun() -> ["[", With(V), " || <<", V, ", ", W, ":4>> <= ", E(), ", ", W, " > 0]"] end
    ]).

matched(E, With, V) ->
    W = V ++ "w",
    pick_made([
        fun() ->
            ["begin {", V, ", ", W, "} = ", E(), ",", space(), "{", With(V), ", ", W, "} end"]
        end,
        fun() ->
            ["begin [", V, " | ", W, "] = ", E(), ",", space(), "[", With(V), " | ", W, "] end"]
        end,
        fun() ->
            ["begin ", V, " = ", W, " = ", E(), ",", space(), W, " = ", E(), ", ", With(V),
             " end"]
        end,
        fun() -> ["begin #{a := ", V, "} = ", E(), ",", space(), With(V), " end"] end,
        fun() -> ["begin {a, ", V, "} = {a, ", E(), "},", space(), "1 = ", With(V), " end"] end,
        fun() ->
            ["case {", E(), ", ", E(), "} of {", V, ", ", V, "} -> ", With(V), "; {0, ", V,
             "} ->", space(), With(V), "; {", V, ", 1} -> ", With(V), " end"]
        end,
        fun() ->
            ["case {", E(), gap(), E(), "} of {[], ", V, "} -> ", With(V), "; {[", V,
             " | _], []} -> ", With(V), "; {{", V, "}, _} -> ", With(V), " end"]
        end,
        fun() ->
            ["case ", E(), " of [", V, "] -> ", With(V), "; [_, ", V, "] -> ", With(V),
             "; \"ab\" ++ ", V, " -> ", With(V), " end"]
        end
    ]).

called(E, Small, V, With) ->
    pick_made([
        fun() -> ["apply(", Small(), ", ", E(), ")"] end,
        fun() -> ["apply(lists, ", pick(["reverse", "sum", "nofun", "last"]), ", ", E(), ")"] end,
        fun() ->
            ["apply(erlang, ", pick(["hd", "abs", "'+'", "element", "error"]), ", ", E(), ")"]
        end,
        fun() -> ["apply(?MODULE, ", pick(["own", "shown", "f1"]), ", [", E(), "])"] end,
        fun() -> ["(", E(), "):(", Small(), ")()"] end,
        fun() ->
            ["(fun lists:", pick(["nth", "map", "member", "nofun"]), "/2)(", E(), gap(), Small(),
             ")"]
        end,
        fun() ->
            ["(fun erlang:", pick(["'+'", "element", "max", "'++'"]), "/2)(", E(), gap(),
             Small(), ")"]
        end,
        fun() -> ["begin ", V, " = ", E(), ",", space(), V, "(", Small(), ") end"] end,
        fun() -> ["nomodule:f(", E(), ")"] end,
        fun() -> ["begin ", V, " = fun shown/1, ", V, "(", With(V), ") end"] end,
        fun() ->
            ["lists:foldl(fun(", V, ", ", V, "a) -> {", V, "a, ", With(V), "} end,", space(),
             E(), ", ", E(), ")"]
        end
    ]).

raised(E, Small) ->
    Trace = pick([
        "[]", "[{m, f, 1, []}]", "[{m, f, [a], [{line, 1}]}]", "[x]", "[{m, f}]", "x",
        "[{m, f, 1, []} | x]", "[{m, f, 1, [{file, \"a\"}, {line, 3}]}, {n, g, 0, []}]",
        "[{m, f, a, []}]", "[{fun() -> ok end, [1], []}]", "[{m, f, 1}]",
        "[{m,f,1,[{error_info,#{cause => x}}]}]"
    ]),
    Class = pick(["error", "exit", "throw", "foo", "1"]),
    pick_made([
        fun() -> ["erlang:raise(", Class, ", ", E(), ", ", Trace, ")"] end,
        fun() -> ["[erlang:raise(", Class, ", ", E(), ", ", Trace, ")]"] end,
        fun() -> ["erlang:raise(", pick([Class, Small()]), ", ", E(), ", ", E(), ")"] end,
        fun() ->
            ["erlang:error(", E(), ", [", Small(), "], [{error_info, #{cause => ", Small(),
             ", module => ?MODULE}}])"]
        end,
        fun() -> ["erlang:error(", E(), ", ", Small(), ")"] end,
        fun() ->
            ["erlang:error(", E(), ", ", E(), ", ",
             pick([
                 "[]", "[x]", "[{error_info, x}]", "x",
                 "[{error_info, #{}}, {error_info, #{a => 1}}]"
             ]),
             ")"]
        end,
        fun() -> ["erlang:nif_error(", E(), ")"] end,
        fun() -> ["erlang:nif_error(", E(), ", [", Small(), "])"] end,
        fun() -> ["(throw(", E(), ") + 1)"] end,
        fun() -> ["{exit(", E(), "), ", E(), "}"] end,
        fun() -> ["error({", E(), ", x})"] end,
        fun() -> ["hd(error(", E(), "))"] end
    ]).

received(E, With, V) ->
    pick_made([
        fun() ->
            ["begin self() ! ", E(), ", receive ", V, " ->", space(), With(V), " end end"]
        end,
        fun() ->
            ["begin self() ! {m, ", E(), "}, receive {m, ", V, "} when ", type_test(V), " -> ",
             With(V), " after 0 -> ", E(), " end end"]
        end,
        fun() ->
            ["receive {nothing, ", V, "} -> ", With(V), " after ", E(), " ->", space(), E(),
             " end"]
        end,
        fun() ->
            ["begin self() ! ", V, " = ", E(), ", receive {_, _} -> ", E(), "; ", V,
             " -> receive ", V, "a -> {", V, "a, ", With(V), "} after 0 -> ", With(V),
             " end after 1 -> ", E(), " end end"]
        end,
        fun() ->
            ["receive", space(), V, " -> ", With(V), " after 0 -> receive {a, ", V, "} -> ", V,
             " after 0 -> ", E(), " end end"]
        end,
        fun() -> ["(", E(), " ! ", E(), ")"] end
    ]).

records(E, V, With) ->
    pick_made([
        fun() -> ["(", E(), ")#r{a = ", E(), "}#r{b = ", E(), "}"] end,
        fun() ->
            ["case ", E(), " of #r{a = ", V, "} -> ", With(V), "; ", V, " when is_record(", V,
             ", r) ->", space(), With(V), " end"]
        end,
        fun() -> ["begin ", V, " = ", E(), ", {", V, "#r.a,", space(), V, "#r.b} end"] end,
        fun() -> ["#r{_ = ", E(), "}"] end,
        fun() ->
            ["begin ", V, " = ", E(), ", if ", V, "#r.a > 0 -> ", With(V), "; true -> ", V,
             "#r{a = ", E(), "} end end"]
        end,
        fun() -> ["element(#r.b, ", E(), ")"] end,
        fun() -> ["is_record(", E(), ", r, 3)"] end
    ]).

maps(E, V, With, Var) ->
    pick_made([
        fun() -> ["(", E(), ")#{", E(), " => ", E(), "}"] end,
        fun() -> ["(", E(), ")#{", E(), " := ", E(), ", b => ", E(), "}"] end,
        fun() ->
            ["case ", E(), " of #{", Var(), " := ", V, "} -> ", With(V), "; #{} ->", space(),
             E(), " end"]
        end,
        fun() ->
            ["maps:fold(fun(_, ", V, ", _) -> ", With(V), " end, ", E(), gap(), E(), ")"]
        end,
        fun() -> ["maps:map(fun(_, ", V, ") -> ", With(V), " end, ", E(), ")"] end,
        fun() ->
            ["maps:update_with(", E(), ", fun(", V, ") -> ", With(V), " end, ", E(), ")"]
        end,
        fun() -> ["maps:", pick(["keys", "to_list", "size", "from_list"]), "(", E(), ")"] end,
        fun() ->
            ["maps:", pick(["remove", "find", "merge", "with", "without", "take", "is_key"]),
             "(", E(), gap(), E(), ")"]
        end,
        fun() ->
            ["maps:", pick(["put", "update", "get"]), "(", E(), gap(), E(), gap(), E(), ")"]
        end,
        fun() -> ["#{", E(), " => ", E(), ", ", E(), " => ", E(), "}"] end
    ]).

operators(E, Small) ->
    pick_made([
        fun() ->
            ["(", E(), space(), pick(["div", "rem", "band", "bor", "bxor"]), " ", E(), ")"]
        end,
        fun() -> ["(", E(), " bsl ", pick(["1", "2", Small()]), ")"] end,
        fun() -> ["(", E(), " bsr ", Small(), ")"] end,
        fun() -> ["(bnot ", E(), ")"] end,
        fun() -> ["(- ", E(), ")"] end,
        fun() -> ["(+ ", E(), ")"] end,
        fun() ->
            ["(", pick(["1", "0", "2.5", "-1"]), space(),
             pick(["+", "-", "*", "/", "div", "rem", "band"]), " ", E(), ")"]
        end,
        fun() ->
            ["(", E(), space(), pick(["+", "-", "*", "/", "div", "rem", "bor"]), " ",
             pick(["1", "0", "2.5", "-1"]), ")"]
        end,
        fun() ->
            ["(", E(), space(), pick(["==", "=:=", "/=", "=/=", "<", ">", "=<", ">="]), " ", E(),
             ")"]
        end,
        fun() -> ["(", E(), space(), pick(["++", "--"]), " ", E(), ")"] end,
        fun() -> ["[", E(), " | ", E(), "]"] end
    ]).

library(E, V, With) ->
    pick_made([
        fun() ->
            [pick([
                "tl", "tuple_size", "byte_size", "bit_size", "round", "trunc", "ceil", "floor",
                "map_size", "size", "not", "atom_to_list", "list_to_tuple", "tuple_to_list",
                "list_to_binary", "iolist_size", "list_to_atom", "integer_to_list",
                "list_to_integer", "binary_to_list", "term_to_binary", "binary_to_term",
                "atom_to_binary", "float_to_list", "integer_to_binary", "binary_to_integer",
                "iolist_to_binary", "list_to_float", "is_process_alive", "list_to_existing_atom",
                "erlang:make_tuple", "erlang:put", "erlang:fun_info", "bitstring_to_list"
            ]),
             "(", E(), ")"]
        end,
        fun() ->
            ["erlang:",
             pick([
                 "element", "append", "binary_part", "max", "min", "make_tuple",
                 "integer_to_list", "map_get", "is_map_key", "append_element", "delete_element",
                 "subtract", "list_to_integer", "split_binary", "binary_to_term",
                 "float_to_binary", "fun_info"
             ]),
             "(", E(), gap(), E(), ")"]
        end,
        fun() ->
            ["erlang:",
             pick([
                 "setelement", "insert_element", "binary_part", "binary_to_list", "make_tuple",
                 "raise", "apply"
             ]),
             "(", E(), gap(), E(), gap(), E(), ")"]
        end,
        fun() ->
            ["lists:",
             pick([
                 "reverse", "sort", "usort", "max", "flatten", "append", "concat", "unzip",
                 "droplast", "last", "sum", "flatlength", "zip3"
             ]),
             "(", E(), ")"]
        end,
        fun() ->
            ["lists:",
             pick([
                 "member", "nth", "nthtail", "delete", "zip", "append", "duplicate", "prefix",
                 "split", "sublist", "reverse", "keysort", "merge", "subtract", "seq"
             ]),
             "(", E(), gap(), E(), ")"]
        end,
        fun() ->
            ["lists:", pick(["keyfind", "keymember", "keydelete", "keytake", "keysearch"]), "(",
             E(), gap(), E(), gap(), E(), ")"]
        end,
        fun() ->
            ["lists:",
             pick([
                 "map", "filter", "foreach", "all", "any", "flatmap", "partition", "takewhile",
                 "sort"
             ]),
             "(fun(", V, ") ->", space(), With(V), " end, ", E(), ")"]
        end,
        fun() ->
            ["lists:", pick(["foldl", "foldr", "mapfoldl"]), "(fun(", V, ", _) -> ", With(V),
             " end, ", E(), gap(), E(), ")"]
        end,
        fun() -> ["math:", pick(["sqrt", "log", "exp", "sin"]), "(", E(), ")"] end,
        fun() -> ["math:", pick(["pow", "atan2", "fmod"]), "(", E(), gap(), E(), ")"] end,
        fun() ->
            ["binary:", pick(["at", "part", "match", "split", "copy"]), "(", E(), gap(), E(),
             ")"]
        end,
        fun() -> ["string:", pick(["length", "uppercase", "trim", "reverse"]), "(", E(), ")"] end,
        fun() -> ["proplists:get_value(", E(), gap(), E(), ")"] end,
        fun() -> ["io_lib:format(", E(), gap(), E(), ")"] end
    ]).

effects(E) ->
    pick_made([
        fun() -> ["begin ", E(), ",", space(), E(), " end"] end,
        fun() -> ["begin hd(", E(), "),", space(), E(), " end"] end,
        fun() -> ["begin _ = element(1, ", E(), "),", space(), E(), " end"] end,
        fun() -> ["begin (", E(), ") + 1,", space(), E(), " end"] end,
        fun() -> ["begin [", E(), " || _ <- ", E(), "],", space(), E(), " end"] end,
        fun() -> ["begin {", E(), ", ", E(), "}, ", E(), " end"] end,
        fun() -> ["begin catch ", E(), ",", space(), E(), " end"] end,
        fun() -> ["begin true = ", E(), ",", space(), E(), " end"] end
    ]).

nested(E, V, With) ->
    W = V ++ "w",
    pick_made([
        fun() ->
            ["(fun(", V, ") -> (fun(", W, ") -> {", With(V), ", ", W, "} end)(", With(V),
             ") end)(", E(), ")"]
        end,
        fun() ->
            ["begin ", V, " = fun(", V, "x) -> ", With(V ++ "x"), " end,", space(), W, " = fun(",
             W, "x) -> [", V, "(", W, "x)] end, ", W, "(", E(), ") end"]
        end,
        fun() ->
            ["begin ", V, " = fun() -> ", E(), " end,", space(), "try ", V, "() catch error:", W,
             " -> {", W, ", ", V, "} end end"]
        end,
        fun() ->
            ["lists:map(fun(", V, ") -> lists:map(fun(", W, ") -> {", W, ", ", With(V), "} end,",
             space(), E(), ") end, ", E(), ")"]
        end,
        fun() ->
            ["begin ", V, " = fun(0) -> ", E(), "; (", V, "x) when is_list(", V, "x) -> ",
             With(V ++ "x"), " end,", space(), V, "(", E(), ") end"]
        end,
        fun() ->
            ["begin ", V, " = fun ", W, "([]) -> ", E(), "; ", W, "([", W, "h | ", W, "t]) -> [",
             With(W ++ "h"), " | ", W, "(", W, "t)] end,", space(), V, "(", E(), ") end"]
        end
    ]).

loops(E, V, With) ->
    W = V ++ "w",
    pick_made([
        fun() -> ["length([", With(V), " || ", V, " <- ", E(), "])"] end,
        fun() ->
            ["[{", V, ", ", W, ", ", With(V), "} || ", V, " <- ", E(), ",", space(), W, " <- [",
             With(V), "]]"]
        end,
        fun() -> ["[", V, " || {", V, ", ", W, "} <- ", E(), ", ", W, " > 0, ", With(V), "]"] end,
        fun() ->
            ["[", With(V), " || ", V, " <- ", E(), ", ", W, " <- ", V, ", ", type_test(W), "]"]
        end,
        fun() -> ["<< <<(", With(V), ")/binary>> || ", V, " <- ", E(), " >>"] end,
        fun() -> ["<< <<", V, ":(", With(V), ")>> || ", V, " <- ", E(), " >>"] end,
        fun() -> ["lists:sum([", With(V), " || ", V, " <- ", E(), ", is_integer(", V, ")])"] end
    ]).
