%% Programs in the style of those that the field measures itself on, written for this bench.
-module(search_programs).

-export([rows/0, compare_any/1, compare_integers/1, sum_of_four/1, threshold/2]).

%% Name, call, depth, and what the reference tool needs at that depth on a machine of this kind:
%% seconds and solver calls. The lookup is made by the bench itself.
rows() ->
    [
        {"three-way comparison", {?MODULE, compare_any, [[17]]}, 25, 34.2, 314},
        {"the same with [integer()]", {?MODULE, compare_integers, [[17]]}, 25, 7.9, 71},
        {"four integers that sum to 42", {?MODULE, sum_of_four, [[]]}, 60, 18.8, 16},
        {"lookup of 250 clauses (its depth 3)", {search_lookup, lookup, [a, b, 1]}, 800, 62.6, 542},
        {"lookup of 250 clauses (its depth 25)", {search_lookup, lookup, [a, b, 1]}, 800, 257.0, 2465},
        {"X =:= 100000, X < 2 * Y", {?MODULE, threshold, [1, 1]}, 25, 3.1, 24},
        {"lists:nth/2", {lists, nth, [1, [a]]}, 25, 2.6, 20},
        {"calendar:day_of_the_week/3", {calendar, day_of_the_week, [2000, 1, 1]}, 50, 17.5, 68},
        {"orddict:append/3", {orddict, append, [k, v, []]}, 25, 77.0, 693},
        {"string:tokens/2", {string, tokens, ["a b", " "]}, 25, 91.0, 904}
    ].

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
