%% Files that are there as a whole or not at all.
%%
%% The content goes to a file of another name in the same directory, which takes the place of the
%% wanted one when it is complete. Whatever goes wrong, an older file stays as it was and nothing
%% is left beside it.
-module(cuter_file).

-include_lib("kernel/include/file.hrl").

-export([write/2, check/1, temporary/1, put_in_place/2, format_error/1]).

-export_type([description/0, error/0]).

-type description() :: {not_written, file:filename_all(), file:posix() | badarg | atom()}.
-type error() :: {error, {?MODULE, description()}}.

%% Writes a file, and the directories above it if they are missing.
-spec write(file:filename_all(), iodata()) -> ok | error().
write(File, Content) ->
    case prepare(File) of
        ok ->
            Temporary = temporary(File),
            written(file:write_file(Temporary, Content), Temporary, File);
        {error, Reason} ->
            failed(File, Reason)
    end.

%% Whether a file could be written, so that nobody works for hours in vain. Nothing is changed.
-spec check(file:filename_all()) -> ok | error().
check(File) ->
    case {file:read_file_info(File), check_directory(filename:dirname(File))} of
        {{ok, #file_info{type = directory}}, _} -> failed(File, eisdir);
        {Info, ok} -> checked(File, writable(Info));
        {_, {error, Reason}} -> failed(File, Reason)
    end.

checked(_File, ok) -> ok;
checked(File, {error, Reason}) -> failed(File, Reason).

%% The first directory above that exists is where the others would be made.
check_directory(Dir) ->
    case {file:read_file_info(Dir), filename:dirname(Dir)} of
        {{ok, #file_info{type = directory}}, _} -> probe(temporary(filename:join(Dir, "file")));
        {{ok, _}, _} -> {error, enotdir};
        {{error, enoent}, Above} when Above =/= Dir -> check_directory(Above);
        {{error, _} = Error, _} -> Error
    end.

probe(Temporary) ->
    case file:write_file(Temporary, <<>>) of
        ok -> file:delete(Temporary);
        {error, _} = Error -> Error
    end.

failed(File, Reason) ->
    {error, {?MODULE, {not_written, File, Reason}}}.

prepare(File) ->
    case filelib:ensure_dir(File) of
        ok -> writable(file:read_file_info(File));
        {error, _} = Error -> Error
    end.

%% A file that its owner has made read-only is not replaced, though its directory would allow that.
writable({ok, #file_info{access = Access}}) when Access =:= read; Access =:= none ->
    {error, eacces};
writable(_) ->
    ok.

written(ok, Temporary, File) ->
    put_in_place(Temporary, File);
written({error, Reason}, Temporary, File) ->
    _ = file:delete(Temporary),
    failed(File, Reason).

%% The name of a file beside another one that nobody else uses.
-spec temporary(file:filename_all()) -> file:filename_all().
temporary(File) ->
    Unique = integer_to_list(erlang:unique_integer([positive])),
    Name = lists:append([".cuter-", os:getpid(), "-", Unique]),
    filename:join(filename:dirname(File), Name).

%% Gives a complete file its name.
-spec put_in_place(file:filename_all(), file:filename_all()) -> ok | error().
put_in_place(Temporary, File) ->
    case file:rename(Temporary, File) of
        ok ->
            ok;
        {error, Reason} ->
            _ = file:delete(Temporary),
            failed(File, Reason)
    end.

-spec format_error(description()) -> iolist().
format_error({not_written, File, Reason}) ->
    io_lib:format(
        "~ts cannot be written (~ts); choose another place or make this one writable.",
        [File, file:format_error(Reason)]
    ).
