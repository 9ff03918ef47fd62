%% What is written in a syntax tree that stacktraces may show: calls, built-in functions and failed
%% matches, each with the function of the beam file that it is in, its line, and in which way it is
%% written. They are visited in the order in which they are evaluated, and may be changed.
-module(cuter_written).

-export([walk/4, line/1]).

-export_type([native/0, place/0, what/0, form/0, facts/0]).

-type tree() :: cuter_ast:tree().
%% The name of a function in the beam file. Those that the compiler made have unique names.
-type native() :: {atom(), arity()} | atom().
-type place() :: {native(), Line :: non_neg_integer()}.
-type what() ::
    cuter_assembly:callee()
    | {lifted, atom()}
    %% A fun, or a function whose name is computed. The compiler may know which one it is.
    | dynamic
    | {bif, atom(), arity()}
    %% A failed match of that many arguments, and another one; or waiting, which may fail.
    | {unmatched, arity()}
    | {fail, atom()}.
%% In which way it is written: a call that is the last of its function, or not; a built-in function
%% that is given a literal to add, where that makes a difference, or another operand that is known,
%% or not; a failed match.
-type form() :: last | inner | literal | known | bif | unmatched | fail.
%% What is called for a node, with what was gathered so far. A node without a line has no place.
-type visit(Acc) :: fun(({place() | none, what(), form()}, tree(), Acc) -> {tree(), Acc}).
%% The arities of the functions that the compiler made, and whether adding a literal is an
%% instruction of its own.
-type facts() :: #{arities := #{atom() => arity()}, has_increments := boolean()}.

%% Where a node stands.
-record(in, {
    function = unknown :: native() | unknown,
    %% The line and the arity of a function of the module, which raises for itself.
    begins = none :: none | {non_neg_integer(), arity()},
    %% What is done here is the last that the function does.
    is_last = true :: boolean(),
    %% The functions of `letrec` that can be called here.
    locals = #{} :: #{{atom(), arity()} => goto | {lifted, atom()}},
    facts :: facts()
}).

%% Visits what is written in a module, in the order in which it is evaluated.
-spec walk(cuter_ast:module_tree(), facts(), visit(Acc), Acc) -> {cuter_ast:module_tree(), Acc}.
walk({cuter_module, Version, Module, Files, Exports, Functions, Specs}, Facts, Visit, Acc) ->
    In = #in{facts = Facts},
    {Walked, Last} = lists:mapfoldl(
        fun({Name, Arity, File, {'fun', Line, Vars, Body, undefined}}, A) ->
            Inside = In#in{function = {Name, Arity}, begins = {line(Line), Arity}},
            {New, B} = node(Body, Inside, Visit, A),
            {{Name, Arity, File, {'fun', Line, Vars, New, undefined}}, B}
        end,
        Acc,
        Functions
    ),
    {{cuter_module, Version, Module, Files, Exports, Walked, Specs}, Last}.

function({'fun', Line, Vars, Body, Name}, Native, In, Visit, Acc) ->
    Inside = In#in{function = Native, begins = none, is_last = true},
    {NewBody, Last} = node(Body, Inside, Visit, Acc),
    {{'fun', Line, Vars, NewBody, with_arity(Name, In)}, Last}.

