%% The files that `rebar3 cuter` is asked to write: reports, coverage data and EUnit modules.
-module(cuter_output).

-export([kinds/1, check/3, write/4]).

-type project() :: cuter_command:project().
-type kind() :: cover | tests | html | json | junit.
-type error() :: {error, {module(), term()}}.

%% What is to be written.
-spec kinds(cuter_cli:plan()) -> [kind()].
kinds(Plan) ->
    [Kind || {Kind, _} <- wanted(Plan)].

wanted(#{reports := Reports, cover := Cover, generate_tests := Tests}) ->
    [{cover, default} || Cover] ++
        [{tests, Tests} || Tests =/= false] ++
        Reports.

%% Whether all of it can be written, before anybody waits for the findings of these modules.
-spec check([module()], project(), cuter_cli:plan()) -> ok | error().
check(Modules, Project, Plan) ->
    Files = [File || Wanted <- wanted(Plan), File <- files(Wanted, Modules, Project)],
    case [Error || File <- Files, {error, _} = Error <- [cuter_file:check(File)]] of
        [Error | _] -> Error;
        [] -> ok
    end.

files({tests, Where}, Modules, Project) ->
    [
        cuter_tests:file(Module, directory(Where, Module, Project))
     || Module <- lists:usort(Modules)
    ];
files({Kind, Name}, _Modules, #{directory := Root}) ->
    [filename:join(Root, file(Kind, Name))].

%% Writes all that can be written; gives the errors of the rest.
-spec write([cuter_report:report()], project(), cuter_cli:plan(), cuter_console:console()) ->
    [error()].
write(Reports, Project, Plan, Console) ->
    Results = [Result || Wanted <- wanted(Plan), Result <- written(Wanted, Reports, Project)],
    Files = [File || {ok, Written} <- Results, File <- Written],
    ok = cuter_console:note([["written: ", File, "\n"] || File <- Files], Console),
    [Error || {error, _} = Error <- Results].

written({tests, Where}, Reports, Project) ->
    [cuter_tests:generate(Group, Dir) || {Dir, Group} <- by_directory(Reports, Where, Project)];
written({Kind, Name}, Reports, #{directory := Root}) ->
    File = filename:join(Root, file(Kind, Name)),
    case (writer(Kind)):write(Reports, File) of
        ok -> [{ok, [File]}];
        {error, _} = Error -> [Error]
    end.

writer(cover) -> cuter_cover;
writer(html) -> cuter_html;
writer(json) -> cuter_json;
writer(junit) -> cuter_junit.

file(cover, default) -> "_build/test/cover/cuter.coverdata";
file(html, default) -> "_build/cuter/report.html";
file(json, default) -> "_build/cuter/report.json";
file(junit, default) -> "_build/cuter/junit.xml";
file(_Kind, File) -> File.

by_directory(Reports, Where, Project) ->
    Homes = [{directory(Where, Module, Project), R} || #{mfa := {Module, _, _}} = R <- Reports],
    [{Dir, [R || {D, R} <- Homes, D =:= Dir]} || Dir <- lists:usort([D || {D, _} <- Homes])].

%% Tests go to the application that their module is of.
directory(true, Module, #{directory := Root, apps := Apps}) ->
    Homes = [Dir || #{directory := Dir, modules := Ms} <- Apps, lists:keymember(Module, 1, Ms)],
    filename:join(hd(Homes ++ [Root]), "test");
directory(Dir, _Module, #{directory := Root}) ->
    filename:join(Root, Dir).
