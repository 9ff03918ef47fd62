%% The predicate that says which inputs a function may be called with.
%%
%% It takes the arguments of the function, and is given as its name (`valid`, `valid/2`) if it is in
%% the same module, where it need not be exported, or as `{Module, Name}` or `fun Module:Name/2`.
-module(cuter_precondition).

-export([is_predicate/1, resolve/2, holds/2, format_error/1]).

-export_type([given/0, predicate/0, description/0]).

-type given() :: atom() | {atom(), arity()} | {module(), atom()} | function().
-type predicate() :: {module(), atom()}.
-type description() ::
    {no_such_predicate, module(), atom(), arity()}
    | {other_arity, Given :: arity(), mfa()}.

%% Whether a term can name a predicate.
-spec is_predicate(term()) -> boolean().
is_predicate({Name, Other}) when is_atom(Name) ->
    is_atom(Other) orelse (is_integer(Other) andalso Other >= 0);
is_predicate(Fun) when is_function(Fun) ->
    erlang:fun_info(Fun, type) =:= {type, external};
is_predicate(Name) ->
    is_atom(Name).

%% Finds the predicate of a function.
-spec resolve(given(), mfa()) -> {ok, predicate()} | {error, {?MODULE, description()}}.
resolve(Fun, Mfa) when is_function(Fun) ->
    [Module, Name, Arity] = [
        element(2, erlang:fun_info(Fun, Item))
     || Item <- [module, name, arity]
    ],
    resolve(Module, Name, Arity, Mfa);
resolve({Name, Arity}, {Module, _, _} = Mfa) when is_integer(Arity) ->
    resolve(Module, Name, Arity, Mfa);
resolve({Module, Name}, {_, _, Arity} = Mfa) ->
    resolve(Module, Name, Arity, Mfa);
resolve(Name, {Module, _, Arity} = Mfa) ->
    resolve(Module, Name, Arity, Mfa).

resolve(Module, Name, Arity, {_, _, Arity}) ->
    case is_exported(Module, Name, Arity) orelse is_local(Module, Name, Arity) of
        true -> {ok, {Module, Name}};
        false -> {error, {?MODULE, {no_such_predicate, Module, Name, Arity}}}
    end;
resolve(_Module, _Name, Given, Mfa) ->
    {error, {?MODULE, {other_arity, Given, Mfa}}}.

is_exported(Module, Name, Arity) ->
    _ = code:ensure_loaded(Module),
    erlang:function_exported(Module, Name, Arity).

is_local(Module, Name, Arity) ->
    case cuter_forms:definitions(Module) of
        {ok, Definitions} -> cuter_forms:exists({Name, Arity}, Definitions);
        {error, _} -> false
    end.

%% Whether the function may be called with these arguments: natively where the predicate is
%% exported, interpreted where it is not.
-spec holds(predicate(), [term()]) -> boolean().
holds({Module, Name} = Predicate, Args) ->
    case is_exported(Module, Name, length(Args)) of
        true -> cuter_replay:native(Predicate, Args) =:= {ok, true};
        false -> interpreted({Module, Name, length(Args)}, Args) =:= {ok, {ok, true}}
    end.

interpreted(Mfa, Args) ->
    cuter_host:outcome(Mfa, Args, #{}).

-spec format_error(description()) -> iolist().
format_error({no_such_predicate, Module, Name, Arity}) ->
    io_lib:format(
        "The predicate ~tp:~tp/~b does not exist; it must take the arguments of the function.",
        [Module, Name, Arity]
    );
format_error({other_arity, Given, {Module, Function, Arity}}) ->
    io_lib:format(
        "A predicate of ~b arguments cannot be the precondition of ~tp:~tp/~b; it must take ~b.",
        [Given, Module, Function, Arity, Arity]
    ).
