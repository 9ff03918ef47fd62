%% The BEAM's side of a session.
%%
%% A process of its own owns the session: it answers the engine, and nothing of that reaches the
%% mailbox of the caller. It dies when the caller dies, and the session with it. Whatever takes time
%% (loading a module, hosting a run) happens in a sandbox, so that the owner hears at once when its
%% caller is gone.
-module(cuter_host).

-export([explore/1, explore/2, eval/1, eval/2, outcome/3, call_back/3, format_error/1]).
-export([cancel/1, progress/1]).

-export_type([request/0, found/0, hosted/0, session/0, watcher/0, description/0]).

-type request() :: #{
    mfa := mfa(),
    options := map(),
    seeds => [[term()]],
    signature => cuter_spec:signature(),
    pre => cuter_precondition:predicate(),
    raises => [term()],
    identifiers => [pid() | port() | reference()],
    args => [term()],
    %% Whether stacktraces matter.
    frames => cuter_core:frames(),
    watcher => watcher()
}.
%% `modules` are those whose code the engine asked for.
-type found() :: #{
    failures := [map()], outside_spec := [map()], statistics := map(), modules := [module()]
}.
%% A session under way, for `cancel/1` and `progress/1`.
-opaque session() :: {Engine :: module(), cuter_nif:session()}.
%% Who is sent `{cuter_session, Tag, session()}` when the session has begun.
-type watcher() :: {pid(), Tag :: term()}.
-type description() :: {engine, term()} | {owner_died, term()}.
%% A run, and what its host process needs to serve it.
-type hosted() :: {session(), cuter_nif:run(), cuter_deputy:host(), owner()}.
-type owner() :: {pid(), cuter_core:frames()}.
-type error() :: {error, {?MODULE, description()}}.

%% What runs in a sandbox for the session, by the monitor of its keeper.
-type job() :: {host, cuter_nif:run()} | {load, module()}.
-type state() :: #{
    engine := module(),
    tag := reference(),
    session := cuter_nif:session(),
    frames := cuter_core:frames(),
    caller := reference(),
    jobs := #{reference() => job()},
    failures := [map()],
    outside_spec := [map()],
    modules := #{module() => loaded}
}.

%% Bytes of a reply that takes its time to be read.
-define(LARGE_REPLY, 16384).

%% A stacktrace has no more frames than that, whatever the VM is told.
-define(MOST_FRAMES, 64).

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

%% Interprets one call of which only the outcome counts, with the trees that explorations have.
-spec outcome(mfa(), Args :: [term()], Options :: map()) -> {ok, term()} | error().
outcome(Mfa, Args, Options) ->
    eval(#{mfa => Mfa, args => Args, options => Options, frames => likely}).

-spec eval(request(), module()) -> {ok, term()} | error().
eval(Request, Engine) ->
    session(Request#{task => eval}, Engine).

%% Ends an exploration; what it has found so far comes back as if it had reached a limit.
-spec cancel(session()) -> ok.
cancel({Engine, Session}) ->
    Engine:cancel(Session).

-spec progress(session()) -> cuter_nif:progress().
progress({Engine, Session}) ->
    Engine:progress(Session).

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
    Task = (maps:without([watcher, frames], Request))#{
        stubs => cuter_fun:stubs(undefined),
        backtrace_depth => backtrace_depth()
    },
    case Engine:start(Tag, encode(Task)) of
        {ok, Session} ->
            ok = tell(Request, {Engine, Session}),
            serve(#{
                engine => Engine,
                tag => Tag,
                session => Session,
                frames => frames(Request),
                caller => CallerMonitor,
                jobs => #{},
                failures => [],
                outside_spec => [],
                modules => #{}
            });
        {error, Reason} ->
            finish(error_of({engine, Reason}))
    end.

%% The VM only tells when it is given another one; but it keeps that much of a given stacktrace.
backtrace_depth() ->
    try
        erlang:raise(error, depth, lists:duplicate(?MOST_FRAMES, {?MODULE, depth, 0, []}))
    catch
        error:depth:Kept -> length(Kept)
    end.

