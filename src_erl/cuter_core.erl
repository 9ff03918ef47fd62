%% Finds the code of a module and gives it as the syntax tree of `cuter_ast`.
%%
%% The tree must be of the code that is loaded, because the BEAM judges every failure. Sources of
%% it, in this order:
%%
%%   1. debug_info of the module's beam file: it is by construction what the beam was built from,
%%      parse transforms and macros included. The beam file counts only if its MD5 is that of the
%%      loaded code (not asked of a cover-compiled module, which is its file with counters, nor of
%%      a preloaded one, which is part of the emulator and may come from an earlier build stage).
%%   2. The source file, compiled with the options of the beam. A source may have been edited since,
%%      so it counts only if compiling it yields the MD5 of the loaded code again.
%%   3. The source file in an application of OTP itself. It is installed together with its beam, but
%%      the MD5 of that build cannot be had again here (other paths, the bootstrap compiler).
-module(cuter_core).

-export([module/2, explain/1, forms/1, version/1, is_otp/1, format_error/1]).

-export_type([answer/0, description/0, error/0, frames/0, version/0]).

-type answer() :: {ast, binary()} | native | undefined.
-type description() ::
    {no_such_module, module()}
    | {cannot_be_loaded, module(), Reason :: atom()}
    | {no_code, module()}
    | {encrypted, module()}
    | {source_differs, module(), file:filename()}
    | {no_backend, module(), Backend :: module()}
    | {other_code_loaded, module()}
    | {does_not_compile, module()}
    | {unsupported, module(), cuter_ast:unsupported()}.
%% What is known of what the compiler makes of Core Erlang.
-type later() :: #{
    assembly := cuter_assembly:functions(),
    compiled := cuter_lambdas:compiled(),
    sized := cuter_loops:loops(),
    joined => cuter_joined:calls(),
    options := [compile:option()]
}.
-type error() :: {error, {?MODULE, description()}}.

%% Differs between two versions of a module, also if only a spec or a line does.
-type version() :: {binary() | any, binary() | none}.

%% Whether the frames of stacktraces have to be those of the BEAM also where it takes another run of
%% the compiler to tell, which can take several times as long as the rest.
-type frames() :: exact | likely.

%% What is known of a module's code. `md5` is of the loaded code, `any` if the beam file need not
%% agree with it.
-type object() :: #{
    module := module(),
    md5 := binary() | any,
    path := file:filename() | none,
    beam := binary() | none
}.

%% Modules that give funs of their own to servers of the VM, which wait for others in them: such a
%% fun cannot run in the machine, and a server that it fails in would take the VM with it.
-define(ONE_WITH_ITS_SERVER, [global]).

%% What the engine is told when it asks for a module.
-spec module(module(), frames()) -> answer().
module(Module, Frames) ->
    case lists:member(Module, ?ONE_WITH_ITS_SERVER) of
        true -> native;
        false -> interpreted(Module, Frames)
    end.

interpreted(Module, Frames) ->
    case explain(Module, Frames) of
        {ok, Ast} -> {ast, Ast};
        {error, {?MODULE, {no_such_module, _}}} -> undefined;
        {error, {?MODULE, {cannot_be_loaded, _, _}}} -> undefined;
        {error, _} -> native
    end.

%% The syntax tree in external term format, or why there is none.
-spec explain(module()) -> {ok, binary()} | error().
explain(Module) ->
    explain(Module, likely).

explain(Module, Frames) ->
    case locate(Module) of
        {ok, Object} -> cached(Object, Frames);
        {error, _} = Error -> Error
    end.

%% The abstract code that the syntax tree is made of, parse transforms applied.
-spec forms(module()) -> {ok, [erl_parse:abstract_form()]} | error().
forms(Module) ->
    case locate(Module) of
        {ok, Object} -> abstract_code(Object);
        {error, _} = Error -> Error
    end.

-spec version(module()) -> {ok, version()} | error().
version(Module) ->
    case locate(Module) of
        {ok, Object} -> {ok, version_of(Object)};
        {error, _} = Error -> Error
    end.

-spec format_error(description()) -> iolist().
format_error({no_such_module, Module}) ->
    io_lib:format("Module ~tp does not exist; add its ebin directory to the code path.", [Module]);
format_error({cannot_be_loaded, Module, Reason}) ->
    io_lib:format(
        "Module ~tp is there but cannot be loaded (~tp); compile it again, or look at what its "
        "on_load function needs.",
        [Module, Reason]
    );
