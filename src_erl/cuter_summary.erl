%% The findings of many functions in few words: a verdict in a line, and a table of all.
-module(cuter_summary).

-export([verdict/1, table/2, row/1, function_name/1, duration/1]).

-export_type([row/0]).

%% A function and what became of it.
-type row() :: #{
    function := iodata(),
    verdict := iodata(),
    failures := iodata(),
    clauses := iodata(),
    runs := iodata(),
    time := iodata()
}.

%% What was explored, and what was found, without a full stop.
-spec verdict(map()) -> iolist().
verdict(Report) ->
    [explored(Report), ": ", found(Report), doubts(Report)].

explored(#{verdict := exhausted, runs := 1}) ->
    "the only path explored";
explored(#{verdict := exhausted, runs := Runs}) ->
    io_lib:format("all ~b paths explored", [Runs]);
explored(#{verdict := {limit, depth}, options := #{depth := Depth}} = Report) ->
    [io_lib:format("all paths explored up to depth ~b", [Depth]), missed(Report)];
explored(#{verdict := {limit, Limit}} = Report) ->
    [stopped(Limit), missed(Report)].

stopped(depth) -> "stopped by the depth limit";
stopped(time) -> "stopped by time";
stopped(runs) -> "stopped by the number of runs";
stopped(memory) -> "stopped by memory";
stopped(steps) -> "some runs too long";
stopped(cancelled) -> "stopped by the user";
stopped(solver) -> "solver gave up on some paths";
stopped(unsupported) -> "some runs met what cuter cannot do yet";
stopped(divergence) -> "some runs left their predicted path";
stopped(concretised) -> "some values made concrete".

missed(#{coverage := #{clauses := {Covered, Total}}}) when Covered < Total ->
    [", ", counted(Total - Covered, "clause"), " not reached"];
missed(_Report) ->
    "".

found(#{differences := []}) -> "no difference";
found(#{differences := Differences}) -> counted(length(Differences), "difference");
found(#{failures := [], accepted := [_ | _] = Accepted}) -> accepted(Accepted);
found(#{failures := []}) -> "no failure";
found(#{failures := Failures, accepted := [_ | _] = Accepted}) ->
    [counted(length(Failures), "failure"), ", ", accepted(Accepted)];
found(#{failures := Failures}) -> counted(length(Failures), "failure").

accepted(Accepted) ->
    [counted(length(Accepted), "accepted failure")].

doubts(Report) ->
    [
        [", ", counted(length(Items), Noun)]
     || {Key, Noun} <- [
            {disagreements, "disagreement"},
            {returns_outside_spec, "return outside the spec"},
            {unconfirmed, "unconfirmed finding"},
            {unended, "call that did not end"},
            {stale, "accepted failure that no longer happens"}
        ],
        [_ | _] = Items <- [maps:get(Key, Report, [])]
    ].

counted(1, Noun) -> ["1 ", Noun];
counted(Number, "return outside the spec") -> counted(Number, "return", " outside the spec");
counted(Number, "call that did not end") -> counted(Number, "call", " that did not end");
counted(Number, "accepted failure that no longer happens") ->
    counted(Number, "accepted failure", " that no longer happen");
counted(Number, Noun) -> counted(Number, Noun, "").

counted(Number, Noun, Rest) ->
    [integer_to_list(Number), " ", Noun, "s", Rest].

-spec function_name(mfa()) -> iolist().
function_name({Module, Function, Arity}) ->
    io_lib:format("~tp:~tp/~b", [Module, Function, Arity]).

%% Milliseconds, as people say them.
-spec duration(non_neg_integer()) -> iolist().
duration(Ms) when Ms < 1000 -> io_lib:format("~b ms", [Ms]);
duration(Ms) when Ms < 100000 -> io_lib:format("~.1f s", [Ms / 1000]);
duration(Ms) -> io_lib:format("~b min ~b s", [Ms div 60000, Ms rem 60000 div 1000]).

%% The row of a report.
-spec row(map()) -> row().
row(#{coverage := #{clauses := {Covered, Total}}, runs := Runs} = Report) ->
    #{
        function => function_name(maps:get(mfa, Report)),
        verdict => [verdict(Report), remembered(Report)],
        failures => integer_to_list(findings(Report)),
        clauses => io_lib:format("~b/~b", [Covered, Total]),
        runs => integer_to_list(Runs),
        time => duration(maps:get(total, maps:get(time_ms, Report)))
    }.

findings(#{differences := Differences}) -> length(Differences);
findings(#{failures := Failures}) -> length(Failures).

remembered(#{remembered := true}) -> " (unchanged, not explored again)";
remembered(_Report) -> "".

%% All rows, below a line of titles. `Findings` is the title of what was looked for.
-spec table([row()], Findings :: string()) -> iolist().
table(Rows, Findings) ->
    Titles = #{
        function => "function",
        verdict => "verdict",
        failures => Findings,
        clauses => "clauses",
        runs => "runs",
        time => "time"
    },
    Columns = [
        {function, trailing},
        {verdict, trailing},
        {failures, leading},
        {clauses, leading},
        {runs, leading},
        {time, leading}
    ],
    All = [Titles | Rows],
    Widths = [{Key, Side, width(Key, All)} || {Key, Side} <- Columns],
    [line(Row, Widths) || Row <- All].

width(Key, Rows) ->
    lists:max([string:length(maps:get(Key, Row)) || Row <- Rows]).

line(Row, Widths) ->
    Cells = [string:pad(maps:get(Key, Row), Width, Side) || {Key, Side, Width} <- Widths],
    [lists:join("  ", Cells), "\n"].
