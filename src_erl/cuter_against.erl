%% `rebar3 cuter --against REVISION`: inputs for which the project's functions differ from those of
%% an earlier revision.
%%
%% The revision is taken out of git into a temporary directory and compiled there by rebar3, with
%% the dependencies of the project as they are now. Its modules are loaded under other names beside
%% those of now, and each function is explored together with its earlier self (`cuter_diff`).
-module(cuter_against).

-export([run/4, format_error/1]).

-type description() ::
    {not_git, file:filename()}
    | {no_revision, string(), iodata()}
    | {does_not_compile, string(), iodata()}
    | {no_tool, string()}.

-spec run(
    [cuter_campaign:target()], cuter_command:project(), cuter_cli:plan(), cuter_console:console()
) -> cuter_command:ending().
run(Targets, #{directory := Root} = Project, #{against := Revision} = Plan, Console) ->
    Dir = cuter_temporary:directory("against"),
    try
        ok = cuter_console:note(["cuter: building ", Revision, "\n"], Console),
        Old = build(Revision, Root, Dir),
        with_earlier(Old, Dir, fun(Both) -> compare(Targets, Both, Project, Plan, Console) end)
    catch
        throw:{?MODULE, Description} -> {code(Description), format_error(Description)}
    after
        cuter_temporary:remove(Dir)
    end.

code({no_revision, _, _}) -> 2;
code({not_git, _}) -> 2;
code(_) -> 3.

%%% The earlier revision

%% Compiles the revision; gives the beam files of its applications.
build(Revision, Root, Dir) ->
    Top = string:trim(git(["rev-parse", "--show-toplevel"], Root, {not_git, Root})),
    Prefix = string:trim(git(["rev-parse", "--show-prefix"], Root, {not_git, Root})),
    Commit = revision(Revision, Root),
    Tar = filename:join(Dir, "tree.tar"),
    _ = git(["archive", "--output", Tar, Commit], Top, {not_git, Root}),
    Tree = filename:join(Dir, "tree"),
    ok = file:make_dir(Tree),
    ok = erl_tar:extract(Tar, [{cwd, Tree}]),
    Home = filename:join(Tree, Prefix),
    ok = borrow(Root, Home),
    compile(Revision, Home),
    beams(Home).

revision(Revision, Root) ->
    case command("git", ["rev-parse", "--verify", "--quiet", Revision ++ "^{commit}"], Root) of
        {0, Commit} -> string:trim(Commit);
        {_, Said} -> fail({no_revision, Revision, string:trim(Said)})
    end.

git(Args, Dir, Otherwise) ->
    case command("git", Args, Dir) of
        {0, Said} -> Said;
        _ -> fail(Otherwise)
    end.

%% What is not in git: dependencies, plugins and check-outs of now.
borrow(Root, Home) ->
    Build = filename:join(Root, "_build/default"),
    Own = filename:join(Home, "_build/default"),
    ok = filelib:ensure_dir(filename:join(Own, "lib/x")),
    _ = [
        file:make_symlink(filename:join(Root, Name), filename:join(Home, Name))
     || Name <- ["_checkouts"], not filelib:is_file(filename:join(Home, Name))
    ],
    _ = file:make_symlink(filename:join(Build, "plugins"), filename:join(Own, "plugins")),
    _ = [
        file:make_symlink(Dependency, filename:join([Own, "lib", filename:basename(Dependency)]))
     || Dependency <- filelib:wildcard(filename:join(Build, "lib/*")),
        is_dependency(Dependency)
    ],
    ok.

%% Applications of the project itself are links to their sources, or hold them as links.
is_dependency(Dir) ->
    case file:read_link_info(filename:join(Dir, "src")) of
        {ok, Info} -> element(3, Info) =:= directory;
        _ -> false
    end.

compile(Revision, Home) ->
    case command(rebar3(), ["compile"], Home) of
        {0, _} -> ok;
        {_, Said} -> fail({does_not_compile, Revision, Said})
    end.

%% The rebar3 that runs here.
rebar3() ->
    case init:get_plain_arguments() of
        [Script | _] -> runnable(filename:absname(Script));
        [] -> "rebar3"
    end.

runnable(Script) ->
    case filelib:is_regular(Script) andalso filename:basename(Script) =:= "rebar3" of
        true -> Script;
        false -> "rebar3"
    end.

%% The project's own applications: what was built there and is no link.
beams(Home) ->
    [
        Beam
     || App <- filelib:wildcard(filename:join(Home, "_build/default/lib/*")),
        is_own(App),
        Beam <- filelib:wildcard(filename:join(App, "ebin/*.beam"))
    ].

is_own(App) ->
    case file:read_link(App) of
        {ok, _} -> false;
        {error, _} -> true
    end.

%%% Two versions side by side

with_earlier(Beams, Dir, Work) ->
    Forms = [{module(Beam), cuter_abstract:of_beam(Beam)} || Beam <- Beams],
    Earlier = maps:from_list([{Module, earlier(Module)} || {Module, {ok, _}} <- Forms]),
    Ebin = filename:join(Dir, "earlier"),
    ok = file:make_dir(Ebin),
    _ = [load(cuter_rename:forms(F, Earlier), Ebin) || {_, {ok, F}} <- Forms],
    try
        Work({Earlier, maps:from_list([{Module, F} || {Module, {ok, F}} <- Forms])})
    after
        lists:foreach(fun unload/1, maps:values(Earlier))
    end.

module(Beam) ->
    list_to_atom(filename:basename(Beam, ".beam")).

earlier(Module) ->
    list_to_atom("earlier " ++ atom_to_list(Module)).

load(Forms, Ebin) ->
    Options = [debug_info, binary, nowarn_unused_function],
    {ok, Module, Beam} = compile:noenv_forms(Forms, Options),
    File = filename:join(Ebin, atom_to_list(Module) ++ ".beam"),
    ok = file:write_file(File, Beam),
    {module, Module} = code:load_binary(Module, File, Beam).

unload(Module) ->
    _ = code:delete(Module),
    code:purge(Module).

%%% Comparing

compare(Targets, {Earlier, Forms}, Project, Plan, Console) ->
    Changed = changed(Project, Forms),
    {Known, New} = lists:partition(fun({Mfa, _}) -> existed(Mfa, Earlier) end, Targets),
    {Worth, Same} = lists:partition(fun({{M, _, _}, _}) -> lists:member(M, Changed) end, Known),
    ok = cuter_console:note(
        [note(New, "new since then"), note(Same, "of unchanged code")], Console
    ),
    {Results, Stopped} = explore(Worth, Earlier, Plan, Console),
    ok = cuter_console:note(table(Results), Console),
    ending(Results, Stopped, Plan).

note([], _What) ->
    "";
note([_], What) ->
    ["cuter: 1 function is ", What, "\n"];
note(Targets, What) ->
    io_lib:format("cuter: ~b functions are ~ts\n", [length(Targets), What]).

existed({Module, Function, Arity}, Earlier) ->
    case Earlier of
        #{Module := Old} -> erlang:function_exported(Old, Function, Arity);
        #{} -> false
    end.

%% Modules of which something that they may run differs: their own code or that of modules of the
%% project which they name, directly or not.
changed(#{apps := Apps}, OldForms) ->
    Now = maps:from_list([
        {Module, Forms}
     || #{modules := Files} <- Apps,
        {Module, Beam} <- Files,
        {ok, Forms} <- [cuter_abstract:of_beam(Beam)]
    ]),
    Different = [M || {M, Forms} <- maps:to_list(Now), is_different(Forms, maps:find(M, OldForms))],
    spread(Different, Now).

is_different(Forms, {ok, Old}) ->
    cuter_abstract:without_places(Forms) =/= cuter_abstract:without_places(Old);
is_different(_Forms, error) ->
    true.

spread(Changed, Now) ->
    More = [
        M
     || {M, Forms} <- maps:to_list(Now),
        not lists:member(M, Changed),
        lists:any(fun(C) -> names(C, Forms) end, Changed)
    ],
    case More of
        [] -> Changed;
        _ -> spread(More ++ Changed, Now)
    end.

names(Module, {atom, _, Module}) -> true;
names(Module, Form) when is_tuple(Form) -> names(Module, tuple_to_list(Form));
names(Module, [Form | Forms]) -> names(Module, Form) orelse names(Module, Forms);
names(_Module, _Other) -> false.

explore(Targets, Earlier, Plan, Console) ->
    #{options := Options, total_time := Total, against := Revision} = Plan,
    Time = maps:get(time_limit, Options, cuter_options:default(time_limit)),
    Jobs = [
        #{
            name => Mfa,
            time => Time,
            work => fun(Given) ->
                diff(Target, Earlier, Revision, maps:merge(Options, Given))
            end
        }
     || {Mfa, _} = Target <- Targets
    ],
    Settings = #{
        notify => cuter_progress:listener(max(1, length(Jobs)), Plan, Console),
        stop => fun() -> cuter_console:is_stopped(Console) end,
        total_time => Total
    },
    Results = cuter_batch:run(Jobs, maps:merge(Settings, cores(Options))),
    Stopped = cuter_console:is_stopped(Console),
    ok = cuter_console:clear(Console),
    {[{Mfa, Result} || {{Mfa, _}, Result} <- lists:zip(Targets, Results)], Stopped}.

