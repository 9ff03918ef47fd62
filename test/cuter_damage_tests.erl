%% Trees of modules with something wrong in them: the engine refuses them with a sentence, or runs
%% what is left. It never takes the VM down, and its sessions end.
-module(cuter_damage_tests).

-include_lib("eunit/include/eunit.hrl").

-define(TREES, 600).
-define(FIXTURE, "test/fixtures/all_nodes.erl").

calls() ->
    [
        {clauses, [{2, 1}]}, {exceptions, [fun erlang:abs/1]}, {funs, [1]}, {lists, [[1, 2]]},
        {maps, [#{a => 1}, b]}, {binaries, [<<1, 2, 3>>]}, {messages, []}, {records, [1]},
        {comparison, [1, 2]}, {named, [3]}, {lines, [1]}
    ].

damaged_trees_are_refused_or_run_test_() ->
    {timeout, 300, fun() ->
        cuter_fixture:with_modules([?FIXTURE], fun() ->
            {ok, Tree} = cuter_core:explain(all_nodes),
            _ = rand:seed(exsss, {1, 2, 3}),
            Ends = [run(damaged(Tree), pick(calls())) || _ <- lists:seq(1, ?TREES)],
            Kinds = lists:usort([element(1, End) || End <- Ends]),
            ?assertEqual([], Kinds -- [refused, outcome, failed]),
            ?assert(lists:member(refused, Kinds)),
            ?assert(lists:member(outcome, Kinds)),
            ?assertEqual(0, cuter_fixture:eventually(fun cuter_nif:sessions/0, 0))
        end)
    end}.

%% One node is another one, or junk; or a byte is another one.
damaged(Tree) ->
    case rand:uniform(4) of
        1 ->
            At = rand:uniform(byte_size(Tree) - 1) - 1,
            <<Before:At/binary, _, After/binary>> = Tree,
            <<Before/binary, (rand:uniform(256) - 1), After/binary>>;
        _ ->
            Term = binary_to_term(Tree),
            Parts = parts(Term),
            term_to_binary(replaced(Term, pick(Parts), pick([junk(), pick(Parts)])))
    end.

parts(Term) when is_tuple(Term) -> [Term | lists:flatmap(fun parts/1, tuple_to_list(Term))];
parts([Head | Tail]) -> parts(Head) ++ parts(Tail);
parts(Term) -> [Term].

%% Everywhere, which keeps variables and functions in step now and then.
replaced(Old, Old, New) -> New;
replaced(Term, Old, New) when is_tuple(Term) ->
    list_to_tuple([replaced(Part, Old, New) || Part <- tuple_to_list(Term)]);
replaced([Head | Tail], Old, New) -> [replaced(Head, Old, New) | replaced(Tail, Old, New)];
replaced(Term, _Old, _New) -> Term.

junk() ->
    pick([a, -1, 1 bsl 70, 1.5, [], [a | b], {}, {lit, x}, {var, nobody}, {values, []}, #{},
        <<1:3>>, fun erlang:abs/1, self(), lists:duplicate(1000, {lit, 1}), nest(10000)]).

nest(0) -> {lit, a};
nest(N) -> {tuple, [nest(N - 1)]}.

pick(Choices) ->
    lists:nth(rand:uniform(length(Choices)), Choices).

run(Tree, {Function, Args}) ->
    Tag = make_ref(),
    Request = #{
        task => eval,
        mfa => {all_nodes, Function, length(Args)},
        args => Args,
        options => #{max_steps => 100000}
    },
    {ok, Session} = cuter_nif:start(Tag, term_to_binary(Request)),
    try
        serve(Tag, Session, Tree)
    after
        ok = cuter_nif:cancel(Session)
    end.

serve(Tag, Session, Tree) ->
    receive
        {cuter, Tag, host, Run} ->
            ok = cuter_nif:abandon(Run, <<"not here">>),
            serve(Tag, Session, Tree);
        {cuter, Tag, Event} ->
            serve(binary_to_term(Event), Tag, Session, Tree)
    after 10000 -> {silent, Session}
    end.

serve({load, all_nodes}, Tag, Session, Tree) ->
    case cuter_nif:provide(Session, all_nodes, {ast, Tree}) of
        ok -> serve(Tag, Session, Tree);
        {error, {_Kind, <<_, _/binary>>}} -> {refused, Tag}
    end;
serve({load, Module}, Tag, Session, Tree) ->
    ok = cuter_nif:provide(Session, Module, native),
    serve(Tag, Session, Tree);
serve({Kind, _} = End, _Tag, _Session, _Tree) when Kind =:= outcome; Kind =:= failed ->
    End;
serve(_Other, Tag, Session, Tree) ->
    serve(Tag, Session, Tree).