format_error({encrypted, Module}) ->
    io_lib:format(
        "The debug_info of module ~tp is encrypted; put its key into .erlang.crypt, or keep the "
        "source of the module.",
        [Module]
    );
format_error({source_differs, Module, Source}) ->
    io_lib:format(
        "The loaded code of module ~tp has no debug_info, and is not what its source ~ts compiles "
        "to; compile it again with debug_info.",
        [Module, Source]
    );
format_error({no_code, Module}) ->
    io_lib:format(
        "The code of module ~tp is not available; compile it with debug_info or keep its source.",
        [Module]
    );
format_error({no_backend, Module, Backend}) ->
    io_lib:format(
        "Reading the code of module ~tp needs module ~tp of its compiler; add the ebin directory "
        "of that compiler (Elixir: .../lib/elixir/ebin) to the code path.",
        [Module, Backend]
    );
format_error({other_code_loaded, Module}) ->
    io_lib:format(
        "The loaded code of module ~tp is not that of its beam file; load it again with l(~tp).",
        [Module, Module]
    );
format_error({does_not_compile, Module}) ->
    io_lib:format(
        "The abstract code of module ~tp does not compile here; compile it again with this OTP.",
        [Module]
    );
format_error({unsupported, Module, {unsupported_node, Type}}) ->
    io_lib:format(
        "Module ~tp has a construct of Core Erlang that cuter does not know (~tp); "
        "test a function of another module, or use an older OTP.",
        [Module, Type]
    ).

%%% Cache. The key is the loaded code and the whole beam file, since the MD5 of a module leaves out
%%% lines and specs.

