%% Binary comprehensions, where Core Erlang does not say all that the BEAM does.
%%
%% Up to OTP 26 the compiler lets a binary comprehension start with the size of its result, where it
%% can tell that from its generators and segments, and raises `{bad_generator, List}` if that fails:
%% earlier than the comprehension itself would, in the function around it, with the whole list, and
%% also if the size of a segment is no integer. From OTP 27 on the comprehension itself raises.
%%
%% These are comprehensions over lists whose elements all count (a variable as pattern, no filter),
%% with segments whose sizes are literals or known before, and an element without branches. Such a
%% comprehension gets the same checks here. Elements with branches, and segments of unknown size in
%% a comprehension over a literal list alone, are left as they are.
-module(cuter_comprehension).

-export([checked/1, appended/1]).

-type tree() :: cuter_ast:tree().
-type check() :: {list | integer, Value :: tree(), Generator :: tree(), Line :: non_neg_integer()}.

-type blamed() :: none | {Generator :: tree(), Line :: non_neg_integer()}.

-define(FIRST_RELEASE_WITHOUT, 27).

%% A `let` as it is, or with the checks that the compiler puts before its comprehension.
-spec checked(tree()) -> tree().
checked({'let', [Acc], {primop, _, bs_init_writable, _, _} = Init, Body} = Let) ->
    case early() andalso begins(Body, Acc) of
        {true, Checked} -> {'let', [Acc], Init, Checked};
        false -> Let
    end;
checked(Tree) ->
    Tree.

%% The comprehension is all of it, or what something else is made of.
begins({'let', Names, Comprehension, Rest}, Acc) ->
    case begins(Comprehension, Acc) of
        {true, Checked} -> {true, {'let', Names, Checked, Rest}};
        false -> false
    end;
begins(Comprehension, Acc) ->
    case comprehension(Comprehension, Acc, none, []) of
        {ok, Checks} -> {true, before(Checks, Comprehension)};
        no -> false
    end.

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

early() ->
    list_to_integer(erlang:system_info(otp_release)) < ?FIRST_RELEASE_WITHOUT.

%% What is checked, in order. `Outer` is the generator that is blamed so far, `Bound` are the
%% variables of the comprehension itself.
-spec comprehension(tree(), term(), blamed(), [term()]) -> {ok, [check()]} | no.
comprehension(
    {letrec, rec, [{F, 2, {'fun', _, [G, A], {'case', _, _, Clauses}, _}}],
        {apply, _, {fname, F, 2}, [Generator, {var, Acc}]}},
    Acc,
    Outer,
    Bound
) ->
    case {is_known(Generator, Bound), Clauses} of
        {true, [{clause, _, [{list, [{var, X}], {var, T}}, {var, _}], {lit, true}, Body, _} | _]} ->
            Blamed = blamed(Generator, error_line(lists:last(Clauses)), Outer),
            Checks = element_checks(Body, {F, A, T}, Blamed, [G, A, X, T | Bound]),
            list_check(Generator, Blamed, Checks);
        _ ->
            no
    end;
comprehension(_Other, _Acc, _Outer, _Bound) ->
    no.

%% A literal list needs no check.
blamed({lit, _}, _Line, Outer) -> Outer;
blamed(Generator, Line, _Outer) -> {Generator, Line}.

list_check({lit, _}, _Blamed, Checks) -> Checks;
list_check(_Generator, {List, Line}, Checks) -> with({list, List, List, Line}, Checks).

with(_Check, no) -> no;
with(Check, {ok, Checks}) -> {ok, [Check | Checks]}.

error_line({clause, _, _, _, {call, Line, _, _, _}, _}) -> Line;
error_line(_) -> 0.

is_known({lit, _}, _Bound) -> true;
is_known({var, Name}, Bound) -> not lists:member(Name, Bound);
is_known(_Other, _Bound) -> false.

%% One element: what is computed for it, and at last the segments, or a comprehension in it, that
%% are appended.
element_checks(
    {'let', [R], Last, {apply, _, {fname, F, 2}, [{var, T}, {var, R}]}},
    {F, A, T},
    Generator,
    Bound
) ->
    last_checks(Last, A, Generator, Bound);
element_checks({'let', Names, Value, Body}, Loop, Generator, Bound) ->
    case is_straight(Value) of
        true -> element_checks(Body, Loop, Generator, Names ++ Bound);
        false -> no
    end;
element_checks(_Other, _Loop, _Generator, _Bound) ->
    no.

last_checks({binary, _, [{seg, {var, A}, {lit, all}, _, binary, _, _} | Added]}, A, Gen, B) ->
    sizes(Added, Gen, B);
last_checks(Inner, A, Generator, Bound) ->
    comprehension(Inner, A, Generator, Bound).

sizes([], _Generator, _Bound) ->
    {ok, []};
sizes([{seg, _, {lit, Size}, Unit, _, _, _} | Segments], Generator, Bound) when
    is_integer(Size), is_integer(Unit)
->
    sizes(Segments, Generator, Bound);
sizes([{seg, _, {var, _} = Size, Unit, _, _, _} | Segments], {G, Line} = Generator, Bound) when
    is_integer(Unit)
->
    case is_known(Size, Bound) of
        true -> with({integer, Size, G, Line}, sizes(Segments, Generator, Bound));
        false -> no
    end;
sizes(_Segments, _Generator, _Bound) ->
    no.

is_straight({'case', _, _, _}) -> false;
is_straight({'try', _, _, _, _, _, _}) -> false;
is_straight({'catch', _, _}) -> false;
is_straight({letrec, _, _, _}) -> false;
is_straight({'let', _, Value, Body}) -> is_straight(Value) andalso is_straight(Body);
is_straight({seq, First, Second}) -> is_straight(First) andalso is_straight(Second);
is_straight(_Other) -> true.

%%% The checks as trees

before(Checks, {letrec, Kind, Definitions, Body}) ->
    Checked = lists:foldr(fun(Check, Rest) -> {seq, check(Check), Rest} end, Body, Checks),
    {letrec, Kind, Definitions, Checked}.

check({list, Value, Generator, Line}) ->
    Length = call(0, length, [Value]),
    Names = ['-class', '-reason', '-trace'],
    Is = {'try', 0, Length, ['-length'], {lit, true}, Names, {lit, false}},
    or_raise(Is, Generator, Line);
check({integer, Value, Generator, Line}) ->
    or_raise(call(0, is_integer, [Value]), Generator, Line).

or_raise(Condition, Generator, Line) ->
    Raise = call(Line, error, [{tuple, [{lit, bad_generator}, Generator]}]),
    {'case', 0, Condition, [clause(true, {lit, ok}), clause(false, Raise)]}.

clause(Value, Body) ->
    {clause, 0, [{lit, Value}], {lit, true}, Body, true}.

call(Line, Function, Args) ->
    {call, Line, {lit, erlang}, {lit, Function}, Args}.
