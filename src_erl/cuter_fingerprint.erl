%% Whether a function is still what was explored: its code, that of the modules it ran into, and the
%% options.
%%
%% The code is compared as abstract code without lines and file names, so that comments and moved
%% functions change nothing but a spec or an attribute does. Modules of OTP are compared by the
%% release.
-module(cuter_fingerprint).

-export([find/3, summary/2, code/1]).

%% The summary that fits the code and options of now.
-spec find([cuter_corpus:summary()], cuter_cli:plan(), Seeds :: [[term()]]) ->
    {ok, cuter_corpus:summary()} | none.
find(Summaries, Plan, Seeds) ->
    Fitting = [
        Summary
     || #{modules := Modules, fingerprint := Fingerprint} = Summary <- Summaries,
        fingerprint(Modules, Plan, Seeds) =:= Fingerprint
    ],
    case Fitting of
        [Summary | _] -> {ok, Summary};
        [] -> none
    end.

%% What to remember of an exploration.
-spec summary(map(), cuter_cli:plan()) -> cuter_corpus:summary().
summary(#{mfa := {Module, _, _}, verdict := Verdict, runs := Runs} = Report, Plan) ->
    #{coverage := #{clauses := Clauses}, host_calls := HostCalls, seeds := Seeds} = Report,
    Touched = [Module | maps:get(modules, Report, [])] ++ [M || {M, _, _} <- maps:keys(HostCalls)],
    Modules = [M || M <- lists:usort(Touched), is_of_user(code:which(M))],
    #{
        modules => Modules,
        fingerprint => fingerprint(Modules, Plan, Seeds),
        verdict => Verdict,
        clauses => Clauses,
        runs => Runs
    }.

is_of_user([_ | _] = Path) ->
    not cuter_core:is_otp(Path) andalso not is_ours(Path);
is_of_user(_Which) ->
    false.

is_ours(Path) ->
    filename:dirname(Path) =:= filename:dirname(code:which(?MODULE)).

fingerprint(Modules, #{options := Options}, Seeds) ->
    digest(
        term_to_binary({
            [{Module, code(Module)} || Module <- Modules],
            %% On how many threads it ran and what was written down makes no difference.
            lists:sort(maps:to_list(maps:without([workers, trace, smt_dir], Options))),
            Seeds,
            erlang:system_info(otp_release),
            cuter_nif:build()
        })
    ).

%% A fingerprint of a module's code.
-spec code(module()) -> non_neg_integer() | missing.
code(Module) ->
    case {cuter_core:forms(Module), code:which(Module)} of
        {{ok, Forms}, _} -> digest(term_to_binary(cuter_abstract:without_places(Forms)));
        {{error, _}, [_ | _] = Beam} -> beam(beam_lib:md5(Beam));
        _ -> missing
    end.

beam({ok, {_, Md5}}) -> digest(Md5);
beam(_) -> missing.

%% Sixteen digits or so are enough to tell versions of a module apart.
digest(Bytes) ->
    <<Digest:64, _/binary>> = erlang:md5(Bytes),
    Digest.
