%% Calls and arithmetic that the BEAM's stacktraces do not show where Core Erlang suggests it.
%%
%% The compiler goes on where Core Erlang ends. What it finds out about types makes some calls the
%% last ones of their functions, which are then in no stacktrace, and some arithmetic instructions
%% on floats, which name no function when they fail. Both can be read from the beam file
%% (`cuter_assembly`), where a function has its calls and its arithmetic at the same lines as in
%% Core Erlang. A call with which nothing at its line comes back to its function, and arithmetic
%% that is done on floats, get `{unseen, Line}` for their line.
%%
%% Where a function does the same several times in one line, and the compiler not all of it in the
%% same way, they are told apart by their order. If some of them are gone, the others are taken to
%% be seen.
%%
%% Of built-in functions that can only fail the compiler may lose the line: the BEAM then tells the
%% line before. They are found where nothing of the kind is written, and get that line.
-module(cuter_unseen).

-export([marked/2]).

-type tree() :: cuter_ast:tree().
%% The name of a function in the beam file. Those that the compiler made have unique names.
-type native() :: {atom(), arity()} | atom().
-type place() :: {native(), Line :: pos_integer()}.
-type what() ::
    cuter_assembly:callee()
    | {lifted, atom()}
    %% A fun, or a function whose name is computed. The compiler may know which one it is.
    | dynamic
    | {bif, atom(), arity()}.
%% How often something is written at a place.
-type written() :: #{place() => #{what() => pos_integer()}}.
%% What the compiler has made of it, in the order of the code.
-type compiled() :: #{place() => [{call | last | bif | float, what()}, ...]}.
%% What is to be known of those at a place, in order: not seen, nothing, or seen in another line.
-type mark() :: unseen | none | {line, pos_integer()}.
-type marks() :: #{place() => #{what() => [mark()]}}.

%% Where a node stands.
-record(in, {
    function :: native() | unknown,
    %% The functions of `letrec` that can be called here.
    locals = #{} :: #{{atom(), arity()} => goto | {lifted, atom()}}
}).

