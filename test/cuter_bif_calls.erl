%% Calls by name, made in the engine and natively, and what only code can build: closures.
-module(cuter_bif_calls).

-export([names_of_funs/1, hashes_of_funs/2, older_hash/2]).
-export([outcomes/1, fun_info/2, local_fun_info/1, dictionary/1, increasing/2, raised/2, flags/1]).
-export([class_of/1, ending_of/1, type_of/1, shape_of/1]).
-export([beyond_the_largest/1, beyond_the_largest/2]).

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

%% Parts of an outcome, for what differs by nature or cannot leave the engine.

class_of(Call) ->
    case outcome(Call) of
        {ok, _} -> ok;
        {Class, Reason, _} -> {Class, Reason}
    end.

%% Without the place where it raised.
ending_of(Call) ->
    case outcome(Call) of
        {Class, Reason, _} -> {Class, Reason};
        %% A compiled pattern is a reference from OTP 28 on.
        {ok, {ok, {re_pattern, A, B, C, Code}}} when is_reference(Code) -> {re_pattern, A, B, C};
        Returned -> Returned
    end.

type_of(Call) ->
    case outcome(Call) of
        {ok, Value} -> [is_pid(Value), is_reference(Value), is_integer(Value)];
        Raised -> Raised
    end.

shape_of({Module, Function, Args}) ->
    shape(apply(Module, Function, Args)).

shape(Tuple) when is_tuple(Tuple) -> [shape(Part) || Part <- tuple_to_list(Tuple)];
shape(Number) -> is_integer(Number).

fun_info(mfa, Captured) ->
    erlang:fun_info_mfa(fun(X) -> {X, Captured} end);
fun_info(Item, Captured) ->
    erlang:fun_info(fun(X) -> {X, Captured} end, Item).

names_of_funs(Captured) ->
    [erlang:fun_to_list(Fun) || Fun <- [fun(X) -> {X, Captured} end, fun() -> x end, fun shape/1]].

%% Funs with no, one and two captured values, alone and inside of other terms.
hashes_of_funs(One, Other) ->
    Funs = [fun() -> x end, fun(X) -> {X, One} end, fun() -> {Other, One} end, fun shape/1],
    Nested = fun(X) -> {X, Funs, Other} end,
    [erlang:phash2(Term) || Term <- [Nested, {Funs, One}, #{k => hd(Funs)} | Funs]] ++
        [erlang:phash2(Nested, 1000)].

%% Of terms with funs in them.
older_hash(Term, Range) ->
    Fun = fun(X) -> {X, Term} end,
    [
        apply(erlang, phash, [With, Range])
     || With <- [Fun, {fun older_hash/2, Term}, [Fun, Term | 1], fun() -> {Term, Range} end]
    ].

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

%% What an operation on the largest integer that the VM has comes to: how it ends, not the number.
beyond_the_largest(Operator) ->
    beyond(Operator, []).

beyond_the_largest(Operator, Other) ->
    beyond(Operator, [Other]).

beyond(Operator, Others) ->
    %% Not as a literal expression: later compilers know that it fails on their release.
    Half = shifted(1, 33554367),
    try apply(erlang, Operator, [Half - 1 + Half | Others]) of
        Value -> {Value > 0, Value rem 1000003}
    catch
        Class:Reason -> {Class, Reason}
    end.

shifted(Number, Distance) ->
    apply(erlang, list_to_atom("bsl"), [Number, Distance]).
