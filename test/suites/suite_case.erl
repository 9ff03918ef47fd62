%% One test case of a suite, with the set-up that it asks for. Run natively and in the machine.
-module(suite_case).

-export([run/4]).

-spec run(module(), Groups :: [atom()], Case :: atom(), Config :: [tuple()]) -> term().
run(Suite, Groups, Case, Config) ->
    InSuite = prepared(Suite, init_per_suite, [], Config),
    InGroups = lists:foldl(
        fun(Group, Before) -> prepared(Suite, init_per_group, [Group], Before) end,
        InSuite,
        Groups
    ),
    Suite:Case(prepared(Suite, init_per_testcase, [Case], InGroups)).

prepared(Suite, Function, Args, Config) ->
    case erlang:function_exported(Suite, Function, length(Args) + 1) of
        true -> config(apply(Suite, Function, Args ++ [Config]), Config);
        false -> Config
    end.

config(Config, _Before) when is_list(Config) -> Config;
config({Skip, _} = Why, _Before) when Skip =:= skip; Skip =:= skipped -> throw(Why);
config(_Other, Before) -> Before.
