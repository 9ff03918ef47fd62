%% Generated EUnit modules: what they say, that they compile without warnings, and what `rebar3
%% eunit` makes of them in a project.
-module(cuter_tests_tests).

-include_lib("eunit/include/eunit.hrl").

-export([in_project/2, rebar3/2, project/2]).

-define(FIXTURE, "test/fixtures/regress.erl").
-define(SECONDS, 120).

%%% From reports made by hand, so that nothing depends on what the solver likes

the_module_is_as_in_the_golden_file_test_() ->
    {timeout, ?SECONDS, fun() ->
        with_fixture(fun(Dir) ->
            [File] = generated(reports(), Dir),
            ?assertEqual("regress_cuter_tests.erl", filename:basename(File)),
            check_golden(File),
            ?assertEqual([], too_wide(File))
        end)
    end}.

the_same_report_gives_the_same_bytes_test_() ->
    {timeout, ?SECONDS, fun() ->
        with_fixture(fun(Dir) ->
            [File] = generated(reports(), Dir),
            {ok, First} = file:read_file(File),
            [File] = generated(reports(), Dir),
            ?assertEqual({ok, First}, file:read_file(File)),
            [Other] = generated(lists:reverse(reports()), filename:join(Dir, "other")),
            ?assertEqual({ok, First}, file:read_file(Other))
        end)
    end}.

it_compiles_without_warnings_and_only_failures_fail_test_() ->
    {timeout, ?SECONDS, fun() ->
        with_fixture(fun(Dir) ->
            [File] = generated(reports(), Dir),
            Options = [warnings_as_errors, warn_unused_vars, warn_unused_import, warn_shadow_vars],
            Module = cuter_fixture:load(File, Dir, Options),
            ?assertEqual([classify_1, unlucky_2, update_1], lists:usort(failing_tests(Module)))
        end)
    end}.

%% The generators of a module that have a failing test, without their suffixes.
failing_tests(Module) ->
    Generators = [F || {F, 0} <- Module:module_info(exports), is_generator(F)],
    [group(F) || F <- Generators, Test <- Module:F(), not passes(Test)].

is_generator(Function) ->
    lists:suffix("_test_", atom_to_list(Function)).

%% The function under test; a failure in a group that should pass is shown as it is.
group(Generator) ->
    case string:split(atom_to_list(Generator), "_does_not_raise_") of
        [Function, "test_"] -> list_to_atom(Function);
        _ -> Generator
    end.

passes({_Title, Test}) when is_tuple(Test); is_function(Test) -> passes(Test);
passes({_Line, Test}) -> passes(Test);
passes(Test) when is_function(Test) ->
    try Test() of
        _ -> true
    catch
        _:_ -> false
    end.

what_cannot_be_written_is_counted_test_() ->
    in_time(fun(Dir) ->
        Clause = {regress, classify, 1, 99},
        Pid = input([self()], [Clause]),
        [File] = generated([report({regress, classify, 1}, [Pid], [])], Dir),
        {ok, Text} = file:read_file(File),
        Comment = <<"%% Not tested: one call whose input cannot be written down.">>,
        ?assertNotEqual(nomatch, binary:match(Text, Comment))
    end).

a_covering_input_that_fails_like_a_failure_is_no_expected_exception_test_() ->
    in_time(fun(Dir) ->
        Mfa = {regress, classify, 1},
        Inputs = [input([1], [clause(Mfa, 5)]), input([17], [clause(Mfa, 1), clause(Mfa, 2)])],
        Failure = failure(Mfa, [17]),
        [File] = generated([report(Mfa, Inputs, [Failure])], Dir),
        {ok, Text} = file:read_file(File),
        ?assertEqual(nomatch, binary:match(Text, <<"?_assertError">>)),
        ?assertMatch([_], binary:matches(Text, <<"classify(17)">>))
    end).

a_large_result_is_asserted_by_its_hash_test() ->
    Program = "-export([f/1]).\nf(N) when N >= 100000 -> lists:seq(1, N);\nf(N) -> N.\n",
    cuter_fixture:with_source(Program, [debug_info], fun(_) ->
        cuter_fixture:in_directory(fun(Dir) ->
            Mfa = {cuter_tried, f, 1},
            Input = input([100000], [clause(Mfa, 1)]),
            [File] = generated([report(Mfa, [Input], [])], Dir),
            {ok, Text} = file:read_file(File),
            Hash = integer_to_binary(erlang:phash2(lists:seq(1, 100000))),
            Expected = [<<"?_assertEqual(">>, Hash, <<", erlang:phash2(cuter_tried:f(100000)))">>],
            ?assertNotEqual(nomatch, binary:match(Text, iolist_to_binary(Expected)))
        end)
    end).

