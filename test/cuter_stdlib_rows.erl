%% Calls of the functions of stdlib that work on plain terms, interpreted from their source.
%% Arguments are drawn from a few plausible values for each module, the same in every run.
%% `cuter_bif_tests` makes each call in the engine and natively.
-module(cuter_stdlib_rows).

-export([rows/0]).

%% Calls of each function.
-define(CALLS, 40).

-spec rows() -> [{module(), atom(), [term()], ending_of}].
rows() ->
    [
        {Module, Function, Args, ending_of}
     || Module <- modules(), {Function, Arity} <- functions(Module),
     Args <- draws(Module, Function, Arity)
    ].

modules() ->
    [array, base64, binary, calendar, dict, erl_parse, erl_pp, erl_scan, filename, gb_sets,
    gb_trees, io_lib, lists, maps, math, orddict, ordsets, proplists, queue, rand, re, sets, sofs,
    string, unicode, uri_string].

functions(Module) ->
    Exported = lists:sort(Module:module_info(exports)),
    [F || {Name, _} = F <- Exported, Name =/= module_info, not is_out_of_place(Module, F)].

%% What asks for the time or its zone, or gives a table of ETS.
is_out_of_place(calendar, {Name, _}) ->
    lists:member(Name, [
        local_time, local_time_to_universal_time, local_time_to_universal_time_dst, universal_time,
        universal_time_to_local_time, now_to_local_time, iso_week_number, system_time_to_local_time,
        system_time_to_rfc3339, rfc3339_to_system_time
    ]);
is_out_of_place(sofs, {Name, _}) ->
    Name =:= family_to_digraph;
%% Compiled patterns and iterators are opaque.
is_out_of_place(binary, {Name, _}) ->
    lists:member(Name, [compile_pattern, referenced_byte_size]);
is_out_of_place(re, {Name, _}) ->
    lists:member(Name, [compile, internal_run]);
%% The state in the process dictionary starts from the time, and a new state has funs in it.
is_out_of_place(rand, {Name, _}) ->
    Name =:= seed_s orelse not lists:suffix("_s", atom_to_list(Name));
is_out_of_place(filename, {Name, _}) ->
    lists:member(Name, [find_src, find_file, find_source, basedir]);
is_out_of_place(_Module, _Function) ->
    false.

draws(Module, Function, Arity) ->
    Pool = list_to_tuple(pool(Module)),
    State = rand:seed_s(exsss, erlang:phash2({Module, Function, Arity})),
    {Draws, _} = lists:mapfoldl(
        fun(_, Before) -> lists:mapfoldl(fun(_, S) -> draw(Pool, S) end, Before, lists:seq(1,
        Arity)) end,
        State,
        lists:seq(1, ?CALLS)
    ),
    lists:usort(Draws).

draw(Pool, State) ->
    {Index, Next} = rand:uniform_s(tuple_size(Pool), State),
    {element(Index, Pool), Next}.

plain() ->
    [0, 1, 2, 3, a, b, [], [1, 2, 3], [3, 1, 2, 1.0, a], [{a, 1}, {b, 2}], [a | b], {1, 2}].

funs() ->
    [fun erlang:'+'/2, fun erlang:'=<'/2, fun erlang:is_atom/1, fun erlang:'-'/1, fun erlang:max/2].

pool(lists) ->
    [[[1], [2, 3]], [{1, a}, {2, b}, {1, c}], "abc", [[a], b, [[c]]], -1, [{a, b,
    c}] | plain() ++ funs()];
pool(string) ->
    [
        "", "abc", "  a b  ", "a,b,,c", "ABC", [229, 228, 246], ["a", $b, ["c"]], ",", "b", left,
        both, trailing,
        leading, all, 0, 1, 2, 5, $a, $\s, "é", [101, 769, 102], a, -1, [$a | $b], "12 x", "-1.5e3z"
    ];
pool(queue) ->
    [queue:new(), queue:from_list([1, 2, 3]), queue:in(4, queue:from_list([a])), {[1], [2]},
    fun erlang:is_atom/1 | plain()];
pool(Dict) when Dict =:= dict; Dict =:= orddict ->
    [Dict:new(), Dict:from_list([{a, 1}, {b, 2}]), Dict:from_list([{1, [x]}, {1.0, [y]}, {a,
    [z]}]) | plain() ++ funs()];
pool(Set) when Set =:= ordsets; Set =:= gb_sets; Set =:= sets ->
    [Set:new(), Set:from_list([a, b, 1]), Set:from_list([1, 1.0, {1}]),
    Set:from_list([b]) | plain() ++ funs()];
pool(gb_trees) ->
    Tree = gb_trees:from_orddict([{N, N * N} || N <- lists:seq(1, 10)]),
    [gb_trees:empty(), Tree, gb_trees:insert(0, z, Tree), gb_trees:iterator(Tree), 5,
    11 | plain() ++ funs()];
pool(array) ->
    [array:new(), array:from_list([a, b, c]), array:new(5, fixed), array:set(20, x, array:new()),
    -1, 30, {fixed, true} | plain() ++ funs()];
pool(proplists) ->
    [[a, {b, 1}, {a, 2}, {c, x, y}, b], [{a, true}, a], [{a, [b]}], [{aliases, [{a,
    b}]}] | plain()];
pool(sofs) ->
    [
        sofs:set([a, b]), sofs:relation([{a, 1}, {b, 2}, {a, 3}]), sofs:family([{a, [1]}, {b, [1,
        2]}]), sofs:empty_set(),
        sofs:from_term([[a], [b, c]]), {external, fun erlang:is_atom/1}, [{a, b}], {a, 1}, 1, 2,
        [atom], [[atom]], a, [a, b]
    ];
