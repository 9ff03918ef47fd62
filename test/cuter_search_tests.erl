%% What is found does not depend on the order in which it is looked for, nor on how many look.
-module(cuter_search_tests).

-include_lib("eunit/include/eunit.hrl").

-define(PROGRAMS, [
    {corners, [0, 0]},
    {command, [start]},
    {shape, [none]},
    {triangle, [3, 4, 5]},
    {short_list, [[]]},
    {options, [#{}]},
    {header, [<<0, 0, 0>>]},
    {twice, [fun(_) -> 0 end]},
    {temperature, [20.0]},
    {switches, [false, false, false, false]},
    {caught, [0]},
    {echo, [1]},
    {countdown, [0]},
    {member, [a, x]}
]).

%% With every strategy and no limit a finite tree is explored to its end: the same paths, the same
%% failures.
every_strategy_takes_all_paths_test_() ->
    [
        compared(Function, Input, #{workers => 1}, [
            #{strategy => bfs},
            #{strategy => dfs},
            #{strategy => random, seed => 7},
            #{strategy => random, seed => 8}
        ])
     || {Function, Input} <- ?PROGRAMS
    ].

several_workers_find_what_one_finds_test_() ->
    [
        compared(Function, Input, #{workers => 1}, [#{workers => 2}, #{workers => 4}])
     || {Function, Input} <- ?PROGRAMS
    ].

compared(Function, Input, First, Others) ->
    Test = fun() ->
        {Verdict, _, _} = Expected = found(Function, Input, First),
        ?assertEqual(exhausted, Verdict),
        [
            begin
                Options = maps:merge(First, Other),
                ?assertEqual({Other, Expected}, {Other, found(Function, Input, Options)})
            end
         || Other <- Others
        ]
    end,
    Loaded = fun() -> cuter_fixture:with_modules(["test/fixtures/finite.erl"], Test) end,
    {atom_to_list(Function), {timeout, 120, Loaded}}.

found(Function, Input, Options) ->
    All = Options#{quiet => true, trace => true, depth => 100000, time_limit => 60000},
    #{verdict := Verdict, failures := Failures, paths := Paths, divergences := 0} =
        cuter:run(finite, Function, Input, All),
    Raised = [{Class, Reason} || #{class := Class, reason := Reason} <- Failures],
    Taken = [[{Site, Side} || {Site, Side} <- Decisions] || #{decisions := Decisions} <- Paths],
    {Verdict, lists:sort(Raised), lists:usort(Taken)}.

the_programs_fail_where_they_should_test_() ->
    Failing = [
        {corners, error}, {command, exit}, {short_list, throw}, {options, error}, {header, error},
        {twice, error}, {temperature, error}, {switches, error}, {caught, error}, {echo, error},
        {countdown, error}
    ],
    [
        {atom_to_list(Function), fun() ->
            cuter_fixture:with_modules(["test/fixtures/finite.erl"], fun() ->
                {exhausted, Raised, _} = found(Function, Input, #{}),
                ?assert(lists:member({Class, found}, Raised))
            end)
        end}
     || {Function, Class} <- Failing, {Name, Input} <- ?PROGRAMS, Name =:= Function
    ].

%% Questions that were answered by knowledge of other paths: conditions on one argument come up
%% again with every path through the conditions on the others.
independent_conditions_are_asked_about_once_test() ->
    Source =
        "-export([f/3]).\n"
        "-type pair() :: {integer(), integer()}.\n"
        "-spec f(pair(), pair(), pair()) -> integer().\n"
        "f(X, Y, Z) -> g(X) + 10 * g(Y) + 100 * g(Z).\n"
        "g({A, B}) when A + B =:= 10, A - B =:= 4 -> 1;\n"
        "g({A, B}) when A + 2 * B =:= 20, B - A =:= 1 -> 2;\n"
        "g({A, B}) when A + B =:= 9, A - B =:= 4 -> 3;\n"
        "g(_) -> 0.\n",
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        Options = #{quiet => true, workers => 1, depth => 1000},
        Report = cuter:run(cuter_tried, f, [{0, 0}, {0, 0}, {0, 0}], Options),
        #{queries := Queries, avoided_by := By, runs := Runs} = Report,
        ?assertMatch(#{verdict := exhausted, divergences := 0}, Report),
        #{sat := Sat, unsat := Unsat, avoided := Avoided} = Queries,
        ?assert(Runs >= 27),
        %% At most so many different questions about each argument.
        ?assert(Sat + Unsat =< 3 * 12),
        ?assert(maps:get(slices, By) > 20),
        ?assertEqual(Avoided, lists:sum(maps:values(By)))
    end).

%% Of sides that wait for long only the input is kept, and their paths are made again.
many_runs_keep_few_paths_test_() ->
    {timeout, 300, fun() ->
        Source =
            "-export([f/1]).\n"
            "-spec f([integer()]) -> ok.\n"
            "f([]) -> ok;\n"
            "f([X | Rest]) when X > 10 -> f(Rest);\n"
            "f([X | Rest]) when X < -10 -> f(Rest);\n"
            "f([_ | Rest]) -> f(Rest).\n",
        cuter_fixture:with_source(Source, [debug_info], fun(_) ->
            Options = #{quiet => true, depth => 1000, max_runs => 12000, time_limit => 200000},
            #{runs := Runs, memory := Memory, divergences := 0} =
                cuter:run(cuter_tried, f, [[]], Options),
            ?assert(Runs >= 12000),
            #{paths := Awake, inputs := Asleep, reruns := Reruns} = Memory,
            ?assert(Awake =< 2100),
            ?assert(Asleep > Awake),
            ?assert(Reruns > 0)
        end)
    end}.
