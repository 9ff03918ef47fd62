%% From types in abstract form to nodes of a `cuter_type_table`.
%%
%% A named type is one node for each list of its parameters, made before its definition is looked
%% into: that closes recursion. A type whose parameters grow without end gets `any()` for them at
%% some depth. Modules of remote types are read when a type names them.
%%
%% What is malformed is thrown as `{malformed, Place, What}`.
-module(cuter_types).

-export([new/1, clause/4, graph/1, widened/1]).

-export_type([state/0, malformed/0]).

-type id() :: cuter_type_table:id().
-type form() :: cuter_forms:form().
-type malformed() ::
    {undefined_type, {local | module(), atom()}, Given :: arity(), Takes :: [arity()]}
    | {undefined_record, atom()}
    | {undefined_field, Record :: atom(), Field :: atom()}
    | {not_an_integer, form()}
    | {empty_range, integer(), integer()}
    | {negative_size, integer()}
    | {not_a_type, form()}.

%% Where a form stands. A variable has a node; one of a `when` has it once somebody asks.
-type context() :: #{
    definitions := cuter_forms:definitions(),
    file := file:filename(),
    variables := #{atom() => id() | {constraint, Clause :: term(), form()}}
}.
-type state() :: #{
    graph := cuter_type_table:graph(),
    modules := #{module() => cuter_forms:definitions() | unavailable},
    %% How many definitions of a named type are being looked into at the moment, and the types whose
    %% parameters were found to grow.
    open := #{{module(), atom(), arity()} => pos_integer()},
    endless := #{{module(), atom(), arity()} => []},
    widened := [binary()]
}.

%% How often a type may occur inside itself with other parameters each time.
-define(MAX_NESTED, 8).

-spec new(cuter_forms:definitions()) -> state().
new(#{module := Module} = Definitions) ->
    #{
        graph => cuter_type_table:new(),
        modules => #{Module => Definitions},
        open => #{},
        endless => #{},
        widened => []
    }.

