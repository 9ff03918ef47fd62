%% Stacktraces where the compiler has a say: calls that become last calls, arithmetic on floats, and
%% funs that capture variables, with the names that the compiler gives them.
%%
%% The programs are made up from a seed (`cuter_trace_programs`). `CUTER_SEED` tries others.
-module(cuter_traces_tests).

-include_lib("eunit/include/eunit.hrl").

-export([differences/1, source/1, parse_transform/2]).

-define(MODULES, 20).
-define(FUNCTIONS, 12).

%% Calls, arithmetic, funs and loops: the compiler's answers leave nothing open.
stacktraces_are_those_of_the_beam_test_() ->
    [
        {"module " ++ integer_to_list(N),
            {timeout, 120, fun() -> ?assertEqual([], differences({plain, seed(), N})) end}}
     || N <- lists:seq(1, ?MODULES)
    ].

%% All of the language. The compiler may make two of one call, of which one is the last, and joins
%% equal code of one line before it looks at types. Then a frame may be wrong, and never what is
%% raised.
stacktraces_of_all_of_the_language_test_() ->
    stacktraces_of(rich).

stacktraces_of_more_ways_to_fail_test_() ->
    stacktraces_of(wide).

stacktraces_of(Kind) ->
    {timeout, 900, fun() ->
        Cases = [{Kind, seed(), N} || N <- lists:seq(1, ?MODULES)],
        Found = [{Case, Row} || Case <- Cases, Row <- differences(Case)],
        IsOther = fun({_, {_, _, Native, Own}}) -> raised(Native) =/= raised(Own) end,
        ?assertEqual([], lists:filter(IsOther, Found)),
        Functions = lists:usort([{Case, Name} || {Case, {Name, _, _, _}} <- Found]),
        ?assert(length(Functions) * 50 =< ?MODULES * ?FUNCTIONS)
    end}.

%% As far as the compiler sees, nobody looks at the stacktrace: who calls the fun does.
what_is_thrown_without_a_stacktrace_has_none_test() ->
    Text =
        "-export([through_a_fun/1, seen/1]).\n"
        "through_a_fun(X) -> looked_at(fun() -> twice(X) end).\n"
        "seen(X) -> looked_at(fun() -> [other(X)] end).\n"
        "looked_at(F) ->\n"
        "    try F() catch throw:Reason:Trace -> {Reason, lists:sublist(Trace, 2)} end.\n"
        "twice(X) -> [catch thrown(X) | thrown(X)].\n"
        "thrown(1) -> throw(one);\n"
        "thrown(X) -> list_to_tuple(X).\n"
        "other(1) -> throw(one);\n"
        "other(X) -> list_to_tuple(X).\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Names = ["through_a_fun", "seen"],
        Rows = [{Name, [X]} || Name <- Names, X <- [1, [], a]],
        ?assertEqual([], lists:flatmap(fun differing/1, Rows))
    end).

%% The compiler makes one of what several clauses do last, with the line of one of them.
what_clauses_do_last_is_joined_whatever_its_line_test() ->
    Text =
        "-export([thrown/1, failed/1, native/2]).\n"
        "native(a, T) ->\n ets:delete(T);\n"
        "native(b, T) ->\n ets:delete(T);\n"
        "native(_, _) -> ok.\n"
        "thrown([{a, _} = X | _]) -> list_to_tuple([X]);\n"
        "thrown([{b, _} = X | _]) ->\n throw({error, {unknown, X}});\n"
        "thrown([{c, _} = X | _]) ->\n throw({error, {unknown, X}});\n"
        "thrown([{d, _} = X | _]) ->\n throw({error, {unknown, X}});\n"
        "thrown([_ | Xs]) -> thrown(Xs).\n"
        "failed(<<$a, Rest/binary>>) -> [a | failed(Rest)];\n"
        "failed(<<$b, _/binary>>) ->\n error(badarg);\n"
        "failed(<<$c, _/binary>>) ->\n error(badarg).\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Rows =
            [{"thrown", [[x, {Key, 1}]]} || Key <- [a, b, c, d, e]] ++
            [{"failed", [<<"a", C>>]} || C <- "abcd"] ++
            [{"native", [Key, none]} || Key <- [a, b, c]],
        ?assertEqual([], lists:flatmap(fun differing/1, Rows))
    end).

