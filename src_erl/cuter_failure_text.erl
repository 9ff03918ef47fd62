%% A failure as people read it, in the manner of EUnit and the shell.
%%
%%     my_module:check([42])
%%     ** error: {case_clause, equal}
%%        no case clause matching equal
%%   src/my_module.erl:15: my_module:check/1
%%          13 | check([X | Xs]) ->
%%        > 15 |     case compare(X) of
%%     fails whenever hd(A) =:= 42
%%     shrunk from my_module:check([17, 42, 3])
%%
%% Frames of the user's code start in the first column with `file:line:`, as editors want it.
-module(cuter_failure_text).

-export([failure/3, spec/1, shrunk_from/3, raised/4, explanation/2, frame/2, excerpt/1, place/2]).

-type failure() :: cuter_report:failure().

-spec failure(failure(), mfa(), cuter_module:records()) -> iolist().
failure(#{stacktrace := Stacktrace} = Failure, Mfa, Records) ->
    Call = cuter_source:call(Mfa, maps:get(input, Failure), 2, Records),
    [
        ["  ", Call, "\n"],
        ["  ** ", raised(maps:get(class, Failure), maps:get(reason, Failure), 5, Records), "\n"],
        [["     ", Line, "\n"] || Line <- explanation(Failure, Records)],
        frames(Stacktrace, Mfa),
        condition(Failure, Mfa, Records),
        shrunk_from(Failure, Mfa, Records),
        record_hint(Call, Mfa)
    ].

-spec raised(atom(), term(), non_neg_integer(), cuter_module:records()) -> iolist().
raised(Class, Reason, Indent, Records) ->
    Start = [atom_to_list(Class), ": "],
    [Start, cuter_source:term(Reason, Indent + iolist_size(Start), Records)].

%%% The reason in the words of the shell

%% Lines that say more than the reason itself does.
-spec explanation(failure(), cuter_module:records()) -> [string()].
explanation(#{class := Class, reason := Reason, stacktrace := Stacktrace}, Records) ->
    Text = formatted(Class, Reason, Stacktrace, Records),
    Lines = [string:trim(Line) || Line <- string:split(Text, "\n", all), not is_frame(Line)],
    Start = lists:concat(["exception ", Class, ": "]),
    case is_known(Class, Reason) of
        true -> [without_position(Line) || Line <- [trim_start(Start, hd(Lines)) | tl(Lines)]];
        false -> []
    end.

%% What formats a reason may be the user's own code, and does not expect all that ours may give:
%% then it is told without the names of records, or as a term.
formatted(Class, Reason, Stacktrace, Records) ->
    Named = #{format_fun => fun(Term, Indent) -> cuter_source:term(Term, Indent, Records) end},
    Ways = [Named || Records =/= #{}] ++ [#{}],
    formatted_as(Ways, Class, Reason, Stacktrace).

formatted_as([], Class, Reason, _Stacktrace) ->
    lists:flatten(io_lib:format("exception ~ts: ~0tp", [Class, Reason]));
formatted_as([Options | Others], Class, Reason, Stacktrace) ->
    try
        Text = erl_error:format_exception(Class, Reason, Stacktrace, Options),
        unicode:characters_to_list(Text)
    catch
        _:_ -> formatted_as(Others, Class, Reason, Stacktrace)
    end.

is_frame(Line) ->
    Trimmed = string:trim(Line, leading),
    lists:any(
        fun(Start) -> lists:prefix(Start, Trimmed) end,
        ["in function ", "in call from ", "in operator "]
    ).

%% The file and line stand in the stacktrace.
without_position(Line) ->
    re:replace(Line, " \\([^()]*, line [0-9]+\\)$", "", [unicode, {return, list}]).

trim_start(Start, Line) ->
    case string:prefix(Line, Start) of
        nomatch -> Line;
        Rest -> Rest
    end.

%% Of other reasons than the VM's own, the shell prints the term itself.
is_known(error, Reason) when is_atom(Reason) -> lists:member(Reason, known_atoms());
is_known(error, {Tag, _}) -> lists:member(Tag, known_tags());
is_known(_Class, _Reason) -> false.

known_atoms() ->
    [badarg, badarith, function_clause, if_clause, undef, noproc, system_limit, timeout_value].

known_tags() ->
    [
        badarg,
        badmatch,
        case_clause,
        else_clause,
        try_clause,
        badfun,
        badarity,
        badkey,
        badmap,
        badrecord,
        nocatch
    ].

%%% Stacktrace

frames(Stacktrace, Mfa) ->
    Places = [place(Frame, Mfa) || Frame <- Stacktrace],
    case lists:mapfoldl(fun frame_text/2, no_excerpt_yet, Places) of
        {Texts, done} -> Texts;
        {Texts, no_excerpt_yet} -> [Texts, tail_call(Mfa)]
    end.

%% Where the function under test begins, if no frame is left of it.
tail_call({Module, Function, Arity} = Mfa) ->
    Functions = cuter_module:functions(Module),
    Begins = [Line || {F, A, Line, _} <- Functions, F =:= Function, A =:= Arity],
    case {Begins, cuter_module:source(Module)} of
        {[Line], {File, _}} ->
            Position = position(cuter_module:display_file(File), Line),
            [Position, "in a tail call of ", name(Mfa), "\n"];
        _ ->
            ""
    end.

%% Where the spec of a function stands, and its first line.
-spec spec(mfa()) -> iolist().
spec({Module, _, _} = Mfa) ->
    case {cuter_module:spec_line(Mfa), cuter_module:source(Module)} of
        {{ok, Line}, {File, _}} ->
            Shown = cuter_module:display_file(File),
            [position(Shown, Line), "its spec\n", numbered(excerpt({user, {Shown, Line}, Mfa}))];
        _ ->
            ""
    end.

%% The innermost frame of the user's code comes with its source.
frame_text({user, _, _} = Place, no_excerpt_yet) ->
    {[frame(Place, ""), numbered(excerpt(Place))], done};
frame_text(Place, State) ->
    {frame(Place, "     "), State}.

%% Where a frame is: in the user's code with file and line, or elsewhere.
-spec place(tuple(), mfa()) ->
    {user, {file:filename_all(), pos_integer()}, mfa()} | {other, iolist(), mfa()}.
place({Module, Function, Args, Location}, UnderTest) ->
    Mfa = {Module, Function, arity(Args)},
    File = proplists:get_value(file, Location),
    Line = proplists:get_value(line, Location, 0),
    case cuter_failures:is_user(Module, UnderTest) of
        true when File =/= undefined, Line > 0 -> {user, {shown_file(Module, File), Line}, Mfa};
        _ -> {other, position(File, Line), Mfa}
    end.

arity(Args) when is_list(Args) -> length(Args);
arity(Arity) -> Arity.

%% As the user names it: a path from where he is.
shown_file(Module, File) ->
    case cuter_module:source(Module) of
        {Source, _Lines} ->
            case filename:basename(Source) =:= filename:basename(File) of
                true -> cuter_module:display_file(Source);
                false -> File
            end;
        none ->
            cuter_module:display_file(File)
    end.

position(undefined, _Line) -> "";
position(File, 0) -> io_lib:format("~ts: ", [File]);
position(File, Line) -> io_lib:format("~ts:~b: ", [File, Line]).

%% The line of a frame; what is not the user's is indented.
-spec frame(tuple(), string()) -> iolist().
frame({user, {File, Line}, Mfa}, _Indent) -> [position(File, Line), name(Mfa), "\n"];
frame({other, Position, Mfa}, Indent) -> [Indent, Position, name(Mfa), "\n"].

name({Module, Function, Arity}) ->
    io_lib:format("~tp:~tp/~b", [Module, Function, Arity]).

%% The source line of a place, and the line on which its clause begins.
-spec excerpt(tuple()) -> [{Mark :: string(), pos_integer(), binary()}].
excerpt({user, {_File, Line}, {Module, _, _}}) ->
    Clause = maps:get(Line, cuter_module:clauses(Module), Line),
    Lines = [{"", L} || L <- [Clause], L > 0, L < Line] ++ [{">", Line}],
    [{Mark, L, Text} || {Mark, L} <- Lines, {ok, Text} <- [cuter_module:line(Module, L)]];
excerpt(_Other) ->
    [].

numbered(Lines) ->
    [io_lib:format("  ~2s ~4b | ~ts\n", [Mark, Line, Text]) || {Mark, Line, Text} <- Lines].

%%% The class of the failure, and where it came from

condition(#{condition := _} = Failure, Mfa, Records) ->
    ["  fails whenever ", cuter_condition:text(Failure, Mfa, Records), "\n"];
condition(#{}, _Mfa, _Records) ->
    "".

%% Also of a result outside the spec.
-spec shrunk_from(map(), mfa(), cuter_module:records()) -> iodata().
shrunk_from(#{input := Input, original := Input}, _Mfa, _Records) ->
    "";
shrunk_from(#{original := Original}, Mfa, Records) ->
    ["  shrunk from ", cuter_source:call(Mfa, Original, 14, Records), "\n"];
shrunk_from(#{}, _Mfa, _Records) ->
    "".

%% The shell has to learn records before it can read them.
record_hint(Call, {Module, _, _}) ->
    case re:run(unicode:characters_to_binary(Call), "#[a-z'][^({}]*\\{", [unicode]) of
        {match, _} -> io_lib:format("  in a shell, after rr(~tp)\n", [Module]);
        nomatch -> ""
    end.
