%% Binary comprehensions, where Core Erlang does not say all that the BEAM does.
%%
%% Up to OTP 26 the compiler lets a binary comprehension start with the size of its result, where it
%% can tell that from its generators and segments, and raises `{bad_generator, Whole}` if that
%% fails: earlier than the comprehension itself would, in the function around it, with the whole
%% list or bitstring, and also if the size of a segment is no integer. From OTP 27 on the
%% comprehension itself raises.
%%
%% Whether the compiler can tell depends on what its later passes make of filters, patterns and
%% branches, so it is asked (`cuter_ssa`): it names the loops before which it computes a size. What
%% is computed follows from the comprehension: how many elements each generator has, from the outer
%% to the inner, and then the sizes of the segments. Those checks are put before the comprehension
%% here.
-module(cuter_comprehension).

-export([checked/2, appended/1]).

-type tree() :: cuter_ast:tree().
-type check() :: {Test :: atom(), Value :: tree(), blamed()}.
-type blamed() :: none | {Generator :: tree(), Line :: non_neg_integer() | nowhere}.

%% The module with the checks that the compiler puts before these loops.
-spec checked(cuter_ast:module_tree(), cuter_loops:loops()) -> cuter_ast:module_tree().
checked(Tree, Loops) ->
    cuter_loops:rewrite(Tree, fun(Function) ->
        case maps:get(Function, Loops, []) of
            [] -> keep;
            Sized -> fun(Node) -> sized(Node, [Name || {Name, 2, _} <- Sized]) end
        end
    end).

sized(
    {letrec, rec, [{F, 2, _}] = Loop, {apply, _, {fname, F, 2}, [_, {var, Acc}]} = Call}, Names
) ->
    Tree = {letrec, rec, Loop, Call},
    case lists:member(F, Names) andalso comprehension(Tree, Acc, none) of
        false -> Tree;
        zero -> Tree;
        Checks -> {letrec, rec, Loop, before(Checks, Call)}
    end;
sized(Tree, _Names) ->
    Tree.

%% In the loop of a zip generator the compiler of OTP 28 and later appends to the accumulator, drops
%% the result and goes on with the accumulator, which the BEAM has changed in place. Here values do
%% not change: the loop goes on with the result.
-spec appended(tree()) -> tree().
appended(
    {seq, {binary, _, [{seg, {var, Acc}, {lit, all}, _, binary, _, _} | _]} = Result,
        {apply, Line, {fname, _, _} = Loop, [_ | _] = Args}} = Sequence
) ->
    case lists:reverse(Args) of
        [{var, Acc} | Others] ->
            Name = '-appended',
            Next = {apply, Line, Loop, lists:reverse(Others, [{var, Name}])},
            {'let', [Name], Result, Next};
        _ ->
            Sequence
    end;
appended(Sequence) ->
    Sequence.

%%% What is checked, in order

%% `Outer` is what is blamed so far. No checks are made where the compiler knows the size to be 0.
-spec comprehension(tree(), term(), blamed()) -> zero | [check()].
comprehension({letrec, rec, [{F, 2, Loop}], {apply, _, _, [Generator, {var, Acc}]}}, Acc, Outer) ->
    {'fun', _, [_, Result], {'case', _, _, Clauses}, _} = Loop,
    [{clause, _, [Element, _], _, Body, _} | _] = Clauses,
    {Test, Step} = {test(Element), step(Element)},
    case is_certain(Test, Generator) of
        true ->
            element_checks(written(Body, F), Result, or_first(Outer, Step));
        false ->
            Blamed = {Generator, error_line(lists:last(Clauses))},
            Checks = element_checks(written(Body, F), Result, Blamed),
            generator_checks({Test, Generator, Blamed}, Step, Checks)
    end.

%% A number of elements that is divided by what may be 0 counts for nothing if they are empty.
generator_checks(Check, {lit, _}, zero) -> [Check];
generator_checks(_Check, _Step, zero) -> zero;
generator_checks({_, _, B} = Check, _Step, Checks) -> [Check | [outermost(C, B) || C <- Checks]].

%% Of generators that are the same variable the line of the outermost is told.
outermost({Test, Value, {Generator, _}}, {Generator, Line}) -> {Test, Value, {Generator, Line}};
outermost(Check, _Blamed) -> Check.

test({binary, _, _}) -> bit_size;
test(_List) -> length.

