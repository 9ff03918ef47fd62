%% Which last calls the compiler makes one of.
%%
%% Where both sides of a branch, or several of a switch, end in the same call with the same
%% arguments, the compiler keeps one of them, whatever the line of the others is (`beam_ssa_share`).
%% Which one it keeps is seen by running that pass on code with a number for each node in place of
%% its line (`cuter_numbered`): a branch that went to one block goes to another one afterwards. The
%% records are those of the compiler's intermediate code; where it has another form, nothing is
%% told.
-module(cuter_joined).

-export([calls/2]).

-export_type([calls/0]).

%% The number of the call that is made in place of another one, by the number of that.
-type calls() :: #{pos_integer() => pos_integer()}.
-type label() :: non_neg_integer().
-type blocks() :: #{label() => tuple()}.

-spec calls(cerl:c_module(), [compile:option()]) -> calls().
calls(Core, Options) ->
    try
        Run = fun(Pass, Code) -> run(Pass, Code, Options) end,
        Before = lists:foldl(Run, Core, passes(Options)),
        After = Run(beam_ssa_share, Before),
        Pairs = lists:zip(functions(Before), functions(After)),
        Joined = lists:flatmap(fun({F, G}) -> joined(blocks(F), blocks(G)) end, Pairs),
        settled(maps:from_list(Joined))
    catch
        _:_ -> #{}
    end.

passes(Options) ->
    [sys_core_bsm | to_ssa()] ++
        case proplists:get_bool(no_bool_opt, Options) of
            true -> [];
            false -> [beam_ssa_bool]
        end.

%% Up to OTP 26 there is a language in between.
to_ssa() ->
    case code:ensure_loaded(beam_core_to_ssa) of
        {module, Pass} -> [Pass];
        {error, _} -> [v3_kernel, beam_kernel_to_ssa]
    end.

run(Pass, Code, Options) ->
    %% Some give warnings, too.
    element(2, Pass:module(Code, Options)).

functions({b_module, _, _, _, _, Functions}) -> Functions.

-spec blocks(tuple()) -> blocks().
blocks({b_function, _Annotation, _Args, Blocks, _Count}) -> Blocks.

%% The calls of blocks that are not gone to any more, with those that are made instead.
-spec joined(blocks(), blocks()) -> [{pos_integer(), pos_integer()}].
joined(Before, After) ->
    [
        Pair
     || {Label, Block} <- maps:to_list(After),
        {Old, New} <- redirected(last(maps:get(Label, Before)), last(Block)),
        Pair <- pairs(numbers(Old, Before), numbers(New, Before))
    ].

last({b_blk, _Annotation, _Instructions, Last}) -> Last.

redirected(Last, Last) ->
    [];
redirected(Before, {b_br, _, {b_literal, true}, New, _}) ->
    [{Old, New} || {_, Old} <- targets(Before)];
redirected(Before, After) ->
    News = maps:from_list(targets(After)),
    [{Old, New} || {Key, Old} <- targets(Before), {ok, New} <- [maps:find(Key, News)], New =/= Old].

targets({b_br, _, _, True, False}) -> [{true, True}, {false, False}];
targets({b_switch, _, _, Fail, List}) -> [{none, Fail} | List];
targets(_Return) -> [].

pairs(Olds, News) when length(Olds) =:= length(News) ->
    [Pair || {Old, New} = Pair <- lists:zip(Olds, News), Old =/= New];
pairs(_Olds, _News) ->
    [].

%% The numbers of the calls from a block to the end of the function, if nothing branches there.
numbers(Label, Blocks) ->
    numbers(Label, Blocks, []).

numbers(Label, Blocks, Seen) ->
    {b_blk, _, Instructions, Last} = maps:get(Label, Blocks),
    Here = [Number || {b_set, #{location := {_, Number}}, _, call, _} <- Instructions],
    case next(Instructions, Last) of
        Next when is_integer(Next) ->
            case lists:member(Next, Seen) of
                true -> [];
                false -> Here ++ numbers(Next, Blocks, [Label | Seen])
            end;
        none ->
            Here
    end.

next(_Instructions, {b_br, _, {b_literal, true}, Next, _}) ->
    Next;
next(Instructions, {b_br, _, Bool, Next, _}) ->
    case Instructions =/= [] andalso lists:last(Instructions) of
        {b_set, _, Bool, {succeeded, _}, _} -> Next;
        _ -> none
    end;
next(_Instructions, _Last) ->
    none.

%% One may have been joined with what was joined itself.
settled(Joined) ->
    maps:map(fun(Old, New) -> settle(New, [Old], Joined) end, Joined).

settle(Number, Seen, Joined) ->
    case Joined of
        #{Number := Next} ->
            case lists:member(Next, Seen) of
                true -> Number;
                false -> settle(Next, [Number | Seen], Joined)
            end;
        #{} ->
            Number
    end.