%% There are several that each of them may be joined with.
what_is_joined_with_one_of_several_has_its_line_test() ->
    Text =
        "-export([bytes/1, clauses/1]).\n"
        "bytes(<<>>) ->\n error(badarg);\n"
        "bytes(<<$=, _/binary>>) ->\n error(badarg);\n"
        "bytes(<<$a, Rest/binary>>) ->\n [bytes(Rest)];\n"
        "bytes(<<$,, _/binary>>) ->\n error(badarg);\n"
        "bytes(<<$;, _/binary>>) ->\n error(badarg);\n"
        "bytes(<<_, Rest/binary>>) ->\n bytes(Rest).\n"
        "clauses({a, X}) when X > 1 ->\n _ = length(X),\n error(badarg);\n"
        "clauses({a, _}) ->\n error(badarg);\n"
        "clauses(b) ->\n error(badarg);\n"
        "clauses(c) ->\n error(badarg);\n"
        "clauses([_ | X]) ->\n error(badarg, [X]);\n"
        "clauses(_) ->\n error(badarg).\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Rows =
            [{"bytes", [list_to_binary(B)]} || B <- ["", "=", "a=", ",", "a;", "b"]] ++
            [{"clauses", [X]} || X <- [{a, [1]}, {a, 0}, b, c, d, [1], [1, 2]]],
        ?assertEqual([], lists:flatmap(fun differing/1, Rows))
    end).

%% A built-in function that can only fail has no line: another one of its name has that line, and
%% may be of another file.
lines_that_are_lost_are_those_before_test() ->
    Text =
        "-compile({inline, [first/1]}).\n"
        "-export([same/1, inlined/2, several/2, first_of_all/1]).\n"
        "-file(\"first.hrl\", 5).\n"
        "first(X) ->\n hd(X).\n"
        "-file(\"second.hrl\", 50).\n"
        "same(X) ->\n [hd(X),\n  hd(2.5)].\n"
        "inlined(X, Y) ->\n Z = first(X),\n Z +\n  case Y of\n  a -> tl(2.5);\n  _ -> tl(Y) end.\n"
        "several({_, _}, Y) ->\n [list_to_tuple(element(Y, Y))];\n"
        "several(X, Y = 0) ->\n _ = hd(X),\n element(1, Y) =:= X.\n"
        "-file(\"third.hrl\", 6).\n"
        "first_of_all(X) when is_list(X) ->\n [not (a)];\n"
        "first_of_all(X) ->\n [first(X)].\n",
    Options = [debug_info, nowarn_failed],
    cuter_fixture:with_source(Text, Options, fun(_) ->
        Rows =
            [{"same", [X]} || X <- [[], [1], a]] ++
            [{"inlined", [X, Y]} || X <- [[], [1], a], Y <- [a, [], [1]]] ++
            [{"several", [X, 0]} || X <- [[], [1], {a, b}]] ++
            [{"first_of_all", [X]} || X <- [[], a]],
        ?assertEqual([], lists:flatmap(fun differing/1, Rows))
    end).

%% A default clause that several branches lead to: one of them is joined first, the clause later.
what_is_joined_twice_is_one_test() ->
    Text =
        "-export([joined/2, sum/1]).\n"
        "joined(X, Y) ->\n try case (try Y * 0 catch C:R:T -> {C, R, own(T)} end) of"
        " 0 -> never(X); {_, _} -> [never(X)]; _ -> never(X) end\n"
        " catch D:S:U -> erlang:raise(D, S, U) end.\n"
        "own(T) -> [F || {?MODULE, F, _, _} <- T].\n"
        "never(X) ->\n {[Y || Y <- begin Z = list_to_tuple(X), true = is_list(Z), Z end], X}.\n"
        %% Numbers are needed.
        "sum(X) -> {X + X, float(X) + float(X)}.\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Rows = [{"joined", [X, Y]} || X <- [a, [b]], Y <- [1, a, 2.5]],
        ?assertEqual([], lists:flatmap(fun differing/1, Rows))
    end).

