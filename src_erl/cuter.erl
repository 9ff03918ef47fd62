%% cuter, a concolic unit tester for Erlang.
%%
%%     cuter:run(my_module, my_function, [Arg1, Arg2]).
%%
%% runs the function with these arguments, then with others that take every other path, prints what
%% it found and returns it as a map. Whatever the user got wrong comes back as
%% `{error, {Module, Description}}`; `format_error/1` makes a sentence of it.
-module(cuter).

-export([run/2, run/3, run/4, eval/3, eval/4, generate_tests/2, format_error/1]).
-export([init/1]).

-export_type([error/0]).

-type error() :: {error, {module(), term()}}.
-type description() ::
    {not_names, term(), term()}
    | {arguments_not_a_list, term()}
    | {not_exported, module(), atom(), arity()}
    | {wrong_arity, module(), atom(), arity(), [arity()]}
    | {not_a_target, term()}
    | {report_not_written, file:filename_all(), file:posix() | badarg | terminated | system_limit}
    | {stopped, term()}.

%% Explores several functions, one after the other.
-spec run([{module(), atom(), [term()]}], cuter_options:given()) ->
    [cuter_report:report() | error()].
run(Targets, Options) when is_list(Targets) ->
    [run_target(Target, Options) || Target <- Targets].

run_target({Module, Function, Args}, Options) ->
    run(Module, Function, Args, Options);
run_target(Other, Options) ->
    announce({error, {?MODULE, {not_a_target, Other}}}, cuter_options:is_quiet(Options)).

-spec run(module(), atom(), [term()]) -> cuter_report:report() | error().
run(Module, Function, Args) ->
    run(Module, Function, Args, #{}).

%% Explores a function, starting from these arguments.
-spec run(module(), atom(), [term()], cuter_options:given()) -> cuter_report:report() | error().
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

%% Writes what was found as EUnit modules into a directory, one for each module under test.
-spec generate_tests(cuter_report:report() | [cuter_report:report()], file:filename_all()) ->
    {ok, [file:filename_all()]} | error().
generate_tests(Reports, Dir) when is_list(Reports) ->
    cuter_tests:generate(Reports, Dir);
generate_tests(Report, Dir) ->
    cuter_tests:generate([Report], Dir).

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
    Request = #{mfa => Mfa, seeds => [Args], options => cuter_options:engine(Options)},
    case cuter_host:explore(Request) of
        {ok, Found} -> save(report(Mfa, Found), Options);
        {error, _} = Error -> Error
    end.

report({Module, Function, _} = Mfa, #{failures := Found, statistics := Statistics}) ->
    Judged = [{F, cuter_replay:confirm({Module, Function}, F)} || F <- Found],
    Failures = [confirmed(F, Native) || {F, {confirmed, Native}} <- Judged],
    cuter_report:new(Statistics, #{
        mfa => Mfa,
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
