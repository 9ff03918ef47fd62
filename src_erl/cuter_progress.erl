%% Prints what happens while functions are explored.
-module(cuter_progress).

-export([listener/3]).

%% A function for the events of `cuter_batch`.
-spec listener(pos_integer(), cuter_cli:plan(), cuter_console:console()) ->
    fun((cuter_batch:event()) -> ok).
listener(Total, Plan, Console) ->
    Ended = counters:new(1, []),
    fun(Event) -> event(Event, {Ended, Total}, Plan, Console) end.

event({started, _Mfa}, _Count, _Plan, _Console) ->
    ok;
event({ended, Mfa, Result}, {Ended, Total}, Plan, Console) ->
    ok = counters:add(Ended, 1, 1),
    Number = counters:get(Ended, 1),
    ok = cuter_console:note(
        io_lib:format("[~b/~b] ~ts\n", [Number, Total, line(Mfa, Result, Console)]), Console
    ),
    details(Result, Plan, Console);
event({running, [], _Counts}, _Count, _Plan, _Console) ->
    ok;
event({running, [First | Others], #{ended := Ended}}, {_, Total}, _Plan, Console) ->
    cuter_console:progress(
        [
            io_lib:format("[~b/~b] ", [Ended, Total]),
            state(First),
            [io_lib:format(", and ~b more", [length(Others)]) || Others =/= []]
        ],
        Console
    ).

state(#{name := Name, progress := none}) ->
    [cuter_summary:function_name(Name), "  loading"];
state(#{name := Name, progress := {Runs, Paths, Failures, Covered, Clauses}, left := Left}) ->
    io_lib:format("~ts  runs ~b  paths ~b  failures ~b  clauses ~b/~b  ~ts left", [
        cuter_summary:function_name(Name),
        Runs,
        Paths,
        Failures,
        Covered,
        Clauses,
        cuter_summary:duration(Left)
    ]).

%%% A function that ended

line(Mfa, {done, {ok, Report}}, Console) ->
    Colour = colour(Report),
    [
        cuter_summary:function_name(Mfa),
        "  ",
        cuter_console:colour(Colour, cuter_summary:verdict(Report), Console),
        [" (unchanged, not explored again)" || maps:get(remembered, Report, false)]
    ];
line(Mfa, {done, {error, Reason}}, Console) ->
    Text = cuter:format_error(Reason),
    [cuter_summary:function_name(Mfa), "  ", cuter_console:colour(red, Text, Console)];
line(Mfa, {died, Reason}, Console) ->
    line(Mfa, {done, {error, {cuter_several, {died, Reason}}}}, Console);
line(Mfa, {not_started, time}, _Console) ->
    [cuter_summary:function_name(Mfa), "  not explored: no time left"];
line(Mfa, {not_started, stopped}, _Console) ->
    [cuter_summary:function_name(Mfa), "  not explored: stopped by the user"].

colour(#{failures := [_ | _]}) -> red;
colour(#{differences := [_ | _]}) -> red;
colour(#{disagreements := [_ | _]}) -> red;
colour(#{verdict := exhausted}) -> green;
colour(_) -> yellow.

%%% Details

%% Findings are printed in any case, the full report if wanted.
details({done, {ok, Report}}, #{verbose := true}, Console) ->
    ok = cuter_console:say([report_text(Report), "\n"], Console),
    remarks(Report, Console);
details({done, {ok, Report}}, Plan, Console) ->
    ok = findings(Report, Console),
    ok = remarks(Report, Console),
    explain(Report, Plan, Console);
details(_NoReport, _Plan, _Console) ->
    ok.

findings(Report, Console) ->
    Keys = [failures, differences, disagreements, returns_outside_spec],
    case [Key || Key <- Keys, maps:get(Key, Report, []) =/= []] of
        [] -> ok;
        _ -> cuter_console:say([report_text(Report), "\n"], Console)
    end.

report_text(#{differences := _, names := Names} = Report) -> cuter_diff:text(Report, Names);
report_text(Report) -> cuter_report:text(Report).

remarks(#{mfa := Mfa} = Report, Console) ->
    Stale = [
        [
            "an accepted failure no longer happens; delete its line in the corpus:\n  ",
            cuter_source:call(Mfa, Input, 2),
            io_lib:format("  (accepted: ~ts)\n", [Reason])
        ]
     || #{input := Input, accepted := Reason} <- maps:get(stale, Report, [])
    ],
    Fixed = [
        ["a failure of earlier runs no longer happens:\n  ", cuter_source:call(Mfa, Input, 2), "\n"]
     || #{input := Input} <- maps:get(fixed, Report, [])
    ],
    cuter_console:note([Stale, Fixed], Console);
remarks(_Report, _Console) ->
    ok.

%% What keeps the result from being complete, and what may help.
explain(Report, #{explain := true}, Console) ->
    #{coverage := #{uncovered := Uncovered}} = Report,
    cuter_console:note(
        [
            [clause(Clause) || Clause <- Uncovered],
            counted("made concrete", maps:get(concretised, Report)),
            counted("cannot do", maps:get(unsupported, Report)),
            advice(maps:get(verdict, Report))
        ],
        Console
    );
explain(_Report, _Plan, _Console) ->
    ok.

clause(#{mfa := Mfa, line := Line} = Clause) ->
    Why = cuter_report:reason_text(Clause),
    [
        io_lib:format("  not reached: ~ts, line ~b", [cuter_summary:function_name(Mfa), Line]),
        [[": ", Why] || Why =/= ""],
        "\n"
    ];
clause(Clause) ->
    io_lib:format("  not reached: ~0tp\n", [Clause]).

counted(What, Counts) ->
    [
        io_lib:format("  ~ts: ~ts, ~b times\n", [What, name(Name), Count])
     || {Name, Count} <- lists:sort(maps:to_list(Counts))
    ].

name({_, _, _} = Mfa) -> cuter_summary:function_name(Mfa);
name(Name) -> Name.

advice(exhausted) -> "";
advice({limit, depth}) -> "  deeper paths: give a larger --depth\n";
advice({limit, time}) -> "  more time: --time or --total-time\n";
advice({limit, runs}) -> "  more runs: --max-runs\n";
advice({limit, steps}) -> "  longer runs: --max-steps\n";
advice({limit, solver}) -> "  more time for the solver: --solver-timeout\n";
advice({limit, concretised}) -> "  other inputs for what was made concrete: --seed-input\n";
advice({limit, _}) -> "".