%% Whichever of both operands the compiler finds out to be known, and whatever the other one is.
operands_that_the_compiler_knows_stand_second_test() ->
    Text =
        "-export([received/2, matched/2, second/2, several/2]).\n"
        "received(X, Y) ->\n Z = receive after 0 -> [0, 1] end, {X, Z * Y}.\n"
        "matched(X, Y = 0) ->\n {Y bor X, X};\n"
        "matched(X, Y = 2.5) ->\n [Y * X];\n"
        "matched(X, Y = true) ->\n [Y and X];\n"
        "matched(X, Y) when Y =:= 576460752303423488 ->\n [Y + X];\n"
        "matched(X, Y) ->\n [X bor Y].\n"
        "second(X, Y = 0) ->\n {X bxor Y, X}.\n"
        "several(X, Y = 0) ->\n {catch Y bor X, catch X bor Y, catch X bor X, Y bor X}.\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Ys = [0, 2.5, true, 1 bsl 59, a],
        Rows =
            [{"matched", [X, Y]} || X <- [a, 1, [0, 1] | Ys], Y <- Ys] ++
            [{Name, [X, Y]} || Name <- ["received", "second", "several"], X <- [a, 0], Y <- [0, a]],
        ?assertEqual([], lists:flatmap(fun differing/1, Rows))
    end).

%% A fun that the compiler knows, next to a call by name of the same function or of a built-in one.
calls_of_one_line_are_told_apart_test() ->
    Text =
        "-export([known/2, beside/2]).\n"
        "-record(r, {a, b}).\n"
        "only([X]) -> error(X).\n"
        "known(X, Y) ->\n try only((fun only/1)(X) + Y) catch _:_:T -> hd(lists:droplast(T)) end.\n"
        "beside(X, Y) ->\n F = if X#r.a > 0 -> X; true -> X#r{a = X} end, [F(Y)].\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Rows = [{Name, [X, 0]} || Name <- ["known", "beside"], X <- [0, [1], {r, 0, 0}, {r, 1, 0}]],
        ?assertEqual([], lists:flatmap(fun differing/1, Rows))
    end).

%% Before it looks at types, the compiler makes one of equal code in one line.
what_is_equal_in_one_line_is_joined_test() ->
    Text =
        "-export([several/2]).\n"
        "-define(EITHER(C, E), case C of 0 -> E; {_, _} -> [E]; _ -> E end).\n"
        "some(X, Y) when is_list(X); is_number(Y) ->\n"
        " if is_list(Y) -> Y; is_float(Y) -> a end.\n"
        "several([X | _], Y) ->\n Z = some({X, ?EITHER(Y, {some(a, Y), some(a, Y)})}, 1),\n"
        " true = is_list(Z),\n Z.\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Rows = [{"several", [[1], Y]} || Y <- [0, 1, {1, 2}, [1], [0], 1.5]],
        ?assertEqual([], lists:flatmap(fun differing/1, Rows))
    end).

%% What comes after `try` is there twice, and a fun in it once.
funs_after_a_try_are_raised_for_by_one_function_test() ->
    Text =
        "-export([with_fun/2, with_named_fun/2, sum/1]).\n"
        "with_fun(X, Y) ->\n try X + 1 after F = fun({_, _}) -> X end,"
        " self() ! {F, F(Y)}, receive _ -> ok end end.\n"
        "with_named_fun(X, Y) ->\n try X + 1 after F = fun G({_, _}) -> X; G([Z]) -> G(Z) end,"
        " self() ! {F, F(Y)}, receive _ -> ok end end.\n"
        %% Arithmetic of two kinds in one line has the compiler asked once more.
        "sum(X) -> {X + X, float(X) + float(X)}.\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Rows = [
            {Name, [X, Y]}
         || Name <- ["with_fun", "with_named_fun"], X <- [1, a], Y <- [0, {1, 2}, [{1, 2}]]
        ],
        ?assertEqual([], lists:flatmap(fun differing/1, Rows))
    end).

