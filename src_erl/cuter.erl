%% cuter, a concolic unit tester for Erlang.
%%
%%     cuter:run(my_module, my_function, [Arg1, Arg2]).
%%
%% runs the function with these arguments, then with others that take every other path, prints what
%% it found and returns it as a map. Whatever the user got wrong comes back as
%% `{error, {Module, Description}}`; `format_error/1` makes a sentence of it.
-module(cuter).

-export([run/2, run/3, run/4, eval/3, eval/4, format_error/1]).
-export([check/3, check/4, diff/3, diff/4, cancel/1, progress/1, help/0]).
-export([init/1]).

-export_type([error/0, input/0]).

-type error() :: {error, {module(), term()}}.
%% First arguments, or only how many there are.
-type input() :: [term()] | arity().
-type description() ::
    {not_names, term(), term()}
    | {arguments_not_a_list, term()}
    | {inputs_of_other_arity, arity(), [term()]}
    | {died, term()}
    | {not_started, time | stopped}
    | {not_two_functions, term(), term()}
    | {not_exported, module(), atom(), arity()}
    | {wrong_arity, module(), atom(), arity(), [arity()]}
    | {not_a_target, term()}
    | {report_not_written, file:filename_all(), file:posix() | badarg | terminated | system_limit}
    | {stopped, term()}.

%% Explores several functions, as many at once as there are workers. Results are in the order of the
%% functions; each is printed when it is there.
-spec run([{module(), atom(), input()}], cuter_options:given()) ->
    [cuter_report:report() | error()].
run(Targets, Options) when is_list(Targets) ->
    Quiet = cuter_options:is_quiet(Options),
    case cuter_options:parse(Options) of
        {ok, Checked} -> run_all(Targets, Checked, Quiet);
        {error, _} = Error -> [announce(Error, Quiet) || _ <- Targets]
    end.

