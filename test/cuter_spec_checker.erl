%% Whether terms fit a spec, straight from the abstract forms of its types.
%%
%% This shares nothing with the table of `cuter_spec` but the reading of forms, so that either can
%% be held against the other. It looks a name up whenever it meets one and tries all members of a
%% union in turn, which is slow for large terms.
-module(cuter_spec_checker).

-export([is_input/2, is_result/3, is_of/3]).

%% A form means something only together with the module and the variables around it.
-record(env, {module, variables = #{}, seen = []}).

%% Whether a clause of the function's spec takes these arguments.
-spec is_input(mfa(), [term()]) -> boolean().
is_input(Mfa, Args) ->
    lists:any(fun(Clause) -> takes(Args, Clause) end, clauses(Mfa)).

%% Whether a clause that takes the arguments allows the result.
-spec is_result(mfa(), [term()], term()) -> boolean().
is_result(Mfa, Args, Result) ->
    lists:any(
        fun({_, Type, Env} = Clause) -> takes(Args, Clause) andalso fits(Result, Type, Env) end,
        clauses(Mfa)
    ).

%% Whether a term is of a type in abstract form, read in a module.
-spec is_of(term(), tuple(), module()) -> boolean().
is_of(Term, Form, Module) ->
    fits(Term, Form, #env{module = Module}).

takes(Args, {Types, _, Env}) ->
    lists:all(fun({Arg, Type}) -> fits(Arg, Type, Env) end, lists:zip(Args, Types)).

clauses({Module, Function, Arity}) ->
    Names = [{Function, Arity}, {Module, Function, Arity}],
    [Forms] = [Forms || {spec, {Name, Forms}} <- attributes(Module), lists:member(Name, Names)],
    [clause(Form, #env{module = Module}) || Form <- Forms].

clause({type, _, bounded_fun, [Fun, Constraints]}, Env) ->
    Bound = [
        {Variable, {bound, Type}}
     || {type, _, constraint, [_, [{var, _, Variable}, Type]]} <- lists:reverse(Constraints)
    ],
    clause(Fun, Env#env{variables = maps:from_list(Bound)});
clause({type, _, 'fun', [{type, _, product, Args}, Result]}, Env) ->
    {Args, Result, Env}.

%% Read once for each file: a fixture that changes must do so in a directory of its own.
attributes(Module) ->
    Key = {?MODULE, Module, code:which(Module)},
    case persistent_term:get(Key, none) of
        none ->
            {ok, Forms} = cuter_core:forms(Module),
            Attributes = [{Name, Value} || {attribute, _, Name, Value} <- Forms],
            persistent_term:put(Key, Attributes),
            Attributes;
        Attributes ->
            Attributes
    end.

%%% Types

fits(T, {ann_type, _, [_, Type]}, Env) ->
    fits(T, Type, Env);
fits(T, {var, _, Name}, #env{variables = Variables} = Env) ->
    case Variables of
        #{Name := {bound, Type}} -> unless_seen(T, {variable, Name}, Type, Env, Env);
        #{Name := {closure, Type, Other}} -> fits(T, Type, Other#env{seen = Env#env.seen});
        #{} -> true
    end;
fits(T, {atom, _, Atom}, _Env) ->
    T =:= Atom;
fits(T, {type, _, union, Types}, Env) ->
    lists:any(fun(Type) -> fits(T, Type, Env) end, Types);
fits(T, {type, _, range, [Low, High]}, _Env) ->
    is_integer(T) andalso constant(Low) =< T andalso T =< constant(High);
fits(T, {type, _, tuple, any}, _Env) ->
    is_tuple(T);
fits(T, {type, _, tuple, Types}, Env) ->
    is_tuple(T) andalso all_fit(tuple_to_list(T), Types, Env);
fits(T, {type, _, map, any}, _Env) ->
    is_map(T);
fits(T, {type, _, map, Associations}, Env) ->
    is_map(T) andalso map_fits(maps:to_list(T), Associations, inside(Env));
fits(T, {type, _, binary, [Size, Unit]}, _Env) ->
    is_bitstring(T) andalso size_fits(bit_size(T), constant(Size), constant(Unit));
fits(T, {type, _, 'fun', []}, _Env) ->
    is_function(T);
fits(T, {type, _, 'fun', [{type, _, any}, Result]}, Env) ->
    is_function(T) andalso results_fit(T, Result, inside(Env));
fits(T, {type, _, 'fun', [{type, _, product, Args}, Result]}, Env) ->
    is_function(T, length(Args)) andalso results_fit(T, Result, inside(Env));
fits(T, {type, _, record, [{atom, _, Name} | Overrides]}, Env) ->
    is_record_of(T, Name, Overrides, Env);
fits(T, {type, _, Name, Args}, Env) ->
    builtin(T, Name, Args, Env);
fits(T, {user_type, _, Name, Args}, #env{module = Module} = Env) ->
    named(T, Module, Name, Args, Env);
fits(T, {remote_type, _, [{atom, _, Module}, {atom, _, Name}, Args]}, Env) ->
    named(T, Module, Name, Args, Env);
fits(T, Constant, _Env) ->
    T =:= constant(Constant).

constant(Form) ->
    {value, Value, _} = erl_eval:expr(Form, []),
    Value.

%% Parts of a term start anew with what has been asked about them.
inside(Env) ->
    Env#env{seen = []}.

all_fit(Terms, Types, Env) ->
    length(Terms) =:= length(Types) andalso
        lists:all(fun({T, Type}) -> fits(T, Type, inside(Env)) end, lists:zip(Terms, Types)).

size_fits(Bits, Size, 0) -> Bits =:= Size;
size_fits(Bits, Size, Unit) -> Bits >= Size andalso (Bits - Size) rem Unit =:= 0.

%% A question about a term that leads back to itself, without looking into the term, adds nothing.
unless_seen(T, Question, Type, Env, #env{seen = Seen}) ->
    not lists:member(Question, Seen) andalso
        fits(T, Type, Env#env{seen = [Question | Seen]}).

named(T, Module, Name, Args, Env) ->
    Kinds = [type, opaque, nominal],
    [{Type, Parameters}] = [
        {Type, Parameters}
     || {Kind, {Found, Type, Parameters}} <- attributes(Module),
        lists:member(Kind, Kinds),
        Found =:= Name,
        length(Parameters) =:= length(Args)
    ],
    Closures = [{closure, Arg, inside(Env)} || Arg <- Args],
    Variables = maps:from_list(lists:zip([V || {var, _, V} <- Parameters], Closures)),
    Inner = #env{module = Module, variables = Variables},
    unless_seen(T, {Module, Name, Closures}, Type, Inner, Env).

is_record_of(T, Name, Overrides, #env{module = Module} = Env) ->
    [Fields] = [Fields || {record, {Found, Fields}} <- attributes(Module), Found =:= Name],
    Given = [{F, {Type, Env}} || {type, _, field_type, [{atom, _, F}, Type]} <- Overrides],
    Own = #env{module = Module},
    Types = [proplists:get_value(field_name(F), Given, {field_type(F), Own}) || F <- Fields],
    is_tuple(T) andalso tuple_size(T) =:= length(Types) + 1 andalso element(1, T) =:= Name andalso
        lists:all(
            fun({Value, {Type, At}}) -> Type =:= untyped orelse fits(Value, Type, inside(At)) end,
            lists:zip(tl(tuple_to_list(T)), Types)
        ).

field_name({typed_record_field, Field, _}) -> field_name(Field);
field_name(Field) -> element(3, element(3, Field)).

field_type({typed_record_field, _, Type}) -> Type;
field_type(_Field) -> untyped.

%% What a fun returns is known if it is a table. One that never returns may return anything.
results_fit(_Fun, {type, _, Name, []}, _Env) when Name =:= none; Name =:= no_return ->
    true;
results_fit(Fun, Type, Env) ->
    case cuter_table:table(Fun) of
        {_Arity, Entries, Default} ->
            Results = [Default | [Result || {_Args, Result} <- Entries]],
            lists:all(fun(Result) -> fits(Result, Type, Env) end, Results);
        none ->
            true
    end.

%%% Maps: each key belongs to the first association whose key type it has

map_fits(Pairs, Associations, Env) ->
    Owners = [owner(Key, Associations, Env) || {Key, _} <- Pairs],
    Owned = lists:zip(Pairs, Owners),
    lists:all(fun({{_, V}, Owner}) -> value_fits(V, Owner, Env) end, Owned) andalso
        lists:all(
            fun(Association) -> lists:member(Association, Owners) end,
            [Association || {type, _, map_field_exact, _} = Association <- Associations]
        ).

owner(Key, Associations, Env) ->
    Fitting = [A || {type, _, _, [KeyType, _]} = A <- Associations, fits(Key, KeyType, Env)],
    case Fitting of
        [First | _] -> First;
        [] -> none
    end.

value_fits(_Value, none, _Env) -> false;
value_fits(Value, {type, _, _, [_, Type]}, Env) -> fits(Value, Type, Env).

%%% Built-in types

builtin(T, list, [], _Env) -> is_list(T) andalso is_integer(catch length(T));
builtin(T, list, [Type], Env) -> T =:= [] orelse cells(T, Type, [fun is_nil/1], Env);
builtin(T, nonempty_list, Args, Env) -> T =/= [] andalso builtin(T, list, Args, Env);
builtin(T, maybe_improper_list, [], _Env) -> is_list(T);
builtin(T, maybe_improper_list, [Type, End], Env) ->
    T =:= [] orelse cells(T, Type, [fun is_nil/1, is_end(End, Env)], Env);
builtin(T, nonempty_maybe_improper_list, Args, Env) ->
    T =/= [] andalso builtin(T, maybe_improper_list, Args, Env);
builtin(T, nonempty_improper_list, [Type, End], Env) ->
    cells(T, Type, [is_end(End, Env)], Env);
builtin(T, iolist, [], _Env) -> is_list(T) andalso is_iodata(T);
builtin(T, iodata, [], _Env) -> is_iodata(T);
builtin(T, string, [], _Env) -> is_list(T) andalso are(T, fun is_character/1);
builtin(T, nonempty_string, [], Env) -> T =/= [] andalso builtin(T, string, [], Env);
builtin({M, F, A}, mfa, [], _Env) -> is_atom(M) andalso is_atom(F) andalso is_in(A, 0, 255);
builtin(T, Name, [], _Env) -> simple(T, Name).

is_nil(T) -> T =:= [].

is_end(Type, Env) ->
    fun(T) -> fits(T, Type, inside(Env)) end.

%% At least one cell, with elements of a type, and some end behind the last of them.
cells([Head | Tail], Type, Ends, Env) ->
    fits(Head, Type, inside(Env)) andalso
        (lists:any(fun(IsEnd) -> IsEnd(Tail) end, Ends) orelse cells(Tail, Type, Ends, Env));
cells(_T, _Type, _Ends, _Env) ->
    false.

are([Element | Elements], Is) -> Is(Element) andalso are(Elements, Is);
are(Rest, _Is) -> Rest =:= [].

is_character(T) -> is_in(T, 0, 16#10FFFF).

is_in(T, Low, High) -> is_integer(T) andalso Low =< T andalso T =< High.

%% The VM knows what these are.
is_iodata(T) ->
    try iolist_size(T) of
        _ -> true
    catch
        error:_ -> false
    end.

simple(_T, Name) when Name =:= any; Name =:= term; Name =:= dynamic -> true;
simple(_T, Name) when Name =:= none; Name =:= no_return -> false;
simple(T, integer) -> is_integer(T);
simple(T, non_neg_integer) -> is_integer(T) andalso T >= 0;
simple(T, pos_integer) -> is_integer(T) andalso T > 0;
simple(T, neg_integer) -> is_integer(T) andalso T < 0;
simple(T, byte) -> is_in(T, 0, 255);
simple(T, arity) -> is_in(T, 0, 255);
simple(T, char) -> is_character(T);
simple(T, float) -> is_float(T);
simple(T, number) -> is_number(T);
simple(T, boolean) -> is_boolean(T);
simple(T, Name) when Name =:= atom; Name =:= module; Name =:= node -> is_atom(T);
simple(T, nil) -> T =:= [];
simple(T, tuple) -> is_tuple(T);
simple(T, map) -> is_map(T);
simple(T, binary) -> is_binary(T);
simple(T, bitstring) -> is_bitstring(T);
simple(T, nonempty_binary) -> is_binary(T) andalso T =/= <<>>;
simple(T, nonempty_bitstring) -> is_bitstring(T) andalso T =/= <<>>;
simple(T, function) -> is_function(T);
simple(T, pid) -> is_pid(T);
simple(T, port) -> is_port(T);
simple(T, reference) -> is_reference(T);
simple(T, identifier) -> is_pid(T) orelse is_port(T) orelse is_reference(T);
simple(T, timeout) -> T =:= infinity orelse (is_integer(T) andalso T >= 0);
simple(_T, mfa) -> false.