%% The compiler makes a call of it that fails, which tells nothing of the size.
sizes_that_are_none_when_compiled_fail_without_a_cause_test() ->
    Text =
        "-export([of_a_float/1, negative/1, computed/2]).\n"
        "of_a_float(X) ->\n Y = +2.5, {X, <<1:(Y), 2.5/float>>}.\n"
        "negative(X) ->\n Y = 2 - 3, <<X:Y>>.\n"
        "computed(X, Y) ->\n <<X:(Y - 3)>>.\n",
    cuter_fixture:with_source(Text, [debug_info, nowarn_failed], fun(_) ->
        Rows =
            [{"of_a_float", [1]}, {"negative", [1]}] ++
            [{"computed", [X, Y]} || X <- [1, a], Y <- [5, 2, 2.5]],
        ?assertEqual([], lists:flatmap(fun differing/1, Rows))
    end).

%% Which operand stands first, and whether the function is named, depends on literals.
operators_and_literals_fail_as_on_the_beam_test_() ->
    {timeout, 120, fun() ->
        Operators = ["+", "-", "*", "/", "div", "rem", "band", "bor", "bxor", "bsl", "bsr"],
        Literals = ["1", "0", "-1", "2.5", "a", "576460752303423487", "-576460752303423488"] ++
            ["16#FFFFFFFFFFFFFFFFFF", "-16#FFFFFFFFFFFFFFFFFF"],
        Expressions =
            [[L, " ", Operator, " X"] || Operator <- Operators, L <- Literals] ++
            [["X ", Operator, " ", L] || Operator <- Operators, L <- Literals] ++
            [[Operator, " X"] || Operator <- ["+", "-", "bnot", "not"]] ++
            ["true and X", "X and true", "false or X", "true xor X", "X xor true", "1 + (+ X)"],
        Numbered = lists:zip(lists:seq(1, length(Expressions)), Expressions),
        Text = [
            ["-export([", [[name(N), "/1, "] || {N, _} <- Numbered], "beside/2]).\n"],
            [[name(N), "(X) ->\n [", E, "].\n"] || {N, E} <- Numbered],
            [["beside(X, Y = ", P, ") ->\n [Y + X];\n"] || P <- ["1", "a"]],
            "beside(X, {Y = 1, Z}) ->\n [Y * X, Z];\n",
            "beside(_, [Y = 1]) ->\n [a * Y];\n",
            "beside(X, Y) ->\n [Y + X].\n"
        ],
        cuter_fixture:with_source(Text, [debug_info, nowarn_failed], fun(_) ->
            Values = [1, 2.5, a, [], 1 bsl 70],
            Rows =
                [{name(N), [X]} || {N, _} <- Numbered, X <- Values] ++
                [{"beside", [X, Y]} || X <- Values, Y <- [1, a, [], [1], {1, 2}]],
            ?assertEqual([], lists:flatmap(fun differing/1, Rows))
        end)
    end}.

name(Number) ->
    cuter_trace_programs:name(Number).

%% What the compiler adds to a module stands in no line.
functions_that_the_compiler_made_raise_as_on_the_beam_test() ->
    Callback = "-callback done(term()) -> ok.\n",
    [
        cuter_fixture:with_source(Text, [debug_info], fun(_) ->
            Rows = [{"behaviour_info", [X]} || X <- [callbacks, optional_callbacks, 1]],
            ?assertEqual([], lists:flatmap(fun differing/1, Rows))
        end)
     || Text <- [Callback, ["-export([f/1]).\n", Callback, "f([]) -> ok.\n"]]
    ].

%% Waiting has no line of its own.
what_is_no_time_is_shown_where_the_beam_was_before_test() ->
    Text =
        "-export([first/1, after_a_call/1, after_clauses/1, nothing_else/1, after_others/1]).\n"
        "first(T) ->\n receive\n  x -> ok\n after\n  T -> done\n end.\n"
        "after_a_call(T) ->\n X = list_to_tuple([T]),\n"
        " receive\n  x ->\n   ok\n after T -> X end.\n"
        "after_clauses(T) ->\n receive\n  {x, X} ->\n   list_to_atom(X);\n"
        "  {y, Y} when Y > T ->\n   first(Y)\n after T -> ok end.\n"
        "nothing_else(T) ->\n [receive\n after T -> T end].\n"
        "after_others(T) when is_integer(T), T > 4 ->\n receive\n after 4 ->\n"
        "  after_others(T - 4)\n end;\n"
        "after_others(T) ->\n receive\n after T -> ok end.\n",
    %% Arithmetic of two kinds in one line has the compiler asked once more.
    Numbered = ["-export([sum/1]).\n", Text, "sum(X) -> {X + X, float(X) + float(X)}.\n"],
    Names = ["first", "after_a_call", "after_clauses", "nothing_else", "after_others"],
    Rows = [{Name, [T]} || Name <- Names, T <- [0, 1, a, -1]],
    [
        cuter_fixture:with_source(Source, [debug_info], fun(_) ->
            ?assertEqual([], lists:flatmap(fun differing/1, Rows))
        end)
     || Source <- [Text, Numbered]
    ].