pool(maps) ->
    Large = maps:from_list([{N, N rem 3} || N <- lists:seq(1, 50)]),
    [#{}, #{a => 1, b => 2}, #{1 => x, 1.0 => y}, Large, maps:iterator(#{a => 1}), [{a, 1}, {b, 2}],
        fun erlang:is_atom/1, fun erlang:max/2, fun(_, V) -> V =:= 1 end,
        fun(_, V, A) -> [V | A] end
        | plain()];
pool(binary) ->
    [<<>>, <<"abc">>, <<"a,b,,c">>, <<",">>, <<"b">>, <<1, 2, 3>>, <<5:3>>, {0, 1}, {1, -1}, -1, 5,
        [global], [trim_all, global], [{scope, {1, 2}}], [<<"a">>, <<",">>], big, little | plain()];
pool(base64) ->
    [<<>>, <<"a">>, <<"ab">>, <<"abc">>, "abc", <<"YQ==">>, "YWI=", <<"Y W J j">>, <<"####">>, a,
        <<1:3>>, [<<"x">>, "y"], <<"YQ=">>, lists:seq(0, 255)];
pool(unicode) ->
    [<<>>, <<"abc">>, <<195, 164>>, <<228>>, [228, 8364], ["a", <<"b">>], utf8, latin1, utf16,
        {utf16, little}, {utf32, big}, unicode, a, [101, 769], <<254, 255, 0, 65>>, [-1]];
pool(uri_string) ->
    ["http://a.b:80/c/d?e=f&g#h", <<"foo://example.com:8042/over/there?name=ferret#nose">>, "",
        "../x", "/a/./b/../c", "%41%zz", "a b", [{"a", "b c"}, {"d", true}], "a=b&c=d+e",
        #{path => "/p", host => "h", scheme => "s"}, #{path => "x"}, <<"urn:x:y">>, "//h:99999",
        [return_map], a, 1, "http://[::1]:1/"];
pool(io_lib) ->
    ["~p ~w", "~s|~ts", "~10.3f~n", "~5..0b ~.16B", "~c~~", "~P", [[1, {a, "bc"}, <<"x">>], 5],
        [1.5], [255, 16], "abc", [a, "b"], [65], {a, [b | c], #{d => 1.0e22}, <<1:3>>}, 1.0e-7, 80,
        2, a, 'A b', "é", [1, 2 | 3], <<"bin">>, 1 bsl 70, -3];
pool(erl_scan) ->
    ["a + B.", "\"s\" $c 16#ff 1.5e3 'q a' % c", "<<1:8>> #{a := 1}.", "'x", "1 @@@", [], 1,
        {1, 1}, [return], [text], a, "fun(X) -> X end. b.", [{text, true}], "$\\n ?M #r{}"];
pool(erl_parse) ->
    Tokens = fun(Text) -> element(2, erl_scan:string(Text)) end,
    [Tokens("f(X) when X > 1 -> [X | a]; f(_) -> {b, \"s\"}."), Tokens("1 + 2, <<3>>."),
        Tokens("-spec f(integer()) -> [atom()]."), Tokens("a b."), Tokens("{[1, 2], #{a => b}}."),
        [], {cons, 1, {integer, 1, 1}, {nil, 1}}, {a, [1, 2.0, "x", <<1>>]}, [1 | 2], a, 1];
pool(erl_pp) ->
    Form = fun(Text) ->
        {ok, Tokens, _} = erl_scan:string(Text),
        {ok, Parsed} = erl_parse:parse_form(Tokens),
        Parsed
    end,
    [Form("f(X) when X > 1, is_atom(X) -> case X of {a, B} -> [B || B <- X]; _ -> fun g/1 end."),
        Form("-record(r, {a = 1 :: integer(), b})."), Form("g() -> <<1:8/big, \"x\">>, #{a => 1}."),
        Form("-spec f(A) -> [A] when A :: atom()."), {integer, 1, 5}, [{atom, 1, a}], 0, 4, none,
        [], a, {call, 1, {atom, 1, f}, [{string, 1, "s"}]}];
pool(filename) ->
    ["/a/b.erl", "a/b/../c", "", "x.y.z", <<"/bin/x.so">>, ".erl", "/", "//a//b/", a,
        ["a", $/, "b"], ["a", "b"], <<"b">>, 1, "~/x"];
pool(math) ->
    [0, 1, -1, 0.5, -0.5, 2, 1.0e10, 1.0e300, a, 10, 3.7, -3.7, 1 bsl 1030];
pool(rand) ->
    [rand:seed_s(exsss, 1), rand:seed_s(exro928ss, {1, 2, 3}), rand:seed_s(exs1024, 7), exsss,
        exrop, 1, 6, 0, 0.5, {1, 2, 3}, a, 4];
pool(re) ->
    ["abcabc", <<"a1b22">>, "b", "[0-9]+", "(a)(b)?", "x{2", [global], [{capture, all, list}],
        [{capture, [1], binary}, global], [{return, list}], "X", <<"-\\1-">>, [caseless], a, []];
pool(calendar) ->
    [
        {2020, 2, 29}, {2021, 2, 29}, {1970, 1, 1}, {0, 1, 1}, {23, 59, 59}, {24, 0, 0}, {{2020,
        2, 29}, {1, 2, 3}},
        {{1970, 1, 1}, {0, 0, 0}}, 0, 1, 2, 12, 13, 1600, 1900, 2020, 62167219200, 86399, 86400,
        -1, a,
        {1500, 300000, 0}, 700000
    ].
