%% What is printed, looked at before it is sent to a device.
%%
%% Printing is concrete, but what kind of term a control sequence takes is worth a decision: text
%% for `~s`, a number for `~B` or `~f`. The engine calls this in place of sending when what is to be
%% printed with a format is symbolic. Terms inside of terms are not looked at.
-module(cuter_prelude_io).

-export([send/2]).

-spec send(To, {io_request, pid(), term(), Request}) -> term() when
    To :: term(),
    Request :: {put_chars, unicode, io_lib, atom(), [term()]}.
send(To, {io_request, _, _, {put_chars, unicode, io_lib, _, [Format, Args]}} = Message) ->
    look_at(Format, Args),
    erlang:send(To, Message).

look_at(Format, Args) ->
    try
        lists:foreach(fun kind/1, io_lib:scan_format(Format, Args))
    catch
        %% It is for the device to say so.
        error:_ -> ok
    end.

kind(#{control_char := Control, args := [Arg | _]}) -> kind(Control, Arg);
kind(_Text) -> text.

kind($s, Arg) when is_list(Arg) -> list;
kind($s, Arg) when is_atom(Arg) -> atom;
kind($s, Arg) when is_binary(Arg) -> binary;
kind($s, _) -> other;
kind(Control, Arg) when Control =:= $f; Control =:= $e; Control =:= $g -> is(is_float(Arg));
kind(Control, Arg) when Control =:= $c; Control =:= $b; Control =:= $B -> is(is_integer(Arg));
kind(Control, Arg) when Control =:= $x; Control =:= $X -> is(is_integer(Arg));
kind(Control, Arg) when Control =:= $+; Control =:= $# -> is(is_integer(Arg));
kind(_Control, _Any) -> term.

is(true) -> taken;
is(false) -> refused.
