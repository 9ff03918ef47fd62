%% Which release's compiler a module was compiled with.
-module(cuter_vintage).

-export([is_of_this_release/1]).

%% Versions of the compiler that differ behind the second number belong to one release. What was
%% written in assembly, or by another compiler, tells no version.
-spec is_of_this_release(module()) -> boolean().
is_of_this_release(Module) ->
    case code:ensure_loaded(Module) of
        {module, Module} -> is_at_hand(erlang:get_module_info(Module, compile));
        {error, _} -> true
    end.

is_at_hand(Info) ->
    case lists:keyfind(version, 1, Info) of
        {version, Version} -> release(Version) =:= release(at_hand());
        false -> true
    end.

at_hand() ->
    _ = application:load(compiler),
    {ok, Version} = application:get_key(compiler, vsn),
    Version.

release(Version) ->
    lists:sublist(string:lexemes(Version, "."), 2).
