%% First inputs of a function for which nobody gave one.
-module(cuter_seeds).

-export([defaults/1]).

%% Small terms of the kinds that programs look at first. The engine goes on from there.
-spec defaults(arity()) -> [[term()], ...].
defaults(0) ->
    [[]];
defaults(Arity) ->
    [lists:duplicate(Arity, Term) || Term <- [0, [], a]].
