%% Programs in the style of those that the field measures itself on, written for this bench.
-module(search_programs).

-export([rows/0, solver_bound/0, compare_any/1, compare_integers/1, sum_of_four/1, threshold/2]).
-export([squares/1, mixed/1]).

%% Name, call, depth, and what the reference tool needs at that depth on a machine of this kind:
%% seconds and solver calls. The lookup is made by the bench itself.
rows() ->
    [
        {"three-way comparison", {?MODULE, compare_any, [[17]]}, 25, 34.2, 314},
        {"the same with [integer()]", {?MODULE, compare_integers, [[17]]}, 25, 7.9, 71},
        {"four integers that sum to 42", {?MODULE, sum_of_four, [[]]}, 60, 18.8, 16},
        {"lookup of 250 clauses (depth 3)", {search_lookup, lookup, [a, b, 1]}, 800, 62.6, 542},
        {"lookup of 250 clauses (depth 25)", {search_lookup, lookup, [a, b, 1]}, 800, 257.0, 2465},
        {"X =:= 100000, X < 2 * Y", {?MODULE, threshold, [1, 1]}, 25, 3.1, 24},
        {"lists:nth/2", {lists, nth, [1, [a]]}, 25, 2.6, 20},
        {"calendar:day_of_the_week/3", {calendar, day_of_the_week, [2000, 1, 1]}, 50, 17.5, 68},
        {"orddict:append/3", {orddict, append, [k, v, []]}, 25, 77.0, 693},
        {"string:tokens/2", {string, tokens, ["a b", " "]}, 25, 91.0, 904}
    ].

%% Programs whose questions are hard: name, call, options.
solver_bound() ->
    [
        {"orddict:append/3", {orddict, append, [k, v, []]}, #{depth => 40, max_runs => 6000}},
        {"sums of squares", {?MODULE, squares, [[]]}, #{depth => 60, max_runs => 1500}},
        {"digits and masks", {?MODULE, mixed, [[]]}, #{depth => 40, max_runs => 500}}
    ].

-spec squares([integer()]) -> integer().
squares(List) -> squares(List, 0, 0).

squares([X, Y | Rest], Sum, N) when N < 8 ->
    case X * X + Y * Y + Sum of
        25 when X > Y -> squares(Rest, 1, N + 1);
        S when S rem 7 =:= 3, X - Y > 2 -> squares(Rest, 2, N + 1);
        S when S > 100, X + 2 * Y =:= 31 -> squares(Rest, 3, N + 1);
        _ -> squares(Rest, 0, N + 1)
    end;
squares(_, Sum, _) ->
    Sum.

-spec mixed([non_neg_integer()]) -> integer().
mixed(List) -> mixed(List, 0, 0).

mixed([X, Y | Rest], Sum, N) when N < 8, X < 65536, Y < 65536 ->
    case {(X bxor 16#5A5A) rem 100, X div 10 + Y div 7} of
        {42, S} when S > Sum -> mixed(Rest, 1, N + 1);
        {D, S} when D > 50, S rem 11 =:= 4 -> mixed(Rest, 2, N + 1);
        _ -> mixed(Rest, 0, N + 1)
    end;
mixed(_, Sum, _) ->
    Sum.

compare_any(List) ->
    each(List).

-spec compare_integers([integer()]) -> ok.
compare_integers(List) ->
    each(List).

each([]) ->
    ok;
each([X | Rest]) ->
    case compare(X) of
        above -> each(Rest);
        below -> each(Rest)
    end.

compare(X) when X > 42 -> above;
compare(42) -> same;
compare(X) when X < 42 -> below.

-spec sum_of_four([integer()]) -> ok.
sum_of_four(List) when length(List) >= 4 ->
    case lists:sum(List) of
        42 -> error(found);
        _ -> ok
    end;
sum_of_four(_List) ->
    ok.

-spec threshold(integer(), integer()) -> ok.
threshold(X, Y) when X =:= 100000, X < 2 * Y -> error(found);
threshold(_X, _Y) -> ok.
