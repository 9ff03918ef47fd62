%% Lays out Erlang expressions as a formatter would leave them: what fits into the line stays there,
%% anything else gets its parts on lines of their own, four columns in.
%%
%% It knows the expressions that `cuter_source` makes of terms, and documents made of those. A fun
%% is laid out by `erl_pp`. The only things that may be wider than a line are single tokens: a long
%% number, a long atom.
-module(cuter_layout).

-export([render/3, form/1, group/3, text/1, guarded/2]).

-export_type([doc/0]).

-type doc() ::
    {text, string()}
    %% Lines that cannot be joined; columns are relative to the first.
    | {lines, [string()]}
    | {string, string(), Encoding :: string()}
    | {group, string(), [doc()], string()}
    | {joined, doc(), string(), doc()}
    %% A pattern and its guards. No commas: the document may be an argument of a macro.
    | {guarded, doc(), [string()]}.

-define(WIDTH, 100).
-define(STEP, 4).
%% Characters of a long string that are written on one line.
-define(LEAST_CHUNK, 20).

%% The text of a document that starts in column `Indent` (from 0), in a line indented like that, and
%% is followed by `Trailing` more characters.
-spec render(doc(), Indent :: non_neg_integer(), Trailing :: non_neg_integer()) -> string().
render(Doc, Indent, Trailing) ->
    lists:flatten(layout(Doc, Indent, Indent, Trailing)).

-spec text(unicode:chardata()) -> doc().
text(Text) ->
    {text, unicode:characters_to_list(Text)}.

%% Parts in brackets, with commas between them.
-spec group(string(), [doc()], string()) -> doc().
group(Open, Parts, Close) ->
    {group, Open, Parts, Close}.

-spec guarded(doc(), [string()]) -> doc().
guarded(Pattern, []) -> Pattern;
guarded(Pattern, Guards) -> {guarded, Pattern, Guards}.

%%% Documents of expressions

-spec form(erl_parse:abstract_expr()) -> doc().
form({string, _, Chars}) ->
    {string, Chars, ""};
form({tuple, _, Elements}) ->
    group("{", [form(Element) || Element <- Elements], "}");
form({cons, _, _, _} = List) ->
    group("[", elements(List), "]");
form({map, _, Fields}) ->
    group("#{", [form(Field) || Field <- Fields], "}");
form({map_field_assoc, _, Key, Value}) ->
    {joined, form(Key), " => ", form(Value)};
form({map_field_exact, _, Key, Value}) ->
    {joined, form(Key), " := ", form(Value)};
form({record, _, Name, Fields}) ->
    group("#" ++ name(Name) ++ "{", [form(Field) || Field <- Fields], "}");
form({record_field, _, Name, Value}) ->
    {joined, form(Name), " = ", form(Value)};
form({match, _, Left, Right}) ->
    {joined, form(Left), " = ", form(Right)};
form({bin, _, Segments}) ->
    group("<<", [form(Segment) || Segment <- Segments], ">>");
form({bin_element, _, {string, _, Chars}, default, Types}) ->
    {string, Chars, encoding(Types)};
form({bin_element, _, Value, Size, _Types}) ->
    {text, token(Value) ++ segment_size(Size)};
form({call, _, {remote, _, {atom, _, Module}, {atom, _, Function}}, Args}) ->
    group(name(Module) ++ ":" ++ name(Function) ++ "(", [form(Arg) || Arg <- Args], ")");
form(Expression) ->
    block(string:split(token(Expression), "\n", all)).

elements({cons, _, Head, {nil, _}}) -> [form(Head)];
elements({cons, _, Head, {cons, _, _, _} = Tail}) -> [form(Head) | elements(Tail)];
elements({cons, _, Head, Tail}) -> [{joined, form(Head), " | ", form(Tail)}].

encoding(default) -> "";
encoding([utf8]) -> "/utf8".

segment_size(default) -> "";
segment_size({integer, _, Size}) -> ":" ++ integer_to_list(Size).

block([Line]) -> {text, Line};
block(Lines) -> {lines, Lines}.

name(Atom) ->
    lists:flatten(io_lib:format("~tp", [Atom])).

