%% The order of the keys of maps, which only the BEAM knows: the engine asks for it.
-module(cuter_maps).

-export([order/2]).

-export_type([kind/0]).

%% The functions that show an order, which need not be the same: `maps:keys/1` and `maps:values/1`,
%% `maps:to_list/1`, and those that go by an iterator.
-type kind() :: keys | to_list | iterator.

%% The positions, from 0, of these keys of a map in the order in which the map has them.
-spec order(kind(), [term()]) -> [non_neg_integer()].
order(Kind, Keys) ->
    Positions = lists:seq(0, length(Keys) - 1),
    values(Kind, maps:from_list(lists:zip(Keys, Positions))).

values(keys, Map) -> maps:values(Map);
values(to_list, Map) -> [Position || {_Key, Position} <- maps:to_list(Map)];
values(iterator, Map) -> lists:reverse(maps:fold(fun prepend/3, [], Map)).

prepend(_Key, Position, Positions) -> [Position | Positions].
