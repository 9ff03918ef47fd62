%% A graph of types under construction, and the closed table that it ends as.
%%
%% While it grows, equal nodes are one node. A named type is entered under a key, which gives a node
%% that stands for it, and left when its meaning is known: recursion closes that way. Closing the
%% graph leaves no name, no union within a union, no two nodes of equal structure (cycles included)
%% and no node that cannot be reached. A type that is nothing but a name for itself is `none`.
-module(cuter_type_table).

-export([new/0, add/2, enter/2, leave/4, close/2]).

-export_type([graph/0, id/0, key/0, ref/0, table/0, type/0, type/1]).

-type id() :: non_neg_integer().
%% The position of a type in the table, counted from 0.
-type ref() :: non_neg_integer().
-type table() :: tuple().
-type type() :: type(ref()).
-type type(Ref) ::
    any
    | none
    | {integer, integer() | neg_inf, integer() | pos_inf}
    | float
    | atom
    | {atom, atom()}
    | nil
    | {cons, Ref, Ref}
    | tuple
    | {tuple, [Ref]}
    | {bits, non_neg_integer(), non_neg_integer()}
    | {map, [{mandatory | optional, Ref, Ref}]}
    | {'fun', any | [Ref], Ref}
    | pid
    | port
    | reference
    | {union, [Ref]}.
-type node_() :: type(id()) | {alias, id()}.
-type nodes() :: #{id() => node_()}.
%% What a named type goes by, its parameters included.
-type key() :: term().
-type graph() :: #{
    next := id(),
    nodes := nodes(),
    ids := #{node_() => id()},
    names := #{key() => id()}
}.

-spec new() -> graph().
new() ->
    #{next => 0, nodes => #{}, ids => #{}, names => #{}}.