cores(#{workers := Workers}) -> #{cores => Workers};
cores(#{}) -> #{}.

diff({{Module, Function, _} = Mfa, Seeds}, Earlier, Revision, Options) ->
    Input = cuter_first_input:choose(Mfa, Seeds, Options),
    Old = {maps:get(Module, Earlier), Function},
    case cuter_diff:explore(Old, {Module, Function}, Input, Options) of
        {error, Reason} -> {error, Reason};
        Report -> {ok, Report#{mfa => Mfa, names => {Revision, "now"}}}
    end.

%%% Ending

table([]) ->
    "";
table(Results) ->
    ["\n", cuter_summary:table([row(Result) || Result <- Results], "differences")].

row({_Mfa, {done, {ok, Report}}}) ->
    cuter_summary:row(Report);
row({Mfa, _}) ->
    #{
        function => cuter_summary:function_name(Mfa),
        verdict => "not explored",
        failures => "-",
        clauses => "-",
        runs => "-",
        time => "-"
    }.

ending(Results, Stopped, #{fail_on := FailOn, against := Revision}) ->
    Number = lists:sum([length(D) || {_, {done, {ok, #{differences := D}}}} <- Results]),
    Errors =
        [Reason || {_, {done, {error, Reason}}} <- Results] ++
            [{cuter_several, {died, Reason}} || {_, {died, Reason}} <- Results],
    case {Number > 0 andalso lists:member(difference, FailOn), Errors, Stopped} of
        {true, _, _} -> {1, ["cuter found ", differences(Number), " from ", Revision, "."]};
        {false, [Error | _], _} -> {3, cuter:format_error(Error)};
        {false, [], true} -> {3, "cuter was stopped before all functions were compared."};
        {false, [], false} -> {0, none}
    end.

differences(1) -> "1 difference";
differences(Number) -> [integer_to_list(Number), " differences"].

%%% Programs

%% Runs a program; gives its exit code and what it printed.
command(Name, Args, Dir) ->
    case os:find_executable(Name) of
        false ->
            fail({no_tool, Name});
        Path ->
            Options = [
                {args, Args},
                {cd, Dir},
                {env, [{"REBAR_COLOR", "none"}, {"QUIET", false}]},
                exit_status,
                stderr_to_stdout,
                hide,
                binary
            ],
            said(open_port({spawn_executable, Path}, Options), [])
    end.

said(Port, Said) ->
    receive
        {Port, {data, Data}} -> said(Port, [Said, Data]);
        {Port, {exit_status, Code}} -> {Code, unicode:characters_to_list(iolist_to_binary(Said))}
    end.

-spec fail(description()) -> no_return().
fail(Description) ->
    throw({?MODULE, Description}).

-spec format_error(description()) -> iolist().
format_error({not_git, Given}) ->
    Dir = filename:join(filename:split(Given) -- ["."]),
    io_lib:format("Option --against needs a git repository, which ~ts is not.", [Dir]);
format_error({no_revision, Revision, _Said}) ->
    io_lib:format("There is no revision ~ts in git; `git log` shows those there are.", [Revision]);
format_error({does_not_compile, Revision, Said}) ->
    io_lib:format("Revision ~ts does not compile:\n~ts", [Revision, string:trim(Said)]);
format_error({no_tool, Name}) ->
    io_lib:format("Option --against needs ~ts, which is not in PATH.", [Name]).
