%% The command line of `rebar3 cuter` and `cuter_opts` in rebar.config, made into one plan.
%%
%% The same options in both places, the command line first. Knows nothing of rebar3.
-module(cuter_cli).

-export([options/1, plan/2, format_error/1]).

-export_type([plan/0, description/0]).

-type report_format() :: html | json | junit.
-type finding() :: failure | disagreement | spec | difference | limit | uncovered | stale | error.
-type plan() :: #{
    apps := [atom()],
    modules := [module()],
    functions := [{atom(), arity() | any}],
    skip := [module() | {module(), atom()} | mfa()],
    all := boolean(),
    %% First arguments, by function.
    seeds := [{module(), atom(), [term()]}],
    seed_input := [term()] | none,
    %% Of `cuter:run/4`.
    options := cuter_options:options(),
    total_time := timeout(),
    corpus := file:filename() | none,
    again := boolean(),
    accept := string() | none,
    against := string() | none,
    cover := boolean(),
    generate_tests := boolean() | file:filename(),
    reports := [{report_format(), file:filename() | default}],
    fail_on := [finding()],
    verbose := boolean(),
    explain := boolean()
}.
-type description() ::
    {bad_configuration, term()}
    | {unknown_option, term()}
    | {bad_value, atom(), term()}
    | {bad_argument, string()}
    | seed_without_function
    | accept_without_corpus.

%% For rebar3's getopt. Whether `--generate-tests` has a value cannot be said there, so the words of
%% the command line are looked at.
-spec options([string()]) -> [tuple()].
options(Words) ->
    [
        {app, undefined, "app", string, "only this application, or several: a,b"},
        {module, $m, "module", string, "only this module, or several: a,b"},
        {function, $f, "function", string, "only functions of this name, or name/arity"},
        {all, $a, "all", undefined, "functions without a spec too"},
        {skip, undefined, "skip", string, "not these: module, module:name or module:name/arity"},
        {seed_input, $i, "seed-input", string, "first arguments, \"[17]\" for f(17)"},
        {depth, $d, "depth", string, "decisions of a path that are all explored [25]"},
        {time, $t, "time", string, "time for a function: 500ms, 30s, 2m, 1h [30s]"},
        {total_time, $T, "total-time", string, "time for all functions, shared fairly [no limit]"},
        {workers, $w, "workers", string, "threads altogether [number of cores]"},
        {strategy, $s, "strategy", string, "coverage, bfs, dfs or random [coverage]"},
        {seed, undefined, "seed", string, "seed of the random choices [1]"},
        {max_runs, undefined, "max-runs", string, "runs of a function [no limit]"},
        {max_steps, undefined, "max-steps", string, "function calls in a run [10000000]"},
        {solver_timeout, undefined, "solver-timeout", string, "time for a question [2s]"},
        {solver_memory, undefined, "solver-memory", string, "megabytes for the solver [2048]"},
        {smt_dir, undefined, "smt-dir", string, "write every question as SMT-LIB into DIR"},
        {ignore_specs, undefined, "ignore-specs", undefined, "take no notice of specs"},
        {cover, $c, "cover", undefined, "write coverage that `rebar3 cover` reads"},
        {generate_tests, $g, "generate-tests", tests_type(Words),
            "write EUnit tests into test/, or into DIR: --generate-tests=DIR, -g=DIR"},
        {report, undefined, "report", string,
            "write a report: html, json or junit; with a file: html:FILE; may be repeated"},
        {verbose, $v, "verbose", undefined, "print a full report for every function"},
        {explain, undefined, "explain", undefined, "say what was not reached or lost, and why"},
        {fail_on, undefined, "fail-on", string,
            "what makes the exit code 1: failure, disagreement, spec, difference, limit, "
            "uncovered, stale, error or none [failure,disagreement,spec,difference]"},
        {corpus, undefined, "corpus", string, "file of kept inputs, or none [test/cuter.corpus]"},
        {again, undefined, "again", undefined, "explore also what did not change"},
        {accept, undefined, "accept", string, "accept the failures found now, for this reason"},
        {against, undefined, "against", string, "look for differences from this git revision"}
    ].

tests_type(Words) ->
    Starts = ["--generate-tests=", "-g="],
    case [Word || Word <- Words, Start <- Starts, lists:prefix(Start, Word)] of
        [_ | _] -> string;
        [] -> undefined
    end.

