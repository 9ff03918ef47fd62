%% The BEAM's side of a session.
%%
%% A process of its own owns the session: it answers the engine, and nothing of that reaches the
%% mailbox of the caller. It dies when the caller dies, and the session with it. Whatever takes time
%% (loading a module, hosting a run) happens in a sandbox, so that the owner hears at once when its
%% caller is gone.
-module(cuter_host).

-export([explore/1, explore/2, eval/1, eval/2, call_back/3, format_error/1]).

-export_type([request/0, found/0, hosted/0, description/0]).

-type request() :: #{
    mfa := mfa(),
    options := map(),
    seeds => [[term()]],
    signature => cuter_spec:signature(),
    pre => cuter_precondition:predicate(),
    raises => [term()],
    args => [term()]
}.
-type found() :: #{failures := [map()], outside_spec := [map()], statistics := map()}.
-type description() :: {engine, term()} | {owner_died, term()}.
%% A run, and what its host process needs to serve it.
-type hosted() :: {Engine :: module(), cuter_nif:session(), cuter_nif:run(), Host :: pid()}.
-type error() :: {error, {?MODULE, description()}}.

%% What runs in a sandbox for the session, by the monitor of its keeper.
-type job() :: {host, cuter_nif:run()} | {load, module()}.
-type state() :: #{
    engine := module(),
    tag := reference(),
    session := cuter_nif:session(),
    caller := reference(),
    jobs := #{reference() => job()},
    failures := [map()],
    outside_spec := [map()]
}.

%% Explores a function. Failures come in the order in which they were found, not yet confirmed.
-spec explore(request()) -> {ok, found()} | error().
explore(Request) ->
    explore(Request, cuter_nif).

