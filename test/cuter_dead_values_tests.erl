%% What a program does not read again takes no room.
-module(cuter_dead_values_tests).

-include_lib("eunit/include/eunit.hrl").

-define(FIXTURE, "test/fixtures/dead_values.erl").
%% So many times a million words: more than a run may have.
-define(MANY, 70).

what_is_not_read_again_is_given_back_test_() ->
    [
        {timeout, 300, {atom_to_list(P), ?_assertEqual({ok, ?MANY * (8 bsl 20)}, eval(P, ?MANY))}}
     || P <- [held, waiting]
    ].

what_is_read_again_stays_test() ->
    ?assertEqual({ok, 5 * (8 bsl 20)}, eval(kept, 5)),
    ?assertMatch({raised, throw, 8 bsl 20, _}, eval(kept_for_handler, 5)).

eval(Program, N) ->
    cuter_fixture:with_modules([?FIXTURE], fun() -> cuter:eval(dead_values, Program, [N]) end).
