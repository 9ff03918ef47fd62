%% What the text of a module tells its reader: source lines, which clause a line belongs to, where
%% functions begin and end, what its records are called.
%%
%% All of it is for people. It comes from the debug_info of the module's beam and from its source
%% file; without one of them the answers are empty.
-module(cuter_module).

-export([records/1, source/1, display_file/1, line/2, clauses/1, functions/1]).
-export([spec_line/1, around/1]).

-export_type([records/0, clause_lines/0]).

%% How the terms of a module are written: by tag and size of a tuple, the fields of a record, and
%% whether one that is left out would be `undefined`; and which arguments are text.
-type records() :: #{
    {atom(), pos_integer()} => [{atom(), Optional :: boolean()}],
    texts => cuter_texts:hints(),
    text => cuter_texts:hint()
}.
%% The line of the innermost clause that a line belongs to.
-type clause_lines() :: #{pos_integer() => pos_integer()}.

-spec records(module()) -> records().
records(Module) ->
    Forms = forms(Module),
    Records = maps:from_list([
        {{Name, length(Fields) + 1}, [field(Field) || Field <- Fields]}
     || {attribute, _, record, {Name, Fields}} <- Forms
    ]),
    case cuter_texts:hints(Forms) of
        Hints when Hints =:= #{} -> Records;
        Hints -> Records#{texts => Hints}
    end.

field({typed_record_field, Field, _Type}) -> field(Field);
field({record_field, _, {atom, _, Name}}) -> {Name, true};
field({record_field, _, {atom, _, Name}, {atom, _, undefined}}) -> {Name, true};
field({record_field, _, {atom, _, Name}, _Default}) -> {Name, false}.

forms(Module) ->
    case cuter_core:forms(Module) of
        {ok, Forms} -> Forms;
        {error, _} -> []
    end.

%%% Source

%% The source file and its lines.
-spec source(module()) -> {file:filename(), [binary()]} | none.
source(Module) ->
    first_source([
        fun() -> [proplists:get_value(source, compile_info(Module), "")] end,
        fun() -> beside(code:which(Module)) end,
        fun() -> [File || {attribute, _, file, {File, _}} <- lists:sublist(forms(Module), 1)] end
    ]).

first_source([]) ->
    none;
first_source([Candidates | Others]) ->
    case lists:filter(fun filelib:is_regular/1, Candidates()) of
        [File | _] -> read(File, file:read_file(File));
        [] -> first_source(Others)
    end.

compile_info(Module) ->
    case code:ensure_loaded(Module) of
        {module, Module} -> erlang:get_module_info(Module, compile);
        {error, _} -> []
    end.

beside([_ | _] = Beam) ->
    case filelib:find_source(Beam) of
        {ok, Source} -> [Source];
        {error, not_found} -> []
    end;
beside(_NoFile) ->
    [].

read(File, {ok, Text}) -> {File, binary:split(utf8(Text), [<<"\r\n">>, <<"\n">>], [global])};
read(_File, {error, _}) -> none.

utf8(Text) ->
    case unicode:characters_to_binary(Text) of
        Utf8 when is_binary(Utf8) -> Utf8;
        _ -> unicode:characters_to_binary(Text, latin1)
    end.

%% One line of the source.
-spec line(module(), non_neg_integer()) -> {ok, binary()} | none.
line(Module, Number) ->
    case source(Module) of
        {_File, Lines} when Number >= 1, Number =< length(Lines) ->
            {ok, lists:nth(Number, Lines)};
        _ ->
            none
    end.

%% A file as it is best named to somebody who works in the current directory.
-spec display_file(file:filename_all()) -> file:filename_all().
display_file(File) ->
    {ok, Cwd} = file:get_cwd(),
    case lists:prefix(filename:split(Cwd), filename:split(File)) of
        true -> relative(filename:split(File), filename:split(Cwd), File);
        false -> File
    end.

relative(Parts, Cwd, File) ->
    case lists:nthtail(length(Cwd), Parts) of
        [] -> File;
        Below -> filename:join(Below)
    end.

%%% Clauses and functions

%% For each line with code of a function, the line of the innermost clause that it is part of.
-spec clauses(module()) -> clause_lines().
clauses(Module) ->
    Functions = own_functions(forms(Module)),
    lists:foldl(
        fun({function, _, _, _, Clauses}, Lines) -> walk(Clauses, 0, Lines) end, #{}, Functions
    ).

walk({clause, Anno, Patterns, Guards, Body}, _Owner, Lines0) ->
    Line = erl_anno:line(Anno),
    walk([Patterns, Guards, Body], Line, Lines0#{Line => Line});
walk({clauses, Clauses}, Owner, Lines) ->
    walk(Clauses, Owner, Lines);
walk(Node, Owner, Lines) when is_tuple(Node), tuple_size(Node) >= 2 ->
    [_Type, Anno | Parts] = tuple_to_list(Node),
    walk(Parts, Owner, note(Anno, Owner, Lines));
walk([Node | Nodes], Owner, Lines) ->
    walk(Nodes, Owner, walk(Node, Owner, Lines));
walk(_Leaf, _Owner, Lines) ->
    Lines.

note(Anno, Owner, Lines) ->
    case erl_anno:is_anno(Anno) andalso erl_anno:line(Anno) of
        Line when is_integer(Line), Line > 0, not is_map_key(Line, Lines) -> Lines#{Line => Owner};
        _ -> Lines
    end.

%% The function that a fun or a comprehension is written in, which have names like '-f/1-fun-0-'.
-spec around(mfa()) -> mfa().
around({Module, Function, Arity}) ->
    case re:run(atom_to_list(Function), "^-(.*?)/([0-9]+)-", [unicode, {capture, [1, 2], list}]) of
        {match, [Name, Of]} -> {Module, list_to_atom(Name), list_to_integer(Of)};
        nomatch -> {Module, Function, Arity}
    end.

%% Where the spec of a function stands.
-spec spec_line(mfa()) -> {ok, pos_integer()} | none.
spec_line({Module, Function, Arity}) ->
    Lines = [
        erl_anno:line(Anno)
     || {attribute, Anno, spec, {Id, _}} <- forms(Module),
        Id =:= {Function, Arity} orelse Id =:= {Module, Function, Arity}
    ],
    case Lines of
        [Line | _] -> {ok, Line};
        [] -> none
    end.

%% Name, arity, first and last line of each function, in the order of the text.
-spec functions(module()) -> [{atom(), arity(), pos_integer(), pos_integer()}].
functions(Module) ->
    [
        {Name, Arity, erl_anno:line(Anno), last_line(Clauses, erl_anno:line(Anno))}
     || {function, Anno, Name, Arity, Clauses} <- own_functions(forms(Module))
    ].

last_line(Clauses, First) ->
    lists:max([First | maps:keys(walk(Clauses, First, #{}))]).

%% Functions of the module's own file, not of files that it includes.
own_functions([{attribute, _, file, {File, _}} | Forms]) -> own_functions(Forms, File, File);
own_functions(Forms) -> own_functions(Forms, none, none).

own_functions([], _Own, _Current) ->
    [];
own_functions([{attribute, _, file, {File, _}} | Forms], Own, _Current) ->
    own_functions(Forms, Own, File);
own_functions([{function, _, _, _, _} = Function | Forms], Own, Own) ->
    [Function | own_functions(Forms, Own, Own)];
own_functions([_ | Forms], Own, Current) ->
    own_functions(Forms, Own, Current).
