%% What a process of the machine begins with that does not begin in a function of its own code.
-module(cuter_prelude_start).

-export([call/3]).

%% A built-in or native function, one that does not exist, or a fun that takes arguments.
-spec call(module(), atom(), [term()]) -> term().
call(Module, Function, Args) ->
    apply(Module, Function, Args).
