%% A pid, a reference and, where a spec asks for one, a port that inputs can have.
%%
%% They belong to a process that does nothing: whatever is sent to it or done to it, nobody is hurt.
%% Another pid stands for the process that makes the call, whichever that will be: an input that is
%% to be `self()` has it, and is given the pid of the process when it is called.
-module(cuter_identifiers).

-export([start/1, stop/1, caller/0, settled/1]).

%% The pid of no process: the first one that there is never ends.
-define(CALLER, "<0.0.1>").

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

-spec caller() -> pid().
caller() ->
    list_to_pid(?CALLER).

%% The arguments for a call that this process makes.
-spec settled([term()]) -> [term()].
settled(Args) ->
    Caller = caller(),
    case mentions(Args, Caller) of
        true -> settled(Args, Caller);
        false -> Args
    end.

mentions(Caller, Caller) -> true;
mentions([Head | Tail], Caller) -> mentions(Head, Caller) orelse mentions(Tail, Caller);
mentions(Term, Caller) when is_tuple(Term) -> mentions(tuple_to_list(Term), Caller);
mentions(Term, Caller) when is_map(Term) -> mentions(maps:to_list(Term), Caller);
mentions(_Term, _Caller) -> false.

settled(Caller, Caller) ->
    self();
settled([Head | Tail], Caller) ->
    [settled(Head, Caller) | settled(Tail, Caller)];
settled(Term, Caller) when is_tuple(Term) ->
    list_to_tuple(settled(tuple_to_list(Term), Caller));
settled(Term, Caller) when is_map(Term) ->
    maps:from_list(settled(maps:to_list(Term), Caller));
settled(Term, _Caller) ->
    Term.

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
