%% Holds an exploration against the BEAM: what the engine says about a function must be so.
%%
%% Every run takes the path that its input was solved for; every run ends as the native call does;
%% every failure happens natively; and when all paths are said to be explored, no other input ends
%% in a place where none of them ended.
-module(cuter_soundness).

-export([problems/4, problems/5]).

-type problem() :: {Kind :: atom(), Details :: term()}.

-define(OPTIONS, #{
    quiet => true,
    trace => true,
    workers => 1,
    max_runs => 60,
    time_limit => 1500,
    solver_timeout => 500
}).

%% What is wrong with the exploration of a function from a seed, given other inputs to try.
-spec problems(mfa(), [term()] | arity(), [[term()]], term()) -> {[problem()], Verdict :: term()}.
problems(Mfa, Seed, Inputs, Key) ->
    problems(Mfa, Seed, Inputs, Key, #{}).

-spec problems(mfa(), [term()] | arity(), [[term()]], term(), map()) ->
    {[problem()], Verdict :: term()}.
problems({Module, Function, _} = Mfa, Seed, Inputs, Key, Options) ->
    Report = cuter:run(Module, Function, Seed, maps:merge(?OPTIONS, Options)),
    #{verdict := Verdict, paths := Paths} = Report,
    Problems =
        astray(Report) ++ listed(disagreements, Report) ++ unsupported(Report) ++
            endings(Mfa, Paths) ++ unconfirmed(Mfa, Report) ++
            missed(Verdict, Mfa, Report, permitted(Mfa, Seed, Inputs ++ changed(Paths, Key))),
    {Problems, Verdict}.

%% Only calls without symbolic meaning, which are named, can lead runs astray.
astray(#{divergences := 0}) -> [];
astray(#{divergences := N, concretised := Named, host_calls := Calls}) when
    map_size(Named) + map_size(Calls) =:= 0
->
    [{divergences, N}];
astray(#{}) -> [].

listed(Key, Report) ->
    [{Key, Found} || [_ | _] = Found <- [maps:get(Key, Report)]].

unsupported(#{unsupported := Named}) ->
    [{unsupported, Named} || map_size(Named) > 0].

%% Runs that did not end as their native call does. The order of two funs is left open by the VM.
endings(Mfa, Paths) ->
    [
        {ending, {Input, Outcome, Native}}
     || #{input := Input, outcome := Outcome} <- Paths,
        length([Fun || Fun <- Input, is_function(Fun)]) < 2,
        Native <- [native(Mfa, Input)],
        not is_ending(Outcome, Native)
    ].

is_ending({returned, Ours}, {ok, Native}) ->
    cuter_replay:same_reason(Ours, Native);
is_ending({raised, Class, Reason}, Native) ->
    is_raised(Class, Reason, Native);
is_ending({stopped, _}, _Native) ->
    true;
is_ending(_Outcome, _Native) ->
    false.

unconfirmed(Mfa, #{failures := Failures}) ->
    [
        {unconfirmed, {Failure, Native}}
     || #{input := Input, class := Class, reason := Reason} = Failure <- Failures,
        Native <- [native(Mfa, Input)],
        not is_raised(Class, Reason, Native)
    ].

is_raised(Class, Reason, {raised, Class, Native, _}) -> cuter_replay:same_reason(Reason, Native);
is_raised(_, _, _) -> false.

%% Inputs that end where no path does, though all are said to be explored.
missed(exhausted, Mfa, #{paths := Paths, failures := Failures}, Inputs) ->
    Raised = [cuter_failures:key(Mfa, Failure) || Failure <- Failures],
    Returned = [place(Mfa, native(Mfa, Input)) || #{input := Input} <- Paths],
    Known = maps:from_keys(Raised ++ Returned, true),
    Wrong = [
        {missed, {Input, Native}}
     || Input <- Inputs,
        Native <- [native(Mfa, Input)],
        not is_map_key(place(Mfa, Native), Known)
    ],
    lists:sublist(Wrong, 1);
missed(_Verdict, _Mfa, _Report, _Inputs) ->
    [].

%% Where a call ended. Generated functions return that themselves.
place(_Mfa, {ok, Result}) ->
    {returned, element(1, Result)};
place(Mfa, {raised, Class, Reason, Stacktrace}) ->
    Failure = #{input => [], class => Class, reason => Reason, stacktrace => Stacktrace},
    cuter_failures:key(Mfa, Failure).

%% A function whose seed is to be made of its spec has one.
permitted(Mfa, Arity, Inputs) when is_integer(Arity) ->
    [Input || Input <- Inputs, cuter_spec_checker:is_input(Mfa, Input)];
permitted(_Mfa, _Seed, Inputs) ->
    Inputs.

native({Module, Function, _}, Input) ->
    cuter_replay:native({Module, Function}, Input).

%% The inputs of paths, each with something changed in it.
changed(Paths, Key) ->
    [
        [cuter_value_gen:changed(Arg, {Key, N, I}) || {I, Arg} <- numbered(Input)]
     || {N, #{input := Input}} <- numbered(Paths)
    ].

numbered(List) ->
    lists:zip(lists:seq(1, length(List)), List).
