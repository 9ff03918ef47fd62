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

%% That a spec is not fully known is said in any case.
findings(Report, Console) ->
    case has_findings(Report) of
        false ->
            Sentences = [["  ", Sentence, "\n"] || Sentence <- maps:get(widened, Report, [])],
            cuter_console:note(Sentences, Console);
        true ->
            cuter_console:say([report_text(Report), "\n"], Console)
    end.

has_findings(Report) ->
    Keys = [failures, differences, disagreements, returns_outside_spec, unconfirmed, unended],
    lists:any(fun(Key) -> maps:get(Key, Report, []) =/= [] end, Keys).

report_text(#{differences := _, names := Names} = Report) -> cuter_diff:text(Report, Names);
report_text(Report) -> cuter_report:text(Report).

remarks(#{mfa := {Module, _, _} = Mfa} = Report, Console) ->
    Records = cuter_module:records(Module),
    Stale = [
        [
            "an accepted failure no longer happens; delete its line in the corpus:\n  ",
            cuter_source:call(Mfa, Input, 2, Records),
            io_lib:format("  (accepted: ~ts)\n", [Reason])
        ]
     || #{input := Input, accepted := Reason} <- maps:get(stale, Report, [])
    ],
    Fixed = [
        [
            "a failure of earlier runs no longer happens:\n  ",
            cuter_source:call(Mfa, Input, 2, Records),
            "\n"
        ]
     || #{input := Input} <- maps:get(fixed, Report, [])
    ],
    cuter_console:note([Stale, Fixed], Console);
remarks(_Report, _Console) ->
    ok.

%% What keeps the result from being complete, and what may help. A full report has some of it.
explain(Report, #{explain := true}, Console) ->
    cuter_console:note(
        [
            [
                ["  not reached: ", Clause, "\n"]
             || not has_findings(Report), Clause <- cuter_report:uncovered(Report)
            ],
            counted("made concrete", maps:get(concretised, Report)),
            counted("cannot do", maps:get(unsupported, Report)),
            advice(maps:get(verdict, Report))
        ],
        Console
    );
explain(_Report, _Plan, _Console) ->
    ok.

counted(What, Counts) ->
    [
        io_lib:format("  ~ts: ~ts, ~b times\n", [What, cuter_report:operation(Name), Count])
     || {Name, Count} <- lists:sort(maps:to_list(Counts))
    ].

advice(exhausted) -> "";
advice({limit, depth}) -> "  deeper paths: give a larger --depth\n";
advice({limit, time}) -> "  more time: --time or --total-time\n";
advice({limit, runs}) -> "  more runs: --max-runs\n";
advice({limit, steps}) -> "  longer runs: --max-steps\n";
advice({limit, solver}) -> "  more time for the solver: --solver-timeout\n";
advice({limit, concretised}) -> "  other inputs for what was made concrete: --seed-input\n";
advice({limit, _}) -> "".
