%% Functions of module `binary`, written again for symbolic arguments.
%%
%% The engine calls these in place of the built-in ones when an argument is symbolic: byte by byte,
%% with comparisons that can be solved. Reasons of exceptions are those of the built-in functions.
-module(cuter_prelude_binary).

-export([match/2, match/3]).

-type pattern() :: binary() | [binary()] | binary:cp().
-type part() :: {non_neg_integer(), integer()}.

-spec match(binary(), pattern()) -> part() | nomatch.
match(Subject, Pattern) ->
    match(Subject, Pattern, []).

-spec match(binary(), pattern(), list()) -> part() | nomatch.
match(Subject, Pattern, Options) ->
    {From, To} = window(Subject, scope(Options, none)),
    first(Subject, From, To, patterns(To, Pattern)).

%%% Searching

%% The first occurrence between two positions, of several at one place the longest.
first(_Subject, At, To, _Patterns) when At >= To ->
    nomatch;
first(Subject, At, To, Patterns) ->
    case longest(Subject, At, To, Patterns) of
        none -> first(Subject, At + 1, To, Patterns);
        Length -> {At, Length}
    end.

longest(_Subject, _At, _To, []) ->
    none;
longest(Subject, At, To, [Pattern | Patterns]) ->
    Size = byte_size(Pattern),
    case At + Size =< To andalso binary_part(Subject, At, Size) =:= Pattern of
        true -> Size;
        false -> longest(Subject, At, To, Patterns)
    end.

%%% Arguments

window(Subject, Scope) when is_binary(Subject) ->
    stretch(byte_size(Subject), Scope);
window(_Subject, _Scope) ->
    error(badarg).

stretch(Size, none) ->
    {0, Size};
stretch(Size, {At, Length}) when is_integer(At), is_integer(Length), Length >= 0 ->
    inside(Size, At, At + Length);
stretch(Size, {At, Length}) when is_integer(At), is_integer(Length) ->
    inside(Size, At + Length, At);
stretch(_Size, _Scope) ->
    error(badarg).

inside(Size, From, To) when From >= 0, To =< Size -> {From, To};
inside(_Size, _From, _To) -> error(badarg).

%% The last scope counts. Whatever ends the list of options ends it.
scope([{scope, {_At, _Length} = Scope} | Options], _Before) -> scope(Options, Scope);
scope([_Option | _Options], _Before) -> error(badarg);
scope([], Before) -> Before;
scope(_End, none) -> error(badarg);
scope(_End, Before) -> Before.

%% The patterns, the longest first. Where there is nothing to search in, nobody looks at them.
patterns(0, _Pattern) ->
    [];
patterns(_To, Pattern) when is_binary(Pattern) ->
    [not_empty(Pattern)];
patterns(To, {Kind, Patterns}) when Kind =:= bm; Kind =:= ac ->
    patterns(To, Patterns);
patterns(_To, [_ | _] = Patterns) ->
    lists:sort(fun(P1, P2) -> byte_size(P1) >= byte_size(P2) end, all_not_empty(Patterns));
patterns(_To, _Pattern) ->
    error(badarg).

all_not_empty([Pattern | Patterns]) -> [not_empty(Pattern) | all_not_empty(Patterns)];
all_not_empty([]) -> [];
all_not_empty(_End) -> error(badarg).

not_empty(Pattern) when is_binary(Pattern), Pattern =/= <<>> -> Pattern;
not_empty(_Pattern) -> error(badarg).