%% The VM puts moves of neighbours together, and then the line of a last call behind them counts.
what_is_no_time_is_shown_where_the_beam_was_before_whatever_was_moved_test() ->
    Names = ["A", "B", "C"],
    Shuffles = [{X, Y, Z} || X <- Names, Y <- Names, Z <- Names],
    {Functions, Text} = lists:unzip([
        begin
            Name = lists:flatten(io_lib:format("f~b", [N])),
            {Name, [
                Name,
                "(A, B, C) ->\n receive\n  x ->\n   C ! A,\n   ",
                io_lib:format("?MODULE:~s(~s, ~s, ~s)", [Name, X, Y, Z]),
                "\n after C -> B end.\n"
            ]}
        end
     || {N, {X, Y, Z}} <- lists:zip(lists:seq(1, length(Shuffles)), Shuffles)
    ]),
    Source = ["-compile([export_all, nowarn_export_all]).\n", Text],
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        Rows = [{Name, [a, b, c]} || Name <- Functions],
        ?assertEqual([], lists:flatmap(fun differing/1, Rows))
    end).

%% Built-in functions that are called by their names return to who called them last. As funs they do
%% not, nor do functions of native libraries.
built_in_functions_that_are_no_names_are_jumped_to_when_called_last_test() ->
    Text =
        "-compile([export_all, nowarn_export_all]).\n"
        "as_a_fun(F, A, B) -> F(A, B).\n"
        "as_a_checked_fun(F, A, B) when is_function(F, 2) -> F(A, B);\n"
        "as_a_checked_fun(F, _, _) -> F.\n"
        "as_an_inner_fun(F, A, B) -> {F(A, B)}.\n"
        "by_name(M, F, A) -> M:F(A).\n"
        "by_inner_name(M, F, A) -> {M:F(A)}.\n"
        "applied(F, Args) -> apply(F, Args).\n"
        "applied(M, F, Args) -> apply(M, F, Args).\n"
        "applied_inside(M, F, Args) -> {apply(M, F, Args)}.\n"
        "within(F, A, B) -> [as_a_fun(F, A, B)].\n"
        "spawned(F) -> spawn(F).\n"
        "spawned_inside(F) -> {spawn(F)}.\n"
        "linked(F) -> spawn_link(F).\n"
        "monitored(F) -> spawn_monitor(F).\n"
        "monitored(M, F, Args) -> spawn_monitor(M, F, Args).\n"
        "with_options(F, Options) -> spawn_opt(F, Options).\n"
        "led(L, Pid) -> group_leader(L, Pid).\n"
        "in_a_library(X) -> prim_buffer:size(X).\n"
        "inside_of_a_library(X) -> {prim_buffer:size(X)}.\n"
        "before_another_line(X) ->\n Y = prim_buffer:size(X),\n {Y,\n  hd(X)}.\n"
        "through_code(X) ->\n Y = zlib:close(X),\n Y + 1.\n"
        "that_is_not_there(X) ->\n Y = prim_buffer:no_function(X),\n Y + 1.\n"
        "that_has_no_module(X) ->\n Y = cuter_no_module:f(X),\n Y + 1.\n",
    Funs = [
        fun erlang:'+'/2,
        fun erlang:'++'/2,
        fun erlang:error/2,
        fun erlang:exit/2,
        fun maps:get/2,
        fun lists:member/2,
        fun ets:lookup/2,
        fun binary:match/2,
        fun lists:append/2
    ],
    Names = [atom_to_list, hd, float, length, error, exit, throw, spawn, spawn_link, tuple_to_list],
    Rows =
        [
            {Name, [F, a, B]}
         || Name <- ["as_a_fun", "as_a_checked_fun", "as_an_inner_fun", "within"],
            F <- Funs,
            B <- [b, [b]]
        ] ++
            [{"applied", [F, [a, B]]} || F <- Funs, B <- [b, [b]]] ++
            [{Name, [erlang, F, 1]} || Name <- ["by_name", "by_inner_name"], F <- Names] ++
            [{Name, [erlang, F, [1]]} || Name <- ["applied", "applied_inside"], F <- Names] ++
            [{"applied", [fun erlang:F/1, [1]]} || F <- Names] ++
            [{"applied", [fun erlang:apply/2, [a, Args]]} || Args <- [b, [b]]] ++
            [{"by_name", [M, b, c]} || M <- [1, cuter_no_module]] ++
            [{Name, [x]} || Name <- ["spawned", "spawned_inside", "linked", "monitored"]] ++
            [{Name, [x]} || Name <- ["in_a_library", "inside_of_a_library"]] ++
            [{Name, [x]} || Name <- ["that_is_not_there", "that_has_no_module"]] ++
            [{Name, [x]} || Name <- ["before_another_line", "through_code"]] ++
            [{"monitored", [1, 2, 3]}, {"with_options", [x, y]}, {"led", [x, y]}],
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        ?assertEqual([], lists:flatmap(fun differing/1, Rows))
    end).

