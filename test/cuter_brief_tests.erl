%% What runs on the VM's own schedulers is short, whatever the program does: the rest is done
%% elsewhere.
-module(cuter_brief_tests).

-include_lib("eunit/include/eunit.hrl").

-define(FIXTURE, "test/fixtures/much_at_once.erl").

what_takes_long_is_not_begun_on_a_scheduler_of_the_vm_test_() ->
    Numbers = [
        {shift, 20000000},
        {product, 100000},
        {division, 100000},
        {digits, 100000},
        {copies, 1 bsl 24},
        {elements, 1 bsl 20},
        {bits, 1 bsl 24}
    ],
    Terms = [iolist, same, less, key, found, hash, native],
    [
        {timeout, 300, {atom_to_list(Program), fun() -> is_done_elsewhere(Program, N) end}}
     || {Program, N} <- Numbers ++ [{Program, 16} || Program <- Terms]
    ].

is_done_elsewhere(Program, N) ->
    {Native, Result, Elsewhere} = evaluated(Program, N),
    ?assertEqual(Native, Result),
    ?assertMatch([resumed | _], Elsewhere).

what_does_not_is_done_there_test() ->
    {Native, Result, Elsewhere} = evaluated(little, 100),
    ?assertEqual(Native, Result),
    ?assertEqual([], Elsewhere).

%% It could not be cancelled before it is over.
digits_without_number_are_a_limit_test() ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        ?assertEqual({ok, 30103}, cuter:eval(much_at_once, digits, [100000])),
        case cuter:eval(much_at_once, digits, [30000000]) of
            {raised, error, Reason, _} -> ?assertEqual(system_limit, Reason);
            Result -> ?assertEqual({error, {cuter, {stopped, steps}}}, Result)
        end
    end).

%% Natively, in the machine, and how often the machine went on elsewhere.
evaluated(Program, N) ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        true = register(cuter_noting_engine, self()),
        Native =
            try
                {ok, much_at_once:f(Program, N)}
            catch
                Class:Reason -> {Class, Reason}
            end,
        Request = #{mfa => {much_at_once, f, 2}, args => [Program, N], options => #{}},
        {ok, Outcome} = cuter_host:eval(Request, cuter_noting_engine),
        true = unregister(cuter_noting_engine),
        {Native, plain(Outcome), notes()}
    end).

plain({raised, Class, Reason, _Stacktrace}) -> {Class, Reason};
plain(Outcome) -> Outcome.

notes() ->
    receive
        resumed -> [resumed | notes()]
    after 0 -> []
    end.
