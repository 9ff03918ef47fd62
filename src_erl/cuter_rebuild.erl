%% Sources compiled again to what a beam file was built from.
%%
%% What matters is kept: the options of the beam, and the name of the file as it was given to the
%% compiler then, which is in the beam's table of lines. Stacktraces show it, and `?FILE` is a part
%% of the code.
-module(cuter_rebuild).

-export([builds/2, sources/1, changes_core/1]).

-export_type([build/0]).

%% A beam with debug_info, if the source compiles.
-type build() :: fun(() -> {ok, binary()} | none).
-type built() :: #{
    module := module(),
    path := file:filename() | none,
    beam := binary() | none,
    _ => _
}.

%% Long enough for any source on any machine.
-define(COMPILE_TIME, 120000).

%% Tags of terms in the table of lines.
-define(TAG_INTEGER, 1).
-define(TAG_ATOM, 2).

%% What can be compiled in place of a beam, likeliest first for each source.
-spec builds(built(), [compile:option()]) -> [build()].
builds(#{path := Path, beam := Beam} = Built, Options) ->
    Kept = [binary, debug_info, return_errors | lists:filter(fun changes_beam/1, Options)],
    [
        fun() -> beam(Source, Name ++ Kept ++ include_options(Source, Path)) end
     || Source <- sources(Built),
        Name <- [[{source, Name}] || Name <- names_of(Source, Beam), Name =/= Source] ++ [[]]
    ].

%% Parse transforms are programs of the user: they may never end, or kill who calls them.
beam(Source, Options) ->
    Compile = fun() -> compile:noenv_file(Source, Options) end,
    case cuter_sandbox:run(Compile, #{time => compile_time()}) of
        {done, {ok, _Module, Beam}} when is_binary(Beam) -> {ok, Beam};
        _ -> none
    end.

%% Milliseconds for one source.
compile_time() ->
    application:get_env(cuter, compile_time, ?COMPILE_TIME).

%% The files that a module may have been compiled from.
-spec sources(built()) -> [file:filename()].
sources(#{module := Module, path := Path}) ->
    Candidates = [proplists:get_value(source, loaded_compile_info(Module), "") | beside(Path)],
    [
        File
     || File <- lists:usort(Candidates),
        filename:extension(File) =:= ".erl",
        filelib:is_regular(File)
    ].

loaded_compile_info(Module) ->
    case erlang:module_loaded(Module) of
        true -> erlang:get_module_info(Module, compile);
        false -> []
    end.

beside(none) ->
    [];
beside(Path) ->
    case filelib:find_source(Path) of
        {ok, Source} -> [Source];
        {error, not_found} -> []
    end.

include_options(Source, Path) ->
    case cuter_core:is_otp(Path) of
        true -> [{i, Dir} || Dir <- otp_includes(filename:dirname(Source))];
        false -> []
    end.

otp_includes(SourceDir) ->
    [
        SourceDir,
        filename:join(filename:dirname(SourceDir), "include"),
        filename:join(code:lib_dir(kernel), "include"),
        filename:join(code:lib_dir(stdlib), "include")
    ].

%%% The name of the file

names_of(_Source, none) ->
    [];
names_of(Source, Beam) ->
    Base = filename:basename(Source),
    [Name || Name <- file_names(Beam), filename:basename(Name) =:= Base].

file_names(Beam) ->
    case beam_lib:chunks(Beam, ["Line"]) of
        {ok, {_, [{"Line", <<0:32, _Flags:32, _Used:32, Lines:32, Names:32, Rest/binary>>}]}} ->
            names(Names, behind(Lines, Rest));
        _ ->
            []
    end.

%% Lines are numbers, each with a tag in three bits of its first byte, and numbers of files are
%% between them.
behind(0, Rest) -> Rest;
behind(Lines, Bytes) -> behind_term(Lines, Bytes).

behind_term(Lines, <<_:4, 0:1, Tag:3, Rest/binary>>) -> counted(Tag, Lines, Rest);
behind_term(Lines, <<_:3, 1:2, Tag:3, _, Rest/binary>>) -> counted(Tag, Lines, Rest);
behind_term(Lines, <<Size:3, 3:2, Tag:3, Rest/binary>>) when Size < 7 ->
    Skipped = min(Size + 2, byte_size(Rest)),
    <<_:Skipped/binary, Behind/binary>> = Rest,
    counted(Tag, Lines, Behind);
behind_term(_Lines, _Damaged) ->
    <<>>.

counted(?TAG_INTEGER, Lines, Rest) -> behind(Lines - 1, Rest);
counted(?TAG_ATOM, Lines, Rest) -> behind(Lines, Rest);
counted(_Tag, _Lines, _Damaged) -> <<>>.

names(Left, <<Size:16, Name:Size/binary, Rest/binary>>) when Left > 0 ->
    [unicode:characters_to_list(Name) | names(Left - 1, Rest)];
names(_Left, _Rest) ->
    [].

%%% Compiler options

%% Options that matter when a source is compiled to a beam again: all but those that say what to
%% print and where to write.
changes_beam({Option, _}) -> not lists:member(Option, output_options());
changes_beam(Option) -> not lists:member(Option, output_options()).

%% Abstract code from debug_info has been transformed already, and lines are counted by cuter.
%% Other languages (Elixir) call the compiler at a later stage.
-spec changes_core(compile:option()) -> boolean().
changes_core({parse_transform, _}) -> false;
changes_core(from_core) -> false;
changes_core(no_core_prepare) -> false;
changes_core(line_coverage) -> false;
changes_core(force_line_counters) -> false;
changes_core(beam_debug_info) -> false;
changes_core(Option) -> changes_beam(Option).

output_options() ->
    [
        outdir,
        cwd,
        binary,
        debug_info,
        debug_info_key,
        encrypt_debug_info,
        report,
        report_errors,
        report_warnings,
        return,
        return_errors,
        return_warnings,
        warnings_as_errors,
        verbose,
        time,
        brief,
        slim,
        basic_validation,
        strong_validation,
        makedep,
        makedep_side_effect,
        makedep_output,
        makedep_target,
        makedep_quote_target,
        makedep_add_missing,
        makedep_phony,
        dpp,
        'P',
        'E',
        'S',
        to_pp,
        to_exp,
        to_abstr,
        to_core,
        to_core0,
        to_kernel,
        to_dis,
        to_asm
    ].