%% Two calls within a second agree on the time; tomorrow's does not.
what_depends_on_the_clock_is_asserted_by_its_type_test_() ->
    {timeout, ?SECONDS, fun() ->
        Program =
            "-export([f/1]).\n"
            "f(X) when X > 3 -> {erlang:date(), erlang:time(), X};\n"
            "f(_) -> none.\n",
        cuter_fixture:with_source(Program, [debug_info], fun(Source) ->
            Report = cuter:run(cuter_tried, f, [0], #{quiet => true}),
            ?assertMatch(#{outside := #{{erlang, date, 0} := _}}, Report),
            [File] = generated([Report], filename:dirname(Source)),
            {ok, Text} = file:read_file(File),
            {Year, _, _} = date(),
            ?assertEqual(nomatch, binary:match(Text, integer_to_binary(Year))),
            ?assertNotEqual(nomatch, binary:match(Text, <<"?_assertEqual(none">>)),
            ?assertNotEqual(nomatch, binary:match(Text, <<"?_assertMatch(">>))
        end)
    end}.

an_exception_that_raises_documents_is_asserted_test_() ->
    {timeout, ?SECONDS, fun() ->
        Program =
            "-export([f/1]).\n-cuter({f/1, #{raises => [{error, {too_large, '_'}}]}}).\n"
            "-spec f(integer()) -> integer().\n"
            "f(X) when X > 5 -> error({too_large, X});\nf(X) -> X.\n",
        cuter_fixture:with_source(Program, [debug_info], fun(_) ->
            cuter_fixture:in_directory(fun(Dir) ->
                Report = cuter:run(cuter_tried, f, [1], [quiet]),
                ?assertMatch(#{failures := []}, Report),
                [File] = generated([Report], Dir),
                Module = cuter_fixture:load(File, Dir, [warnings_as_errors]),
                ?assertEqual([], failing_tests(Module)),
                {ok, Text} = file:read_file(File),
                Call = "\\?_assertError\\({too_large, ([0-9]+)}, cuter_tried:f\\(\\1\\)\\)",
                ?assertMatch({match, _}, re:run(Text, Call))
            end)
        end)
    end}.

%% A failure and an expected exception of the same place and shape.
what_is_expected_is_no_failure_of_the_same_kind_test() ->
    Program = "-export([f/1]).\nf(X) -> error({oops, X}).\n",
    cuter_fixture:with_source(Program, [debug_info], fun(_) ->
        cuter_fixture:in_directory(fun(Dir) ->
            Mfa = {cuter_tried, f, 1},
            Inputs = [input([1], [clause(Mfa, 1)]), input([2], [clause(Mfa, 2)])],
            Report = report(Mfa, Inputs, [failure(Mfa, [2])]),
            [File] = generated([Report#{raises => [{error, {oops, 1}}]}], Dir),
            {ok, Text} = file:read_file(File),
            Expected = <<"?_assertError({oops, 1}, cuter_tried:f(1))">>,
            ?assertNotEqual(nomatch, binary:match(Text, Expected)),
            ?assertNotEqual(nomatch, binary:match(Text, <<"?_test(cuter_tried:f(2))">>))
        end)
    end).

otp_modules_are_called_without_warnings_test() ->
    cuter_fixture:in_directory(fun(Dir) ->
        Mfa = {erlang, hd, 1},
        Reports = [report(Mfa, [input([[1, 2]], [clause(Mfa, 1)])], [failure(Mfa, [[]])])],
        [File] = generated(Reports, Dir),
        ?assertMatch({ok, _}, compile:file(File, [warnings_as_errors, {outdir, Dir}]))
    end).

names_that_need_quotes_are_quoted_test() ->
    cuter_fixture:in_directory(fun(Dir) ->
        Source = filename:join(Dir, "odd-name.erl"),
        ok = file:write_file(Source, <<
            "-module('odd-name').\n-export(['Do it'/1]).\n"
            "-record('A b', {'C d'}).\n'Do it'(X) -> #'A b'{'C d' = X}.\n"
        >>),
        _ = cuter_fixture:load(Source, Dir, [debug_info]),
        Mfa = {'odd-name', 'Do it', 1},
        [File] = generated([report(Mfa, [input([1], [clause(Mfa, 1)])], [])], Dir),
        ?assertMatch({ok, _}, compile:file(File, [warnings_as_errors, {outdir, Dir}])),
        {ok, Text} = file:read_file(File),
        ?assertNotEqual(nomatch, binary:match(Text, <<"#'A b'{'C d' = 1}">>))
    end).

%%% Renewal

hand_written_parts_are_kept_test_() ->
    in_time(fun(Dir) ->
        [File] = generated(reports(), Dir),
        {ok, First} = file:read_file(File),
        [Head, Middle, Tail] = binary:split(First, <<"%% begin hand-written\n">>, [global]),
        Mark = <<"%% begin hand-written\n">>,
        Edited = [Head, Mark, "-define(MINE, 1).\n", Middle, Mark, "mine_test() -> ?MINE.\n", Tail],
        ok = file:write_file(File, Edited),
        [File] = generated(reports(), Dir),
        ?assertEqual({ok, iolist_to_binary(Edited)}, file:read_file(File)),
        [Only | _] = reports(),
        [File] = generated([Only], Dir),
        {ok, Renewed} = file:read_file(File),
        ?assertNotEqual(nomatch, binary:match(Renewed, <<"mine_test() -> ?MINE.">>)),
        ?assertNotEqual(nomatch, binary:match(Renewed, <<"-define(MINE, 1).">>)),
        ?assert(byte_size(Renewed) < iolist_size(Edited)),
        ?assertMatch({ok, _}, compile:file(File, [warnings_as_errors, {outdir, Dir}]))
    end).

a_file_of_somebody_else_is_left_alone_test_() ->
    [
        ?_test(
            with_fixture(fun(Dir) ->
                File = filename:join(Dir, "regress_cuter_tests.erl"),
                ok = file:write_file(File, Text),
                {error, {cuter_tests, {Kind, File} = D}} = cuter_tests:generate(reports(), Dir),
                ?assertEqual({ok, iolist_to_binary(Text)}, file:read_file(File)),
                ?assertMatch([_ | _], lists:flatten(cuter:format_error({cuter_tests, D})))
            end)
        )
     || {Kind, Text} <- [
            {not_ours, "-module(regress_cuter_tests).\n"},
            {broken_markers, "%% begin hand-written\n"},
            {broken_markers, "%% begin hand-written\n%% end hand-written\n"},
            {broken_markers, "%% end hand-written\n%% begin hand-written\n"}
        ]
    ].

an_unwritable_directory_gives_a_sentence_and_no_file_test_() ->
    in_time(fun(Dir) ->
        Where = filename:dirname(cuter_file_tests:unwritable(Dir)),
        {ok, Before} = file:list_dir(Where),
        {error, Reason} = cuter:generate_tests(reports(), Where),
        Sentence = lists:flatten(cuter:format_error(Reason)),
        ?assertMatch({match, _}, re:run(Sentence, "^[^\n]*cannot be written[^\n]*\\.$")),
        ?assertEqual({ok, Before}, file:list_dir(Where))
    end).

what_is_no_report_is_refused_test() ->
    Answer = cuter:generate_tests({error, x}, "/tmp"),
    ?assertMatch({error, {cuter_tests, {not_a_report, {error, x}}}}, Answer).

%%% From explorations

explored_functions_give_tests_that_pass_test_() ->
    {timeout, ?SECONDS, fun() ->
        with_fixture(fun(Dir) ->
            Targets = [
                {regress, classify, [1]},
                {regress, measure, [1]},
                {regress, move, [{point, 1, 2, undefined}]},
                {regress, parse, ["a"]}
            ],
            Reports = cuter:run(Targets, [quiet, {time_limit, 20000}]),
            [File] = generated(Reports, Dir),
            Module = cuter_fixture:load(File, Dir, [warnings_as_errors]),
            ?assertEqual([classify_1], failing_tests(Module))
        end)
    end}.

%% In a project of its own: the tests fail, and pass when the code is fixed.
rebar3_runs_the_tests_test_() ->
    {timeout, 2 * ?SECONDS, fun() ->
        Functions = "fails(X) when X =:= 1234 -> error(here);\nfails(X) -> X.\n",
        in_project(Functions, fun(Dir) ->
            Report = cuter:run(cuter_user_code, fails, [1], [quiet]),
            {ok, [_]} = cuter:generate_tests(Report, filename:join(Dir, "test")),
            {1, Failing} = rebar3(Dir, ["eunit"]),
            ?assertNotEqual(nomatch, string:find(Failing, "raised error: here")),
            ?assertNotEqual(nomatch, string:find(Failing, "1 failures")),
            ok = project(Dir, "fails(X) -> X.\n"),
            %% The clock of files may be slower than this test.
            ok = file:del_dir_r(filename:join(Dir, "_build/test")),
            {0, Passing} = rebar3(Dir, ["eunit"]),
            ?assertMatch({match, _}, re:run(Passing, "[2-9] tests, 0 failures"))
        end)
    end}.

%% Runs the test with a project whose module `cuter_user_code` is compiled and in the code path.
in_project(Functions, Test) ->
    cuter_fixture:in_directory(fun(Dir) ->
        ok = project(Dir, Functions),
        Ebin = filename:join(Dir, "_build/default/lib/tried/ebin"),
        {0, _} = rebar3(Dir, ["compile"]),
        true = code:add_patha(Ebin),
        try
            Test(Dir)
        after
            true = code:del_path(Ebin),
            _ = code:purge(cuter_user_code),
            _ = code:delete(cuter_user_code)
        end
    end).

project(Dir, Functions) ->
    Write = fun(Name, Text) ->
        File = filename:join(Dir, Name),
        ok = filelib:ensure_dir(File),
        ok = file:write_file(File, Text)
    end,
    Write("rebar.config", "{erl_opts, [debug_info, warnings_as_errors]}.\n"),
    Write("src/tried.app.src", [
        "{application, tried, [{description, \"\"}, {vsn, \"1\"}, {modules, []},",
        " {applications, [kernel, stdlib]}]}.\n"
    ]),
    Head = "-module(cuter_user_code).\n-export([fails/1]).\n",
    Write("src/cuter_user_code.erl", [Head, Functions]).

rebar3(Dir, Args) ->
    Port = open_port(
        {spawn_executable, os:find_executable("rebar3")},
        [{args, Args}, {cd, Dir}, exit_status, stderr_to_stdout, {env, environment()}]
    ),
    collect(Port, []).

%% As a user calls it, not as part of this project's tests.
environment() ->
    [{"REBAR_PROFILE", false}, {"ERL_LIBS", false}, {"REBAR_COLOR", "none"}].

collect(Port, Output) ->
    receive
        {Port, {data, Data}} -> collect(Port, [Output, Data]);
        {Port, {exit_status, Status}} -> {Status, lists:flatten(Output)}
    end.

%%% Reports

reports() ->
    [
        found(classify, [[1], [11], [a], [17]], [[17]]),
        found(measure, [[1], [2]], []),
        found(make, [[pid], [ref], ['fun'], [map], [time], [other]], []),
        found(move, [[{point, 4, 2, x}], [{point, 0, undefined, undefined}], [a]], []),
        found(parse, [["hello"], [<<"bin">>], [<<1>>]], []),
        found(update, [[#{key => 1}], [#{a => 1}]], [[0]]),
        found(documented, [[1], [6]], []),
        found(unlucky, [[1, [a]]], [[0, []]])
    ].

%% A report in which each input enters a clause of its own.
found(Function, Inputs, Failing) ->
    Mfa = {regress, Function, length(hd(Inputs))},
    Numbered = lists:zip(lists:seq(1, length(Inputs)), Inputs),
    report(
        Mfa,
        [input(Input, [clause(Mfa, N)]) || {N, Input} <- Numbered],
        [failure(Mfa, Input) || Input <- Failing]
    ).

report(Mfa, Inputs, Failures) ->
    cuter_report:new(#{inputs => Inputs}, #{mfa => Mfa, failures => Failures}).

input(Input, Clauses) ->
    #{input => Input, clauses => Clauses, outcome => returned, run => 1}.

clause({Module, Function, Arity}, Number) ->
    {Module, Function, Arity, Number}.

failure({Module, Function, _}, Input) ->
    {raised, Class, Reason, Stacktrace} = cuter_replay:native({Module, Function}, Input),
    #{
        input => Input,
        original => Input,
        class => Class,
        reason => Reason,
        stacktrace => Stacktrace
    }.

%%% Files

generated(Reports, Dir) ->
    {ok, Files} = cuter_tests:generate(Reports, Dir),
    Files.

%% Generating makes inputs small, which takes up to a second for each.
in_time(Test) ->
    {timeout, ?SECONDS, fun() -> with_fixture(Test) end}.

with_fixture(Test) ->
    cuter_fixture:with_modules([?FIXTURE], fun() -> cuter_fixture:in_directory(Test) end).

too_wide(File) ->
    {ok, Text} = file:read_file(File),
    [Line || Line <- string:split(Text, "\n", all), string:length(Line) > 100].

check_golden(File) ->
    Golden = cuter_fixture:file("test/golden/regress_cuter_tests.txt"),
    {ok, Actual} = file:read_file(File),
    ok = bless(os:getenv("CUTER_BLESS"), Golden, Actual),
    {ok, Expected} = file:read_file(Golden),
    ?assertEqual(Expected, Actual).

bless("1", File, Text) -> file:write_file(File, Text);
bless(_, _File, _Text) -> ok.
