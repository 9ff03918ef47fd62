%% Exceptions of the machine against those of the BEAM: class, reason and stacktrace.
-module(cuter_exceptions_tests).

-include_lib("eunit/include/eunit.hrl").

-define(MODULE_UNDER_TEST, diff_exceptions).

every_exception_is_that_of_the_beam_test_() ->
    {timeout, 600, fun() ->
        cuter_fixture:with_modules(["test/fixtures/diff_exceptions.erl"], fun() ->
            Rows = rows(),
            ?assert(length(Rows) > 700),
            ?assertEqual([], lists:flatmap(fun differing/1, Rows))
        end)
    end}.

moved_code_tells_where_it_was_written_test_() ->
    {timeout, 60, fun() ->
        cuter_fixture:with_modules(["test/fixtures/diff_inlined.erl"], fun() ->
            Rows = [{F, [V]} || {F, 1} <- diff_inlined:module_info(exports), F =/= module_info,
                V <- values()],
            ?assert(length(Rows) > 150),
            ?assertEqual([], lists:flatmap(fun(Row) -> differing(diff_inlined, Row) end, Rows))
        end)
    end}.

what_types_make_of_calls_is_seen_test_() ->
    {timeout, 60, fun() ->
        cuter_fixture:with_modules(["test/fixtures/diff_types.erl"], fun() ->
            Rows = [{F, [V]} || {F, 1} <- diff_types:module_info(exports), F =/= module_info,
                V <- values() ++ [0, 0.0, 1.0e308, [a], [[1], 2]]],
            ?assert(length(Rows) > 500),
            ?assertEqual([], lists:flatmap(fun(Row) -> differing(diff_types, Row) end, Rows))
        end)
    end}.

%% Built-in functions called from outside, funs of the VM called with too few arguments.
calls_of_what_is_native_test_() ->
    {timeout, 60, fun calls_of_what_is_native/0}.

calls_of_what_is_native() ->
    Fun = fun(A, B) -> {A, B} end,
    Rows = [
        {binary, referenced_byte_size, [false]},
        {unicode, characters_to_binary, [[1], [x]]},
        {re, inspect, [{re_pattern, -1, -1, #{}, 2.5}, namelist]},
        {erl_pp, expr, [{a}, Fun]},
        {lists, map, [Fun, [1]]},
        {lists, foldl, [fun(A) -> A end, 0, [1]]},
        {lists, foreach, [self(), [1]]},
        {lists, seq, ["a", 0]},
        {string, slice, [-1, a, b]}
    ],
    ?assertEqual([], [Row || {M, F, Args} <- Rows, Row <- differing(M, {F, Args})]).

rows() ->
    Functions = [F || {F, 1} <- ?MODULE_UNDER_TEST:module_info(exports), F =/= module_info],
    [{F, [V]} || F <- Functions, V <- values()] ++
        [{dyn, [M, F]} || M <- [?MODULE_UNDER_TEST, a, 1], F <- [fc, nofun, 2]] ++
        [{deep, [N, X]} || N <- [0, 3, 20], X <- [1, a]].

values() ->
    [a, 1, {ok, 2}, [], [1 | 2], [1, a], 3.5, fun erlang:abs/1, -1, {r, 1, 2}, {r, 1}, true, fc].

differing(Row) ->
    differing(?MODULE_UNDER_TEST, Row).

differing(Module, {Function, Args}) ->
    Native = plain(native(Module, Function, Args)),
    case plain(cuter:eval(Module, Function, Args)) of
        Native -> [];
        Other -> [{Function, Args, Native, Other}]
    end.

native(Module, Function, Args) ->
    Call = fun() ->
        try
            {ok, apply(Module, Function, Args)}
        catch
            Class:Reason:Stacktrace -> {raised, Class, Reason, Stacktrace}
        end
    end,
    case cuter_sandbox:run(Call, #{time => 2000}) of
        {done, Result} -> Result;
        timeout -> waits_for_ever
    end.

%% Without what cannot be equal: the frames below the function called, and the identity of funs.
plain({error, {cuter, {stopped, deadlock}}}) ->
    waits_for_ever;
plain({raised, Class, Reason, Stacktrace}) ->
    {raised, Class, without_funs(Reason), without_funs(own(Stacktrace))};
plain({ok, {'EXIT', {Reason, [{_, _, _, _} | _] = Stacktrace}}}) ->
    {ok, {'EXIT', {Reason, own(Stacktrace)}}};
plain({ok, {Class, Reason, [{_, _, _} | _] = Frames}}) ->
    {ok, {Class, Reason, [Frame || {?MODULE_UNDER_TEST, _, _} = Frame <- Frames]}};
plain(Other) ->
    Other.

own(Stacktrace) ->
    lists:takewhile(fun(Frame) -> element(1, Frame) =/= ?MODULE end, Stacktrace).

without_funs(Fun) when is_function(Fun) -> {'fun', erlang:fun_info(Fun, arity)};
without_funs(Tuple) when is_tuple(Tuple) -> list_to_tuple(without_funs(tuple_to_list(Tuple)));
without_funs([Head | Tail]) -> [without_funs(Head) | without_funs(Tail)];
without_funs(Other) -> Other.
