%% Calls that do not end are found, told, and cost little.
-module(cuter_unended_tests).

-include_lib("eunit/include/eunit.hrl").

-define(SOURCE,
    "-export([countdown/1, search/2, grow/1, fine/1]).\n"
    "-spec countdown(integer()) -> 0.\n"
    "countdown(0) -> 0;\n"
    "countdown(N) -> countdown(N - 1).\n"
    "-spec search(integer(), [integer()]) -> pos_integer() | none.\n"
    "search(X, List) -> search(X, list_to_tuple(List), 1, length(List)).\n"
    "search(_, _, Low, High) when Low > High -> none;\n"
    "search(X, Tuple, Low, High) ->\n"
    "    Middle = (Low + High) div 2,\n"
    "    case element(Middle, Tuple) of\n"
    "        X -> Middle;\n"
    "        Y when Y < X -> search(X, Tuple, Middle + 1, High);\n"
    "        _ -> search(X, Tuple, Low, Middle)\n"
    "    end.\n"
    "-spec grow(integer()) -> [integer()].\n"
    "grow(7) -> grow(7, []);\n"
    "grow(X) -> [X].\n"
    "grow(X, List) -> grow(X, [{X, X, X, X, X, X, X, X} | List]).\n"
    "-spec fine(integer()) -> ok | error.\n"
    "fine(1) -> ok;\n"
    "fine(_) -> error.\n"
).

unended_test_() ->
    [
        {Name, {timeout, 120, fun() -> cuter_fixture:with_source(?SOURCE, [debug_info], Test) end}}
     || {Name, Test} <- [
            {"an endless loop over a symbolic integer", fun countdown/1},
            {"a search that stays where it is", fun search/1},
            {"a list without end", fun grow/1},
            {"a function that ends", fun fine/1}
        ]
    ].

countdown(_) ->
    Report = run(countdown, 1, #{}),
    ?assertMatch([#{input := [N], limit := steps} | _] when N < 0, unended(Report)),
    ?assertEqual([], maps:get(failures, Report)),
    ?assertNotEqual(exhausted, maps:get(verdict, Report)),
    [#{input := [Found]} | _] = unended(Report),
    Call = "m:countdown(" ++ integer_to_list(Found) ++ ")\n  did not end: stopped after ",
    Text = unicode:characters_to_list(cuter_report:text(Report#{mfa := {m, countdown, 1}})),
    ?assertNotEqual(nomatch, string:find(Text, Call)).

%% What is left after the first endless run is explored all the same.
search(_) ->
    Report = run(search, 2, #{max_steps => 3000000}),
    ?assertMatch([_ | _], unended(Report)),
    [?assert(hd(List) > X orelse length(List) > 1) || #{input := [X, List]} <- unended(Report)],
    #{coverage := #{clauses := {Covered, All}}, runs := Runs} = Report,
    ?assertEqual(All, Covered),
    ?assert(Runs > 20).

grow(_) ->
    Report = run(grow, 1, #{}),
    ?assertMatch([#{input := [7], limit := memory}], unended(Report)).

fine(_) ->
    ?assertMatch(#{verdict := exhausted, unended := []}, run(fine, 1, #{})).

run(Function, Arity, Options) ->
    cuter:run(cuter_tried, Function, Arity, Options#{quiet => true, workers => 1}).

unended(#{unended := Unended}) ->
    Unended.
