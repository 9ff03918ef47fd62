%% cuter, a concolic unit tester for Erlang.
%%
%%     cuter:run(my_module, my_function, [Arg1, Arg2]).
%%
%% runs the function with these arguments, then with others that take every other path, prints what
%% it found and returns it as a map. With the number of arguments in place of the arguments, the
%% first input is made from the function's spec. Whatever the user got wrong comes back as
%% `{error, {Module, Description}}`; `format_error/1` makes a sentence of it.
-module(cuter).

-export([run/2, run/3, run/4, eval/3, eval/4, generate_tests/2, format_error/1]).
-export([check/3, check/4, diff/3, diff/4, cancel/1, progress/1, help/0]).
-export([init/1]).

-export_type([error/0]).

-type error() :: {error, {module(), term()}}.
-type description() ::
    {report_not_written, file:filename_all(), file:posix() | badarg | terminated | system_limit}
    | {stopped, term()}.

%% Explores several functions, as many at once as there are workers.
-spec run([{module(), atom(), cuter_seeds:given()}], cuter_options:given()) ->
    [cuter_report:report() | error()].
run(Targets, Options) when is_list(Targets) ->
    cuter_several:run(Targets, Options).

-spec run(module(), atom(), cuter_seeds:given()) -> cuter_report:report() | error().
run(Module, Function, Input) ->
    run(Module, Function, Input, #{}).

%% Explores a function, starting from these arguments or seeds, or from the number of arguments.
-spec run(module(), atom(), cuter_seeds:given(), cuter_options:given()) ->
    cuter_report:report() | error().
run(Module, Function, Input, Options) ->
    case cuter_target:to_explore(Module, Function, Input, Options) of
        {ok, #{options := Checked} = Target} ->
            announce(explore(Target), cuter_options:is_quiet(Checked));
        {error, _} = Error ->
            announce(Error, cuter_options:is_quiet(Options))
    end.

-spec eval(module(), atom(), [term()]) ->
    {ok, term()} | {raised, error | exit | throw, term(), list()} | error().
eval(Module, Function, Args) ->
    eval(Module, Function, Args, #{}).

%% Interprets one call; nothing is explored.
-spec eval(module(), atom(), [term()], cuter_options:given()) ->
    {ok, term()} | {raised, error | exit | throw, term(), list()} | error().
eval(Module, Function, Args, Options) ->
    case cuter_target:to_interpret(Module, Function, Args, Options) of
        {ok, Target} -> interpret(Target, Args);
        {error, _} = Error -> Error
    end.

%% Writes what was found as EUnit modules into a directory, one for each module under test.
-spec generate_tests(cuter_report:report() | [cuter_report:report()], file:filename_all()) ->
    {ok, [file:filename_all()]} | error().
generate_tests(Reports, Dir) when is_list(Reports) ->
    cuter_tests:generate(Reports, Dir);
generate_tests(Report, Dir) ->
    cuter_tests:generate([Report], Dir).

-spec check(module(), atom(), cuter_seeds:given()) -> cuter_report:report() | error().
check(Module, Function, Input) ->
    check(Module, Function, Input, #{}).

%% Explores a property: returning `false` is a failure too.
-spec check(module(), atom(), cuter_seeds:given(), cuter_options:given()) ->
    cuter_report:report() | error().
check(Module, Function, Input, Options) ->
    cuter_check:run({Module, Function}, Input, Options).

-spec diff(cuter_diff:function_name(), cuter_diff:function_name(), cuter_seeds:given()) ->
    cuter_diff:report() | error().
diff(First, Second, Input) ->
    diff(First, Second, Input, #{}).

%% Looks for inputs for which two functions differ in their result or exception.
-spec diff(
    cuter_diff:function_name(),
    cuter_diff:function_name(),
    cuter_seeds:given(),
    cuter_options:given()
) -> cuter_diff:report() | error().
diff(First, Second, Input, Options) ->
    cuter_diff:run(First, Second, Input, Options).

%% Ends an exploration that runs with option `watcher`; it returns what it has found so far.
-spec cancel(cuter_host:session()) -> ok.
cancel(Session) ->
    cuter_host:cancel(Session).

%% How far an exploration is that runs with option `watcher`.
-spec progress(cuter_host:session()) -> cuter_nif:progress().
progress(Session) ->
    cuter_host:progress(Session).

%% Prints what can be called from a shell.
-spec help() -> ok.
help() ->
    io:put_chars(cuter_help:shell()).

%% Called by rebar3, for which this application is a plugin.
-spec init(term()) -> {ok, term()}.
init(State) ->
    rebar3_cuter:init(State).

%% A sentence for the reason of an error, with or without the name of the module that gave it.
-spec format_error({module(), term()} | description()) -> iolist().
format_error({report_not_written, File, Reason}) ->
    io_lib:format(
        "The report cannot be written to ~ts: ~ts.", [File, file:format_error(Reason)]
    );
format_error({stopped, halted}) ->
    "The interpreted run ended by a call that would end this VM (halt/0,1,2 or one of init's).";
format_error({stopped, Why}) ->
    io_lib:format("The interpreted run did not end by itself: ~tp.", [Why]);
format_error({Module, Description}) when is_atom(Module) ->
    Module:format_error(Description).

failed(Description) ->
    {error, {?MODULE, Description}}.

%%% Exploring

explore(#{options := Options} = Target) ->
    {Pid, Identifiers} = cuter_identifiers:start(Target),
    try cuter_host:explore(request(Target, Identifiers)) of
        {ok, Found} -> save(with_conditions(report(Target, Found), Target, Identifiers), Options);
        {error, _} = Error -> Error
    after
        cuter_identifiers:stop(Pid)
    end.

%% The condition that the engine gave is that of the input first found; a smaller input may fail on
%% another path, so the runs of smaller inputs are made once more.
with_conditions(#{failures := Failures} = Report, Target, Identifiers) ->
    Smaller = [Input || #{input := Input} = Failure <- Failures, is_renewed(Failure)],
    Conditions = conditions(Smaller, Target, Identifiers),
    Report#{failures := renewed(Failures, 1, Conditions)}.

renewed([Failure | Failures], Run, Conditions) ->
    case is_renewed(Failure) of
        true ->
            Bare = maps:remove(condition, Failure),
            Renewed = maps:merge(Bare, maps:get(Run, Conditions, #{})),
            [Renewed | renewed(Failures, Run + 1, Conditions)];
        false ->
            [Failure | renewed(Failures, Run, Conditions)]
    end;
renewed([], _Run, _Conditions) ->
    [].

is_renewed(#{input := Input, original := Original, condition := _}) -> Input =/= Original;
is_renewed(#{}) -> false.

%% The conditions of these inputs as they have them, by their numbers from 1.
conditions([], _Target, _Identifiers) ->
    #{};
conditions(Inputs, Target, Identifiers) ->
    #{options := Engine} = Request = request(Target#{seeds := Inputs}, Identifiers),
    Once = Engine#{max_runs => length(Inputs), workers => 1},
    case cuter_host:explore((maps:remove(watcher, Request))#{options := Once}) of
        {ok, #{failures := Failures}} ->
            maps:from_list([
                {Run, maps:with([condition], Failure)}
             || #{run := Run} = Failure <- Failures
            ]);
        {error, _} ->
            #{}
    end.

request(#{mfa := Mfa, seeds := Seeds, options := Options} = Target, Identifiers) ->
    Request = #{
        mfa => Mfa,
        seeds => Seeds,
        options => cuter_options:engine(Options),
        identifiers => Identifiers
    },
    Told = [maps:with([signature], Target), maps:with([pre, raises, watcher], Options)],
    lists:foldl(fun maps:merge/2, Request, Told).

report(#{mfa := Mfa, options := Options} = Target, #{statistics := Statistics} = All) ->
    {Failures, Refuted} = cuter_findings:failures(maps:get(failures, All), Target),
    {Returns, Doubted} = cuter_findings:returns(maps:get(outside_spec, All, []), Target),
    {Disagreements, Unconfirmed} = cuter_findings:answered(Refuted ++ Doubted),
    {Expected, Unexpected} = cuter_findings:expected(Failures, Target),
    cuter_report:new(Statistics, (maps:with([pre], Options))#{
        mfa => Mfa,
        modules => maps:get(modules, All, []),
        failures => cuter_findings:shrunk(Unexpected, Target),
        expected => length(Expected),
        raises => maps:get(raises, Options, []),
        disagreements => Disagreements,
        unconfirmed => Unconfirmed,
        returns_outside_spec => Returns,
        widened => maps:get(widened, maps:get(signature, Target, #{}), [])
    }).

save(Report, #{report := File}) ->
    Text = unicode:characters_to_binary(cuter_report:text(Report)),
    case file:write_file(File, Text, [append]) of
        ok -> Report;
        {error, Reason} -> failed({report_not_written, File, Reason})
    end;
save(Report, #{}) ->
    Report.

interpret(#{mfa := Mfa, options := Options}, Args) ->
    Request = #{mfa => Mfa, args => Args, options => cuter_options:one_call(Options)},
    case cuter_host:eval(Request) of
        {ok, {stopped, Why}} -> failed({stopped, Why});
        {ok, Outcome} -> Outcome;
        {error, _} = Error -> Error
    end.

%%% Printing

announce(Result, true) ->
    Result;
announce({error, Reason} = Error, false) ->
    io:put_chars(["cuter: ", format_error(Reason), "\n"]),
    Error;
announce(Report, false) ->
    io:put_chars(cuter_report:text(Report)),
    Report.
