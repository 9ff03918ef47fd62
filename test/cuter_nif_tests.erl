%% The native library: what it does with garbage, and when those it works for are gone.
-module(cuter_nif_tests).

-include_lib("eunit/include/eunit.hrl").

-define(ENDLESS, "test/fixtures/endless.erl").

the_library_is_loaded_test() ->
    ?assertEqual(ok, cuter_nif:loaded()).

a_library_that_is_not_built_gives_a_sentence_test() ->
    Text = lists:flatten(cuter_nif:format_error({not_loaded, "no such file"})),
    ?assertNotEqual(nomatch, string:find(Text, "make build")).

%%% Garbage

a_request_that_makes_no_sense_is_refused_with_a_sentence_test_() ->
    [
        ?_assertMatch({error, {_, <<_, _/binary>>}}, cuter_nif:start(make_ref(), Request))
     || Request <- garbage()
    ].

garbage() ->
    Terms = [
        hello,
        #{},
        #{task => dance},
        #{task => explore, mfa => {lists, last}, seeds => [], options => #{}},
        #{task => explore, mfa => {lists, last, 1}, seeds => [[[1]] | x], options => #{}},
        #{task => explore, mfa => {lists, last, 1}, seeds => [[]], options => #{}},
        #{task => eval, mfa => {lists, last, -1}, args => [], options => #{}},
        #{task => eval, mfa => {lists, last, 1}, args => [[1]], options => a},
        #{task => eval, mfa => {lists, last, 1}, args => [[1]], options => #{seed => a}}
        | [last(#{signature => Signature}) || Signature <- signatures()]
    ],
    Binary = term_to_binary(#{task => explore}),
    Cut = binary:part(Binary, 0, byte_size(Binary) - 3),
    [<<>>, <<131>>, <<0, 1, 2>>, <<131, 108, 255, 255, 255, 255>>, Cut] ++
        [term_to_binary(Term) || Term <- Terms].

last(More) ->
    maps:merge(#{task => explore, mfa => {lists, last, 1}, seeds => [], options => #{}}, More).

%% Types that are not there, bounds that are none, another number of arguments.
signatures() ->
    [
        a,
        #{clauses => [{[0], 0}], types => {}},
        #{clauses => [{[1], 0}], types => {any}},
        #{clauses => [{[0], 0}], types => {{tuple, [1]}}},
        #{clauses => [{[0], 0}], types => {{integer, low, 3}}},
        #{clauses => [{[0], 0}], types => {{integer, pos_inf, neg_inf}}},
        #{clauses => [{[0], 0}], types => {{bits, -1, 8}}},
        #{clauses => [{[0, 0], 0}], types => {any}}
    ].

arguments_of_a_wrong_type_are_badarg_test_() ->
    [
        ?_assertError(badarg, apply(cuter_nif, Function, Args))
     || {Function, Args} <- [
            {start, [not_a_reference, <<>>]},
            {start, [make_ref(), not_a_binary]},
            {provide, [make_ref(), lists, native]},
            {provide, [self(), lists, native]},
            {resume, [make_ref(), <<>>]},
            {resume, [1, <<>>]},
            {resume_briefly, [make_ref(), <<>>]},
            {resume_briefly, [1, <<>>]},
            {abandon, [make_ref(), <<>>]},
            {cancel, [make_ref()]},
            {cancel, [[]]}
        ]
    ].

an_answer_that_makes_no_sense_is_refused_test() ->
    in_session(fun(Session) ->
        ?assertMatch({error, {_, _}}, cuter_nif:provide(Session, endless, {ast, <<1, 2, 3>>})),
        Tree = term_to_binary({cuter_module, 6, endless}),
        ?assertMatch({error, {_, _}}, cuter_nif:provide(Session, endless, {ast, Tree})),
        ?assertError(badarg, cuter_nif:provide(Session, "endless", native)),
        [
            ?assertError(badarg, cuter_nif:provide(Session, endless, Answer))
         || Answer <- [a, [], {ast, a}, {ast, <<1:3>>}, {tree, <<>>}, {ast, <<>>, <<>>}]
        ]
    end).

a_session_can_be_cancelled_twice_test() ->
    in_session(fun(Session) ->
        ?assertEqual(ok, cuter_nif:cancel(Session)),
        ?assertEqual(ok, cuter_nif:cancel(Session))
    end).

%%% Those it works for

a_session_ends_when_its_owner_dies_test() ->
    {Owner, Monitor} = spawn_monitor(fun() ->
        {ok, _} = cuter_nif:start(make_ref(), request()),
        timer:sleep(50)
    end),
    receive
        {'DOWN', Monitor, process, Owner, _} -> ok
    end,
    ?assertEqual(0, cuter_fixture:eventually(fun cuter_nif:sessions/0, 0)).

killing_the_caller_stops_the_exploration_test_() ->
    {timeout, 60, fun() -> cuter_fixture:with_modules([?ENDLESS], fun kill_caller/0) end}.

kill_caller() ->
    Before = processes(),
    Caller = spawn(fun() -> cuter:run(endless, walk, [[1, 2], 0], #{quiet => true}) end),
    ?assertEqual(1, cuter_fixture:eventually(fun cuter_nif:sessions/0, 1)),
    exit(Caller, kill),
    ?assertEqual(0, cuter_fixture:eventually(fun cuter_nif:sessions/0, 0)),
    ?assertEqual([], cuter_fixture:eventually(fun() -> processes() -- Before end, [])).

%% A run looks at nothing but its own for thousands of calls, each of which may take long.
work_in_built_in_functions_is_stopped_test_() ->
    {timeout, 120, fun() ->
        cuter_fixture:with_modules([?ENDLESS], fun() ->
            [stopped(What) || What <- [length, member, same, product, digest, collection]]
        end)
    end}.

stopped(What) ->
    Options = #{max_steps => 1000000000, time_limit => 300},
    Stopped = {error, {cuter, {stopped, time}}},
    ?assertEqual({What, Stopped}, {What, cuter:eval(endless, work, [What], Options)}),
    Endless = Options#{time_limit := 100000},
    Caller = spawn(fun() -> cuter:eval(endless, work, [What], Endless) end),
    ?assertEqual(1, cuter_fixture:eventually(fun cuter_nif:sessions/0, 1)),
    timer:sleep(100),
    exit(Caller, kill),
    ?assertEqual({What, 0}, {What, cuter_fixture:eventually(fun cuter_nif:sessions/0, 0)}).

the_mailbox_of_the_caller_is_left_alone_test_() ->
    {timeout, 60, fun() -> cuter_fixture:with_modules([?ENDLESS], fun mailbox/0) end}.

mailbox() ->
    self() ! mine,
    Options = #{quiet => true, max_runs => 20},
    ?assertMatch(#{verdict := _, runs := _}, cuter:run(endless, walk, [[1], 0], Options)),
    ?assertEqual({messages, [mine]}, process_info(self(), messages)),
    receive mine -> ok end.

two_sessions_at_once_do_not_disturb_each_other_test_() ->
    {timeout, 60, fun() -> cuter_fixture:with_modules([?ENDLESS], fun two_sessions/0) end}.

two_sessions() ->
    Options = #{quiet => true, max_runs => 20},
    Explore = fun() -> exit({done, cuter:run(endless, walk, [[1], 0], Options)}) end,
    Started = [spawn_monitor(Explore) || _ <- [1, 2]],
    [?assertMatch({done, #{runs := _}}, reason(Monitor)) || {_, Monitor} <- Started].

reason(Monitor) ->
    receive
        {'DOWN', Monitor, process, _, Reason} -> Reason
    end.

%%% One interpreted call

an_evaluation_gives_the_value_test() ->
    ?assertEqual({ok, [3, 2, 1]}, cuter:eval(lists, reverse, [[1, 2, 3]])).

an_evaluation_gives_the_exception_test() ->
    ?assertMatch({raised, error, function_clause, [_ | _]}, cuter:eval(lists, last, [[]])).

request() ->
    Request = #{
        task => explore, mfa => {endless, walk, 2}, seeds => [[[1, 2], 0]], options => #{}
    },
    term_to_binary(Request).

in_session(Test) ->
    Tag = make_ref(),
    {ok, Session} = cuter_nif:start(Tag, request()),
    try
        Test(Session)
    after
        ok = cuter_nif:cancel(Session),
        0 = cuter_fixture:eventually(fun cuter_nif:sessions/0, 0),
        forget(Tag)
    end.

forget(Tag) ->
    receive
        {cuter, Tag, _} -> forget(Tag);
        {cuter, Tag, host, _} -> forget(Tag)
    after 0 -> ok
    end.
