%% Runs the test cases of one of OTP's suites natively and, those that pass, in the machine.
-module(suite_runner).

-export([main/1]).

-define(NATIVE_TIME, 20000).
-define(MACHINE_SECONDS, "60").
-define(MAX_STEPS, 2000000000).

%% Directory of the suite, its name, a directory to work in, and the cases if not all are wanted.
-spec main([string()]) -> no_return().
main([Directory, Name, Work | Wanted]) ->
    Suite = list_to_atom(Name),
    ok = compile_suite(Directory, Suite, Work),
    ok = let_log(),
    Config = [{data_dir, filename:join(Directory, Name ++ "_data") ++ "/"}],
    Results = [
        result([Suite, Groups, Case, Config], Work)
     || {Groups, Case} <- cases(Suite), Wanted =:= [] orelse is_wanted(Case, Wanted)
    ],
    Count = fun(Kind) -> length([found || Result <- Results, Result =:= Kind]) end,
    say("~ts: ~b same, ~b different, ~b not run", [
        Suite, Count(same), Count(different), Count(not_run)
    ]),
    halt(min(1, Count(different))).

is_wanted(Case, Wanted) ->
    lists:member(atom_to_list(Case), Wanted).

%% What the suite prints goes elsewhere.
say(Format, Args) ->
    io:format(standard_error, Format ++ "~n", Args).

%% Cases look at what is logged, which a sandbox drops by a filter of this name.
let_log() ->
    logger:add_primary_filter(cuter_sandbox, {fun(_Event, _) -> ignore end, []}).

%%% The suite

%% By its name alone, which is what suites expect in stacktraces.
compile_suite(Directory, Suite, Work) ->
    Source = atom_to_list(Suite) ++ ".erl",
    true = code:add_patha(Work),
    ok = file:set_cwd(Directory),
    {ok, Text} = file:read_file(Source),
    Emulator = filename:join(Directory, "../../../erts/emulator/test"),
    Around = filelib:wildcard(Directory ++ "/*.erl") ++ filelib:wildcard(Emulator ++ "/*.erl"),
    Helpers = [File || File <- Around, is_helper(filename:basename(File, ".erl"), Text)],
    [_ = compile:file(File, options(Directory, Work)) || File <- Helpers],
    case compile:file(Source, [return_errors | options(Directory, Work)]) of
        {ok, Suite} ->
            {module, Suite} = code:load_file(Suite),
            ok;
        {error, Errors, _} ->
            say("~ts does not compile: ~0tp", [Suite, Errors]),
            halt(2)
    end.

is_helper(Name, Text) ->
    not lists:suffix("_SUITE", Name) andalso
        code:which(list_to_atom(Name)) =:= non_existing andalso
        binary:match(Text, list_to_binary(Name)) =/= nomatch.

options(Directory, Work) ->
    Up = filename:join(Directory, ".."),
    Libraries = filename:dirname(code:lib_dir(stdlib)),
    Include = filelib:wildcard(filename:join(Libraries, "common_test-*/include")),
    Own = [Directory, filename:join(Up, "include"), filename:join(Up, "src")],
    [debug_info, nowarn_export_all, {outdir, Work} | [{i, Each} || Each <- Own ++ Include]].

%% The cases with the groups that they are in.
cases(Suite) ->
    Groups =
        case erlang:function_exported(Suite, groups, 0) of
            true -> Suite:groups();
            false -> []
        end,
    lists:usort(lists:flatmap(fun(Each) -> cases(Each, Groups, []) end, Suite:all())).

cases({testcase, Case, _Properties}, _Groups, In) ->
    [{In, Case}];
cases(Reference, Groups, In) when element(1, Reference) =:= group ->
    case lists:keyfind(element(2, Reference), 1, Groups) of
        false -> [];
        Group -> cases(Group, Groups, In)
    end;
cases(Group, Groups, In) when is_tuple(Group) ->
    Name = element(1, Group),
    Members = element(tuple_size(Group), Group),
    lists:flatmap(fun(Each) -> cases(Each, Groups, In ++ [Name]) end, Members);
cases(Case, _Groups, In) ->
    [{In, Case}].

%%% Its cases

result(Args, Work) ->
    case natively(Args, "native", Work) of
        {ended, {Skip, _} = Why} when Skip =:= skip; Skip =:= skipped -> not_run(Args, Why);
        {ended, _} -> compared(Args, Work);
        Failed -> not_run(Args, Failed)
    end.

natively(Args, Kind, Work) ->
    Placed = with_place(Args, Kind, Work),
    within(?NATIVE_TIME, fun() -> apply(suite_case, run, Placed) end).

%% Each run has files of its own.
with_place([Suite, Groups, Case, Config], Kind, Work) ->
    Place = filename:join([Work, Kind, Case]) ++ "/",
    ok = filelib:ensure_dir(Place),
    ok = file:set_cwd(Place),
    [Suite, Groups, Case, [{priv_dir, Place} | Config]].

not_run([Suite, _Groups, Case, _Config], Why) ->
    case os:getenv("SUITE_REASONS") of
        false -> ok;
        _Wanted -> say("~ts:~ts is not run: ~0tP", [Suite, Case, Why, 40])
    end,
    not_run.

%% A case may leave something behind with which it does not pass a second time, natively either.
compared(Args, Work) ->
    case interpreted(with_place(Args, "machine", Work)) of
        {ended, {ok, _}} -> same;
        Other -> different(Args, Other, natively(Args, "again", Work))
    end.

interpreted(Args) ->
    Time = 1000 * list_to_integer(os:getenv("SUITE_CASE_TIME", ?MACHINE_SECONDS)),
    Options = #{time_limit => Time, max_steps => ?MAX_STEPS},
    within(2 * Time, fun() -> cuter:eval(suite_case, run, Args, Options) end).

different([Suite, _Groups, Case, _Config], Outcome, {ended, _}) ->
    say("~ts:~ts is different: ~0tP", [Suite, Case, Outcome, 60]),
    different;
different(Args, _Outcome, Failed) ->
    not_run(Args, {second_time, Failed}).

%% The value of a fun in a process of its own.
within(Time, Fun) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit({ended, Fun()}) end),
    receive
        {'DOWN', Monitor, process, Pid, Reason} -> Reason
    after Time ->
        exit(Pid, kill),
        timeout
    end.
