%% Clauses that are found by trying inputs, and what is said of those that are not.
-module(cuter_trying_tests).

-include_lib("eunit/include/eunit.hrl").

-define(LIMIT, 90).

trying_test_() ->
    [
        {Sentence, {timeout, ?LIMIT, fun() -> with_fixture(Test) end}}
     || {Sentence, Test} <- [
            {"what lies behind a checksum is found by trying", fun checksum/0},
            {"a guess that is wrong on few days is found by trying", fun year/0},
            {"tables of a library do not hide the clauses behind them", fun heading/0},
            {"options are combined, and amounts are of all magnitudes", fun fee/0},
            {"a name of a function that depends on the input is decided", fun named/0},
            {"a clause behind a fun is beyond the limit, not infeasible", fun squares/0},
            {"nothing is tried where the depth is given", fun given_depth/0}
        ]
    ].

with_fixture(Test) ->
    cuter_fixture:with_modules(["test/fixtures/trying.erl"], Test).

checksum() ->
    #{inputs := Inputs} = Report = run(checksum, 1, #{}),
    ?assertEqual([], missing(Report)),
    ?assert(lists:any(fun(#{input := [Bin]}) -> erlang:crc32(Bin) rem 211 =:= 42 end, Inputs)).

%% Chance fails for one seed in six.
year() ->
    ?assert(lists:any(fun is_year_found/1, [1, 2, 3, 4, 5, 6])).

is_year_found(Seed) ->
    #{inputs := Inputs} = Report = run(year, 1, #{seed => Seed}),
    IsWrong = fun(#{input := [Day]}) -> is_tuple(trying:year(Day)) end,
    missing(Report) =:= [] andalso lists:any(IsWrong, Inputs).

heading() ->
    #{inputs := Inputs} = Report = run(heading, 1, #{time_limit => 15000}),
    ?assertEqual([], missing(Report)),
    Texts = [Text || #{input := [Text], outcome := returned} <- Inputs],
    Results = lists:usort([trying:heading(Text) || Text <- Texts]),
    ?assertEqual([], [changed, long, marked, other, resized, same, short] -- Results).

fee() ->
    ?assertEqual([], missing(run(fee, 2, #{time_limit => 15000}))).

named() ->
    #{divergences := Divergences, verdict := Verdict, inputs := Inputs} = run(named, 2, #{}),
    ?assertEqual({0, exhausted}, {Divergences, Verdict}),
    Names = lists:usort([Name || #{input := [Name, _], outcome := returned} <- Inputs]),
    ?assertEqual([], [half, twice] -- Names).

squares() ->
    Missing = missing(run(squares, 1, #{max_runs => 1})),
    ?assertEqual([{limit, runs}], lists:usort(Missing)).

given_depth() ->
    #{runs := Runs} = Report = run(checksum, 1, #{depth => 5}),
    ?assertEqual(1, Runs),
    ?assertEqual([{concrete, [{erlang, crc32, 1}]}], missing(Report)).

run(Function, Arity, Options) ->
    cuter:run(trying, Function, Arity, maps:merge(#{quiet => true, time_limit => 30000}, Options)).

missing(#{coverage := #{uncovered := Rows}}) ->
    [Reason || #{generated := false, reason := Reason} <- Rows].
