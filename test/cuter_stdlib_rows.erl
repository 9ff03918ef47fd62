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
     || Module <- modules() -- needs_maps_or_bits(), {Function, Arity} <- functions(Module),
     Args <- draws(Module, Function, Arity)
    ].

modules() ->
    [array, calendar, dict, gb_sets, gb_trees, lists, orddict, ordsets, proplists, queue, sets,
    sofs, string].

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
is_out_of_place(lists, {Name, _}) ->
    lists:member(Name, needs_maps());
is_out_of_place(_Module, _Function) ->
    false.

%% Functions of `lists`, and whole modules, that need maps or the bit syntax: the engine does not
%% have them yet. Once it has, all of this goes.
needs_maps() ->
    [uniq].

needs_maps_or_bits() ->
    [proplists, sets, string].

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
pool(calendar) ->
    [
        {2020, 2, 29}, {2021, 2, 29}, {1970, 1, 1}, {0, 1, 1}, {23, 59, 59}, {24, 0, 0}, {{2020,
        2, 29}, {1, 2, 3}},
        {{1970, 1, 1}, {0, 0, 0}}, 0, 1, 2, 12, 13, 1600, 1900, 2020, 62167219200, 86399, 86400,
        -1, a,
        {1500, 300000, 0}, 700000
    ].
