%% References that stand for something outside of terms: a zlib stream, the state of a hash.
%%
%% What such a reference stands for is gone with the last copy that the VM knows of. The engine has
%% its terms in external format, of which the VM knows nothing: so the host process of a run holds
%% on to the references that native code has returned to it.
-module(cuter_references).

-export([of_term/2]).

-define(NEWER_REFERENCE_EXT, 90).

%% The references in a term, of which the external format is given, too: where the tag of one does
%% not occur in that, the term need not be looked at.
-spec of_term(term(), binary()) -> [reference()].
of_term(Term, Encoded) ->
    case binary:match(Encoded, <<?NEWER_REFERENCE_EXT>>) of
        nomatch -> [];
        _Maybe -> collect(Term, [])
    end.

collect(Reference, Found) when is_reference(Reference) -> [Reference | Found];
collect([Head | Tail], Found) -> collect(Tail, collect(Head, Found));
collect(Tuple, Found) when is_tuple(Tuple) -> collect(tuple_to_list(Tuple), Found);
collect(Map, Found) when is_map(Map) -> collect(maps:to_list(Map), Found);
collect(Fun, Found) when is_function(Fun) -> collect(erlang:fun_info(Fun, env), Found);
collect(_Other, Found) -> Found.
