%% What is printed: colours and the closing table.
-module(cuter_console_tests).

-include_lib("eunit/include/eunit.hrl").

colours_are_for_terminals_that_want_them_test_() ->
    [
        ?_assertEqual(Expected, maps:get(colour, console(Terminal, Variables)))
     || {Terminal, Variables, Expected} <- [
            {true, #{}, true},
            {false, #{}, false},
            {true, #{"NO_COLOR" => "1"}, false},
            {true, #{"REBAR_COLOR" => "none"}, false},
            {true, #{"REBAR_COLOR" => "low"}, true},
            {true, #{"TERM" => "dumb"}, false}
        ]
    ].

there_is_no_progress_without_a_terminal_or_when_quiet_test_() ->
    [
        ?_assertEqual(Expected, maps:get(terminal, console(Terminal, Variables)))
     || {Terminal, Variables, Expected} <- [
            {true, #{}, true},
            {false, #{}, false},
            {true, #{"QUIET" => "1"}, false},
            {true, #{"TERM" => "dumb"}, false}
        ]
    ].

quiet_leaves_findings_only_test() ->
    Quiet = console(false, #{"QUIET" => "1"}),
    ?assertEqual("", cuter_fixture:printed(fun() -> cuter_console:note("a note", Quiet) end)),
    ?assertEqual("found", cuter_fixture:printed(fun() -> cuter_console:say("found", Quiet) end)).

verdicts_are_words_test_() ->
    [
        ?_assertEqual(Words, lists:flatten(cuter_summary:verdict(report(Changes))))
     || {Changes, Words} <- [
            {#{}, "all 14 paths explored: no failure"},
            {#{runs => 1}, "the only path explored: no failure"},
            {#{verdict => {limit, depth}}, "all paths explored up to depth 25: no failure"},
            {#{verdict => {limit, time}, coverage => coverage(6, 9)},
                "stopped by time, 3 clauses not reached: no failure"},
            {#{failures => [a, b], accepted => [c]},
                "all 14 paths explored: 2 failures, 1 accepted failure"},
            {#{accepted => [c, d]}, "all 14 paths explored: 2 accepted failures"},
            {#{stale => [c]},
                "all 14 paths explored: no failure, 1 accepted failure that no longer happens"},
            {#{disagreements => [c], returns_outside_spec => [d, e]},
                "all 14 paths explored: no failure, 1 disagreement, 2 returns outside the spec"},
            {#{differences => [a]}, "all 14 paths explored: 1 difference"}
        ]
    ].

the_table_has_straight_columns_test() ->
    Rows = [
        cuter_summary:row(report(#{})),
        cuter_summary:row(report(#{mfa => {a_longer, f, 10}, failures => [a], runs => 12345}))
    ],
    Text = unicode:characters_to_list(cuter_summary:table(Rows, "failures")),
    ?assertEqual(
        "function       verdict                              failures  clauses   runs   time\n"
        "m:f/1          all 14 paths explored: no failure           0      9/9     14  1.5 s\n"
        "a_longer:f/10  all 12345 paths explored: 1 failure         1      9/9  12345  1.5 s\n",
        Text
    ).

times_are_said_as_people_say_them_test_() ->
    [
        ?_assertEqual(Text, lists:flatten(cuter_summary:duration(Ms)))
     || {Ms, Text} <- [{7, "7 ms"}, {1500, "1.5 s"}, {125000, "2 min 5 s"}]
    ].

report(Changes) ->
    maps:merge(
        #{
            mfa => {m, f, 1},
            verdict => exhausted,
            runs => 14,
            failures => [],
            coverage => coverage(9, 9),
            options => #{depth => 25},
            time_ms => #{total => 1500}
        },
        Changes
    ).

coverage(Covered, Total) ->
    #{clauses => {Covered, Total}}.

console(Terminal, Variables) ->
    cuter_console:new(#{terminal => Terminal, variables => Variables}).
