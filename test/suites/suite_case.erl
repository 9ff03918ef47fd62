%% One test case of a suite, with what is done before and after it. Run natively and in the machine.
-module(suite_case).

-export([run/4]).

-spec run(module(), Groups :: [atom()], Case :: atom(), Config :: [tuple()]) -> term().
run(Suite, Groups, Case, Config) ->
    Around =
        [{init_per_suite, end_per_suite, []}] ++
            [{init_per_group, end_per_group, [Group]} || Group <- Groups] ++
            [{init_per_testcase, end_per_testcase, [Case]}],
    inside(Around, Suite, Case, Config).

inside([], Suite, Case, Config) ->
    Suite:Case(Config);
inside([{Before, After, Args} | Around], Suite, Case, Config) ->
    Prepared = prepared(Suite, Before, Args, Config),
    try
        inside(Around, Suite, Case, Prepared)
    after
        catch called(Suite, After, Args, [{tc_status, ok} | Prepared])
    end.

prepared(Suite, Function, Args, Config) ->
    case called(Suite, Function, Args, Config) of
        Prepared when is_list(Prepared) -> Prepared;
        {Skip, _} = Why when Skip =:= skip; Skip =:= skipped; Skip =:= fail -> throw(Why);
        _Other -> Config
    end.

called(Suite, Function, Args, Config) ->
    case erlang:function_exported(Suite, Function, length(Args) + 1) of
        true -> apply(Suite, Function, Args ++ [Config]);
        false -> Config
    end.
