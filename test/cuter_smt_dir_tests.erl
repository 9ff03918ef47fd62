%% Questions to the solver, written as SMT-LIB: plain z3 gives the same answers.
-module(cuter_smt_dir_tests).

-include_lib("eunit/include/eunit.hrl").

%% Programs whose questions have all kinds of things in them, with the least number of questions.
plain_z3_gives_the_same_answers_test_() ->
    [
        {lists:flatten(io_lib:format("~p:~p", [M, F])),
            {timeout, 300, fun() -> same_answers(Path, {M, F, Input}, Least) end}}
     || {Path, M, F, Input, Least} <- [
            {none, orddict, append, [k, v, []], 10},
            {none, calendar, day_of_the_week, [2000, 1, 1], 1},
            {none, lists, merge, [[1], [2]], 5},
            {"test/fixtures/symbolic_maps.erl", symbolic_maps, symbolic_key, [a, #{}], 0},
            {"test/fixtures/symbolic_maps.erl", symbolic_maps, sorted_keys, [#{}], 1},
            {"test/fixtures/symbolic_scalars.erl", symbolic_scalars, int_band_scattered, [1], 1},
            {"test/fixtures/symbolic_scalars.erl", symbolic_scalars, int_bxor_unknown, [1, 2], 1},
            {"test/fixtures/symbolic_scalars.erl", symbolic_scalars, atom_between, [a], 1},
            {"test/fixtures/symbolic_scalars.erl", symbolic_scalars, known_hash, [a], 1},
            {"test/fixtures/symbolic_scalars.erl", symbolic_scalars, float_absorbed, [1.0], 1},
            {"test/fixtures/solve_bits.erl", solve_bits, tlv, [<<>>], 3},
            {"test/fixtures/hidden_funs.erl", hidden_funs, two_inputs, [fun(_) -> 1 end], 1}
        ]
    ].

same_answers(none, Call, Least) ->
    compare(Call, Least);
same_answers(Path, Call, Least) ->
    cuter_fixture:with_modules([Path], fun() -> compare(Call, Least) end).

compare({M, F, Input}, Least) ->
    cuter_fixture:in_directory(fun(Dir) ->
        Smt = filename:join(Dir, "smt"),
        Options = #{quiet => true, smt_dir => Smt, time_limit => 6000, max_runs => 400},
        #{queries := Asked} = cuter:run(M, F, Input, Options),
        Files = cuter_smt_dir:files(Smt, {M, F, length(Input)}),
        ?assert(length(Files) >= Least),
        %% Some questions are asked in more than one form; where Z3 itself fails there is no text.
        ?assert(length(Files) >= lists:sum(maps:values(maps:with([sat, unsat], Asked)))),
        Answers = [noted(File) || File <- Files],
        ?assertEqual([], differences(Files, Answers, plain(Files, Dir)))
    end).

%% What the first lines say about the answer.
noted(File) ->
    {ok, Text} = file:read_file(File),
    {match, [Answer]} = re:run(Text, "^; answer: (\\w+)$", [multiline, {capture, [1], list}]),
    Answer.

differences(Files, Noted, Found) ->
    [
        {File, One, Other}
     || {File, One, Other} <- lists:zip3(Files, Noted, Found),
        One =/= "unknown", Other =/= "unknown", One =/= Other
    ].

%% The answers of one z3 process to all files.
plain(Files, Dir) ->
    All = filename:join(Dir, "all.smt2"),
    Parts = [[element(2, {ok, _} = file:read_file(File)), "\n(reset)\n"] || File <- Files],
    ok = file:write_file(All, Parts),
    Z3 = string:trim(os:cmd(cuter_fixture:file("scripts/fetch-z3") ++ " command")),
    ?assert(filelib:is_regular(Z3)),
    Output = os:cmd(lists:concat([Z3, " -t:2000 ", All])),
    string:lexemes(Output, "\n").

the_files_of_an_earlier_call_are_gone_and_others_stay_test() ->
    cuter_fixture:in_directory(fun(Dir) ->
        Old = [
            filename:join(Dir, Name)
         || Name <- ["lists.nth.2.000001.smt2", "lists.nth.2.099999.smt2"]
        ],
        Others = [
            filename:join(Dir, Name)
         || Name <- ["lists.nth.3.000001.smt2", "lists.nth.2.x.smt2", "lists-nth.2.000001.smt2"]
        ],
        [ok = file:write_file(File, "old") || File <- Old ++ Others],
        ok = cuter_smt_dir:prepare(Dir, {lists, nth, 2}),
        ?assertEqual([], [File || File <- Old, filelib:is_file(File)]),
        ?assertEqual([], [File || File <- Others, not filelib:is_file(File)])
    end).

names_that_are_no_names_of_files_are_found_again_test() ->
    cuter_fixture:in_directory(fun(Dir) ->
        Source = [
            "-module('odd name').\n-export(['a/b.c'/2]).\n",
            "'a/b.c'(X, Y) when X + Y =:= 17, X - Y =:= 3 -> error(found);\n",
            "'a/b.c'(_, _) -> ok.\n"
        ],
        File = filename:join(Dir, "odd name.erl"),
        ok = file:write_file(File, Source),
        'odd name' = cuter_fixture:load(File, Dir, [debug_info]),
        Smt = filename:join(Dir, "smt"),
        #{failures := [_ | _]} =
            cuter:run('odd name', 'a/b.c', [1, 1], #{quiet => true, smt_dir => Smt}),
        ?assertMatch([_ | _], cuter_smt_dir:files(Smt, {'odd name', 'a/b.c', 2}))
    end).

a_directory_that_cannot_be_made_is_an_error_test() ->
    cuter_fixture:in_directory(fun(Dir) ->
        File = filename:join(Dir, "file"),
        ok = file:write_file(File, "x"),
        Smt = filename:join(File, "smt"),
        {error, Reason} = cuter:run(lists, nth, [1, [a]], #{quiet => true, smt_dir => Smt}),
        ?assertMatch({cuter_smt_dir, {no_directory, Smt, enotdir}}, Reason),
        ?assertMatch({match, _}, re:run(cuter:format_error(Reason), "choose another directory"))
    end).
