%% Coverage data as `cover` and `rebar3 cover` take it.
-module(cuter_cover_tests).

-include_lib("eunit/include/eunit.hrl").

-define(SECONDS, 120).

the_data_has_the_lines_that_the_inputs_reach_test_() ->
    {timeout, ?SECONDS, fun() ->
        with_module(fun(Module, Dir) ->
            File = filename:join([Dir, "made", "cuter.coverdata"]),
            ?assertEqual(ok, cuter_cover:write([report(Module, [[1], [2]])], File)),
            ?assertEqual({ok, ["cuter.coverdata"]}, file:list_dir(filename:dirname(File))),
            ?assertEqual([{3, 1}, {4, 1}, {5, 0}], calls(Module, File))
        end)
    end}.

%% A session of the user, with modules and counts of its own, goes on as if nothing had happened.
a_running_session_is_not_disturbed_test_() ->
    {timeout, ?SECONDS, fun() ->
        with_module(fun(Module, Dir) ->
            _ = cover:stop(),
            {ok, _} = cover:start(),
            {ok, Module} = cover:compile_beam(code:where_is_file(atom_to_list(Module) ++ ".beam")),
            three = Module:f(x),
            Before = {cover:modules(), cover:analyse(Module, calls, line), code:which(Module)},
            ok = cuter_cover:write([report(Module, [[1]])], filename:join(Dir, "cuter.coverdata")),
            After = {cover:modules(), cover:analyse(Module, calls, line), code:which(Module)},
            ok = cover:stop(),
            ?assertEqual(Before, After)
        end)
    end}.

%% Together with the tests of a project, of which there is one.
rebar3_merges_the_data_test_() ->
    {timeout, 2 * ?SECONDS, fun() ->
        Functions = "fails(1) -> one;\nfails(2) -> two;\nfails(_) -> other.\n",
        cuter_tests_tests:in_project(Functions, fun(Dir) ->
            ok = file:make_dir(filename:join(Dir, "test")),
            Tests = "-module(cuter_user_code_tests).\n-export([one_test/0]).\n"
                "one_test() -> one = cuter_user_code:fails(1).\n",
            ok = file:write_file(filename:join(Dir, "test/cuter_user_code_tests.erl"), Tests),
            {0, _} = cuter_tests_tests:rebar3(Dir, ["eunit", "--cover"]),
            ?assertEqual("33%", percentage(Dir)),
            File = filename:join(Dir, "_build/test/cover/cuter.coverdata"),
            ok = cuter_cover:write([(report(cuter_user_code, [[2], [3]]))#{
                mfa => {cuter_user_code, fails, 1}
            }], File),
            ?assertEqual("100%", percentage(Dir))
        end)
    end}.

percentage(Dir) ->
    {0, Output} = cuter_tests_tests:rebar3(Dir, ["cover", "--verbose"]),
    {match, [Percentage]} = re:run(Output, "cuter_user_code +\\| +([0-9]+%)", [
        {capture, all_but_first, list}
    ]),
    Percentage.

failing_inputs_count_too_test_() ->
    {timeout, ?SECONDS, fun() ->
        with_module(fun(Module, Dir) ->
            File = filename:join(Dir, "cuter.coverdata"),
            Failure = #{input => [y], class => error, reason => x, stacktrace => []},
            ok = cuter_cover:write([(report(Module, [])) #{failures => [Failure]}], File),
            ?assertEqual([{3, 0}, {4, 0}, {5, 1}], calls(Module, File))
        end)
    end}.

an_unwritable_place_gives_a_sentence_test() ->
    with_module(fun(Module, Dir) ->
        File = cuter_file_tests:unwritable(Dir),
        {error, {cuter_file, D}} = cuter_cover:write([report(Module, [])], File),
        ?assertMatch({not_written, File, _}, D),
        ?assertMatch([_ | _], lists:flatten(cuter_file:format_error(D)))
    end).

otp_modules_are_not_measured_test() ->
    ?assertEqual(
        {error, {cuter_cover, no_modules}}, cuter_cover:write([report(lists, [])], "/tmp/none")
    ).

%% The calls of each line according to the data, in a session that ends with the test.
calls(Module, File) ->
    _ = cover:stop(),
    {ok, _} = cover:start(),
    ok = cover:import(File),
    {ok, Lines} = cover:analyse(Module, calls, line),
    ok = cover:stop(),
    [{Line, Calls} || {{_, Line}, Calls} <- Lines, Line > 0].

with_module(Test) ->
    Text = "-export([f/1]).\nf(1) -> one;\nf(2) -> two;\nf(_) -> three.\n",
    cuter_fixture:with_source(Text, [debug_info], fun(Source) ->
        Test(cuter_tried, filename:dirname(Source))
    end).

report(Module, Inputs) ->
    Covering = [#{input => I, clauses => [], outcome => returned, run => 1} || I <- Inputs],
    cuter_report:new(#{inputs => Covering}, #{mfa => {Module, f, 1}}).
