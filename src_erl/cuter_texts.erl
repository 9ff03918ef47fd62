%% Which arguments of a module's functions are text, by their specs.
%%
%% A list of small integers does not tell whether it is text. A spec mostly does: an argument with
%% `string()`, `[char()]`, `iodata()` or the like in its type holds text, one with a list of other
%% integers holds numbers. Types of the module are followed, of types of other modules only those
%% that OTP has for text are known.
-module(cuter_texts).

-export([hints/1]).

-export_type([hint/0, hints/0]).

-type hint() :: text | numbers | unknown.
%% By name and arity of the function, one for each argument.
-type hints() :: #{{atom(), arity()} => [hint()]}.

-define(IS_TEXT(Name),
    (Name =:= string orelse Name =:= nonempty_string orelse Name =:= iolist orelse Name =:= iodata)
).
-define(IS_NUMBER(Name),
    (Name =:= integer orelse Name =:= non_neg_integer orelse Name =:= pos_integer orelse
        Name =:= neg_integer orelse Name =:= range orelse Name =:= number orelse
        Name =:= byte orelse Name =:= arity)
).

-spec hints([erl_parse:abstract_form()]) -> hints().
hints(Forms) ->
    Types = maps:from_list([
        {{Name, length(Vars)}, Type}
     || {attribute, _, Kind, {Name, Type, Vars}} <- Forms, Kind =:= type orelse Kind =:= opaque
    ]),
    maps:from_list([
        {name_arity(Function), hints_of(Clauses, Types)}
     || {attribute, _, spec, {Function, Clauses}} <- Forms
    ]).

name_arity({_Module, Name, Arity}) -> {Name, Arity};
name_arity({Name, Arity}) -> {Name, Arity}.

hints_of(Clauses, Types) ->
    Rows = [
        [kinds(Arg, Bounds, Types) || Arg <- Args]
     || {Args, Bounds} <- lists:map(fun clause/1, Clauses)
    ],
    [hint(lists:usort(lists:append(Column))) || Column <- transposed(Rows)].

transposed([[] | _]) -> [];
transposed(Rows) -> [[hd(Row) || Row <- Rows] | transposed([tl(Row) || Row <- Rows])].

clause({type, _, bounded_fun, [Fun, Constraints]}) ->
    {Args, []} = clause(Fun),
    Bounds = [
        {Var, Type}
     || {type, _, constraint, [{atom, _, is_subtype}, [{var, _, Var}, Type]]} <- Constraints
    ],
    {Args, Bounds};
clause({type, _, 'fun', [{type, _, product, Args}, _Result]}) ->
    {Args, []}.

hint([text]) -> text;
hint([numbers]) -> numbers;
hint(_BothOrNone) -> unknown.

%% What kinds of lists of integers there are in a type.
kinds(Type, Bounds, Types) ->
    {Kinds, _Seen} = walk(Type, {[], #{}}, {maps:from_list(Bounds), Types}),
    Kinds.

walk({type, _, Name, []}, State, _Context) when ?IS_TEXT(Name) ->
    found(text, State);
walk({type, _, List, [Element | _] = Parts}, State, Context) when
    List =:= list; List =:= nonempty_list; List =:= maybe_improper_list
->
    walk(Parts, elements(Element, State), Context);
walk({remote_type, _, [{atom, _, Module}, {atom, _, Name}, Args]}, State, Context) ->
    case is_text_of_otp(Module, Name) of
        true -> found(text, State);
        false -> walk(Args, State, Context)
    end;
walk({user_type, _, Name, Args}, {Kinds, Seen}, {_Bounds, Types} = Context) ->
    Key = {Name, length(Args)},
    State = walk(Args, {Kinds, Seen#{Key => true}}, Context),
    case Types of
        #{Key := Type} when not is_map_key(Key, Seen) -> walk(Type, State, Context);
        #{} -> State
    end;
walk({var, _, Name}, {Kinds, Seen} = State, {Bounds, _Types} = Context) ->
    case Bounds of
        #{Name := Type} when not is_map_key(Name, Seen) ->
            walk(Type, {Kinds, Seen#{Name => true}}, Context);
        #{} ->
            State
    end;
walk({ann_type, _, [_Var, Type]}, State, Context) ->
    walk(Type, State, Context);
walk({type, _, 'fun', _}, State, _Context) ->
    State;
walk({type, _, _, Parts}, State, Context) when is_list(Parts) ->
    walk(Parts, State, Context);
walk([Type | Types], State, Context) ->
    walk(Types, walk(Type, State, Context), Context);
walk(_Leaf, State, _Context) ->
    State.

elements({type, _, char, []}, State) -> found(text, State);
elements({type, _, Name, _}, State) when ?IS_NUMBER(Name) -> found(numbers, State);
elements({integer, _, _}, State) -> found(numbers, State);
elements(_Others, State) -> State.

found(Kind, {Kinds, Seen}) ->
    {[Kind | Kinds], Seen}.

is_text_of_otp(unicode, Name) -> lists:member(Name, [chardata, charlist, external_charlist]);
is_text_of_otp(io_lib, Name) -> lists:member(Name, [chars, chars_list]);
is_text_of_otp(file, Name) -> lists:member(Name, [filename, filename_all, name, name_all]);
is_text_of_otp(uri_string, uri_string) -> true;
is_text_of_otp(_Module, _Name) -> false.
