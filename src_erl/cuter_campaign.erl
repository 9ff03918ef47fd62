%% Explores many functions of a project with the memory of earlier runs.
%%
%% A function whose code and options are those of an earlier exploration is not explored again: its
%% known failures are run natively, and its earlier verdict stands. Any other function is explored,
%% starting from the inputs that were kept. What was found goes back into the corpus.
-module(cuter_campaign).

-export([run/4]).

-export_type([target/0, result/0]).

-type target() :: {mfa(), Seeds :: [[term()]]}.
%% A report has more keys here: `accepted` holds findings with the reason why they are, `stale`
%% inputs of accepted ones that no longer happen, `fixed` those of others; `remembered` is true if
%% it was not explored again.
-type result() :: {ok, map()} | {error, mfa(), {module(), term()}}.
-type watch() :: #{
    notify := fun((cuter_batch:event()) -> term()), stop := fun(() -> boolean())
}.

%% Explores the functions; gives the results in their order and the corpus as it is then.
-spec run([target()], cuter_cli:plan(), cuter_corpus:corpus(), watch()) ->
    {[result()], cuter_corpus:corpus()}.
run(Targets, Plan, Corpus, Watch) ->
    Jobs = [job(Target, Plan, Corpus) || Target <- Targets],
    Settings = maps:merge(Watch, settings(Plan)),
    Batch = cuter_batch:run(Jobs, Settings),
    Results = [
        result(Mfa, Result) || {{Mfa, _}, Result} <- lists:zip(Targets, Batch)
    ],
    {Results, lists:foldl(fun(R, C) -> remember(R, Plan, C) end, Corpus, Results)}.

settings(#{total_time := Total, options := Options}) ->
    case Options of
        #{workers := Workers} -> #{total_time => Total, cores => Workers};
        #{} -> #{total_time => Total}
    end.

job({Mfa, Seeds}, #{options := Options} = Plan, Corpus) ->
    #{
        name => Mfa,
        time => time(maps:merge(Options, attributes(Mfa))),
        work => fun(Given) -> explore({Mfa, Seeds}, Plan, Corpus, Given) end
    }.

time(Options) ->
    maps:get(time_limit, Options, cuter_options:default(time_limit)).

result(_Mfa, {done, {ok, Report}}) -> {ok, Report};
result(Mfa, {done, {error, Reason}}) -> {error, Mfa, Reason};
result(Mfa, {died, Reason}) -> {error, Mfa, {cuter_several, {died, Reason}}};
result(Mfa, {not_started, Why}) -> {error, Mfa, {cuter_several, {not_started, Why}}}.

%%% One function

explore({Mfa, Seeds} = Target, #{again := Again, options := Options} = Plan, Corpus, Given) ->
    Known = [Summary || not Again, Summary <- cuter_corpus:explored(Mfa, Corpus)],
    case cuter_fingerprint:find(Known, Plan, Seeds) of
        {ok, Summary} ->
            Report = recalled(Mfa, Options, Summary, Corpus),
            {ok, cuter_known:judge(Report, Mfa, Options, Corpus)};
        _ -> explore_anew(Target, Plan, Corpus, Given)
    end.

explore_anew({{Module, Function, _} = Mfa, Seeds}, #{options := Planned}, Corpus, Given) ->
    Options = maps:merge(Planned, attributes(Mfa)),
    Input = cuter_first_input:choose(Mfa, Seeds, Options),
    Inputs = cuter_corpus:inputs(Mfa, Corpus),
    Limited = maps:get(time_limit, Given) < time(Options),
    Own = maps:get(seeds, Options, []),
    All = maps:merge(Options#{seeds => Inputs ++ Own, quiet => true}, Given),
    case cuter:run(Module, Function, Input, All) of
        {error, Reason} ->
            {error, Reason};
        Report ->
            Kept = Report#{seeds => Seeds, shortened => Limited, options => shown(All)},
            {ok, cuter_known:judge(Kept, Mfa, Options, Corpus)}
    end.

%% What the module itself says about its function comes before the command line. An attribute that
%% is wrong is reported by `cuter:run/4`.
attributes(Mfa) ->
    case cuter_attributes:of_function(Mfa) of
        {ok, Options} -> Options;
        {error, _} -> #{}
    end.

%% What a reader of the report wants to know of the options.
shown(Options) ->
    #{depth => maps:get(depth, Options, cuter_options:default(depth))}.

%% The report of an earlier exploration, with its findings as they are now.
recalled(Mfa, Options, #{verdict := Verdict, clauses := Clauses, runs := Runs} = Summary, Corpus) ->
    Found = cuter_known:recall(Mfa, Options, Corpus),
    cuter_report:new(#{}, Found#{
        mfa => Mfa,
        verdict => Verdict,
        coverage => #{clauses => Clauses, uncovered => []},
        runs => Runs,
        remembered => true,
        options => shown(Options),
        summary => Summary
    }).

%%% Memory

remember({error, _, _}, _Plan, Corpus) ->
    Corpus;
remember({ok, #{mfa := Mfa} = Report}, Plan, Corpus) ->
    Before = maps:get(Mfa, Corpus, []),
    Failing = [Args || #{input := Args} <- maps:get(failures, Report)],
    Outside = [Args || #{input := Args} <- maps:get(returns_outside_spec, Report)],
    Accepted = [Entry || {accepted, _, _} = Entry <- Before],
    Inputs = [{input, Args} || #{input := Args} <- maps:get(fixed, Report)],
    Known = Failing ++ Outside ++ [Args || {accepted, Args, _} <- Accepted],
    Entries =
        [{failure, Args} || Args <- Failing] ++
            [{outside_spec, Args} || Args <- Outside] ++
            Accepted ++
            [Entry || {input, Args} = Entry <- Inputs ++ covering(Report, Before),
                not lists:member(Args, Known)] ++
            explored(Report, Plan, Before),
    accept(Mfa, Plan, cuter_corpus:update(Mfa, Entries, Corpus)).

accept(_Mfa, #{accept := none}, Corpus) -> Corpus;
accept(Mfa, #{accept := Reason}, Corpus) -> cuter_corpus:accept(Mfa, Reason, Corpus).

%% Inputs that cover all that was covered, if the engine tells; else those from before.
covering(#{inputs := [_ | _] = Inputs} = Report, _Before) ->
    Smallest = lists:sort(fun(A, B) -> weight(A) =< weight(B) end, Inputs),
    Chosen = cuter_minimal:choose(Smallest, fun(#{clauses := Clauses}) -> Clauses end),
    [{input, Args} || #{input := Args} <- cuter_smaller:inputs(Report, Chosen)];
covering(_Report, Before) ->
    [Entry || {input, _} = Entry <- Before].

weight(#{input := Args}) ->
    {erlang:external_size(Args), Args}.

%% An exploration that was cut short by others, not by its own limits, is not complete.
%% Disagreements are reported until there is none.
explored(#{remembered := true}, _Plan, Before) ->
    [Entry || {explored, _} = Entry <- Before];
explored(#{verdict := {limit, cancelled}}, _Plan, _Before) ->
    [];
explored(#{verdict := {limit, time}, shortened := true}, _Plan, _Before) ->
    [];
explored(#{disagreements := [_ | _]}, _Plan, _Before) ->
    [];
explored(Report, Plan, _Before) ->
    [{explored, cuter_fingerprint:summary(Report, Plan)}].
