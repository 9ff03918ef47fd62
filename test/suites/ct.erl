%% As much of Common Test as suites need that run without it.
-module(ct).

-export([pal/1, pal/2, pal/3, log/1, log/2, log/3, print/1, print/2, comment/1, comment/2]).
-export([fail/1, fail/2, sleep/1, timetrap/1, get_timetrap_info/0, get_progname/0]).
-export([get_config/1, get_config/2, capture_start/0, capture_stop/0, capture_get/0]).

pal(_) -> ok.
pal(_, _) -> ok.
pal(_, _, _) -> ok.
log(_) -> ok.
log(_, _) -> ok.
log(_, _, _) -> ok.
print(_) -> ok.
print(_, _) -> ok.
comment(_) -> ok.
comment(_, _) -> ok.

-spec fail(term()) -> no_return().
fail(Reason) -> exit({test_case_failed, Reason}).

-spec fail(string(), [term()]) -> no_return().
fail(Format, Args) -> fail(io_lib:format(Format, Args)).

sleep({seconds, Seconds}) -> timer:sleep(timer:seconds(Seconds));
sleep({minutes, Minutes}) -> timer:sleep(timer:minutes(Minutes));
sleep(Time) -> timer:sleep(Time).

timetrap(_) -> ok.
get_timetrap_info() -> {infinity, {true, 1}}.

get_progname() -> os:find_executable("erl").

get_config(_) -> undefined.
get_config(_, Default) -> Default.

capture_start() -> ok.
capture_stop() -> ok.
capture_get() -> [].