run_all(Targets, Options, Quiet) ->
    Jobs = [job(Target, Options) || Target <- Targets],
    Notify = fun
        ({ended, _Name, Result}) -> announce(result(Result), Quiet);
        (_) -> ok
    end,
    Settings = maps:merge(#{notify => Notify}, settings(Options)),
    [result(Result) || Result <- cuter_batch:run(Jobs, Settings)].

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
        work => fun(Given) -> run_target(Target, maps:merge(Options#{quiet => true}, Given)) end
    }.

run_target({Module, Function, Input}, Options) ->
    run(Module, Function, Input, Options);
run_target(Other, _Options) ->
    failed({not_a_target, Other}).

result({done, Result}) -> Result;
result({died, Reason}) -> failed({died, Reason});
result({not_started, Why}) -> failed({not_started, Why}).

-spec run(module(), atom(), input()) -> cuter_report:report() | error().
run(Module, Function, Input) ->
    run(Module, Function, Input, #{}).

%% Explores a function, starting from these arguments, or from its arity alone.
-spec run(module(), atom(), input(), cuter_options:given()) -> cuter_report:report() | error().
run(Module, Function, Input, Options) ->
    Result =
        case prepare(Module, Function, Input, Options) of
            {ok, Checked} -> explore({Module, Function, arity(Input)}, Input, Checked);
            {error, _} = Error -> Error
        end,
    announce(Result, cuter_options:is_quiet(Options)).

-spec check(module(), atom(), input()) -> cuter_report:report() | error().
check(Module, Function, Input) ->
    check(Module, Function, Input, #{}).

%% Explores a property: returning `false` is a failure too.
-spec check(module(), atom(), input(), cuter_options:given()) -> cuter_report:report() | error().
check(Module, Function, Input, Options) ->
    Result =
        case prepare(Module, Function, Input, Options) of
            {ok, Checked} ->
                Report = cuter_check:explore(
                    {Module, Function, arity(Input)}, Input, maps:without([report], Checked)
                ),
                save(Report, Checked);
            {error, _} = Error ->
                Error
        end,
    announce(Result, cuter_options:is_quiet(Options)).

-spec diff({module(), atom()}, {module(), atom()}, input()) -> cuter_diff:report() | error().
diff(First, Second, Input) ->
    diff(First, Second, Input, #{}).

%% Looks for inputs for which two functions differ in their result or exception.
-spec diff({module(), atom()}, {module(), atom()}, input(), cuter_options:given()) ->
    cuter_diff:report() | error().
diff(First, Second, Input, Options) ->
    Quiet = cuter_options:is_quiet(Options),
    case prepare_diff(First, Second, Input, Options) of
        {ok, Checked} -> announce_diff(cuter_diff:explore(First, Second, Input, Checked), Quiet);
        {error, _} = Error -> announce(Error, Quiet)
    end.

prepare_diff({M1, F1}, {M2, F2}, Input, Options) ->
    case prepare(M1, F1, Input, Options) of
        {ok, _} -> prepare(M2, F2, Input, Options);
        {error, _} = Error -> Error
    end;
prepare_diff(First, Second, _Input, _Options) ->
    failed({not_two_functions, First, Second}).

announce_diff({error, _} = Error, Quiet) ->
    announce(Error, Quiet);
announce_diff(Report, true) ->
    Report;
announce_diff(#{functions := {First, Second}} = Report, false) ->
    Names = {function_name(First), function_name(Second)},
    io:put_chars(["cuter: ", element(1, Names), " and ", element(2, Names), "\n"]),
    io:put_chars(cuter_diff:text(Report, Names)),
    Report.

function_name({Module, Function}) ->
    io_lib:format("~tp:~tp", [Module, Function]).

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

-spec eval(module(), atom(), [term()]) ->
    {ok, term()} | {raised, error | exit | throw, term(), list()} | error().
eval(Module, Function, Args) ->
    eval(Module, Function, Args, #{}).

%% Interprets one call; nothing is explored.
-spec eval(module(), atom(), [term()], cuter_options:given()) ->
    {ok, term()} | {raised, error | exit | throw, term(), list()} | error().
eval(Module, Function, Args, Options) ->
    case prepare(Module, Function, Args, Options) of
        {ok, Checked} -> interpret({Module, Function, length(Args)}, Args, Checked);
        {error, _} = Error -> Error
    end.

%% Called by rebar3, for which this application is a plugin.
-spec init(term()) -> {ok, term()}.
init(State) ->
    rebar3_cuter:init(State).

%% A sentence for the reason of an error, with or without the name of the module that gave it.
-spec format_error({module(), term()} | description()) -> iolist().
format_error({not_names, Module, Function}) ->
    io_lib:format("A function is named by two atoms, not by ~tp and ~tp.", [Module, Function]);
format_error({arguments_not_a_list, Args}) ->
    io_lib:format("The arguments must be a list, with one element for each, not ~tp.", [Args]);
format_error({inputs_of_other_arity, Arity, Args}) ->
    io_lib:format(
        "Option inputs has ~tp, which is no list of ~b arguments.", [Args, Arity]
    );
format_error({not_two_functions, First, Second}) ->
    io_lib:format(
        "Two functions are compared as {Module, Function} and {Module, Function}, not ~tp and ~tp.",
        [First, Second]
    );
format_error({not_started, time}) ->
    "The time for all functions was over before this one could start; raise total_time.";
format_error({not_started, stopped}) ->
    "The user stopped before this function could start.";
format_error({died, Reason}) ->
    io_lib:format("The exploration died of ~tp; please report it as a defect.", [Reason]);
format_error({not_exported, Module, Function, Arity}) ->
    io_lib:format(
        "Function ~tp:~tp/~b is not exported; export it to explore it.", [Module, Function, Arity]
    );
format_error({wrong_arity, Module, Function, Given, Arities}) ->
    io_lib:format(
        "Function ~tp:~tp takes ~ts, not ~b; give one list element for each argument.",
        [Module, Function, argument_counts(Arities), Given]
    );
format_error({not_a_target, Term}) ->
    io_lib:format("~tp is not {Module, Function, Arguments}.", [Term]);
format_error({report_not_written, File, Reason}) ->
    io_lib:format(
        "The report cannot be written to ~ts: ~ts.", [File, file:format_error(Reason)]
    );
format_error({stopped, Why}) ->
    io_lib:format("The interpreted run did not end by itself: ~tp.", [Why]);
format_error({Module, Description}) when is_atom(Module) ->
    Module:format_error(Description).

argument_counts([1]) ->
    "1 argument";
argument_counts(Arities) ->
    [lists:join(" or ", [integer_to_list(Arity) || Arity <- Arities]), " arguments"].

%%% Checks before the engine starts

prepare(Module, Function, Input, Options) ->
    Checks = [
        fun() -> check_names(Module, Function) end,
        fun() -> check_input(Input) end,
        fun() -> check_exists(Module) end,
        fun() -> check_exported(Module, Function, arity(Input)) end,
        fun() -> check_code(Module) end,
        fun cuter_nif:loaded/0
    ],
    case cuter_options:parse(Options) of
        {ok, Checked} ->
            Inputs = maps:get(inputs, Checked, []),
            first_error(Checks ++ [fun() -> check_inputs(Inputs, arity(Input)) end], Checked);
        {error, _} = Error -> Error
    end.

first_error([], Options) ->
    {ok, Options};
first_error([Check | Checks], Options) ->
    case Check() of
        ok -> first_error(Checks, Options);
        {error, _} = Error -> Error
    end.

check_names(Module, Function) when is_atom(Module), is_atom(Function) -> ok;
check_names(Module, Function) -> failed({not_names, Module, Function}).

check_input(Arity) when is_integer(Arity), Arity >= 0, Arity =< 255 ->
    ok;
check_input(Args) ->
    try length(Args) of
        _ -> ok
    catch
        error:badarg -> failed({arguments_not_a_list, Args})
    end.

arity(Args) when is_list(Args) -> length(Args);
arity(Arity) -> Arity.

check_inputs(Inputs, Arity) ->
    case [Args || Args <- Inputs, length(Args) =/= Arity] of
        [] -> ok;
        [Args | _] -> failed({inputs_of_other_arity, Arity, Args})
    end.

check_exists(Module) ->
    case code:ensure_loaded(Module) of
        {module, Module} -> ok;
        {error, _} -> {error, {cuter_core, {no_such_module, Module}}}
    end.

check_exported(Module, Function, Arity) ->
    Arities = [A || {F, A} <- Module:module_info(exports), F =:= Function],
    case {lists:member(Arity, Arities), Arities} of
        {true, _} -> ok;
        {false, []} -> failed({not_exported, Module, Function, Arity});
        {false, _} -> failed({wrong_arity, Module, Function, Arity, lists:sort(Arities)})
    end.

check_code(Module) ->
    case cuter_core:explain(Module) of
        {ok, _} -> ok;
        {error, _} = Error -> Error
    end.

failed(Description) ->
    {error, {?MODULE, Description}}.

%%% Exploring

explore(Mfa, Input, Options) ->
    Request = #{
        mfa => Mfa,
        seeds => maps:get(inputs, Options, []) ++ seeds(Input),
        options => cuter_options:engine(Options)
    },
    case cuter_host:explore(maps:merge(Request, maps:with([watcher], Options))) of
        {ok, Found} -> save((report(Mfa, Found))#{depth => depth(Options)}, Options);
        {error, _} = Error -> Error
    end.

depth(Options) ->
    maps:get(depth, Options, cuter_options:default(depth)).

seeds(Args) when is_list(Args) -> [Args];
seeds(Arity) -> cuter_seeds:defaults(Arity).

report({Module, Function, _} = Mfa, #{failures := Found, statistics := Statistics} = All) ->
    Judged = [{F, cuter_replay:confirm({Module, Function}, F)} || F <- Found],
    Failures = [confirmed(F, Native) || {F, {confirmed, Native}} <- Judged],
    cuter_report:new(Statistics, #{
        mfa => Mfa,
        modules => maps:get(modules, All, []),
        failures => cuter_shrink:failures(Mfa, cuter_failures:distinct(Mfa, Failures)),
        disagreements => [refuted(F, Native) || {F, {disagreement, Native}} <- Judged]
    }).

confirmed(#{input := Input} = Failure, Native) ->
    Native#{input => Input, original => maps:get(original, Failure, Input)}.

refuted(Failure, Native) ->
    (maps:with([input, class, reason], Failure))#{native => Native}.

save({error, _} = Error, _Options) ->
    Error;
save(Report, #{report := File}) ->
    Text = unicode:characters_to_binary(cuter_report:text(Report)),
    case file:write_file(File, Text, [append]) of
        ok -> Report;
        {error, Reason} -> failed({report_not_written, File, Reason})
    end;
save(Report, #{}) ->
    Report.

interpret(Mfa, Args, Options) ->
    Request = #{mfa => Mfa, args => Args, options => cuter_options:engine(Options)},
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
