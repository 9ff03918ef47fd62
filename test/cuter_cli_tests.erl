-module(cuter_cli_tests).

-include_lib("eunit/include/eunit.hrl").

without_anything_there_are_defaults_test() ->
    {ok, Plan} = cuter_cli:plan([], []),
    ?assertMatch(
        #{
            all := false,
            options := Options,
            total_time := infinity,
            corpus := "test/cuter.corpus",
            fail_on := [failure, disagreement, spec, difference]
        } when map_size(Options) =:= 0,
        Plan
    ).

the_command_line_comes_before_the_configuration_test() ->
    Configured = [{depth, 10}, {time, "2m"}, {report, html}, {skip, [a]}, verbose],
    ?assertMatch(
        #{options := #{depth := 10, time_limit := 120000}, reports := [{html, default}]},
        plan([], Configured)
    ),
    ?assertMatch(
        #{
            options := #{depth := 20, time_limit := 120000},
            reports := [{json, default}, {junit, "out.xml"}],
            skip := [a, {b, c, 1}],
            verbose := true
        },
        plan(
            [{depth, "20"}, {report, "json"}, {report, "junit:out.xml"}, {skip, "b:c/1"}],
            Configured
        )
    ).

the_first_of_two_equal_options_counts_test() ->
    ?assertMatch(#{options := #{depth := 1}}, plan([], [{depth, 1}, {depth, 2}])).

times_have_units_test_() ->
    [
        ?_assertMatch(#{total_time := Ms}, plan([{total_time, Text}], []))
     || {Text, Ms} <- [
            {"5", 5000}, {"5s", 5000}, {"250ms", 250}, {"2m", 120000}, {"2min", 120000},
            {"1h", 3600000}
        ]
    ].

milliseconds_can_be_configured_test() ->
    ?assertMatch(#{options := #{time_limit := 250}}, plan([], [{time_limit, 250}])).

functions_and_modules_are_named_test() ->
    ?assertMatch(
        #{modules := [a, b], functions := [{f, any}, {g, 2}], apps := [x]},
        plan([{module, "a,b"}, {function, "f,g/2"}, {app, "x"}], [])
    ).

an_input_is_a_list_of_arguments_test() ->
    ?assertMatch(
        #{seed_input := [[1, 2], "text", #{a := b}]},
        plan([{function, "f"}, {seed_input, "[[1,2], \"text\", #{a => b}]"}], [])
    ).

tests_go_where_they_are_wanted_test_() ->
    [
        ?_assertMatch(#{generate_tests := Expected}, plan(Given, Configured))
     || {Given, Configured, Expected} <- [
            {[], [], false},
            {[generate_tests], [], true},
            {[{generate_tests, "other"}], [], "other"},
            {[], [generate_tests], true},
            {[], [{generate_tests, "other"}], "other"}
        ]
    ].

only_a_value_makes_the_option_take_one_test() ->
    Type = fun(Words) ->
        element(4, lists:keyfind(generate_tests, 1, cuter_cli:options(Words)))
    end,
    ?assertEqual(undefined, Type(["cuter", "--generate-tests", "-m", "x"])),
    ?assertEqual(string, Type(["cuter", "--generate-tests=dir"])).

findings_are_listed_test_() ->
    [
        ?_assertMatch(#{fail_on := Expected}, plan(Given, Configured))
     || {Given, Configured, Expected} <- [
            {[{fail_on, "none"}], [], []},
            {[{fail_on, "failure,uncovered"}], [], [failure, uncovered]},
            {[], [{fail_on, [limit, stale]}], [limit, stale]},
            {[], [{fail_on, none}], []}
        ]
    ].

mistakes_give_a_sentence_test_() ->
    [
        {Part, fun() -> check_sentence(cuter_cli:plan(Given, Configured), Part) end}
     || {Given, Configured, Part} <- [
            {[], oops, "must be a list of options, not oops"},
            {[], [{oops, 1}], "There is no option oops"},
            {[], [{seed_input, "[1]"}], "There is no option seed_input"},
            {[], [17], "There is no option 17"},
            {[], [{seeds, [oops]}], "Option seeds cannot be [oops]"},
            {[], [{skip, oops}], "Option skip cannot be oops"},
            {[{depth, "x"}], [], "Option depth cannot be \"x\"; it takes a positive integer"},
            {[{depth, "0"}], [], "Option depth cannot be 0"},
            {[{workers, "1.5"}], [], "Option workers cannot be \"1.5\""},
            {[{time, "3x"}], [], "Option time cannot be \"3x\"; it takes a time"},
            {[{total_time, "-1"}], [], "Option total-time cannot be"},
            {[{strategy, "worst"}], [], "Option strategy cannot be worst"},
            {[{report, "pdf"}], [], "Option report cannot be \"pdf\""},
            {[{fail_on, "bad"}], [], "Option fail-on cannot be \"bad\""},
            {[{function, "f/x"}], [], "Option function cannot be \"f/x\""},
            {[{function, "f"}, {seed_input, "[1"}], [], "Option seed-input cannot be \"[1\""},
            {[{function, "f"}, {seed_input, "[self()]"}], [], "Option seed-input cannot be"},
            {[{seed_input, "[1]"}], [], "--seed-input needs --function"},
            {[{accept, "why"}, {corpus, "none"}], [], "--accept needs a corpus"},
            {[{task, "stray"}], [], "\"stray\" is no option"}
        ]
    ].

every_option_has_a_help_text_test() ->
    [?assert(length(element(5, Option)) > 10) || Option <- cuter_cli:options([])].

every_option_is_in_the_reference_test() ->
    {ok, Text} = file:read_file(cuter_fixture:file("docs/options.md")),
    Missing = [
        Long
     || {_, _, Long, _, _} <- cuter_cli:options([]),
        string:find(Text, "`--" ++ Long) =:= nomatch
    ],
    ?assertEqual([], Missing).

check_sentence({error, {cuter_cli, Description}}, Part) ->
    Text = lists:flatten(cuter_cli:format_error(Description)),
    ?assertNotEqual({nomatch, Text}, {string:find(Text, Part), Text}),
    ?assertEqual($., lists:last(Text)).

plan(Given, Configured) ->
    {ok, Plan} = cuter_cli:plan(Given, Configured),
    Plan.
