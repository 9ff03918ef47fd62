%% What ends the VM is the end of a run, and nothing else. Each row is tried in a VM of its own,
%% which tells whether it is still there.
-module(cuter_ending_tests).

-include_lib("eunit/include/eunit.hrl").

-define(FIXTURE, "test/fixtures/ending.erl").

ending_test_() ->
    [
        {Name, {timeout, 60, fun() -> ?assertEqual(Expected, elsewhere(Call)) end}}
     || {Name, Call, Expected} <- rows()
    ].

rows() ->
    [
        {"a run that calls halt is stopped", "cuter:eval(ending, script, [11], #{quiet => true})",
            {error, {cuter, {stopped, halted}}}},
        {"a run that calls init:stop is stopped", "cuter:eval(ending, stop, [7], #{quiet => true})",
            {error, {cuter, {stopped, halted}}}},
        {"a module that is given by an argument",
            "cuter:eval(ending, dynamic, [erlang, 1], #{quiet => true})",
            {error, {cuter, {stopped, halted}}}},
        {"a run that kills a part of the VM is stopped",
            "[cuter:eval(ending, kill, [Name]) || Name <- [init, kernel_sup, code_server, user]]",
            lists:duplicate(4, {error, {cuter, {stopped, halted}}})},
        {"natively too", "cuter_replay:native({ending, kill}, [kernel_sup])", halted},
        {"so is one that takes more memory than there may be",
            "[cuter:eval(ending, F, [1 bsl 40]) || F <- [atomics, counters]]",
            lists:duplicate(2, {error, {cuter, {stopped, halted}}})},
        {"exploring it finds what is beside it", reasons("atomics, [0]"), [low]},
        {"what no memory could hold is an error",
            "[element(3, cuter:eval(ending, F, [1 bsl 61])) || F <- [atomics, counters]]",
            [system_limit, system_limit]},
        {"a format with which the VM ends ends a run",
            "cuter:eval(erlang, float_to_list, [1.5, [{scientific, 1 bsl 31 - 1}]])",
            {error, {cuter, {stopped, halted}}}},
        {"there is an end of atoms for a run before there is for the VM",
            "cuter:eval(ending, atoms, [0])", {error, {cuter, {stopped, memory}}}},
        {"failures beside it are found and made small, and all paths explored",
            explored("script, [0]"), {exhausted, [{[-11], low}]}},
        {"the same with init:stop", explored("stop, [0]"), {exhausted, [{[8], eight}]}},
        {"the same behind a native call", seen("through, [[]]"), true},
        {"what is no status is badarg", reasons("status, [0]"), [badarg]},
        {"a native call that would end the VM is not made",
            "cuter_replay:native({ending, script}, [11])", halted},
        {"others are", "cuter_replay:native({ending, script}, [10])", {ok, ok}},
        {"no test is written of it", written("script, [0]"), nomatch}
    ].

report(Call) ->
    "cuter:run(ending, " ++ Call ++ ", #{quiet => true, time_limit => 10000})".

explored(Call) ->
    "begin #{verdict := V, failures := Fs} = " ++ report(Call) ++
        ", {V, [{I, R} || #{input := I, reason := R} <- Fs]} end".

seen(Call) ->
    "begin #{failures := Fs} = " ++ report(Call) ++
        ", lists:any(fun(#{reason := R}) -> R =:= low end, Fs) end".

reasons(Call) ->
    "begin #{failures := Fs} = " ++ report(Call) ++
        ", lists:usort([R || #{reason := R} <- Fs]) end".

written(Call) ->
    "begin {ok, _} = cuter:generate_tests(" ++ report(Call) ++ ", \"gen\"), "
    "{ok, Text} = file:read_file(\"gen/ending_cuter_tests.erl\"), "
    "binary:match(Text, <<\"script(11)\">>) end".

%% The value of an expression in another VM.
elsewhere(Expression) ->
    Ebin = filename:dirname(code:which(cuter)),
    Source = cuter_fixture:file(?FIXTURE),
    Dir = cuter_temporary:directory("ending"),
    try
        {ok, ending} = compile:file(Source, [debug_info, {outdir, Dir}]),
        Print = "io:format(\"~w.~n\", [" ++ Expression ++ "]), halt().",
        Command = ["cd ", Dir, " && erl -noshell -pa ", Ebin, " -pa . -eval '", Print, "'"],
        read(os:cmd(lists:flatten(Command)))
    after
        cuter_temporary:remove(Dir)
    end.

read(Output) ->
    {ok, Tokens, _} = erl_scan:string(Output),
    case erl_parse:parse_term(Tokens) of
        {ok, Term} -> Term;
        {error, _} -> {no_answer, Output}
    end.