%% Failures that are found are judged by the BEAM, with its stacktraces.
frames(#{frames := Frames}) -> Frames;
frames(#{task := explore}) -> likely;
frames(#{task := eval}) -> exact.

tell(#{watcher := {Pid, Tag}}, Session) ->
    Pid ! {cuter_session, Tag, Session},
    ok;
tell(#{}, _Session) ->
    ok.

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
        {?MODULE, loaded, Module} ->
            serve(loaded(Module, State));
        {'DOWN', Caller, process, _, _} ->
            stop(State);
        {'DOWN', Monitor, process, Keeper, Reason} ->
            serve(job_ended({Keeper, Monitor}, Reason, State));
        _Other ->
            serve(State)
    end.

-spec stop(state()) -> no_return().
stop(#{engine := Engine, session := Session}) ->
    _ = Engine:cancel(Session),
    exit(normal).

-spec event(term(), state()) -> state().
event({load, Module}, State) ->
    load(Module, loaded(Module, State));
event({failure, Failure}, #{failures := Failures} = State) ->
    State#{failures := [Failure | Failures]};
event({outside_spec, Return}, #{outside_spec := Returns} = State) ->
    State#{outside_spec := [Return | Returns]};
event({finished, Statistics}, #{failures := Failures, outside_spec := Returns} = State) ->
    #{modules := Modules} = State,
    finish(
        {ok, #{
            failures => lists:reverse(Failures),
            outside_spec => lists:reverse(Returns),
            modules => lists:sort(maps:keys(Modules)),
            statistics => Statistics
        }}
    );
event({outcome, Outcome}, _State) ->
    finish({ok, Outcome});
event({failed, Reason}, _State) ->
    finish(error_of({engine, Reason}));
event(Unknown, _State) ->
    finish(error_of({engine, {unknown_event, Unknown}})).

loaded(Module, #{modules := Modules} = State) ->
    State#{modules := Modules#{Module => loaded}}.

%%% Jobs

load(Module, #{engine := Engine, session := Session, frames := Frames} = State) ->
    job({load, Module}, fun() -> provide({Engine, Session}, Module, Frames) end, State).

host(Run, #{engine := Engine, session := Session, frames := Frames} = State) ->
    Owner = {self(), Frames},
    Drive = fun() -> drive({{Engine, Session}, Run, cuter_deputy:host(self()), Owner}) end,
    job({host, Run}, Drive, State).

job(Job, Work, #{jobs := Jobs} = State) ->
    {_Keeper, Monitor} = cuter_sandbox:start(Work, #{}),
    State#{jobs := Jobs#{Monitor => Job}}.

job_ended({Keeper, Monitor}, Reason, #{jobs := Jobs} = State) ->
    case maps:take(Monitor, Jobs) of
        {Job, Rest} ->
            ok = conclude(Job, cuter_sandbox:ended(Keeper, Reason), State),
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

provide({Engine, Session}, Module, Frames) ->
    _ = Engine:provide(Session, Module, cuter_core:module(Module, Frames)),
    ok.

%% Does what the run asks until it needs nothing more. Called in its host process. Whether the end
%% of something linked to it ends the program is for the machine to decide.
drive(Hosted) ->
    _ = process_flag(trap_exit, true),
    case converse(Hosted, {'begin', cuter_fun:stubs(Hosted)}, #{}) of
        done -> ok;
        Other -> {refused, Other}
    end.

%% Native code calls a fun of the machine: the run goes on with that, and waits for the native code
%% again.
-spec call_back(hosted(), non_neg_integer(), [term()]) -> term().
call_back({_, _, {Pid, _, _} = Host, _}, Number, Args) when Pid =/= self() ->
    case cuter_deputy:call_back(Host, Number, Args) of
        {done, End} -> end_of_callback(End);
        busy -> error(fun_called_in_another_process)
    end;
call_back({_, _, Host, _} = Hosted, Number, Args) ->
    ok = cuter_deputy:leaves_native_code(Host),
    End = converse(Hosted, {callback, Number, Args}, #{}),
    ok = cuter_deputy:enters_native_code(Host),
    end_of_callback(End).

end_of_callback(End) ->
    case End of
        {returned, Value} -> Value;
        {raised, Class, Reason, Stacktrace} -> erlang:raise(Class, Reason, Stacktrace);
        Over -> exit({?MODULE, Over})
    end.

%% `Held` are references that the run has got, and may use again (see `cuter_references`).
converse({{Engine, _Session}, Run, _Host, _Owner} = Hosted, Reply, Held) ->
    Encoded = encode(Reply),
    Known = hold(cuter_references:of_term(Reply, Encoded), Held),
    heed(resume(Engine, Run, Encoded), Hosted, Known).

%% Briefly first, in this thread of the VM: most runs soon ask for the next thing.
resume(Engine, Run, Reply) when byte_size(Reply) < ?LARGE_REPLY ->
    case Engine:resume_briefly(Run, Reply) of
        busy -> Engine:resume(Run, Reply);
        Said -> Said
    end;
resume(Engine, Run, Reply) ->
    Engine:resume(Run, Reply).

heed({request, Request}, Hosted, Held) -> answer(binary_to_term(Request), Hosted, Held);
heed(DoneOrError, _Hosted, _Held) -> DoneOrError.

hold(References, Held) ->
    lists:foldl(fun(Reference, All) -> All#{Reference => held} end, Held, References).

answer({call, Module, Function, Args}, Hosted, Held) ->
    Call = {Module, Function, Args},
    converse(Hosted, telling(self(), Call, native(Hosted, Call)), Held);
answer({apply, Fun, Args}, Hosted, Held) ->
    converse(Hosted, native(Hosted, {erlang, apply, [Fun, Args]}), Held);
answer({deputy, Deputy, {call, Module, Function, Args}}, Hosted, Held) ->
    Call = {Module, Function, Args},
    converse(Hosted, telling(Deputy, Call, in_deputy(Deputy, Call, Hosted)), Held);
answer({deputy, Deputy, {apply, Fun, Args}}, Hosted, Held) ->
    converse(Hosted, in_deputy(Deputy, {erlang, apply, [Fun, Args]}, Hosted), Held);
answer({deputies, Wanted}, {_, _, Host, _} = Hosted, Held) ->
    Deputies = [{Number, cuter_deputy:start(Host, Leader)} || {Number, Leader} <- Wanted],
    converse(Hosted, {deputies, Deputies}, Held);
answer({ended, Deputies, Request}, Hosted, Held) ->
    [ok = cuter_deputy:stop(Deputy, Reason) || {Deputy, Reason} <- Deputies],
    answer(Request, Hosted, Held);
answer({'receive', Timeout}, Hosted, Held) ->
    receive
        {cuter_deputy, Deputy, {message, Message}} ->
            converse(Hosted, {message, Deputy, Message}, Held);
        {cuter_deputy, Visitor, {visit, _, _} = Visit} ->
            ok = cuter_deputy:serve_visitor({Visitor, Visit}, caller_back(Hosted)),
            converse(Hosted, visited, Held);
        Message -> converse(Hosted, {message, Message}, Held)
    after Timeout -> converse(Hosted, no_message, Held)
    end;
answer({load, Module}, {Session, _Run, _Host, {Owner, Frames}} = Hosted, Held) ->
    Owner ! {?MODULE, loaded, Module},
    ok = provide(Session, Module, Frames),
    converse(Hosted, loaded, Held);
answer(continue, {{Engine, _Session}, Run, _Host, _Owner} = Hosted, Held) ->
    heed(Engine:resume(Run, encode(continue)), Hosted, Held);
answer(EndOfCallback, _Hosted, _Held) ->
    EndOfCallback.

native(Hosted, Call) ->
    case cuter_ending:is_made_by(Call) of
        true -> halted;
        false -> called(Hosted, Call)
    end.

called({_, _, Host, _}, {Module, Function, Args}) ->
    ok = cuter_deputy:enters_native_code(Host),
    Outcome = cuter_replay:call(Module, Function, Args),
    ok = cuter_deputy:leaves_native_code(Host),
    %% What cannot be told ends the run, as a native call does that takes too much memory.
    cuter_extent:is_moderate(Outcome) orelse exit(killed),
    Outcome.

%% What the call has sent to another process of the machine goes with its outcome. It would be taken
%% when everybody waits otherwise, and so after what the caller sends next.
telling(Giver, {ets, give_away, [_Table, To, Data]}, {ok, true} = Outcome) ->
    case cuter_deputy:transfer(To, Giver, Data) of
        {ok, Message} -> {told, To, Message, Outcome};
        none -> Outcome
    end;
telling(_Caller, _Call, Outcome) ->
    Outcome.

in_deputy(Deputy, Call, Hosted) ->
    case cuter_ending:is_made_by(Call) of
        true -> halted;
        false -> cuter_deputy:call(Deputy, Call, caller_back(Hosted))
    end.

caller_back(Hosted) ->
    fun(Number, Args) -> converse(Hosted, {callback, Number, Args}, #{}) end.

encode(Term) ->
    term_to_binary(Term, [{minor_version, 2}]).
