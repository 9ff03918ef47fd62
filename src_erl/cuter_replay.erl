%% Confirms a failure on the BEAM: the call is made natively and must fail in the same way.
-module(cuter_replay).

-export([confirm/2, confirm/3, is_answer/1, native/2, native/3, replay/3, call/3, same_reason/2]).

-export_type([native/0, failure/0, verdict/0]).

-type class() :: error | exit | throw.
-type native() ::
    {ok, term()}
    | {raised, class(), term(), list()}
    | killed
    | halted
    | timeout.
-type failure() :: #{input := [term()], class := class(), reason := term(), _ => _}.
-type verdict() ::
    {confirmed, #{class := class(), reason := term(), stacktrace := list()}}
    | {disagreement, native()}.

%% Generous to a program that fails, but not to one that runs away.
-define(LIMITS, #{time => 5000, heap_words => 64 * 1024 * 1024}).

%% Makes the call of a failure that the engine found, and compares class and reason.
-spec confirm({module(), atom()}, failure()) -> verdict().
confirm(Function, Failure) ->
    confirm(Function, Failure, ?LIMITS).

-spec confirm({module(), atom()}, failure(), cuter_sandbox:limits()) -> verdict().
confirm(Function, #{input := Input} = Failure, Limits) ->
    judge(Failure, native(Function, Input, Limits)).

judge(#{class := Class, reason := Reason} = Failure, {raised, Class, Native, Trace} = Outcome) ->
    case same_reason(Reason, Native) orelse is_worded_otherwise(Failure, Trace) of
        true -> {confirmed, #{class => Class, reason => Native, stacktrace => Trace}};
        false -> {disagreement, Outcome}
    end;
%% A process that is killed has no stacktrace either way.
judge(#{class := exit, reason := killed}, killed) ->
    {confirmed, #{class => exit, reason => killed, stacktrace => []}};
judge(_Failure, Outcome) ->
    {disagreement, Outcome}.

%% The engine has what the compiler at hand makes of a module. What another one made fails at the
%% same place, but may say so in other words: up to OTP 24 `badrecord` came with the record's name.
is_worded_otherwise(#{class := error, stacktrace := [{M, F, A, _} | _]}, [{M, F, B, _} | _]) ->
    arity(A) =:= arity(B) andalso not cuter_vintage:is_of_this_release(M);
is_worded_otherwise(_Failure, _Trace) ->
    false.

arity(Args) when is_list(Args) -> length(Args);
arity(Arity) -> Arity.

%% Whether the BEAM said something. A call that was ended by the limits on time or memory says
%% nothing about how it would have ended.
-spec is_answer(native()) -> boolean().
is_answer(Native) ->
    Native =/= timeout andalso Native =/= killed.

%% The outcome of a native call in a fresh process with limits.
-spec native({module(), atom()}, [term()]) -> native().
native(Function, Args) ->
    native(Function, Args, ?LIMITS).

-spec native({module(), atom()}, [term()], cuter_sandbox:limits()) -> native().
native({Module, Function}, Args, Limits) ->
    Work = fun() -> replay(Module, Function, Args) end,
    case cuter_sandbox:run(Work, Limits) of
        {done, Outcome} -> Outcome;
        {died, killed} -> killed;
        {died, Reason} -> {raised, exit, Reason, []};
        timeout -> timeout
    end.

%% The outcome of a native call with an input, in this process, if it does not end the VM.
-spec replay(module(), atom(), [term()]) ->
    {ok, term()} | {raised, class(), term(), list()} | halted.
replay(Module, Function, Input) ->
    case cuter_ending:is_reached(Module, Function, Input) of
        true -> halted;
        false -> call(Module, Function, cuter_identifiers:settled(Input))
    end.

%% The outcome of a native call in this process.
-spec call(module(), atom(), [term()]) -> {ok, term()} | {raised, class(), term(), list()}.
call(Module, Function, Args) ->
    try apply(Module, Function, Args) of
        Value -> {ok, Value}
    catch
        Class:Reason:Stacktrace ->
            {raised, Class, Reason, lists:takewhile(fun is_theirs/1, Stacktrace)}
    end.

is_theirs({?MODULE, _, _, _}) -> false;
is_theirs(_Frame) -> true.

%% Equal, but for what differs between two runs by nature: references, pids, ports and funs are
%% compared by kind, and a stacktrace inside a reason counts as a stacktrace.
-spec same_reason(term(), term()) -> boolean().
same_reason(Reason, Other) ->
    kind(Reason) =:= kind(Other).

kind(Term) when is_pid(Term) -> {?MODULE, pid};
kind(Term) when is_reference(Term) -> {?MODULE, reference};
kind(Term) when is_port(Term) -> {?MODULE, port};
kind(Term) when is_function(Term) -> {?MODULE, function, erlang:fun_info(Term, arity)};
kind(Term) when is_tuple(Term) -> list_to_tuple(kinds(tuple_to_list(Term)));
kind(Term) when is_map(Term) -> {?MODULE, map, lists:sort(kinds(maps:to_list(Term)))};
kind([_ | _] = Term) -> list_kind(Term, is_stacktrace(Term));
kind(Term) -> Term.

list_kind(_Term, true) -> {?MODULE, stacktrace};
list_kind(Term, false) -> kinds(Term).

kinds([Head | Tail]) -> [kind(Head) | kinds(Tail)];
kinds([]) -> [];
kinds(Tail) -> kind(Tail).

is_stacktrace([Frame | Frames]) -> is_frame(Frame) andalso is_stacktrace(Frames);
is_stacktrace([]) -> true;
is_stacktrace(_Improper) -> false.

is_frame({Module, Function, Arity, Location}) when is_atom(Module), is_atom(Function) ->
    (is_integer(Arity) orelse is_list(Arity)) andalso is_location(Location);
is_frame(_) ->
    false.

is_location([{Key, _} | Rest]) -> is_atom(Key) andalso is_location(Rest);
is_location(Rest) -> Rest =:= [].