%% The node of this structure.
-spec add(node_(), graph()) -> {id(), graph()}.
add(Node, #{ids := Ids} = Graph) ->
    case Ids of
        #{Node := Id} ->
            {Id, Graph};
        #{} ->
            {Id, Reserved} = reserve(Graph),
            {Id, define(Id, Node, Reserved#{ids := Ids#{Node => Id}})}
    end.

%% The node of a named type, or one that stands for it until it is left.
-spec enter(key(), graph()) -> {known, id()} | {new, id(), graph()}.
enter(Key, #{names := Names} = Graph) ->
    case Names of
        #{Key := Id} ->
            {known, Id};
        #{} ->
            {Self, Reserved} = reserve(Graph),
            {new, Self, Reserved#{names := Names#{Key => Self}}}
    end.

%% The named type that was entered as `Self` turns out to be another node.
-spec leave(key(), id(), id(), graph()) -> graph().
leave(Key, Self, Id, #{names := Names} = Graph) ->
    define(Self, {alias, Id}, Graph#{names := Names#{Key := Id}}).

reserve(#{next := Next} = Graph) ->
    {Next, Graph#{next := Next + 1}}.

define(Id, Node, #{nodes := Nodes} = Graph) ->
    Graph#{nodes := Nodes#{Id => Node}}.

%% The table of everything that can be reached from these nodes, and where they are in it.
-spec close([id()], graph()) -> {[ref()], table()}.
close(Roots, Graph0) ->
    {Any, Graph1} = add(any, Graph0),
    {None, #{nodes := Nodes}} = add(none, Graph1),
    settle(Roots, Nodes, {Any, None}).

%% Nodes that turn out equal may leave a union with one member, or with the same one twice.
settle(Roots, Nodes, {Any, None} = Special) ->
    {Flat, Leads} = flatten(Nodes, Special),
    Classes = classes(Flat),
    Class = fun(Id) -> maps:get(maps:get(Id, Leads), Classes) end,
    Merged = maps:from_list([
        {Name, children(Class, maps:get(Name, Flat))}
     || {Name, Name} <- maps:to_list(Classes)
    ]),
    MergedRoots = [Class(Root) || Root <- Roots],
    case maps:size(Merged) =:= maps:size(Nodes) of
        true -> number(MergedRoots, Merged);
        false -> settle(MergedRoots, Merged, {Class(Any), Class(None)})
    end.

%%% Aliases and unions

%% All nodes that are neither an alias nor a union of fewer than two, and for each node the one that
%% it leads to.
-spec flatten(nodes(), {id(), id()}) -> {nodes(), #{id() => id()}}.
flatten(Nodes, Special) ->
    {Flat, Leads} = maps:fold(
        fun(Id, Node, {Flat, Leads}) ->
            {Lead, FlatNode} = flat(Id, Node, Nodes, Special),
            {Flat#{Lead => FlatNode}, Leads#{Id => Lead}}
        end,
        {#{}, #{}},
        Nodes
    ),
    Lead = fun(Id) -> maps:get(Id, Leads) end,
    {maps:map(fun(_Id, Node) -> children(Lead, Node) end, Flat), Leads}.

flat(Id, {Kind, _}, Nodes, {Any, None}) when Kind =:= alias; Kind =:= union ->
    Members = members([Id], Nodes, [], #{}),
    case {lists:member(Any, Members), lists:delete(None, Members)} of
        {true, _} -> {Any, any};
        {false, []} -> {None, none};
        {false, [Member]} -> {Member, maps:get(Member, Nodes)};
        {false, Several} -> {Id, {union, Several}}
    end;
flat(Id, Node, _Nodes, _Special) ->
    {Id, Node}.

%% What a node consists of: in order, each once. A name for itself adds nothing.
members([], _Nodes, Found, _Seen) ->
    lists:reverse(Found);
members([Id | Ids], Nodes, Found, Seen) when is_map_key(Id, Seen) ->
    members(Ids, Nodes, Found, Seen);
members([Id | Ids], Nodes, Found, Seen) ->
    case maps:get(Id, Nodes) of
        {alias, To} -> members([To | Ids], Nodes, Found, Seen#{Id => []});
        {union, Members} -> members(Members ++ Ids, Nodes, Found, Seen#{Id => []});
        _ -> members(Ids, Nodes, [Id | Found], Seen#{Id => []})
    end.

%%% Equal structure

%% The coarsest division of the nodes in which equal nodes have children of equal classes. A class
%% goes by the smallest of its nodes.
-spec classes(nodes()) -> #{id() => id()}.
classes(Nodes) ->
    Sorted = lists:sort(maps:to_list(Nodes)),
    refine(Sorted, maps:map(fun(_, _) -> 0 end, Nodes), 1).

refine(Sorted, Classes, Count) ->
    Class = fun(Id) -> maps:get(Id, Classes) end,
    {Finer, Known} = lists:foldl(
        fun({Id, Node}, {Acc, Known}) ->
            Key = {maps:get(Id, Classes), children(Class, Node)},
            Name = maps:get(Key, Known, Id),
            {Acc#{Id => Name}, Known#{Key => Name}}
        end,
        {#{}, #{}},
        Sorted
    ),
    case maps:size(Known) of
        Count -> Finer;
        More -> refine(Sorted, Finer, More)
    end.

-spec children(fun((id()) -> T), node_()) -> type(T).
children(F, {cons, Head, Tail}) -> {cons, F(Head), F(Tail)};
children(F, {tuple, Elements}) -> {tuple, [F(E) || E <- Elements]};
children(F, {map, Associations}) -> {map, [{Kind, F(K), F(V)} || {Kind, K, V} <- Associations]};
children(F, {'fun', any, Result}) -> {'fun', any, F(Result)};
children(F, {'fun', Args, Result}) -> {'fun', [F(A) || A <- Args], F(Result)};
children(F, {union, Members}) -> {union, [F(M) || M <- Members]};
children(_F, Leaf) -> Leaf.

%%% Numbers

%% Breadth first, so that the types of the arguments come first.
number(Roots, Nodes) ->
    {Numbers, Order} = visit(Roots, Nodes, #{}, []),
    Number = fun(Id) -> maps:get(Id, Numbers) end,
    Types = [children(Number, maps:get(Id, Nodes)) || Id <- Order],
    {[Number(Root) || Root <- Roots], list_to_tuple(Types)}.

visit([], _Nodes, Numbers, Order) ->
    {Numbers, lists:reverse(Order)};
visit(Level, Nodes, Numbers0, Order0) ->
    {Numbers, Order, New} = lists:foldl(
        fun
            (Id, {Seen, _, _} = Acc) when is_map_key(Id, Seen) -> Acc;
            (Id, {Seen, Ids, Added}) -> {Seen#{Id => maps:size(Seen)}, [Id | Ids], [Id | Added]}
        end,
        {Numbers0, Order0, []},
        Level
    ),
    Next = [Child || Id <- lists:reverse(New), Child <- child_ids(maps:get(Id, Nodes))],
    visit(Next, Nodes, Numbers, Order).

child_ids({cons, Head, Tail}) -> [Head, Tail];
child_ids({tuple, Elements}) -> Elements;
child_ids({map, Associations}) -> lists:append([[K, V] || {_, K, V} <- Associations]);
child_ids({'fun', any, Result}) -> [Result];
child_ids({'fun', Args, Result}) -> Args ++ [Result];
child_ids({union, Members}) -> Members;
child_ids(_Leaf) -> [].
