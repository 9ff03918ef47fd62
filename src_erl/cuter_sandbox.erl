%% Runs a function in a process of its own, from which nothing escapes.
%%
%% A keeper process stands between the one who asks and the one who works. It is the worker's group
%% leader, so it swallows what is printed and what is logged, and every process that the worker
%% starts inherits it: when the worker is done, dies, takes too long, or the one who asked dies, all
%% processes of this group are killed, and with them their ETS tables, links and registered names.
%%
%% Not contained: what is sent to processes outside, files, ports of other owners, and the output
%% of `erlang:display` or of processes that print to `user`.
-module(cuter_sandbox).

-export([start/2, run/2, ended/2, kill_group/2, kill/1]).
%% Filter of the logger
-export([swallow/2]).
%% Bodies of processes
-export([keeper/3, worker/3]).

-export_type([limits/0, outcome/0]).

-type limits() :: #{time => timeout(), heap_words => pos_integer()}.
-type outcome() :: {done, term()} | {died, term()} | timeout.

%% How often processes of the group that start others are hunted before giving up.
-define(KILL_ROUNDS, 100).

%% Starts the work. The end is a `'DOWN'` message for `ended/2`.
-spec start(fun(() -> term()), limits()) -> {pid(), reference()}.
start(Work, Limits) ->
    spawn_monitor(?MODULE, keeper, [self(), Work, Limits]).

%% Works and waits for the outcome.
-spec run(fun(() -> term()), limits()) -> outcome().
run(Work, Limits) ->
    {Keeper, Monitor} = start(Work, Limits),
    receive
        {'DOWN', Monitor, process, Keeper, Reason} -> ended(Keeper, Reason)
    end.

%% What the reason of the keeper's end says about the work. If the work has killed it, which is its
%% group leader, somebody else has to clean up.
-spec ended(pid(), Reason :: term()) -> outcome().
ended(_Keeper, {?MODULE, Outcome}) ->
    Outcome;
ended(Keeper, Reason) ->
    ok = kill_group(Keeper, []),
    {died, Reason}.

%% From now on the logger drops what it is told in a sandbox, where processes may crash. It logs as
%% before what happens elsewhere.
mute_logger() ->
    #{filters := Filters} = logger:get_primary_config(),
    case lists:keymember(?MODULE, 1, Filters) of
        true ->
            ok;
        false ->
            %% Somebody else may have been faster.
            _ = logger:add_primary_filter(?MODULE, {fun ?MODULE:swallow/2, []}),
            ok
    end.

-spec swallow(logger:log_event(), term()) -> stop | ignore.
swallow(#{meta := #{gl := Leader}}, _) when is_pid(Leader), node(Leader) =:= node() ->
    case process_info(Leader, initial_call) of
        {initial_call, {?MODULE, keeper, 3}} -> stop;
        _ -> ignore
    end;
swallow(_Event, _) ->
    ignore.

-spec keeper(pid(), fun(() -> term()), limits()) -> no_return().
keeper(Parent, Work, Limits) ->
    ok = mute_logger(),
    ParentMonitor = monitor(process, Parent),
    Secret = make_ref(),
    Older = processes(),
    Options = [monitor | heap_limit(Limits)],
    {_Worker, WorkerMonitor} = spawn_opt(?MODULE, worker, [self(), Secret, Work], Options),
    Timer = start_timer(maps:get(time, Limits, infinity), Secret),
    Outcome = keep(#{
        parent => ParentMonitor, worker => WorkerMonitor, timer => Timer, secret => Secret
    }),
    kill_group(self(), Older),
    exit({?MODULE, Outcome}).

-spec worker(pid(), reference(), fun(() -> term())) -> no_return().
worker(Keeper, Secret, Work) ->
    true = group_leader(Keeper, self()),
    exit(cuter_extent:told({Secret, Work()})).

heap_limit(#{heap_words := Words}) ->
    [{max_heap_size, #{size => Words, kill => true, error_logger => false}}];
heap_limit(#{}) ->
    [].

start_timer(infinity, _Message) -> none;
start_timer(Time, Message) -> erlang:start_timer(Time, self(), Message).

keep(#{parent := Parent, worker := Worker, timer := Timer, secret := Secret} = State) ->
    receive
        {io_request, From, ReplyAs, Request} ->
            ok = cuter_device:request(From, ReplyAs, Request),
            keep(State);
        {'DOWN', Worker, process, _, {Secret, Result}} ->
            {done, Result};
        {'DOWN', Worker, process, _, Reason} ->
            {died, Reason};
        {'DOWN', Parent, process, _, _} ->
            {died, parent};
        {timeout, Timer, Secret} ->
            timeout;
        _Other ->
            keep(State)
    end.

%% Kills the processes of a group, and those that these lead: a keeper among them dies without
%% killing its own. Asking a process for its leader takes time: the older ones, which cannot belong
%% to it, are not asked.
-spec kill_group(Leader :: pid(), Older :: [pid()]) -> ok.
kill_group(Leader, Older) ->
    kill_groups([Leader], Older, ?KILL_ROUNDS).

kill_groups(_Leaders, _Older, 0) ->
    ok;
kill_groups(Leaders, Older, Rounds) ->
    case [Pid || Pid <- processes() -- Older, is_led(Pid, Leaders)] of
        [] ->
            ok;
        Pids ->
            lists:foreach(fun kill/1, Pids),
            kill_groups(Pids ++ Leaders, Older, Rounds - 1)
    end.

is_led(Pid, Leaders) ->
    case process_info(Pid, group_leader) of
        {group_leader, Leader} -> lists:member(Leader, Leaders);
        undefined -> false
    end.

%% Kills a process and waits for its end.
-spec kill(pid()) -> ok.
kill(Pid) ->
    Monitor = monitor(process, Pid),
    exit(Pid, kill),
    receive
        {'DOWN', Monitor, process, Pid, _} -> ok
    end.