what_is_known_of_a_module_is_told_by_the_vm_test() ->
    Text =
        "-export([inside/1, inside/2, last/1, last/2, attributes/0]).\n"
        "inside(M) -> {M:module_info()}.\n"
        "inside(M, Item) -> {M:module_info(Item)}.\n"
        "last(M) -> M:module_info().\n"
        "last(M, Item) -> M:module_info(Item).\n"
        "attributes() -> [M:module_info(attributes) || M <- [orddict, gb_sets]].\n",
    Modules = [orddict, cuter_no_module, erlang, 1],
    Rows =
        [{Name, [M]} || Name <- ["inside", "last"], M <- Modules] ++
            [
                {Name, [M, Item]}
             || Name <- ["inside", "last"],
                M <- Modules,
                Item <- [attributes, exports, cuter_no_item]
            ],
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        ?assertEqual([], lists:flatmap(fun differing/1, Rows)),
        Options = #{quiet => true, max_runs => 1},
        #{modules := Loaded} = cuter:run(cuter_tried, attributes, [], Options),
        ?assertEqual([cuter_tried], Loaded)
    end).

%% Code that a parse transform makes often has the line 0.
calls_in_no_line_are_shown_without_one_test() ->
    Text =
        "-export([called/1, calling/2, matched/1, built/1, last/1, between/1]).\n"
        "called(X) ->\n {list_to_tuple(X)}.\n"
        "calling(F, X) ->\n [F(X)].\n"
        "matched(X) ->\n {ok, Y} = X,\n Y.\n"
        "built(X) ->\n <<X:8>>.\n"
        "last(X) ->\n called(X).\n"
        "between(X) ->\n Y = called(X),\n {Y, X + 1}.\n",
    Options = [debug_info, {parse_transform, ?MODULE}],
    cuter_fixture:with_source(Text, Options, fun(_) ->
        Rows =
            [
                {Name, [X]}
             || Name <- ["called", "matched", "built", "last", "between"],
                X <- [a, [], {ok, 1}, 7]
            ] ++ [{"calling", [fun erlang:atom_to_list/1, 1]}, {"calling", [a, 1]}],
        ?assertEqual([], lists:flatmap(fun differing/1, Rows))
    end).

