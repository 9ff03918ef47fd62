%% Gives a discount on large orders.
%%
%% What is wrong: exactly one amount, together with a limit of more than half of it, is not handled.
%% Random testing has no chance to find `Amount =:= 100000, Amount < 2 * Limit`.
%% The seed is order(1, 1).
-module(demo_threshold).

-export([order/2]).

order(Amount, Limit) when is_integer(Amount), is_integer(Limit) ->
    Twice = double(Limit),
    case Amount of
        100000 -> large(Amount, Twice);
        _ -> Amount
    end;
order(_Amount, _Limit) ->
    not_an_order.

large(Amount, Twice) when Amount < Twice -> error(limit_too_high);
large(Amount, _Twice) -> Amount - Amount div 10.

double(X) -> 2 * X.
