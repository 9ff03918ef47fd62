%% Trees of OTP's modules, kept in files from one VM to the next.
%%
%% To make the tree of a module, most of the compiler has to run: the sixty modules of the compiler
%% itself take ten seconds. What comes out depends on the beam file, this build of cuter and the
%% compiler alone, so it is kept under a hash of them. Only modules of OTP are: others change all
%% the time, and are their owners' business.
%%
%% A file that is damaged, or cannot be written, is as good as none.
-module(cuter_shelf).

-export([take/1, put/2, directory/0]).

-export_type([key/0]).

%% What the tree of a module depends on, besides cuter and the compiler.
-type key() :: {module(), Code :: term(), cuter_core:frames()}.

%% When there are more files than the first number, the oldest go until it is the second.
-define(MOST, 1500).
-define(KEPT, 1000).

-spec take(key()) -> {ok, cuter_core:frames(), Tree :: binary()} | none.
take({Module, Code, likely}) ->
    %% What is exact is likely too.
    case take({Module, Code, exact}) of
        none -> of_file(file({Module, Code, likely}));
        Found -> Found
    end;
take(Key) ->
    of_file(file(Key)).

of_file(none) ->
    none;
of_file(File) ->
    case file:read_file(File) of
        {ok, Content} -> read(Content);
        {error, _} -> none
    end.

%% What is compressed has a checksum.
read(Content) ->
    try zlib:uncompress(Content) of
        <<0, Tree/binary>> -> {ok, likely, Tree};
        <<1, Tree/binary>> -> {ok, exact, Tree};
        _ -> none
    catch
        error:_ -> none
    end.

-spec put(key(), {cuter_core:frames(), Tree :: binary()}) -> ok.
put(Key, {Known, Tree}) ->
    write(file(Key), [number(Known), Tree]).

write(none, _Content) ->
    ok;
write(File, Content) ->
    _ = cuter_file:write(File, zlib:compress(Content)),
    clear(filelib:wildcard("*", directory())).

number(likely) -> 0;
number(exact) -> 1.

clear(Names) when length(Names) > ?MOST ->
    Files = [filename:join(directory(), Name) || Name <- Names],
    Newest = lists:reverse(lists:sort([{filelib:last_modified(File), File} || File <- Files])),
    lists:foreach(fun({_, File}) -> file:delete(File) end, lists:nthtail(?KEPT, Newest));
clear(_Names) ->
    ok.

file(Key) ->
    file(cuter_nif:build(), Key).

%% Builds that do not know which they are could not be told apart.
file(unknown, _Key) ->
    none;
file(Build, {Module, _, _} = Key) ->
    Made = {Key, Build, erlang:system_info(version), code:lib_dir(compiler)},
    Hash = binary:decode_unsigned(erlang:md5(term_to_binary(Made))),
    Name = io_lib:format("~ts-~32.16.0b", [filename:basename(atom_to_list(Module)), Hash]),
    filename:join(directory(), lists:flatten(Name)).

%% Where downloads and builds of cuter are kept too.
-spec directory() -> file:filename_all().
directory() ->
    filename:join(os:getenv("CUTER_CACHE", filename:basedir(user_cache, "cuter")), "trees").
