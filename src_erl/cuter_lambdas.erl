%% What tells the funs of a module from each other, on the VM: read from its beam file.
-module(cuter_lambdas).

-export([of_beam/1]).

-export_type([compiled/0]).

%% The MD5 of the code, and the functions that funs are made of. The arity of such a function counts
%% the variables that the fun has captured.
-type compiled() :: {
    Md5 :: <<_:128>>,
    [{Name :: atom(), arity(), Index :: non_neg_integer(), Uniq :: non_neg_integer()}]
}.

-define(NOTHING, {<<0:128>>, []}).

-spec of_beam(binary()) -> compiled().
of_beam(Beam) ->
    try {beam_lib:md5(Beam), beam_lib:chunks(Beam, [atoms, "FunT"], [allow_missing_chunks])} of
        {{ok, {_, Md5}}, {ok, {_, [{atoms, Atoms}, {"FunT", Funs}]}}} ->
            {Md5, lambdas(Funs, maps:from_list(Atoms))};
        _NoBeam ->
            ?NOTHING
    catch
        _:_ -> ?NOTHING
    end.

lambdas(missing_chunk, _Atoms) ->
    [];
lambdas(<<_Count:32, Entries/binary>>, Atoms) ->
    [
        {maps:get(Name, Atoms), Arity, Index, Uniq}
     || <<Name:32, Arity:32, _Label:32, Index:32, _Captured:32, Uniq:32>> <= Entries
    ].
