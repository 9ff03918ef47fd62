%% How large a term is when it is written or sent.
%%
%% A term of some words can stand for one of any size, because parts are shared: what is sent to
%% another process, or is the reason of an exit, is copied part by part. The VM cannot be stopped
%% while it does that, so terms that native code has made are looked at first.
-module(cuter_extent).

-export([is_moderate/1, told/1]).

%% Parts. Some hundred MB, or about a second to look at.
-define(MOST, 16000000).

%% Whether a term can be copied in moderate time and space.
-spec is_moderate(term()) -> boolean().
is_moderate(Term) ->
    is_within([Term], ?MOST).

%% The reason of an exit that tells something. What is too large to be told is as if it had been too
%% large to be made.
-spec told(term()) -> term().
told(Reason) ->
    case is_moderate(Reason) of
        true -> Reason;
        false -> killed
    end.

is_within([], _Left) ->
    true;
is_within(_Terms, Left) when Left =< 0 ->
    false;
is_within([[Head | Tail] | Terms], Left) ->
    is_within([Head, Tail | Terms], Left - 1);
is_within([Term | Terms], Left) when is_tuple(Term), tuple_size(Term) =< Left ->
    is_within(tuple_to_list(Term) ++ Terms, Left - 1);
is_within([Term | Terms], Left) when is_map(Term), map_size(Term) =< Left ->
    is_within([maps:values(Term), maps:keys(Term) | Terms], Left - 1);
is_within([Term | Terms], Left) when is_function(Term) ->
    {env, Captured} = erlang:fun_info(Term, env),
    is_within([Captured | Terms], Left - 1);
is_within([Term | _Terms], _Left) when is_tuple(Term); is_map(Term) ->
    false;
is_within([_Term | Terms], Left) ->
    is_within(Terms, Left - 1).
