%% The syntax tree of docs/protocol.md, made from Core Erlang.
%%
%% Core Erlang is read through `cerl` only: the nodes themselves change between OTP releases. One
%% clause of `expr/2` or `pattern/2` and one function a node.
-module(cuter_ast).

-export([from_core/1]).

-export_type([module_tree/0, tree/0, unsupported/0]).

-type module_tree() :: {
    cuter_module,
    Version :: pos_integer(),
    Name :: module(),
    Files :: [binary()],
    Exports :: [{atom(), arity()}],
    Functions :: [{atom(), arity(), File :: non_neg_integer(), tree()}],
    Specs :: [tuple()]
}.
-type tree() :: tuple().
-type unsupported() :: {unsupported_node, atom() | {pattern | primop, atom()}}.

-define(FORMAT_VERSION, 6).

%% Throws on a node that this version does not know.
-spec from_core(cerl:c_module()) -> module_tree().
from_core(Core) ->
    Attributes = [attribute(A) || A <- cerl:module_attrs(Core)],
    Files = files(Attributes, cerl:module_defs(Core)),
    {cuter_module, ?FORMAT_VERSION, cerl:concrete(cerl:module_name(Core)),
        [unicode:characters_to_binary(File) || File <- Files],
        [cerl:var_name(E) || E <- cerl:module_exports(Core)],
        [definition(D, Files) || D <- cerl:module_defs(Core)],
        lists:flatmap(fun specs/1, Attributes)}.

attribute({Name, Value}) ->
    {cerl:concrete(Name), cerl:concrete(Value)}.

%% The file that was compiled, which the first attribute names, and others that code is from.
files(Attributes, Definitions) ->
    Main =
        case lists:keyfind(file, 1, Attributes) of
            {file, [{File, _Line} | _]} -> File;
            _ -> ""
        end,
    Found = [[file(Fun, Main) | foreign_files(Fun, Main)] || {_Var, Fun} <- Definitions],
    [Main | lists:delete(Main, lists:usort(lists:append(Found)))].

%% Files that inlining has brought code from.
foreign_files(Fun, Main) ->
    Own = file(Fun, Main),
    cerl_trees:fold(
        fun(Node, Found) ->
            case file(Node, Own) of
                Own -> Found;
                File -> lists:usort([File | Found])
            end
        end,
        [],
        Fun
    ).

file(Node, Default) ->
    case lists:keyfind(file, 1, cerl:get_ann(Node)) of
        {file, File} -> File;
        false -> Default
    end.

%% From 0.
position(File, [File | _]) -> 0;
position(File, [_ | Files]) -> 1 + position(File, Files).

specs({spec, Specs}) ->
    [{spec, local(Name), Clauses} || {Name, Clauses} <- Specs];
specs({Kind, Types}) when Kind =:= type; Kind =:= opaque ->
    [{Kind, Name, Type, Parameters} || {Name, Type, Parameters} <- Types];
specs({nominal, Types}) ->
    specs({type, Types});
specs({record, Records}) ->
    [{record, Name, Fields} || {Name, Fields} <- Records];
specs({cuter, Values}) when is_list(Values) ->
    [{cuter, Value} || Value <- Values];
specs(_Other) ->
    [].

local({_Module, Function, Arity}) -> {Function, Arity};
local({Function, Arity}) -> {Function, Arity}.

definition({Var, Fun}, [Main | _] = Files) ->
    {Name, Arity} = cerl:var_name(Var),
    {Name, Arity, position(file(Fun, Main), Files), expr(placed(Fun, Files))}.

%% Code of other files than its function's says so where its line is.
placed(Fun, [Main | _] = Files) ->
    Own = file(Fun, Main),
    case foreign_files(Fun, Main) of
        [] -> Fun;
        _Some -> cerl_trees:map(fun(Node) -> place(Node, file(Node, Own), Own, Files) end, Fun)
    end.

place(Node, Own, Own, _Files) ->
    Node;
