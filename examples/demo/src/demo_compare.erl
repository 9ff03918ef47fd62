%% Sorts the elements of a list into those above and those below 42.
%%
%% What is wrong: the elements are not always above or below.
%%   - 42 compares as `equal`, which check/1 does not expect;
%%   - 42.0 is neither above, nor below, nor the integer 42: compare/1 has no clause for it;
%%   - a term that is not a proper list has no clause in check/1.
%% From the seed check([17]) there are these three failures and no other.
-module(demo_compare).

-export([check/1]).

check([]) ->
    ok;
check([X | Xs]) ->
    case compare(X) of
        above -> check(Xs);
        below -> check(Xs)
    end.

compare(X) when X > 42 -> above;
compare(42) -> equal;
compare(X) when X < 42 -> below.
