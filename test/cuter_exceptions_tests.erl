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

%% A built-in function that is called last leaves no frame of its caller, if it was computed.
calls_of_computed_functions_test_() ->
    {timeout, 300, fun calls_of_computed_functions/0}.

calls_of_computed_functions() ->
    Text =
        "-export([applied/3, in_list/3, named/3, named_in_list/3, fun_applied/3, fun_called/3]).\n"
        "-export([handled/3, afterwards/3]).\n"
        "applied(M, F, Args) ->\n apply(M, F, Args).\n"
        "in_list(M, F, Args) ->\n [apply(M, F, Args)].\n"
        "named(M, F, [X]) ->\n M:F(X);\nnamed(M, F, [X, Y]) ->\n M:F(X, Y).\n"
        "named_in_list(M, F, [X]) ->\n [M:F(X)];\nnamed_in_list(M, F, [X, Y]) ->\n [M:F(X, Y)].\n"
        "fun_applied(M, F, Args) ->\n apply(fun M:F/2, Args).\n"
        "fun_called(M, F, [X | _]) ->\n Fun = fun M:F/1,\n Fun(X).\n"
        "handled(M, F, [X | _]) ->\n Fun = fun M:F/1,\n try Fun(X) after ok end.\n"
        "afterwards(M, F, Args) ->\n try 1 / Args after apply(M, F, Args) end.\n",
    Names = [applied, in_list, named, named_in_list, fun_applied, fun_called, handled, afterwards],
    Functions =
        [{erlang, F} || F <- ['+', hd, error, throw, exit, element, map_get, list_to_atom]] ++
        [{erlang, F} || F <- [raise, apply, send, link, nif_error, spawn, binary_to_term, nofun]] ++
        [{lists, F} || F <- [member, reverse, keyfind, sum]] ++
        [{maps, get}, {math, sqrt}, {ets, lookup}, {binary, at}, {nomodule, f}, {1, 2}],
    Arguments = [[], [a], [1, a], [a, b], x, [a | b], [1, 2, 3], [[], []]],
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Rows = [{Name, [M, F, Args]} || Name <- Names, {M, F} <- Functions, Args <- Arguments],
        Differing = fun({F, Args}) -> cuter_fixture:differing(F, Args, fun(Term) -> Term end) end,
        ?assertEqual([], lists:flatmap(Differing, Rows))
    end).

%% Some functions that start processes are written in Erlang, others are not. Called last, the
%% former leave no frame of their caller.
starts_of_processes_that_are_refused_test_() ->
    {timeout, 60, fun starts_of_processes_that_are_refused/0}.

starts_of_processes_that_are_refused() ->
    Calls = refused_starts(),
    Functions = lists:usort([{F, length(Args)} || {F, Args} <- Calls]),
    Ways = [{"last", "~s"}, {"inner", "[~s]"}],
    Text = [
        ["-export([", lists:join(", ", [[called(Way, F), "/", integer_to_list(A)]
         || {Way, _} <- Ways, {F, A} <- Functions]), "]).\n"],
        [[called(Way, F), "(", arguments(A), ") ->\n ",
            io_lib:format(Format, [["erlang:", atom_to_list(F), "(", arguments(A), ")"]]), ".\n"]
         || {Way, Format} <- Ways, {F, A} <- Functions]
    ],
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Rows = [{list_to_atom(called(Way, F)), Args} || {Way, _} <- Ways, {F, Args} <- Calls],
        Differing = fun({F, Args}) -> cuter_fixture:differing(F, Args, fun(Term) -> Term end) end,
        ?assertEqual([], lists:flatmap(Differing, Rows))
    end).

called(Way, Function) -> Way ++ "_" ++ atom_to_list(Function).

arguments(Arity) -> lists:join(", ", ["A" ++ integer_to_list(N) || N <- lists:seq(1, Arity)]).

refused_starts() ->
    Fun = fun() -> ok end,
    Options = [bad, [bad], [link | x], [{priority, x}], [{fullsweep_after, -1}]] ++
        [[{fullsweep_after, 1 bsl 70}], [{min_heap_size, a}], [{message_queue_data, a}]] ++
        [[{max_heap_size, Size}] || Size <- [a, -1, 1, #{}, #{size => 1}]] ++
        [[{max_heap_size, #{size => 1000, kill => x}}], [{max_heap_size, #{kill => true}}]] ++
        [[{monitor, a}], [{monitor, [a]}], [{monitor, [{alias, x}]}]],
    [{spawn_opt, [Fun, O]} || O <- Options] ++
        [{spawn_opt, [m, f, [], O]} || O <- Options] ++
        [{spawn_opt, [node(), Fun, O]} || O <- [bad, [bad]]] ++
        [{spawn_opt, [node(), m, f, [], O]} || O <- [bad, [bad]]] ++
        [{spawn_opt, [m, f, a, [bad]]}, {spawn_opt, [m, f, a, []]}, {spawn_opt, [1, f, [], []]}] ++
        [{F, [a]} || F <- [spawn, spawn_link, spawn_monitor, spawn_request]] ++
        [{F, [node(), a]} || F <- [spawn, spawn_link, spawn_monitor, spawn_request]] ++
        [{F, Args} || F <- [spawn, spawn_link, spawn_monitor],
            Args <- [[1, f, []], [m, 2, []], [m, f, a], [m, f, [1 | 2]]]] ++
        [{spawn_monitor, [fun(X) -> X end]}, {spawn_opt, [a, []]}, {spawn_request, [Fun, bad]}].

rows() ->
    Functions = [F || {F, 1} <- ?MODULE_UNDER_TEST:module_info(exports), F =/= module_info],
    [{F, [V]} || F <- Functions, V <- values()] ++
        [{dyn, [M, F]} || M <- [?MODULE_UNDER_TEST, a, 1], F <- [fc, nofun, 2]] ++
        [{deep, [N, X]} || N <- [0, 3, 20], X <- [1, a]] ++
        [{ap_many, [N, End]} || N <- [256, 1023, 1024], End <- [[], z]] ++
        [{apf_many, [N, End]} || N <- [256, 1022, 1023], End <- [[], z]] ++
        [{hibernate_many, [N, z]} || N <- [255, 256, 257, 1023, 1024, 1025]] ++
        [{hibernate_many, [1025, []]}] ++
        [{kept, [D, lists:duplicate(70, {m, f, 1, []})]} || D <- [0, 1, 2, 8, 9, 64, 65]].

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
