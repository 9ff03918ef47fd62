%% The spec of a function, as a closed table of types.
%%
%% All types that the spec leads to are in one table, also those of other modules; a type refers to
%% others by their position in it, so recursion is a cycle. Type variables are replaced by what
%% `when` says of them, or stand for any term. Opaque types are looked through. What cannot be
%% expressed is widened to `any()` and named.
-module(cuter_spec).

-export([signature/3, format_error/1]).

-export_type([signature/0, description/0]).

-type signature() :: #{
    %% For each clause of the spec: the types of the arguments, and of the result.
    clauses := [{[cuter_type_table:ref()], cuter_type_table:ref()}],
    types := cuter_type_table:table(),
    %% A sentence for each type that could not be expressed.
    widened := [binary()]
}.
-type description() ::
    {cuter_forms:place(), cuter_types:malformed() | malformed_spec()}.
-type malformed_spec() ::
    {undefined_function, atom(), arity()} | {argument_count, atom(), arity(), non_neg_integer()}.

%% `none` for a function without a spec.
-spec signature(module(), atom(), arity()) ->
    {ok, signature()} | none | {error, {?MODULE, description()}} | cuter_core:error().
signature(Module, Function, Arity) ->
    case cuter_forms:definitions(Module) of
        {ok, Definitions} -> read({Function, Arity}, Definitions);
        {error, _} = Error -> Error
    end.

read(Function, #{specs := Specs} = Definitions) ->
    try
        lists:foreach(fun(Spec) -> check_spec(Spec, Definitions) end, Specs),
        case lists:keyfind(Function, 2, Specs) of
            {Place, Function, Clauses} -> {ok, close(Clauses, Place, Definitions)};
            false -> none
        end
    catch
        throw:{malformed, At, What} -> {error, {?MODULE, {At, What}}}
    end.

check_spec({Place, {Name, Arity} = Function, Clauses}, Definitions) ->
    case cuter_forms:exists(Function, Definitions) of
        true -> lists:foreach(fun(C) -> check_clause(C, Function, Place) end, Clauses);
        false -> throw({malformed, Place, {undefined_function, Name, Arity}})
    end.

check_clause({type, _, bounded_fun, [Fun, _Constraints]}, Function, Place) ->
    check_clause(Fun, Function, Place);
check_clause({type, _, 'fun', [{type, _, product, Args}, _]}, {_, Arity}, _Place) when
    length(Args) =:= Arity
->
    ok;
check_clause({type, _, 'fun', [{type, _, product, Args}, _]}, {Name, Arity}, Place) ->
    throw({malformed, Place, {argument_count, Name, Arity, length(Args)}});
check_clause(Form, _Function, Place) ->
    throw({malformed, Place, {not_a_type, Form}}).

close(Forms, {File, _}, Definitions) ->
    {Clauses, State} = lists:mapfoldl(
        fun({Number, Form}, State0) ->
            {Args, Result, State} = cuter_types:clause(Form, Number, {Definitions, File}, State0),
            {{Args, Result}, State}
        end,
        cuter_types:new(Definitions),
        lists:zip(lists:seq(1, length(Forms)), Forms)
    ),
    Roots = lists:append([Args ++ [Result] || {Args, Result} <- Clauses]),
    {Refs, Types} = cuter_type_table:close(Roots, cuter_types:graph(State)),
    #{
        clauses => distribute(Clauses, Refs),
        types => Types,
        widened => cuter_types:widened(State)
    }.

distribute([], []) ->
    [];
distribute([{Args, _} | Clauses], Refs) ->
    {ArgRefs, [Result | Rest]} = lists:split(length(Args), Refs),
    [{ArgRefs, Result} | distribute(Clauses, Rest)].

-spec format_error(description()) -> iolist().
format_error({Place, What}) ->
    io_lib:format(
        "~ts: ~ts; correct it, or use the option ignore_specs.",
        [cuter_forms:format_place(Place), complaint(What)]
    ).

complaint({undefined_type, Type, Given, []}) ->
    io_lib:format("type ~ts/~b is not defined", [type_name(Type), Given]);
complaint({undefined_type, Type, Given, Takes}) ->
    Counts = lists:join(" or ", [integer_to_list(Count) || Count <- Takes]),
    io_lib:format(
        "type ~ts has ~b parameters here, but takes ~ts", [type_name(Type), Given, Counts]
    );
complaint({undefined_record, Name}) ->
    io_lib:format("record ~tp is not defined", [Name]);
complaint({undefined_field, Record, Field}) ->
    io_lib:format("record ~tp has no field ~tp", [Record, Field]);
complaint({not_an_integer, _Form}) ->
    "an integer is needed here";
complaint({empty_range, Low, High}) ->
    io_lib:format("no integer is in the range ~b..~b", [Low, High]);
complaint({negative_size, Size}) ->
    io_lib:format("a bitstring cannot have ~b bits", [Size]);
complaint({not_a_type, _Form}) ->
    "this is no type that this release of Erlang knows";
complaint({undefined_function, Name, Arity}) ->
    io_lib:format("there is a spec for function ~tp/~b, which does not exist", [Name, Arity]);
complaint({argument_count, Name, Arity, Given}) ->
    io_lib:format("the spec of function ~tp/~b has ~b arguments", [Name, Arity, Given]).

type_name({local, Name}) -> io_lib:format("~tp", [Name]);
type_name({Module, Name}) -> io_lib:format("~tp:~tp", [Module, Name]).
