-module(cuter_extent_tests).

-include_lib("eunit/include/eunit.hrl").

%% Called natively.
-export([huge/0]).

terms_of_moderate_size_test_() ->
    Terms = [
        a, 1, 1.5, <<1, 2:3>>, [], "text", [1 | 2], {}, {a, [b]}, #{}, #{k => {v}}, self(),
        make_ref(), fun lists:map/2, fun() -> Terms0 = [1], Terms0 end, lists:seq(1, 1000000),
        list_to_tuple(lists:seq(1, 100000)), maps:from_list([{N, N} || N <- lists:seq(1, 100000)])
    ],
    [?_assert(cuter_extent:is_moderate(Term)) || Term <- Terms].

terms_that_stand_for_huge_ones_are_not_test_() ->
    [
        {Name, ?_assertNot(cuter_extent:is_moderate(doubled(Twice, 100)))}
     || {Name, Twice} <- twice()
    ].

what_is_huge_does_not_leave_a_sandbox_test_() ->
    [
        {Name, fun() ->
            Work = fun() -> doubled(Twice, 100) end,
            ?assertEqual({died, killed}, cuter_sandbox:run(Work, #{}))
        end}
     || {Name, Twice} <- twice()
    ].

a_native_function_that_returns_what_is_huge_ends_the_run_test() ->
    Text = "-export([f/0]).\nf() -> cuter_extent_tests:huge().\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Options = #{concrete => [?MODULE], quiet => true},
        ?assertMatch({error, {cuter, {stopped, _}}}, cuter:eval(cuter_tried, f, [], Options)),
        ?assertEqual(killed, cuter_replay:native({cuter_tried, f}, []))
    end).

huge() ->
    doubled(fun(T) -> [T | T] end, 100).

a_reason_that_is_huge_does_not_hold_up_shrinking_test() ->
    Text =
        "-export([f/1]).\n"
        "f(X) -> error(lists:foldl(fun(_, S) -> [S | S] end, X, lists:seq(1, 100))).\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Options = #{quiet => true, time_limit => 5000},
        ?assertMatch(#{verdict := _}, cuter:run(cuter_tried, f, [[1]], Options))
    end).

twice() ->
    [
        {"lists", fun(T) -> [T | T] end},
        {"tuples", fun(T) -> {T, T} end},
        {"maps", fun(T) -> #{a => T, b => T} end},
        {"keys of maps", fun(T) -> #{{T, 1} => 1, {T, 2} => 2} end},
        {"funs and lists", fun(T) -> [fun() -> T end | fun() -> T end] end}
    ].

doubled(Twice, Times) ->
    lists:foldl(fun(_, Term) -> Twice(Term) end, [], lists:seq(1, Times)).
