%% What a function is explored from, and with what.
-module(cuter_target_tests).

-include_lib("eunit/include/eunit.hrl").

-define(CONTRACTS, ["test/fixtures/contracts.erl"]).

%%% Seeds

a_list_as_long_as_the_function_takes_is_the_arguments_test() ->
    ?assertEqual({ok, 1, [[[1]]]}, cuter_seeds:read([[1]], [1])),
    ?assertEqual({ok, 2, [[[1], [2]]]}, cuter_seeds:read([[1], [2]], [1, 2])),
    ?assertEqual({ok, 0, [[]]}, cuter_seeds:read([], [0])).

another_list_of_lists_is_seeds_test() ->
    ?assertEqual({ok, 1, [[1], [2]]}, cuter_seeds:read([[1], [2]], [1])),
    ?assertEqual({ok, 2, [[1, 2]]}, cuter_seeds:read([[1, 2]], [2])).

lists_of_different_lengths_are_arguments_test() ->
    ?assertEqual({ok, 2, [[[1], [2, 3]]]}, cuter_seeds:read([[1], [2, 3]], [1])),
    ?assertEqual({ok, 2, [[[1], 2]]}, cuter_seeds:read([[1], 2], [1])).

seeds_can_be_said_to_be_seeds_test() ->
    ?assertEqual({ok, 1, [[1], [2]]}, cuter_seeds:read({seeds, [[1], [2]]}, [1, 2])).

a_number_of_arguments_has_no_seed_test() ->
    ?assertEqual({ok, 3, []}, cuter_seeds:read(3, [3])).

%%% Targets

seeds_of_the_call_come_before_those_of_the_options_test() ->
    ?assertMatch(#{seeds := [[1.0], [2.5]]}, target(root, 1, #{})),
    ?assertMatch(#{seeds := [[2.5], [1.0]]}, target(root, [2.5], #{})),
    ?assertMatch(#{seeds := [[7.0], [8.0]]}, target(root, [7.0], #{seeds => [[8.0]]})).

a_list_of_seeds_is_told_from_arguments_test() ->
    ?assertMatch(#{mfa := {contracts, several, 1}, seeds := [[[1]]]}, target(several, [[1]], #{})),
    ?assertMatch(
        #{mfa := {contracts, nth, 2}, seeds := [[1, [a]], [2, []], [3, x]]},
        target(nth, [[1, [a]], [2, []], [3, x]], #{})
    ).

all_seeds_are_run_test() ->
    Report = cuter_fixture:with_modules(?CONTRACTS, fun() ->
        cuter:run(contracts, several, {seeds, [[[1]], [[1, 2]], [[1, 2, 3]]]}, #{
            quiet => true, max_runs => 3
        })
    end),
    ?assertMatch(#{runs := 3, coverage := #{clauses := {2, 2}}, failures := [_]}, Report).

a_spec_gives_a_signature_unless_ignored_test() ->
    {ok, WithSpec} = cuter_target:to_explore(lists, last, 1, #{}),
    ?assertMatch(#{signature := #{clauses := [{[_], _}]}}, WithSpec),
    {ok, Ignored} = cuter_target:to_explore(lists, last, 1, #{ignore_specs => true}),
    ?assertNot(maps:is_key(signature, Ignored)).

a_function_without_a_spec_has_no_signature_test() ->
    ?assertNot(maps:is_key(signature, target(nth, 2, #{}))).

an_input_outside_the_spec_is_not_valid_test() ->
    {ok, Target} = cuter_target:to_explore(lists, last, 1, #{}),
    Valid = cuter_target:valid(Target),
    ?assert(Valid([[a]])),
    ?assertNot(Valid([[]])),
    ?assertNot(Valid([a])).

target(Function, Input, Options) ->
    cuter_fixture:with_modules(?CONTRACTS, fun() ->
        {ok, Target} = cuter_target:to_explore(contracts, Function, Input, Options),
        Target
    end).

%%% Findings

-define(SIGNATURE, #{
    clauses => [{[0], 1}], types => {{integer, neg_inf, pos_inf}, {atom, a}}, widened => []
}).

a_result_outside_the_spec_is_judged_natively_test() ->
    Target = #{
        mfa => {erlang, abs, 1}, seeds => [], options => #{}, signature => ?SIGNATURE
    },
    Found = #{input => [-3], result => 3},
    Outside = #{input => [0], original => [-3], result => 0},
    ?assertEqual({[Outside], []}, cuter_findings:returns([Found], Target)),
    Wrong = #{input => [not_a_number], result => 3},
    ?assertMatch(
        {[], [#{input := [not_a_number], result := 3, native := {raised, error, badarg, _}}]},
        cuter_findings:returns([Wrong], Target)
    ).

a_result_inside_the_spec_is_a_disagreement_test() ->
    Target = #{
        mfa => {erlang, hd, 1},
        seeds => [],
        options => #{},
        signature => (?SIGNATURE)#{types => {any, {atom, a}}}
    },
    Found = #{input => [[a]], result => b},
    ?assertEqual({[], [Found#{native => {ok, a}}]}, cuter_findings:returns([Found], Target)).

results_without_a_spec_show_nothing_test() ->
    Target = #{mfa => {erlang, abs, 1}, seeds => [], options => #{}},
    ?assertEqual({[], []}, cuter_findings:returns([#{input => [1], result => 1}], Target)).
