%% Runs many explorations, several at once, within a time for all of them.
%%
%% Each job runs in a process of its own. As many run at once as there are cores, and those share
%% the cores. Of the time that is left, each job gets the same share: what one does not use is there
%% for those after it.
%%
%% A process of its own steers the jobs, so nothing reaches the mailbox of the caller and none of
%% the caller's flags change. It ends with the caller, and the jobs end with it.
-module(cuter_batch).

-export([run/2]).
%% Bodies of processes
-export([steer/3, work_and_exit/2]).

-export_type([job/0, settings/0, given/0, result/0, event/0, state_of_job/0]).

%% What a job is told when it starts. It passes them on to `cuter:run/4` as options.
-type given() :: #{
    workers := pos_integer(), time_limit := pos_integer(), watcher := cuter_host:watcher()
}.
%% `name` says in events which job it is. `time` is the most that it may take, in milliseconds.
-type job() :: #{name := term(), time := pos_integer(), work := fun((given()) -> term())}.
-type settings() :: #{
    cores => pos_integer(),
    %% Milliseconds for all jobs.
    total_time => timeout(),
    %% Called in the steering process.
    notify => fun((event()) -> term()),
    %% Whether to stop now; asked ten times a second.
    stop => fun(() -> boolean())
}.
%% A job that was not started says why; one that died is a defect.
-type result() :: {done, term()} | {not_started, time | stopped} | {died, term()}.
-type state_of_job() :: #{
    name := term(), progress := cuter_nif:progress() | none, left := non_neg_integer()
}.
-type event() ::
    {started, Name :: term()}
    | {ended, Name :: term(), result()}
    | {running, [state_of_job()], #{waiting := non_neg_integer(), ended := non_neg_integer()}}.

-define(TICK, 100).

%% Runs all jobs; results are in the order of the jobs.
-spec run([job()], settings()) -> [result()].
run(Jobs, Settings) ->
    {Pid, Monitor} = spawn_monitor(?MODULE, steer, [self(), Jobs, Settings]),
    receive
        {'DOWN', Monitor, process, Pid, {?MODULE, Results}} -> Results;
        {'DOWN', Monitor, process, Pid, Reason} -> error({?MODULE, Reason})
    end.

-spec steer(pid(), [job()], settings()) -> no_return().
steer(Caller, Jobs, Settings) ->
    %% Linked jobs end with this process; their own ends are only news.
    _ = process_flag(trap_exit, true),
    Cores = maps:get(cores, Settings, erlang:system_info(schedulers_online)),
    State = #{
        caller => monitor(process, Caller),
        waiting => lists:zip(lists:seq(1, length(Jobs)), Jobs),
        running => #{},
        results => #{},
        cores => Cores,
        slots => min(Cores, max(1, length(Jobs))),
        deadline => deadline(maps:get(total_time, Settings, infinity)),
        notify => maps:get(notify, Settings, fun(_) -> ok end),
        stop => maps:get(stop, Settings, fun() -> false end),
        stopped => false
    },
    {ok, _} = timer:send_interval(?TICK, tick),
    Results = work(fill(State)),
    exit({?MODULE, [Result || {_, Result} <- lists:sort(maps:to_list(Results))]}).

deadline(infinity) -> infinity;
deadline(Time) -> now_ms() + Time.

now_ms() ->
    erlang:monotonic_time(millisecond).

