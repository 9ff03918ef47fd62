%% What `rebar3 cuter` does once it knows the plan and the modules of the project: explores, prints,
%% writes files and says how it ended. Knows nothing of rebar3.
-module(cuter_command).

-export([run/3, format_error/1]).

-export_type([project/0, ending/0]).

%% The directory of the project, and for each application its name, directory and modules.
-type project() :: #{directory := file:filename(), apps := [app()]}.
-type app() :: #{
    name := atom(), directory := file:filename(), modules := [cuter_project:module_file()]
}.
%% The exit code, and the sentence that goes with it.
-type ending() :: {0, none} | {1 | 2 | 3, iolist()}.
-type description() :: {no_app, atom(), [atom()]}.

-spec run(project(), cuter_cli:plan(), cuter_console:console()) -> ending().
run(Project, Plan, Console) ->
    case choose(Project, Plan) of
        {ok, Targets} ->
            cuter_console:while(fun(C) -> explore(Targets, Project, Plan, C) end, Console);
        {error, Reason} -> {2, cuter:format_error(Reason)}
    end.

choose(#{apps := Apps}, #{apps := Wanted} = Plan) ->
    Names = [Name || #{name := Name} <- Apps],
    case [App || App <- Wanted, not lists:member(App, Names)] of
        [] ->
            Modules = [
                Module
             || #{name := Name, modules := Modules} <- Apps,
                Wanted =:= [] orelse lists:member(Name, Wanted),
                Module <- Modules
            ],
            cuter_project:functions(Modules, Plan);
        [App | _] ->
            {error, {?MODULE, {no_app, App, Names}}}
    end.

explore(Targets, Project, #{against := none} = Plan, Console) ->
    case {read_corpus(Project, Plan), check_output(Targets, Project, Plan)} of
        {{ok, Corpus}, ok} -> campaign(Targets, Corpus, Project, complete(Plan), Console);
        {{error, Reason}, _} -> {3, cuter:format_error(Reason)};
        {_, {error, Reason}} -> {3, cuter:format_error(Reason)}
    end;
explore(Targets, Project, Plan, Console) ->
    cuter_against:run(Targets, Project, Plan, Console).

check_output(Targets, Project, Plan) ->
    Modules = [Module || {{Module, _, _}, _} <- Targets],
    case check_corpus(Project, Plan) of
        ok -> cuter_output:check(Modules, Project, Plan);
        {error, _} = Error -> Error
    end.

%% What is written or explained needs all that exploring tells, also of functions that did not
%% change. The picture of the paths needs the paths.
complete(#{verbose := Verbose, explain := Explain, again := Again, options := Options} = Plan) ->
    Wanted = cuter_output:kinds(Plan),
    Plan#{
        again := Again orelse Verbose orelse Explain orelse Wanted =/= [],
        options := trace(lists:member(html, Wanted), Options)
    }.

trace(true, Options) -> Options#{trace => true};
trace(false, Options) -> Options.

%%% The corpus

corpus_file(#{directory := Dir}, #{corpus := File}) ->
    filename:join(Dir, File).

read_corpus(_Project, #{corpus := none}) -> {ok, #{}};
read_corpus(Project, Plan) -> cuter_corpus:read(corpus_file(Project, Plan)).

check_corpus(_Project, #{corpus := none}) -> ok;
check_corpus(Project, Plan) -> cuter_corpus:check(corpus_file(Project, Plan)).

write_corpus(_Corpus, _Project, #{corpus := none}) -> ok;
write_corpus(Corpus, Project, Plan) -> cuter_corpus:write(corpus_file(Project, Plan), Corpus).

%% What it says about functions that are no longer there is forgotten.
existing(Corpus, #{apps := Apps}) ->
    Files = lists:append([Modules || #{modules := Modules} <- Apps]),
    cuter_corpus:keep(fun(Mfa) -> exists(Mfa, Files) end, Corpus).

exists({Module, Function, Arity}, Files) ->
    case lists:keymember(Module, 1, Files) orelse code:which(Module) =/= non_existing of
        true ->
            _ = code:ensure_loaded(Module),
            erlang:function_exported(Module, Function, Arity);
        false ->
            false
    end.

%%% Exploring

campaign(Targets, Corpus, Project, Plan, Console) ->
    Started = erlang:monotonic_time(millisecond),
    {Results, Remembered} = cuter_campaign:run(Targets, Plan, Corpus, #{
        notify => cuter_progress:listener(length(Targets), Plan, Console),
        stop => fun() -> cuter_console:is_stopped(Console) end
    }),
    Stopped = cuter_console:is_stopped(Console),
    ok = cuter_console:clear(Console),
    Time = erlang:monotonic_time(millisecond) - Started,
    ok = conclude(Results, Time, Console),
    ok = cuter_console:note(accepted(Results, Plan), Console),
    Reports = [Report || {ok, Report} <- Results],
    Kept = write_corpus(existing(Remembered, Project), Project, Plan),
    Written = [Kept | cuter_output:write(Reports, Project, Plan, Console)],
    Errors = [Error || {error, Error} <- Written],
    Ending = ending(Results, Errors, Stopped, Plan),
    ok = complain(Errors, Ending, Console),
    Ending.

%% What could not be written is said also where something else is said last.
complain([_Last | Errors], {3, _}, Console) -> complain(Errors, Console);
complain(Errors, _Ending, Console) -> complain(Errors, Console).

complain(Errors, Console) ->
    cuter_console:say([[cuter:format_error(Error), "\n"] || Error <- Errors], Console).

conclude(Results, Time, Console) ->
    Rows = [row(Result) || Result <- Results],
    cuter_console:note(
        [
            "\n",
            cuter_summary:table(Rows, "failures"),
            "\n",
            counted(length(Results), "function"),
            " in ",
            cuter_summary:duration(Time),
            "\n"
        ],
        Console
    ).

accepted(_Results, #{accept := none}) ->
    "";
accepted(Results, #{accept := Reason, corpus := Corpus}) ->
    Reports = [Report || {ok, Report} <- Results],
    Counts = [{failure, total(failures, Reports)}, {spec, total(returns_outside_spec, Reports)}],
    case [Found || {_, Number} = Found <- Counts, Number > 0] of
        [] ->
            "nothing new to accept\n";
        Found ->
            Counted = listed(Found),
            io_lib:format("accepted: ~ts (~ts), kept in ~ts\n", [Counted, Reason, Corpus])
    end.

row({ok, Report}) ->
    cuter_summary:row(Report);
row({error, Mfa, Reason}) ->
    #{
        function => cuter_summary:function_name(Mfa),
        verdict => ["not explored: ", first_words(Reason)],
        failures => "-",
        clauses => "-",
        runs => "-",
        time => "-"
    }.

first_words({cuter_several, {not_started, time}}) -> "no time left";
first_words({cuter_several, {not_started, stopped}}) -> "stopped by the user";
first_words(Reason) -> string:slice(lists:flatten(cuter:format_error(Reason)), 0, 70).

%%% How it ended

%% Findings come first: they are what the user asked for. Then what went wrong otherwise.
ending(Results, Errors, Stopped, Plan) ->
    Findings = findings(Results, Plan),
    case {Findings, Errors, not_explored(Results), Stopped} of
        {[_ | _], _, _, _} -> {1, ["cuter found ", listed(Findings), "."]};
        {[], [Error | _], _, _} -> {3, cuter:format_error(Error)};
        {[], [], _, true} -> {3, "cuter was stopped before all functions were explored."};
        {[], [], [Reason | _], _} -> {3, cuter:format_error(Reason)};
        {[], [], [], false} -> {0, none}
    end.

not_explored(Results) ->
    [Reason || {error, _, Reason} <- Results, Reason =/= {cuter_several, {not_started, time}}].

findings(Results, #{fail_on := FailOn, accept := Accept}) ->
    Reports = [Report || {ok, Report} <- Results],
    Counts = [{Finding, count(Finding, Reports, Results)} || Finding <- FailOn],
    [
        Found
     || {Finding, N} = Found <- Counts, N > 0, Accept =:= none orelse not is_accepted(Finding)
    ].

%% What `--accept` is about.
is_accepted(Finding) -> Finding =:= failure orelse Finding =:= spec.

count(failure, Reports, _) -> total(failures, Reports);
count(disagreement, Reports, _) -> total(disagreements, Reports);
count(spec, Reports, _) -> total(returns_outside_spec, Reports);
count(stale, Reports, _) -> total(stale, Reports);
count(difference, _Reports, _) -> 0;
count(limit, Reports, _) -> length([R || #{verdict := {limit, _}} = R <- Reports]);
count(uncovered, Reports, _) ->
    lists:sum([Total - Covered || #{coverage := #{clauses := {Covered, Total}}} <- Reports]);
count(error, _Reports, Results) -> length([Mfa || {error, Mfa, _} <- Results]).

total(Key, Reports) ->
    lists:sum([length(maps:get(Key, Report, [])) || Report <- Reports]).

listed(Findings) ->
    lists:join(", ", [found(Finding, Number) || {Finding, Number} <- Findings]).

found(failure, N) -> counted(N, "failure");
found(disagreement, N) -> [counted(N, "disagreement"), " with the BEAM (a defect of cuter)"];
found(spec, N) -> [counted(N, "return"), " outside the spec"];
found(stale, N) -> [counted(N, "accepted failure"), " no longer happening"];
found(limit, N) -> [counted(N, "function"), " not explored completely"];
found(uncovered, N) -> [counted(N, "clause"), " not reached"];
found(error, N) -> [counted(N, "function"), " not explored"].

counted(1, Noun) -> ["1 ", Noun];
counted(Number, Noun) -> [integer_to_list(Number), " ", Noun, "s"].

-spec format_error(description()) -> iolist().
format_error({no_app, App, Names}) ->
    io_lib:format(
        "There is no application ~tp in this project; it has ~ts.",
        [App, lists:join(", ", [atom_to_list(Name) || Name <- Names])]
    ).