%% What to do, from the parsed command line and from rebar.config.
-spec plan([{atom(), term()} | atom()], term()) -> {ok, plan()} | {error, {?MODULE, description()}}.
plan(Given, Configured) when is_list(Configured) ->
    try
        File = lists:foldr(fun configured/2, defaults(), proper(Configured)),
        {ok, checked(lists:foldl(fun given/2, clean(Given, File), Given))}
    catch
        throw:Description -> {error, {?MODULE, Description}}
    end;
plan(_Given, Configured) ->
    {error, {?MODULE, {bad_configuration, Configured}}}.

proper(List) ->
    try length(List) of
        _ -> List
    catch
        error:badarg -> throw({bad_configuration, List})
    end.

defaults() ->
    #{
        apps => [],
        modules => [],
        functions => [],
        skip => [],
        all => false,
        seeds => [],
        seed_input => none,
        options => #{},
        total_time => infinity,
        corpus => "test/cuter.corpus",
        again => false,
        accept => none,
        against => none,
        cover => false,
        generate_tests => false,
        reports => [],
        fail_on => [failure, disagreement, spec, difference],
        verbose => false,
        explain => false
    }.

%% Lists that can be repeated on the command line replace those of rebar.config.
clean(Given, Plan) ->
    case lists:keymember(report, 1, Given) of
        true -> Plan#{reports := []};
        false -> Plan
    end.

