%% Golden tests: CUTER_BLESS=1 writes the files under test/golden anew.
-module(cuter_report_tests).

-include_lib("eunit/include/eunit.hrl").

-define(MFA, {my_module, check, 1}).

golden_test_() ->
    [
        {Name, fun() -> check_golden(Name, cuter_report:text(Report)) end}
     || {Name, Report} <- reports()
    ].

reports() ->
    [
        {"nothing_found", cuter_report:new(statistics(), #{mfa => ?MFA})},
        {"failures", cuter_report:new(statistics(), #{mfa => ?MFA, failures => failures()})},
        {"disagreements",
            cuter_report:new(statistics(), #{
                mfa => ?MFA, disagreements => disagreements(), unconfirmed => unconfirmed()
            })},
        {"limits", cuter_report:new(limited(), #{mfa => ?MFA})},
        {"outside_spec", cuter_report:new(outside_spec(), #{mfa => ?MFA})},
        {"spec", cuter_report:new(statistics(), spec())},
        {"no_statistics", cuter_report:new(#{runs => 1}, #{mfa => ?MFA})}
    ].

the_limits_are_named_test_() ->
    [
        ?_assertNotEqual(nomatch, string:find(verdict_of({limit, Limit}), Words))
     || {Limit, Words} <- [
            {depth, "stopped by the depth limit"},
            {time, "stopped by the time limit"},
            {runs, "stopped by the limit on the number of runs"},
            {memory, "stopped by the memory limit"},
            {steps, "stopped by the limit on the steps of a run"},
            {cancelled, "stopped by the user"},
            {solver, "the solver gave up"},
            {unsupported, "what cuter cannot do yet"},
            {divergence, "did not go where they were predicted"},
            {concretised, "were made concrete"}
        ]
    ].

verdict_of(Verdict) ->
    Statistics = (statistics())#{verdict => Verdict},
    lists:flatten(cuter_report:text(cuter_report:new(Statistics, #{mfa => ?MFA}))).

statistics() ->
    #{
        verdict => exhausted,
        runs => 12,
        divergences => 0,
        queries => #{sat => 11, unsat => 7, unknown => 0, avoided => 40},
        coverage => #{clauses => {7, 7}, uncovered => []},
        concretised => #{},
        unsupported => #{},
        time_ms => #{total => 120, solver => 80, machine => 15}
    }.

limited() ->
    (statistics())#{
        verdict => {limit, depth},
        queries => #{sat => 11, unsat => 7, unknown => 2, avoided => 40},
        divergences => 1,
        coverage => #{clauses => {5, 7}, lines => {4, 6}, uncovered => uncovered()},
        concretised => #{{math, sin, 1} => 3, {erlang, phash2, 1} => 1},
        unsupported => #{<<"a construct">> => 2}
    }.

uncovered() ->
    Reason = <<"beyond the depth limit">>,
    [
        #{mfa => ?MFA, line => 14, reason => Reason},
        #{mfa => {my_module, other, 2}, line => 30}
    ].

failures() ->
    [
        (failure([[42]], error, {case_clause, equal}, [frame(check, 1, 21)]))#{
            original => [[17, 42, <<"x">>]],
            condition => "hd(L) =:= 42"
        },
        failure(
            [#{name => "some text", key => [1, 2]}],
            exit,
            {bad, [<<"bits">>, <<1:3>>]},
            [{lists, nth, [0, []], [{file, "lists.erl"}]}, frame(check, 1, 30), frame(help, 2, 40)]
        ),
        failure([lists:seq(1000, 1040)], throw, 'an atom', [{erlang, hd, [[]], []}])
    ].

failure(Input, Class, Reason, Stacktrace) ->
    #{
        input => Input,
        original => Input,
        class => Class,
        reason => Reason,
        stacktrace => Stacktrace
    }.

frame(Function, Arity, Line) ->
    {my_module, Function, Arity, [{file, "src/my_module.erl"}, {line, Line}]}.

disagreements() ->
    [disagreement({ok, [42]}), disagreement({raised, exit, other, []})].

unconfirmed() ->
    [disagreement(killed), disagreement(timeout)].

disagreement(Native) ->
    #{input => [[42]], class => error, reason => {badmatch, 1}, native => Native}.

outside_spec() ->
    (statistics())#{returns_outside_spec => [#{input => [1], result => [42]}]}.

spec() ->
    #{
        mfa => ?MFA,
        expected => 2,
        widened => [
            <<"src/my_module.erl:7: type other:t/0 is taken as any(): the code of module other "
                "is not available.">>
        ],
        disagreements => [#{input => [1], result => [42], native => {ok, fine}}]
    }.

check_golden(Name, Text) ->
    File = cuter_fixture:file("test/golden/report_" ++ Name ++ ".txt"),
    Actual = unicode:characters_to_binary(Text),
    ok = bless(os:getenv("CUTER_BLESS"), File, Actual),
    {ok, Expected} = file:read_file(File),
    ?assertEqual(Expected, Actual).

bless("1", File, Text) -> file:write_file(File, Text);
bless(_, _File, _Text) -> ok.
