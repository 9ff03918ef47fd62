%% Every built-in function of the engine gives what the BEAM gives, in value or exception.
%%
%% The calls are the rows of all modules called `cuter_*_rows`. They are made in one run, each
%% caught on its own.
-module(cuter_bif_tests).

-include_lib("eunit/include/eunit.hrl").

-define(CALLS, cuter_bif_calls).

every_function_has_a_row_test() ->
    Known = [{M, F, A} || {M, F, A, _Meaning} <- binary_to_term(cuter_nif:bifs())],
    Tested = [mfa(Row) || Row <- rows()],
    Waiting = [{erlang, hibernate, 0}],
    ?assertEqual([], (lists:usort(Known) -- lists:usort(Tested)) -- (ends_of_the_vm() ++ Waiting)).

%% `cuter_ending_tests` has these.
ends_of_the_vm() ->
    [{init, reboot, 0}, {init, restart, 0}, {init, stop, 0}, {init, stop, 1}].

outcomes_are_those_of_the_beam_test_() ->
    {setup, fun differences/0, fun(Differences) ->
        Rows = rows(),
        [
            {name(Mfa), ?_assertEqual([], maps:get(Mfa, Differences, []))}
         || Mfa <- lists:usort([mfa(Row) || Row <- Rows])
        ]
    end}.

mfa({M, F, Args}) -> {M, F, length(Args)};
mfa({M, F, Args, _View}) -> {M, F, length(Args)}.

name({M, F, A}) ->
    lists:flatten(io_lib:format("~tw:~tw/~w", [M, F, A])).

rows() ->
    lists:append([Module:rows() || Module <- row_modules()]).

row_modules() ->
    Here = filename:dirname(code:which(?MODULE)),
    Files = filelib:wildcard(filename:join(Here, "cuter_*_rows.beam")),
    [list_to_atom(filename:basename(File, ".beam")) || File <- Files].

%% The calls whose outcomes differ, by function; a few of each are enough.
differences() ->
    Rows = rows(),
    Calls = [call(Row) || Row <- Rows],
    {ok, Native} = natively(Calls),
    Outcomes = lists:zip3(Rows, interpreted(Calls), Native),
    Different = [D || {_, Ours, Theirs} = D <- Outcomes, not same(Ours, Theirs)],
    lists:foldl(fun add/2, #{}, lists:reverse(Different)).

add({Row, Ours, Theirs}, Differences) ->
    Add = fun(Known) -> lists:sublist([{call(Row), Ours, Theirs} | Known], 5) end,
    maps:update_with(mfa(Row), Add, Add([]), Differences).

call({M, F, Args}) -> {M, F, Args};
call({M, F, Args, View}) -> {?CALLS, View, [{M, F, Args}]}.

%% Also tells 0.0 from -0.0.
same(Ours, Theirs) ->
    Ours =:= Theirs andalso term_to_binary(Ours) =:= term_to_binary(Theirs).

%% In a process of its own: some calls change its flags.
natively(Calls) ->
    {_, Monitor} = spawn_monitor(fun() -> exit({ok, ?CALLS:outcomes(Calls)}) end),
    receive
        {'DOWN', Monitor, process, _, Result} -> Result
    end.

%% All in one run; if that run does not come to its end, one by one, to see why.
interpreted(Calls) ->
    case evaluate(Calls) of
        {ok, Outcomes} -> Outcomes;
        _ -> lists:append([alone(Call) || Call <- Calls])
    end.

alone(Call) ->
    case evaluate([Call]) of
        {ok, Outcomes} -> Outcomes;
        Stopped -> [Stopped]
    end.

evaluate(Calls) ->
    cuter:eval(?CALLS, outcomes, [Calls], #{max_steps => 100000000, time_limit => 120000}).
