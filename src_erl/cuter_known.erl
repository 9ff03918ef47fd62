%% What earlier runs knew of a function, as it is now: their inputs are called natively.
%%
%% An input has a problem if its call raises, or returns what the spec does not allow. Failures are
%% the same if place and kind are (`cuter_failures`), returns outside the spec if their inputs are.
-module(cuter_known).

-export([recall/3, judge/4]).

-type args() :: [term()].
-type problem() :: {raised, cuter_failures:failure()} | {outside_spec, term()} | none.

%% The failures and returns outside the spec that earlier runs have found and that still happen.
-spec recall(mfa(), cuter_options:given(), cuter_corpus:corpus()) -> #{atom() => [map()]}.
recall(Mfa, Options, Corpus) ->
    Signature = signature(Mfa, Options),
    Known = known(Mfa, Corpus) ++ [Args || {Args, _} <- cuter_corpus:accepted(Mfa, Corpus)],
    Problems = [{Args, problem(Mfa, Args, Signature)} || Args <- Known],
    #{
        failures => [Failure || {_, {raised, Failure}} <- Problems],
        returns_outside_spec => [
            #{input => Args, result => Result}
         || {Args, {outside_spec, Result}} <- Problems
        ]
    }.

known(Mfa, Corpus) ->
    cuter_corpus:failures(Mfa, Corpus) ++ cuter_corpus:outside_spec(Mfa, Corpus).

%% Tells what was accepted from what was not, and what no longer happens.
-spec judge(map(), mfa(), cuter_options:given(), cuter_corpus:corpus()) -> map().
judge(#{failures := Failures, returns_outside_spec := Returns} = Report, Mfa, Options, Corpus) ->
    Signature = signature(Mfa, Options),
    Accepted = [
        {Args, Reason, problem(Mfa, Args, Signature)}
     || {Args, Reason} <- cuter_corpus:accepted(Mfa, Corpus)
    ],
    Reasons = maps:from_list([
        {key(Mfa, Args, Problem), Reason}
     || {Args, Reason, Problem} <- Accepted, Problem =/= none
    ]),
    Reason = fun(#{input := Args} = Found) ->
        maps:find(key(Mfa, Args, as_problem(Found)), Reasons)
    end,
    Judged = [{Found, Reason(Found)} || Found <- Failures ++ Returns],
    Report#{
        failures := [F || {#{class := _} = F, error} <- Judged],
        returns_outside_spec := [F || {#{result := _} = F, error} <- Judged],
        accepted => [Found#{accepted => Why} || {Found, {ok, Why}} <- Judged],
        stale => [#{input => Args, accepted => Why} || {Args, Why, none} <- Accepted],
        fixed => [
            #{input => Args}
         || Args <- known(Mfa, Corpus), problem(Mfa, Args, Signature) =:= none
        ]
    }.

as_problem(#{class := _} = Failure) -> {raised, Failure};
as_problem(#{result := Result}) -> {outside_spec, Result}.

key(Mfa, _Args, {raised, Failure}) -> cuter_failures:key(Mfa, Failure);
key(_Mfa, Args, {outside_spec, _}) -> {outside_spec, Args}.

signature(_Mfa, #{ignore_specs := true}) ->
    none;
signature({Module, Function, Arity}, _Options) ->
    case cuter_spec:signature(Module, Function, Arity) of
        {ok, Signature} -> Signature;
        _ -> none
    end.

%% What is wrong with a native call with these arguments.
-spec problem(mfa(), args(), cuter_spec:signature() | none) -> problem().
problem({Module, Function, _}, Args, Signature) ->
    case cuter_replay:native({Module, Function}, Args) of
        {raised, Class, Reason, Stacktrace} ->
            {raised, #{
                input => Args,
                original => Args,
                class => Class,
                reason => Reason,
                stacktrace => Stacktrace
            }};
        {ok, Result} when Signature =/= none ->
            outside(cuter_type_check:is_result(Args, Result, Signature), Result);
        _ ->
            none
    end.

outside(true, _Result) -> none;
outside(false, Result) -> {outside_spec, Result}.