with_arity(Name, #in{facts = #{arities := Arities}}) ->
    case Arities of
        #{Name := Arity} -> {Name, Arity};
        #{} -> Name
    end.

-spec node(tree(), #in{}, visit(Acc), Acc) -> {tree(), Acc}.
node({lit, _} = Node, _In, _Visit, Acc) ->
    {Node, Acc};
node({var, _} = Node, _In, _Visit, Acc) ->
    {Node, Acc};
node({fname, _, _} = Node, _In, _Visit, Acc) ->
    {Node, Acc};
node({values, Nodes}, In, Visit, Acc) ->
    parts([Nodes], In, Visit, Acc, fun([New]) -> {values, New} end);
node({list, Nodes, Tail}, In, Visit, Acc) ->
    parts([Nodes, Tail], In, Visit, Acc, fun([New, NewTail]) -> {list, New, NewTail} end);
node({tuple, Nodes}, In, Visit, Acc) ->
    parts([Nodes], In, Visit, Acc, fun([New]) -> {tuple, New} end);
node({map, Line, Arg, Pairs}, In, Visit, Acc) ->
    Parts = [Arg | [[Key, Value] || {_, Key, Value} <- Pairs]],
    parts(Parts, In, Visit, Acc, fun([NewArg | News]) ->
        NewPairs = [{Op, Key, Value} || {{Op, _, _}, [Key, Value]} <- lists:zip(Pairs, News)],
        {map, Line, NewArg, NewPairs}
    end);
node({binary, Line, Segments}, In, Visit, Acc) ->
    Parts = [[Value, Size] || {seg, Value, Size, _, _, _, _} <- Segments],
    parts(Parts, In, Visit, Acc, fun(News) ->
        {binary, Line, [
            setelement(3, setelement(2, Segment, Value), Size)
         || {Segment, [Value, Size]} <- lists:zip(Segments, News)
        ]}
    end);
node({'fun', _, _, _, Name} = Fun, In, Visit, Acc) ->
    function(Fun, Name, In, Visit, Acc);
node({'let', Vars, Arg, Body}, In, Visit, Acc) ->
    {NewArg, A} = node(Arg, inner(In), Visit, Acc),
    {NewBody, B} = node(Body, In, Visit, A),
    {{'let', Vars, NewArg, NewBody}, B};
node({seq, First, Second}, In, Visit, Acc) ->
    {NewFirst, A} = node(First, inner(In), Visit, Acc),
    {NewSecond, B} = node(Second, In, Visit, A),
    {{seq, NewFirst, NewSecond}, B};
node({'case', Line, Arg, Clauses}, In, Visit, Acc) ->
    {NewArg, A} = node(Arg, inner(In), Visit, Acc),
    {NewClauses, B} = lists:mapfoldl(fun(C, I) -> clause(C, In, Visit, I) end, A, Clauses),
    {{'case', Line, NewArg, NewClauses}, B};
node({letrec, Kind, Definitions, Body}, In, Visit, Acc) ->
    Inside = with_locals(Kind, Definitions, In),
    {NewDefinitions, A} = definitions(Kind, Definitions, Inside, Visit, Acc),
    {NewBody, B} = node(Body, Inside, Visit, A),
    {{letrec, Kind, NewDefinitions, NewBody}, B};
node({apply, Line, Operator, Args}, In, Visit, Acc) ->
    {{Node, What}, A} = parts([Operator, Args], In, Visit, Acc, fun([NewOperator, NewArgs]) ->
        {{apply, Line, NewOperator, NewArgs}, applied(Operator, In)}
    end),
    visit(Node, What, call_form(In), In, Visit, A);
node({call, Line, Module, Function, Args}, In, Visit, Acc) ->
    {Node, A} = parts([Module, Function, Args], In, Visit, Acc, fun([M, F, NewArgs]) ->
        {call, Line, M, F, NewArgs}
    end),
    What = named(Module, Function, length(Args)),
    visit(Node, What, form(What, Args, In), In, Visit, A);
node({primop, Line, Name, Args, Function}, In, Visit, Acc) ->
    {Node, A} = parts([Args], In, Visit, Acc, fun([New]) ->
        {primop, Line, Name, New, Function}
    end),
    {What, Form} = failed(Name, Args, line(Line), In),
    visit(Node, What, Form, In, Visit, A);
node({'try', Line, Arg, Vars, Body, Names, Handler}, In, Visit, Acc) ->
    {NewArg, A} = node(Arg, inner(In), Visit, Acc),
    {NewBody, B} = node(Body, In, Visit, A),
    {NewHandler, C} = node(Handler, In, Visit, B),
    {{'try', Line, NewArg, Vars, NewBody, Names, NewHandler}, C};
node({'catch', Line, Body}, In, Visit, Acc) ->
    {New, Last} = node(Body, inner(In), Visit, Acc),
    {{'catch', Line, New}, Last}.

inner(In) ->
    In#in{is_last = false}.

%% Parts that are all evaluated before what they are parts of: nodes and lists of nodes.
parts(Parts, Around, Visit, Acc, Make) ->
    In = inner(Around),
    {News, Last} = lists:mapfoldl(
        fun
            (Nodes, A) when is_list(Nodes) ->
                lists:mapfoldl(fun(Node, B) -> node(Node, In, Visit, B) end, A, Nodes);
            (Node, A) ->
                node(Node, In, Visit, A)
        end,
        Acc,
        Parts
    ),
    {Make(News), Last}.

%% What a guard does is not seen in any case.
clause({clause, Line, Patterns, Guard, Body, Generated}, In, Visit, Acc) ->
    {New, Last} = node(Body, In, Visit, Acc),
    {{clause, Line, Patterns, Guard, New, Generated}, Last}.

definitions(Kind, Definitions, In, Visit, Acc) ->
    lists:mapfoldl(
        fun({Name, Arity, Fun}, A) ->
            {New, B} = definition(Kind, Fun, In, Visit, A),
            {{Name, Arity, New}, B}
        end,
        Acc,
        Definitions
    ).

definition(goto, {'fun', Line, Vars, Body, Name}, In, Visit, Acc) ->
    {New, Last} = node(Body, In, Visit, Acc),
    {{'fun', Line, Vars, New, Name}, Last};
definition(rec, {'fun', _, _, _, Name} = Fun, In, Visit, Acc) ->
    function(Fun, Name, In, Visit, Acc).

with_locals(Kind, Definitions, #in{locals = Locals} = In) ->
    New = maps:from_list([{{F, A}, local(Kind, Fun)} || {F, A, Fun} <- Definitions]),
    In#in{locals = maps:merge(Locals, New)}.

local(goto, _Fun) -> goto;
local(rec, {'fun', _, _, _, Name}) -> {lifted, Name}.

%%% What is called

applied({fname, Name, Arity}, #in{locals = Locals}) ->
    case Locals of
        #{{Name, Arity} := goto} -> none;
        #{{Name, Arity} := {lifted, undefined}} -> none;
        #{{Name, Arity} := Lifted} -> Lifted;
        #{} -> {local, Name, Arity}
    end;
applied(_Fun, _In) ->
    dynamic.

named({lit, erlang}, {lit, apply}, Arity) ->
    {remote, erlang, apply, Arity};
named({lit, erlang}, {lit, Name}, Arity) ->
    {bif, Name, Arity};
named({lit, Module}, {lit, Function}, Arity) ->
    {remote, Module, Function, Arity};
named(_Module, _Function, _Arity) ->
    dynamic.

form({bif, Name, 2}, Args, #in{facts = #{has_increments := true}}) when
    Name =:= '+'; Name =:= '-'
->
    case is_increment(Name, Args) of
        true -> literal;
        false -> known_or_bif(Name, Args)
    end;
form({bif, Name, 2}, Args, _In) ->
    known_or_bif(Name, Args);
form({bif, _, _}, _Args, _In) ->
    bif;
form(_Callee, _Args, In) ->
    call_form(In).

is_increment('+', [{lit, Literal}, Operand]) when element(1, Operand) =/= lit ->
    cuter_assembly:is_increment('+', Literal);
is_increment(Name, [Operand, {lit, Literal}]) when element(1, Operand) =/= lit ->
    cuter_assembly:is_increment(Name, Literal);
is_increment(_Name, _Args) ->
    false.

known_or_bif(Name, Args) ->
    case cuter_assembly:is_turned(Name) andalso lists:keymember(lit, 1, Args) of
        true -> known;
        false -> bif
    end.

call_form(#in{is_last = true}) -> last;
call_form(#in{is_last = false}) -> inner.

%% A function of the module raises for itself, but for one without lines that the compiler made.
failed(match_fail, [Reason], Line, #in{begins = Begins}) ->
    case reason(Reason) of
        {function_clause, Arity} when Begins =:= {Line, Arity}, Line > 0 -> {none, fail};
        {function_clause, Arity} -> {{unmatched, Arity}, unmatched};
        {Tag, _} -> {{fail, Tag}, fail}
    end;
failed(recv_wait_timeout, [{lit, Time}], _Line, _In) when is_integer(Time) ->
    {none, fail};
failed(recv_wait_timeout, _Args, _Line, _In) ->
    {{fail, timeout_value}, fail};
failed(_Name, _Args, _Line, _In) ->
    {none, fail}.

reason({tuple, [{lit, Tag} | Args]}) -> {Tag, length(Args)};
reason({lit, Reason}) when is_tuple(Reason) -> {element(1, Reason), tuple_size(Reason) - 1};
reason({lit, Tag}) -> {Tag, 0};
reason(_Other) -> {none, 0}.

visit(Node, none, _Form, _In, _Visit, Acc) ->
    {Node, Acc};
visit(Node, What, Form, In, Visit, Acc) ->
    Place = place(In, line(element(2, Node)), What),
    Visit({Place, What, Form}, Node, Acc).

place(#in{function = Function}, Line, _What) when is_integer(Line), Line > 0 -> {Function, Line};
place(#in{function = Function}, 0, {unmatched, _}) -> {Function, 0};
place(#in{function = Function}, _Line, {fail, timeout_value}) -> {Function, 0};
place(_In, _Line, _What) -> none.

%% The line of a node in whatever file, or its number.
-spec line(term()) -> term().
line({numbered, Number}) -> Number;
line({_File, Line}) -> line(Line);
line(Line) -> Line.