place(Node, File, _Own, Files) ->
    Place = {place, position(File, Files), first_line(cerl:get_ann(Node))},
    cerl:set_ann(Node, [Place | cerl:get_ann(Node)]).

expr(Node) ->
    expr(cerl:type(Node), Node).

expr(literal, Node) -> {lit, cerl:concrete(Node)};
expr(var, Node) -> variable(cerl:var_name(Node));
expr(values, Node) -> {values, exprs(cerl:values_es(Node))};
expr(cons, Node) -> list(Node, fun expr/1);
expr(tuple, Node) -> tuple(exprs(cerl:tuple_es(Node)));
expr(map, Node) -> map(Node);
expr(binary, Node) -> built(binary(Node, fun expr/1));
expr('fun', Node) -> function(Node);
expr('let', Node) -> 'let'(Node);
expr(seq, Node) -> sequence(Node);
expr('case', Node) -> 'case'(Node);
expr(letrec, Node) -> letrec(Node);
expr(apply, Node) -> application(Node);
expr(call, Node) -> call(Node);
expr(primop, Node) -> primop(Node);
expr('try', Node) -> 'try'(Node);
expr('catch', Node) -> {'catch', line(Node), expr(cerl:catch_body(Node))};
expr(Type, _Node) -> throw({unsupported_node, Type}).

exprs(Nodes) ->
    [expr(Node) || Node <- Nodes].

pattern(Node) ->
    pattern(cerl:type(Node), Node).

pattern(literal, Node) -> {lit, cerl:concrete(Node)};
pattern(var, Node) -> variable(cerl:var_name(Node));
pattern(alias, Node) -> alias_pattern(Node);
pattern(cons, Node) -> list(Node, fun pattern/1);
pattern(tuple, Node) -> tuple([pattern(E) || E <- cerl:tuple_es(Node)]);
pattern(map, Node) -> map_pattern(Node);
pattern(binary, Node) -> binary(Node, fun pattern/1);
pattern(Type, _Node) -> throw({unsupported_node, {pattern, Type}}).

variable({Function, Arity}) -> {fname, Function, Arity};
variable(Name) -> {var, Name}.

%% Literals are folded from the leaves up, so that folding costs one visit a node.
tuple(Elements) ->
    case lists:all(fun is_literal/1, Elements) of
        true -> {lit, list_to_tuple([Value || {lit, Value} <- Elements])};
        false -> {tuple, Elements}
    end.

list(Node, Convert) ->
    {Elements, Tail} = elements(Node, Convert, []),
    case lists:all(fun is_literal/1, [Tail | Elements]) of
        true -> {lit, literal_list(Elements, Tail)};
        false -> {list, Elements, Tail}
    end.

elements(Node, Convert, Acc) ->
    Element = Convert(cerl:cons_hd(Node)),
    Tail = cerl:cons_tl(Node),
    case cerl:type(Tail) of
        cons -> elements(Tail, Convert, [Element | Acc]);
        _ -> {lists:reverse(Acc, [Element]), Convert(Tail)}
    end.

literal_list(Elements, {lit, Tail}) ->
    lists:foldr(fun({lit, Value}, Rest) -> [Value | Rest] end, Tail, Elements).

is_literal({lit, _}) -> true;
is_literal(_) -> false.

map(Node) ->
    Pairs = [pair(P, fun expr/1) || P <- cerl:map_es(Node)],
    {map, line(Node), expr(cerl:map_arg(Node)), in_order(Pairs)}.

%% Literal keys next to each other in the order of this VM's maps: in that order the BEAM looks
%% whether they are there.
in_order([{_, {lit, _}, _} | _] = Pairs) ->
    {Literal, Rest} = lists:splitwith(fun({_, Key, _}) -> is_literal(Key) end, Pairs),
    Keys = maps:keys(maps:from_list([{Key, []} || {_, {lit, Key}, _} <- Literal])),
    Places = maps:from_list(lists:zip(Keys, lists:seq(1, length(Keys)))),
    Placed = [{maps:get(Key, Places), Pair} || {_, {lit, Key}, _} = Pair <- Literal],
    [Pair || {_, Pair} <- lists:keysort(1, Placed)] ++ in_order(Rest);
