%% A small choice of sets whose union is that of all of them.
%%
%% Greedy: the set that adds most comes first, the earlier of equal ones; then those that the others
%% make superfluous are taken out again, the last ones first. The least possible number is not
%% guaranteed (that takes exponential time), but nothing chosen can be left out.
-module(cuter_minimal).

-export([choose/2]).

%% The chosen items, in their order. `Elements` gives the set of an item as a list.
-spec choose([Item], fun((Item) -> [term()])) -> [Item].
choose(Items, Elements) ->
    Sets = [{N, maps:from_keys(Elements(Item), []), Item} || {N, Item} <- numbered(Items)],
    Chosen = lists:sort(needed(greedy(Sets, #{}))),
    [Item || {_, _, Item} <- Chosen].

numbered(Items) ->
    lists:zip(lists:seq(1, length(Items)), Items).

greedy(Sets, Covered) ->
    Left = [{map_size(maps:without(maps:keys(Covered), Set)), -N} || {N, Set, _} <- Sets],
    case Left =/= [] andalso lists:max(Left) of
        {Gain, Minus} when Gain > 0 ->
            {value, {_, Set, _} = Best, Others} = lists:keytake(-Minus, 1, Sets),
            [Best | greedy(Others, maps:merge(Covered, Set))];
        _ ->
            []
    end.

%% Without those that the others make superfluous.
needed(Chosen) ->
    lists:foldl(fun drop/2, Chosen, lists:reverse(lists:sort(Chosen))).

drop({N, Set, _}, Chosen) ->
    Others = lists:keydelete(N, 1, Chosen),
    Union = lists:foldl(fun({_, Other, _}, All) -> maps:merge(All, Other) end, #{}, Others),
    case map_size(maps:without(maps:keys(Union), Set)) of
        0 -> Others;
        _ -> Chosen
    end.