-spec graph(state()) -> cuter_type_table:graph().
graph(#{graph := Graph}) ->
    Graph.

%% A sentence for each type that could not be expressed, in the order in which they were met.
-spec widened(state()) -> [binary()].
widened(#{widened := Widened}) ->
    lists:reverse(Widened).

%% The types of the arguments and of the result in one clause of a spec. `Name` tells its variables
%% from those of other clauses.
-spec clause(form(), term(), {cuter_forms:definitions(), file:filename()}, state()) ->
    {[id()], id(), state()}.
clause({type, _, bounded_fun, [Fun, Constraints]}, Name, {Definitions, File}, State0) ->
    {Variables, State} = constraints(Constraints, Name, File, State0),
    function(Fun, context(Definitions, File, Variables), State);
clause(Fun, _Name, {Definitions, File}, State) ->
    function(Fun, context(Definitions, File, #{}), State).

function({type, _, 'fun', [{type, _, product, Args}, Result]}, Context, State0) ->
    {ArgIds, State1} = types(Args, Context, State0),
    {ResultId, State} = type(Result, Context, State1),
    {ArgIds, ResultId, State};
function(Form, Context, _State) ->
    malformed(Form, Context, {not_a_type, Form}).

context(Definitions, File, Variables) ->
    #{definitions => Definitions, file => File, variables => Variables}.

%% Of two constraints on one variable the first is kept: that allows more, not less.
constraints(Constraints, Name, File, State) ->
    lists:foldl(
        fun(Constraint, Acc) -> constraint(Constraint, Name, File, Acc) end,
        {#{}, State},
        Constraints
    ).

constraint({type, Anno, constraint, [_, [{var, _, Variable}, _Type]]}, _Name, File, {Known, State})
when is_map_key(Variable, Known) ->
    Text = io_lib:format(
        "~ts: variable ~ts has more than one constraint; only the first is used.",
        [cuter_forms:format_place({File, erl_anno:line(Anno)}), Variable]
    ),
    {Known, note(Text, State)};
constraint({type, _, constraint, [_, [{var, _, Variable}, Type]]}, Name, _File, {Known, State}) ->
    {Known#{Variable => {constraint, Name, Type}}, State};
constraint(Form, _Name, File, _Acc) ->
    throw({malformed, cuter_forms:place(File, Form), {not_a_type, Form}}).

%%% One clause for each kind of form

-spec type(form(), context(), state()) -> {id(), state()}.
type({ann_type, _, [_Variable, Type]}, Context, State) ->
    type(Type, Context, State);
type({paren_type, _, [Type]}, Context, State) ->
    type(Type, Context, State);
type({var, _, Name}, Context, State) ->
    variable(Name, Context, State);
type({atom, _, Atom}, _Context, State) ->
    node({atom, Atom}, State);
type({Kind, _, _} = Form, Context, State) when Kind =:= integer; Kind =:= char ->
    literal(Form, Context, State);
type({op, _, _, _} = Form, Context, State) ->
    literal(Form, Context, State);
type({op, _, _, _, _} = Form, Context, State) ->
    literal(Form, Context, State);
type({type, _, nil, []}, _Context, State) ->
    node(nil, State);
type({type, _, union, Members}, Context, State0) ->
    {Ids, State} = types(Members, Context, State0),
    node({union, Ids}, State);
type({type, _, range, [Low, High]} = Form, Context, State) ->
    range(integer(Low, Context), integer(High, Context), Form, Context, State);
type({type, _, tuple, Elements}, Context, State0) when is_list(Elements) ->
    {Ids, State} = types(Elements, Context, State0),
    node({tuple, Ids}, State);
type({type, _, map, Associations}, Context, State0) when is_list(Associations) ->
    Convert = fun(Association, S) -> association(Association, Context, S) end,
    {Triples, State} = lists:mapfoldl(Convert, State0, Associations),
    node({map, Triples}, State);
type({type, _, Name, any}, _Context, State) when Name =:= tuple; Name =:= map ->
    builtin(Name, [], State);
type({type, _, binary, [Size, Unit]} = Form, Context, State) ->
    bits(integer(Size, Context), integer(Unit, Context), Form, Context, State);
type({type, _, 'fun', [{type, _, any}, Result]}, Context, State0) ->
    {Id, State} = type(Result, Context, State0),
    node({'fun', any, Id}, State);
type({type, _, 'fun', [_, _]} = Form, Context, State0) ->
    {Args, Result, State} = function(Form, Context, State0),
    node({'fun', Args, Result}, State);
type({type, _, record, [{atom, _, Name} | Fields]} = Form, Context, State) ->
    record(Name, Fields, Form, Context, State);
type({Kind, _, Name, Args} = Form, Context, State) when
    Kind =:= type orelse Kind =:= user_type, is_atom(Name), is_list(Args)
->
    local(Name, Args, Form, Context, State);
type({remote_type, _, [{atom, _, Module}, {atom, _, Name}, Args]} = Form, Context, State) ->
    remote(Module, Name, Args, Form, Context, State);
type(Form, Context, _State) ->
    malformed(Form, Context, {not_a_type, Form}).

types(Forms, Context, State) ->
    lists:mapfoldl(fun(Form, S) -> type(Form, Context, S) end, State, Forms).

node(Node, #{graph := Graph0} = State) ->
    {Id, Graph} = cuter_type_table:add(Node, Graph0),
    {Id, State#{graph := Graph}}.

-spec malformed(form(), context(), malformed()) -> no_return().
malformed(Form, #{file := File}, What) ->
    throw({malformed, cuter_forms:place(File, Form), What}).

association({type, _, Kind, [Key, Value]}, Context, State0) ->
    {KeyId, State1} = type(Key, Context, State0),
    {ValueId, State} = type(Value, Context, State1),
    {{association(Kind), KeyId, ValueId}, State}.

association(map_field_assoc) -> optional;
association(map_field_exact) -> mandatory.

%%% Variables

%% One that nothing is known of stands for any term.
variable(Name, #{variables := Variables} = Context, State) ->
    case Variables of
        #{Name := {constraint, Clause, Form}} ->
            once({variable, Clause, Name}, fun(S) -> type(Form, Context, S) end, State);
        #{Name := Id} ->
            {Id, State};
        #{} ->
            node(any, State)
    end.

%% The node of this key; the first time, it is made.
once(Key, Make, #{graph := Graph0} = State0) ->
    case cuter_type_table:enter(Key, Graph0) of
        {known, Id} ->
            {Id, State0};
        {new, Self, Graph1} ->
            {Id, #{graph := Graph} = State} = Make(State0#{graph := Graph1}),
            {Id, State#{graph := cuter_type_table:leave(Key, Self, Id, Graph)}}
    end.

%%% Integers

literal(Form, Context, State) ->
    Value = integer(Form, Context),
    node({integer, Value, Value}, State).

range(Low, High, _Form, _Context, State) when Low =< High ->
    node({integer, Low, High}, State);
range(Low, High, Form, Context, _State) ->
    malformed(Form, Context, {empty_range, Low, High}).

bits(Size, Unit, _Form, _Context, State) when Size >= 0, Unit >= 0 ->
    node({bits, Size, Unit}, State);
bits(Size, Unit, Form, Context, _State) ->
    malformed(Form, Context, {negative_size, min(Size, Unit)}).

%% The value of a constant expression.
integer({integer, _, Value}, _Context) ->
    Value;
integer({char, _, Value}, _Context) ->
    Value;
integer({op, _, Operator, Operand} = Form, Context) ->
    calculate(Operator, [integer(Operand, Context)], Form, Context);
integer({op, _, Operator, Left, Right} = Form, Context) ->
    calculate(Operator, [integer(Left, Context), integer(Right, Context)], Form, Context);
integer(Form, Context) ->
    malformed(Form, Context, {not_an_integer, Form}).

calculate(Operator, Operands, Form, Context) ->
    try apply(erlang, Operator, Operands) of
        Value when is_integer(Value) -> Value;
        _ -> malformed(Form, Context, {not_an_integer, Form})
    catch
        error:_ -> malformed(Form, Context, {not_an_integer, Form})
    end.

%%% Named types

%% A module's own type comes before a built-in one of the same name; but those of `erlang` are the
%% built-in ones, and say nothing: `-type integer() :: integer().`
local(Name, Args, Form, #{definitions := #{types := Types} = Definitions} = Context, State0) ->
    {Ids, State} = types(Args, Context, State0),
    case {maps:find({Name, length(Args)}, Types), builtin(Name, Ids, State)} of
        {{ok, _}, {_, _} = Added} when map_get(module, Definitions) =:= erlang ->
            Added;
        {{ok, Definition}, _} ->
            named(Definitions, Name, Definition, Ids, {Form, Context}, State);
        {error, {_, _} = Added} ->
            Added;
        {error, error} ->
            Takes = cuter_builtin_types:arities(Name) ++ arities(Name, Types),
            undefined_type({local, Name}, length(Args), Takes, {Form, Context})
    end.

builtin(Name, Ids, #{graph := Graph0} = State) ->
    case cuter_builtin_types:add(Name, Ids, Graph0) of
        {Id, Graph} -> {Id, State#{graph := Graph}};
        error -> error
    end.

remote(Module, Name, Args, Form, Context, State0) ->
    {Ids, State1} = types(Args, Context, State0),
    case definitions(Module, State1) of
        {unavailable, State} ->
            Why = io_lib:format("the code of module ~tp is not available", [Module]),
            widen(type_name(Module, Name, length(Ids)), Why, {Form, Context}, State);
        {Definitions, State} ->
            exported(Definitions, Name, Ids, {Form, Context}, State)
    end.

exported(#{module := Module, types := Types} = Definitions, Name, Ids, At, State) ->
    case {maps:find({Name, length(Ids)}, Types), builtin(Name, Ids, State)} of
        {_, {_, _} = Added} when Module =:= erlang -> Added;
        {{ok, Definition}, _} -> named(Definitions, Name, Definition, Ids, At, State);
        {error, _} -> undefined_type({Module, Name}, length(Ids), arities(Name, Types), At)
    end.

-spec undefined_type({local | module(), atom()}, arity(), [arity()], {form(), context()}) ->
    no_return().
undefined_type(Type, Given, Takes, {Form, Context}) ->
    malformed(Form, Context, {undefined_type, Type, Given, lists:usort(Takes)}).

arities(Name, Types) ->
    [Arity || {Known, Arity} <- maps:keys(Types), Known =:= Name].

definitions(Module, #{modules := Modules} = State) ->
    case Modules of
        #{Module := Known} ->
            {Known, State};
        #{} ->
            Read = read(cuter_forms:definitions(Module)),
            {Read, State#{modules := Modules#{Module => Read}}}
    end.

read({ok, Definitions}) -> Definitions;
read({error, _}) -> unavailable.

named(#{module := Module} = Definitions, Name, Definition, Ids, At, State) ->
    Type = {Module, Name, length(Ids)},
    case is_too_deep(Type, Ids, State) of
        true ->
            Why = "its parameters grow without end",
            widen(type_name(Module, Name, length(Ids)), Why, At, found_endless(Type, State));
        false ->
            {{File, _}, Parameters, Body} = Definition,
            Variables = maps:from_list(lists:zip([V || {var, _, V} <- Parameters], Ids)),
            Context = context(Definitions, File, Variables),
            Make = fun(S) -> inside(Type, fun(Inner) -> type(Body, Context, Inner) end, S) end,
            once({type, Type, Ids}, Make, State)
    end.

%% Whether the type is inside itself so often, with other parameters each time, that there seems to
%% be no end to it. Once that was found of a type, the next time inside itself is enough.
is_too_deep(Type, Ids, #{open := Open, endless := Endless, graph := Graph}) ->
    Bound =
        case Endless of
            #{Type := _} -> 1;
            #{} -> ?MAX_NESTED
        end,
    maps:get(Type, Open, 0) >= Bound andalso
        element(1, cuter_type_table:enter({type, Type, Ids}, Graph)) =:= new.

found_endless(Type, #{endless := Endless} = State) ->
    State#{endless := Endless#{Type => []}}.

inside(Type, Work, #{open := Open} = State0) ->
    Depth = maps:get(Type, Open, 0),
    {Id, #{open := After} = State} = Work(State0#{open := Open#{Type => Depth + 1}}),
    {Id, State#{open := After#{Type => Depth}}}.

type_name(Module, Name, Arity) ->
    io_lib:format("~tp:~tp/~b", [Module, Name, Arity]).

%%% Records

%% A tuple of the name and the fields; those without a type take any term. The types that are given
%% in place of those declared are part of what a record goes by.
record(Name, Overrides, Form, #{definitions := #{records := Records} = Definitions} = At, State0) ->
    case Records of
        #{Name := {{File, _}, Fields}} ->
            Declared = [field(Field) || Field <- Fields],
            ok = check_fields(Name, Overrides, Declared, At),
            {Given, State} = overrides(Overrides, At, State0),
            Context = context(Definitions, File, #{}),
            Make = fun(S) -> fields(Name, Declared, maps:from_list(Given), Context, S) end,
            once({record, maps:get(module, Definitions), Name, Given}, Make, State);
        #{} ->
            malformed(Form, At, {undefined_record, Name})
    end.

overrides(Overrides, Context, State0) ->
    {Given, State} = lists:mapfoldl(
        fun({type, _, field_type, [{atom, _, Field}, Type]}, S0) ->
            {Id, S} = type(Type, Context, S0),
            {{Field, Id}, S}
        end,
        State0,
        Overrides
    ),
    {lists:sort(Given), State}.

fields(Name, Declared, Given, Context, State0) ->
    {Tag, State1} = node({atom, Name}, State0),
    {Ids, State} = lists:mapfoldl(
        fun
            ({Field, _}, S) when is_map_key(Field, Given) -> {maps:get(Field, Given), S};
            ({_, Type}, S) -> field_type(Type, Context, S)
        end,
        State1,
        Declared
    ),
    node({tuple, [Tag | Ids]}, State).

field_type(untyped, _Context, State) -> node(any, State);
field_type(Type, Context, State) -> type(Type, Context, State).

field({typed_record_field, Field, Type}) -> {element(1, field(Field)), Type};
field({record_field, _, {atom, _, Name}}) -> {Name, untyped};
field({record_field, _, {atom, _, Name}, _Default}) -> {Name, untyped}.

check_fields(Name, Overrides, Declared, Context) ->
    Unknown = [
        {Form, Field}
     || {type, _, field_type, [{atom, _, Field}, _]} = Form <- Overrides,
        not lists:keymember(Field, 1, Declared)
    ],
    case Unknown of
        [] -> ok;
        [{Form, Field} | _] -> malformed(Form, Context, {undefined_field, Name, Field})
    end.

%%% What cannot be expressed

widen(Type, Why, {Form, #{file := File}}, State) ->
    Place = cuter_forms:format_place(cuter_forms:place(File, Form)),
    Text = io_lib:format("~ts: type ~ts is taken as any(): ~ts.", [Place, Type, Why]),
    node(any, note(Text, State)).

note(Text, #{widened := Widened} = State) ->
    Sentence = unicode:characters_to_binary(Text),
    case lists:member(Sentence, Widened) of
        true -> State;
        false -> State#{widened := [Sentence | Widened]}
    end.
