%% The condition of a failure, for people to read: with the fields of records where the engine,
%% which knows tuples only, says `element(3, X1)`, and with characters where the spec says text.
%%
%% Which terms are records is read off the input that fails. A guard with `X1#account.owner` holds
%% for records of that name alone, so it promises no more than it did.
-module(cuter_condition).

-export([text/3]).

-define(WIDTH, 10000).

%% The failing arguments, the names of those that are text, and the records of the module.
-type in() :: {[term()], [atom()], cuter_module:records()}.

-spec text(cuter_report:failure(), mfa(), cuter_module:records()) -> unicode:chardata().
text(#{condition := Condition, input := Input}, Mfa, Records) ->
    Text = unicode:characters_to_list(Condition),
    In = {Input, texts(Mfa, Records), Records},
    case parsed(Text) of
        {ok, Exprs} ->
            case [named(Expr, In) || Expr <- Exprs] of
                Exprs -> Text;
                Named -> lists:join(", ", [printed(Expr) || Expr <- Named])
            end;
        error ->
            Text
    end.

texts({_, Function, Arity}, Records) ->
    Hints = maps:get({Function, Arity}, maps:get(texts, Records, #{}), []),
    [Name || {Name, text} <- lists:zip(names(length(Hints)), Hints)].

names(Count) ->
    [list_to_atom("X" ++ integer_to_list(N)) || N <- lists:seq(1, Count)].

parsed(Text) ->
    case erl_scan:string(Text ++ ".") of
        {ok, Tokens, _} ->
            case erl_parse:parse_exprs(Tokens) of
                {ok, Exprs} -> {ok, Exprs};
                {error, _} -> error
            end;
        {error, _, _} ->
            error
    end.

%% On one line: the printer of OTP breaks some expressions, however wide the line is.
printed(Expr) ->
    Lines = string:split(erl_pp:expr(Expr, [{encoding, unicode}, {linewidth, ?WIDTH}]), "\n", all),
    lists:join(" ", [string:trim(Line) || Line <- Lines]).

-spec named(erl_parse:abstract_expr(), in()) -> erl_parse:abstract_expr().
named({op, Anno, Comparison, {call, _, {atom, _, hd}, _} = Char, {integer, At, N}}, In) ->
    {op, Anno, Comparison, parts(Char, In), {kind(N, Char, In), At, N}};
%% A tag that is asked for is a record that is asked for.
named({op, Anno, '=:=', Tag, {atom, _, _} = Name} = Expr, In) ->
    case field(Tag, In) of
        {record, Name, Record} ->
            {call, Anno, {atom, Anno, is_record}, [named(Record, In), Name]};
        _ ->
            parts(Expr, In)
    end;
named(Expr, In) ->
    case field(Expr, In) of
        {field, Name, Field, Record} ->
            {record_field, element(2, Expr), named(Record, In), Name, Field};
        _ ->
            parts(Expr, In)
    end.

parts(Expr, In) when is_tuple(Expr) -> list_to_tuple(parts(tuple_to_list(Expr), In));
parts([Part | Parts], In) -> [named(Part, In) | parts(Parts, In)];
parts(Leaf, _In) -> Leaf.

kind(N, Char, {_, Texts, _}) ->
    case lists:member(variable(Char), Texts) andalso N >= $\s andalso N =< $~ of
        true -> char;
        false -> integer
    end.

%% The argument that a part of one is of.
variable({var, _, Name}) -> Name;
variable({call, _, _, Args}) when Args =/= [] -> variable(lists:last(Args));
variable(_Expr) -> none.

%% What an expression takes out of a term that is a record in the failing input.
field({call, Anno, {atom, _, element}, [{integer, _, Index}, Term]}, {Input, _, Records}) ->
    case fields(value(Term, Input), Records) of
        {Name, _Fields} when Index =:= 1 ->
            {record, {atom, Anno, Name}, Term};
        {Name, Fields} when Index =< length(Fields) + 1 ->
            {Field, _Optional} = lists:nth(Index - 1, Fields),
            {field, Name, {atom, Anno, Field}, Term};
        _ ->
            none
    end;
field(_Expr, _In) ->
    none.

fields({ok, Tuple}, Records) when is_tuple(Tuple), tuple_size(Tuple) > 0 ->
    Key = {element(1, Tuple), tuple_size(Tuple)},
    case Records of
        #{Key := Fields} -> {element(1, Tuple), Fields};
        #{} -> none
    end;
fields(_Value, _Records) ->
    none.

value(Expr, Input) ->
    Bindings = maps:from_list(lists:zip(names(length(Input)), Input)),
    try erl_eval:expr(Expr, Bindings) of
        {value, Value, _} -> {ok, Value}
    catch
        _:_ -> none
    end.
