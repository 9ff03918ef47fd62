%% The functions that the compiler makes of parts of a function, and their names, which stacktraces
%% show.
%%
%% A loop `L/N` in `F/A` (of a comprehension, mostly) becomes the function `-F/A-L/N-Number-`. The
%% number depends on the order in which the compiler comes across them, which is not that of the
%% source: so the names are taken from the beam file. Of loops that inlining has doubled, the line
%% where they begin tells which is which. Where it does not, the engine counts. Funs that inlining
%% has left without a name become `-F/A-anonymous-Number-`.
-module(cuter_loops).

-export([named/2, by_function/1, rewrite/2]).

-export_type([loop/0, loops/0]).

-type loop() :: {Name :: atom(), arity(), Lifted :: atom()}.
-type loops() :: #{{atom(), arity()} => [loop()]}.
%% The functions that a loop, or a fun without a name, may have become, with their lines.
-type named() :: #{{Name :: atom(), arity()} | anonymous => [{atom(), Line :: non_neg_integer()}]}.

captured(Name, Pattern) ->
    case atom_to_list(Name) of
        "-" ++ _ = Text -> re:run(Text, Pattern, [unicode, {capture, all_but_first, list}]);
        _ -> nomatch
    end.

%% The loops among the names of functions.
-spec by_function([atom()]) -> loops().
by_function(Names) ->
    lists:foldl(fun add/2, #{}, lists:flatmap(fun parts/1, Names)).

add({Key, Item}, Items) ->
    maps:update_with(Key, fun(Others) -> [Item | Others] end, [Item], Items).

parts(Name) ->
    Pattern = "^-(.+)/([0-9]+)-([^/]+)/([0-9]+)-[0-9]+-$",
    case captured(Name, Pattern) of
        {match, [Function, Arity, Loop, LoopArity]} ->
            [{
                {list_to_atom(Function), list_to_integer(Arity)},
                {list_to_atom(Loop), list_to_integer(LoopArity), Name}
            }];
        nomatch ->
            []
    end.

%% The module with the names that its functions have in the beam file, and whether all were found.
-spec named(cuter_ast:module_tree(), cuter_assembly:functions()) ->
    {cuter_ast:module_tree(), boolean()}.
named(Tree, Functions) ->
    Begins = maps:from_list([{Name, Line} || {Name, _, Line, _} <- Functions]),
    Names = [Name || {Name, _, _, _} <- Functions],
    Loops = maps:map(fun(_Function, Found) -> candidates(Found, Begins) end, by_function(Names)),
    Named = lists:foldl(
        fun({Function, Name}, All) -> with_anonymous(Function, Name, Begins, All) end,
        Loops,
        lists:flatmap(fun anonymous/1, Names)
    ),
    Doubled = [
        {Function, Key}
     || {Function, InFunction} <- maps:to_list(Named),
        {Key, Found} <- maps:to_list(InFunction),
        length(lists:ukeysort(2, Found)) < length(Found)
    ],
    {named_loops(Tree, Named), Doubled =:= []}.

anonymous(Name) ->
    case captured(Name, "^-(.+)/([0-9]+)-anonymous-[0-9]+-$") of
        {match, [Function, Arity]} -> [{{list_to_atom(Function), list_to_integer(Arity)}, Name}];
        nomatch -> []
    end.

with_anonymous(Function, Name, Begins, Named) ->
    Found = add({anonymous, {Name, maps:get(Name, Begins)}}, maps:get(Function, Named, #{})),
    Named#{Function => Found}.

-spec candidates([loop()], #{atom() => non_neg_integer()}) -> named().
candidates(Loops, Begins) ->
    Found = [{{Name, Arity}, {L, maps:get(L, Begins)}} || {Name, Arity, L} <- Loops],
    lists:foldl(fun add/2, #{}, Found).

named_loops(Tree, Named) ->
    rewrite(Tree, fun(Function) ->
        case maps:get(Function, Named, #{}) of
            None when map_size(None) =:= 0 -> keep;
            Names -> fun(Node) -> name(Node, Names) end
        end
    end).

name({letrec, rec, Definitions, Body}, Names) ->
    {letrec, rec, [name_definition(D, Names) || D <- Definitions], Body};
name({'fun', Line, Vars, Body, undefined}, #{anonymous := Found}) ->
    {'fun', Line, Vars, Body, at_line(Found, cuter_written:line(Line))};
name(Node, _Names) ->
    Node.

%% It may have been taken for a fun without a name.
name_definition({Name, Arity, {'fun', Line, Vars, Body, _}}, Names) ->
    Lifted = lifted(maps:get({Name, Arity}, Names, []), cuter_written:line(Line)),
    {Name, Arity, {'fun', Line, Vars, Body, Lifted}}.

lifted([{Lifted, _}], _Line) ->
    Lifted;
lifted(Several, Line) ->
    at_line(Several, Line).

at_line(Several, Line) ->
    case [Lifted || {Lifted, Begins} <- Several, Begins =:= Line] of
        [Lifted] -> Lifted;
        _ -> undefined
    end.

%% Changes the nodes of some functions, from the leaves up.
-spec rewrite(cuter_ast:module_tree(), fun((Function) -> keep | fun((Node) -> Node))) ->
    cuter_ast:module_tree()
when
    Function :: {atom(), arity()}, Node :: cuter_ast:tree().
rewrite({cuter_module, Version, Module, Files, Exports, Functions, Specs}, Change) ->
    Changed = [
        {Name, Arity, File, setelement(5, rewritten(Fun, Change({Name, Arity})), undefined)}
     || {Name, Arity, File, Fun} <- Functions
    ],
    {cuter_module, Version, Module, Files, Exports, Changed, Specs}.

rewritten(Fun, keep) -> Fun;
rewritten(Fun, Change) -> walk(Fun, Change).

%% What is in a literal is no tree.
walk({lit, _} = Literal, _Change) ->
    Literal;
walk(Tree, Change) when is_tuple(Tree) ->
    Change(list_to_tuple(walk(tuple_to_list(Tree), Change)));
walk([Tree | Trees], Change) ->
    [walk(Tree, Change) | walk(Trees, Change)];
walk(Other, _Change) ->
    Other.