-spec cached(object(), frames()) -> {ok, binary()} | error().
cached(#{module := Module} = Object, Frames) ->
    Key = {?MODULE, Module},
    Version = key(Object),
    case persistent_term:get(Key, none) of
        {Version, Known, Result} when Known =:= exact; Known =:= Frames ->
            Result;
        _ ->
            {Known, Result} = kept(Object, Frames),
            persistent_term:put(Key, {Version, Known, Result}),
            Result
    end.

%% Trees of OTP's modules are kept between VMs. Of these, only what the beam file alone has told.
kept(#{module := Module, path := Path} = Object, Frames) ->
    Key = {Module, key(Object), Frames},
    case is_otp(Path) andalso cuter_shelf:take(Key) of
        {ok, Known, Tree} -> {Known, {ok, Tree}};
        _ -> keep(Key, Object, build(Object, Frames))
    end.

keep(Key, #{path := Path} = Object, {Known, {ok, Tree}} = Built) ->
    case is_otp(Path) andalso is_of_beam(Object) of
        true -> cuter_shelf:put(Key, {Known, Tree});
        false -> ok
    end,
    Built;
keep(_Key, _Object, {_Known, {error, _}} = Built) ->
    Built.

is_of_beam(#{beam := Beam} = Object) when is_binary(Beam) ->
    is_loaded_code(Beam, Object) andalso cuter_abstract:of_beam(Beam) =/= none;
is_of_beam(_Object) ->
    false.

version_of(#{md5 := Md5, beam := Beam}) ->
    {Md5, fingerprint(Beam)}.

%% What a library does in place of functions is found out when it is loaded.
key(#{module := Module} = Object) ->
    {version_of(Object), natives(Module)}.

%% The functions that a native library does, as the VM has it.
natives(Module) ->
    case erlang:module_loaded(Module) of
        true -> erlang:get_module_info(Module, nifs);
        false -> []
    end.

fingerprint(none) -> none;
fingerprint(Beam) -> erlang:md5(Beam).

%% What is likely can be all that there is to know.
-spec build(object(), frames()) -> {frames(), {ok, binary()} | error()}.
build(Object, Frames) ->
    case core(Object) of
        {ok, Core, Later} -> encode(Object, Core, Later, Frames);
        {error, _} = Error -> {exact, Error}
    end.

encode(#{module := Module} = Object, Core, Later, Frames) ->
    try tree(Core, Later, Frames) of
        {Known, Tree} ->
            #{compiled := Compiled} = Later,
            Native = with_natives(Object, located(Object, Tree)),
            Whole = erlang:append_element(Native, Compiled),
            {Known, {ok, term_to_binary(Whole, [{minor_version, 2}])}}
    catch
        throw:{unsupported_node, _} = What ->
            {exact, {error, {?MODULE, {unsupported, Module, What}}}}
    end.

-spec tree(cerl:c_module(), later(), frames()) -> {frames(), cuter_ast:module_tree()}.
tree(Core, #{assembly := Assembly, options := Options} = Later, Frames) ->
    case native_tree(Core, Later) of
        {Tree, true} ->
            {exact, Tree};
        {Tree, false} when Frames =:= likely ->
            {likely, Tree};
        {Tree, false} ->
            Compiled = cuter_numbered:compiled(Core, Options, Assembly),
            {exact, numbered_tree(Compiled, Later, Tree)}
    end.

%% Where lines do not tell everything, numbers do.
numbered_tree({ok, Core, Assembly, Joined, Original}, Later, _Tree) ->
    {Numbered, _} = native_tree(Core, Later#{assembly := Assembly, joined => Joined}),
    cuter_numbered:restored(Numbered, Original);
numbered_tree(none, _Later, Tree) ->
    Tree.

%% The syntax tree with what stacktraces show of the compiled code, and whether that is certain.
native_tree(Core, #{assembly := Assembly, sized := Sized} = Later) ->
    Checked = cuter_comprehension:checked(cuter_ast:from_core(Core), Sized),
    {Named, IsNamed} = cuter_loops:named(Checked, Assembly),
    {Marked, IsMarked} = cuter_unseen:marked(Named, Assembly, maps:get(joined, Later, #{})),
    {Marked, IsNamed andalso IsMarked}.

%% Code that is part of the emulator has no files and lines in stacktraces.
located(#{module := Module}, Ast) ->
    case code:which(Module) of
        preloaded -> setelement(4, Ast, []);
        _ -> Ast
    end.

%% What is written for functions of a native library is not what is done: the compiler's mark tells
%% the engine, and is there only if attribute `nifs` is.
with_natives(#{module := Module}, {cuter_module, V, M, Files, Exports, Functions, Specs}) ->
    Natives = natives(Module),
    Marked = [marked(F, lists:member({Name, A}, Natives)) || {Name, A, _, _} = F <- Functions],
    {cuter_module, V, M, Files, Exports, Marked, Specs}.

marked({Name, Arity, File, {'fun', Line, Vars, Body, Made}}, true) ->
    Start = {primop, Line, nif_start, [], undefined},
    {Name, Arity, File, {'fun', Line, Vars, {seq, Start, Body}, Made}};
marked(Function, false) ->
    Function.

%%% Finding the code

-spec locate(module()) -> {ok, object()} | error().
locate(Module) ->
    Loaded = code:ensure_loaded(Module),
    case {erlang:module_loaded(Module), beam_file(Module)} of
        {false, none} ->
            {error, {?MODULE, {no_such_module, Module}}};
        {false, _} when Loaded =:= {error, badfile}; Loaded =:= {error, on_load_failure} ->
            {error, Reason} = Loaded,
            {error, {?MODULE, {cannot_be_loaded, Module, Reason}}};
        {_, Path} ->
            Md5 = loaded_md5(Module),
            {ok, #{module => Module, md5 => Md5, path => Path, beam => read_beam(Module, Path)}}
    end.

loaded_md5(Module) ->
    case code:which(Module) of
        cover_compiled -> any;
        preloaded -> any;
        _ -> loaded_md5(Module, erlang:module_loaded(Module))
    end.

loaded_md5(Module, true) -> erlang:get_module_info(Module, md5);
loaded_md5(_Module, false) -> any.

beam_file(Module) ->
    case code:which(Module) of
        [_ | _] = Path -> Path;
        preloaded -> on_path(Module, preloaded_files(Module));
        _ -> on_path(Module, [])
    end.

on_path(Module, Others) ->
    case code:where_is_file(atom_to_list(Module) ++ ".beam") of
        non_existing -> first_file(Others);
        Path -> Path
    end.

first_file(Files) ->
    case lists:filter(fun filelib:is_regular/1, Files) of
        [File | _] -> File;
        [] -> none
    end.

preloaded_files(Module) ->
    Erts = "erts-" ++ erlang:system_info(version),
    File = filename:join("ebin", atom_to_list(Module) ++ ".beam"),
    [
        filename:join([code:lib_dir(), Erts, File]),
        filename:join([code:root_dir(), Erts, File])
    ].

%% A module inside an archive (an escript) has no file, but the code server can read it.
read_beam(_Module, none) ->
    none;
read_beam(Module, Path) ->
    case file:read_file(Path) of
        {ok, Beam} -> Beam;
        {error, _} -> object_code(code:get_object_code(Module))
    end.

object_code({_Module, Beam, _Path}) -> Beam;
object_code(error) -> none.

%%% From code to Core Erlang

core(#{module := prim_eval, beam := Beam}) ->
    {ok, cuter_receiving:core(), #{
        assembly => [], compiled => cuter_lambdas:of_beam(Beam), sized => #{}, options => []
    }};
core(#{module := Module} = Object) ->
    case code(Object) of
        {ok, Forms, Options, Beam} -> compile_forms(Module, Forms, Options, Beam);
        {error, _} = Error -> Error
    end.

abstract_code(Object) ->
    case code(Object) of
        {ok, Forms, _Options, _Beam} -> {ok, Forms};
        {error, _} = Error -> Error
    end.

%% Abstract code, the options that it is to be compiled with, and what it was compiled to.
code(#{module := Module, beam := none} = Object) ->
    code_of_source(Object, [], {no_code, Module});
code(#{module := Module, beam := Beam} = Object) ->
    Options = compile_options(Beam),
    case is_loaded_code(Beam, Object) of
        true -> code_of_beam(Object, Options);
        false -> code_of_source(Object, Options, {other_code_loaded, Module})
    end.

code_of_beam(#{module := Module, beam := Beam} = Object, Options) ->
    case cuter_abstract:read(Beam) of
        {ok, Forms, Recorded} -> {ok, Forms, Options ++ Recorded, Beam};
        {no_backend, Backend} -> code_of_source(Object, Options, {no_backend, Module, Backend});
        encrypted -> code_of_source(Object, Options, {encrypted, Module});
        error -> code_of_source(Object, Options, {no_code, Module})
    end.

is_loaded_code(_Beam, #{md5 := any}) ->
    true;
is_loaded_code(Beam, #{md5 := Md5}) ->
    case beam_lib:md5(Beam) of
        {ok, {_Module, BeamMd5}} -> BeamMd5 =:= Md5;
        {error, beam_lib, _} -> false
    end.

compile_forms(Module, Written, Options, Beam) ->
    Kept = [return_errors | lists:filter(fun cuter_rebuild:changes_core/1, Options)],
    Version = cuter_vintage:version(compile_info(Beam)),
    try
        Forms = cuter_vintage:adapted(Written, Version, Kept),
        compile:noenv_forms(Forms, [to_core, binary | Kept])
    of
        {ok, Module, Core} ->
            {ok, Core, #{
                assembly => cuter_assembly:functions(Beam),
                compiled => cuter_lambdas:of_beam(Beam),
                sized => cuter_ssa:sized_loops(Core, Forms, Kept),
                options => own_options(Forms) ++ Kept
            }};
        _ -> {error, {?MODULE, {does_not_compile, Module}}}
    catch
        _:_ -> {error, {?MODULE, {does_not_compile, Module}}}
    end.

%% The options that a module gives itself.
own_options(Forms) ->
    lists:flatten([Options || {attribute, _, compile, Options} <- Forms]).

compile_options(Beam) ->
    proplists:get_value(options, compile_info(Beam), []).

compile_info(Beam) ->
    case beam_lib:chunks(Beam, [compile_info]) of
        {ok, {_, [{compile_info, Info}]}} -> Info;
        _ -> []
    end.

%%% From source

code_of_source(#{module := Module} = Object, Options, Otherwise) ->
    case first_build(cuter_rebuild:builds(Object, Options), Object) of
        {ok, Beam} -> code_of_build(Module, Beam, Options);
        none -> {error, {?MODULE, without_source(Otherwise, cuter_rebuild:sources(Object))}}
    end.

without_source({no_code, Module}, [Source | _]) -> {source_differs, Module, Source};
without_source(Otherwise, _Sources) -> Otherwise.

code_of_build(Module, Beam, Options) ->
    case cuter_abstract:read(Beam) of
        {ok, Forms, _} -> {ok, Forms, Options, Beam};
        _None -> {error, {?MODULE, {does_not_compile, Module}}}
    end.

first_build([], _Object) ->
    none;
first_build([Build | Builds], Object) ->
    case is_trusted(Build(), Object) of
        {true, Beam} -> {ok, Beam};
        false -> first_build(Builds, Object)
    end.

is_trusted({ok, Beam}, #{path := Path} = Object) ->
    (is_loaded_code(Beam, Object) orelse is_otp(Path)) andalso {true, Beam};
is_trusted(none, _Object) ->
    false.

%% Whether a file is part of OTP.
-spec is_otp(file:filename() | none) -> boolean().
is_otp(none) -> false;
is_otp(Path) -> lists:prefix(code:lib_dir() ++ "/", Path).
