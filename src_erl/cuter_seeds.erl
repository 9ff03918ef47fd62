%% What a function is explored from, as the user says it.
%%
%% Either the arguments of one call, or `{seeds, [Arguments]}`, or the number of arguments alone:
%% then the first input is made from the spec. A list can also be one of seeds: where the function
%% does not take as many arguments as the list is long, but as many as each of its elements is.
-module(cuter_seeds).

-export([read/2, format_error/1]).

-export_type([given/0, seeds/0, description/0]).

-type given() :: [term()] | arity() | {seeds, seeds()}.
-type seeds() :: [[term()]].
-type description() :: {not_seeds, term()} | no_seed | {not_arguments, term()}.

%% The number of arguments, and the seeds. `Arities` are those of the functions of that name.
%% `{args, Arguments}` is one call, whatever there is.
-spec read(given() | {args, [term()]}, [arity()]) ->
    {ok, arity(), seeds()} | {error, {?MODULE, description()}}.
read(Arity, _Arities) when is_integer(Arity), Arity >= 0, Arity =< 255 ->
    {ok, Arity, []};
read({seeds, []}, _Arities) ->
    failed(no_seed);
read({seeds, Seeds}, _Arities) ->
    case common_length(Seeds) of
        {ok, Arity} -> {ok, Arity, Seeds};
        error -> failed({not_seeds, Seeds})
    end;
read({args, Args}, _Arities) ->
    one_call(Args);
read(List, Arities) ->
    case {one_call(List), common_length(List)} of
        {{ok, Length, _} = Call, {ok, Arity}} -> choose(Call, Length, {ok, Arity, List}, Arities);
        {CallOrError, _} -> CallOrError
    end.

one_call(Args) ->
    try length(Args) of
        Arity -> {ok, Arity, [Args]}
    catch
        error:badarg -> failed({not_arguments, Args})
    end.

choose(Call, Length, {ok, Arity, _} = Seeds, Arities) ->
    case {lists:member(Length, Arities), lists:member(Arity, Arities)} of
        {false, true} -> Seeds;
        _ -> Call
    end.

%% The length that all elements of a list have.
common_length([First | _] = Lists) ->
    try {length(First), lists:usort([length(List) || List <- Lists])} of
        {Length, [Length]} -> {ok, Length};
        _ -> error
    catch
        error:_ -> error
    end;
common_length(_Other) ->
    error.

failed(Description) ->
    {error, {?MODULE, Description}}.

-spec format_error(description()) -> iolist().
format_error({not_seeds, Seeds}) ->
    io_lib:format(
        "Seeds are a list of lists of arguments, all of the same length, not ~ts.",
        [cuter_text:given(Seeds)]
    );
format_error(no_seed) ->
    "There is no seed in {seeds, []}; give the number of arguments instead.";
format_error({not_arguments, Args}) ->
    io_lib:format(
        "The arguments must be a list, with one element for each, or their number, not ~ts.",
        [cuter_text:given(Args)]
    ).