in_order([Pair | Pairs]) ->
    [Pair | in_order(Pairs)];
in_order([]) ->
    [].

map_pattern(Node) ->
    {map, line(Node), [pair(P, fun pattern/1) || P <- cerl:map_es(Node)]}.

pair(Node, Convert) ->
    Op = cerl:concrete(cerl:map_pair_op(Node)),
    {Op, expr(cerl:map_pair_key(Node)), Convert(cerl:map_pair_val(Node))}.

binary(Node, Convert) ->
    {binary, line(Node), [segment(S, Convert) || S <- cerl:binary_segments(Node)]}.

%% If a size is a literal that is none, the compiler makes a call of it that fails.
built({binary, Line, Segments} = Binary) ->
    case lists:all(fun({seg, _, Size, _, _, _, _}) -> is_size(Size) end, Segments) of
        true -> Binary;
        false -> {call, Line, {lit, erlang}, {lit, error}, [{lit, badarg}]}
    end.

is_size({lit, Size}) when is_integer(Size) -> Size >= 0;
is_size({lit, Size}) -> lists:member(Size, [all, undefined]);
is_size(_Computed) -> true.

segment(Node, Convert) ->
    {seg, Convert(cerl:bitstr_val(Node)), expr(cerl:bitstr_size(Node)),
        cerl:concrete(cerl:bitstr_unit(Node)), cerl:concrete(cerl:bitstr_type(Node)),
        cerl:concrete(cerl:bitstr_flags(Node)), segment_number(Node)}.

%% Only of segments that may fail.
segment_number(Node) ->
    case lists:keyfind(segment, 1, cerl:get_ann(Node)) of
        {segment, Number} -> Number;
        false -> 0
    end.

alias_pattern(Node) ->
    {alias, cerl:var_name(cerl:alias_var(Node)), pattern(cerl:alias_pat(Node))}.

function(Node) ->
    {'fun', line(Node), names(cerl:fun_vars(Node)), expr(cerl:fun_body(Node)), fun_name(Node)}.

fun_name(Node) ->
    case lists:keyfind(id, 1, cerl:get_ann(Node)) of
        {id, {_Index, _Unique, Name}} -> Name;
        false -> undefined
    end.

'let'(Node) ->
    Argument = cerl:let_arg(Node),
    Body = received(Argument, expr(cerl:let_body(Node))),
    {'let', names(cerl:let_vars(Node)), expr(Argument), Body}.

%% Of the clauses that a `receive` becomes, those for messages are written and that of `after`. The
%% compiler does not tell that it made the others: whether there is a message, and whether to wait
%% for another.
received(Argument, {'case', Line, Of, Clauses} = Body) ->
    case asked(cerl:type(Argument), Argument) of
        {recv_peek_message, []} -> {'case', Line, Of, [made(C) || C <- Clauses]};
        {recv_wait_timeout, [Time]} -> {'case', Line, Of, [waited(C, Time) || C <- Clauses]};
        _ -> Body
    end;
received(_Argument, Body) ->
    Body.

asked(primop, Node) -> {cerl:concrete(cerl:primop_name(Node)), cerl:primop_args(Node)};
asked(_Type, _Node) -> other.

made({clause, Line, Patterns, Guard, Body, _}) ->
    {clause, Line, Patterns, Guard, Body, true}.

%% An `after` is where its time is.
waited({clause, 0, [{lit, true}] = Patterns, Guard, Body, Generated} = Clause, Time) ->
    case cerl:is_literal(Time) andalso cerl:concrete(Time) =:= infinity of
        true -> made(Clause);
        false -> {clause, line(Time), Patterns, Guard, Body, Generated}
    end;
waited(Clause, _Time) ->
    made(Clause).

sequence(Node) ->
    cuter_comprehension:appended({seq, expr(cerl:seq_arg(Node)), expr(cerl:seq_body(Node))}).

