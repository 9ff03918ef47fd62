%% Terms as Erlang source that can be pasted into a shell or compiled.
%%
%% A list of integers is text where the function's spec says so and all of them can be printed;
%% where there is nothing about it in the spec, only if it is certainly meant as such: at least two
%% characters, more than half of them ASCII letters, or four of those that dates, numbers and names
%% are written with. `[42]` stays `[42]`. A binary is a binary either way, so two characters are
%% enough there, and one that is a letter.
%%
%% A tuple with the tag and size of a record is written as that record. The records are those that
%% the caller gives; fields that have no default and are `undefined` are left out.
%%
%% Pids, ports and references are written as the call that makes them again; so is a fun made by
%% the shell or by the engine, whose clauses are known. A compiled fun has no source: it is
%% shown as the shell shows it.
-module(cuter_source).

-export([call/3, call/4, term/1, term/2, term/3, line/1, form/2, call_form/3, is_expressible/1]).

-define(WIDTH, 100).
%% Beyond this size (in words) no line breaks are looked for.
-define(LARGE, 20000).
-define(SHORTEST_STRING, 2).
-define(SHORTEST_NOTE, 4).

%% A call, to be written behind `Indent` columns.
-spec call(mfa() | {module(), atom()}, [term()], non_neg_integer()) -> iolist().
call(Mfa, Args, Indent) ->
    call(Mfa, Args, Indent, #{}).

-spec call(mfa() | {module(), atom()}, [term()], non_neg_integer(), cuter_module:records()) ->
    iolist().
call(Mfa, Args, Indent, Records) ->
    pretty(call_form(Mfa, Args, Records), Indent, Args).

-spec term(term()) -> iolist().
term(Term) ->
    term(Term, 0).

-spec term(term(), Indent :: non_neg_integer()) -> iolist().
term(Term, Indent) ->
    term(Term, Indent, #{}).

-spec term(term(), Indent :: non_neg_integer(), cuter_module:records()) -> iolist().
term(Term, Indent, Records) ->
    pretty(form(Term, Records), Indent, Term).

%% On one line, whatever its size.
-spec line(term()) -> iolist().
line(Term) ->
    Text = erl_pp:expr(form(Term, #{}), 0, [{encoding, unicode}, {linewidth, 1 bsl 40}]),
    %% The clauses of a fun have lines of their own. Inside of quotes a newline is written `\n`.
    re:replace(Text, "\\n *", " ", [global, unicode, {return, list}]).

pretty(Form, Indent, Term) ->
    erl_pp:expr(Form, Indent, [{encoding, unicode}, {linewidth, width(Term)}]).

width(Term) ->
    case erts_debug:flat_size(Term) > ?LARGE of
        true -> 1 bsl 40;
        false -> ?WIDTH
    end.

%% Whether the term is written so that it means the same in another VM, at another time.
-spec is_expressible(term()) -> boolean().
is_expressible(Term) when is_pid(Term); is_port(Term); is_reference(Term) -> false;
is_expressible(Term) when is_function(Term) ->
    case erl_eval:fun_data(Term) of
        {fun_data, Bindings, _} -> is_expressible(erl_eval:bindings(Bindings));
        {named_fun_data, Bindings, _, _} -> is_expressible(erl_eval:bindings(Bindings));
        false -> is_expressible_fun(Term, cuter_table:table(Term))
    end;
is_expressible(Term) when is_tuple(Term) -> is_expressible(tuple_to_list(Term));
is_expressible(Term) when is_map(Term) -> is_expressible(maps:to_list(Term));
is_expressible([Head | Tail]) -> is_expressible(Head) andalso is_expressible(Tail);
is_expressible(_Term) -> true.

is_expressible_fun(Fun, none) -> erlang:fun_info(Fun, type) =:= {type, external};
is_expressible_fun(_Fun, Table) -> is_expressible(Table).

%%% The abstract form of a term

-spec call_form(mfa() | {module(), atom()}, [term()], cuter_module:records()) ->
    erl_parse:abstract_expr().
call_form({Module, Function, _Arity}, Args, Records) ->
    call_form({Module, Function}, Args, Records);
call_form({Module, Function}, Args, Records) ->
    Callee = {remote, at(), {atom, at(), Module}, {atom, at(), Function}},
    Hints = hints({Function, length(Args)}, Records),
    Forms = [raw(Arg, Records#{text => Hint}) || {Arg, Hint} <- lists:zip(Args, Hints)],
    resolved({call, at(), Callee, Forms}, Args, Records).

hints({_Function, Arity} = Key, Records) ->
    case Records of
        #{texts := #{Key := Hints}} -> Hints;
        #{} -> lists:duplicate(Arity, unknown)
    end.

-spec form(term(), cuter_module:records()) -> erl_parse:abstract_expr().
form(Term, Records) ->
    resolved(raw(Term, Records), Term, Records).

resolved(Form, Term, Records) ->
    cuter_fun_source:resolve(Form, Term, fun(Part) -> raw(Part, Records) end).

raw(Term, _) when is_atom(Term) -> {atom, at(), Term};
raw(Term, _) when is_integer(Term) -> number(integer, Term, Term < 0);
raw(Term, _) when is_float(Term) -> number(float, Term, is_negative(Term));
raw(Term, Records) when is_tuple(Term) -> tuple(Term, Records);
raw(Term, Records) when is_map(Term) ->
    {map, at(), [pair(Pair, Records) || Pair <- lists:sort(maps:to_list(Term))]};
raw(Term, _) when is_bitstring(Term) -> {bin, at(), segments(Term)};
raw(Term, Records) when is_function(Term) -> function(Term, erl_eval:fun_data(Term), Records);
raw(Term, _) when is_pid(Term) -> pid(Term, cuter_identifiers:caller());
raw(Term, _) when is_port(Term) -> remake(list_to_port, erlang:port_to_list(Term));
raw(Term, _) when is_reference(Term) -> remake(list_to_ref, ref_to_list(Term));
raw([], _) -> {nil, at()};
raw([_ | _] = Term, Records) -> list(Term, is_text(Term, Records), Records).

pid(Caller, Caller) -> {call, at(), {atom, at(), self}, []};
pid(Pid, _Caller) -> remake(list_to_pid, pid_to_list(Pid)).

%% The forms come from no source file.
at() ->
    erl_anno:new(0).

forms(Terms, Records) ->
    [raw(Term, Records) || Term <- Terms].

number(Kind, Number, false) -> {Kind, at(), Number};
number(Kind, Number, true) -> {op, at(), '-', {Kind, at(), -Number}}.

is_negative(Float) ->
    <<Sign:1, _:63>> = <<Float/float>>,
    Sign =:= 1.

tuple(Term, Records) when tuple_size(Term) > 0 ->
    case Records of
        #{{element(1, Term), tuple_size(Term)} := Fields} -> record(Term, Fields, Records);
        #{} -> {tuple, at(), forms(tuple_to_list(Term), Records)}
    end;
tuple({}, _Records) ->
    {tuple, at(), []}.

record(Term, Fields, Records) ->
    [Name | Values] = tuple_to_list(Term),
    Given = [
        {record_field, at(), {atom, at(), Field}, raw(Value, Records)}
     || {{Field, Optional}, Value} <- lists:zip(Fields, Values),
        not (Optional andalso Value =:= undefined)
    ],
    {record, at(), Name, Given}.

pair({Key, Value}, Records) ->
    {map_field_assoc, at(), raw(Key, Records), raw(Value, Records)}.

list(Term, true, _Records) -> {string, at(), Term};
list(Term, false, Records) -> cells(Term, Records).

cells([Head | Tail], Records) -> {cons, at(), raw(Head, Records), cells(Tail, Records)};
cells(Tail, Records) -> raw(Tail, Records).

remake(Function, Text) ->
    Callee = {remote, at(), {atom, at(), erlang}, {atom, at(), Function}},
    {call, at(), Callee, [{string, at(), Text}]}.

%%% Bitstrings

segments(<<>>) ->
    [];
segments(Bits) when is_binary(Bits) ->
    text_segments(Bits, unicode:characters_to_list(Bits));
segments(Bits) ->
    Whole = bit_size(Bits) div 8,
    <<Bytes:Whole/binary, Rest/bitstring>> = Bits,
    Size = bit_size(Rest),
    <<Value:Size>> = Rest,
    Last = {bin_element, at(), {integer, at(), Value}, {integer, at(), Size}, default},
    byte_segments(Bytes) ++ [Last].

text_segments(Bits, Chars) when is_list(Chars) ->
    Encoding =
        case lists:all(fun(Char) -> Char < 128 end, Chars) of
            true -> default;
            false -> [utf8]
        end,
    case are_printable(Chars) andalso is_text_of_bytes(Chars) of
        true -> [{bin_element, at(), {string, at(), Chars}, default, Encoding}];
        false -> byte_segments(Bits)
    end;
text_segments(Bits, _NoText) ->
    byte_segments(Bits).

byte_segments(Bytes) ->
    [
        {bin_element, at(), {integer, at(), Byte}, default, default}
     || Byte <- binary_to_list(Bytes)
    ].

%%% Funs

function(_Fun, {fun_data, Bindings, Clauses}, Records) ->
    bound({'fun', at(), {clauses, Clauses}}, erl_eval:bindings(Bindings), Records);
function(_Fun, {named_fun_data, Bindings, Name, Clauses}, Records) ->
    bound({named_fun, at(), Name, Clauses}, erl_eval:bindings(Bindings), Records);
function(Fun, false, _Records) ->
    case cuter_table:table(Fun) of
        none -> compiled(Fun, erlang:fun_info(Fun, type));
        Table -> cuter_fun_source:placeholder(Table)
    end.

%% A fun that uses variables from outside is made by one that binds them.
bound(Fun, [], _Records) ->
    Fun;
bound(Fun, Bindings, Records) ->
    {Names, Values} = lists:unzip(lists:sort(Bindings)),
    Clause = {clause, at(), [{var, at(), Name} || Name <- Names], [], [Fun]},
    {call, at(), {'fun', at(), {clauses, [Clause]}}, forms(Values, Records)}.

compiled(Fun, {type, external}) ->
    {module, Module} = erlang:fun_info(Fun, module),
    {name, Name} = erlang:fun_info(Fun, name),
    {arity, Arity} = erlang:fun_info(Fun, arity),
    {'fun', at(), {function, {atom, at(), Module}, {atom, at(), Name}, {integer, at(), Arity}}};
compiled(Fun, {type, local}) ->
    {var, at(), list_to_atom(erlang:fun_to_list(Fun))}.

%%% Text

is_text(List, #{text := text}) -> is_proper(List) andalso are_printable(List);
is_text(_List, #{text := numbers}) -> false;
is_text(List, #{}) -> is_proper(List) andalso are_printable(List) andalso is_likely_text(List).

is_likely_text(Chars) ->
    (length(Chars) >= ?SHORTEST_STRING andalso are_mostly(fun is_letter/1, Chars)) orelse
        (length(Chars) >= ?SHORTEST_NOTE andalso lists:all(fun is_common/1, Chars)).

is_text_of_bytes(Chars) ->
    are_mostly(fun is_letter_or_beyond/1, Chars) orelse
        (length(Chars) >= ?SHORTEST_STRING andalso
            lists:all(fun(Char) -> Char >= $\s andalso Char =< $~ end, Chars)).

is_proper([_ | Tail]) -> is_proper(Tail);
is_proper(Tail) -> Tail =:= [].

are_printable(Chars) ->
    lists:all(fun is_printable/1, Chars).

is_printable(Char) when is_integer(Char), Char >= $\s, Char =< $~ -> true;
is_printable(Char) when is_integer(Char), Char >= 16#A0 -> io_lib:printable_unicode_list([Char]);
is_printable(Char) -> lists:member(Char, "\n\r\t").

are_mostly(Kind, Chars) ->
    2 * length(lists:filter(Kind, Chars)) > length(Chars).

is_letter(Char) ->
    (Char >= $a andalso Char =< $z) orelse (Char >= $A andalso Char =< $Z).

%% What dates, numbers, paths and names are written with.
is_common(Char) ->
    is_letter(Char) orelse (Char >= $0 andalso Char =< $9) orelse lists:member(Char, " -+:/.,_@").

%% Bytes that happen to be UTF-8 are text; integers that happen to be characters beyond ASCII are
%% not.
is_letter_or_beyond(Char) ->
    is_letter(Char) orelse Char >= 16#C0.