-spec marked(cuter_ast:module_tree(), cuter_assembly:functions()) -> cuter_ast:module_tree().
marked(Module, Functions) ->
    Names = sets:from_list([native(Name, Arity) || {Name, Arity, Line, _} <- Functions, Line > 0]),
    {_, Written} = walk_module(Module, fun count/3, #{}),
    case marks(Written, compiled(Functions), Names) of
        None when map_size(None) =:= 0 ->
            Module;
        Marks ->
            {Marked, _} = walk_module(Module, fun mark/3, Marks),
            Marked
    end.

count({Place, What}, Node, Written) ->
    Here = maps:get(Place, Written, #{}),
    {Node, Written#{Place => Here#{What => maps:get(What, Here, 0) + 1}}}.

mark({Place, What}, Node, Marks) ->
    case Marks of
        #{Place := #{What := [Mark | Others]} = Here} ->
            {with(Mark, Node), Marks#{Place := Here#{What := Others}}};
        #{} ->
            {Node, Marks}
    end.

with(none, Node) -> Node;
with(unseen, Node) -> setelement(2, Node, {unseen, element(2, Node)});
with({line, Line}, Node) -> setelement(2, Node, moved(element(2, Node), Line)).

moved({File, _}, Line) -> {File, Line};
moved(_, Line) -> Line.

%%% What the compiler has made of it

-spec compiled(cuter_assembly:functions()) -> compiled().
compiled(Functions) ->
    lists:foldl(
        fun({Name, Arity, _Begins, Events}, Compiled) ->
            Function = native(Name, Arity),
            lists:foldr(fun(Event, Acc) -> compiled(Function, Event, Acc) end, Compiled, Events)
        end,
        #{},
        Functions
    ).

compiled(Function, {Kind, Line, Done}, Compiled) ->
    case what(Done) of
        none ->
            Compiled;
        What ->
            Place = {Function, Line},
            Compiled#{Place => [{Kind, What} | maps:get(Place, Compiled, [])]}
    end.

native(Name, Arity) ->
    case is_made(Name) of
        true -> Name;
        false -> {Name, Arity}
    end.

%% `-f/1-fun-0-`
is_made(Name) ->
    case atom_to_list(Name) of
        [$-, _, _ | _] = Text -> lists:last(Text) =:= $-;
        _ -> false
    end.

what({local, Name, Arity}) ->
    case is_made(Name) andalso string:find(atom_to_list(Name), "-inlined-") of
        false -> {local, Name, Arity};
        nomatch -> {lifted, Name};
        %% Where no clause matches: no call is written there.
        _Raising -> none
    end;
what({remote, _, _, _} = Callee) ->
    Callee;
what({Dynamic, _Arity}) when Dynamic =:= 'fun'; Dynamic =:= named ->
    dynamic;
what({Name, Arity}) ->
    {bif, Name, Arity}.

%%% What is to be known

-spec marks(written(), compiled(), sets:set(native())) -> marks().
marks(Written, Compiled, Names) ->
    Strays = strays(Written, Compiled),
    maps:filtermap(
        fun({Function, _} = Place, Here) ->
            Done = maps:get(Place, Compiled, []),
            Marks = [
                {What, Found}
             || sets:is_element(Function, Names),
                {What, Count} <- maps:to_list(Here),
                {true, Found} <- [marks({Function, What}, Count, Here, Done, Strays)]
            ],
            Marks =/= [] andalso {true, maps:from_list(Marks)}
        end,
        Written
    ).

%% The lines of built-in functions that are not written there.
strays(Written, Compiled) ->
    Strays = [
        {{Function, Bif}, Line}
     || {{Function, Line} = Place, Done} <- maps:to_list(Compiled),
        Line > 0,
        {bif, Bif} <- lists:usort(Done),
        not is_map_key(Bif, maps:get(Place, Written, #{}))
    ],
    lists:foldl(
        fun({Key, Line}, All) -> maps:update_with(Key, fun(L) -> [Line | L] end, [Line], All) end,
        #{},
        Strays
    ).

marks({_, {bif, _, _} = Bif} = Key, Count, _Written, Done, Strays) ->
    case {[Kind || {Kind, What} <- Done, What =:= Bif], Strays} of
        {[], #{Key := [Line]}} -> {true, lists:duplicate(Count, {line, Line})};
        {[], _} -> false;
        {Kinds, _} -> unseen(Kinds, float, Count)
    end;
marks({_, dynamic}, Count, Written, Done, _Strays) ->
    unseen([Kind || {Kind, _} <- unnamed(Done, Written)], last, Count);
marks({_, Callee}, Count, _Written, Done, _Strays) ->
    unseen([Kind || {Kind, What} <- Done, What =:= Callee], last, Count).

%% Those that were done in a way that is not seen. What is not done at all is not seen, either.
unseen(Kinds, Unseen, Count) ->
    case lists:all(fun(Kind) -> Kind =:= Unseen end, Kinds) of
        true -> {true, lists:duplicate(Count, unseen)};
        false when length(Kinds) =/= Count -> false;
        false -> {true, [mark_of(Kind, Unseen) || Kind <- Kinds]}
    end.

mark_of(Unseen, Unseen) -> unseen;
mark_of(_Kind, _Unseen) -> none.

%% The calls that are not written with the name of their function.
unnamed(Done, Written) ->
    {Unnamed, _} = lists:foldl(
        fun
            ({_, {bif, _, _}}, Acc) ->
                Acc;
            %% Of a last call by name no line is told, so it may be written elsewhere.
            ({last, {local, _, _}}, Acc) ->
                Acc;
            ({_, What} = Call, {Calls, Left}) ->
                case Left of
                    #{What := Count} when Count > 0, What =/= dynamic ->
                        {Calls, Left#{What := Count - 1}};
                    #{} ->
                        {[Call | Calls], Left}
                end
        end,
        {[], Written},
        Done
    ),
    lists:reverse(Unnamed).

%%% Nodes in the order in which they are evaluated

walk_module({cuter_module, Version, Module, Files, Exports, Functions, Specs}, Visit, Acc) ->
    {Walked, Last} = lists:mapfoldl(
        fun({Name, Arity, File, Raising, Fun}, A) ->
            {New, B} = function(Fun, {Name, Arity}, #in{function = unknown}, Visit, A),
            {{Name, Arity, File, Raising, New}, B}
        end,
        Acc,
        Functions
    ),
    {{cuter_module, Version, Module, Files, Exports, Walked, Specs}, Last}.

function({'fun', Line, Vars, Body, Name}, Native, In, Visit, Acc) ->
    Inside = In#in{function = Native},
    {NewBody, Last} = walk(Body, Inside, Visit, Acc),
    {{'fun', Line, Vars, NewBody, Name}, Last}.

-spec walk(tree(), #in{}, Visit, Acc) -> {tree(), Acc} when
    Visit :: fun(({place(), what()}, tree(), Acc) -> {tree(), Acc}).
walk({lit, _} = Node, _In, _Visit, Acc) ->
    {Node, Acc};
walk({var, _} = Node, _In, _Visit, Acc) ->
    {Node, Acc};
walk({fname, _, _} = Node, _In, _Visit, Acc) ->
    {Node, Acc};
walk({values, Nodes}, In, Visit, Acc) ->
    parts([Nodes], In, Visit, Acc, fun([New]) -> {values, New} end);
walk({list, Nodes, Tail}, In, Visit, Acc) ->
    parts([Nodes, Tail], In, Visit, Acc, fun([New, NewTail]) -> {list, New, NewTail} end);
walk({tuple, Nodes}, In, Visit, Acc) ->
    parts([Nodes], In, Visit, Acc, fun([New]) -> {tuple, New} end);
walk({map, Line, Arg, Pairs}, In, Visit, Acc) ->
    Parts = [Arg | [[Key, Value] || {_, Key, Value} <- Pairs]],
    parts(Parts, In, Visit, Acc, fun([NewArg | News]) ->
        NewPairs = [{Op, Key, Value} || {{Op, _, _}, [Key, Value]} <- lists:zip(Pairs, News)],
        {map, Line, NewArg, NewPairs}
    end);
walk({binary, Line, Segments}, In, Visit, Acc) ->
    Parts = [[Value, Size] || {seg, Value, Size, _, _, _, _} <- Segments],
    parts(Parts, In, Visit, Acc, fun(News) ->
        {binary, Line, [
            setelement(3, setelement(2, Segment, Value), Size)
         || {Segment, [Value, Size]} <- lists:zip(Segments, News)
        ]}
    end);
walk({'fun', _, _, _, Name} = Fun, In, Visit, Acc) ->
    function(Fun, Name, In, Visit, Acc);
walk({'let', Vars, Arg, Body}, In, Visit, Acc) ->
    {NewArg, A} = walk(Arg, In, Visit, Acc),
    {NewBody, B} = walk(Body, In, Visit, A),
    {{'let', Vars, NewArg, NewBody}, B};
walk({seq, First, Second}, In, Visit, Acc) ->
    {NewFirst, A} = walk(First, In, Visit, Acc),
    {NewSecond, B} = walk(Second, In, Visit, A),
    {{seq, NewFirst, NewSecond}, B};
walk({'case', Line, Arg, Clauses}, In, Visit, Acc) ->
    {NewArg, A} = walk(Arg, In, Visit, Acc),
    {NewClauses, B} = lists:mapfoldl(fun(C, I) -> clause(C, In, Visit, I) end, A, Clauses),
    {{'case', Line, NewArg, NewClauses}, B};
walk({letrec, Kind, Definitions, Body}, In, Visit, Acc) ->
    Inside = with_locals(Kind, Definitions, In),
    {NewDefinitions, A} = definitions(Kind, Definitions, Inside, Visit, Acc),
    {NewBody, B} = walk(Body, Inside, Visit, A),
    {{letrec, Kind, NewDefinitions, NewBody}, B};
walk({apply, Line, Operator, Args}, In, Visit, Acc) ->
    {{Node, What}, A} = parts([Operator, Args], In, Visit, Acc, fun([NewOperator, NewArgs]) ->
        {{apply, Line, NewOperator, NewArgs}, applied(Operator, In)}
    end),
    visit(Node, What, In, Visit, A);
walk({call, Line, Module, Function, Args}, In, Visit, Acc) ->
    {Node, A} = parts([Module, Function, Args], In, Visit, Acc, fun([M, F, NewArgs]) ->
        {call, Line, M, F, NewArgs}
    end),
    visit(Node, named(Module, Function, length(Args)), In, Visit, A);
walk({primop, Line, Name, Args, Function}, In, Visit, Acc) ->
    parts([Args], In, Visit, Acc, fun([New]) -> {primop, Line, Name, New, Function} end);
walk({'try', Line, Arg, Vars, Body, Names, Handler}, In, Visit, Acc) ->
    {NewArg, A} = walk(Arg, In, Visit, Acc),
    {NewBody, B} = walk(Body, In, Visit, A),
    {NewHandler, C} = walk(Handler, In, Visit, B),
    {{'try', Line, NewArg, Vars, NewBody, Names, NewHandler}, C};
walk({'catch', Line, Body}, In, Visit, Acc) ->
    {New, Last} = walk(Body, In, Visit, Acc),
    {{'catch', Line, New}, Last}.

%% Parts that are all evaluated before what they are parts of: nodes and lists of nodes.
parts(Parts, In, Visit, Acc, Make) ->
    {News, Last} = lists:mapfoldl(
        fun
            (Nodes, A) when is_list(Nodes) ->
                lists:mapfoldl(fun(Node, B) -> walk(Node, In, Visit, B) end, A, Nodes);
            (Node, A) ->
                walk(Node, In, Visit, A)
        end,
        Acc,
        Parts
    ),
    {Make(News), Last}.

%% What a guard does is not seen in any case.
clause({clause, Line, Patterns, Guard, Body, Generated}, In, Visit, Acc) ->
    {New, Last} = walk(Body, In, Visit, Acc),
    {{clause, Line, Patterns, Guard, New, Generated}, Last}.

definitions(Kind, Definitions, In, Visit, Acc) ->
    lists:mapfoldl(
        fun({Name, Arity, Fun}, A) ->
            {New, B} = definition(Kind, Fun, In, Visit, A),
            {{Name, Arity, New}, B}
        end,
        Acc,
        Definitions
    ).

definition(goto, {'fun', Line, Vars, Body, Name}, In, Visit, Acc) ->
    {New, Last} = walk(Body, In, Visit, Acc),
    {{'fun', Line, Vars, New, Name}, Last};
definition(rec, {'fun', _, _, _, Name} = Fun, In, Visit, Acc) ->
    function(Fun, Name, In, Visit, Acc).

with_locals(Kind, Definitions, #in{locals = Locals} = In) ->
    New = maps:from_list([{{F, A}, local(Kind, Fun)} || {F, A, Fun} <- Definitions]),
    In#in{locals = maps:merge(Locals, New)}.

local(goto, _Fun) -> goto;
local(rec, {'fun', _, _, _, Name}) -> {lifted, Name}.

%%% What is called

applied({fname, Name, Arity}, #in{locals = Locals}) ->
    case Locals of
        #{{Name, Arity} := goto} -> none;
        #{{Name, Arity} := {lifted, undefined}} -> none;
        #{{Name, Arity} := Lifted} -> Lifted;
        #{} -> {local, Name, Arity}
    end;
applied(_Fun, _In) ->
    dynamic.

named({lit, erlang}, {lit, apply}, Arity) ->
    {remote, erlang, apply, Arity};
named({lit, erlang}, {lit, Name}, Arity) ->
    {bif, Name, Arity};
named({lit, Module}, {lit, Function}, Arity) ->
    {remote, Module, Function, Arity};
named(_Module, _Function, _Arity) ->
    dynamic.

visit(Node, none, _In, _Visit, Acc) ->
    {Node, Acc};
visit(Node, What, In, Visit, Acc) ->
    case line(element(2, Node)) of
        Line when is_integer(Line), Line > 0 ->
            Visit({{In#in.function, Line}, What}, Node, Acc);
        _ ->
            {Node, Acc}
    end.

line({_File, Line}) -> Line;
line(Line) -> Line.
