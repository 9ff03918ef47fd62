%% What is remembered between two runs: a text file with one term a line, sorted, so that it can be
%% committed, compared and merged.
%%
%%     {Module, Function, Arity, input, Args}.               an input that covers something
%%     {Module, Function, Arity, failure, Args}.             an input that crashes
%%     {Module, Function, Arity, outside_spec, Args}.        one that returns the wrong type
%%     {Module, Function, Arity, accepted, Args, "Reason"}.  one that may crash, and why
%%     {Module, Function, Arity, explored, Summary}.         what was explored, and of which code
%%
%% Lines that begin with `%` and empty lines are left out when the file is written anew. A line that
%% occurs twice, after a merge, counts once.
-module(cuter_corpus).

-export([read/1, check/1, write/2, inputs/2, failures/2, outside_spec/2, accepted/2]).
-export([explored/2, update/3, keep/2, accept/3, format_error/1]).

-export_type([corpus/0, entry/0, summary/0, description/0]).

-type args() :: [term()].
%% `modules` are those whose code counts, `fingerprint` is of their code and of the options.
-type summary() :: #{
    modules := [module()],
    fingerprint := non_neg_integer(),
    verdict := term(),
    clauses := {non_neg_integer(), non_neg_integer()},
    runs := non_neg_integer()
}.
-type entry() ::
    {input, args()} | {failure, args()} | {outside_spec, args()}
    | {accepted, args(), Reason :: string()}
    | {explored, summary()}.
-type corpus() :: #{mfa() => [entry()]}.
-type description() ::
    {not_read, file:filename(), file:posix() | badarg | terminated | system_limit}
    | {not_written, file:filename(), file:posix() | badarg | terminated | system_limit}
    | {merge_conflict, file:filename(), pos_integer()}
    | {bad_line, file:filename(), pos_integer()}.
-type error() :: {error, {?MODULE, description()}}.

-define(HEADER, <<
    "%% Written by `rebar3 cuter`, made to be committed; docs/options.md of cuter explains it.\n"
>>).

%%% Reading

