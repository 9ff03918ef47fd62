%% The report of an exploration: as a map for programs, as text for people.
-module(cuter_report).

-export([new/2, text/1, verdict/1, uncovered/1, reason_text/1, operation/1]).

-export_type([report/0, failure/0, return/0, disagreement/0]).
-export_type([coverage/0, clause/0, clause_ref/0, covering/0, path/0, site/0]).

-type failure() :: #{
    input := [term()],
    class := error | exit | throw,
    reason := term(),
    stacktrace := list(),
    %% The input first found.
    original => [term()],
    %% A guard that holds for the inputs that fail in this way.
    condition => unicode:chardata(),
    _ => _
}.
%% A result outside the spec, and the input first found.
-type return() :: #{input := [term()], result := term(), original => [term()]}.
%% What the engine says is an exception, or a result outside the spec.
-type disagreement() :: #{
    input := [term()],
    class => error | exit | throw,
    reason => term(),
    result => term(),
    native := cuter_replay:native(),
    %% Functions that gave the engine's run what they would not give at another time.
    outside => [mfa()]
}.
-type count() :: non_neg_integer().
-type limit() ::
    depth
    | time
    | runs
    | memory
    | steps
    | cancelled
    | solver
    | unsupported
    | divergence
    | concretised.
-type share() :: {Covered :: count(), Total :: count()}.
%% A clause of a function, by its number there (from 1, compiler-made clauses included).
-type clause_ref() :: {module(), atom(), arity(), pos_integer()}.
-type clause() :: #{
    mfa := mfa(), line := count(), clause => clause_ref(), generated => boolean(), _ => _
}.
-type coverage() :: #{
    %% Without and with clauses that the compiler made.
    clauses := share(),
    all_clauses => share(),
    %% The lines that these clauses stand on.
    lines => share(),
    all_lines => share(),
    covered => [clause()],
    uncovered := [clause()]
}.
-type covering() :: #{
    input := [term()],
    clauses := [clause_ref()],
    outcome := returned | raised | stopped,
    run := pos_integer(),
    _ => _
}.
-type path() :: #{
    run := pos_integer(),
    input := [term()],
    outcome := {returned, term()} | {raised, error | exit | throw, term()} | {stopped, term()},
    decisions := [{Site :: non_neg_integer(), Taken :: boolean()}],
    %% There were more decisions than these.
    cut := boolean()
}.
-type site() :: #{mfa := mfa(), file := binary(), line := count(), test := binary()}.
-type report() :: #{
    mfa := mfa(),
    verdict := exhausted | {limit, limit()},
    failures := [failure()],
    %% How many distinct exceptions were raised that the function may raise.
    expected := count(),
    %% The exceptions that the function may raise, as patterns.
    raises => [term()],
    disagreements := [disagreement()],
    %% What the engine says of calls that the BEAM did not end within its limits, or that end in
    %% another way at another time.
    unconfirmed => [disagreement()],
    returns_outside_spec := [return()],
    %% The first inputs for which the function did not end within the limits of a run, after how
    %% many calls.
    unended => [#{input := [term()], limit := steps | memory, steps := count()}],
    %% A sentence for each type of the spec that could not be expressed.
    widened := [binary()],
    runs := count(),
    %% Inputs tried by chance; what brought something new was run once more, as one of the runs.
    tries => count(),
    divergences := count(),
    %% models that left their path when they were made to fit the spec
    misfits := count(),
    queries := #{sat := count(), unsat := count(), unknown := count(), avoided := count()},
    %% What answered the avoided ones: knowledge of the path, types, changes by hand, equal
    %% conditions and models of other questions.
    avoided_by => #{known | types | changes | slices | models => count()},
    %% Paths that waited as a whole and as an input alone, at most; runs made again for the latter;
    %% how often the solvers were made anew.
    memory => #{paths | inputs | reruns | renewed => count()},
    coverage := coverage(),
    %% Inputs that together enter every clause that was entered, and those of failures.
    inputs := [covering()],
    %% With option `trace`: the paths of the first runs, and the places where they decided.
    paths => [path()],
    sites => #{non_neg_integer() => site()},
    concretised := #{mfa() => count()},
    host_calls := #{mfa() => count()},
    %% Functions whose results would be others at another time or place, such as `date/0`.
    outside := #{mfa() => count()},
    %% Those that were called and whose code cannot be interpreted.
    native_modules := [module()],
    %% By the name of the construct.
    unsupported := #{binary() => count()},
    time_ms := #{total := count(), solver := count(), machine := count()},
    _ => _
}.

