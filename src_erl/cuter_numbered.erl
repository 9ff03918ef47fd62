%% A module compiled once more, with a number of its own for each node in place of the line.
%%
%% Where a line does the same several times, lines do not tell what the compiler has made of which.
%% Numbers do: what carries a node's number in the instructions was made of that node. The compiler
%% goes on from the Core Erlang at hand, so only its later passes run again. They take several
%% times as long as the earlier ones, so this is done for modules that need it alone.
%%
%% What the compiler makes here counts only if it is what the beam file has, lines for numbers. It
%% may differ if another release built that file, and where the compiler made one of equal code at
%% equal lines.
-module(cuter_numbered).

-export([compiled/3, restored/2]).

-export_type([original/0]).

%% The lines by their numbers.
-type lines() :: #{pos_integer() => non_neg_integer()}.
%% What stands for numbers in the beam file, and for names that are not there.
-opaque original() :: {lines(), #{atom() => atom()}}.

%% For what stands in no line.
-define(NOWHERE, 1 bsl 27).

-record(numbering, {
    next = 1 :: pos_integer(),
    lines = #{} :: lines(),
    %% The functions of the module with their lines. A failed match of all clauses has the number
    %% of its function, by which the compiler recognises that.
    functions = #{} :: #{{{atom(), arity()}, Line :: pos_integer()} => pos_integer()},
    %% Number and line of the functions around a node, the innermost first.
    around = [] :: [{pos_integer(), pos_integer()} | none],
    %% Where the numbers of funs with a name begin. What is done after `try` is there twice, and the
    %% compiler makes one function of a fun and its copy: they have the same numbers.
    names = #{} :: #{atom() => pos_integer()},
    %% How far numbers had come when the funs around a node began.
    outside = [] :: [pos_integer()]
}).

%% In the tree that is made of it, lines are `{numbered, Number}`.
-spec compiled(cerl:c_module(), [compile:option()], cuter_assembly:functions()) ->
    {ok, cerl:c_module(), cuter_assembly:functions(), cuter_joined:calls(), original()} | none.
compiled(Core, Options, Assembly) ->
    {Numbered, Lines} = numbered(Core),
    Ways = [
        fun() -> cuter_joined:compiled(Numbered, Lines, Options) end,
        fun() -> at_once(Numbered, Options) end
    ],
    compiled_again(Ways, Numbered, Lines, Assembly).

compiled_again([Way | Ways], Numbered, Lines, Assembly) ->
    case again(Way(), Lines, Assembly) of
        {ok, Again, Joined} ->
            {One, Others} = one_number(Joined, Lines),
            Settled = [with_settled(Function, One) || Function <- Again],
            Names = names(Again, Lines, Assembly),
            {ok, settled(Numbered, One), Settled, Others, {Lines, Names}};
        none ->
            compiled_again(Ways, Numbered, Lines, Assembly)
    end;
compiled_again([], _Numbered, _Lines, _Assembly) ->
    none.

again({ok, Beam, Joined}, Lines, Assembly) ->
    Again = cuter_assembly:functions(Beam, Lines),
    case is_same(Again, Lines, Assembly) of
        true -> {ok, Again, Joined};
        false -> none
    end;
again(none, _Lines, _Assembly) ->
    none.

%% With numbers in all passes.
at_once(Numbered, Options) ->
    Later = [from_core, no_core_prepare, no_copt, binary, return_errors | Options],
    try compile:noenv_forms(Numbered, Later) of
        {ok, _Module, Beam} when is_binary(Beam) -> {ok, Beam, #{}};
        _ -> none
    catch
        _:_ -> none
    end.

%% What the compiler makes one of has one number, if its lines are the same.
one_number(Joined, Lines) ->
    IsSame = fun(Old, New) -> line(Old, Lines) =:= line(New, Lines) end,
    {maps:filter(IsSame, Joined), maps:filter(fun(Old, New) -> not IsSame(Old, New) end, Joined)}.

settled(Core, One) when map_size(One) =:= 0 ->
    Core;
settled(Core, One) ->
    cerl_trees:map(
        fun(Node) ->
            case lists:keyfind(numbered, 1, cerl:get_ann(Node)) of
                {numbered, Number} when is_map_key(Number, One) ->
                    Annotations = lists:keydelete(numbered, 1, cerl:get_ann(Node)),
                    with_number(cerl:set_ann(Node, Annotations), maps:get(Number, One));
                _ ->
                    Node
            end
        end,
        Core
    ).

with_settled({Name, Arity, Line, Events}, One) ->
    Settled = fun(Event) ->
        Number = element(2, Event),
        setelement(2, Event, maps:get(Number, One, Number))
    end,
    {Name, Arity, Line, lists:map(Settled, Events)}.

%% The tree with lines again.
-spec restored(cuter_ast:module_tree(), original()) -> cuter_ast:module_tree().
restored({cuter_module, Version, Module, Files, Exports, Functions, Specs}, Original) ->
    Restored = [{Name, Arity, File, restore(F, Original)} || {Name, Arity, File, F} <- Functions],
    {cuter_module, Version, Module, Files, Exports, Restored, Specs}.

%% What is in a literal is no tree.
restore({lit, _} = Literal, _Original) ->
    Literal;
restore({numbered, Number}, {Lines, _}) ->
    line(Number, Lines);
restore({by, Name, How}, {_, Names}) when is_atom(Name), is_atom(How) ->
    {by, maps:get(Name, Names, Name), How};
restore(Tree, Original) when is_tuple(Tree) ->
    list_to_tuple(restore(tuple_to_list(Tree), Original));
restore([Tree | Trees], Original) ->
    [restore(Tree, Original) | restore(Trees, Original)];
restore(Other, _Original) ->
    Other.

%%% The same code. What the compiler has made one of is there once in one of them and several times
%%% in the other, and the last calls of functions by name have no lines of their own. Functions that
%%% raise for others are compared by where they begin.

%% What is shown elsewhere depends on the order of the code, which equal code has a part in; so does
%% the line where a function waits.
is_same(Numbered, Lines, Assembly) ->
    comparable(Numbered, Lines) =:= comparable(Assembly, none).

comparable(Functions, Lines) ->
    Begins = begins(Functions, Lines),
    [
        {Name, Arity, line(Line, Lines), comparable_events(Events, Lines, Begins)}
     || {Name, Arity, Line, Events} <- Functions, not is_map_key({Name, Arity}, Begins)
    ].

comparable_events(Events, Lines, Begins) ->
    lists:usort([event(E, Lines, Begins) || E <- Events, is_compared(E)]).

is_compared({shown, _, _}) -> false;
is_compared({behind, _, _}) -> false;
is_compared({fail, _, timeout_value}) -> false;
is_compared(_Event) -> true.

event({Kind, _, {local, Name, Arity}}, _Lines, Begins) when is_map_key({Name, Arity}, Begins) ->
    {Kind, raising, maps:get({Name, Arity}, Begins), Arity};
event({last, _, {local, _, _} = Callee}, _Lines, _Begins) ->
    {last, Callee};
event({Kind, Line, What}, Lines, _Begins) ->
    {Kind, line(Line, Lines), What}.

%% The lines of the functions that raise for others.
begins(Functions, Lines) ->
    maps:from_list([
        {{Name, Arity}, line(Line, Lines)}
     || {Name, Arity, Line, _} <- Functions, cuter_unseen:is_raising(Name)
    ]).

line(Line, none) -> Line;
line(Number, Lines) -> maps:get(Number, Lines, 0).

%% Where one function raises for several funs of a line, all have its name.
names(Numbered, Lines, Assembly) ->
    Real = begins(Assembly, none),
    Again = begins(Numbered, Lines),
    Called = maps:from_list([{{F, A}, raising(Events, Real)} || {F, A, _, Events} <- Assembly]),
    maps:from_list([
        {Name, First}
     || {F, A, _, Events} <- Numbered,
        {Name, Place} <- raising(Events, Again),
        not is_map_key({Name, element(2, Place)}, Real),
        First <- lists:sublist([N || {N, P} <- maps:get({F, A}, Called), P =:= Place], 1)
    ]).

%% The functions that raise, with their lines and arities.
raising(Events, Begins) ->
    [
        {Name, {maps:get({Name, Arity}, Begins), Arity}}
     || {_, _, {local, Name, Arity}} <- Events, is_map_key({Name, Arity}, Begins)
    ].

%%% Numbers

numbered(Core) ->
    {Definitions, S} = lists:mapfoldl(fun definition/2, #numbering{}, cerl:module_defs(Core)),
    {NumberedDefinitions, Last} = lists:mapfoldl(
        fun({Var, Fun}, S1) ->
            {Numbered, S2} = cerl_trees:mapfold(fun enter/2, fun leave/2, S1, Fun),
            {{Var, Numbered}, S2}
        end,
        S,
        Definitions
    ),
    Numbered = cerl:update_c_module(
        Core,
        cerl:module_name(Core),
        cerl:module_exports(Core),
        cerl:module_attrs(Core),
        NumberedDefinitions
    ),
    {Numbered, Last#numbering.lines}.

definition({Var, Fun}, S) ->
    case line(cerl:get_ann(Fun)) of
        none ->
            {{Var, Fun}, S};
        Line ->
            {Number, #numbering{functions = Functions} = S1} = number(Line, S),
            Known = Functions#{{cerl:var_name(Var), Line} => Number},
            {{Var, with_number(Fun, Number)}, S1#numbering{functions = Known}}
    end.

%% The parts of a node are numbered after it.
enter(Node, S) ->
    case cerl:type(Node) of
        'fun' -> enter_fun(Node, S);
        letrec -> enter_letrec(Node, S);
        primop -> enter_primop(Node, S);
        _ -> enter_other(Node, S)
    end.

leave(Node, S) ->
    case cerl:is_c_fun(Node) andalso not is_label(Node) of
        true -> {Node, outside_again(S)};
        false -> {Node, S}
    end.

outside_again(#numbering{next = Next, around = [_ | Around], outside = [Before | Others]} = S) ->
    S#numbering{next = max(Next, Before), around = Around, outside = Others}.

enter_fun(Fun, #numbering{next = Next} = S) ->
    case is_label(Fun) of
        true ->
            enter_other(Fun, S);
        false ->
            {Numbered, S1} = enter_other(Fun, as_first(fun_name(Fun), S)),
            #numbering{around = Around, outside = Outside} = S1,
            {Numbered, S1#numbering{
                around = [own_place(Numbered, S1) | Around],
                outside = [Next | Outside]
            }}
    end.

as_first(none, S) ->
    S;
as_first(Name, #numbering{next = Next, names = Names} = S) ->
    case Names of
        #{Name := First} -> S#numbering{next = First};
        #{} -> S#numbering{names = Names#{Name => Next}}
    end.

fun_name(Fun) ->
    case lists:keyfind(id, 1, cerl:get_ann(Fun)) of
        {id, {_, _, Name}} -> Name;
        false -> none
    end.

own_place(Fun, #numbering{lines = Lines}) ->
    case lists:keyfind(numbered, 1, cerl:get_ann(Fun)) of
        {numbered, Number} -> {Number, maps:get(Number, Lines)};
        false -> none
    end.

%% Functions that are jumped to are part of the function around them. Others begin where the whole
%% expression does.
enter_letrec(Letrec, S) ->
    IsGoto = lists:member(letrec_goto, cerl:get_ann(Letrec)),
    {Numbered, S1} = enter_other(placed(IsGoto, Letrec), S),
    Definitions = [
        {Var, local_function(IsGoto, Numbered, Fun)}
     || {Var, Fun} <- cerl:letrec_defs(Numbered)
    ],
    {cerl:update_c_letrec(Numbered, Definitions, cerl:letrec_body(Numbered)), S1}.

%% A loop of a function that inlining has brought stands in no line, and gets a number nevertheless.
placed(false, Letrec) ->
    case line(cerl:get_ann(Letrec)) of
        none -> cerl:add_ann([?NOWHERE, {file, ""}], Letrec);
        _Line -> Letrec
    end;
placed(true, Letrec) ->
    Letrec.

local_function(true, _Letrec, Fun) ->
    cerl:add_ann([letrec_goto], Fun);
local_function(false, Letrec, Fun) ->
    case lists:keyfind(numbered, 1, cerl:get_ann(Letrec)) of
        {numbered, Number} -> with_number(Fun, Number);
        false -> Fun
    end.

is_label(Fun) ->
    lists:member(letrec_goto, cerl:get_ann(Fun)).

enter_primop(Node, S) ->
    case line(cerl:get_ann(Node)) of
        Line when is_integer(Line) ->
            case is_unmatched(Node) of
                true -> unmatched(Node, Line, S);
                false -> enter_other(Node, S)
            end;
        none ->
            {Node, S}
    end.

is_unmatched(Primop) ->
    case {cerl:concrete(cerl:primop_name(Primop)), cerl:primop_args(Primop)} of
        {match_fail, [Reason]} ->
            cerl:is_data(Reason) andalso cerl:data_es(Reason) =/= [] andalso
                is_atom(function_clause, hd(cerl:data_es(Reason)));
        _ ->
            false
    end.

is_atom(Atom, Node) ->
    cerl:is_c_atom(Node) andalso cerl:atom_val(Node) =:= Atom.

%% No clause of a function matches: of the one that it names, or of the one around it. Copies of it
%% have one number, since one function raises for all of them.
unmatched(Node, Line, #numbering{functions = Functions, around = Around} = S) ->
    case {named_function(Node), Around} of
        {none, [{Number, Line} | _]} ->
            {with_number(Node, Number), S};
        {none, _} ->
            enter_other(Node, S);
        {Function, _} when is_map_key({Function, Line}, Functions) ->
            {with_number(Node, maps:get({Function, Line}, Functions)), S};
        {Function, _} ->
            {Number, S1} = number(Line, S),
            Known = Functions#{{Function, Line} => Number},
            {with_number(Node, Number), S1#numbering{functions = Known}}
    end.

%% Releases differ in the name of the annotation.
named_function(Node) ->
    Found = [lists:keyfind(Key, 1, cerl:get_ann(Node)) || Key <- [function, function_name]],
    case [{F, A} || {_, {F, A}} <- Found] of
        [Function | _] -> Function;
        [] -> none
    end.

enter_other(Node, S) ->
    case line(cerl:get_ann(Node)) of
        none ->
            {Node, S};
        Line ->
            {Number, S1} = number(Line, S),
            {with_number(Node, Number), S1}
    end.

number(?NOWHERE, S) ->
    number(0, S);
number(Line, #numbering{next = Next, lines = Lines} = S) ->
    {Next, S#numbering{next = Next + 1, lines = Lines#{Next => Line}}}.

%%% Annotations

%% None if there is no line, or a number already.
line([{numbered, _} | _]) -> none;
line([Line | _]) when is_integer(Line), Line =/= 0 -> abs(Line);
line([{Line, Column} | _]) when is_integer(Line), is_integer(Column) -> Line;
line([{location, Location} | _]) -> line([Location]);
line([_ | Annotations]) -> line(Annotations);
line([]) -> none.

with_number(Node, Number) ->
    Annotations = [numbered_annotation(A, Number) || A <- cerl:get_ann(Node)],
    cerl:set_ann(Node, [{numbered, Number} | Annotations]).

numbered_annotation(Line, Number) when is_integer(Line) -> Number;
numbered_annotation({Line, Column}, Number) when is_integer(Line), is_integer(Column) -> Number;
numbered_annotation({location, _}, Number) -> {location, Number};
numbered_annotation(Other, _Number) -> Other.