%% A file that does not exist is empty.
-spec read(file:filename()) -> {ok, corpus()} | error().
read(File) ->
    case file:read_file(File) of
        {ok, Text} -> parse(File, 1, binary:split(Text, <<"\n">>, [global]), #{});
        {error, enoent} -> {ok, #{}};
        {error, enotdir} -> {ok, #{}};
        {error, Reason} -> failed({not_read, File, Reason})
    end.

parse(_File, _Number, [], Corpus) ->
    {ok, maps:map(fun(_, Entries) -> lists:usort(Entries) end, Corpus)};
parse(File, Number, [Line | Lines], Corpus) ->
    case parse_line(string:trim(Line)) of
        {ok, Mfa, Entry} ->
            parse(File, Number + 1, Lines, add(Mfa, [Entry], Corpus));
        nothing ->
            parse(File, Number + 1, Lines, Corpus);
        Wrong ->
            failed({Wrong, File, Number})
    end.

add(Mfa, Entries, Corpus) ->
    maps:update_with(Mfa, fun(Others) -> Entries ++ Others end, Entries, Corpus).

parse_line(<<>>) -> nothing;
parse_line(<<"%", _/binary>>) -> nothing;
parse_line(<<"<<<<<<<", _/binary>>) -> merge_conflict;
parse_line(<<"=======", _/binary>>) -> merge_conflict;
parse_line(<<">>>>>>>", _/binary>>) -> merge_conflict;
parse_line(Line) -> line(cuter_text:term(Line)).

line({ok, {M, F, A, Kind, What}}) -> entry({M, F, A}, {Kind, What});
line({ok, {M, F, A, accepted, Args, Reason}}) -> entry({M, F, A}, {accepted, Args, Reason});
line(_) -> bad_line.

entry({M, F, A} = Mfa, Entry) when is_atom(M), is_atom(F), is_integer(A), A >= 0 ->
    case is_entry(Entry, A) of
        true -> {ok, Mfa, Entry};
        false -> bad_line
    end;
entry(_Mfa, _Entry) ->
    bad_line.

is_entry({input, Args}, Arity) -> is_args(Args, Arity);
is_entry({failure, Args}, Arity) -> is_args(Args, Arity);
is_entry({outside_spec, Args}, Arity) -> is_args(Args, Arity);
is_entry({accepted, Args, Reason}, Arity) -> is_args(Args, Arity) andalso is_list(Reason);
is_entry({explored, Summary}, _Arity) -> is_summary(Summary);
is_entry(_Entry, _Arity) -> false.

is_args(Args, Arity) ->
    try length(Args) of
        Length -> Length =:= Arity
    catch
        error:badarg -> false
    end.

is_summary(#{
    modules := Modules, fingerprint := Fingerprint, verdict := _, clauses := {_, _}, runs := Runs
}) ->
    is_list(Modules) andalso is_integer(Fingerprint) andalso is_integer(Runs);
is_summary(_) ->
    false.

%%% Writing

%% Writes the whole file, or leaves it as it was. Nothing is written if it would say the same.
-spec write(file:filename(), corpus()) -> ok | error().
write(File, Corpus) ->
    Text = text(Corpus),
    case {file:read_file(File), map_size(Corpus)} of
        {{ok, Text}, _} -> ok;
        {{error, _}, 0} -> ok;
        _ -> replace(File, Text)
    end.

replace(File, Text) ->
    case cuter_file:write(File, Text) of
        ok -> ok;
        {error, {cuter_file, Description}} -> failed(Description)
    end.

%% Whether it could be written.
-spec check(file:filename()) -> ok | error().
check(File) ->
    case cuter_file:check(File) of
        ok -> ok;
        {error, {cuter_file, Description}} -> failed(Description)
    end.

text(Corpus) ->
    Lines = [
        Line
     || {Mfa, Entries} <- maps:to_list(Corpus), Entry <- Entries, {ok, Line} <- [text(Mfa, Entry)]
    ],
    iolist_to_binary([?HEADER | lists:usort(Lines)]).

%% Terms that cannot be read again, such as compiled funs, are not remembered.
text({M, F, A}, Entry) ->
    [Kind | Rest] = tuple_to_list(Entry),
    Term = list_to_tuple([M, F, A, Kind | Rest]),
    Line = unicode:characters_to_binary([cuter_text:line(Term), ".\n"]),
    case cuter_text:term(string:trim(Line)) of
        {ok, Again} when Again =:= Term -> {ok, Line};
        {ok, _} when Kind =/= explored -> same_text(Line);
        _ -> error
    end.

%% A fun is not equal to the one that is read from its source, but that has the same source.
same_text(Line) ->
    {ok, Again} = cuter_text:term(string:trim(Line)),
    case unicode:characters_to_binary([cuter_text:line(Again), ".\n"]) of
        Line -> {ok, Line};
        _ -> error
    end.

%%% Asking

-spec inputs(mfa(), corpus()) -> [args()].
inputs(Mfa, Corpus) ->
    Entries = maps:get(Mfa, Corpus, []),
    failures(Mfa, Corpus) ++ outside_spec(Mfa, Corpus) ++
        [Args || {accepted, Args, _} <- Entries] ++ [Args || {input, Args} <- Entries].

-spec failures(mfa(), corpus()) -> [args()].
failures(Mfa, Corpus) ->
    [Args || {failure, Args} <- maps:get(Mfa, Corpus, [])].

-spec outside_spec(mfa(), corpus()) -> [args()].
outside_spec(Mfa, Corpus) ->
    [Args || {outside_spec, Args} <- maps:get(Mfa, Corpus, [])].

-spec accepted(mfa(), corpus()) -> [{args(), Reason :: string()}].
accepted(Mfa, Corpus) ->
    [{Args, Reason} || {accepted, Args, Reason} <- maps:get(Mfa, Corpus, [])].

-spec explored(mfa(), corpus()) -> [summary()].
explored(Mfa, Corpus) ->
    [Summary || {explored, Summary} <- maps:get(Mfa, Corpus, [])].

%%% Changing

%% Everything about a function anew.
-spec update(mfa(), [entry()], corpus()) -> corpus().
update(Mfa, [], Corpus) -> maps:remove(Mfa, Corpus);
update(Mfa, Entries, Corpus) -> Corpus#{Mfa => lists:usort(Entries)}.

%% Only the functions for which this holds.
-spec keep(fun((mfa()) -> boolean()), corpus()) -> corpus().
keep(Wanted, Corpus) ->
    maps:filter(fun(Mfa, _) -> Wanted(Mfa) end, Corpus).

%% From now on what was found of a function is accepted.
-spec accept(mfa(), string(), corpus()) -> corpus().
accept(Mfa, Reason, Corpus) ->
    Entries = [accepted_entry(Entry, Reason) || Entry <- maps:get(Mfa, Corpus, [])],
    update(Mfa, Entries, Corpus).

accepted_entry({failure, Args}, Reason) -> {accepted, Args, Reason};
accepted_entry({outside_spec, Args}, Reason) -> {accepted, Args, Reason};
accepted_entry(Entry, _Reason) -> Entry.

failed(Description) ->
    {error, {?MODULE, Description}}.

-spec format_error(description()) -> iolist().
format_error({not_read, File, Reason}) ->
    io_lib:format("The corpus ~ts cannot be read: ~ts.", [File, file:format_error(Reason)]);
format_error({not_written, File, Reason}) ->
    io_lib:format(
        "The corpus ~ts cannot be written: ~ts; make it writable or give --corpus FILE or "
        "--corpus none.",
        [File, file:format_error(Reason)]
    );
format_error({merge_conflict, File, Line}) ->
    io_lib:format(
        "~ts:~b: the corpus has a merge conflict; keep the lines of both sides.", [File, Line]
    );
format_error({bad_line, File, Line}) ->
    io_lib:format(
        "~ts:~b: this line of the corpus is not what it should be; mend or delete it.",
        [File, Line]
    ).