checked(#{seed_input := [_ | _], functions := []}) -> throw(seed_without_function);
checked(#{accept := [_ | _], corpus := none}) -> throw(accept_without_corpus);
checked(Plan) -> Plan.

%%% rebar.config

configured(Key, Plan) when is_atom(Key) -> configured({Key, true}, Plan);
configured({seeds, Seeds}, Plan) -> Plan#{seeds := need(seeds, Seeds, fun is_seeds/1)};
configured({skip, Skip}, Plan) -> Plan#{skip := need(skip, Skip, fun is_skip/1)};
configured({app, App}, Plan) when is_atom(App) -> Plan#{apps := [App]};
configured({app, Apps}, Plan) -> Plan#{apps := need(app, Apps, fun is_atoms/1)};
configured({module, Module}, Plan) when is_atom(Module) -> Plan#{modules := [Module]};
configured({module, Modules}, Plan) -> Plan#{modules := need(module, Modules, fun is_atoms/1)};
configured({report, Report}, #{reports := Reports} = Plan) ->
    Plan#{reports := configured_reports(Report) ++ Reports};
configured({fail_on, Findings}, Plan) when is_list(Findings), Findings =/= [] ->
    case is_atoms(Findings) of
        true -> Plan#{fail_on := [finding(atom_to_list(F)) || F <- Findings]};
        false -> set(fail_on, Findings, Plan)
    end;
configured({concrete, Value}, Plan) -> option(concrete, Value, Plan);
configured({time_limit, Ms}, Plan) -> option(time_limit, Ms, Plan);
configured({Key, Value}, Plan) -> set_known(Key, Value, Plan);
configured(Other, _Plan) -> throw({unknown_option, Other}).

set_known(Key, Value, Plan) ->
    Here = [element(1, Option) || Option <- options([])] -- [function, seed_input],
    case lists:member(Key, Here) of
        true -> set(Key, Value, Plan);
        false -> throw({unknown_option, Key})
    end.

need(Key, Value, Is) ->
    case Is(Value) of
        true -> Value;
        false -> throw({bad_value, Key, Value})
    end.

is_seeds(Seeds) ->
    is_list(Seeds) andalso lists:all(fun is_seed/1, Seeds).

is_seed({Module, Function, Args}) ->
    is_atom(Module) andalso is_atom(Function) andalso is_list(Args);
is_seed(_) ->
    false.

is_skip(Skip) ->
    is_list(Skip) andalso lists:all(fun is_skipped/1, Skip).

is_skipped({Module, Function}) -> is_atom(Module) andalso is_atom(Function);
is_skipped({Module, Function, Arity}) -> is_skipped({Module, Function}) andalso is_integer(Arity);
is_skipped(Module) -> is_atom(Module).

is_atoms(Value) ->
    is_list(Value) andalso lists:all(fun is_atom/1, Value).

configured_reports(Reports) when is_list(Reports) ->
    case io_lib:char_list(Reports) of
        true -> [report(Reports)];
        false -> [configured_report(Report) || Report <- Reports]
    end;
configured_reports(Report) ->
    [configured_report(Report)].

configured_report({Format, File}) when is_atom(Format), is_list(File) ->
    {element(1, report(atom_to_list(Format))), File};
configured_report(Format) when is_atom(Format) ->
    report(atom_to_list(Format));
configured_report(Other) ->
    throw({bad_value, report, Other}).

%%% The command line

given(Flag, Plan) when is_atom(Flag) -> given({Flag, true}, Plan);
given({task, Word}, _Plan) -> throw({bad_argument, Word});
given({Key, Value}, Plan) ->
    case lists:keymember(Key, 1, options([])) of
        true -> set(Key, Value, Plan);
        %% An option of rebar3 itself.
        false -> Plan
    end.

set(app, Text, Plan) -> Plan#{apps := atoms(Text)};
set(module, Text, Plan) -> Plan#{modules := atoms(Text)};
set(function, Text, #{functions := Functions} = Plan) ->
    Plan#{functions := Functions ++ [function(Name) || Name <- words(Text)]};
set(skip, Text, #{skip := Skip} = Plan) -> Plan#{skip := Skip ++ skipped(Text)};
set(seed_input, Text, Plan) -> Plan#{seed_input := arguments(Text)};
set(total_time, Text, Plan) -> Plan#{total_time := duration(total_time, Text)};
set(time, Text, Plan) -> option(time_limit, duration(time, Text), Plan);
set(solver_timeout, Text, Plan) -> option(solver_timeout, duration(solver_timeout, Text), Plan);
set(smt_dir, Text, Plan) ->
    %% What was explored before has asked no questions.
    option(smt_dir, need(smt_dir, Text, fun is_text/1), Plan#{again := true});
set(strategy, Value, Plan) -> option(strategy, atom(Value), Plan);
set(report, Text, #{reports := Reports} = Plan) ->
    Plan#{reports := Reports ++ [report(Word) || Word <- words(Text)]};
set(fail_on, Text, Plan) -> Plan#{fail_on := findings(Text)};
set(corpus, none, Plan) -> Plan#{corpus := none};
set(corpus, "none", Plan) -> Plan#{corpus := none};
%% getopt takes all that follows a short option.
set(generate_tests, "=" ++ Dir, Plan) -> set(generate_tests, Dir, Plan);
set(generate_tests, Value, Plan) when is_boolean(Value) -> Plan#{generate_tests := Value};
set(Key, Value, Plan) when is_boolean(Value) -> flag(Key, Value, Plan);
set(Key, Text, Plan) when Key =:= corpus; Key =:= accept; Key =:= against; Key =:= generate_tests ->
    Plan#{Key := need(Key, Text, fun is_text/1)};
set(Key, Value, Plan) -> option(Key, number(Key, Value), Plan).

flag(ignore_specs, Value, Plan) ->
    option(ignore_specs, Value, Plan);
flag(Key, Value, Plan) when is_map_key(Key, Plan), is_boolean(map_get(Key, Plan)) ->
    Plan#{Key := Value};
flag(Key, Value, _Plan) ->
    throw({bad_value, Key, Value}).

is_text(Text) ->
    Text =/= "" andalso io_lib:char_list(Text).

option(Key, Value, #{options := Options} = Plan) ->
    case cuter_options:parse(#{Key => Value}) of
        {ok, Checked} -> Plan#{options := maps:merge(Options, Checked)};
        {error, _} -> throw({bad_value, Key, Value})
    end.

words(Text) ->
    string:lexemes(need(function, Text, fun is_text/1), ", ").

atoms(Text) ->
    [list_to_atom(Word) || Word <- words(Text)].

atom(Value) when is_atom(Value) -> Value;
atom(Value) -> list_to_atom(Value).

function(Text) ->
    case string:split(Text, "/", trailing) of
        [Name] -> {list_to_atom(Name), any};
        [Name, Arity] -> {list_to_atom(Name), arity(Text, string:to_integer(Arity))}
    end.

arity(_Text, {Arity, []}) when Arity >= 0 -> Arity;
arity(Text, _) -> throw({bad_value, function, Text}).

skipped(Text) ->
    [skipped_word(string:split(Word, ":")) || Word <- words(Text)].

skipped_word([Module]) ->
    list_to_atom(Module);
skipped_word([Module, Function]) ->
    case function(Function) of
        {Name, any} -> {list_to_atom(Module), Name};
        {Name, Arity} -> {list_to_atom(Module), Name, Arity}
    end.

arguments(Text) ->
    case cuter_text:term(Text) of
        {ok, Args} when is_list(Args) -> Args;
        _ -> throw({bad_value, seed_input, Text})
    end.

number(_Key, Value) when is_integer(Value) -> Value;
number(Key, Value) ->
    case is_text(Value) andalso string:to_integer(Value) of
        {Number, []} when is_integer(Number) -> Number;
        _ -> throw({bad_value, Key, Value})
    end.

%% In milliseconds. A number alone stands for seconds.
duration(_Key, Seconds) when is_integer(Seconds), Seconds > 0 ->
    Seconds * 1000;
duration(Key, Text) ->
    case is_text(Text) andalso string:to_integer(Text) of
        {Number, Unit} when is_integer(Number), Number > 0 -> Number * unit(Key, Text, Unit);
        _ -> throw({bad_value, Key, Text})
    end.

unit(_Key, _Text, "") -> 1000;
unit(_Key, _Text, "ms") -> 1;
unit(_Key, _Text, "s") -> 1000;
unit(_Key, _Text, "m") -> 60000;
unit(_Key, _Text, "min") -> 60000;
unit(_Key, _Text, "h") -> 3600000;
unit(Key, Text, _Unit) -> throw({bad_value, Key, Text}).

report(Text) ->
    case string:split(Text, ":") of
        [Format] -> {format(Format, Text), default};
        [Format, [_ | _] = File] -> {format(Format, Text), File};
        _ -> throw({bad_value, report, Text})
    end.

format("html", _Text) -> html;
format("json", _Text) -> json;
format("junit", _Text) -> junit;
format(_, Text) -> throw({bad_value, report, Text}).

findings(none) -> [];
findings("none") -> [];
findings(Finding) when is_atom(Finding) -> [finding(atom_to_list(Finding))];
findings(Text) -> [finding(Word) || Word <- words(Text)].

finding("failure") -> failure;
finding("disagreement") -> disagreement;
finding("spec") -> spec;
finding("difference") -> difference;
finding("limit") -> limit;
finding("uncovered") -> uncovered;
finding("stale") -> stale;
finding("error") -> error;
finding(Text) -> throw({bad_value, fail_on, Text}).

%%% Errors

-spec format_error(description()) -> iolist().
format_error({bad_configuration, Term}) ->
    io_lib:format("cuter_opts in rebar.config must be a list of options, not ~tp.", [Term]);
format_error({unknown_option, Option}) ->
    Known = lists:join(", ", [atom_to_list(element(1, O)) || O <- options([])]),
    io_lib:format(
        "There is no option ~tp in cuter_opts; the options are ~ts, time_limit, seeds, concrete.",
        [Option, Known]
    );
format_error({bad_value, Option, Value}) ->
    io_lib:format("Option ~ts cannot be ~ts; it takes ~ts.", [
        dashed(Option), shown(Value), takes(Option)
    ]);
format_error({bad_argument, Word}) ->
    io_lib:format("\"~ts\" is no option; `rebar3 help cuter` lists them.", [Word]);
format_error(accept_without_corpus) ->
    "Option --accept needs a corpus, where accepted failures are kept; leave out --corpus none.";
format_error(seed_without_function) ->
    "Option --seed-input needs --function too.".

dashed(Option) ->
    string:replace(atom_to_list(Option), "_", "-", all).

shown(Value) ->
    case io_lib:char_list(Value) of
        true -> ["\"", Value, "\""];
        false -> io_lib:format("~tp", [Value])
    end.

takes(app) -> "names of applications";
takes(module) -> "names of modules";
takes(function) -> "a name or name/arity";
takes(skip) -> "modules, module:function or module:function/arity";
takes(seed_input) -> "a list of arguments, as \"[17]\" for f(17)";
takes(seeds) -> "a list of {Module, Function, Arguments}";
takes(time) -> "a time, as 500ms, 30s, 2m or 1h";
takes(total_time) -> takes(time);
takes(solver_timeout) -> takes(time);
takes(time_limit) -> "a number of milliseconds";
takes(strategy) -> "coverage, bfs, dfs or random";
takes(seed) -> "an integer";
takes(concrete) -> "a list of modules and {Module, Function, Arity}";
takes(report) -> "html, json or junit, with a file if wanted: html:FILE";
takes(fail_on) ->
    "failure, disagreement, spec, difference, limit, uncovered, stale, error or none";
takes(generate_tests) -> "true, false or a directory";
takes(smt_dir) -> "the name of a directory";
takes(corpus) -> "the name of a file, or none";
takes(accept) -> "a reason";
takes(against) -> "a git revision";
takes(Key) when Key =:= depth; Key =:= workers; Key =:= max_runs; Key =:= max_steps ->
    "a positive integer";
takes(_Flag) -> "true or false".
