%% The built-in types of Erlang.
%%
%% `maybe_improper_list(T, U)` and `nonempty_maybe_improper_list(T, U)` contain the proper lists of
%% `T` whether `[]` is in `U` or not; `nonempty_improper_list(T, U)` ends in `U` alone.
-module(cuter_builtin_types).

-export([add/3, arities/1]).

-type id() :: cuter_type_table:id().
-type graph() :: cuter_type_table:graph().
%% `self` is the type that is being described.
-type expression() ::
    self
    | {id, id()}
    | {builtin, atom(), [expression()]}
    | {union, [expression()]}
    | {cons, expression(), expression()}
    | {tuple, [expression()]}
    | {'fun', any, expression()}
    | {map, [{optional, expression(), expression()}]}
    %% A node without children
    | {leaf, cuter_type_table:type()}.

%% The node of a built-in type with these parameters; `error` if there is none of that name and
%% number of parameters.
-spec add(atom(), [id()], graph()) -> {id(), graph()} | error.
add(Name, Parameters, Graph) ->
    case expression(Name, [{id, Id} || Id <- Parameters]) of
        {ok, {leaf, Leaf}} -> cuter_type_table:add(Leaf, Graph);
        {ok, Expression} -> express_once({builtin, Name, Parameters}, Expression, Graph);
        error -> error
    end.

express_once(Key, Expression, Graph0) ->
    case cuter_type_table:enter(Key, Graph0) of
        {known, Id} ->
            {Id, Graph0};
        {new, Self, Graph1} ->
            {Id, Graph} = express(Expression, Self, Graph1),
            {Id, cuter_type_table:leave(Key, Self, Id, Graph)}
    end.

-spec express(expression(), id(), graph()) -> {id(), graph()}.
express(self, Self, Graph) ->
    {Self, Graph};
express({id, Id}, _Self, Graph) ->
    {Id, Graph};
express({leaf, Leaf}, _Self, Graph) ->
    cuter_type_table:add(Leaf, Graph);
express({builtin, Name, Parameters}, Self, Graph0) ->
    {Ids, Graph} = expressions(Parameters, Self, Graph0),
    {_, _} = add(Name, Ids, Graph);
express({cons, Head, Tail}, Self, Graph0) ->
    {[HeadId, TailId], Graph} = expressions([Head, Tail], Self, Graph0),
    cuter_type_table:add({cons, HeadId, TailId}, Graph);
express({'fun', any, Result}, Self, Graph0) ->
    {Id, Graph} = express(Result, Self, Graph0),
    cuter_type_table:add({'fun', any, Id}, Graph);
express({map, [{optional, Key, Value}]}, Self, Graph0) ->
    {[KeyId, ValueId], Graph} = expressions([Key, Value], Self, Graph0),
    cuter_type_table:add({map, [{optional, KeyId, ValueId}]}, Graph);
express({Kind, Parts}, Self, Graph0) when Kind =:= union; Kind =:= tuple ->
    {Ids, Graph} = expressions(Parts, Self, Graph0),
    cuter_type_table:add({Kind, Ids}, Graph).

expressions(Expressions, Self, Graph) ->
    lists:mapfoldl(fun(E, G) -> express(E, Self, G) end, Graph, Expressions).

%% The numbers of parameters that a built-in type of this name takes.
-spec arities(atom()) -> [arity()].
arities(Name) ->
    [
        length(Parameters)
     || Parameters <- [[], [self], [self, self]],
        expression(Name, Parameters) =/= error
    ].

%%% Meanings

-spec expression(atom(), [expression()]) -> {ok, expression()} | error.
expression(Name, Parameters) ->
    case {leaf(Name), Parameters} of
        {{ok, Leaf}, []} -> {ok, {leaf, Leaf}};
        {{ok, _}, _} -> error;
        {error, _} -> composed(Name, Parameters)
    end.

