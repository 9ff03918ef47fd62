-module(cuter_options_tests).

-include_lib("eunit/include/eunit.hrl").

maps_and_property_lists_mean_the_same_test() ->
    Expected = {ok, #{depth => 10, quiet => true}},
    ?assertEqual(Expected, cuter_options:parse(#{depth => 10, quiet => true})),
    ?assertEqual(Expected, cuter_options:parse([{depth, 10}, quiet])).

the_first_of_two_equal_keys_wins_test() ->
    ?assertEqual({ok, #{depth => 1}}, cuter_options:parse([{depth, 1}, {depth, 2}])).

good_values_are_accepted_test_() ->
    [
        ?_assertEqual({ok, #{Key => Value}}, cuter_options:parse(#{Key => Value}))
     || {Key, Value} <- [
            {depth, 1},
            {time_limit, 1000},
            {max_runs, 5},
            {max_steps, 5},
            {solver_timeout, 5},
            {solver_memory, 100},
            {workers, 2},
            {strategy, coverage},
            {strategy, random},
            {seed, -3},
            {ignore_specs, true},
            {concrete, [crypto, {m, f, 1}]},
            {pre, valid},
            {pre, {valid, 1}},
            {pre, {m, valid}},
            {pre, fun lists:member/2},
            {raises, []},
            {raises, [badarg, {error, {bad, '_'}}]},
            {seeds, [[1], [2]]},
            {report, "report.txt"},
            {smt_dir, "questions"},
            {quiet, false}
        ]
    ].

bad_values_give_a_sentence_test_() ->
    [
        {atom_to_list(Key), fun() -> check_sentence(#{Key => Value}, atom_to_list(Key)) end}
     || {Key, Value} <- [
            {depth, 0},
            {depth, many},
            {time_limit, -1},
            {solver_memory, 0},
            {workers, 1.5},
            {strategy, best},
            {seed, x},
            {ignore_specs, 1},
            {concrete, crypto},
            {pre, "valid"},
            {pre, {valid, -1}},
            {pre, fun(_) -> true end},
            {raises, badarg},
            {raises, [a | b]},
            {seeds, [1]},
            {seeds, [[1] | [2]]},
            {concrete, [{m, f}]},
            {report, 1},
            {smt_dir, ""},
            {quiet, yes}
        ]
    ].

unknown_options_give_a_sentence_test() ->
    check_sentence([{dept, 5}], "There is no option dept; the options are depth, ").

things_that_are_no_options_give_a_sentence_test_() ->
    [?_test(check_sentence(Given, "option")) || Given <- [5, [5], [{"depth", 1}], [a | b]]].

quiet_is_known_even_if_other_options_are_wrong_test_() ->
    [
        ?_assertEqual(Expected, cuter_options:is_quiet(Given))
     || {Expected, Given} <- [
            {true, #{quiet => true, depth => 0}},
            {true, [quiet, {depth, 0}]},
            {false, [{quiet, false}]},
            {false, []},
            {false, #{}},
            {false, [quiet | x]},
            {false, 5}
        ]
    ].

the_engine_does_not_see_options_of_printing_test() ->
    ?assertEqual(#{depth => 1}, cuter_options:engine(#{depth => 1, quiet => true, report => "x"})).

the_engine_does_not_see_options_of_the_target_among_its_own_test() ->
    Options = #{depth => 1, pre => p, raises => [x], seeds => [], ignore_specs => true},
    ?assertEqual(#{depth => 1}, cuter_options:engine(Options)).

check_sentence(Given, Part) ->
    {error, {cuter_options, Description}} = cuter_options:parse(Given),
    Text = lists:flatten(cuter_options:format_error(Description)),
    ?assertNotEqual(nomatch, string:find(Text, Part)),
    ?assertEqual($., lists:last(Text)).
