%% Coverage data of the inputs that were found, as `cover` exports it and `rebar3 cover` merges it.
%%
%% There is one cover server in a VM, and it may be the user's. So the calls are made in a VM of
%% their own, which compiles the application's modules for cover, makes the calls, and exports.
-module(cuter_cover).

-export([write/2, format_error/1]).
%% What the other VM runs
-export([child/1]).

-export_type([description/0]).

-type report() :: cuter_report:report().
-type description() ::
    no_modules
    | {cannot_start, term()}
    | {other_vm, string()}
    | cuter_file:description().
-type job() :: #{
    path := [file:filename()],
    beams := [file:filename()],
    calls := [{module(), atom(), [term()]}],
    export := file:filename_all()
}.

%% Runs the inputs of the reports under cover and writes the data.
-spec write([report()], file:filename_all()) ->
    ok | {error, {?MODULE, description()}} | cuter_file:error().
write(Reports, File) ->
    Modules = lists:usort([M || #{mfa := {M, _, _}} <- Reports, not cuter_failures:is_otp(M)]),
    case beams(Modules) of
        [] -> failed(no_modules);
        Beams -> wrap(export(Beams, calls(Reports), File))
    end.

wrap(ok) -> ok;
wrap({error, {cuter_file, _}} = Error) -> Error;
wrap({error, Description}) -> failed(Description).

failed(Description) ->
    {error, {?MODULE, Description}}.

-spec format_error(description()) -> iolist().
format_error(no_modules) ->
    "There is no module whose coverage could be measured: cover takes modules with a beam file, "
    "outside of OTP.";
format_error({cannot_start, Reason}) ->
    io_lib:format("The VM that measures coverage cannot be started: ~tp.", [Reason]);
format_error({other_vm, Text}) ->
    io_lib:format("The VM that measures coverage ended early: ~ts", [Text]).

%% All modules of the applications under test: the user wants to know about the others, too.
beams(Modules) ->
    Files = [code:where_is_file(atom_to_list(Module) ++ ".beam") || Module <- Modules],
    Dirs = lists:usort([filename:dirname(File) || File <- Files, is_list(File)]),
    lists:append([filelib:wildcard(filename:join(Dir, "*.beam")) || Dir <- Dirs]).

calls(Reports) ->
    lists:append([
        [{Module, Function, Input} || Input <- lists:usort(inputs(Report))]
     || #{mfa := {Module, Function, _}} = Report <- Reports
    ]).

inputs(#{failures := Failures} = Report) ->
    [Input || #{input := Input} <- Failures ++ maps:get(inputs, Report, [])].

%%% This VM

export(Beams, Calls, File) ->
    Export = cuter_file:temporary(File),
    Job = cuter_file:temporary(File),
    Content = term_to_binary(#{
        path => [filename:absname(Dir) || Dir <- code:get_path(), is_own(Dir)],
        beams => [filename:absname(Beam) || Beam <- Beams],
        calls => Calls,
        export => filename:absname(Export)
    }),
    case cuter_file:write(Job, Content) of
        ok ->
            Result = finish(run_child(filename:absname(Job)), Export, File),
            _ = file:delete(Job),
            Result;
        {error, {cuter_file, {not_written, _, Reason}}} ->
            {error, {cuter_file, {not_written, File, Reason}}}
    end.

%% OTP's own applications are there anyway.
is_own(Dir) ->
    not lists:prefix(code:lib_dir(), Dir) andalso filelib:is_dir(Dir).

finish(ok, Export, File) ->
    cuter_file:put_in_place(Export, File);
finish({error, _} = Error, Export, _File) ->
    _ = file:delete(Export),
    Error.

run_child(Job) ->
    Erl = filename:join([code:root_dir(), "bin", "erl"]),
    Args = ["-noshell", "-boot", "start_clean", "-pa", filename:dirname(own_beam())] ++
        ["-run", atom_to_list(?MODULE), "child", Job],
    %% Flags for this VM, such as its name, are not for another one.
    Unset = ["ERL_FLAGS", "ERL_AFLAGS", "ERL_ZFLAGS"],
    Options = [{args, Args}, {env, [{Name, false} || Name <- Unset]}],
    try open_port({spawn_executable, Erl}, [exit_status, stderr_to_stdout, binary | Options]) of
        Port -> wait(Port, [])
    catch
        error:Reason -> {error, {cannot_start, Reason}}
    end.

own_beam() ->
    {file, File} = code:is_loaded(?MODULE),
    beam_path(File).

beam_path([_ | _] = File) -> filename:absname(File);
%% This module may itself be measured.
beam_path(_CoverCompiled) -> filename:absname(code:where_is_file(atom_to_list(?MODULE) ++ ".beam")).

wait(Port, Output) ->
    receive
        {Port, {data, Data}} -> wait(Port, [Output, Data]);
        {Port, {exit_status, 0}} -> ok;
        {Port, {exit_status, _}} -> {error, {other_vm, unicode:characters_to_list(Output)}}
    end.

%%% The other VM

-spec child([file:filename()]) -> no_return().
child([Job]) ->
    _ = spawn(fun end_with_parent/0),
    {ok, Content} = file:read_file(Job),
    try measure(binary_to_term(Content)) of
        ok -> halt(0)
    catch
        Class:Reason ->
            io:format("~ts: ~0tp.~n", [Class, Reason]),
            halt(1)
    end.

%% Nothing is ever written to this VM: its input ends when nobody is interested any more.
end_with_parent() ->
    case io:get_line("") of
        eof -> halt(1);
        {error, _} -> halt(1);
        _ -> end_with_parent()
    end.

-spec measure(job()) -> ok.
measure(#{path := Path, beams := Beams, calls := Calls, export := Export}) ->
    ok = code:add_pathsa(lists:reverse(Path)),
    {ok, _} = cover:start(),
    Compiled = [Module || Beam <- Beams, {ok, Module} <- [cover:compile_beam(Beam)]],
    Compiled =:= [] andalso error(no_module_with_debug_info),
    lists:foreach(fun make_call/1, Calls),
    ok = cover:export(Export).

make_call({Module, Function, Input}) ->
    _ = cuter_replay:native({Module, Function}, Input),
    ok.
