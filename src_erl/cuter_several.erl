%% `cuter:run/2`: several functions, several at once.
-module(cuter_several).

-export([run/2, announce/2, format_error/1]).

-export_type([description/0]).

-type description() :: {not_a_target, term()} | {died, term()} | {not_started, time | stopped}.
-type result() :: cuter_report:report() | cuter:error().

%% Results are in the order of the functions; each is printed when it is there.
-spec run([term()], cuter_options:given()) -> [result()].
run(Targets, Options) ->
    Quiet = cuter_options:is_quiet(Options),
    case cuter_options:parse(Options) of
        {ok, Checked} -> run(Targets, Checked, Quiet);
        {error, _} = Error -> [announce(Error, Quiet) || _ <- Targets]
    end.

run(Targets, Options, Quiet) ->
    Notify = fun
        ({ended, _Name, Result}) -> announce(result(Result), Quiet);
        (_) -> ok
    end,
    Jobs = [job(Target, Options) || Target <- Targets],
    Results = cuter_batch:run(Jobs, (settings(Options))#{notify => Notify}),
    [result(Result) || Result <- Results].

settings(Options) ->
    Total = maps:with([total_time], Options),
    case Options of
        #{workers := Workers} -> Total#{cores => Workers};
        #{} -> Total
    end.

job(Target, Options) ->
    #{
        name => Target,
        time => maps:get(time_limit, Options, cuter_options:default(time_limit)),
        work => fun(Given) -> explore(Target, maps:merge(Options#{quiet => true}, Given)) end
    }.

explore({Module, Function, Input}, Options) ->
    cuter:run(Module, Function, Input, Options);
explore(Other, _Options) ->
    failed({not_a_target, Other}).

result({done, Result}) -> Result;
result({died, Reason}) -> failed({died, Reason});
result({not_started, Why}) -> failed({not_started, Why}).

failed(Description) ->
    {error, {?MODULE, Description}}.

%% Prints a result, unless `Quiet`.
-spec announce(result(), Quiet :: boolean()) -> result().
announce(Result, true) ->
    Result;
announce({error, Reason} = Error, false) ->
    io:put_chars(["cuter: ", cuter:format_error(Reason), "\n"]),
    Error;
announce(Report, false) ->
    io:put_chars(cuter_report:text(Report)),
    Report.

-spec format_error(description()) -> iolist().
format_error({not_a_target, Term}) ->
    io_lib:format("~ts is not {Module, Function, Arguments}.", [cuter_text:given(Term)]);
format_error({not_started, time}) ->
    "The time for all functions was over before this one could start; raise total_time.";
format_error({not_started, stopped}) ->
    "This function was not started, since the user stopped.";
format_error({died, Reason}) ->
    io_lib:format("The exploration died; please report it as a defect: ~0tP", [Reason, 30]).
