%% Funs that are solved for: each function of the fixture has a crash that only one reaches.
-module(cuter_symbolic_funs_tests).

-include_lib("eunit/include/eunit.hrl").

-define(FIXTURE, "test/fixtures/hidden_funs.erl").
-define(SECONDS, 120).

%% From a seed that is no fun at all.
found_from_any_term_test_() ->
    {setup, fun setup/0, fun cleanup/1, [
        {atom_to_list(Name), {timeout, ?SECONDS, fun() -> finds(Name, lists:duplicate(Arity, 0)) end}}
     || {Name, Arity} <- functions()
    ]}.

%% From funs of all kinds: compiled, of the shell, by name.
found_from_a_fun_test_() ->
    {setup, fun setup/0, fun cleanup/1, [
        {timeout, ?SECONDS, fun() -> finds(Name, Seed) end}
     || {Name, Seed} <- [
            {one_call, [fun(X) -> X end]},
            {one_call, [fun erlang:abs/1]},
            {one_call, [fun lists:reverse/1]},
            {one_call, [evaluated("fun(X) -> X + 1 end")]},
            {one_call, [evaluated("fun() -> 1 end")]},
            {nested, [fun(X) -> {X} end]},
            {two_inputs, [fun erlang:abs/1]},
            {curried, [fun(X) -> fun(Y) -> X + Y + 1 end end]},
            {given_a_closure, [fun(F) -> F(1) end]},
            {filtered, [fun(X) -> X > 1 end]},
            {filtered, [fun erlang:is_atom/1]},
            {mapped, [fun erlang:integer_to_list/1]},
            {folded, [fun erlang:max/2]},
            {sorted, [fun(A, B) -> A =< B end]},
            {not_the_identity, [fun(X) -> X end, 0]},
            {list_of_funs, [[fun erlang:abs/1]]},
            {compose, [fun erlang:abs/1, fun erlang:abs/1]}
        ]
    ]}.

%% All fixtures but their helper.
functions() ->
    {ok, Forms} = epp:parse_file(cuter_fixture:file(?FIXTURE), []),
    [{Name, Arity} || {function, _, Name, Arity, _} <- Forms, Name =/= unfold].

setup() ->
    Dir = filename:join(os:getenv("TMPDIR", "/tmp"), "hidden-funs-" ++ os:getpid()),
    ok = filelib:ensure_dir(filename:join(Dir, "x")),
    true = code:add_patha(Dir),
    hidden_funs = cuter_fixture:load(cuter_fixture:file(?FIXTURE), Dir, [debug_info]),
    Dir.

cleanup(Dir) ->
    true = code:del_path(Dir),
    ok = file:del_dir_r(Dir).

finds(Name, Seed) ->
    Report = cuter:run(hidden_funs, Name, Seed, #{quiet => true}),
    ?assertMatch(#{divergences := 0, disagreements := []}, Report),
    Found = [Input || #{reason := found, input := Input} <- maps:get(failures, Report)],
    ?assertMatch([_ | _], Found),
    [fails_again(Name, Input) || Input <- Found].

%% The input, and what its source evaluates to, fail in the same way.
fails_again(Name, Input) ->
    ?assertMatch({raised, error, found, _}, cuter_replay:native({hidden_funs, Name}, Input)),
    Source = unicode:characters_to_list(cuter_source:call({hidden_funs, Name}, Input, 0)),
    ?assertError(found, evaluated(Source)).

evaluated(Source) ->
    {ok, Tokens, _} = erl_scan:string(Source ++ "."),
    {ok, Exprs} = erl_parse:parse_exprs(Tokens),
    {value, Value, _} = erl_eval:exprs(Exprs, []),
    Value.

%%% What else a fun of the input does

a_fun_of_the_wrong_kind_fails_as_on_the_beam_test_() ->
    {timeout, ?SECONDS, fun() ->
        Source = "-export([f/1]).\nf(F) -> F(1, 2).\n",
        Report = explored(Source, f, [fun(X) -> X end]),
        ?assertMatch(#{divergences := 0, disagreements := []}, Report),
        Reasons = [element(1, Reason) || #{reason := Reason} <- maps:get(failures, Report)],
        ?assertEqual([badarity, badfun], lists:usort(Reasons))
    end}.

the_seed_may_raise_test_() ->
    {timeout, ?SECONDS, fun() ->
        Source =
            "-export([f/1]).\n"
            "f(F) -> try F(1) of 7 -> error(found); _ -> ok catch throw:T -> {thrown, T} end.\n",
        Report = explored(Source, f, [fun(X) -> throw(X) end]),
        ?assertMatch(#{divergences := 0, disagreements := []}, Report),
        ?assert(lists:member(found, [Reason || #{reason := Reason} <- maps:get(failures, Report)]))
    end}.

a_seed_that_is_no_function_of_its_argument_is_counted_test_() ->
    {timeout, ?SECONDS, fun() ->
        Source = "-export([f/1]).\nf(F) -> {F(1), F(1)} =:= {1, 2} andalso error(found).\n",
        Counter = evaluated(
            "fun(_) -> N = case get(n) of undefined -> 1; M -> M end, put(n, N + 1), N end"
        ),
        Report = explored(Source, f, [Counter]),
        ?assertMatch(#{disagreements := [], concretised := #{{erlang, apply, 2} := _}}, Report)
    end}.

a_seed_is_kept_where_nothing_asks_for_another_test_() ->
    {timeout, ?SECONDS, fun() ->
        Source =
            "-export([f/2]).\n"
            "f(F, X) when is_function(F, 1), X =:= 3 -> error({found, F});\nf(_, _) -> ok.\n",
        Report = explored(Source, f, [fun erlang:abs/1, 0]),
        [#{input := [F, 3]}] = maps:get(failures, Report),
        ?assertEqual(fun erlang:abs/1, F)
    end}.

an_input_of_a_report_is_a_seed_of_the_next_run_test_() ->
    {timeout, ?SECONDS, fun() ->
        Source = "-export([f/1]).\nf(F) -> F(1) =:= F(2) + 3 andalso error(found).\n",
        First = explored(Source, f, [0]),
        [Input] = [I || #{reason := found, input := I} <- maps:get(failures, First)],
        Second = explored(Source, f, Input),
        ?assertMatch(#{divergences := 0, host_calls := Calls} when Calls =:= #{}, Second),
        ?assert(lists:member(found, [Reason || #{reason := Reason} <- maps:get(failures, Second)]))
    end}.

explored(Source, Function, Seed) ->
    cuter_fixture:with_source(Source, [debug_info], fun(_File) ->
        cuter:run(cuter_tried, Function, Seed, #{quiet => true})
    end).

%%% Tables

tables_are_funs_of_their_arity_test() ->
    [
        begin
            Args = lists:seq(1, Arity),
            Fun = cuter_table:make(Arity, [{Args, hit}], miss),
            ?assert(is_function(Fun, Arity)),
            ?assertEqual(hit, apply(Fun, Args)),
            Arity > 0 andalso ?assertEqual(miss, apply(Fun, [float(A) || A <- Args])),
            ?assertEqual({Arity, [{Args, hit}], miss}, cuter_table:table(Fun))
        end
     || Arity <- lists:seq(0, 20)
    ].

other_terms_have_no_table_test() ->
    Local = fun(X) -> X end,
    Captured = {[], 0},
    Capturing = fun() -> Captured end,
    [?assertEqual(none, cuter_table:table(T)) || T <- [0, {[], 0}, Local, Capturing, fun abs/1]].
