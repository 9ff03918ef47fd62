-module(cuter_file_tests).

-include_lib("eunit/include/eunit.hrl").
-include_lib("kernel/include/file.hrl").

-export([unwritable/1]).

directories_are_made_test() ->
    cuter_fixture:in_directory(fun(Dir) ->
        File = filename:join([Dir, "a", "b", "file"]),
        ?assertEqual(ok, cuter_file:write(File, "text")),
        ?assertEqual({ok, <<"text">>}, file:read_file(File)),
        ?assertEqual({ok, ["file"]}, file:list_dir(filename:dirname(File)))
    end).

an_older_file_is_replaced_test() ->
    cuter_fixture:in_directory(fun(Dir) ->
        File = filename:join(Dir, "file"),
        ok = cuter_file:write(File, "old and longer"),
        ok = cuter_file:write(File, "new"),
        ?assertEqual({ok, <<"new">>}, file:read_file(File))
    end).

%% Each way in which a file cannot be written gives a sentence and leaves everything as it was.
a_file_that_cannot_be_written_leaves_nothing_behind_test() ->
    cuter_fixture:in_directory(fun(Dir) ->
        File = unwritable(Dir),
        Error = cuter_file:write(File, "text"),
        {error, {cuter_file, {not_written, File, _} = Description}} = Error,
        ?assertEqual(Error, cuter_file:check(File)),
        Sentence = lists:flatten(cuter_file:format_error(Description)),
        ?assertMatch({match, _}, re:run(Sentence, "^[^\n]*cannot be written .*\\.$")),
        ?assertNotEqual(nomatch, string:find(Sentence, File)),
        ?assertNot(filelib:is_regular(File))
    end).

a_directory_in_place_of_the_file_leaves_nothing_behind_test() ->
    cuter_fixture:in_directory(fun(Dir) ->
        File = filename:join(Dir, "file"),
        ok = file:make_dir(File),
        ?assertMatch({error, {_, {not_written, File, _}}}, cuter_file:write(File, "text")),
        ?assertMatch({error, {_, {not_written, File, _}}}, cuter_file:check(File)),
        ?assertEqual({ok, ["file"]}, file:list_dir(Dir))
    end).

%% A file in a directory where nobody may write, not even root.
unwritable(Dir) ->
    ReadOnly = filename:join(Dir, "read_only"),
    ok = file:make_dir(ReadOnly),
    ok = file:change_mode(ReadOnly, 8#555),
    case file:write_file(filename:join(ReadOnly, "probe"), "") of
        ok -> filename:join("/proc/self", "cuter_test_file");
        {error, _} -> filename:join(ReadOnly, "file")
    end.