'case'(Node) ->
    Clauses = [clause(C) || C <- cerl:case_clauses(Node)],
    {'case', line(Node), expr(cerl:case_arg(Node)), Clauses}.

clause(Node) ->
    Patterns = [pattern(P) || P <- cerl:clause_pats(Node)],
    Generated = lists:member(compiler_generated, cerl:get_ann(Node)),
    {clause, line(Node), Patterns, expr(cerl:clause_guard(Node)), expr(cerl:clause_body(Node)),
        Generated}.

letrec(Node) ->
    Kind =
        case lists:member(letrec_goto, cerl:get_ann(Node)) of
            true -> goto;
            false -> rec
        end,
    Definitions = [local_definition(D) || D <- cerl:letrec_defs(Node)],
    {letrec, Kind, Definitions, expr(cerl:letrec_body(Node))}.

%% Its name on the BEAM is not that of a fun (see `cuter_loops`).
local_definition({Var, Fun}) ->
    {Name, Arity} = cerl:var_name(Var),
    {'fun', Line, Vars, Body, _} = expr(Fun),
    {Name, Arity, {'fun', Line, Vars, Body, undefined}}.

application(Node) ->
    {apply, line(Node), expr(cerl:apply_op(Node)), exprs(cerl:apply_args(Node))}.

call(Node) ->
    Module = expr(cerl:call_module(Node)),
    Name = expr(cerl:call_name(Node)),
    {call, line(Node), Module, Name, operands(Module, Name, exprs(cerl:call_args(Node)))}.

%% The VM has no instruction for the sign +: it adds 0.
operands({lit, erlang}, {lit, '+'}, [Arg]) -> [Arg, {lit, 0}];
operands(_Module, _Name, Args) -> Args.

primop(Node) ->
    Name = cerl:concrete(cerl:primop_name(Node)),
    case is_known({Name, cerl:primop_arity(Node)}) of
        true -> {primop, line(Node), Name, exprs(cerl:primop_args(Node)), failing(Name, Node)};
        false -> throw({unsupported_node, {primop, Name}})
    end.

is_known({match_fail, 1}) -> true;
is_known({raise, 2}) -> true;
is_known({raw_raise, 3}) -> true;
is_known({build_stacktrace, 1}) -> true;
is_known({bs_init_writable, 1}) -> true;
is_known({bs_context_to_binary, 1}) -> true;
is_known({recv_peek_message, 0}) -> true;
is_known({recv_next, 0}) -> true;
is_known({remove_message, 0}) -> true;
is_known({recv_wait_timeout, 1}) -> true;
is_known({nif_start, 0}) -> true;
is_known({executable_line, _}) -> true;
is_known({debug_line, _}) -> true;
is_known({_Name, _Arity}) -> false.

%% The function whose clauses did not match. Releases differ in the name of the annotation.
failing(match_fail, Node) ->
    Annotations = cerl:get_ann(Node),
    Found = [lists:keyfind(Key, 1, Annotations) || Key <- [function_name, function]],
    case [{F, A} || {_, {F, A}} <- Found] of
        [Function | _] -> Function;
        [] -> undefined
    end;
failing(_Name, _Node) ->
    undefined.

'try'(Node) ->
    {'try', line(Node), expr(cerl:try_arg(Node)), names(cerl:try_vars(Node)),
        expr(cerl:try_body(Node)), names(cerl:try_evars(Node)), expr(cerl:try_handler(Node))}.

names(Vars) ->
    [cerl:var_name(Var) || Var <- Vars].

line(Node) ->
    first_line(cerl:get_ann(Node)).

%% Where nodes are numbered (see `cuter_numbered`), the number stands for the line.
first_line([{numbered, _} = Number | _]) -> Number;
first_line([Line | _]) when is_integer(Line) -> abs(Line);
first_line([{Line, Column} | _]) when is_integer(Line), is_integer(Column) -> Line;
first_line([{location, Location} | _]) -> first_line([Location]);
first_line([{place, File, Line} | _]) -> {File, Line};
first_line([_ | Annotations]) -> first_line(Annotations);
first_line([]) -> 0.