work(#{waiting := [], running := Running, results := Results}) when map_size(Running) =:= 0 ->
    Results;
work(#{caller := Caller} = State) ->
    receive
        tick ->
            work(fill(tick(State)));
        {cuter_session, Index, Session} ->
            work(session(Index, Session, State));
        {'DOWN', Caller, process, _, _} ->
            exit(caller_died);
        {'DOWN', Monitor, process, _, Reason} ->
            work(fill(ended(Monitor, Reason, State)));
        _Exit ->
            work(State)
    end.

%%% Starting

%% Starts jobs while there is a free slot.
fill(#{waiting := [{Index, Job} | Waiting], running := Running, slots := Slots} = State) when
    map_size(Running) < Slots
->
    case share(State) of
        Time when Time > 0 -> fill(start(Index, Job, Time, State#{waiting := Waiting}));
        _ -> fill(skip(Index, Job, time, State#{waiting := Waiting}))
    end;
fill(State) ->
    State.

%% Milliseconds for the next job. As many as there are slots use up the time side by side.
share(#{deadline := infinity}) ->
    infinity;
share(#{deadline := Deadline, waiting := Waiting, slots := Slots}) ->
    Left = Deadline - now_ms(),
    Left * min(Slots, length(Waiting)) div length(Waiting).

start(Index, #{name := Name, time := Most, work := Work} = Job, Share, State) ->
    #{running := Running, cores := Cores, slots := Slots, waiting := Waiting} = State,
    AtOnce = min(Slots, map_size(Running) + length(Waiting) + 1),
    Time = min(Most, Share),
    Given = #{
        workers => max(1, Cores div AtOnce),
        time_limit => Time,
        watcher => {self(), Index}
    },
    {_Pid, Monitor} = spawn_opt(?MODULE, work_and_exit, [Work, Given], [link, monitor]),
    ok = tell({started, Name}, State),
    State#{
        running := Running#{
            Monitor => #{index => Index, job => Job, session => none, until => now_ms() + Time}
        }
    }.

-spec work_and_exit(fun((given()) -> term()), given()) -> no_return().
work_and_exit(Work, Given) ->
    exit({?MODULE, outcome(Work, Given)}).

outcome(Work, Given) ->
    try
        {done, Work(Given)}
    catch
        Class:Reason:Stacktrace -> {died, {Class, Reason, Stacktrace}}
    end.

skip(Index, #{name := Name}, Why, #{results := Results} = State) ->
    Result = {not_started, Why},
    ok = tell({ended, Name, Result}, State),
    State#{results := Results#{Index => Result}}.

%%% While they run

session(Index, Session, #{running := Running, stopped := Stopped} = State) ->
    Noted = maps:map(
        fun
            (_, #{index := I} = Run) when I =:= Index -> Run#{session := Session};
            (_, Run) -> Run
        end,
        Running
    ),
    ok = cancel([Session || Stopped]),
    State#{running := Noted}.

cancel(Sessions) ->
    lists:foreach(fun cuter_host:cancel/1, Sessions).

tick(#{stopped := false, stop := Stop} = State) ->
    case Stop() of
        true -> stop(State);
        false -> show(State)
    end;
tick(State) ->
    show(State).

%% What runs comes to its end with what it has found; what waits is not started.
stop(#{waiting := Waiting, running := Running} = State) ->
    ok = cancel([S || #{session := S} <- maps:values(Running), S =/= none]),
    lists:foldl(
        fun({Index, Job}, Before) -> skip(Index, Job, stopped, Before) end,
        State#{stopped := true, waiting := []},
        Waiting
    ).

show(#{running := Running, waiting := Waiting, results := Results} = State) ->
    Now = now_ms(),
    States = [
        #{name => Name, progress => progress(Session), left => max(0, Until - Now)}
     || #{job := #{name := Name}, session := Session, until := Until} <- by_index(Running)
    ],
    Counts = #{waiting => length(Waiting), ended => map_size(Results)},
    ok = tell({running, States, Counts}, State),
    State.

by_index(Running) ->
    lists:sort(fun(#{index := A}, #{index := B}) -> A =< B end, maps:values(Running)).

progress(none) -> none;
progress(Session) -> cuter_host:progress(Session).

ended(Monitor, Reason, #{running := Running, results := Results} = State) ->
    case maps:take(Monitor, Running) of
        {#{index := Index, job := #{name := Name}}, Rest} ->
            Result = result(Reason),
            ok = tell({ended, Name, Result}, State),
            State#{running := Rest, results := Results#{Index => Result}};
        error ->
            State
    end.

result({?MODULE, Result}) -> Result;
result(Reason) -> {died, Reason}.

tell(Event, #{notify := Notify}) ->
    _ = Notify(Event),
    ok.