leaf(any) -> {ok, any};
leaf(term) -> {ok, any};
leaf(dynamic) -> {ok, any};
leaf(none) -> {ok, none};
leaf(no_return) -> {ok, none};
leaf(integer) -> {ok, {integer, neg_inf, pos_inf}};
leaf(non_neg_integer) -> {ok, {integer, 0, pos_inf}};
leaf(pos_integer) -> {ok, {integer, 1, pos_inf}};
leaf(neg_integer) -> {ok, {integer, neg_inf, -1}};
leaf(byte) -> {ok, {integer, 0, 255}};
leaf(arity) -> {ok, {integer, 0, 255}};
leaf(char) -> {ok, {integer, 0, 16#10FFFF}};
leaf(float) -> {ok, float};
leaf(atom) -> {ok, atom};
leaf(module) -> {ok, atom};
leaf(node) -> {ok, atom};
leaf(nil) -> {ok, nil};
leaf(tuple) -> {ok, tuple};
leaf(bitstring) -> {ok, {bits, 0, 1}};
leaf(binary) -> {ok, {bits, 0, 8}};
leaf(nonempty_bitstring) -> {ok, {bits, 1, 1}};
leaf(nonempty_binary) -> {ok, {bits, 8, 8}};
leaf(pid) -> {ok, pid};
leaf(port) -> {ok, port};
leaf(reference) -> {ok, reference};
%% Native records, of OTP 29 and later, are not modelled.
leaf(record) -> {ok, any};
leaf(_Name) -> error.

composed(boolean, []) ->
    {ok, {union, [{leaf, {atom, true}}, {leaf, {atom, false}}]}};
composed(number, []) ->
    {ok, {union, [builtin(integer), builtin(float)]}};
composed(timeout, []) ->
    {ok, {union, [{leaf, {atom, infinity}}, builtin(non_neg_integer)]}};
composed(identifier, []) ->
    {ok, {union, [builtin(pid), builtin(port), builtin(reference)]}};
composed(mfa, []) ->
    {ok, {tuple, [builtin(module), builtin(atom), builtin(arity)]}};
composed(function, []) ->
    {ok, {'fun', any, builtin(any)}};
composed('fun', []) ->
    composed(function, []);
composed(map, []) ->
    {ok, {map, [{optional, builtin(any), builtin(any)}]}};
composed(iodata, []) ->
    {ok, {union, [builtin(iolist), builtin(binary)]}};
composed(iolist, []) ->
    Element = {union, [builtin(byte), builtin(binary), self]},
    {ok, list_of(Element, {union, [self, builtin(binary)]})};
composed(string, []) ->
    {ok, {builtin, list, [builtin(char)]}};
composed(nonempty_string, []) ->
    {ok, {builtin, nonempty_list, [builtin(char)]}};
composed(list, [Element]) ->
    {ok, list_of(Element, self)};
composed(nonempty_list, [Element]) ->
    {ok, {cons, Element, {builtin, list, [Element]}}};
composed(maybe_improper_list, [Element, End]) ->
    {ok, list_of(Element, {union, [self, End]})};
composed(nonempty_maybe_improper_list, [Element, End]) ->
    {ok, {cons, Element, {union, [{builtin, maybe_improper_list, [Element, End]}, End]}}};
composed(nonempty_improper_list, [Element, End]) ->
    {ok, {cons, Element, {union, [self, End]}}};
composed(Name, []) when Name =:= list; Name =:= nonempty_list ->
    {ok, {builtin, Name, [builtin(any)]}};
composed(Name, []) when Name =:= maybe_improper_list; Name =:= nonempty_maybe_improper_list ->
    {ok, {builtin, Name, [builtin(any), builtin(any)]}};
composed(_Name, _Parameters) ->
    error.

list_of(Element, Tail) ->
    {union, [{leaf, nil}, {cons, Element, Tail}]}.

builtin(Name) ->
    {builtin, Name, []}.
