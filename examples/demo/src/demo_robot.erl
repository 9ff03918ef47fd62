%% A robot looks for a way to the lower right corner of a grid of 8 by 8 squares.
%%
%% It searches depth first, and tries in this order: right, down, up, left. Squares are {X, Y}, with
%% {1, 1} in the upper left corner. The answer is the squares it has seen, by name: "a1" to "h8".
%%
%% What is wrong: on_grid/1 does not check the left edge. If obstacles leave the robot no
%% other way while it stands in column 1, it walks out of the grid, and column/1 has no name for a
%% column below 1. From the seed walk({3, 3}, [{5, 4}, {6, 6}]) nothing of this happens.
-module(demo_robot).

-export([walk/2]).

-define(SIZE, 8).

walk({X, Y} = Start, Obstacles) when
    is_integer(X), X >= 1, X =< ?SIZE, is_integer(Y), Y >= 1, Y =< ?SIZE
->
    Seen = search([Start], Obstacles, [], ?SIZE * ?SIZE),
    names(Seen, []);
walk(_Start, _Obstacles) ->
    not_on_the_grid.

%% The squares seen, the last one first. No search sees more squares than the grid has.
search([], _Obstacles, Seen, _Left) ->
    Seen;
search(_Open, _Obstacles, Seen, 0) ->
    Seen;
search([{?SIZE, ?SIZE} | _Open], _Obstacles, Seen, _Left) ->
    [{?SIZE, ?SIZE} | Seen];
search([Square | Open], Obstacles, Seen, Left) ->
    case can_enter(Square, Obstacles, Seen) of
        true -> search(neighbours(Square) ++ Open, Obstacles, [Square | Seen], Left - 1);
        false -> search(Open, Obstacles, Seen, Left)
    end.

neighbours({X, Y}) ->
    [{X + 1, Y}, {X, Y + 1}, {X, Y - 1}, {X - 1, Y}].

can_enter(Square, Obstacles, Seen) ->
    on_grid(Square) andalso not is_in(Square, Obstacles) andalso not is_in(Square, Seen).

on_grid({X, Y}) ->
    X =< ?SIZE andalso Y >= 1 andalso Y =< ?SIZE.

is_in(Square, [Square | _]) -> true;
is_in(Square, [_ | Squares]) -> is_in(Square, Squares);
is_in(_Square, _) -> false.

names([], Names) -> Names;
names([{X, Y} | Squares], Names) -> names(Squares, [[column(X), row(Y)] | Names]).

column(X) when X >= 1, X =< ?SIZE -> $a + X - 1.

row(Y) -> $0 + Y.
