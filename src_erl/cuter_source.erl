%% Terms as Erlang source that can be pasted into a shell.
%%
%% A list of integers is text only where it is certainly meant as such: at least four characters,
%% all of them printable, more than half of them letters. `[42]` stays `[42]`. A binary is a binary
%% either way, so one character is enough there if the rest holds.
%%
%% Pids, ports and references are written as the call that makes them again; so is a fun made by
%% the shell or by the engine, whose clauses are known. A compiled fun has no source: it is
%% shown as the shell shows it.
-module(cuter_source).

-export([call/3, term/1, term/2]).

-define(WIDTH, 100).
%% Beyond this size (in words) no line breaks are looked for.
-define(LARGE, 20000).
-define(SHORTEST_STRING, 4).

%% A call, to be written behind `Indent` columns.
-spec call(mfa() | {module(), atom()}, [term()], non_neg_integer()) -> iolist().
call({Module, Function, _Arity}, Args, Indent) ->
    call({Module, Function}, Args, Indent);
call({Module, Function}, Args, Indent) ->
    Callee = {remote, at(), {atom, at(), Module}, {atom, at(), Function}},
    pretty({call, at(), Callee, [form(Arg) || Arg <- Args]}, Indent, Args).

-spec term(term()) -> iolist().
term(Term) ->
    term(Term, 0).

-spec term(term(), Indent :: non_neg_integer()) -> iolist().
term(Term, Indent) ->
    pretty(form(Term), Indent, Term).

pretty(Form0, Indent, Term) ->
    Form = cuter_fun_source:resolve(Form0, Term, fun form/1),
    erl_pp:expr(Form, Indent, [{encoding, unicode}, {linewidth, width(Term)}]).

width(Term) ->
    case erts_debug:flat_size(Term) > ?LARGE of
        true -> 1 bsl 40;
        false -> ?WIDTH
    end.

%%% The abstract form of a term

form(Term) when is_atom(Term) -> {atom, at(), Term};
form(Term) when is_integer(Term) -> number(integer, Term, Term < 0);
form(Term) when is_float(Term) -> number(float, Term, is_negative(Term));
form(Term) when is_tuple(Term) -> {tuple, at(), forms(tuple_to_list(Term))};
form(Term) when is_map(Term) -> {map, at(), [pair(P) || P <- lists:sort(maps:to_list(Term))]};
form(Term) when is_bitstring(Term) -> {bin, at(), segments(Term)};
form(Term) when is_function(Term) -> function(Term, erl_eval:fun_data(Term));
form(Term) when is_pid(Term) -> remake(list_to_pid, pid_to_list(Term));
form(Term) when is_port(Term) -> remake(list_to_port, erlang:port_to_list(Term));
form(Term) when is_reference(Term) -> remake(list_to_ref, ref_to_list(Term));
form([]) -> {nil, at()};
form([_ | _] = Term) -> list(Term, is_text(Term)).

%% The forms come from no source file.
at() ->
    erl_anno:new(0).

forms(Terms) ->
    [form(Term) || Term <- Terms].

number(Kind, Number, false) -> {Kind, at(), Number};
number(Kind, Number, true) -> {op, at(), '-', {Kind, at(), -Number}}.

is_negative(Float) ->
    <<Sign:1, _:63>> = <<Float/float>>,
    Sign =:= 1.

pair({Key, Value}) ->
    {map_field_assoc, at(), form(Key), form(Value)}.

list(Term, true) -> {string, at(), Term};
list(Term, false) -> cells(Term).

cells([Head | Tail]) -> {cons, at(), form(Head), cells(Tail)};
cells(Tail) -> form(Tail).

remake(Function, Text) ->
    Callee = {remote, at(), {atom, at(), erlang}, {atom, at(), Function}},
    {call, at(), Callee, [{string, at(), Text}]}.

%%% Bitstrings

segments(<<>>) ->
    [];
segments(Bits) when is_binary(Bits) ->
    Bytes = binary_to_list(Bits),
    case are_printable(Bytes) andalso are_mostly_letters(Bytes) of
        true -> [{bin_element, at(), {string, at(), Bytes}, default, default}];
        false -> [byte_segment(Byte) || Byte <- Bytes]
    end;
segments(Bits) ->
    Whole = bit_size(Bits) div 8,
    <<Bytes:Whole/binary, Rest/bitstring>> = Bits,
    Size = bit_size(Rest),
    <<Value:Size>> = Rest,
    Last = {bin_element, at(), {integer, at(), Value}, {integer, at(), Size}, default},
    [byte_segment(Byte) || Byte <- binary_to_list(Bytes)] ++ [Last].

byte_segment(Byte) ->
    {bin_element, at(), {integer, at(), Byte}, default, default}.

%%% Funs

function(_Fun, {fun_data, _Bindings, Clauses}) ->
    {'fun', at(), {clauses, Clauses}};
function(_Fun, {named_fun_data, _Bindings, Name, Clauses}) ->
    {named_fun, at(), Name, Clauses};
function(Fun, false) ->
    case cuter_table:table(Fun) of
        none -> compiled(Fun, erlang:fun_info(Fun, type));
        Table -> cuter_fun_source:placeholder(Table)
    end.

compiled(Fun, {type, external}) ->
    {module, Module} = erlang:fun_info(Fun, module),
    {name, Name} = erlang:fun_info(Fun, name),
    {arity, Arity} = erlang:fun_info(Fun, arity),
    {'fun', at(), {function, {atom, at(), Module}, {atom, at(), Name}, {integer, at(), Arity}}};
compiled(Fun, {type, local}) ->
    {var, at(), list_to_atom(erlang:fun_to_list(Fun))}.

%%% Text

is_text(List) ->
    is_proper(List) andalso length(List) >= ?SHORTEST_STRING andalso are_printable(List) andalso
        are_mostly_letters(List).

is_proper([_ | Tail]) -> is_proper(Tail);
is_proper(Tail) -> Tail =:= [].

are_printable(Chars) ->
    lists:all(fun is_printable/1, Chars).

is_printable(Char) when is_integer(Char), Char >= $\s, Char =< $~ -> true;
is_printable(Char) -> lists:member(Char, "\n\r\t").

are_mostly_letters(Chars) ->
    2 * length(lists:filter(fun is_letter/1, Chars)) > length(Chars).

is_letter(Char) ->
    (Char >= $a andalso Char =< $z) orelse (Char >= $A andalso Char =< $Z).