%% As instructions, + adds 0, and - may take a float from 0.0.
signs_are_those_of_the_beam_test() ->
    Text =
        "-export([signed/1, inside/1, guarded/1, twice/2, both/1, called/1, negative/1]).\n"
        "-export([negative_float/1, of_a_product/1, of_a_sine/1, negative_call/1]).\n"
        "negative_float(X) when is_float(X) -> Y = -X, {Y, Y * 3.0};\n"
        "negative_float(X) -> -X.\n"
        "of_a_product(X) when is_float(X) -> -(X * 2.0) + -X;\n"
        "of_a_product(X) -> -(X * 2).\n"
        "of_a_sine(X) -> A = math:sin(X), B = -A, {B, B * 2.0}.\n"
        "negative_call(X) -> F = fun erlang:'-'/1, F(X).\n"
        "signed(X) -> +X.\n"
        "inside(X) ->\n Y = +X,\n {Y, Y * 2.0}.\n"
        "guarded(X) when +X < 3 -> +X;\n"
        "guarded(X) -> {X}.\n"
        "twice(X, Y) -> {+X, X + Y, +Y}.\n"
        "both(X) -> [+ -X, - +X, +(X + 1)].\n"
        "called(X) -> F = fun erlang:'+'/1, {F(X), lists:map(F, [X])}.\n"
        "negative(X) -> -X.\n",
    Values = [0, 7, 0.0, -0.0, 1.5, 1 bsl 70, a, []],
    Names = [
        "signed", "inside", "guarded", "both", "called", "negative", "negative_float",
        "of_a_product", "of_a_sine", "negative_call"
    ],
    Rows =
        [{Name, [X]} || Name <- Names, X <- Values] ++
            [{"twice", [X, Y]} || X <- [-0.0, 1, a], Y <- [-0.0, 1, b]],
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        ?assertEqual([], [Row || {Name, Args} = Row <- Rows, not is_same_sign(Name, Args)]),
        ?assertEqual([], lists:flatmap(fun differing/1, Rows))
    end).

%% 0.0 and -0.0 are equal up to OTP 26.
is_same_sign(Name, Args) ->
    Function = list_to_atom(Name),
    Native = cuter_replay:call(cuter_tried, Function, Args),
    Own = cuter:eval(cuter_tried, Function, Args),
    element(1, Native) =:= raised orelse term_to_binary(Own) =:= term_to_binary(Native).

%% What functions do is in no line.
parse_transform(Forms, _Options) ->
    [without_lines(Form) || Form <- Forms].

without_lines({function, Line, Name, Arity, Clauses}) ->
    Unplaced = [
        {clause, Place, Patterns, Guards, [without_line(Part) || Part <- Body]}
     || {clause, Place, Patterns, Guards, Body} <- Clauses
    ],
    {function, Line, Name, Arity, Unplaced};
without_lines(Form) ->
    Form.

without_line(Part) ->
    erl_parse:map_anno(fun(_) -> erl_anno:new(0) end, Part).

seed() ->
    list_to_integer(os:getenv("CUTER_SEED", "1")).

raised({raised, Class, Reason, _Stacktrace}) -> {Class, Reason};
raised(Returned) -> Returned.

%% The calls of one module that end in another way on the BEAM, with both ways.
differences(Case) ->
    Text = source(Case),
    Values = cuter_trace_programs:values(),
    Rows = [
        {cuter_trace_programs:name(F), [X, lists:nth(rand:uniform(length(Values)), Values)]}
     || F <- lists:seq(1, ?FUNCTIONS), X <- Values
    ],
    Options = [debug_info, nowarn_unused_vars, nowarn_failed, nowarn_nomatch, nowarn_ignored],
    cuter_fixture:with_source(Text, Options, fun(_) -> lists:flatmap(fun differing/1, Rows) end).

source({Kind, Seed, N}) ->
    _ = rand:seed(exsss, erlang:phash2({Seed, N})),
    cuter_trace_programs:module(Kind, ?FUNCTIONS).

differing({Name, Args}) ->
    cuter_fixture:differing(list_to_atom(Name), Args, fun plain/1).

%% Without the identity of funs.
plain([Head | Tail]) -> [plain(Head) | plain(Tail)];
plain(Tuple) when is_tuple(Tuple) -> list_to_tuple(plain(tuple_to_list(Tuple)));
plain(Map) when is_map(Map) -> maps:from_list(plain(maps:to_list(Map)));
plain(Fun) when is_function(Fun) -> erlang:fun_info(Fun, arity);
plain(Other) -> Other.