%% With another engine than the native one: a module with the functions of `cuter_nif`.
-spec explore(request(), module()) -> {ok, found()} | error().
explore(Request, Engine) ->
    session(Request#{task => explore}, Engine).

%% Interprets one call.
-spec eval(request()) -> {ok, term()} | error().
eval(Request) ->
    eval(Request, cuter_nif).

-spec eval(request(), module()) -> {ok, term()} | error().
eval(Request, Engine) ->
    session(Request#{task => eval}, Engine).

-spec format_error(description()) -> iolist().
format_error({engine, {_Kind, Text}}) when is_binary(Text) ->
    io_lib:format("The engine cannot do this: ~ts", [Text]);
format_error({engine, Reason}) ->
    io_lib:format("The engine cannot do this: ~tp; please report it as a defect.", [Reason]);
format_error({owner_died, Reason}) ->
    io_lib:format("The session ended early: ~tp; please report it as a defect.", [Reason]).

%%% The caller waits for its owner process

session(Request, Engine) ->
    Caller = self(),
    {Owner, Monitor} = spawn_monitor(fun() -> owner(Caller, Request, Engine) end),
    receive
        {'DOWN', Monitor, process, Owner, {?MODULE, Result}} -> Result;
        {'DOWN', Monitor, process, Owner, Reason} -> error_of({owner_died, Reason})
    end.

error_of(Description) ->
    {error, {?MODULE, Description}}.

%%% The owner

-spec owner(pid(), map(), module()) -> no_return().
owner(Caller, Request, Engine) ->
    CallerMonitor = monitor(process, Caller),
    Tag = make_ref(),
    case Engine:start(Tag, encode(Request#{stubs => cuter_fun:stubs(undefined)})) of
        {ok, Session} ->
            serve(#{
                engine => Engine,
                tag => Tag,
                session => Session,
                caller => CallerMonitor,
                jobs => #{},
                failures => [],
                outside_spec => []
            });
        {error, Reason} ->
            finish(error_of({engine, Reason}))
    end.

-spec finish(term()) -> no_return().
finish(Result) ->
    exit({?MODULE, Result}).

-spec serve(state()) -> no_return().
serve(#{tag := Tag, caller := Caller} = State) ->
    receive
        {cuter, Tag, host, Run} ->
            serve(host(Run, State));
        {cuter, Tag, Event} ->
            serve(event(binary_to_term(Event), State));
        {'DOWN', Caller, process, _, _} ->
            stop(State);
        {'DOWN', Monitor, process, _, Reason} ->
            serve(job_ended(Monitor, Reason, State));
        _Other ->
            serve(State)
    end.

-spec stop(state()) -> no_return().
stop(#{engine := Engine, session := Session}) ->
    _ = Engine:cancel(Session),
    exit(normal).

-spec event(term(), state()) -> state().
event({load, Module}, State) ->
    load(Module, State);
event({failure, Failure}, #{failures := Failures} = State) ->
    State#{failures := [Failure | Failures]};
event({outside_spec, Return}, #{outside_spec := Returns} = State) ->
    State#{outside_spec := [Return | Returns]};
event({finished, Statistics}, #{failures := Failures, outside_spec := Returns}) ->
    finish(
        {ok, #{
            failures => lists:reverse(Failures),
            outside_spec => lists:reverse(Returns),
            statistics => Statistics
        }}
    );
event({outcome, Outcome}, _State) ->
    finish({ok, Outcome});
event({failed, Reason}, _State) ->
    finish(error_of({engine, Reason}));
event(Unknown, _State) ->
    finish(error_of({engine, {unknown_event, Unknown}})).

%%% Jobs

load(Module, #{engine := Engine, session := Session} = State) ->
    job({load, Module}, fun() -> provide(Engine, Session, Module) end, State).

host(Run, #{engine := Engine, session := Session} = State) ->
    job({host, Run}, fun() -> drive({Engine, Session, Run, self()}) end, State).

job(Job, Work, #{jobs := Jobs} = State) ->
    {_Keeper, Monitor} = cuter_sandbox:start(Work, #{}),
    State#{jobs := Jobs#{Monitor => Job}}.

job_ended(Monitor, Reason, #{jobs := Jobs} = State) ->
    case maps:take(Monitor, Jobs) of
        {Job, Rest} ->
            ok = conclude(Job, cuter_sandbox:outcome(Reason), State),
            State#{jobs := Rest};
        error ->
            State
    end.

%% A worker of the engine waits for each answer: it must get one even if the job died.
conclude(_Job, {done, ok}, _State) ->
    ok;
conclude({host, Run}, Outcome, #{engine := Engine}) ->
    _ = Engine:abandon(Run, encode(Outcome)),
    ok;
conclude({load, Module}, _Outcome, #{engine := Engine, session := Session}) ->
    _ = Engine:provide(Session, Module, native),
    ok.

provide(Engine, Session, Module) ->
    _ = Engine:provide(Session, Module, cuter_core:module(Module)),
    ok.

%% Does what the run asks until it needs nothing more. Called in its host process.
drive(Hosted) ->
    case converse(Hosted, {'begin', cuter_fun:stubs(Hosted)}) of
        done -> ok;
        Other -> {refused, Other}
    end.

%% Native code calls a fun of the machine: the run goes on with that, and waits for the native code
%% again.
-spec call_back(hosted(), non_neg_integer(), [term()]) -> term().
call_back({_, _, _, Host}, _Number, _Args) when Host =/= self() ->
    error(fun_called_in_another_process);
call_back(Hosted, Number, Args) ->
    case converse(Hosted, {callback, Number, Args}) of
        {returned, Value} -> Value;
        {raised, Class, Reason, Stacktrace} -> erlang:raise(Class, Reason, Stacktrace);
        Over -> exit({?MODULE, Over})
    end.

converse({Engine, Session, Run, _Host} = Hosted, Reply) ->
    case Engine:resume(Run, encode(Reply)) of
        done -> done;
        {request, Request} -> answer(binary_to_term(Request), Engine, Session, Hosted);
        {error, Reason} -> {error, Reason}
    end.

answer({call, Module, Function, Args}, _Engine, _Session, Hosted) ->
    converse(Hosted, cuter_replay:call(Module, Function, Args));
answer({apply, Fun, Args}, _Engine, _Session, Hosted) ->
    converse(Hosted, cuter_replay:call(erlang, apply, [Fun, Args]));
answer({'receive', Timeout}, _Engine, _Session, Hosted) ->
    receive
        Message -> converse(Hosted, {message, Message})
    after Timeout -> converse(Hosted, no_message)
    end;
answer({load, Module}, Engine, Session, Hosted) ->
    ok = provide(Engine, Session, Module),
    converse(Hosted, loaded);
answer(continue, _Engine, _Session, Hosted) ->
    converse(Hosted, continue);
answer(EndOfCallback, _Engine, _Session, _Hosted) ->
    EndOfCallback.

encode(Term) ->
    term_to_binary(Term, [{minor_version, 2}]).
