%% Properties and differences: explored through modules that cuter writes.
-module(cuter_drivers_tests).

-include_lib("eunit/include/eunit.hrl").

-define(OPTIONS, #{quiet => true, workers => 1}).

check_test_() ->
    with("test/fixtures/properties.erl", [
        {"returning false is a failure", fun() ->
            Report = cuter:check(properties, sums_are_even, [0, 0], ?OPTIONS),
            #{failures := [Failure], mfa := Mfa} = Report,
            #{input := [X, Y], class := error, reason := {returned, false}} = Failure,
            ?assertEqual(1, abs(X + Y) rem 2),
            ?assertEqual({properties, sums_are_even, 2}, Mfa)
        end},
        {"an assertion that fails is a failure", fun() ->
            #{failures := [#{input := [17], reason := {assert, _}}]} =
                cuter:check(properties, asserted, [0], ?OPTIONS)
        end},
        {"what raises is a failure as it is", fun() ->
            #{failures := [#{input := [3], reason := three, stacktrace := Stacktrace}]} =
                cuter:check(properties, crashes, [0], ?OPTIONS),
            ?assertMatch([{properties, crashes, 1, _}], Stacktrace)
        end},
        {"a property that holds has no failure, and its own coverage", fun() ->
            Report = cuter:check(properties, holds, [0], ?OPTIONS),
            ?assertMatch(
                #{failures := [], verdict := exhausted, coverage := #{clauses := {2, 2}}}, Report
            )
        end}
    ]).

diff_test_() ->
    with("test/fixtures/versions.erl", [
        {"a difference in the result is solved for", fun() ->
            #{differences := [Difference]} = diff(old_price, new_price, [1, 1]),
            #{input := [Amount, Price], first := {returned, Old}, second := {returned, New}} =
                Difference,
            ?assert(Amount > 10),
            ?assertEqual(Amount * Price, Old),
            ?assertEqual(Old - 5, New)
        end},
        {"an exception on one side is a difference", fun() ->
            #{differences := [Difference]} = diff(old_safe, new_safe, [1]),
            ?assertMatch(
                #{input := [0], first := {raised, error, badarith}, second := {returned, 0}},
                Difference
            )
        end},
        {"equal functions have none, on all paths", fun() ->
            ?assertMatch(
                #{differences := [], verdict := exhausted}, diff(same_one, same_two, [1])
            )
        end},
        {"pids that differ are no difference", fun() ->
            ?assertMatch(#{differences := []}, diff(pid_one, pid_two, [1]))
        end},
        {"the text shows the call and both outcomes", fun() ->
            Report = diff(old_safe, new_safe, [1]),
            Text = lists:flatten(cuter_diff:text(Report, {"old", "new"})),
            [
                ?assertNotEqual({Part, nomatch}, {Part, string:find(Text, Part)})
             || Part <- [
                    "Difference 1 of 1",
                    "versions:new_safe(0)",
                    "old: ** error: badarith",
                    "new: returned 0",
                    ": 1 difference."
                ]
            ]
        end}
    ]).

diff(First, Second, Args) ->
    cuter:diff({versions, First}, {versions, Second}, Args, ?OPTIONS).

mistakes_give_a_sentence_test_() ->
    [
        {Part, fun() ->
            {error, Reason} = Call(),
            Text = lists:flatten(cuter:format_error(Reason)),
            ?assertNotEqual({nomatch, Text}, {string:find(Text, Part), Text})
        end}
     || {Call, Part} <- [
            {fun() -> cuter:check(no_such_module, f, [1], ?OPTIONS) end,
                "Module no_such_module does not exist"},
            {fun() -> cuter:check(lists, nothing, [1], ?OPTIONS) end,
                "lists:nothing/1 is not exported"},
            {fun() -> cuter:check(lists, last, oops, ?OPTIONS) end, "must be a list"},
            {fun() -> cuter:diff(lists, {lists, last}, [1], ?OPTIONS) end,
                "named as {Module, Function}, not as lists"},
            {fun() -> cuter:diff({lists, last}, {lists, nth}, [[1]], ?OPTIONS) end,
                "lists:nth/1 is not exported"},
            {fun() -> cuter:check(lists, last, [[1]], #{quiet => true, oops => 1}) end,
                "There is no option oops"}
        ]
    ].

drivers_leave_nothing_behind_test() ->
    Path = code:get_path(),
    Dirs = temporary(),
    cuter_driver:with(fun(Driver) -> forms(Driver) end, fun(Driver) ->
        ?assertEqual({module, Driver}, code:ensure_loaded(Driver)),
        ?assertEqual(Path, code:get_path())
    end),
    ?assertEqual([], temporary() -- Dirs),
    ?assertEqual(false, code:is_loaded(cuter_driver_1)).

two_drivers_at_once_have_two_names_test() ->
    cuter_driver:with(fun forms/1, fun(One) ->
        cuter_driver:with(fun forms/1, fun(Two) -> ?assertNotEqual(One, Two) end)
    end).

a_driver_goes_with_its_caller_test() ->
    Dirs = temporary(),
    Test = self(),
    Caller = spawn(fun() ->
        cuter_driver:with(fun forms/1, fun(_) -> Test ! ready, timer:sleep(infinity) end)
    end),
    receive ready -> exit(Caller, kill) end,
    ?assertEqual([], cuter_fixture:eventually(fun() -> temporary() -- Dirs end, [])).

forms(Driver) ->
    cuter_driver:parse(Driver, {f, 1}, {lists, last, 1}, "f(X) -> X.\n").

temporary() ->
    filelib:wildcard(
        filename:join(os:getenv("TMPDIR", "/tmp"), "cuter-driver-" ++ os:getpid() ++ "-*")
    ).

with(Fixture, Tests) ->
    {setup, fun() -> ok end, fun(_) -> ok end, [
        {Title, fun() -> cuter_fixture:with_modules([Fixture], Test) end}
     || {Title, Test} <- Tests
    ]}.
