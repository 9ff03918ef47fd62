%% Erlang source with its parts of speech marked, line by line.
-module(cuter_html_code).

-export([lines/1]).

%% The lines as markup. Text that is no Erlang stays plain.
-spec lines([binary()]) -> [iolist()].
lines(Lines) ->
    Text = unicode:characters_to_list(lists:join("\n", Lines)),
    case erl_scan:string(Text, {1, 1}, [return, text]) of
        {ok, Tokens, _} -> split(lists:append([pieces(Token) || Token <- Tokens]), [], []);
        {error, _, _} -> [cuter_markup:escape(Line) || Line <- Lines]
    end.

%% The text of a token as pieces of lines, with `newline` between them.
pieces(Token) ->
    Class = class(Token),
    Parts = string:split(erl_scan:text(Token), "\n", all),
    lists:join(newline, [marked(Class, cuter_markup:escape(Part)) || Part <- Parts]).

class(Token) ->
    case erl_scan:category(Token) of
        comment -> "c";
        string -> "s";
        char -> "s";
        integer -> "n";
        float -> "n";
        var -> "v";
        atom -> "";
        white_space -> "";
        Other -> reserved(Other)
    end.

reserved(Category) ->
    case erl_scan:reserved_word(Category) of
        true -> "k";
        false -> ""
    end.

marked(_Class, "") -> "";
marked("", Text) -> Text;
marked(Class, Text) -> ["<span class=\"", Class, "\">", Text, "</span>"].

split([], Line, Lines) -> lists:reverse([lists:reverse(Line) | Lines]);
split([newline | Pieces], Line, Lines) -> split(Pieces, [], [lists:reverse(Line) | Lines]);
split([Piece | Pieces], Line, Lines) -> split(Pieces, [Piece | Line], Lines).
