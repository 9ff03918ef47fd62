%% What floats do that reals do not: it is found where it happens, and only what cannot happen is
%% said to be infeasible.
-module(cuter_rounding_tests).

-include_lib("eunit/include/eunit.hrl").

-define(FIXTURE, "test/fixtures/rounding.erl").
-define(SECONDS, 120).

inputs_for_which_rounding_matters_are_found_test_() ->
    [
        {atom_to_list(Function), {timeout, ?SECONDS, fun() -> found(Function, length(Args)) end}}
     || {Function, Args} <- reached()
    ].

what_no_rounding_leads_to_is_infeasible_test_() ->
    [
        {atom_to_list(Function), {timeout, ?SECONDS, fun() -> infeasible(Function, Arity) end}}
     || {Function, Arity} <- unreached()
    ].

every_function_of_the_fixture_has_a_row_test() ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        Rows = [{F, length(Args)} || {F, Args} <- reached()] ++ unreached(),
        Exported = [F || {Name, _} = F <- rounding:module_info(exports), Name =/= module_info],
        ?assertEqual(lists:sort(Exported), lists:sort(Rows))
    end).

%% The fixture does what its rows say: natively these inputs fail.
reached_inputs_fail_natively_test() ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        [?assertError(found, apply(rounding, Function, Args)) || {Function, Args} <- reached()]
    end).

found(Function, Arity) ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        Report = report(Function, Arity),
        #{failures := Failures, verdict := Verdict} = Report,
        ?assertMatch([_], [F || #{reason := found} = F <- Failures], Verdict)
    end).

infeasible(Function, Arity) ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        Report = report(Function, Arity),
        #{failures := Failures, coverage := #{uncovered := Uncovered}} = Report,
        ?assertEqual([], [F || #{reason := found} = F <- Failures]),
        ?assertEqual([infeasible], lists:usort([R || #{reason := R} <- Uncovered])),
        ?assertEqual(exhausted, maps:get(verdict, Report))
    end).

report(Function, Arity) ->
    Report = cuter:run(rounding, Function, Arity, #{quiet => true, time_limit => 20000}),
    ?assertMatch(#{divergences := 0, disagreements := []}, Report),
    Report.

%% Functions with inputs that fail.
reached() ->
    [
        {swallowed, [-1.0e300]},
        {not_restored, [7.9]},
        {integer_near, [9007199254740993]},
        {as_float, [9007199254740993]},
        {integer_swallowed, [4, 1.0e300]},
        {equal_sums, [0.0, 1.0e-30]},
        {not_associative, [[0.1, 0.2, 0.3]]},
        {truncated, [1 bsl 60 + 1]},
        {times_quotient, [1, 49]},
        {vanishes, [1.0e-200]},
        {root, [2.0]}
    ].

unreached() ->
    [
        {never_less, 1},
        {never_back, 1},
        {never_half, 1},
        {never_equal, 2},
        {never_vanishes, 2},
        {never_low, 1}
    ].
