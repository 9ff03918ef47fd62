%% What programs in a sandbox print to: a device that drops everything and has nothing to read.
%%
%% It looks at all it is given: what cannot be printed is refused, as a terminal does, so that
%% `io:format("~d", [X])` fails in a sandbox as well. Text may take long to make, and be made by a
%% function of the program: that happens in a process of its own, so the device goes on.
-module(cuter_device).

-export([request/3]).
%% Body of the process
-export([print/4]).

%% Answers a request of the I/O protocol, for the calling process: it is the device.
-spec request(From :: pid(), ReplyAs :: term(), Request :: term()) -> ok.
request(From, ReplyAs, Request) ->
    case is_simple(Request) of
        true ->
            reply(From, ReplyAs, answer(Request));
        false ->
            _ = spawn(?MODULE, print, [self(), From, ReplyAs, Request]),
            ok
    end.

%% The device is the leader of this process too: it ends with all others in the sandbox.
-spec print(Device :: pid(), From :: pid(), ReplyAs :: term(), Request :: term()) -> ok.
print(Device, From, ReplyAs, Request) ->
    true = group_leader(Device, self()),
    reply(From, ReplyAs, answer(Request)).

reply(From, ReplyAs, Answer) ->
    From ! {io_reply, ReplyAs, Answer},
    ok.

%% Nothing has to be made, and little looked at.
is_simple({put_chars, _Encoding, Chars}) -> is_binary(Chars) andalso byte_size(Chars) < 1000;
is_simple({put_chars, _Chars}) -> false;
is_simple({put_chars, _Encoding, _Module, _Function, _Args}) -> false;
is_simple({put_chars, _Module, _Function, _Args}) -> false;
is_simple({requests, _Requests}) -> false;
is_simple(_Other) -> true.

answer({put_chars, Encoding, Chars}) ->
    printed(Chars, Encoding, {error, {put_chars, Encoding, Chars}});
answer({put_chars, Encoding, Module, Function, Args}) ->
    try apply(Module, Function, Args) of
        Chars -> printed(Chars, Encoding, Function)
    catch
        _:_ -> {error, Function}
    end;
answer({put_chars, Chars}) ->
    answer({put_chars, latin1, Chars});
answer({put_chars, Module, Function, Args}) ->
    answer({put_chars, latin1, Module, Function, Args});
answer({requests, Requests}) ->
    answers(Requests, ok);
answer({setopts, _Options}) ->
    ok;
answer(getopts) ->
    [{binary, false}, {encoding, unicode}];
answer({get_geometry, _}) ->
    {error, enotsup};
answer(_Read) ->
    eof.

printed(Chars, Encoding, Refused) ->
    try unicode:characters_to_binary(Chars, Encoding, unicode) of
        Binary when is_binary(Binary) -> ok;
        _Fault -> {error, Refused}
    catch
        error:_ -> {error, Refused}
    end.

answers([Request | Requests], _Last) ->
    case answer(Request) of
        {error, _} = Error -> Error;
        Answer -> answers(Requests, Answer)
    end;
answers(_NoMore, Last) ->
    Last.
