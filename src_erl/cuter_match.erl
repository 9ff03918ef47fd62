%% What two runs of the same call have in common, as an Erlang pattern with guards.
%%
%% Where both have the same plain value, the pattern has that value. Otherwise it has a variable and
%% the guards say what is known of it:
%%   - a float is the same up to a trillionth of it, since mathematical functions differ in the last
%%     digits from one system to another; zero is zero of either sign;
%%   - a pid, port, reference or fun is of that type (and arity);
%%   - what differs between the two runs is of the type that both have.
-module(cuter_match).

-export([is_plain/1, pattern/3]).

-define(TOLERANCE, 1.0e-12).

-type state() :: #{next := pos_integer(), guards := [string()], records := cuter_module:records()}.

%% Whether a term can be compared with what another run gives.
-spec is_plain(term()) -> boolean().
is_plain(Term) when is_float(Term) -> false;
is_plain(Term) when is_function(Term) -> erlang:fun_info(Term, type) =:= {type, external};
is_plain(Term) when is_pid(Term); is_port(Term); is_reference(Term) -> false;
is_plain(Term) when is_tuple(Term) -> is_plain(tuple_to_list(Term));
is_plain(Term) when is_map(Term) -> is_plain(maps:to_list(Term));
is_plain([Head | Tail]) -> is_plain(Head) andalso is_plain(Tail);
is_plain(_Term) -> true.

%% A pattern that matches both terms, and its guards.
-spec pattern(term(), term(), cuter_module:records()) -> {erl_parse:abstract_expr(), [string()]}.
pattern(A, B, Records) ->
    {Form, #{guards := Guards}} = common(A, B, #{next => 1, guards => [], records => Records}),
    {Form, lists:reverse(Guards)}.

-spec common(term(), term(), state()) -> {erl_parse:abstract_expr(), state()}.
common(A, B, #{records := Records} = State) ->
    case A =:= B andalso is_plain(A) andalso is_pattern(A) of
        true -> {plain(A, Records), State};
        false -> parts(A, B, State)
    end.

%% In a pattern, a field that is left out is one that can be anything: nothing is left out.
plain(Term, Records) ->
    cuter_source:form(Term, maps:map(fun all_fields/2, Records)).

all_fields({_Tag, _Size}, Fields) -> [{Field, false} || {Field, _} <- Fields];
all_fields(_Texts, Hints) -> Hints.

%% A map in a pattern says nothing about further keys, and a fun is no pattern.
is_pattern(Term) when is_map(Term); is_function(Term) -> false;
is_pattern(Term) when is_tuple(Term) -> is_pattern(tuple_to_list(Term));
is_pattern([Head | Tail]) -> is_pattern(Head) andalso is_pattern(Tail);
is_pattern(_Term) -> true.

parts(A, A, State) when is_float(A) ->
    variable("Float", fun(Name) -> float_guards(Name, A) end, State);
parts(A, B, State0) when is_tuple(A), tuple_size(A) =:= tuple_size(B) ->
    {Forms, State} = each(tuple_to_list(A), tuple_to_list(B), State0),
    {tuple_form(A, Forms, State), State};
parts([HeadA | TailA], [HeadB | TailB], State0) ->
    {Head, State1} = common(HeadA, HeadB, State0),
    {Tail, State} = common(TailA, TailB, State1),
    {{cons, at(), Head, Tail}, State};
parts(A, B, State) when is_map(A), is_map(B) ->
    maps(A, B, lists:sort(maps:keys(A)), State);
parts(A, B, State) when is_function(A), is_function(B) ->
    {arity, Arity} = erlang:fun_info(A, arity),
    case is_function(B, Arity) of
        true -> variable("Fun", fun(N) -> [format("is_function(~s, ~b)", [N, Arity])] end, State);
        false -> variable("Fun", fun(N) -> [test(is_function, N)] end, State)
    end;
parts(A, B, State) ->
    typed([Type || {Type, Is} <- types(), Is(A), Is(B)], State).

each([], [], State) ->
    {[], State};
each([A | As], [B | Bs], State0) ->
    {Form, State1} = common(A, B, State0),
    {Forms, State} = each(As, Bs, State1),
    {[Form | Forms], State}.

tuple_form(Tuple, [Tag | Values] = Forms, #{records := Records}) ->
    case Records of
        #{{element(1, Tuple), tuple_size(Tuple)} := Fields} when element(1, Tag) =:= atom ->
            {record, at(), element(3, Tag), [
                {record_field, at(), {atom, at(), Field}, Value}
             || {{Field, _}, Value} <- lists:zip(Fields, Values)
            ]};
        #{} ->
            {tuple, at(), Forms}
    end.

%% A map pattern says nothing about other keys: the size does.
maps(A, B, Keys, #{records := Records} = State0) ->
    case Keys =:= lists:sort(maps:keys(B)) andalso is_plain(Keys) of
        true ->
            Values = [{maps:get(Key, A), maps:get(Key, B)} || Key <- Keys],
            {ValuesA, ValuesB} = lists:unzip(Values),
            {Forms, State1} = each(ValuesA, ValuesB, State0),
            Fields = [
                {map_field_exact, at(), cuter_source:form(Key, Records), Form}
             || {Key, Form} <- lists:zip(Keys, Forms)
            ],
            Guard = fun(Name) -> [format("map_size(~s) =:= ~b", [Name, length(Keys)])] end,
            {Variable, State} = variable("Map", Guard, State1),
            {{match, at(), {map, at(), Fields}, Variable}, State};
        false ->
            variable("Map", fun(Name) -> [test(is_map, Name)] end, State0)
    end.

typed([], State) ->
    {{var, at(), '_'}, State};
typed([Type | _], State) ->
    variable("Value", fun(Name) -> [test(Type, Name)] end, State).

types() ->
    [
        {is_boolean, fun erlang:is_boolean/1},
        {is_atom, fun erlang:is_atom/1},
        {is_integer, fun erlang:is_integer/1},
        {is_float, fun erlang:is_float/1},
        {is_number, fun erlang:is_number/1},
        {is_pid, fun erlang:is_pid/1},
        {is_port, fun erlang:is_port/1},
        {is_reference, fun erlang:is_reference/1},
        {is_binary, fun erlang:is_binary/1},
        {is_bitstring, fun erlang:is_bitstring/1},
        {is_list, fun erlang:is_list/1},
        {is_tuple, fun erlang:is_tuple/1}
    ].

float_guards(Name, Zero) when Zero == 0.0 ->
    [test(is_float, Name), format("~s == 0.0", [Name])];
float_guards(Name, Float) ->
    Tolerance = abs(Float) * ?TOLERANCE,
    [
        test(is_float, Name),
        format("abs(~s - ~s) =< ~s", [Name, operand(Float), float_text(Tolerance)])
    ].

operand(Float) when Float < 0 -> ["(", float_text(Float), ")"];
operand(Float) -> float_text(Float).

float_text(Float) ->
    io_lib:write(Float).

variable(Stem, Guards, #{next := Next, guards := Known} = State) ->
    Name = Stem ++ integer_to_list(Next),
    New = lists:reverse(Guards(Name)),
    {{var, at(), list_to_atom(Name)}, State#{next := Next + 1, guards := New ++ Known}}.

test(Type, Name) ->
    format("~s(~s)", [Type, Name]).

format(Format, Args) ->
    lists:flatten(io_lib:format(Format, Args)).

at() ->
    erl_anno:new(0).
