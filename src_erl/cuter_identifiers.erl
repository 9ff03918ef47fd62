%% A pid, a reference and, where a spec asks for one, a port that inputs can have.
%%
%% They belong to a process that does nothing: whatever is sent to it or done to it, nobody is hurt.
-module(cuter_identifiers).

-export([start/1, stop/1]).

-spec start(#{signature => cuter_spec:signature(), _ => _}) ->
    {pid(), [pid() | port() | reference()]}.
start(Target) ->
    Tag = make_ref(),
    Caller = self(),
    Pid = spawn(fun() -> idle(Caller, Tag, needs_port(Target)) end),
    receive
        {Tag, Identifiers} -> {Pid, Identifiers}
    end.

-spec stop(pid()) -> ok.
stop(Pid) ->
    exit(Pid, kill),
    ok.

needs_port(#{signature := #{types := Types}}) -> lists:member(port, tuple_to_list(Types));
needs_port(#{}) -> false.

idle(Caller, Tag, NeedsPort) ->
    Monitor = monitor(process, Caller),
    Ports = [open_port({spawn, "cat"}, []) || NeedsPort],
    Caller ! {Tag, [self(), make_ref() | Ports]},
    idle(Monitor).

idle(Monitor) ->
    receive
        {'DOWN', Monitor, process, _Pid, _Reason} -> ok;
        _ -> idle(Monitor)
    end.
