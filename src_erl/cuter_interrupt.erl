%% Whether the user, or the system, wants the program to stop: Ctrl-C (SIGINT) and SIGTERM.
%%
%% Erlang programs can handle SIGTERM, through the event manager `erl_signal_server`, but not
%% SIGINT: for that there is a signal handler in the native library. While both are caught, the
%% first signal is only noted. A second Ctrl-C ends the program at once.
-module(cuter_interrupt).

-behaviour(gen_event).

-export([while/1]).
-export([init/1, handle_event/2, handle_call/2]).

%% Works; the argument of `Work` tells whether to stop.
-spec while(fun((fun(() -> boolean())) -> T)) -> T.
while(Work) ->
    Terminated = atomics:new(1, []),
    _ = cuter_nif:catch_interrupts(),
    Swapped = swap({erl_signal_handler, []}, {?MODULE, Terminated}),
    try
        Work(fun() -> cuter_nif:interrupted() orelse atomics:get(Terminated, 1) =:= 1 end)
    after
        _ = [swap({?MODULE, []}, {erl_signal_handler, []}) || Swapped =:= ok],
        cuter_nif:release_interrupts()
    end.

swap(Old, New) ->
    case whereis(erl_signal_server) of
        undefined -> none;
        _ -> gen_event:swap_handler(erl_signal_server, Old, New)
    end.

-spec init({atomics:atomics_ref(), term()}) -> {ok, atomics:atomics_ref()}.
init({Terminated, _Old}) ->
    {ok, Terminated}.

-spec handle_event(atom(), atomics:atomics_ref()) -> {ok, atomics:atomics_ref()}.
handle_event(sigterm, Terminated) ->
    ok = atomics:put(Terminated, 1, 1),
    {ok, Terminated};
handle_event(_Signal, Terminated) ->
    {ok, Terminated}.

-spec handle_call(term(), atomics:atomics_ref()) -> {ok, ok, atomics:atomics_ref()}.
handle_call(_Request, Terminated) ->
    {ok, ok, Terminated}.
