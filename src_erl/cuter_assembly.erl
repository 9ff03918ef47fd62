%% What the compiler has made of a module's calls and arithmetic: read from the instructions of its
%% beam file.
%%
%% Only what a stacktrace shows is read: which calls come back to their function, which arithmetic
%% is done by instructions on floats, and the lines of both. As in the VM, a line holds from where
%% it is told until the next is. The compiler does not tell the line that it told before, although
%% the VM may have passed over it: it drops the line of a last call to another module that comes
%% right after its first argument. What follows is then shown in the line before that. What the
%% numbers of instructions mean is asked of the running release (`beam_opcodes`). Of a file that
%% cannot be read so, because it is another release's, nothing is told. In a file without lines they
%% are 0.
-module(cuter_assembly).

-export([functions/1, functions/2, is_increment/2, is_turned/1]).

-export_type([callee/0, event/0, functions/0]).

-type callee() ::
    {local, atom(), arity()}
    | {remote, module(), atom(), arity()}
    %% A fun, and a function whose name is computed.
    | {'fun', arity()}
    | {named, arity()}.
-type event() ::
    %% A call that comes back, or the last one of its function.
    {call | last, Line :: non_neg_integer(), callee()}
    %% A built-in function that has an instruction, one on floats, or adding a small literal to what
    %% is none, or nothing, or subtracting it.
    | {bif | float | increment, Line :: non_neg_integer(), {Name :: atom(), arity()}}
    %% No clause matches, or what is to be waited for, which is no literal, is no time.
    | {fail, Line :: non_neg_integer(), Reason :: atom()}
    %% The operator before this has what the compiler knows for its second operand.
    | {known, Line :: non_neg_integer(), {{Name :: atom(), arity()}, term()}}
    %% The event before this one is shown in another line.
    | {shown, Line :: non_neg_integer(), Shown :: non_neg_integer()}
    %% The call before this has another line right behind it.
    | {behind, Line :: non_neg_integer(), Next :: non_neg_integer()}.
%% Where a function begins, and what it does in the order of its code.
-type functions() :: [{atom(), arity(), Line :: non_neg_integer(), [event()]}].

-record(tables, {
    atoms :: #{pos_integer() => atom()},
    imports :: #{non_neg_integer() => {module(), atom(), arity()}},
    %% Lines by the numbers that instructions have for them.
    lines :: #{non_neg_integer() => non_neg_integer()},
    %% What those stand for (see `cuter_numbered`).
    original :: #{non_neg_integer() => non_neg_integer()}
}).

-record(at, {
    line = 0 :: non_neg_integer(),
    %% The line that the VM shows, and the one before.
    shown = 0 :: non_neg_integer(),
    shown_before = 0 :: non_neg_integer(),
    %% What the instruction before has moved where, if the VM has not put it together with another
    %% such instruction; and whether it was the first argument, and the line came after it.
    moved = none :: none | {Source :: term(), Target :: term()},
    is_dropped = false :: boolean(),
    %% The instruction before is a call that comes back.
    is_called = false :: boolean(),
    %% The function at hand and its events, the last first. A local callee is a label.
    name = none :: none | {atom(), arity()},
    begins = 0 :: non_neg_integer(),
    events = [] :: [tuple()],
    functions = [] :: [{atom(), arity(), non_neg_integer(), [tuple()]}],
    %% The next label is the function's own.
    entering = false :: boolean(),
    labels = #{} :: #{non_neg_integer() => {atom(), arity()}}
}).

