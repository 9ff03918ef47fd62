%% Text as lists and binaries, written again for symbolic arguments.
%%
%% The engine calls these in place of the built-in functions when an argument is symbolic: character
%% by character. How far the VM comes with text that has a fault, and what it says of the rest, only
%% the VM knows: such text is converted there, as it is. What is emulated is the built-in function
%% itself when its emulation calls it.
-module(cuter_prelude_unicode).

-export([bin_is_7bit/1, characters_to_binary/2, characters_to_list/2]).

-type encoding() :: latin1 | unicode | utf8.

%% From OTP 27 to 28 it is false for most binaries: only the VM knows.
-spec bin_is_7bit(binary()) -> boolean().
-if(?OTP_RELEASE >= 27 andalso ?OTP_RELEASE < 29).
bin_is_7bit(Subject) -> unicode:bin_is_7bit(Subject).
-else.
bin_is_7bit(<<C, Rest/binary>>) when C < 128 -> bin_is_7bit(Rest);
bin_is_7bit(<<>>) -> true;
bin_is_7bit(Binary) when is_binary(Binary) -> false;
bin_is_7bit(Other) -> unicode:bin_is_7bit(Other).
-endif.

-spec characters_to_list(unicode:chardata(), encoding()) -> string() | tuple().
characters_to_list(Data, Encoding) ->
    case characters(Data, form(Encoding)) of
        {ok, Characters} -> lists:reverse(Characters);
        odd -> unicode:characters_to_list(Data, Encoding)
    end.

-spec characters_to_binary(unicode:chardata(), encoding()) -> binary() | tuple().
characters_to_binary(Data, Encoding) ->
    Form = form(Encoding),
    case characters(Data, Form) of
        {ok, _Characters} when is_binary(Data), Form =:= utf8 -> Data;
        {ok, Characters} -> <<<<C/utf8>> || C <- lists:reverse(Characters)>>;
        odd -> unicode:characters_to_binary(Data, Encoding)
    end.

form(latin1) -> latin1;
form(unicode) -> utf8;
form(utf8) -> utf8;
form(_Other) -> odd.

%% The characters of text without a fault, the last one first.
characters(_Data, odd) -> odd;
characters(Data, Form) when is_list(Data); is_binary(Data) -> listed(Data, [], Form, []);
characters(_Data, _Form) -> odd.

%% What follows an inner list is kept for later.
listed([Head | Tail], Later, Form, Characters) when is_integer(Head) ->
    case is_character(Head, Form) of
        true -> listed(Tail, Later, Form, [Head | Characters]);
        false -> odd
    end;
listed([Head | Tail], Later, Form, Characters) ->
    listed(Head, [Tail | Later], Form, Characters);
listed([], [], _Form, Characters) ->
    {ok, Characters};
listed([], [Next | Later], Form, Characters) ->
    listed(Next, Later, Form, Characters);
listed(Binary, Later, Form, Characters) when is_binary(Binary) ->
    read(Binary, Later, Form, Characters);
listed(_Other, _Later, _Form, _Characters) ->
    odd.

is_character(C, latin1) -> C >= 0 andalso C < 256;
is_character(C, utf8) when C < 16#D800 -> C >= 0;
is_character(C, utf8) -> C > 16#DFFF andalso C =< 16#10FFFF.

read(<<C, Rest/binary>>, Later, latin1, Characters) ->
    read(Rest, Later, latin1, [C | Characters]);
read(<<C/utf8, Rest/binary>>, Later, utf8, Characters) ->
    read(Rest, Later, utf8, [C | Characters]);
read(<<>>, Later, Form, Characters) ->
    listed([], Later, Form, Characters);
read(_Binary, _Later, _Form, _Characters) ->
    odd.
