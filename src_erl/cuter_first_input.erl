%% What a function is explored from where the user did not say it.
-module(cuter_first_input).

-export([choose/3]).

%% The seeds, if there are any; the arity alone, if a spec says what the arguments are; else simple
%% terms of several kinds, from which the engine goes on.
-spec choose(mfa(), Seeds :: [[term()]], cuter_options:options()) -> cuter_seeds:given().
choose(_Mfa, [_ | _] = Seeds, _Options) ->
    {seeds, Seeds};
choose({_, _, 0}, [], _Options) ->
    [];
choose({_, _, Arity} = Mfa, [], Options) ->
    case has_types(Mfa, Options) of
        true -> Arity;
        false -> {seeds, [lists:duplicate(Arity, Term) || Term <- [0, [], a]]}
    end.

%% A spec that cannot be read has its error reported when the function is explored.
has_types(_Mfa, #{ignore_specs := true}) -> false;
has_types({Module, Function, Arity}, _Options) ->
    cuter_spec:signature(Module, Function, Arity) =/= none.
