%% The functions that the compiler makes of parts of a function, and their names, which stacktraces
%% show.
%%
%% A loop `L/N` in `F/A` (of a comprehension, mostly) becomes the function `-F/A-L/N-Number-`, and
%% a fun with captured variables none of whose clauses matches calls `-F/A-inlined-Number-`, which
%% begins at the fun's line. The number depends on the order in which the compiler comes across
%% them, which is not that of the source: so the names are taken from the beam file. Where they
%% cannot be (a loop that inlining has doubled), the engine counts.
-module(cuter_loops).

-export([lifted/1, named/2, by_function/1, rewrite/2]).

-export_type([loop/0, loops/0, lifted/0, raising/0]).

-type loop() :: {Name :: atom(), arity(), Lifted :: atom()}.
-type loops() :: #{{atom(), arity()} => [loop()]}.
%% A function that raises for others: by whom it is called, and where it begins.
-type raising() :: {Name :: atom(), arity(), Caller :: atom(), Line :: non_neg_integer()}.
-opaque lifted() :: {loops(), #{{atom(), arity()} => [raising()]}}.

%% What this code has.
-spec lifted(cuter_assembly:functions()) -> lifted().
lifted(Functions) ->
    {by_function([Name || {Name, _, _, _} <- Functions]), raising(Functions)}.

%% In the order of the code, which is that of Core Erlang within a function.
raising(Functions) ->
    Begins = maps:from_list([{{Name, Arity}, Line} || {Name, Arity, Line, _} <- Functions]),
    Found = [
        {Function, {Name, Arity, Caller, maps:get({Name, Arity}, Begins)}}
     || {Caller, _, _, Events} <- Functions,
        {Function, Name, Arity} <- lists:uniq([
            {Function, Name, Arity}
         || {_, _, {local, Name, Arity}} <- Events, Function <- raising_for(Name)
        ])
    ],
    lists:foldr(fun add/2, #{}, Found).

raising_for(Name) ->
    case captured(Name, "^-(.+)/([0-9]+)-inlined-[0-9]+-$") of
        {match, [Function, Arity]} -> [{list_to_atom(Function), list_to_integer(Arity)}];
        nomatch -> []
    end.

captured(Name, Pattern) ->
    case atom_to_list(Name) of
        "-" ++ _ = Text -> re:run(Text, Pattern, [unicode, {capture, all_but_first, list}]);
        _ -> nomatch
    end.

%% The loops among the names of functions.
-spec by_function([atom()]) -> loops().
by_function(Names) ->
    lists:foldl(fun add/2, #{}, lists:flatmap(fun parts/1, Names)).

add({Function, Loop}, Loops) ->
    maps:update_with(Function, fun(Others) -> [Loop | Others] end, [Loop], Loops).

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

%% The module with these names.
-spec named(cuter_ast:module_tree(), lifted()) -> cuter_ast:module_tree().
named(Tree, {Loops, Raising}) ->
    with_raising(named_loops(Tree, Loops), Raising).

with_raising({cuter_module, Version, Module, Files, Exports, Functions, Specs}, Raising) ->
    With = [
        {Name, Arity, File, maps:get({Name, Arity}, Raising, []), Fun}
     || {Name, Arity, File, _, Fun} <- Functions
    ],
    {cuter_module, Version, Module, Files, Exports, With, Specs}.

named_loops(Tree, Loops) ->
    Named = maps:map(fun(_Function, InFunction) -> unambiguous(InFunction) end, Loops),
    rewrite(Tree, fun(Function) ->
        case maps:get(Function, Named, #{}) of
            None when map_size(None) =:= 0 -> keep;
            Names -> fun(Node) -> name(Node, Names) end
        end
    end).

unambiguous(Loops) ->
    Keys = [{Name, Arity} || {Name, Arity, _Lifted} <- Loops],
    Doubled = Keys -- lists:usort(Keys),
    maps:from_list([
        {{Name, Arity}, Lifted}
     || {Name, Arity, Lifted} <- Loops, not lists:member({Name, Arity}, Doubled)
    ]).

name({letrec, rec, Definitions, Body}, Names) ->
    {letrec, rec, [name_definition(D, Names) || D <- Definitions], Body};
name(Node, _Names) ->
    Node.

name_definition({Name, Arity, {'fun', Line, Vars, Body, undefined}}, Names) ->
    Lifted = maps:get({Name, Arity}, Names, undefined),
    {Name, Arity, {'fun', Line, Vars, Body, Lifted}};
name_definition(Definition, _Names) ->
    Definition.

%% Changes the nodes of some functions, from the leaves up.
-spec rewrite(cuter_ast:module_tree(), fun((Function) -> keep | fun((Node) -> Node))) ->
    cuter_ast:module_tree()
when
    Function :: {atom(), arity()}, Node :: cuter_ast:tree().
rewrite({cuter_module, Version, Module, Files, Exports, Functions, Specs}, Change) ->
    Changed = [
        {Name, Arity, File, Raising, rewritten(Fun, Change({Name, Arity}))}
     || {Name, Arity, File, Raising, Fun} <- Functions
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
