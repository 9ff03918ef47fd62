%% Code that ends the VM, such as the `main/1` of a script that calls `halt/1`.
%%
%% In the engine such a call is the end of a run. Natively it would be that of everything, so a
%% native call of code that can end the VM is made in the engine first, and left out if it does.
-module(cuter_ending).

-export([is_possible/1, is_reached/3, is_made_by/1]).

%% An array of so many integers takes half of a gigabyte. The VM ends if it gets no memory for it;
%% more than fit into its address space are an error.
-define(MANY_INTEGERS, 1 bsl 26).
-define(TOO_MANY_INTEGERS, 1 bsl 61).

%% Whether what a module calls by name can end the VM.
-spec is_possible(module()) -> boolean().
is_possible(Module) ->
    can_end([Module], #{}).

%% Whether a call ends the VM.
-spec is_reached(module(), atom(), [term()]) -> boolean().
is_reached(Module, Function, Args) ->
    is_possible(Module) andalso
        cuter_host:outcome({Module, Function, length(Args)}, Args, #{}) =:=
            {ok, {stopped, halted}}.

%% Whether a call of a native function ends the VM: it kills a process without which there is none,
%% or takes memory that no limit of a process counts.
-spec is_made_by({module(), atom(), [term()]}) -> boolean().
is_made_by({erlang, exit, [Pid, Reason]}) when is_pid(Pid), node(Pid) =:= node() ->
    is_deadly(Reason, process_info(Pid, trap_exit)) andalso is_vital(Pid);
is_made_by({erts_internal, atomics_new, [Count, _Options]}) ->
    is_large(Count);
is_made_by({erts_internal, counters_new, [Count]}) ->
    is_large(Count);
is_made_by(_Call) ->
    false.

is_large(Count) ->
    is_integer(Count) andalso Count > ?MANY_INTEGERS andalso Count < ?TOO_MANY_INTEGERS.

is_deadly(kill, _) -> true;
is_deadly(normal, _) -> false;
is_deadly(_Reason, Traps) -> Traps =:= {trap_exit, false}.

%% The end of a part of kernel is that of kernel, as a rule. Its processes are led by its master,
%% and those that are older than applications by init.
is_vital(Pid) ->
    Named = [whereis(Name) || Name <- [application_controller, user]],
    Leaders = [whereis(init), leader(whereis(kernel_sup))],
    lists:member(Pid, Named) orelse
        erts_internal:is_system_process(Pid) orelse
        lists:member(leader(Pid), Leaders).

leader(Pid) ->
    case process_info(Pid, group_leader) of
        {group_leader, Leader} -> Leader;
        undefined -> none
    end.

%% Whether a call of what ends the VM stands in one of these modules, or in one that they call.
can_end([Module | Modules], Seen) when is_map_key(Module, Seen) ->
    can_end(Modules, Seen);
can_end([Module | Modules], Seen) ->
    case calls(Module) of
        ends -> true;
        Called -> can_end(Called ++ Modules, Seen#{Module => []})
    end;
can_end([], _Seen) ->
    false.

%% What a module of the user calls by name, kept for as long as it is loaded.
calls(Module) ->
    Version = loaded(Module),
    case persistent_term:get({?MODULE, Module}, none) of
        {Version, Calls} ->
            Calls;
        _ ->
            Calls = of_imports(imports(Module)),
            persistent_term:put({?MODULE, Module}, {Version, Calls}),
            Calls
    end.

loaded(Module) ->
    erlang:module_loaded(Module) andalso erlang:get_module_info(Module, md5).

imports(Module) ->
    case cuter_failures:is_otp(Module) orelse cuter_imports:of_module(Module) of
        {ok, Imports} -> Imports;
        _OtpOrUnknown -> []
    end.

of_imports(Imports) ->
    case lists:any(fun is_end/1, Imports) of
        true -> ends;
        false -> lists:usort([Module || {Module, _, _} <- Imports])
    end.

is_end({erlang, halt, _}) -> true;
is_end({erlang, exit, 2}) -> true;
is_end({Arrays, new, 2}) when Arrays =:= atomics; Arrays =:= counters -> true;
is_end({init, Name, _}) -> lists:member(Name, [stop, restart, reboot]);
is_end(_Call) -> false.
