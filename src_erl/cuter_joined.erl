%% Compiles Core Erlang with numbers in place of lines (`cuter_numbered`), and tells which code the
%% compiler makes one of.
%%
%% Where both sides of a branch, or several of a switch, end in the same code, the compiler keeps
%% one of them (`beam_ssa_share`): if their lines are the same, or if they are last calls, whatever
%% their lines are. What it finds out about types depends on that. So the passes over intermediate
%% code are given lines, with the numbers beside them, which they do not look at; what generates
%% code is given numbers. Which code is kept is seen by where a branch went before and goes
%% afterwards. The records are those of that code; where it has another form, nothing is told.
-module(cuter_joined).

-export([compiled/3]).

-export_type([calls/0]).

%% The number of what is done in place of something else, by the number of that.
-type calls() :: #{pos_integer() => pos_integer()}.
-type label() :: non_neg_integer().
-type blocks() :: #{label() => tuple()}.

-spec compiled(cerl:c_module(), #{pos_integer() => non_neg_integer()}, [compile:option()]) ->
    {ok, binary(), calls()} | none.
compiled(Core, Lines, Options) ->
    Run = fun(Pass, Code) -> run(Pass, Code, Options) end,
    try
        Before = with_lines(lists:foldl(Run, Core, earlier_passes(Options)), Lines),
        After = lists:foldl(Run, Before, wanted([{no_share_opt, beam_ssa_share}], Options)),
        Optimised = lists:foldl(Run, After, later_passes(Options)),
        Assembly = lists:foldl(Run, with_numbers(Optimised), [
            beam_ssa_pre_codegen, beam_ssa_codegen
        ]),
        {ok, _Module, Beam} = compile:noenv_forms(Assembly, [from_asm, binary | Options]),
        {ok, Beam, settled(joined(Before, After), lost(After, Optimised))}
    catch
        _:_ -> none
    end.

earlier_passes(Options) ->
    [sys_core_bsm | to_ssa()] ++ wanted([{no_bool_opt, beam_ssa_bool}], Options).

later_passes(Options) ->
    Optional = [
        {no_recv_opt, beam_ssa_recv},
        {no_bsm_opt, beam_ssa_bsm},
        {no_ssa_opt, beam_ssa_opt},
        {no_throw_opt, beam_ssa_throw}
    ],
    wanted(Optional, Options).

wanted(Passes, Options) ->
    [Pass || {Without, Pass} <- Passes, not proplists:get_bool(Without, Options)].

%% Up to OTP 26 there is a language in between.
to_ssa() ->
    case code:ensure_loaded(beam_core_to_ssa) of
        {module, Pass} -> [Pass];
        {error, _} -> [v3_kernel, beam_kernel_to_ssa]
    end.

run(Pass, Code, Options) ->
    %% Some give warnings, too.
    element(2, Pass:module(Code, Options)).

with_lines(Module, Lines) ->
    annotated(Module, fun
        (#{location := {File, Number}} = Annotation) ->
            Annotation#{location := {File, maps:get(Number, Lines, 0)}, ?MODULE => Number};
        (Annotation) ->
            Annotation
    end).

with_numbers(Module) ->
    annotated(Module, fun
        (#{location := {File, _Line}, ?MODULE := Number} = Annotation) ->
            maps:remove(?MODULE, Annotation#{location := {File, Number}});
        (Annotation) ->
            maps:without([location, ?MODULE], Annotation)
    end).

%% The module with other annotations of its instructions.
annotated(Module, Annotate) ->
    Instruction = fun(Set) -> setelement(2, Set, Annotate(element(2, Set))) end,
    Block = fun(_Label, {b_blk, Annotation, Instructions, Last}) ->
        {b_blk, Annotation, lists:map(Instruction, Instructions), Last}
    end,
    Functions = [
        setelement(4, Function, maps:map(Block, blocks(Function)))
     || Function <- functions(Module)
    ],
    setelement(6, Module, Functions).

functions({b_module, _, _, _, _, Functions}) -> Functions.

-spec blocks(tuple()) -> blocks().
blocks({b_function, _Annotation, _Args, Blocks, _Count}) -> Blocks.

%% What blocks do that are not gone to any more, with what is done instead.
joined(Before, After) ->
    Functions = lists:zip(functions(Before), functions(After)),
    Pairs = lists:flatmap(fun({F, G}) -> joined_blocks(blocks(F), blocks(G)) end, Functions),
    maps:from_list([Pair || {Old, New} = Pair <- Pairs, Old =/= New]).

-spec joined_blocks(blocks(), blocks()) -> [{pos_integer(), pos_integer()}].
joined_blocks(Before, After) ->
    [
        Pair
     || {Label, Block} <- maps:to_list(After),
        {Old, New} <- redirected(last(maps:get(Label, Before)), last(Block)),
        Pair <- pairs(Old, New, Before, [])
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

%% Block by block to the end of the function.
pairs(Before, After, Blocks, Seen) ->
    case {passed(Before, Blocks), passed(After, Blocks)} of
        {Same, Same} ->
            [];
        {Old, New} = Labels ->
            {b_blk, _, Olds, OldLast} = maps:get(Old, Blocks),
            {b_blk, _, News, NewLast} = maps:get(New, Blocks),
            Next = next(targets(OldLast), targets(NewLast)),
            IsNew = not lists:member(Labels, Seen),
            case {numbers(Olds), numbers(News)} of
                {From, To} when IsNew, length(From) =:= length(To) ->
                    lists:zip(From, To) ++
                        [P || {O, N} <- Next, P <- pairs(O, N, Blocks, [Labels | Seen])];
                {_, _} ->
                    []
            end
    end.

%% Where a jump to a block leads that does nothing else than to jump.
passed(Label, Blocks) ->
    case Blocks of
        #{Label := {b_blk, _, [], {b_br, _, {b_literal, true}, Next, _}}} -> passed(Next, Blocks);
        #{} -> Label
    end.

numbers(Instructions) ->
    [Number || {b_set, #{?MODULE := Number}, _, _, _} <- Instructions].

next(Olds, News) ->
    [{Old, New} || {Key, Old} <- Olds, {K, New} <- News, K =:= Key].

%% Later passes join what has become equal: sides of a branch, none of which leads to the other.
%% What is not there any more and was not joined is never reached.
lost(Before, After) ->
    Kept = maps:from_list([{number(Done), []} || F <- functions(After), Done <- done(F)]),
    maps:from_list([
        Pair
     || Function <- functions(Before),
        {_Deed, Done} <- maps:to_list(by_deed(done(Function))),
        Pair <- sides(lists:partition(fun(D) -> is_map_key(number(D), Kept) end, Done), Function)
    ]).

sides({[_ | _] = Kept, Lost}, Function) ->
    Blocks = blocks(Function),
    Beside = [{[number(K) || K <- Kept, is_beside(K, L, Blocks)], number(L)} || L <- Lost],
    lists:append([
        in_turn([L || {Ks, L} <- Beside, Ks =:= Others], Others)
     || Others <- lists:usort([Ks || {Ks, _} <- Beside])
    ]);
sides({[], _Lost}, _Function) ->
    [].

is_beside({One, _}, {Other, _}, Blocks) ->
    not leads(One, Other, Blocks) andalso not leads(Other, One, Blocks).

%% In the order in which they are done.
in_turn(Lost, Kept) when Kept =/= [], length(Lost) rem length(Kept) =:= 0 ->
    Rounds = lists:append(lists:duplicate(length(Lost) div length(Kept), Kept)),
    lists:zip(Lost, Rounds);
in_turn(_Lost, _Kept) ->
    [].

leads(From, To, Blocks) ->
    is_map_key(To, reached([From], Blocks, #{})).

reached([], _Blocks, Seen) ->
    Seen;
reached([Label | Labels], Blocks, Seen) when is_map_key(Label, Seen) ->
    reached(Labels, Blocks, Seen);
reached([Label | Labels], Blocks, Seen) ->
    Next = [To || {_, To} <- targets(last(maps:get(Label, Blocks)))],
    reached(Next ++ Labels, Blocks, Seen#{Label => []}).

%% What a function does: where, by which number, in which line and in which way.
done({b_function, _, _, Blocks, _}) ->
    lists:usort([
        {Number, Label, {Location, deed(Operation, Args)}}
     || {Label, {b_blk, _, Instructions, _}} <- maps:to_list(Blocks),
        {b_set, #{location := Location, ?MODULE := Number}, _, Operation, Args} <- Instructions
    ]).

by_deed(Done) ->
    lists:foldr(
        fun({Number, Label, Deed}, All) ->
            Item = {Label, Number},
            maps:update_with(Deed, fun(Others) -> [Item | Others] end, [Item], All)
        end,
        #{},
        Done
    ).

number({_Label, Number}) -> Number;
number({Number, _Label, _Deed}) -> Number.

deed(call, [{b_local, _, _} = Callee | _]) -> {call, Callee};
deed(call, [{b_remote, _, _, _} = Callee | _]) -> {call, Callee};
deed(Operation, _Args) -> Operation.

%% One may have been joined with what was joined itself. What is joined where one branch leads, and
%% is still there for another one, may be what others are joined with later.
settled(First, Later) ->
    Joined = maps:merge(maps:without(maps:values(Later), First), Later),
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