is_certain(Test, {lit, Value}) ->
    try erlang:Test(Value) of
        _Size -> true
    catch
        error:badarg -> false
    end;
is_certain(_Test, _Generator) ->
    false.

error_line({clause, _, _, _, {call, Line, _, _, _}, _}) -> Line;
error_line(_) -> 0.

%% What one element adds: segments, or another comprehension.
element_checks({binary, _, [_Accumulator | Segments]}, _Result, Outer) ->
    case sum(Segments, fun product/2) of
        {lit, 0} ->
            zero;
        Sum ->
            Blamed = or_first(Outer, Sum),
            [{is_integer, Size, Blamed} || {seg, _, {var, _} = Size, _, _, _, _} <- Segments]
    end;
element_checks({letrec, _, _, _} = Inner, Result, Blamed) ->
    comprehension(Inner, Result, Blamed);
element_checks(none, _Result, _Blamed) ->
    [].

%% If all generators are literal, the first operand of the first operation is blamed instead,
%% at no line.
or_first(none, {operation, First}) -> {First, nowhere};
or_first(Blamed, _Value) -> Blamed.

%% What a generator takes of a bitstring at a time.
step({binary, _, Segments}) ->
    sum([S || {seg, _, Size, _, _, _, _} = S <- Segments, Size =/= {lit, all}], fun safe_product/2);
step(_List) ->
    {lit, 1}.

%% A sum as the compiler computes it: a literal, a variable, or an operation, of which the first
%% operand of the first one is told.
sum(Segments, Product) ->
    lists:foldl(
        fun({seg, _, Size, Unit, _, _, _}, Sum) -> plus(Sum, Product(Size, Unit)) end,
        {lit, 0},
        Segments
    ).

plus({lit, A}, {lit, B}) when is_integer(A), is_integer(B) -> {lit, A + B};
plus({operation, First}, _B) -> {operation, First};
plus(_A, {operation, First}) -> {operation, First};
plus(A, _B) -> {operation, A}.

product({lit, Size}, Unit) when is_integer(Size), is_integer(Unit) -> {lit, Size * Unit};
product(Size, 1) -> Size;
product(Size, _Unit) -> {operation, Size}.

%% One that is 0 if it fails; it is computed also where it is by 1.
safe_product({lit, _} = Size, Unit) -> product(Size, Unit);
safe_product(Size, _Unit) -> {operation, Size}.

%% What the loop goes on with, on the one path that goes on.
written({'let', [R], Written, {apply, _, {fname, F, 2}, [_, {var, R}]}}, F) -> Written;
written({'let', _, _, Body}, F) -> written(Body, F);
written({seq, _, Body}, F) -> written(Body, F);
written({'case', _, _, Clauses}, F) -> first_written([clause_body(C) || C <- Clauses], F);
written({letrec, goto, Definitions, Body}, F) -> first_written(goto_bodies(Definitions, Body), F);
written(_Other, _F) -> none.

clause_body({clause, _, _, _, Body, _}) -> Body.

goto_bodies(Definitions, Body) ->
    [Body | [FunBody || {_, _, {'fun', _, _, FunBody, _}} <- Definitions]].

first_written([], _F) ->
    none;
first_written([Body | Bodies], F) ->
    case written(Body, F) of
        none -> first_written(Bodies, F);
        Written -> Written
    end.

%%% The checks as trees

before(Checks, Call) ->
    lists:foldr(fun(Check, Rest) -> {seq, check(Check), Rest} end, Call, Checks).

check({is_integer, Value, Blamed}) ->
    or_raise(call(0, is_integer, [Value]), Blamed);
check({Test, Value, Blamed}) ->
    Names = ['-class', '-reason', '-trace'],
    Is = {'try', 0, call(0, Test, [Value]), ['-size'], {lit, true}, Names, {lit, false}},
    or_raise(Is, Blamed).

or_raise(Condition, {Generator, Line}) ->
    Raise = call(Line, error, [{tuple, [{lit, bad_generator}, Generator]}]),
    {'case', 0, Condition, [clause(true, {lit, ok}), clause(false, Raise)]}.

clause(Value, Body) ->
    {clause, 0, [{lit, Value}], {lit, true}, Body, true}.

call(Line, Function, Args) ->
    {call, Line, {lit, erlang}, {lit, Function}, Args}.
