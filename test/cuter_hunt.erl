%% Makes calls natively and in the machine, and tells where they differ.
%%
%% A call that does not give the same natively twice in a row depends on more than its arguments and
%% is left out. Pids, ports, references and funs are compared by their type; stacktraces frame by
%% frame with place.
-module(cuter_hunt).

-export([functions/2, function/3, explored/2]).

-export_type([finding/0]).

-type finding() :: {Kind :: atom(), Details :: term()}.
-type options() :: #{
    calls := pos_integer(), functions := pos_integer(), time := pos_integer(), key := term(), _ => _
}.

-define(NATIVE, #{time => 1000, heap_words => 16 * 1024 * 1024}).

%% A result that later calls get as an argument has at most so many parts.
-define(LARGEST, 300).

%% Slower than natively by more than this, and for longer than that many microseconds.
-define(SLOW, {200, 100000}).

%% Names of functions that end or change the VM that makes the calls.
-define(LEFT_OUT, [
    module_info, halt, stop, reboot, restart, shutdown, kill, main, start, start_link, abort,
    hot_code_upgrade, break, suspend, c, nc, q, do_stop, exec, run_erl, flush, purge
]).

%% Those to be called, constructors first: so many at most, chosen by the key.
-spec functions(module(), options()) -> [{atom(), arity()}].
functions(Module, #{functions := Most, key := Key}) ->
    Exports = [
        {Arity, Name}
     || {Name, Arity} <- Module:module_info(exports),
        not lists:member(Name, ?LEFT_OUT),
        Arity =< 10
    ],
    Shuffled = lists:sort([{erlang:phash2({Key, Export}), Export} || Export <- Exports]),
    Chosen = [Export || {_, Export} <- lists:sublist(Shuffled, Most)],
    [{Name, Arity} || {Arity, Name} <- lists:sort(Chosen)].

%% What is wrong with calls of a function, how many were made, and what they returned.
-spec function(mfa(), {cuter_hunt_inputs:material(), Returned :: [term()]}, options()) ->
    {[finding()], Made :: non_neg_integer(), Returned :: [term()]}.
function({Module, Name, _} = Mfa, {Material, Known}, #{calls := Calls} = Options) ->
    Inputs = cuter_hunt_inputs:draws(Mfa, Material, Known, Calls, maps:get(key, Options)),
    Rows = [row({Module, Name, Args}, Options) || Args <- Inputs],
    {
        first_of_each([Finding || {Findings, _} <- Rows, Finding <- Findings]),
        length(Rows),
        lists:usort([Value || {_, {ok, Value}} <- Rows, is_handy(Value)])
    }.

first_of_each(Findings) ->
    maps:to_list(maps:from_list(lists:reverse(Findings))).

row({Module, Name, Args} = Call, #{time := Limit}) ->
    {NativeTime, Native} = timer:tc(fun() -> natively(Call) end),
    Interpret = fun() -> cuter:eval(Module, Name, Args, #{time_limit => Limit}) end,
    case Native of
        Unended when is_atom(Unended) -> {[], Unended};
        _ -> {judged(Call, Native, NativeTime, Interpret), Native}
    end.

natively({Module, Name, Args}) ->
    case cuter_sandbox:run(fun() -> cuter_replay:call(Module, Name, Args) end, ?NATIVE) of
        {done, Outcome} -> Outcome;
        {died, killed} -> killed;
        {died, Reason} -> {raised, exit, Reason, []};
        timeout -> timeout
    end.

judged(Call, Native, NativeTime, Interpret) ->
    {Time, Ours} = timer:tc(Interpret),
    case same(Ours, Native) of
        true -> slow(Call, {NativeTime, Time}, Interpret);
        false -> again(Call, Native, Interpret)
    end.

%% Once code is loaded, time is that of the run.
slow(Call, {NativeTime, First}, Interpret) ->
    {Factor, Least} = ?SLOW,
    IsSlow = fun(Time) -> Time > Least andalso Time > Factor * NativeTime end,
    Second = [Time || IsSlow(First), {Time, _} <- [timer:tc(Interpret)], IsSlow(Time)],
    [{slow, {Call, Time, NativeTime}} || Time <- Second].

%% A difference counts if it is there again, and the native call gives the same again.
again(Call, Native, Interpret) ->
    Ours = Interpret(),
    case same(natively(Call), Native) andalso not same(Ours, Native) of
        true -> [{kind(Ours, Native), {Call, Ours, Native}}];
        false -> []
    end.

kind({error, {cuter, {stopped, _}}}, _Native) -> stopped;
kind({error, _}, _Native) -> error;
kind({ok, _}, {ok, _}) -> value;
kind({raised, Class, _, Ours} = Raised, {raised, Class, _, Theirs} = Native) ->
    case same(setelement(4, Raised, []), setelement(4, Native, [])) of
        true when length(Ours) =:= length(Theirs) -> place;
        true -> frames;
        false -> reason
    end;
kind(_Ours, _Native) -> outcome.

%% Also tells 0.0 from -0.0.
same(Ours, Theirs) ->
    term_to_binary(plain(Ours), [deterministic]) =:= term_to_binary(plain(Theirs), [deterministic]).

plain(Term) when is_pid(Term) -> {?MODULE, pid};
plain(Term) when is_reference(Term) -> {?MODULE, reference};
plain(Term) when is_port(Term) -> {?MODULE, port};
plain(Term) when is_function(Term) -> {?MODULE, function, erlang:fun_info(Term, arity)};
plain(Term) when is_tuple(Term) -> list_to_tuple(plain(tuple_to_list(Term)));
plain(Term) when is_map(Term) -> maps:from_list(plain(maps:to_list(Term)));
%% A stacktrace inside of a value goes on to who made the call.
plain([{cuter_replay, call, 3, _} | _]) -> [];
plain([Head | Tail]) -> [plain(Head) | plain(Tail)];
plain(Term) -> Term.

is_handy(Value) ->
    not (is_atom(Value) orelse is_number(Value)) andalso erts_debug:flat_size(Value) < ?LARGEST.

%% What is wrong with an exploration of a function: it ends with a report or a sentence, the BEAM
%% agrees, no run leaves its path, nothing stays behind, and a second one finds the same.
-spec explored(mfa(), options()) -> [finding()].
explored(Mfa, Options) ->
    Before = left(),
    try exploration(Mfa, Options) of
        #{} = Report -> stayed(Before) ++ reported(Report) ++ repeated(Mfa, Report, Options);
        {error, Reason} -> stayed(Before) ++ sentence(Reason)
    catch
        Class:Reason:Stacktrace -> [{crashed, {Class, Reason, Stacktrace}}]
    end.

exploration({Module, Name, Arity}, #{time := Time}) ->
    Options = #{quiet => true, time_limit => Time, workers => 1, max_runs => 200},
    Input = cuter_first_input:choose({Module, Name, Arity}, [], #{}),
    cuter:run(Module, Name, Input, Options).

sentence(Reason) ->
    try unicode:characters_to_binary(cuter:format_error(Reason)) of
        Text when is_binary(Text) -> [{refused, Text}]
    catch
        Class:Raised -> [{no_sentence, {Reason, Class, Raised}}]
    end.

reported(Report) ->
    [
        {What, Found}
     || What <- [divergences, disagreements],
        Found <- [maps:get(What, Report)],
        Found =/= 0,
        Found =/= []
    ].

%% An exploration that was not cut off by time is the same each time.
repeated(Mfa, #{verdict := Verdict} = Report, Options) ->
    case Verdict =/= {limit, time} andalso exploration(Mfa, Options) of
        #{verdict := {limit, time}} -> [];
        #{} = Second -> unequal(Report, Second);
        false -> []
    end.

unequal(First, Second) ->
    [
        {{not_repeated, What}, {A, B}}
     || What <- [verdict, runs, failures],
        A <- [summary(What, First)],
        B <- [summary(What, Second)],
        plain(A) =/= plain(B)
    ].

summary(failures, #{failures := Failures}) ->
    [{Input, Reason} || #{input := Input, reason := Reason} <- Failures];
summary(What, Report) ->
    maps:get(What, Report).

left() ->
    {processes(), ets:all(), erlang:ports(), registered()}.

%% Processes may need a moment to end.
stayed(Before) ->
    stayed(Before, 10).

stayed(Before, Times) ->
    {Processes, Tables, Ports, Names} = Before,
    {Processes1, Tables1, Ports1, Names1} = left(),
    New = {Processes1 -- Processes, Tables1 -- Tables, Ports1 -- Ports, Names1 -- Names},
    case New of
        {[], [], [], []} ->
            [];
        _ when Times > 0 ->
            timer:sleep(50),
            stayed(Before, Times - 1);
        {Pids, Left, _, _} ->
            Calls = [{Pid, process_info(Pid, [initial_call, current_function])} || Pid <- Pids],
            [{left_behind, {New, Calls, [{T, ets:info(T, name)} || T <- Left]}}]
    end.
