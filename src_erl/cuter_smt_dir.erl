%% The directory into which the questions to the solver are written as SMT-LIB.
-module(cuter_smt_dir).

-export([prepare/2, files/2, format_error/1]).

-export_type([description/0]).

-type description() :: {no_directory, file:filename_all(), file:posix() | badarg}.

%% Makes the directory, and removes the questions that an earlier call has left there about the same
%% function: files with the names that the engine gives, and no others.
-spec prepare(file:filename_all(), mfa()) -> ok | {error, {?MODULE, description()}}.
prepare(Dir, Mfa) ->
    case filelib:ensure_dir(filename:join(Dir, "any")) of
        ok -> removed(files(Dir, Mfa), Dir);
        {error, Reason} -> failed({no_directory, Dir, Reason})
    end.

removed([], _Dir) ->
    ok;
removed([File | Files], Dir) ->
    case file:delete(File) of
        Result when Result =:= ok; Result =:= {error, enoent} -> removed(Files, Dir);
        {error, Reason} -> failed({no_directory, Dir, Reason})
    end.

%% The questions about a function, in the order in which they were answered.
-spec files(file:filename_all(), mfa()) -> [file:filename_all()].
files(Dir, {Module, Function, Arity}) ->
    Name = [plain(Module), $., plain(Function), $., integer_to_list(Arity)],
    {ok, Pattern} = re:compile(["^", escaped(Name), "\\.[0-9]{6,}\\.smt2$"]),
    {ok, Names} = file:list_dir(Dir),
    [filename:join(Dir, File) || File <- lists:sort(Names), re:run(File, Pattern) =/= nomatch].

%% The name of an atom in the name of a file, as the engine writes it.
plain(Atom) ->
    [plain_byte(Byte) || <<Byte>> <= atom_to_binary(Atom, utf8)].

plain_byte(Byte) when Byte >= $0, Byte =< $9 -> Byte;
plain_byte(Byte) when Byte >= $a, Byte =< $z -> Byte;
plain_byte(Byte) when Byte >= $A, Byte =< $Z -> Byte;
plain_byte(Byte) when Byte =:= $_; Byte =:= $-; Byte =:= $@ -> Byte;
plain_byte(Byte) -> io_lib:format("%~2.16.0B", [Byte]).

escaped(Name) ->
    re:replace(Name, "[.\\-]", "\\\\&", [global]).

failed(Description) ->
    {error, {?MODULE, Description}}.

-spec format_error(description()) -> iolist().
format_error({no_directory, Dir, Reason}) ->
    io_lib:format(
        "Questions cannot be written to ~ts (~ts); choose another directory for smt_dir.",
        [Dir, file:format_error(Reason)]
    ).
