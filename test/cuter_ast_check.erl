%% Checks a syntax tree against docs/protocol.md and tells which kinds of nodes it has.
-module(cuter_ast_check).

-export([kinds/1]).

%% The kinds of nodes in a module, patterns as `{pattern, Kind}`. Fails on any other node.
-spec kinds(tuple()) -> ordsets:ordset(term()).
kinds({cuter_module, 6, Name, Files, Exports, Functions, Specs, {<<_:128>>, Lambdas}}) when
    is_atom(Name)
->
    [{_, _, _, _} = Lambda || Lambda <- Lambdas],
    true = lists:all(fun is_binary/1, Files),
    true = Files =:= [] orelse
        lists:all(fun({_, _, File, _}) -> File < length(Files) end, Functions),
    true = lists:all(fun is_name/1, Exports),
    true = lists:all(fun is_spec/1, Specs),
    lists:usort(lists:flatmap(fun function/1, Functions)).

is_raiser(undefined) -> true;
is_raiser(itself) -> true;
is_raiser({by, Name, How}) -> is_atom(Name) andalso lists:member(How, [call, last]);
is_raiser(Function) -> is_name(Function).

is_name({Function, Arity}) -> is_atom(Function) andalso is_integer(Arity).

is_spec({spec, Name, [_ | _]}) -> is_name(Name);
is_spec({type, Name, _Type, Parameters}) -> is_atom(Name) andalso is_list(Parameters);
is_spec({opaque, Name, _Type, Parameters}) -> is_atom(Name) andalso is_list(Parameters);
is_spec({record, Name, Fields}) -> is_atom(Name) andalso is_list(Fields);
is_spec({cuter, _}) -> true.

function({Name, Arity, File, {'fun', _, Vars, _, undefined} = Fun}) when
    is_atom(Name), is_integer(File), File >= 0
->
    Arity = length(Vars),
    lists:usort(expr(Fun)).

expr({lit, _}) ->
    [lit];
expr({var, Name}) ->
    variable(Name),
    [var];
expr({fname, Function, Arity}) when is_atom(Function), is_integer(Arity) ->
    [fname];
expr({values, Es}) ->
    [values | exprs(Es)];
expr({list, [_ | _] = Es, Tail}) ->
    [list | exprs([Tail | Es])];
expr({tuple, Es}) ->
    [tuple | exprs(Es)];
expr({map, Line, Arg, Pairs}) ->
    line(Line),
    [map | expr(Arg)] ++ lists:flatmap(fun pair/1, Pairs);
expr({binary, Line, Segments}) ->
    line(Line),
    [binary | lists:flatmap(fun(S) -> segment(S, fun expr/1) end, Segments)];
expr({'fun', Line, Vars, Body, Name}) ->
    true = is_atom(Name) orelse is_name(Name),
    line(Line),
    variables(Vars),
    ['fun' | expr(Body)];
expr({'let', Vars, Arg, Body}) ->
    variables(Vars),
    ['let' | exprs([Arg, Body])];
expr({seq, First, Second}) ->
    [seq | exprs([First, Second])];
expr({'case', Line, Arg, [_ | _] = Clauses}) ->
    line(Line),
    ['case' | expr(Arg)] ++ lists:flatmap(fun clause/1, Clauses);
expr({letrec, Kind, [_ | _] = Definitions, Body}) when Kind =:= rec; Kind =:= goto ->
    [{letrec, Kind} | expr(Body)] ++ lists:flatmap(fun definition/1, Definitions);
expr({apply, Line, Function, Args}) ->
    line(Line),
    [apply | exprs([Function | Args])];
expr({call, Line, Module, Function, Args}) ->
    line(Line),
    [call | exprs([Module, Function | Args])];
expr({primop, Line, Name, Args, Function}) when is_atom(Name) ->
    line(Line),
    true = is_raiser(Function),
    [primop | exprs(Args)];
expr({'try', Line, Arg, Vars, Body, ExceptionVars, Handler}) ->
    line(Line),
    variables(Vars),
    variables(ExceptionVars),
    ['try' | exprs([Arg, Body, Handler])];
expr({'catch', Line, Body}) ->
    line(Line),
    ['catch' | expr(Body)].

exprs(Es) ->
    lists:usort(lists:flatmap(fun expr/1, Es)).

pair({Op, Key, Value}) when Op =:= assoc; Op =:= exact ->
    exprs([Key, Value]).

clause({clause, Line, Patterns, Guard, Body, Generated}) when is_boolean(Generated) ->
    line(Line),
    lists:usort(lists:flatmap(fun pattern/1, Patterns) ++ exprs([Guard, Body])).

definition({Name, Arity, {'fun', _, Vars, _, _} = Fun}) when is_atom(Name) ->
    Arity = length(Vars),
    expr(Fun).

pattern({lit, _}) ->
    [{pattern, lit}];
pattern({var, Name}) ->
    variable(Name),
    [{pattern, var}];
pattern({alias, Name, Pattern}) ->
    variable(Name),
    [{pattern, alias} | pattern(Pattern)];
pattern({list, [_ | _] = Patterns, Tail}) ->
    [{pattern, list} | lists:flatmap(fun pattern/1, [Tail | Patterns])];
pattern({tuple, Patterns}) ->
    [{pattern, tuple} | lists:flatmap(fun pattern/1, Patterns)];
pattern({map, Line, Pairs}) ->
    line(Line),
    [{pattern, map} | lists:flatmap(fun pattern_pair/1, Pairs)];
pattern({binary, Line, Segments}) ->
    line(Line),
    [{pattern, binary} | lists:flatmap(fun(S) -> segment(S, fun pattern/1) end, Segments)].

pattern_pair({exact, Key, Pattern}) ->
    expr(Key) ++ pattern(Pattern).

segment({seg, Value, Size, Unit, Type, Flags, Number}, Check) when
    is_list(Flags), is_integer(Number), Number >= 0
->
    true = is_integer(Unit) orelse Unit =:= undefined,
    true = lists:member(Type, [integer, float, binary, utf8, utf16, utf32]),
    true = lists:all(fun is_atom/1, Flags),
    Check(Value) ++ expr(Size).

variables(Names) ->
    lists:foreach(fun variable/1, Names).

variable(Name) ->
    true = is_atom(Name) orelse is_integer(Name).

line(nowhere) ->
    true;
line({unseen, Line}) ->
    line(Line);
line({behind, Line, Next}) ->
    line(Line),
    line(Next);
line({File, Line}) ->
    true = is_integer(File) andalso File >= 0,
    line(Line);
line(Line) ->
    true = is_integer(Line) andalso Line >= 0.
