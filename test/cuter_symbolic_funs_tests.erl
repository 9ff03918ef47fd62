%% Funs that are solved for: each function of the fixture has a crash that only one reaches.
-module(cuter_symbolic_funs_tests).

-include_lib("eunit/include/eunit.hrl").

-define(FIXTURE, "test/fixtures/hidden_funs.erl").
-define(SECONDS, 120).

%% From a seed that is no fun at all.
found_from_any_term_test_() ->
    {setup, fun setup/0, fun cleanup/1, [
        {atom_to_list(Name), {timeout, ?SECONDS, fun() -> finds(Name, no_funs(Arity)) end}}
     || {Name, Arity} <- functions()
    ]}.

no_funs(Arity) ->
    lists:duplicate(Arity, 0).

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

what_a_fun_returns_is_of_the_type_that_the_spec_says_test_() ->
    {timeout, ?SECONDS, fun() ->
        Source =
            "-export([f/2]).\n"
            "-spec f(fun((integer()) -> {ok, 1..9} | error), [integer()]) -> term().\n"
            "f(F, L) -> case [F(X) || X <- L] of\n"
            "    [{ok, 7}, error] -> error(found);\n"
            "    Results -> [check(R) || R <- Results]\n"
            "end.\n"
            "check({ok, N}) when N > 0, N < 10 -> ok;\ncheck(error) -> ok.\n",
        Report = explored(Source, f, [fun(_) -> error end, []]),
        ?assertMatch(#{divergences := 0, disagreements := []}, Report),
        ?assertMatch([#{reason := found}], maps:get(failures, Report))
    end}.

a_missing_seed_is_a_fun_that_can_be_called_test_() ->
    {timeout, ?SECONDS, fun() ->
        Source =
            "-export([f/1]).\n"
            "-spec f(fun((integer(), atom()) -> fun(() -> boolean()))) -> term().\n"
            "f(F) -> (F(1, a))() andalso not (F(2, b))() andalso error(found).\n",
        Report = explored(Source, f, 1),
        ?assertMatch(#{divergences := 0, disagreements := []}, Report),
        ?assertMatch([#{reason := found}], maps:get(failures, Report))
    end}.

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
    Terms = [0, {[], 0}, Local, Capturing, fun erlang:abs/1],
    [?assertEqual(none, cuter_table:table(Term)) || Term <- Terms].

%%% Source

a_table_is_written_as_clauses_test() ->
    Fun = cuter_table:make(2, [{[1, a], x}, {[-1.5, <<"text">>], [y]}], {z, 0}),
    ?assertEqual("fun(1, a) -> x; (-1.5, <<\"text\">>) -> [y]; (_, _) -> {z, 0} end", source(Fun)).

a_table_without_arguments_is_its_one_result_test() ->
    ?assertEqual("fun() -> 7 end", source(cuter_table:make(0, [{[], 7}], 0))),
    ?assertEqual("fun() -> 0 end", source(cuter_table:make(0, [], 0))).

the_source_of_a_table_means_the_same_test_() ->
    Patterns = [1, 1.0, -0.0, a, "text", {x, [y]}, <<1:3>>],
    Keys = Patterns ++ [#{}, #{a => 1}, self(), fun erlang:abs/1, []],
    Entries = [{[Key, 0], {result, Key}} || Key <- Keys],
    Some = lists:sublist(Entries, length(Patterns)),
    Tables = [cuter_table:make(2, Calls, none) || Calls <- [Entries, Some]],
    [
        ?_assertEqual(Fun(Key, 0), (evaluated(source(Fun)))(Key, 0))
     || Fun <- Tables, Key <- [#{a => 1, b => 2}, 0.0 | Keys]
    ].

a_fun_that_occurs_twice_is_one_fun_in_the_source_test() ->
    Inner = cuter_table:make(1, [], 0),
    Outer = cuter_table:make(1, [{[Inner], inner}], none),
    ?assertEqual("begin F1 = fun(_) -> 0 end, {F1, F1} end", source({Inner, Inner})),
    {F, [G]} = evaluated(source({Outer, [Inner]})),
    ?assertEqual(inner, F(G)).

source(Term) ->
    Text = unicode:characters_to_list(cuter_source:term(Term)),
    lists:flatten(lists:join(" ", string:lexemes(Text, " \n"))).

%%% Shrinking

tables_become_smaller_test_() ->
    {setup, fun setup/0, fun cleanup/1, fun(_) ->
        Entries = [{[N], {ok, [first, {second, 12}, third, N]}} || N <- [start, 1, 2]],
        [
            shrinks(structure, [cuter_table:make(1, Entries, 17)], fun([Fun]) ->
                {1, [], {ok, [first, {second, N} | _]}} = cuter_table:table(Fun),
                ?assert(N > 10 andalso N < 13)
            end),
            shrinks(two_inputs, [cuter_table:make(1, [{[1], 205}, {[9], 9}], 200)], fun([Fun]) ->
                ?assertMatch({1, [{[1], A}], B} when A =:= B + 5, cuter_table:table(Fun))
            end)
        ]
    end}.

shrinks(Name, Input, Check) ->
    fun() ->
        {raised, error, found, Trace} = cuter_replay:native({hidden_funs, Name}, Input),
        Failure = #{input => Input, class => error, reason => found, stacktrace => Trace},
        Mfa = {hidden_funs, Name, length(Input)},
        #{input := Smaller} = cuter_shrink:failure(Mfa, Failure, #{}),
        Check(Smaller)
    end.
