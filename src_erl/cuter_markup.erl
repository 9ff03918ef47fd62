%% Text in HTML and XML.
-module(cuter_markup).

-export([escape/1, element/3, utf8/1]).

%% Text with what has a meaning in markup replaced; also fit for attributes in double quotes.
%% Characters that XML cannot have become a replacement character.
-spec escape(unicode:chardata()) -> string().
escape(Text) ->
    lists:flatmap(fun escape_char/1, characters(unicode:characters_to_list(Text))).

characters(Chars) when is_list(Chars) -> Chars;
characters({_, Good, _Rest}) -> Good.

escape_char($<) -> "&lt;";
escape_char($>) -> "&gt;";
escape_char($&) -> "&amp;";
escape_char($") -> "&quot;";
escape_char($') -> "&#39;";
escape_char(Char) when Char >= $\s; Char =:= $\n; Char =:= $\t -> allowed(Char);
escape_char(_Control) -> [16#FFFD].

allowed(Char) when Char =:= 16#FFFE; Char =:= 16#FFFF; Char >= 16#7F, Char =< 16#9F -> [16#FFFD];
allowed(Char) -> [Char].

%% An element; the content is markup already, the values of attributes are not.
-spec element(string(), [{string(), unicode:chardata()}], iolist()) -> iolist().
element(Name, Attributes, Content) ->
    Written = [[" ", Key, "=\"", escape(Value), "\""] || {Key, Value} <- Attributes],
    ["<", Name, Written, ">", Content, "</", Name, ">"].

-spec utf8(unicode:chardata()) -> binary().
utf8(Text) ->
    case unicode:characters_to_binary(Text) of
        Binary when is_binary(Binary) -> Binary;
        {_, Good, _Rest} -> Good
    end.
