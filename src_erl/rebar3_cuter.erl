%% `rebar3 cuter`: explores functions of a project.
%%
%% A provider of rebar3, though not declared as that behaviour: rebar3 is no application that the
%% compiler, xref or dialyzer could look into. All use of its modules is in here.
-module(rebar3_cuter).

-export([init/1, do/1, format_error/1]).

-ignore_xref([
    {providers, create, 1},
    {rebar_paths, set_paths, 2},
    {rebar_state, add_provider, 2},
    {rebar_state, command_parsed_args, 1},
    {rebar_state, get, 3}
]).

-type description() ::
    {failures, pos_integer()}
    | {disagreements, pos_integer()}
    | no_targets
    | {no_seed, string()}
    | function_without_module
    | seed_without_function
    | {bad_seed_input, string()}
    | {bad_configuration, term()}
    | {bad_seeds, term()}
    | {bad_function, string()}.

-spec init(term()) -> {ok, term()}.
init(State) ->
    Provider = providers:create([
        {name, cuter},
        {module, ?MODULE},
        {bare, true},
        {deps, [{default, compile}]},
        {example, "rebar3 cuter --module m --function f --seed-input \"[17]\""},
        {short_desc, "Find inputs that crash a function"},
        {desc, description()},
        {opts, command_line()}
    ]),
    {ok, rebar_state:add_provider(State, Provider)}.

description() ->
    "Explores functions with concolic execution and reports the inputs that crash them.\n"
    "Without --function, every function with a seed in rebar.config is explored:\n"
    "  {cuter_opts, [{seeds, [{Module, Function, Arguments}]}, {depth, 50}]}.\n"
    "The exit code is 1 if a failure is found.\n".

command_line() ->
    [
        {module, $m, "module", string, "module to explore"},
        {function, $f, "function", string, "function to explore: name or name/arity"},
        {seed_input, $i, "seed-input", string, "list of first arguments: \"[17]\" for f(17)"},
        {depth, $d, "depth", integer, "number of decisions along a path"},
        {time_limit, $t, "time", integer, "milliseconds a function"},
        {max_runs, undefined, "max-runs", integer, "number of runs a function"},
        {max_steps, undefined, "max-steps", integer, "number of steps a run"},
        {solver_timeout, undefined, "solver-timeout", integer, "milliseconds a solver query"},
        {workers, $w, "workers", integer, "number of threads"},
        {strategy, $s, "strategy", atom, "coverage, bfs, dfs or random"},
        {seed, undefined, "seed", integer, "seed of the random choices"},
        {ignore_specs, undefined, "ignore-specs", boolean, "take no notice of specs"},
        {report, undefined, "report", string, "file to append the report to"}
    ].

-spec do(term()) -> {ok, term()} | {error, {module(), term()}}.
do(State) ->
    {Given, _Rest} = rebar_state:command_parsed_args(State),
    ok = set_paths(State),
    case rebar_state:get(State, cuter_opts, []) of
        Configured when is_list(Configured) -> do(Given, Configured, State);
        Other -> {error, {?MODULE, {bad_configuration, Other}}}
    end.

do(Given, Configured, State) ->
    case targets(Given, proplists:get_value(seeds, Configured, [])) of
        {ok, Targets} -> conclude(explore(Targets, options(Given, Configured)), State);
        {error, Description} -> {error, {?MODULE, Description}}
    end.

-spec format_error(description()) -> iolist().
format_error({failures, 1}) ->
    "cuter found 1 failure.";
format_error({failures, Number}) ->
    io_lib:format("cuter found ~b failures.", [Number]);
format_error({disagreements, Number}) ->
    io_lib:format(
        "cuter disagrees with the BEAM on ~b input(s); please report this as a defect of cuter.",
        [Number]
    );
format_error(no_targets) ->
    "Nothing to explore: give --module, --function and --seed-input, or add {cuter_opts, "
    "[{seeds, [{Module, Function, Arguments}]}]} to rebar.config.";
format_error({no_seed, Function}) ->
    io_lib:format(
        "There is no seed for ~ts: give --seed-input, or add it to the seeds in cuter_opts.",
        [Function]
    );
format_error(function_without_module) ->
    "Option --function needs --module too.";
format_error(seed_without_function) ->
    "Option --seed-input needs --module and --function too.";
format_error({bad_seed_input, Text}) ->
    io_lib:format("--seed-input must be a list of arguments, as \"[17]\", not ~ts.", [Text]);
format_error({bad_configuration, Term}) ->
    io_lib:format("cuter_opts in rebar.config must be a list of options, not ~tp.", [Term]);
format_error({bad_seeds, Seeds}) ->
    io_lib:format(
        "The seeds in cuter_opts must be a list of {Module, Function, Arguments}, not ~tp.", [Seeds]
    );
