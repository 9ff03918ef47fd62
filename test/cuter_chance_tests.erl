%% What is said of functions, held against random inputs within their specs.
%%
%% `test/bench/chance` does the same with more inputs and whole modules of OTP.
-module(cuter_chance_tests).

-include_lib("eunit/include/eunit.hrl").

-define(FIXTURES, ["test/fixtures/verdicts.erl", "test/fixtures/rounding.erl"]).
-define(INPUTS, 400).
-define(SECONDS, 120).

what_is_said_of_programs_is_so_test_() ->
    {generator, fun() -> [row(Mfa, #{}) || Mfa <- exported(verdicts)] end}.

%% Little of them is explored: most clauses are left for reasons that have to be right.
what_is_said_of_hardly_explored_programs_is_so_test_() ->
    {generator, fun() ->
        [row(Mfa, #{max_runs => Runs}) || Mfa <- exported(verdicts), Runs <- [1, 3]]
    end}.

what_is_said_where_floats_are_rounded_is_so_test_() ->
    {generator, fun() -> [row(Mfa, #{}) || Mfa <- exported(rounding)] end}.

what_is_said_of_otp_is_so_test_() ->
    [
        row(Mfa, #{max_runs => 40})
     || Mfa <- [
            {calendar, iso_week_number, 0},
            {calendar, day_of_the_week, 1},
            {gb_sets, union, 2},
            {lists, keymerge, 3},
            {maps, filtermap, 2},
            {orddict, update_counter, 3},
            {proplists, expand, 2},
            {queue, split, 2},
            {string, prefix, 2},
            {uri_string, recompose, 1}
        ]
    ].

row({_, Function, _} = Mfa, Options) ->
    {lists:concat([Function, " ", lists:flatten(io_lib:format("~0p", [Options]))]),
        {timeout, ?SECONDS, fun() -> sound(Mfa, Options) end}}.

sound(Mfa, Options) ->
    cuter_fixture:with_modules(?FIXTURES, fun() ->
        {_Verdict, Problems} = cuter_chance:problems(Mfa, ?INPUTS, Mfa, Options),
        ?assertEqual([], Problems)
    end).

exported(Module) ->
    cuter_fixture:with_modules(?FIXTURES, fun() ->
        [{Module, F, A} || {F, A} <- Module:module_info(exports), F =/= module_info]
    end).

%% A clause that depends on the world is not infeasible, whatever the world is like now.
clauses_behind_values_from_outside_are_not_infeasible_test_() ->
    [
        {atom_to_list(Function), fun() -> outside(Function, Arity, Source) end}
     || {Function, Arity, Source} <- [
            {week, 0, {erlang, date, 0}},
            {environment, 1, {os, getenv, 1}}
        ]
    ].

outside(Function, Arity, Source) ->
    cuter_fixture:with_modules(?FIXTURES, fun() ->
        Report = cuter:run(verdicts, Function, Arity, #{quiet => true}),
        #{coverage := #{uncovered := Uncovered}} = Report,
        Reasons = [Reason || #{reason := Reason, generated := false} <- Uncovered],
        ?assertEqual([{concrete, [Source]}], lists:usort(Reasons))
    end).

%%% The judge itself

a_failure_that_is_left_out_is_missed_test() ->
    Lie = fun(Report) -> Report#{failures := []} end,
    ?assertMatch([{missed, {[_, 0], _, _}}], lies(remainders, 2, Lie)).

a_clause_that_is_entered_is_not_infeasible_test() ->
    Lie = fun(#{coverage := #{covered := Covered} = Coverage} = Report) ->
        Zero = [C#{reason => infeasible} || #{clause := {_, remainders, 2, 1}} = C <- Covered],
        Report#{coverage := Coverage#{uncovered := Zero}}
    end,
    ?assertMatch([{infeasible, {#{line := _}, [_, _]}}], lies(remainders, 2, Lie)).

a_condition_that_holds_for_too_much_does_not_hold_test() ->
    Lie = fun(#{failures := [Failure]} = Report) ->
        Report#{failures := [Failure#{condition => <<"X2 < 1">>}]}
    end,
    Found = lies(remainders, 2, Lie),
    ?assertMatch([{condition, {<<"X2 < 1">>, [_, Y], {ok, _}}}] when Y < 0, Found).

a_result_outside_the_spec_is_noticed_test() ->
    Lie = fun(Report) -> Report#{verdict := exhausted, returns_outside_spec := []} end,
    ?assertMatch([{outside, {[_, _, C], C}}] when not is_boolean(C), spec_lies(Lie)).

%% What is found wrong with a report that has been changed.
lies(Function, Arity, Lie) ->
    cuter_fixture:with_modules(?FIXTURES, fun() ->
        Report = cuter:run(verdicts, Function, Arity, #{quiet => true}),
        Mfa = {verdicts, Function, Arity},
        ?assertEqual([], cuter_chance:contradictions(Mfa, Report, ?INPUTS, lie)),
        cuter_chance:contradictions(Mfa, Lie(Report), ?INPUTS, lie)
    end).

spec_lies(Lie) ->
    Program =
        "-export([f/3]).\n"
        "-spec f(boolean(), boolean(), term()) -> boolean().\n"
        "f(A, B, C) -> (A orelse B) andalso C.\n",
    cuter_fixture:with_source(Program, [debug_info], fun(_) ->
        Report = cuter:run(cuter_tried, f, 3, #{quiet => true}),
        ?assertMatch(#{returns_outside_spec := [_ | _]}, Report),
        cuter_chance:contradictions({cuter_tried, f, 3}, Lie(Report), ?INPUTS, lie)
    end).

the_same_key_gives_the_same_inputs_test() ->
    {ok, #{types := _} = Signature} = cuter_spec:signature(orddict, update_counter, 3),
    Inputs = fun(Key) -> cuter_term_gen:inputs(Signature, [a, 7], 50, Key) end,
    ?assertEqual(Inputs(one), Inputs(one)),
    ?assertNotEqual(Inputs(one), Inputs(two)),
    ?assert(lists:all(fun(Input) -> cuter_type_check:is_input(Input, Signature) end, Inputs(one))).
