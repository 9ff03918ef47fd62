%% Whether a term is of a type, by the table of a signature.
%%
%% A term is looked at once for all types that it is asked about, its parts for all types that these
%% ask about: that takes time in proportion to the size of the term times the size of the table,
%% however unions are nested. The members of a type are what can be built by it in finitely many
%% steps, so a term decides every question about itself.
%%
%% A fun is of a type if its arity is; what it returns is looked at if it is a table. A key of a
%% map belongs to the first association whose key type it has; the value must be of the type of
%% that one. A mandatory association must have at least one key.
-module(cuter_type_check).

-export([is_member/3, is_input/2, is_result/3]).

-type ref() :: cuter_type_table:ref().
-type table() :: cuter_type_table:table().
%% Types that a term is asked about, or that it has.
-type refs() :: ordsets:ordset(ref()).

-spec is_member(term(), ref(), table()) -> boolean().
is_member(Term, Ref, Types) ->
    holding(Term, [Ref], Types) =/= [].

%% Whether a clause of the spec takes these arguments.
-spec is_input([term()], cuter_spec:signature()) -> boolean().
is_input(Args, Signature) ->
    results(Args, Signature) =/= [].

%% Whether the spec lets a call return this: some clause that takes the arguments says so. A spec
%% that does not take them says nothing about the result.
-spec is_result([term()], term(), cuter_spec:signature()) -> boolean().
is_result(Args, Result, #{types := Types} = Signature) ->
    case results(Args, Signature) of
        [] -> true;
        Refs -> holding(Result, Refs, Types) =/= []
    end.

results(Args, #{clauses := Clauses, types := Types}) ->
    ordsets:from_list([
        Result
     || {ArgRefs, Result} <- Clauses,
        length(ArgRefs) =:= length(Args),
        are_members(Args, ArgRefs, Types)
    ]).

are_members(Terms, Refs, Types) ->
    lists:all(fun({Term, Ref}) -> is_member(Term, Ref, Types) end, lists:zip(Terms, Refs)).

%% Those of the types that the term has.
-spec holding(term(), refs(), table()) -> refs().
holding(_Term, [], _Types) ->
    [];
holding(Term, Refs, Types) ->
    Simple = simple(Refs, Types, []),
    Holding = [Ref || {Ref, true} <- decide(Term, Simple, Types)],
    [Ref || Ref <- Refs, includes(element(Ref + 1, Types), Ref, Holding)].

includes({union, Members}, _Ref, Holding) -> lists:any(fun(M) -> is_in(M, Holding) end, Members);
includes(_Type, Ref, Holding) -> is_in(Ref, Holding).

is_in(Ref, Refs) -> ordsets:is_element(Ref, Refs).

%% The types, with the members of unions instead of unions. The table has no union in a union.
simple([], _Types, Simple) ->
    [{Ref, Type} || {Ref, Type} <- ordsets:from_list(Simple)];
simple([Ref | Refs], Types, Simple) ->
    case element(Ref + 1, Types) of
        {union, Members} -> simple(Members ++ Refs, Types, Simple);
        Type -> simple(Refs, Types, [{Ref, Type} | Simple])
    end.

decide([Head | Tail], Simple, Types) ->
    Cells = [{Ref, H, T} || {Ref, {cons, H, T}} <- Simple],
    Heads = holding(Head, ordsets:from_list([H || {_, H, _} <- Cells]), Types),
    %% The tail is asked about only what the head leaves open.
    Open = [Cell || {_, H, _} = Cell <- Cells, is_in(H, Heads)],
    Tails = holding(Tail, ordsets:from_list([T || {_, _, T} <- Open]), Types),
    Whole = ordsets:from_list([Ref || {Ref, _, T} <- Open, is_in(T, Tails)]),
    [{Ref, Type =:= any orelse is_in(Ref, Whole)} || {Ref, Type} <- Simple];
decide(Term, Simple, Types) when is_tuple(Term) ->
    Asked = [{Ref, Rs} || {Ref, {tuple, Rs}} <- Simple, length(Rs) =:= tuple_size(Term)],
    Whole = elements(tuple_to_list(Term), Asked, Types),
    [{Ref, Type =:= any orelse Type =:= tuple orelse is_in(Ref, Whole)} || {Ref, Type} <- Simple];
decide(Term, Simple, Types) when is_map(Term) ->
    Asked = [{Ref, numbered(As)} || {Ref, {map, As}} <- Simple],
    Whole = associations(maps:to_list(Term), Asked, Types),
    [{Ref, Type =:= any orelse is_in(Ref, Whole)} || {Ref, Type} <- Simple];
decide(Term, Simple, Types) when is_function(Term) ->
    Results = returned(cuter_table:table(Term)),
    [{Ref, is_of(Term, Type) andalso returns(Results, Type, Types)} || {Ref, Type} <- Simple];
decide(Term, Simple, _Types) ->
    [{Ref, is_of(Term, Type)} || {Ref, Type} <- Simple].

%% All that a fun is known to return.
returned({_Arity, Entries, Default}) -> [Default | [Result || {_Args, Result} <- Entries]];
returned(none) -> [].

%% A fun that never returns is taken for one whose results do not matter.
returns(Results, {'fun', _Args, Ref}, Types) when element(Ref + 1, Types) =/= none ->
    lists:all(fun(Result) -> is_member(Result, Ref, Types) end, Results);
returns(_Results, _Type, _Types) ->
    true.

%% Terms without parts that would have types of their own.
is_of(_Term, any) -> true;
is_of(Term, {integer, Low, High}) -> is_integer(Term) andalso is_between(Term, Low, High);
is_of(Term, float) -> is_float(Term);
is_of(Term, atom) -> is_atom(Term);
is_of(Term, {atom, Atom}) -> Term =:= Atom;
is_of(Term, nil) -> Term =:= [];
is_of(Term, {bits, Size, Unit}) -> is_bitstring(Term) andalso has_size(bit_size(Term), Size, Unit);
is_of(Term, {'fun', any, _Result}) -> is_function(Term);
is_of(Term, {'fun', Args, _Result}) -> is_function(Term, length(Args));
is_of(Term, pid) -> is_pid(Term);
is_of(Term, port) -> is_port(Term);
is_of(Term, reference) -> is_reference(Term);
is_of(_Term, _Other) -> false.

is_between(Term, Low, High) ->
    (Low =:= neg_inf orelse Low =< Term) andalso (High =:= pos_inf orelse Term =< High).

has_size(Bits, Size, 0) -> Bits =:= Size;
has_size(Bits, Size, Unit) -> Bits >= Size andalso (Bits - Size) rem Unit =:= 0.

%%% Tuples

%% Those of the tuple types whose element types all hold; a failed one asks no more.
elements([], Asked, _Types) ->
    ordsets:from_list([Ref || {Ref, []} <- Asked]);
elements(_Elements, [], _Types) ->
    [];
elements([Element | Elements], Asked, Types) ->
    Holding = holding(Element, ordsets:from_list([R || {_, [R | _]} <- Asked]), Types),
    elements(Elements, [{Ref, Rs} || {Ref, [R | Rs]} <- Asked, is_in(R, Holding)], Types).

%%% Maps

numbered(Associations) ->
    [
        {Number, Kind, Key, Value}
     || {Number, {Kind, Key, Value}} <-
            lists:zip(lists:seq(1, length(Associations)), Associations)
    ].

associations(Pairs, Asked, Types) ->
    Open = [{Ref, As, mandatory(As)} || {Ref, As} <- Asked],
    Left = lists:foldl(fun(Pair, Acc) -> pair(Pair, Acc, Types) end, Open, Pairs),
    ordsets:from_list([Ref || {Ref, _, []} <- Left]).

mandatory(Associations) ->
    [Number || {Number, mandatory, _, _} <- Associations].

%% Those of the map types that allow the pair, with what they still wait for.
pair(_Pair, [], _Types) ->
    [];
pair({Key, Value}, Open, Types) ->
    KeyRefs = ordsets:from_list([K || {_, As, _} <- Open, {_, _, K, _} <- As]),
    Keys = holding(Key, KeyRefs, Types),
    Chosen = [{O, first(As, Keys)} || {_, As, _} = O <- Open],
    Values = holding(Value, ordsets:from_list([V || {_, {_, V}} <- Chosen]), Types),
    [{Ref, As, Due -- [Number]} || {{Ref, As, Due}, {Number, V}} <- Chosen, is_in(V, Values)].

first([], _Keys) ->
    none;
first([{Number, _, Key, Value} | Associations], Keys) ->
    case is_in(Key, Keys) of
        true -> {Number, Value};
        false -> first(Associations, Keys)
    end.
