%% The server of module `timer`, as a process of the run.
%%
%% The one of the VM would count its time from what the run takes for the present, and cannot run
%% what the program wants done later. So a run has a server of its own, which keeps the time of the
%% run: the engine calls this function where the program first looks for the server.
-module(cuter_prelude_timer).

-export([whereis/1]).

-spec whereis(timer_server) -> pid() | undefined.
whereis(timer_server) ->
    case gen_server:start({local, timer_server}, timer, [], []) of
        {ok, Server} -> Server;
        {error, {already_started, Server}} -> Server;
        {error, _} -> undefined
    end.