token(Form) ->
    lists:flatten(erl_pp:expr(Form, 0, [{encoding, unicode}, {linewidth, ?WIDTH - 20}])).

%%% Layout

layout(Doc, Column, Indent, Trailing) ->
    case flat(Doc) of
        {ok, Text} ->
            case Column + string:length(Text) + Trailing =< ?WIDTH of
                true -> Text;
                false -> broken(Doc, Column, Indent, Trailing)
            end;
        broken ->
            broken(Doc, Column, Indent, Trailing)
    end.

broken({text, Text}, _Column, _Indent, _Trailing) ->
    Text;
broken({lines, Lines}, _Column, Indent, _Trailing) ->
    lists:join(["\n", blanks(Indent)], Lines);
broken({string, Chars, Encoding}, Column, _Indent, Trailing) ->
    Room = max(?LEAST_CHUNK, ?WIDTH - Column - Trailing - length(Encoding)),
    Chunks = [quoted(Chunk) || Chunk <- chunks(Chars, Room)],
    [lists:join(["\n", blanks(Column)], Chunks), Encoding];
broken({group, Open, [], Close}, _Column, _Indent, _Trailing) ->
    [Open, Close];
broken({group, Open, Parts, Close}, _Column, Indent, _Trailing) ->
    Inner = Indent + ?STEP,
    Lines = [layout(Part, Inner, Inner, 1) || Part <- Parts],
    Separator = [",\n", blanks(Inner)],
    [Open, "\n", blanks(Inner), lists:join(Separator, Lines), "\n", blanks(Indent), Close];
broken({joined, Left, Between, Right}, Column, Indent, Trailing) ->
    First = lists:flatten(layout(Left, Column, Indent, length(Between))),
    [First, Between, layout(Right, last_column(First, Column) + length(Between), Indent, Trailing)];
broken({guarded, Pattern, Guards}, Column, Indent, _Trailing) ->
    Inner = blanks(Indent + ?STEP),
    First = layout(Pattern, Column, Indent, 5),
    [First, " when\n", Inner, lists:join([" andalso\n", Inner], Guards)].

last_column(Text, Column) ->
    case string:split(Text, "\n", trailing) of
        [_OneLine] -> Column + string:length(Text);
        [_Before, Last] -> string:length(Last)
    end.

blanks(Number) ->
    lists:duplicate(Number, $\s).

%% The text on one line, if that is possible.
flat({text, Text}) -> {ok, Text};
flat({lines, _}) -> broken;
flat({string, Chars, Encoding}) -> {ok, quoted(Chars) ++ Encoding};
flat({group, Open, Parts, Close}) ->
    case flat_all(Parts) of
        {ok, Texts} -> {ok, lists:flatten([Open, lists:join(", ", Texts), Close])};
        broken -> broken
    end;
flat({joined, Left, Between, Right}) ->
    case flat_all([Left, Right]) of
        {ok, [First, Second]} -> {ok, First ++ Between ++ Second};
        broken -> broken
    end;
flat({guarded, Pattern, Guards}) ->
    case flat(Pattern) of
        {ok, Text} -> {ok, lists:flatten([Text, " when ", lists:join(" andalso ", Guards)])};
        broken -> broken
    end.

flat_all(Docs) ->
    Flat = [flat(Doc) || Doc <- Docs],
    case lists:member(broken, Flat) of
        true -> broken;
        false -> {ok, [Text || {ok, Text} <- Flat]}
    end.

quoted(Chars) ->
    io_lib:write_string(Chars).

%% Pieces that are no wider than the room when quoted.
chunks(Chars, Room) ->
    chunks(Chars, Room, [], 2).

chunks([], _Room, Chunk, _Used) ->
    [lists:reverse(Chunk)];
chunks([Char | Chars], Room, Chunk, Used) ->
    Width = length(quoted([Char])) - 2,
    case Used + Width > Room andalso Chunk =/= [] of
        true -> [lists:reverse(Chunk) | chunks([Char | Chars], Room, [], 2)];
        false -> chunks(Chars, Room, [Char | Chunk], Used + Width)
    end.
