%% As much of OTP's test server as suites need that run without it.
-module(test_server).

-export([timetrap/1, timetrap_cancel/1, timetrap_scale_factor/0, seconds/1, minutes/1, hours/1]).
-export([lookup_config/2, format/1, format/2, format/3, sleep/1, fail/1, do_times/2, do_times/4]).
-export([is_native/1, is_debug/0, is_cover/0, is_commercial/0, is_valgrind/0, is_asan/0]).
-export([messages_get/0, m_out_of_n/3, timecall/3, temp_name/1, peer_name/2, start_peer/3]).
-export([is_release_available/1]).

timetrap(_) -> no_dog.
timetrap_cancel(_) -> ok.
timetrap_scale_factor() -> 1.

seconds(N) -> timer:seconds(N).
minutes(N) -> timer:minutes(N).
hours(N) -> timer:hours(N).

lookup_config(Key, Config) -> proplists:get_value(Key, Config).

format(_) -> ok.
format(_, _) -> ok.
format(_, _, _) -> ok.

sleep(Time) -> timer:sleep(Time).

-spec fail(term()) -> no_return().
fail(Reason) -> exit({suite_failed, Reason}).

do_times(Times, Fun) -> lists:foreach(fun(_) -> Fun() end, lists:seq(1, Times)).
do_times(Times, Module, Function, Args) ->
    do_times(Times, fun() -> apply(Module, Function, Args) end).

is_native(_) -> false.
is_debug() -> false.
is_cover() -> false.
is_commercial() -> false.
is_valgrind() -> false.
is_asan() -> false.
is_release_available(_) -> false.

timecall(Module, Function, Args) ->
    {Time, Value} = timer:tc(Module, Function, Args),
    {Time / 1000000, Value}.

temp_name(Stem) ->
    lists:concat([Stem, erlang:unique_integer([positive])]).

peer_name(Module, Case) ->
    peer:random_name(lists:concat([Module, "-", Case])).

start_peer(Args, Module, Case) when is_list(Args) ->
    start_peer(#{args => Args}, Module, Case);
start_peer(Options, Module, Case) ->
    Path = ["-pa", filename:dirname(code:which(Module))],
    Args = Path ++ maps:get(args, Options, []),
    peer:start_link(maps:merge(#{name => peer_name(Module, Case)}, Options#{args => Args})).

messages_get() ->
    receive
        Message -> [Message | messages_get()]
    after 1 -> []
    end.

%% Whether something goes well often enough.
m_out_of_n(0, _Times, _Fun) ->
    ok;
m_out_of_n(_Needed, 0, _Fun) ->
    fail(not_often_enough);
m_out_of_n(Needed, Times, Fun) ->
    try Fun() of
        _ -> m_out_of_n(Needed - 1, Times - 1, Fun)
    catch
        _:_ -> m_out_of_n(Needed, Times - 1, Fun)
    end.