format_error({bad_function, Text}) ->
    io_lib:format("--function must be a name or name/arity, not ~ts.", [Text]).

%% The project's code and that of its dependencies first, then the plugin itself.
set_paths(State) ->
    _ = rebar_paths:set_paths([deps, plugins], State),
    ok.

%%% What to explore

targets(Given, Seeds) ->
    Wanted = [proplists:get_value(Key, Given) || Key <- [module, function, seed_input]],
    case is_list(Seeds) andalso lists:all(fun is_seed/1, Seeds) of
        true -> choose(Wanted, Seeds);
        false -> {error, {bad_seeds, Seeds}}
    end.

is_seed({Module, Function, Args}) ->
    is_atom(Module) andalso is_atom(Function) andalso is_list(Args);
is_seed(_) ->
    false.

choose([undefined, undefined, undefined], []) ->
    {error, no_targets};
choose([undefined, undefined, undefined], Seeds) ->
    {ok, Seeds};
choose([undefined, undefined, _Input], _Seeds) ->
    {error, seed_without_function};
choose([undefined, _Function, _Input], _Seeds) ->
    {error, function_without_module};
choose([Module, undefined, undefined], Seeds) ->
    seeded(Module, [Seed || {M, _, _} = Seed <- Seeds, M =:= list_to_atom(Module)]);
choose([_Module, undefined, _Input], _Seeds) ->
    {error, seed_without_function};
choose([Module, Function, Input], Seeds) ->
    case parse_function(Function) of
        {ok, Name, Arity} -> choose_one({list_to_atom(Module), Name, Arity}, Input, Seeds);
        error -> {error, {bad_function, Function}}
    end.

choose_one({Module, Name, Arity}, undefined, Seeds) ->
    Matching = [
        Seed
     || {M, F, Args} = Seed <- Seeds, M =:= Module, F =:= Name, takes(Arity, Args)
    ],
    seeded(io_lib:format("~tp:~tp", [Module, Name]), Matching);
choose_one({Module, Name, Arity}, Input, _Seeds) ->
    case parse_input(Input) of
        {ok, Args} -> check_arity({Module, Name, Args}, Arity);
        error -> {error, {bad_seed_input, Input}}
    end.

check_arity({Module, Name, Args} = Target, Arity) ->
    case takes(Arity, Args) of
        true -> {ok, [Target]};
        false -> {error, {no_seed, io_lib:format("~tp:~tp/~b", [Module, Name, Arity])}}
    end.

takes(any, _Args) -> true;
takes(Arity, Args) -> Arity =:= length(Args).

seeded(Name, []) -> {error, {no_seed, Name}};
seeded(_Name, Seeds) -> {ok, Seeds}.

parse_function(Text) ->
    case string:split(Text, "/", trailing) of
        [Name] -> {ok, list_to_atom(Name), any};
        [Name, Arity] -> parse_arity(Name, string:to_integer(Arity))
    end.

parse_arity(Name, {Arity, []}) when Arity >= 0 -> {ok, list_to_atom(Name), Arity};
parse_arity(_Name, _) -> error.

parse_input(Text) ->
    case erl_scan:string(Text ++ ".") of
        {ok, Tokens, _} -> parse_tokens(Tokens);
        {error, _, _} -> error
    end.

parse_tokens(Tokens) ->
    case erl_parse:parse_term(Tokens) of
        {ok, Args} when is_list(Args) -> {ok, Args};
        _ -> error
    end.

%%% Exploring

%% The command line comes before rebar.config.
options(Given, Configured) ->
    Ours = [module, function, seed_input],
    FromCommand = [Option || {Key, _} = Option <- Given, not lists:member(Key, Ours)],
    FromCommand ++ proplists:delete(seeds, Configured).

explore(Targets, Options) ->
    [explore_one(Target, [quiet | Options]) || Target <- Targets].

explore_one({Module, Function, Args}, Options) ->
    case cuter:run(Module, Function, Args, Options) of
        {error, _} = Error ->
            Error;
        Report ->
            io:put_chars([cuter_report:text(Report), "\n"]),
            Report
    end.

conclude(Results, State) ->
    Reports = [Report || Report <- Results, is_map(Report)],
    Errors = [Error || {error, _} = Error <- Results],
    case {Errors, count(failures, Reports), count(disagreements, Reports)} of
        {[Error | _], _, _} -> Error;
        {[], 0, 0} -> {ok, State};
        {[], 0, Number} -> {error, {?MODULE, {disagreements, Number}}};
        {[], Number, _} -> {error, {?MODULE, {failures, Number}}}
    end.

count(Key, Reports) ->
    lists:sum([length(maps:get(Key, Report)) || Report <- Reports]).
