-module(cuter_corpus_tests).

-include_lib("eunit/include/eunit.hrl").

-define(F, {m, f, 1}).

a_file_that_is_not_there_is_empty_test() ->
    ?assertEqual({ok, #{}}, cuter_corpus:read("/no/such/file")).

what_is_written_is_read_again_test() ->
    with_file(fun(File) ->
        Corpus = #{
            ?F => lists:sort([
                {input, [[1, 2 | 3]]},
                {failure, ["a\nb \"quoted\" 'text'"]},
                {failure, [#{a => <<1:3>>, 'B c' => -1.5, [] => {}}]},
                {failure, [[$ä, 16#1F600]]},
                {accepted, [<<"bytes">>], "by \"contract\""},
                {explored, summary()}
            ]),
            {'Elixir.Shop', 'is ok?', 0} => [{input, []}]
        },
        ok = cuter_corpus:write(File, Corpus),
        ?assertEqual({ok, Corpus}, cuter_corpus:read(File))
    end).

it_has_one_sorted_line_a_term_test() ->
    with_file(fun(File) ->
        Corpus = #{?F => [{input, [N]} || N <- lists:seq(1, 20)], {a, b, 0} => [{failure, []}]},
        ok = cuter_corpus:write(File, Corpus),
        [Header | Lines] = lines(File),
        ?assertMatch(<<"%%", _/binary>>, Header),
        ?assertEqual(21, length(Lines)),
        ?assertEqual(lists:sort(Lines), Lines)
    end).

a_fun_with_source_is_kept_and_a_compiled_one_is_not_test() ->
    with_file(fun(File) ->
        {value, Written, _} = erl_eval:expr(parse("fun(1) -> a; (_) -> lists:nth(2, [b]) end"), []),
        Compiled = fun(X) -> X end,
        ok = cuter_corpus:write(File, #{?F => [{input, [Written]}, {input, [Compiled]}]}),
        {ok, #{?F := [{input, [Read]}]}} = cuter_corpus:read(File),
        ?assertEqual(a, Read(1)),
        ?assertEqual(1, length(tl(lines(File))))
    end).

nothing_is_called_while_it_is_read_test() ->
    with_file(fun(File) ->
        ok = file:write_file(File, "{m, f, 1, input, [self()]}.\n"),
        ?assertEqual({error, {cuter_corpus, {bad_line, File, 1}}}, cuter_corpus:read(File))
    end).

lines_of_both_sides_of_a_merge_count_once_test() ->
    with_file(fun(File) ->
        Text = "\n%% a comment\n{m, f, 1, input, [2]}.\n{m, f, 1, input, [1]}.\n"
            "{m, f, 1, input, [2]}.\n",
        ok = file:write_file(File, Text),
        ?assertEqual({ok, #{?F => [{input, [1]}, {input, [2]}]}}, cuter_corpus:read(File))
    end).

wrong_lines_are_named_test_() ->
    [
        {Line, fun() ->
            with_file(fun(File) ->
                ok = file:write_file(File, ["{m, f, 1, input, [2]}.\n", Line, "\n"]),
                {error, {cuter_corpus, Description}} = cuter_corpus:read(File),
                ?assertEqual({Kind, File, 2}, Description),
                Text = lists:flatten(cuter_corpus:format_error(Description)),
                ?assertNotEqual(nomatch, string:find(Text, ":2:"))
            end)
        end}
     || {Line, Kind} <- [
            {"<<<<<<< HEAD", merge_conflict},
            {"=======", merge_conflict},
            {">>>>>>> branch", merge_conflict},
            {"{m, f, 1, input, [1, 2]}.", bad_line},
            {"{m, f, 1, input, [1}.", bad_line},
            {"{m, f, 1, other, [1]}.", bad_line},
            {"{m, f, 1, accepted, [1]}.", bad_line},
            {"{m, f, 1, explored, #{}}.", bad_line},
            {"hello", bad_line}
        ]
    ].

a_place_that_cannot_be_written_stays_as_it_was_test() ->
    with_file(fun(File) ->
        ok = file:write_file(File, "not a directory"),
        Below = filename:join(File, "corpus"),
        {error, {cuter_corpus, Description}} = cuter_corpus:write(Below, #{?F => [{input, [1]}]}),
        ?assertMatch({not_written, Below, _}, Description),
        ?assertEqual({ok, <<"not a directory">>}, file:read_file(File)),
        ?assertEqual([filename:basename(File)], in_directory_of(File))
    end).

nothing_else_is_left_beside_it_test() ->
    with_file(fun(File) ->
        ok = cuter_corpus:write(File, #{?F => [{input, [1]}]}),
        ok = cuter_corpus:write(File, #{?F => [{input, [2]}]}),
        ?assertEqual([filename:basename(File)], in_directory_of(File))
    end).

an_empty_corpus_makes_no_file_test() ->
    with_file(fun(File) ->
        ok = cuter_corpus:write(File, #{}),
        ?assertEqual(false, filelib:is_file(File))
    end).

failures_are_run_before_other_inputs_test() ->
    Corpus = #{?F => [{accepted, [2], "r"}, {failure, [3]}, {input, [1]}]},
    ?assertEqual([[3], [2], [1]], cuter_corpus:inputs(?F, Corpus)).

accepting_marks_failures_only_test() ->
    Corpus = #{?F => [{failure, [3]}, {input, [1]}]},
    ?assertEqual(
        #{?F => [{input, [1]}, {accepted, [3], "r"}]}, cuter_corpus:accept(?F, "r", Corpus)
    ).

summary() ->
    #{
        modules => [m, n],
        fingerprint => 1 bsl 63,
        verdict => {limit, depth},
        clauses => {3, 4},
        runs => 17
    }.

parse(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text ++ "."),
    {ok, [Expr]} = erl_parse:parse_exprs(Tokens),
    Expr.

lines(File) ->
    {ok, Text} = file:read_file(File),
    binary:split(Text, <<"\n">>, [global, trim]).

in_directory_of(File) ->
    {ok, Names} = file:list_dir_all(filename:dirname(File)),
    Names.

with_file(Test) ->
    cuter_fixture:in_directory(fun(Dir) -> Test(filename:join(Dir, "cuter.corpus")) end).
