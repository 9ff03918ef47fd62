%% What a user reads who asks for something that cannot be done.
-module(cuter_api_tests).

-include_lib("eunit/include/eunit.hrl").

-define(QUIET, #{quiet => true}).

mistakes_give_a_sentence_test_() ->
    [
        {Part, fun() -> check_sentence(Result(), Part) end}
     || {Result, Part} <- [
            {fun() -> cuter:run(no_such_module, f, [1], ?QUIET) end,
                "Module no_such_module does not exist"},
            {fun() -> cuter:run(lists, no_such_function, [1], ?QUIET) end,
                "Function lists:no_such_function/1 is not exported"},
            {fun() -> cuter:run(lists, reverse, [1, 2, 3], ?QUIET) end,
                "Function lists:reverse takes 1 or 2 arguments, not 3"},
            {fun() -> cuter:run(lists, last, [], ?QUIET) end,
                "Function lists:last takes 1 argument, not 0"},
            {fun() -> cuter:run(lists, last, 17, ?QUIET) end,
                "Function lists:last takes 1 argument, not 17"},
            {fun() -> cuter:run(lists, last, 256, ?QUIET) end, "The arguments must be a list"},
            {fun() -> cuter:run(lists, last, "x" ++ y, ?QUIET) end, "or their number"},
            {fun() -> cuter:run(lists, last, {seeds, []}, ?QUIET) end, "There is no seed"},
            {fun() -> cuter:run(lists, last, {seeds, [[1], []]}, ?QUIET) end, "Seeds are a list"},
            {fun() -> cuter:run(lists, last, {seeds, [1]}, ?QUIET) end, "Seeds are a list"},
            {fun() -> cuter:run(lists, last, [[1]], #{quiet => true, seeds => [[1, 2]]}) end,
                "Seed [1,2] must be a list of the arguments, which are 1"},
            {fun() -> cuter:run(lists, last, 1, #{quiet => true, pre => no_such}) end,
                "The predicate lists:no_such/1 does not exist"},
            {fun() -> cuter:run(lists, last, 1, #{quiet => true, pre => fun lists:nth/2}) end,
                "A predicate of 2 arguments cannot be the precondition of lists:last/1"},
            {fun() -> cuter:eval(lists, last, 1) end, "The arguments must be a list"},
            {fun() -> cuter:run(lists, last, [17 | 18], ?QUIET) end,
                "The arguments must be a list"},
            {fun() -> cuter:run("lists", last, [17], ?QUIET) end,
                "A function is named by two atoms"},
            {fun() -> cuter:run(lists, last, [[1]], #{quiet => true, depth => 0}) end,
                "Option depth cannot be 0"},
            {fun() -> hd(cuter:run([{lists, last}], ?QUIET)) end, "is not {Module, Function, Arg"},
            {fun() -> cuter:eval(no_such_module, f, []) end, "Module no_such_module does not exist"}
        ]
    ].

an_error_is_printed_unless_quiet_test() ->
    Loud = cuter_fixture:printed(fun() -> cuter:run(no_such_module, f, []) end),
    ?assertNotEqual(nomatch, string:find(Loud, "Module no_such_module does not exist")),
    ?assertEqual("", cuter_fixture:printed(fun() -> cuter:run(no_such_module, f, [], ?QUIET) end)).

each_target_of_a_list_has_its_own_result_test() ->
    Results = cuter:run([{no_such_module, f, []}, {lists, no_such_function, []}], ?QUIET),
    ?assertMatch(
        [
            {error, {cuter_core, {no_such_module, no_such_module}}},
            {error, {cuter_target, {not_exported, lists, no_such_function, 0}}}
        ],
        Results
    ).

check_sentence({error, Reason}, Part) ->
    Text = lists:flatten(cuter:format_error(Reason)),
    ?assertNotEqual(nomatch, string:find(Text, Part)),
    ?assertEqual($., lists:last(Text)).