%% Adds what the BEAM's side knows to the engine's statistics.
-spec new(map(), map()) -> report().
new(Statistics, Ours) ->
    maps:merge(maps:merge(empty(), Statistics), Ours).

empty() ->
    #{
        failures => [],
        expected => 0,
        disagreements => [],
        returns_outside_spec => [],
        widened => [],
        verdict => exhausted,
        runs => 0,
        divergences => 0,
        misfits => 0,
        queries => #{sat => 0, unsat => 0, unknown => 0, avoided => 0},
        coverage => #{clauses => {0, 0}, uncovered => []},
        inputs => [],
        concretised => #{},
        host_calls => #{},
        outside => #{},
        native_modules => [],
        unsupported => #{},
        time_ms => #{total => 0, solver => 0, machine => 0}
    }.

-spec text(report()) -> iolist().
text(#{mfa := Mfa} = Report) ->
    [
        ["cuter: ", cuter_summary:function_name(Mfa), "\n"],
        numbered("Failure", fun failure/2, Report, maps:get(failures, Report)),
        numbered("Disagreement", fun disagreement/2, Report, maps:get(disagreements, Report)),
        numbered(
            "Return outside the spec",
            fun outside_spec/2,
            Report,
            maps:get(returns_outside_spec, Report)
        ),
        numbered("Not confirmed", fun unconfirmed/2, Report, maps:get(unconfirmed, Report, [])),
        numbered("No end", fun no_end/2, Report, maps:get(unended, Report, [])),
        ["\nVerdict: ", verdict(Report), "\n"],
        facts(Report)
    ].

%%% Findings

numbered(Title, Print, Report, Items) ->
    Total = length(Items),
    Numbers = lists:seq(1, Total),
    [
        [io_lib:format("\n~ts ~b of ~b\n", [Title, N, Total]), Print(Item, Report)]
     || {N, Item} <- lists:zip(Numbers, Items)
    ].

failure(Failure, #{mfa := {Module, _, _} = Mfa}) ->
    cuter_failure_text:failure(Failure, Mfa, cuter_module:records(Module)).

disagreement(Disagreement, Report) ->
    [unconfirmed(Disagreement, Report), "  This is a defect of cuter, not of your code.\n"].

unconfirmed(#{native := Native} = Found, Report) ->
    [
        call_line(Found, Report),
        engine_line("  the engine says:  ", Found),
        ["  the BEAM says:    ", native(Native), "\n"],
        depends_on([cuter_summary:function_name(Mfa) || Mfa <- maps:get(outside, Found, [])])
    ].

depends_on([]) ->
    [];
depends_on([Name]) ->
    ["  depends on what ", Name, " returns\n"];
depends_on(Names) ->
    {Some, [Last]} = lists:split(length(Names) - 1, Names),
    ["  depends on what ", lists:join(", ", Some), " and ", Last, " return\n"].

outside_spec(#{result := Result} = Return, #{mfa := {Module, _, _} = Mfa} = Report) ->
    Records = cuter_module:records(Module),
    [
        call_line(Return, Report),
        ["  returned ", cuter_source:term(Result, 11, Records), "\n"],
        cuter_failure_text:spec(Mfa),
        cuter_failure_text:shrunk_from(Return, Mfa, Records)
    ].

no_end(#{limit := Limit, steps := Steps} = Run, Report) ->
    [
        call_line(Run, Report),
        io_lib:format("  did not end: stopped after ~b function calls~ts\n", [Steps, by(Limit)])
    ].

by(steps) -> " (option max_steps)";
by(memory) -> ", for the memory that it used".

call_line(#{input := Input}, #{mfa := {Module, _, _} = Mfa}) ->
    ["  ", cuter_source:call(Mfa, Input, 2, cuter_module:records(Module)), "\n"].

engine_line(Lead, #{result := Result}) ->
    [Lead, native({ok, Result}), "\n"];
engine_line(Lead, Disagreement) ->
    raised_line(Lead, Disagreement).

raised_line(Lead, #{class := Class, reason := Reason}) ->
    [Lead, raised(Class, Reason, length(Lead)), "\n"].

raised(Class, Reason, Indent) ->
    cuter_failure_text:raised(Class, Reason, Indent, #{}).

native({ok, Value}) -> ["returned ", cuter_source:term(Value, 29)];
native({raised, Class, Reason, _}) -> raised(Class, Reason, 20);
native(killed) -> "killed, by itself or by the memory limit";
native(halted) -> "a call that would end the VM";
native(timeout) -> "no answer within the time limit".

%%% Verdict

%% The verdict as a sentence.
-spec verdict(report()) -> iolist().
verdict(#{verdict := Verdict, failures := Failures} = Report) ->
    [
        [explored(Verdict, Report), ": ", found(length(Failures))],
        [outside(length(maps:get(returns_outside_spec, Report))), disagreed(Report), "."]
    ].

explored(exhausted, #{runs := Runs}) ->
    explored_all(Runs);
explored({limit, Limit}, #{runs := Runs}) ->
    case limit(Limit) of
        {stopped, By} -> ["stopped by the ", By, " after ", counted(Runs, "run")];
        {not_all, Because} -> [counted(Runs, "path"), " explored, not all of them: ", Because]
    end.

explored_all(1) -> "the only path explored";
explored_all(Runs) -> io_lib:format("all ~b paths explored", [Runs]).

limit(depth) -> {stopped, "depth limit"};
limit(time) -> {stopped, "time limit"};
limit(runs) -> {stopped, "limit on the number of runs"};
limit(memory) -> {stopped, "memory limit"};
limit(steps) -> {stopped, "limit on the steps of a run"};
limit(cancelled) -> {stopped, "user"};
limit(solver) -> {not_all, "the solver gave up on some"};
limit(unsupported) -> {not_all, "some runs met what cuter cannot do yet"};
limit(divergence) -> {not_all, "some runs did not go where they were predicted to"};
limit(concretised) -> {not_all, "some values were made concrete on the way"}.

found(0) -> "no failure found";
found(Number) -> [counted(Number, "failure"), " found"].

outside(0) -> [];
outside(Number) -> [", ", counted(Number, "return"), " outside the spec"].

disagreed(#{disagreements := []}) -> [];
disagreed(#{disagreements := Some}) -> [", ", counted(length(Some), "disagreement")].

counted(1, Noun) -> ["1 ", Noun];
counted(Number, Noun) -> [integer_to_list(Number), " ", Noun, "s"].

%%% Facts

%% Of an exploration that was not repeated, its figures say nothing.
facts(#{remembered := true}) ->
    "";
facts(Report) ->
    [
        fact("runs", runs_fact(Report)),
        fact("queries", queries_fact(Report)),
        fact("coverage", coverage_fact(Report)),
        uncovered_facts(Report),
        expected_fact(Report),
        [fact("widened", Sentence) || Sentence <- maps:get(widened, Report)],
        fact("time", time_fact(Report)),
        counters("made concrete", maps:get(concretised, Report)),
        native_fact(maps:get(native_modules, Report)),
        counters("not supported", maps:get(unsupported, Report))
    ].

fact(Name, Text) ->
    io_lib:format("  ~-14ts ~ts\n", [Name, Text]).

runs_fact(#{runs := Runs, divergences := Divergences} = Report) ->
    Tried = [["; ", counted(N, "input"), " tried by chance"] || #{tries := N} <- [Report], N > 0],
    [io_lib:format("~b, ~b of them left the predicted path", [Runs, Divergences]), Tried].

queries_fact(#{queries := #{sat := Sat, unsat := Unsat, unknown := Unknown, avoided := Avoided}}) ->
    io_lib:format("~b sat, ~b unsat, ~b unknown, ~b avoided", [Sat, Unsat, Unknown, Avoided]).

coverage_fact(#{coverage := #{clauses := {Covered, Total}} = Coverage}) ->
    [io_lib:format("~b of ~b clauses", [Covered, Total]), lines_fact(Coverage)].

lines_fact(#{lines := {Covered, Total}}) -> io_lib:format(", ~b of ~b lines", [Covered, Total]);
lines_fact(#{}) -> "".

uncovered_facts(Report) ->
    [fact("not covered", Clause) || Clause <- uncovered(Report)].

%% The clauses that were not entered, in words: where, and why if that is known.
-spec uncovered(report()) -> [string()].
uncovered(#{coverage := #{uncovered := Uncovered}}) ->
    unique([lists:flatten(clause(Clause)) || Clause <- Uncovered]).

unique([]) -> [];
unique([Text | Texts]) -> [Text | unique([T || T <- Texts, T =/= Text])].

expected_fact(#{expected := 0}) -> [];
expected_fact(#{expected := Number}) -> fact("expected", counted(Number, "exception")).

clause(#{mfa := Mfa, line := Line} = Clause) ->
    Function = cuter_summary:function_name(cuter_module:around(Mfa)),
    [Function, io_lib:format(", line ~b", [Line]), why_uncovered(Clause)];
clause(Clause) ->
    io_lib:format("~0tp", [Clause]).

why_uncovered(Clause) ->
    case reason_text(Clause) of
        "" -> "";
        Text -> [": ", Text]
    end.

%% Why a clause was not entered, in words; empty where that is not known.
-spec reason_text(clause()) -> iolist().
reason_text(#{reason := Reason}) when is_binary(Reason) -> [Reason];
reason_text(#{reason := infeasible}) ->
    "no input goes there";
reason_text(#{reason := {limit, unsupported}}) ->
    "perhaps behind something that cuter cannot do";
reason_text(#{reason := {limit, divergence}}) ->
    "perhaps on a path that runs did not follow as predicted";
reason_text(#{reason := {limit, Limit}}) ->
    io_lib:format("beyond the limit (~ts)", [Limit]);
reason_text(#{reason := {solver, undefined}}) ->
    "the solver gave up";
reason_text(#{reason := {solver, {Mfa, Number}}}) ->
    Line = io_lib:format(", line ~b", [Number]),
    ["the solver gave up at ", cuter_summary:function_name(Mfa), Line];
reason_text(#{reason := {concrete, Functions}}) ->
    ["hidden behind ", lists:join(", ", [operation(Mfa) || Mfa <- Functions])];
reason_text(#{reason := Reason}) when is_atom(Reason) ->
    string:replace(atom_to_list(Reason), "_", " ", all);
reason_text(#{reason := Reason}) -> io_lib:format("~0tp", [Reason]);
reason_text(#{}) -> "".

time_fact(#{time_ms := #{total := Total, solver := Solver, machine := Machine}}) ->
    io_lib:format("~b ms (solver ~b ms, runs ~b ms)", [Total, Solver, Machine]).

native_fact([]) -> [];
native_fact(Modules) -> fact("run natively", lists:join(", ", [module_name(M) || M <- Modules])).

module_name(Module) ->
    io_lib:format("~tp", [Module]).

counters(Name, Counts) ->
    [
        fact(Name, [operation(Operation), " (", counted(Count, "time"), ")"])
     || {Operation, Count} <- lists:sort(maps:to_list(Counts))
    ].

%% What has no symbolic meaning, or is not supported: a function, or something of the engine's own.
-spec operation(mfa() | binary()) -> iodata().
operation({erlang, 'result type', 1}) -> "whether a result is of its type";
operation({erlang, 'large size', 1}) -> "a bitstring of a large size";
operation({_, _, _} = Mfa) -> cuter_summary:function_name(Mfa);
operation(Construct) -> Construct.
