%% Few inputs that cover as much as many.
-module(cuter_cover_set).

-export([smallest/1]).

-type covering() :: #{input := [term()], clauses := [term()], _ => _}.

%% Takes the input that covers most of what is not covered yet, again and again; of equal ones the
%% smallest. Not always the least possible number, but never far from it, and the same every time.
-spec smallest([covering()]) -> [[term()]].
smallest(Inputs) ->
    Ordered = lists:sort(
        fun(A, B) -> weight(A) =< weight(B) end,
        [Input#{clauses := lists:usort(Clauses)} || #{clauses := Clauses} = Input <- Inputs]
    ),
    take(Ordered, ordsets:union([Clauses || #{clauses := Clauses} <- Ordered])).

weight(#{input := Args}) ->
    {erlang:external_size(Args), Args}.

take(_Inputs, []) ->
    [];
take(Inputs, Missing) ->
    Gains = [{length(ordsets:intersection(Clauses, Missing)), Input}
             || #{clauses := Clauses} = Input <- Inputs],
    Most = lists:max([Gain || {Gain, _} <- Gains]),
    {_, #{input := Args, clauses := Clauses}} = lists:keyfind(Most, 1, Gains),
    [Args | take(Inputs, ordsets:subtract(Missing, Clauses))].
