%% Processes of the VM that stand for processes of the machine.
%%
%% The first process of a run is the host process itself. Every other one of which native code gets
%% to know, or that calls native code, has a deputy: the calls are made there, so native code sees
%% one process of its own for each, which owns what it opens and is told of the ends of others. What
%% is sent to a deputy goes on to the host process, and from there into the machine. Exit signals
%% come as messages: the machine knows whether they end the process.
-module(cuter_deputy).

-export([start/2, call/3, stop/2, call_back/3, serve_visitor/2]).
-export([host/1, enters_native_code/1, leaves_native_code/1, transfer/3]).
%% Body of the process
-export([work/1]).

%% How long a visitor waits for a host that is in native code, in milliseconds.
-define(PATIENCE, 500).

-export_type([host/0]).

%% How long a message that must come is waited for, in milliseconds.
-define(ON_ITS_WAY, 5000).

%% A host process, whether it is in native code (1 or 0), and the group leader it began with.
-type host() :: {pid(), atomics:atomics_ref(), pid()}.
-type outcome() :: {ok, term()} | {raised, error | exit | throw, term(), list()}.
-type visit() :: {visit, reference(), {Number :: non_neg_integer(), Args :: [term()]}}.
-type call_back() :: fun((Number :: non_neg_integer(), Args :: [term()]) -> term()).

%% A deputy of the calling host process, with that group leader or the one that the host began with,
%% or for a process that has ended.
-spec start(host(), Leader :: pid() | none | ended) -> pid().
start(_Host, ended) ->
    {Deputy, Monitor} = spawn_monitor(fun() -> ok end),
    receive
        {'DOWN', Monitor, process, Deputy, _} -> Deputy
    end;
start({Host, _, First}, Leader) ->
    Deputy = spawn(?MODULE, work, [Host]),
    true = group_leader(given(Leader, First), Deputy),
    Deputy.

given(none, First) -> First;
given(Leader, _First) -> Leader.

%% The message to a process of the machine that a native process has given it a table with: it comes
%% before whatever the giver sends afterwards. Called by the host.
-spec transfer(To :: pid(), Giver :: pid(), Data :: term()) -> {ok, term()} | none.
transfer(To, Giver, Data) when To =:= self() ->
    receive
        {'ETS-TRANSFER', _Table, Giver, Data} = Message -> {ok, Message}
    after ?ON_ITS_WAY -> none
    end;
transfer(To, Giver, Data) ->
    case process_info(To, initial_call) of
        {initial_call, {?MODULE, work, 1}} ->
            receive
                {?MODULE, To, {message, {'ETS-TRANSFER', _Table, Giver, Data} = Message}} ->
                    {ok, Message}
            after ?ON_ITS_WAY -> none
            end;
        _Native ->
            none
    end.

%% Makes a native call in a deputy. The host process makes the callbacks meanwhile.
-spec call(pid(), {module(), atom(), [term()]}, call_back()) -> outcome().
call(Deputy, Call, CallBack) ->
    Monitor = monitor(process, Deputy),
    Deputy ! {?MODULE, self(), {call, Call}},
    Outcome = outcome(Deputy, Monitor, CallBack),
    true = demonitor(Monitor, [flush]),
    Outcome.

outcome(Deputy, Monitor, CallBack) ->
    receive
        {?MODULE, Deputy, {outcome, Outcome}} ->
            Outcome;
        {?MODULE, Deputy, {call_back, Number, Args}} ->
            Deputy ! {?MODULE, self(), {called_back, CallBack(Number, Args)}},
            outcome(Deputy, Monitor, CallBack);
        {?MODULE, Visitor, {visit, _, _} = Visit} ->
            ok = serve_visitor({Visitor, Visit}, CallBack),
            outcome(Deputy, Monitor, CallBack);
        {'DOWN', Monitor, process, Deputy, Reason} ->
            {raised, exit, Reason, []}
    end.

%% Ends a deputy as its process in the machine has ended.
-spec stop(pid(), Reason :: term()) -> ok.
stop(Deputy, Reason) ->
    Monitor = monitor(process, Deputy),
    Deputy ! {?MODULE, self(), {stop, Reason}},
    receive
        {'DOWN', Monitor, process, Deputy, _} -> ok
    end.

%% For a process that is to host a run.
-spec host(pid()) -> host().
host(Pid) ->
    {Pid, atomics:new(1, []), group_leader()}.

-spec enters_native_code(host()) -> ok.
enters_native_code({_, InNativeCode, _}) ->
    atomics:put(InNativeCode, 1, 1).

-spec leaves_native_code(host()) -> ok.
leaves_native_code({_, InNativeCode, _}) ->
    atomics:put(InNativeCode, 1, 0).

%% Native code calls a fun of the machine in another process than its host. In a deputy, the process
%% of the machine may make native calls again before the fun returns. Any other process visits: its
%% call is made in the name of the process that the host works for, if the host is not busy.
-spec call_back(host(), Number :: non_neg_integer(), Args :: [term()]) -> {done, term()} | busy.
call_back({Pid, _, _} = Host, Number, Args) ->
    case process_info(self(), initial_call) of
        {initial_call, {?MODULE, work, 1}} ->
            Pid ! {?MODULE, self(), {call_back, Number, Args}},
            {done, called_back(Pid)};
        _Visitor ->
            visit(Host, {Number, Args})
    end.

visit({Pid, _, _} = Host, Call) ->
    Visit = monitor(process, Pid),
    Pid ! {?MODULE, self(), {visit, Visit, Call}},
    Answer = visit_begun(Host, Visit),
    true = demonitor(Visit, [flush]),
    Answer.

%% The machine works, or a module is being loaded: the host will have time. In native code it may
%% wait for this visitor.
visit_begun({Pid, InNativeCode, _} = Host, Visit) ->
    receive
        {Visit, begun} -> visited(Visit);
        {'DOWN', Visit, process, Pid, _} -> busy
    after ?PATIENCE ->
        case atomics:get(InNativeCode, 1) of
            1 -> busy;
            0 -> visit_begun(Host, Visit)
        end
    end.

visited(Visit) ->
    receive
        {Visit, {done, _} = Done} -> Done;
        {'DOWN', Visit, process, _Host, _} -> busy
    end.

%% Makes the call of a visitor, in the host.
-spec serve_visitor({pid(), visit()}, call_back()) -> ok.
serve_visitor({Visitor, {visit, Visit, {Number, Args}}}, CallBack) ->
    Visitor ! {Visit, begun},
    Visitor ! {Visit, {done, CallBack(Number, Args)}},
    ok.

called_back(Host) ->
    receive
        {?MODULE, Host, {called_back, Result}} ->
            Result;
        {?MODULE, Host, {call, Call}} ->
            ok = make(Call, Host),
            called_back(Host)
    end.

%%% The deputy

-spec work(Host :: pid()) -> no_return().
work(Host) ->
    _ = process_flag(trap_exit, true),
    serve(Host, monitor(process, Host)).

serve(Host, Monitor) ->
    receive
        {?MODULE, Host, {call, Call}} ->
            ok = make(Call, Host);
        {?MODULE, Host, {stop, Reason}} ->
            exit(Reason);
        {'DOWN', Monitor, process, Host, _} ->
            exit(kill);
        Message ->
            Host ! {?MODULE, self(), {message, Message}}
    end,
    serve(Host, Monitor).

make({Module, Function, Args}, Host) ->
    Outcome = cuter_replay:call(Module, Function, Args),
    cuter_extent:is_moderate(Outcome) orelse exit(killed),
    Host ! {?MODULE, self(), {outcome, Outcome}},
    ok.
