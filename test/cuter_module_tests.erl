-module(cuter_module_tests).

-include_lib("eunit/include/eunit.hrl").

-define(PROGRAM,
    %% with_source puts the module line before this
    "-export([f/1]).\n"
    "-record(r, {a = 1, b, c :: integer(), d = undefined}).\n"
    "f([X | Xs]) ->\n"
    "    case X of\n"
    "        1 ->\n"
    "            g(#r{a = Xs});\n"
    "        _ ->\n"
    "            [\n"
    "                two\n"
    "            ]\n"
    "    end;\n"
    "f(_) -> three.\n"
    "\n"
    "g(R) -> R.\n"
).

records_are_known_by_tag_and_size_test() ->
    with(fun(_) ->
        Fields = [{a, false}, {b, true}, {c, true}, {d, true}],
        ?assertEqual(#{{r, 5} => Fields}, cuter_module:records(cuter_tried))
    end).

lines_belong_to_their_innermost_clause_test() ->
    with(fun(_) ->
        Clauses = cuter_module:clauses(cuter_tried),
        Owners = [maps:get(Line, Clauses, none) || Line <- lists:seq(4, 15)],
        ?assertEqual([4, 4, 6, 6, 8, 8, 8, 8, none, 13, none, 15], Owners)
    end).

functions_have_a_first_and_a_last_line_test() ->
    with(fun(_) ->
        ?assertEqual([{f, 1, 4, 13}, {g, 1, 15, 15}], cuter_module:functions(cuter_tried))
    end).

the_source_is_found_test() ->
    with(fun(Source) ->
        {File, Lines} = cuter_module:source(cuter_tried),
        ?assertEqual(filename:absname(Source), filename:absname(File)),
        ?assertEqual(<<"f(_) -> three.">>, lists:nth(13, Lines)),
        ?assertEqual({ok, <<"g(R) -> R.">>}, cuter_module:line(cuter_tried, 15)),
        ?assertEqual(none, cuter_module:line(cuter_tried, 100)),
        ?assertEqual(none, cuter_module:line(cuter_tried, 0))
    end).

funs_and_comprehensions_are_written_in_a_function_test() ->
    ?assertEqual({m, f, 1}, cuter_module:around({m, '-f/1-fun-0-', 3})),
    ?assertEqual({m, 'a-b', 2}, cuter_module:around({m, '-a-b/2-lc$^1/1-0-', 1})),
    ?assertEqual({m, f, 3}, cuter_module:around({m, f, 3})).

a_module_without_anything_has_no_facts_test() ->
    ?assertEqual(none, cuter_module:source(no_such_module)),
    ?assertEqual(#{}, cuter_module:records(no_such_module)),
    ?assertEqual(#{}, cuter_module:clauses(no_such_module)),
    ?assertEqual([], cuter_module:functions(no_such_module)).

files_below_the_current_directory_are_named_from_there_test() ->
    {ok, Cwd} = file:get_cwd(),
    ?assertEqual("src/x.erl", cuter_module:display_file(filename:join(Cwd, "src/x.erl"))),
    ?assertEqual("/elsewhere/x.erl", cuter_module:display_file("/elsewhere/x.erl")),
    ?assertEqual("src/x.erl", cuter_module:display_file("src/x.erl")).

with(Test) ->
    cuter_fixture:with_source(?PROGRAM, [debug_info], Test).