-spec functions(binary()) -> functions().
functions(Beam) ->
    functions(Beam, #{}).

%% Of code with numbers in place of lines.
-spec functions(binary(), #{non_neg_integer() => non_neg_integer()}) -> functions().
functions(Beam, Original) ->
    Chunks = ["Code", "Line", "LitT", atoms, indexed_imports],
    try beam_lib:chunks(Beam, Chunks, [allow_missing_chunks]) of
        {ok, {_Module, Found}} -> read(maps:from_list(Found), Original);
        {error, beam_lib, _} -> []
    catch
        _:_ -> []
    end.

read(#{"Code" := Code, "Line" := Lines, atoms := Atoms} = Chunks, Original) ->
    #{indexed_imports := Imports, "LitT" := Literals} = Chunks,
    <<Size:32, _Header:Size/binary, Instructions/binary>> = Code,
    Tables = #tables{
        atoms = maps:from_list(Atoms),
        imports = maps:from_list([{Index - 1, {M, F, A}} || {Index, M, F, A} <- Imports]),
        lines = lines(Lines),
        original = Original
    },
    #at{functions = Functions, labels = Labels} = instructions(Instructions, Tables, #at{}),
    Wanted = [Index || {_, _, _, Events} <- Functions, {known, _, {_, {literal, Index}}} <- Events],
    Terms = literals(Wanted, Literals),
    [
        {Name, Arity, Line, [resolved(Event, Labels, Terms) || Event <- lists:reverse(Events)]}
     || {Name, Arity, Line, Events} <- lists:reverse(Functions)
    ].

resolved({known, Line, {Bif, Literal}}, _Labels, Terms) ->
    {known, Line, {Bif, literal(Literal, Terms)}};
resolved({Kind, Line, {label, Label}}, Labels, _Terms) ->
    {Name, Arity} = maps:get(Label, Labels),
    {Kind, Line, {local, Name, Arity}};
resolved(Event, _Labels, _Terms) ->
    Event.

%%% Literals that are no part of an instruction, as far as they are asked for

literals([], _Chunk) ->
    #{};
literals(Wanted, <<0:32, Literals/binary>>) ->
    wanted_literals(Wanted, Literals);
literals(Wanted, <<_Size:32, Compressed/binary>>) ->
    wanted_literals(Wanted, zlib:uncompress(Compressed)).

wanted_literals(Wanted, <<Count:32, Literals/binary>>) ->
    Written = [Term || <<Size:32, Term:Size/binary>> <= Literals],
    Numbered = maps:from_list(lists:zip(lists:seq(0, Count - 1), Written)),
    maps:map(fun(_Index, Term) -> binary_to_term(Term) end, maps:with(Wanted, Numbered)).

literal({literal, Index}, Terms) -> maps:get(Index, Terms);
literal({term, Term}, _Terms) -> Term.

%%% Lines. Numbers stand for lines, atoms for the files that the lines after them are of.

lines(missing_chunk) ->
    #{};
lines(<<0:32, _Flags:32, _Instructions:32, Count:32, _Files:32, Items/binary>>) ->
    lines(Items, 1, Count, #{0 => 0}).

lines(_Items, Index, Count, Lines) when Index > Count ->
    Lines;
lines(Items, Index, Count, Lines) ->
    case term(Items) of
        {{i, Line}, Rest} -> lines(Rest, Index + 1, Count, Lines#{Index => Line});
        {{a, _File}, Rest} -> lines(Rest, Index, Count, Lines)
    end.

%%% Instructions

instructions(<<Number, Rest/binary>>, Tables, At) ->
    {Name, Arity} = beam_opcodes:opname(Number),
    case is_told(Name) of
        true ->
            {Args, After} = terms(Arity, Rest, []),
            told(Name, Args, After, Tables, At);
        false ->
            Skipped = At#at{moved = none, is_dropped = false, is_called = false},
            instructions(skipped(Arity, Rest), Tables, Skipped)
    end;
instructions(<<>>, _Tables, At) ->
    finished(At).

is_told(line) -> true;
is_told(move) -> true;
is_told(badmatch) -> true;
is_told(case_end) -> true;
is_told(if_end) -> true;
is_told(try_case_end) -> true;
is_told(badrecord) -> true;
is_told(wait_timeout) -> true;
is_told(label) -> true;
is_told(func_info) -> true;
is_told(int_code_end) -> true;
is_told(call) -> true;
is_told(call_last) -> true;
is_told(call_only) -> true;
is_told(call_ext) -> true;
is_told(call_ext_last) -> true;
is_told(call_ext_only) -> true;
is_told(call_fun) -> true;
is_told(call_fun2) -> true;
is_told(apply) -> true;
is_told(apply_last) -> true;
is_told(bif1) -> true;
is_told(bif2) -> true;
is_told(gc_bif1) -> true;
is_told(gc_bif2) -> true;
is_told(gc_bif3) -> true;
is_told(fadd) -> true;
is_told(fsub) -> true;
is_told(fmul) -> true;
is_told(fdiv) -> true;
is_told(fnegate) -> true;
is_told(_Other) -> false.

told(int_code_end, _Args, _Rest, _Tables, At) ->
    finished(At);
told(line, [{u, Index} | _], Rest, #tables{lines = Lines} = Tables, At) ->
    instructions(Rest, Tables, at_line(maps:get(Index, Lines, 0), Tables, At));
told(move, [Source, Target], Rest, Tables, At) ->
    Moved = At#at{moved = moved(Source, Target, At), is_dropped = false, is_called = false},
    instructions(Rest, Tables, Moved);
told(func_info, [_, {a, Name}, {u, Arity}], Rest, #tables{atoms = Atoms} = Tables, At) ->
    instructions(Rest, Tables, (finished(At))#at{
        name = {maps:get(Name, Atoms), Arity},
        begins = At#at.line,
        shown = At#at.line,
        entering = true,
        is_called = false
    });
told(label, [{u, Label}], Rest, Tables, #at{entering = true, labels = Labels} = At) ->
    Entered = At#at{entering = false, labels = Labels#{Label => At#at.name}},
    instructions(Rest, Tables, Entered);
told(label, _Args, Rest, Tables, At) ->
    instructions(Rest, Tables, At#at{moved = none, is_dropped = false});
told(Name, Args, Rest, Tables, #at{line = Line, events = Events} = At) ->
    Event = event(Name, Args, Rest, Tables),
    IsCalled = is_tuple(Event) andalso element(1, Event) =:= call,
    Before = with_dropped(Event, At),
    After = Before#at{moved = none, is_dropped = false, is_called = IsCalled},
    case Event of
        {Kind, What} ->
            Told = shown(After, Tables) ++ [{Kind, Line, What} | Events],
            Known = [{known, Line, {What, Literal}} || Literal <- known(What, Args, Tables)],
            instructions(Rest, Tables, After#at{events = Known ++ Told});
        none ->
            instructions(Rest, Tables, After)
    end.

%% What the compiler knows is the second operand of such an operator, wherever it is written.
known({Name, 2}, Args, Tables) when length(Args) > 4 ->
    [Operand, _To] = lists:nthtail(length(Args) - 2, Args),
    case is_turned(Name) of
        true -> literal_operand(Operand, Tables);
        false -> []
    end;
known(_What, _Args, _Tables) ->
    [].

literal_operand({i, Integer}, _Tables) -> [{term, Integer}];
literal_operand({a, 0}, _Tables) -> [{term, []}];
literal_operand({a, Index}, #tables{atoms = Atoms}) -> [{term, maps:get(Index, Atoms)}];
literal_operand({literal, Index}, _Tables) -> [{literal, Index}];
literal_operand(_Register, _Tables) -> [].

%% Two moves from neighbours on the stack to registers that are neighbours are one in the VM.
moved({y, Y}, {x, X}, #at{moved = {{y, Before}, {x, To}}}) when
    abs(Y - Before) =:= 1, abs(X - To) =:= 1
->
    none;
moved(Source, Target, _At) ->
    {Source, Target}.

%% A line that is the one told before would not have been told, but for its number.
at_line(Line, Tables, #at{line = Before, shown = Shown, moved = Moved} = At) ->
    case original(Line, Tables) =:= original(Before, Tables) of
        true ->
            At#at{line = Line, is_called = false};
        false ->
            IsAfter = is_tuple(Moved) andalso element(2, Moved) =:= {x, 0},
            (with_behind(Line, At))#at{
                line = Line,
                shown = Line,
                shown_before = Shown,
                is_dropped = IsAfter
            }
    end.

with_behind(Line, #at{is_called = true, line = Before, events = Events} = At) ->
    At#at{is_called = false, events = [{behind, Before, Line} | Events]};
with_behind(_Line, At) ->
    At.

with_dropped({last, {remote, M, F, A}}, #at{is_dropped = true, shown_before = Shown} = At) ->
    case erlang:is_builtin(M, F, A) of
        true -> At;
        false -> At#at{shown = Shown}
    end;
with_dropped(_Event, At) ->
    At.

shown(#at{line = Line, shown = Shown}, Tables) ->
    case original(Line, Tables) =:= original(Shown, Tables) of
        true -> [];
        false -> [{shown, Line, Shown}]
    end.

original(Line, #tables{original = Original}) ->
    maps:get(Line, Original, Line).

finished(#at{name = none} = At) ->
    At;
finished(#at{name = {Name, Arity}, begins = Line, events = Events} = At) ->
    Function = {Name, Arity, Line, Events},
    At#at{name = none, events = [], functions = [Function | At#at.functions]}.

event(badmatch, _, _, _) -> {fail, badmatch};
event(case_end, _, _, _) -> {fail, case_clause};
event(if_end, _, _, _) -> {fail, if_clause};
event(try_case_end, _, _, _) -> {fail, try_clause};
event(badrecord, _, _, _) -> {fail, badrecord};
event(wait_timeout, [_, {i, _}], _, _) -> none;
event(wait_timeout, _, _, _) -> {fail, timeout_value};
event(call, [_, {f, Label}], _, _) -> {call, {label, Label}};
event(call_last, [_, {f, Label}, _], _, _) -> {last, {label, Label}};
event(call_only, [_, {f, Label}], _, _) -> {last, {label, Label}};
event(call_ext, [_, {u, Index}], _, Tables) -> {call, remote(Index, Tables)};
event(call_ext_last, [_, {u, Index}, _], _, Tables) -> {last, remote(Index, Tables)};
event(call_ext_only, [_, {u, Index}], _, Tables) -> {last, remote(Index, Tables)};
event(call_fun, [{u, Arity}], Rest, _) -> {fun_call(Rest), {'fun', Arity}};
event(call_fun2, [_, {u, Arity}, _], Rest, _) -> {fun_call(Rest), {'fun', Arity}};
event(apply, [{u, Arity}], _, _) -> {call, {named, Arity}};
event(apply_last, [{u, Arity}, _], _, _) -> {last, {named, Arity}};
%% What fails in a guard raises nothing.
event(_Bif, [{f, Fail} | _], _, _) when Fail > 0 -> none;
event(bif1, [_, {u, Index} | _], _, Tables) -> {bif, bif(Index, Tables)};
event(bif2, [_, {u, Index} | _], _, Tables) -> {bif, bif(Index, Tables)};
event(gc_bif1, [_, _, {u, Index} | Args], _, Tables) -> signed(bif(Index, Tables), Args);
event(gc_bif2, [_, _, {u, Index} | Args], _, Tables) -> arithmetic(bif(Index, Tables), Args);
event(gc_bif3, [_, _, {u, Index} | _], _, Tables) -> {bif, bif(Index, Tables)};
event(fadd, _, _, _) -> {float, {'+', 2}};
event(fsub, _, _, _) -> {float, {'-', 2}};
event(fmul, _, _, _) -> {float, {'*', 2}};
event(fdiv, _, _, _) -> {float, {'/', 2}};
event(fnegate, _, _, _) -> {float, {'-', 1}}.

%% What the sign + is put before, the VM adds 0 to.
signed({'+', 1}, [Arg, To]) -> arithmetic({'+', 2}, [Arg, {i, 0}, To]);
signed(Bif, _Args) -> {bif, Bif}.

arithmetic({Name, 2} = Bif, [{Register, _}, {i, Literal}, _]) when
    Register =:= x orelse Register =:= y
->
    case is_increment(Name, Literal) of
        true -> {increment, Bif};
        false -> {bif, Bif}
    end;
arithmetic(Bif, _Args) ->
    {bif, Bif}.

%% True if an integer is added, or subtracted, as a part of the instruction.
-spec is_increment(atom(), term()) -> boolean().
is_increment('+', Literal) -> is_small(Literal);
is_increment('-', Literal) -> is_small(Literal) andalso Literal >= 0;
is_increment(_Name, _Literal) -> false.

%% True of operators whose first operand is written second if the compiler knows it.
-spec is_turned(atom()) -> boolean().
is_turned(Name) ->
    lists:member(Name, ['+', '*', 'band', 'bor', 'bxor', 'and', 'or', 'xor']).

is_small(Literal) ->
    is_integer(Literal) andalso Literal >= -(1 bsl 59) andalso Literal < 1 bsl 59.

remote(Index, #tables{imports = Imports}) ->
    {Module, Function, Arity} = maps:get(Index, Imports),
    {remote, Module, Function, Arity}.

bif(Index, #tables{imports = Imports}) ->
    {erlang, Name, Arity} = maps:get(Index, Imports),
    {Name, Arity}.

%% Funs have no instruction for a last call: the loader puts it together with the return.
fun_call(<<Number, Rest/binary>>) ->
    case beam_opcodes:opname(Number) of
        {return, 0} -> last;
        {deallocate, Arity} -> fun_call_before(skipped(Arity, Rest));
        _ -> call
    end.

fun_call_before(<<Number, _/binary>>) ->
    case beam_opcodes:opname(Number) of
        {return, 0} -> last;
        _ -> call
    end.

%%% Operands: a tag of three bits and a number, in one byte, two, or as many as the first one says;
%%% the tag 7 begins what has further parts.

terms(0, Rest, Terms) ->
    {lists:reverse(Terms), Rest};
terms(Count, Binary, Terms) ->
    {Term, Rest} = term(Binary),
    terms(Count - 1, Rest, [Term | Terms]).

skipped(0, Rest) ->
    Rest;
skipped(Count, <<_:4, 0:1, Tag:3, Rest/binary>>) when Tag < 7 ->
    skipped(Count - 1, Rest);
skipped(Count, Binary) ->
    {_Term, Rest} = term(Binary),
    skipped(Count - 1, Rest).

-define(LIST, 1).
-define(FLOAT_REGISTER, 2).
-define(ALLOCATION, 3).
-define(LITERAL, 4).
-define(TYPED_REGISTER, 5).

term(<<?TYPED_REGISTER:4, 0:1, 7:3, Rest/binary>>) ->
    {Register, Type} = term(Rest),
    {Register, skipped(1, Type)};
term(<<?LITERAL:4, 0:1, 7:3, Rest/binary>>) ->
    {{u, Index}, After} = term(Rest),
    {{literal, Index}, After};
term(<<Extended:4, 0:1, 7:3, Rest/binary>>) ->
    {other, parts(Extended, Rest)};
term(<<Value:4, 0:1, Tag:3, Rest/binary>>) ->
    {{tag(Tag), Value}, Rest};
term(<<High:3, 0:1, 1:1, Tag:3, Low, Rest/binary>>) ->
    {{tag(Tag), High bsl 8 bor Low}, Rest};
term(<<7:3, 1:1, 1:1, Tag:3, Rest/binary>>) ->
    {{u, More}, Bytes} = term(Rest),
    number(Tag, More + 9, Bytes);
term(<<Size:3, 1:1, 1:1, Tag:3, Rest/binary>>) ->
    number(Tag, Size + 2, Rest).

number(Tag, Size, Bytes) ->
    <<Value:Size/unit:8-signed, Rest/binary>> = Bytes,
    {{tag(Tag), Value}, Rest}.

parts(?LIST, Rest) ->
    {{u, Size}, Elements} = term(Rest),
    skipped(Size, Elements);
parts(?FLOAT_REGISTER, Rest) ->
    skipped(1, Rest);
parts(?ALLOCATION, Rest) ->
    {{u, Size}, Pairs} = term(Rest),
    skipped(2 * Size, Pairs).

tag(0) -> u;
tag(1) -> i;
tag(2) -> a;
tag(3) -> x;
tag(4) -> y;
tag(5) -> f;
tag(6) -> h;
tag(7) -> z.
