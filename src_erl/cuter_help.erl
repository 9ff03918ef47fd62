%% Help texts.
-module(cuter_help).

-export([shell/0, command/0]).

%% What `cuter:help()` prints.
-spec shell() -> iolist().
shell() ->
    "cuter finds inputs that crash a function.\n"
    "\n"
    "cuter:run(M, F, Args)          explore M:F, starting from these arguments\n"
    "cuter:run(M, F, Arity)         the same, with first arguments made by cuter\n"
    "cuter:run(M, F, Args, Opts)    with options, as #{depth => 40, time_limit => 60000}\n"
    "cuter:run([{M, F, Args}], Opts)\n"
    "                               explore several functions, several at once\n"
    "cuter:check(M, F, Args)        explore a property: returning false is a failure too\n"
    "cuter:diff({M1, F1}, {M2, F2}, Args)\n"
    "                               find inputs for which two functions differ\n"
    "cuter:eval(M, F, Args)         interpret one call, explore nothing\n"
    "cuter:format_error(Reason)     the sentence for {error, Reason}\n"
    "cuter:help()                   this text\n"
    "\n"
    "All but eval and help print what they find and return it as a map.\n"
    "\n"
    "Options: depth, time_limit (ms), max_runs, max_steps, solver_timeout (ms),\n"
    "solver_memory (MB), workers, strategy (coverage, bfs, dfs, random), seed, ignore_specs,\n"
    "concrete, seeds, watcher, total_time (ms), report, smt_dir, quiet.\n"
    "docs/options.md says what each does.\n"
    "\n"
    "The module must be compiled with debug_info. In a rebar3 project: rebar3 help cuter.\n".

%% The description in `rebar3 help cuter`. The options follow by themselves.
-spec command() -> string().
command() ->
    "Explores the functions of a project with concolic execution and reports the inputs that\n"
    "crash them.\n"
    "\n"
    "Without options, every exported function that has a spec is explored, starting from inputs\n"
    "made from the spec. Several functions are explored at once. Ctrl-C stops and prints what was\n"
    "found so far; a second Ctrl-C ends at once.\n"
    "\n"
    "Examples:\n"
    "  rebar3 cuter                                  all functions with a spec\n"
    "  rebar3 cuter --all --total-time 5m            all exported functions, in five minutes\n"
    "  rebar3 cuter -m shop                          the functions of a module\n"
    "  rebar3 cuter -m shop -f total/2               one function\n"
    "  rebar3 cuter -m shop -f total -i \"[[], 0]\"    the same, starting from shop:total([], 0)\n"
    "  rebar3 cuter --depth 60 --time 2m             look deeper and longer\n"
    "  rebar3 cuter -g                               write EUnit tests of what was found\n"
    "  rebar3 cuter --report html --report junit     write reports into _build/cuter\n"
    "  rebar3 cuter --fail-on failure,uncovered      exit code 1 also for clauses not reached\n"
    "  rebar3 cuter -f total --accept \"by contract\"  failures found now are no failures later\n"
    "  rebar3 cuter --against v1.2                   inputs on which the code differs from v1.2\n"
    "\n"
    "The same options in rebar.config, which the command line overrides:\n"
    "  {cuter_opts, [{depth, 40}, {total_time, \"5m\"}, {fail_on, [failure, spec]},\n"
    "                {seeds, [{shop, total, [[], 0]}]}, {skip, [shop_sup, {shop, main, 1}]}]}.\n"
    "A -cuter attribute in a module overrides both for its function.\n"
    "\n"
    "Inputs that crash or cover something new are kept in test/cuter.corpus (--corpus). They are\n"
    "run first next time, and a function whose code and options did not change is not explored\n"
    "again (--again does). Commit the file.\n"
    "\n"
    "Exit codes: 0 nothing found; 1 failures, or what --fail-on names; 2 the command or the\n"
    "configuration is wrong; 3 anything else, such as a project that does not compile.\n"
    "\n"
    "Options:\n".
