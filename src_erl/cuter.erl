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

-export_type([error/0]).

-type error() :: {error, {module(), term()}}.
-type description() ::
    {not_names, term(), term()}
    | {arguments_not_a_list, term()}
    | {not_exported, module(), atom(), arity()}
    | {wrong_arity, module(), atom(), arity(), [arity()]}
    | {report_not_written, file:filename_all(), file:posix() | badarg | terminated | system_limit}
    | {stopped, term()}.

%% Explores several functions, as many at once as there are workers.
-spec run([{module(), atom(), [term()] | arity()}], cuter_options:given()) ->
    [cuter_report:report() | error()].
run(Targets, Options) when is_list(Targets) ->
    cuter_several:run(Targets, Options).

-spec run(module(), atom(), [term()] | arity()) -> cuter_report:report() | error().
run(Module, Function, Args) ->
    run(Module, Function, Args, #{}).

%% Explores a function, starting from these arguments, or from as many simple ones.
-spec run(module(), atom(), [term()] | arity(), cuter_options:given()) ->
    cuter_report:report() | error().
run(Module, Function, Arity, Options) when is_integer(Arity), Arity >= 0, Arity =< 255 ->
    run(Module, Function, lists:duplicate(Arity, []), Options);
run(Module, Function, Args, Options) ->
    Result =
        case prepare(Module, Function, Args, Options) of
            {ok, Checked} -> explore({Module, Function, length(Args)}, Args, Checked);
            {error, _} = Error -> Error
        end,
    announce(Result, cuter_options:is_quiet(Options)).

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

-spec check(module(), atom(), [term()] | arity()) -> cuter_report:report() | error().
check(Module, Function, Input) ->
    check(Module, Function, Input, #{}).

%% Explores a property: returning `false` is a failure too.
-spec check(module(), atom(), [term()] | arity(), cuter_options:given()) ->
    cuter_report:report() | error().
check(Module, Function, Input, Options) ->
    cuter_check:run({Module, Function}, Input, Options).

-spec diff(cuter_diff:function_name(), cuter_diff:function_name(), [term()] | arity()) ->
    cuter_diff:report() | error().
diff(First, Second, Input) ->
    diff(First, Second, Input, #{}).

%% Looks for inputs for which two functions differ in their result or exception.
-spec diff(
    cuter_diff:function_name(),
    cuter_diff:function_name(),
    [term()] | arity(),
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
format_error({not_names, Module, Function}) ->
    io_lib:format("A function is named by two atoms, not by ~tp and ~tp.", [Module, Function]);
format_error({arguments_not_a_list, Args}) ->
    io_lib:format("The arguments must be a list, with one element for each, not ~tp.", [Args]);
format_error({not_exported, Module, Function, Arity}) ->
    io_lib:format(
        "Function ~tp:~tp/~b is not exported; export it to explore it.", [Module, Function, Arity]
    );
format_error({wrong_arity, Module, Function, Given, Arities}) ->
    io_lib:format(
        "Function ~tp:~tp takes ~ts, not ~b; give one list element for each argument.",
        [Module, Function, argument_counts(Arities), Given]
    );
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

prepare(Module, Function, Args, Options) ->
    Checks = [
        fun() -> check_names(Module, Function) end,
        fun() -> check_args(Args) end,
        fun() -> check_exists(Module) end,
        fun() -> check_exported(Module, Function, Args) end,
        fun() -> check_code(Module) end,
        fun cuter_nif:loaded/0
    ],
    case cuter_options:parse(Options) of
        {ok, Checked} -> first_error(Checks, Checked);
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

check_args(Args) ->
    try length(Args) of
        _ -> ok
    catch
        error:badarg -> failed({arguments_not_a_list, Args})
    end.

check_exists(Module) ->
    case code:ensure_loaded(Module) of
        {module, Module} -> ok;
        {error, _} -> {error, {cuter_core, {no_such_module, Module}}}
    end.

check_exported(Module, Function, Args) ->
    Arity = length(Args),
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

explore(Mfa, Args, Options) ->
    Seeds = [Args | maps:get(seeds, Options, []) -- [Args]],
    Request = #{mfa => Mfa, seeds => Seeds, options => cuter_options:engine(Options)},
    case cuter_host:explore(maps:merge(Request, maps:with([watcher], Options))) of
        {ok, Found} -> save(report(Mfa, Found), Options);
        {error, _} = Error -> Error
    end.

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
