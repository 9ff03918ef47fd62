%% Which clauses a search enters, and what it says of the others.
-module(cuter_reaching_tests).

-include_lib("eunit/include/eunit.hrl").

-define(LIMIT, 60).

reaching_test_() ->
    [
        {Sentence, {timeout, ?LIMIT, fun() -> with_fixture(Test) end}}
     || {Sentence, Test} <- [
            {"an infeasible clause is told from one beyond the limit", fun infeasible/0},
            {"calls of one library function are solved one by one", fun stamp/0},
            {"products of quotients are searched for", fun product/0},
            {"a clause behind a concrete call is no infeasible one", fun late/0},
            {"what is missing within the depth limit comes before it", fun endless/0}
        ]
    ].

with_fixture(Test) ->
    cuter_fixture:with_modules(["test/fixtures/reaching.erl"], Test).

infeasible() ->
    #{verdict := Verdict} = Report = run(size),
    ?assertEqual({limit, depth}, Verdict),
    ?assertEqual([{2, infeasible}], missing(Report)).

stamp() ->
    #{failures := Failures} = run(stamp),
    ?assertEqual(["23:59:60"], [Text || #{input := [Text], reason := leap_second} <- Failures]).

product() ->
    #{failures := [#{input := [N], reason := found}]} = run(product),
    ?assertEqual(1330, (N div 365 - N div 366) * (N rem 97)).

late() ->
    ?assertEqual([{2, {concrete, [{erlang, crc32, 1}]}}], missing(run(late))).

endless() ->
    #{verdict := Verdict} = cuter:run(reaching, endless, 1, #{quiet => true, depth => 5}),
    ?assertEqual({limit, concretised}, Verdict).

run(Function) ->
    cuter:run(reaching, Function, 1, #{quiet => true, time_limit => 30000}).

missing(#{coverage := #{uncovered := Rows}}) ->
    [{N, Reason} || #{clause := {_, _, _, N}, generated := false, reason := Reason} <- Rows].
