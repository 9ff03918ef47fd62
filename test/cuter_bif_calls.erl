%% Calls by name, made in the engine and natively, and what only code can build: closures.
-module(cuter_bif_calls).

-export([outcomes/1, fun_info/2, local_fun_info/1, dictionary/1, increasing/2, raised/2, flags/1]).

-type call() :: {module(), atom(), [term()]}.
-type outcome() :: {ok, term()} | {error | exit | throw, term(), First :: [tuple()]}.

%% What each call gives, with the first frame of the stacktrace if it raises.
-spec outcomes([call()]) -> [outcome()].
outcomes(Calls) ->
    [outcome(Call) || Call <- Calls].

outcome({Module, Function, Args}) ->
    try apply(Module, Function, Args) of
        Value -> {ok, Value}
    catch
        Class:Reason:Stacktrace -> {Class, Reason, lists:sublist(Stacktrace, 1)}
    end.

fun_info(Item, Captured) ->
    erlang:fun_info(fun(X) -> {X, Captured} end, Item).

local_fun_info(Item) ->
    erlang:fun_info(fun fun_info/2, Item).

%% Puts, gets and erases in turn.
dictionary(Actions) ->
    Results = [apply(erlang, Action, Args) || {Action, Args} <- Actions],
    {Results, lists:sort(erase())}.

%% Whether each of so many calls gives more than the one before.
increasing(_Call, 0) ->
    true;
increasing({Module, Function, Args} = Call, Times) ->
    Before = apply(Module, Function, Args),
    Before < apply(Module, Function, Args) andalso increasing(Call, Times - 1).

%% The whole stacktrace that `raise/3` leads to.
raised(Class, Stacktrace) ->
    try erlang:raise(Class, reason, Stacktrace) of
        Value -> {returned, Value}
    catch
        Caught:Reason:Given -> {Caught, Reason, lists:sublist(Given, length(Stacktrace))}
    end.

flags(Settings) ->
    [process_flag(Flag, Value) || {Flag, Value} <- Settings].
