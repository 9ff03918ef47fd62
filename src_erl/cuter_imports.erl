%% The functions of other modules that the code of a module calls by name.
-module(cuter_imports).

-export([of_module/1]).

%% Kept for as long as the module is loaded; unknown for one that has no file.
-spec of_module(module()) -> {ok, [mfa()]} | unknown.
of_module(Module) ->
    Version = loaded(Module),
    case persistent_term:get({?MODULE, Module}, none) of
        {Version, Imports} ->
            Imports;
        _ ->
            Imports = imports(Module, code:which(Module)),
            persistent_term:put({?MODULE, Module}, {Version, Imports}),
            Imports
    end.

loaded(Module) ->
    erlang:module_loaded(Module) andalso erlang:get_module_info(Module, md5).

imports(Module, [_ | _] = Path) ->
    case code:get_object_code(Module) of
        {Module, Beam, _} -> read(Beam);
        error -> read(Path)
    end;
imports(_Module, _NoFile) ->
    unknown.

read(Beam) ->
    case beam_lib:chunks(Beam, [imports]) of
        {ok, {_, [{imports, Imports}]}} -> {ok, Imports};
        {error, beam_lib, _} -> unknown
    end.
