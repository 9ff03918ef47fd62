%% The options of an exploration: what they are called and which values they take.
-module(cuter_options).

-export([parse/1, resolve/2, engine/1, one_call/1, default/1, is_quiet/1, format_error/1]).

-export_type([options/0, given/0, description/0]).

-type options() :: #{atom() => term()}.
-type given() :: options() | [{atom(), term()} | atom()].
-type description() ::
    not_options
    | {not_an_option, term()}
    | {unknown_option, atom()}
    | {bad_value, atom(), term()}
    | {seed_arity, term(), arity()}.

-define(STEPS_OF_A_CALL, 1000000000).
-define(TIME_OF_A_CALL, 600000).

%% Makes a map of a map or proplist, with every key and value checked.
-spec parse(given()) -> {ok, options()} | {error, {?MODULE, description()}}.
parse(Given) when is_map(Given) ->
    check(maps:to_list(Given), #{});
parse(Given) when is_list(Given) ->
    %% The first of two equal keys wins, as in proplists.
    case is_proper(Given) of
        true -> check(lists:reverse(Given), #{});
        false -> failed(not_options)
    end;
parse(_Given) ->
    failed(not_options).

%% Options whose meaning depends on the function that they are for, in one form: the precondition as
%% module and name.
-spec resolve(options(), mfa()) ->
    {ok, options()} | {error, {?MODULE, description()} | {module(), term()}}.
resolve(#{pre := Given} = Options, Mfa) ->
    case cuter_precondition:resolve(Given, Mfa) of
        {ok, Predicate} -> resolve_seeds(Options#{pre := Predicate}, Mfa);
        {error, _} = Error -> Error
    end;
resolve(Options, Mfa) ->
    resolve_seeds(Options, Mfa).

resolve_seeds(Options, {_, _, Arity}) ->
    case [Seed || Seed <- maps:get(seeds, Options, []), length(Seed) =/= Arity] of
        [] -> {ok, Options};
        [Seed | _] -> failed({seed_arity, Seed, Arity})
    end.

%% The options that the engine is told about among its other options.
-spec engine(options()) -> options().
engine(Options) ->
    Ours = [quiet, report, ignore_specs, pre, raises, seeds, watcher, total_time],
    native_name(maps:without(Ours, Options)).

%% The same for one call of which nothing is explored: it may take as long as users wait for it.
-spec one_call(options()) -> options().
one_call(Options) ->
    engine(maps:merge(#{max_steps => ?STEPS_OF_A_CALL, time_limit => ?TIME_OF_A_CALL}, Options)).

%% The engine takes names of files as bytes, wherever its own process stands.
native_name(#{smt_dir := Dir} = Options) ->
    Options#{smt_dir := unicode:characters_to_binary(filename:absname(Dir))};
native_name(Options) ->
    Options.

%% What the engine takes where nothing is given.
-spec default(depth | time_limit) -> pos_integer().
default(depth) -> 25;
default(time_limit) -> 30000.

%% Whether nothing is to be printed, even if the other options turn out to be wrong.
-spec is_quiet(term()) -> boolean().
is_quiet(#{quiet := Quiet}) ->
    Quiet =:= true;
is_quiet(Given) ->
    is_list(Given) andalso is_proper(Given) andalso proplists:get_bool(quiet, Given).

-spec format_error(description()) -> iolist().
format_error(not_options) ->
    "The options must be a map or a property list.";
format_error({not_an_option, Term}) ->
    io_lib:format("~ts is not an option; options are pairs of a name and a value.", [
        cuter_text:given(Term)
    ]);
format_error({unknown_option, Key}) ->
    Known = lists:join(", ", [atom_to_list(K) || K <- keys()]),
    io_lib:format("There is no option ~ts; the options are ~ts.", [cuter_text:given(Key), Known]);
format_error({bad_value, Key, Value}) ->
    io_lib:format("Option ~tp cannot be ~ts; it takes ~ts.", [
        Key, cuter_text:given(Value), takes(Key)
    ]);
format_error({seed_arity, Seed, Arity}) ->
    io_lib:format("Seed ~ts must be a list of the arguments, which are ~b.", [
        cuter_text:given(Seed), Arity
    ]).

is_proper(List) ->
    try length(List) of
        _ -> true
    catch
        error:badarg -> false
    end.

check([], Options) ->
    {ok, Options};
check([{Key, Value} | Rest], Options) when is_atom(Key) ->
    case check_option(Key, Value) of
        ok -> check(Rest, Options#{Key => Value});
        Description -> failed(Description)
    end;
check([Key | Rest], Options) when is_atom(Key) ->
    check([{Key, true} | Rest], Options);
check([Term | _], _Options) ->
    failed({not_an_option, Term}).

check_option(Key, Value) ->
    case lists:member(Key, keys()) of
        true -> check_value(Key, Value, is_value(kind(Key), Value));
        false -> {unknown_option, Key}
    end.

check_value(_Key, _Value, true) -> ok;
check_value(Key, Value, false) -> {bad_value, Key, Value}.

failed(Description) ->
    {error, {?MODULE, Description}}.

keys() ->
    [
        depth,
        time_limit,
        max_runs,
        max_steps,
        solver_timeout,
        solver_memory,
        workers,
        strategy,
        seed,
        ignore_specs,
        pre,
        raises,
        seeds,
        concrete,
        report,
        total_time,
        watcher,
        coverage_of,
        trace,
        smt_dir,
        quiet
    ].

kind(strategy) -> strategy;
kind(seed) -> integer;
kind(ignore_specs) -> boolean;
kind(quiet) -> boolean;
kind(trace) -> boolean;
kind(concrete) -> functions;
kind(pre) -> predicate;
kind(raises) -> patterns;
kind(seeds) -> seeds;
kind(report) -> file;
kind(smt_dir) -> directory;
kind(watcher) -> watcher;
kind(coverage_of) -> function;
kind(_Limit) -> positive.

is_value(positive, Value) -> is_integer(Value) andalso Value > 0;
is_value(integer, Value) -> is_integer(Value);
is_value(boolean, Value) -> is_boolean(Value);
is_value(strategy, Value) -> lists:member(Value, [coverage, bfs, dfs, random]);
is_value(functions, Value) -> is_list(Value) andalso lists:all(fun is_function_name/1, Value);
is_value(predicate, Value) -> cuter_precondition:is_predicate(Value);
is_value(patterns, Value) -> is_list(Value) andalso is_proper(Value);
is_value(seeds, Value) -> is_list(Value) andalso is_proper(Value) andalso are_lists(Value);
is_value(watcher, {Pid, _Tag}) -> is_pid(Pid);
is_value(watcher, _Value) -> false;
is_value(function, Value) -> is_tuple(Value) andalso is_function_name(Value);
is_value(directory, Value) -> Value =/= "" andalso is_value(file, Value);
is_value(file, Value) -> is_binary(Value) orelse io_lib:char_list(Value).

are_lists(Values) ->
    lists:all(fun(Value) -> is_list(Value) andalso is_proper(Value) end, Values).

is_function_name({Module, Function, Arity}) ->
    is_atom(Module) andalso is_atom(Function) andalso is_integer(Arity) andalso Arity >= 0;
is_function_name(Module) ->
    is_atom(Module).

takes(Key) ->
    case kind(Key) of
        positive -> "a positive integer";
        integer -> "an integer";
        boolean -> "true or false";
        strategy -> "coverage, bfs, dfs or random";
        functions -> "a list of modules and {Module, Function, Arity}";
        predicate -> "the name of a function of that module, or {Module, Function}";
        patterns -> "a list of reasons and {Class, Reason}, with '_' for anything";
        seeds -> "a list of lists of arguments";
        watcher -> "{Pid, Tag}";
        function -> "{Module, Function, Arity}";
        directory -> "the name of a directory";
        file -> "the name of a file"
    end.
