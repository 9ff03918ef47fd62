%% A smallest choice of sets whose union is that of all of them.
%%
%% A greedy choice comes first: the set that adds most, the earlier of equal ones; then those that
%% the others make superfluous are taken out again, the last ones first. A search for a smaller
%% choice follows, which is given up after a number of steps, since it can take exponential time:
%% what is found is then no longer certainly the smallest, but nothing in it can be left out.
-module(cuter_minimal).

-export([choose/2]).

%% The numbers of the sets that have an element. Elements in the same sets count once.
-type owners() :: [pos_integer()].
-type choice() :: [pos_integer()].

-define(STEPS, 20000).

%% The chosen items, in their order. `Elements` gives the set of an item as a list.
-spec choose([Item], fun((Item) -> [term()])) -> [Item].
choose(Items, Elements) ->
    Numbered = lists:zip(lists:seq(1, length(Items)), Items),
    Owners = owners([{N, Elements(Item)} || {N, Item} <- Numbered]),
    Greedy = needed(greedy(Owners), Owners),
    {Choice, _Steps} = smaller(Owners, [], Greedy, ?STEPS),
    [Item || {N, Item} <- Numbered, lists:member(N, Choice)].

owners(Sets) ->
    Pairs = [{Element, N} || {N, Elements} <- Sets, Element <- lists:usort(Elements)],
    ByElement = lists:foldr(fun add_owner/2, #{}, Pairs),
    lists:usort(maps:values(ByElement)).

add_owner({Element, N}, Owners) ->
    maps:update_with(Element, fun(Others) -> [N | Others] end, [N], Owners).

%% Without the elements of a set.
without(N, Owners) ->
    [Of || Of <- Owners, not lists:member(N, Of)].

%%% The greedy choice

-spec greedy([owners()]) -> choice().
greedy([]) ->
    [];
greedy(Owners) ->
    Counts = lists:foldl(
        fun(N, Counts) -> maps:update_with(N, fun(Count) -> Count + 1 end, 1, Counts) end,
        #{},
        lists:append(Owners)
    ),
    {_, Minus} = lists:max([{Count, -N} || {N, Count} <- maps:to_list(Counts)]),
    [-Minus | greedy(without(-Minus, Owners))].

needed(Choice, Owners) ->
    LastFirst = lists:reverse(lists:sort(Choice)),
    lists:foldl(fun(N, Kept) -> drop(N, Kept, Owners) end, Choice, LastFirst).

drop(N, Choice, Owners) ->
    Others = lists:delete(N, Choice),
    case lists:foldl(fun without/2, Owners, Others) of
        [] -> Others;
        _ -> Choice
    end.

%%% The search for a smaller one

%% The elements that are left, what is chosen, the best choice so far and the steps that are left.
-spec smaller([owners()], choice(), choice(), non_neg_integer()) -> {choice(), non_neg_integer()}.
smaller(_Owners, _Chosen, Best, 0) ->
    {Best, 0};
smaller([], Chosen, Best, Steps) when length(Chosen) < length(Best) ->
    {Chosen, Steps};
smaller(_Owners, Chosen, Best, Steps) when length(Chosen) + 1 >= length(Best) ->
    {Best, Steps};
smaller(Owners, Chosen, Best, Steps) ->
    %% One of the sets with the rarest element must be chosen.
    {_, Rarest} = lists:min([{length(Of), Of} || Of <- Owners]),
    lists:foldl(
        fun(N, {BestYet, Left}) ->
            smaller(without(N, Owners), [N | Chosen], BestYet, max(0, Left - 1))
        end,
        {Best, Steps},
        Rarest
    ).
