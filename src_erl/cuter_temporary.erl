%% Directories for files that are gone afterwards.
-module(cuter_temporary).

-export([directory/1, remove/1]).

%% A fresh directory, readable by its owner only.
-spec directory(string()) -> file:filename().
directory(Purpose) ->
    Unique = integer_to_list(erlang:unique_integer([positive])),
    Name = lists:append(["cuter-", Purpose, "-", os:getpid(), "-", Unique]),
    Dir = filename:join(os:getenv("TMPDIR", "/tmp"), Name),
    ok = file:make_dir(Dir),
    ok = file:change_mode(Dir, 8#700),
    Dir.

-spec remove(file:filename()) -> ok.
remove(Dir) ->
    _ = file:del_dir_r(Dir),
    ok.
