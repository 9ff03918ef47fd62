%% Reports as JSON, as docs/report-schema.md describes it.
%%
%% Terms are strings of Erlang source, since JSON has no atoms, tuples or large integers.
-module(cuter_json).

-export([write/2, text/1]).

-type report() :: cuter_report:report().
%% What is encoded: pairs keep their order.
-type json() ::
    {object, [{atom(), json()}]}
    | [json()]
    | {string, unicode:chardata()}
    | integer()
    | boolean()
    | null.

-define(VERSION, 1).

-spec write([report()], file:filename_all()) -> ok | cuter_file:error().
write(Reports, File) ->
    cuter_file:write(File, text(Reports)).

%% The document, in UTF-8.
-spec text([report()]) -> binary().
text(Reports) ->
    Document = {object, [{version, ?VERSION}, {functions, [function(R) || R <- Reports]}]},
    cuter_markup:utf8([encode(Document, 0), "\n"]).

%%% What a report becomes

function(#{mfa := {Module, _, _} = Mfa} = Report) ->
    Records = cuter_module:records(Module),
    {object, [
        {module, atom(Module)},
        {function, atom(element(2, Mfa))},
        {arity, element(3, Mfa)},
        {verdict, verdict(Report)},
        {failures, [failure(F, Mfa, Records) || F <- maps:get(failures, Report)]},
        {disagreements, [disagreement(D, Mfa, Records) || D <- maps:get(disagreements, Report)]},
        {returns_outside_spec, [
            outside(R, Mfa, Records)
         || R <- maps:get(returns_outside_spec, Report)
        ]},
        {unconfirmed, [disagreement(D, Mfa, Records) || D <- maps:get(unconfirmed, Report, [])]},
        {unended, [unended(U, Mfa, Records) || U <- maps:get(unended, Report, [])]},
        {coverage, coverage(maps:get(coverage, Report))},
        {inputs, [input(I, Mfa, Records) || I <- maps:get(inputs, Report, [])]},
        {expected, maps:get(expected, Report, 0)},
        {runs, maps:get(runs, Report)},
        {tries, maps:get(tries, Report, 0)},
        {divergences, maps:get(divergences, Report)},
        {queries, counts(maps:get(queries, Report))},
        {concretised, counters(maps:get(concretised, Report))},
        {host_calls, counters(maps:get(host_calls, Report, #{}))},
        {unsupported, counters(maps:get(unsupported, Report))},
        {time_ms, counts(maps:get(time_ms, Report))}
    ]}.

verdict(#{verdict := Verdict} = Report) ->
    {object, [
        {exhausted, Verdict =:= exhausted},
        {limit, limit(Verdict)},
        {text, {string, cuter_report:verdict(Report)}}
    ]}.

limit({limit, Limit}) -> atom(Limit);
limit(exhausted) -> null.

failure(#{class := Class, reason := Reason, stacktrace := Stack} = Failure, Mfa, Records) ->
    {object,
        call(Failure, Mfa, Records) ++
            [
                {class, atom(Class)},
                {reason, source(Reason, Records)},
                {explanation, explanation(cuter_failure_text:explanation(Failure, Records))},
                {stacktrace, [frame(Frame, Mfa) || Frame <- Stack]},
                {condition, optional(condition, Failure)},
                {original, original(Failure, Records)}
            ]}.

explanation([]) -> null;
explanation(Lines) -> {string, lists:join("\n", Lines)}.

original(Failure, Records) ->
    [source(Arg, Records) || Arg <- maps:get(original, Failure, maps:get(input, Failure))].

optional(Key, Map) ->
    case Map of
        #{Key := Text} -> {string, Text};
        #{} -> null
    end.

call(#{input := Input}, Mfa, Records) ->
    [
        {call, {string, one_line(cuter_source:call(Mfa, Input, 0, Records))}},
        {input, [source(Arg, Records) || Arg <- Input]}
    ].

frame({Module, Function, Args, Location} = Frame, UnderTest) ->
    {object, [
        {module, atom(Module)},
        {function, atom(Function)},
        {arity, arity(Args)},
        {file, file(cuter_failure_text:place(Frame, UnderTest), Location)},
        {line, line(proplists:get_value(line, Location))}
    ]}.

file({user, {File, _}, _}, _Location) -> {string, File};
file(_Other, Location) -> optional(file, maps:from_list(Location)).

line(undefined) -> null;
line(Line) -> Line.

arity(Args) when is_list(Args) -> length(Args);
arity(Arity) -> Arity.

%% What cuter says is an exception or a result.
disagreement(#{native := Native} = Disagreement, Mfa, Records) ->
    Said = fun(Key) ->
        case Disagreement of
            #{Key := Term} -> source(Term, Records);
            #{} -> null
        end
    end,
    {object,
        call(Disagreement, Mfa, Records) ++
            [
                {class, Said(class)},
                {reason, Said(reason)},
                {result, Said(result)},
                {native, source(Native, Records)}
            ]}.

outside(#{} = Return, Mfa, Records) ->
    Value = source(maps:get(result, Return, undefined), Records),
    Original = {original, original(Return, Records)},
    {object, call(Return, Mfa, Records) ++ [{result, Value}, Original]}.

unended(#{limit := Limit, steps := Steps} = Run, Mfa, Records) ->
    {object, call(Run, Mfa, Records) ++ [{limit, atom(Limit)}, {steps, Steps}]}.

coverage(#{clauses := Clauses, uncovered := Uncovered} = Coverage) ->
    Shares = [
        {Key, share(maps:get(Key, Coverage, Clauses))}
     || Key <- [clauses, all_clauses, lines, all_lines]
    ],
    {object,
        Shares ++
            [
                {covered, [clause(C) || C <- maps:get(covered, Coverage, [])]},
                {uncovered, [clause(C) || C <- Uncovered]}
            ]}.

share({Covered, Total}) ->
    {object, [{covered, Covered}, {total, Total}]}.

clause(#{mfa := {_, Function, Arity}, line := Line} = Clause) ->
    {object, [
        {function, atom(Function)},
        {arity, Arity},
        {clause, clause_number(Clause)},
        {line, Line},
        {generated, maps:get(generated, Clause, false)},
        {reason, reason(cuter_report:reason_text(Clause))}
    ]}.

clause_number(#{clause := {_, _, _, Number}}) -> Number;
clause_number(#{}) -> null.

reason("") -> null;
reason(Text) -> {string, Text}.

input(#{clauses := Clauses, outcome := Outcome} = Input, Mfa, Records) ->
    {object,
        call(Input, Mfa, Records) ++
            [
                {outcome, atom(Outcome)},
                {clauses, [
                    {object, [{function, atom(F)}, {arity, A}, {clause, N}]}
                 || {_, F, A, N} <- Clauses
                ]}
            ]}.

counts(Counts) ->
    {object, lists:sort(maps:to_list(Counts))}.

counters(Counters) ->
    [
        {object, [{name, {string, cuter_report:operation(Name)}}, {count, Count}]}
     || {Name, Count} <- lists:sort(maps:to_list(Counters))
    ].

source(Term, Records) ->
    {string, one_line(cuter_source:term(Term, 0, Records))}.

%% Layout is of no use in a string.
one_line(Text) ->
    re:replace(cuter_markup:utf8(Text), "\\n *", " ", [global, unicode, {return, binary}]).

atom(Atom) ->
    {string, atom_to_binary(Atom)}.

%%% Encoding

-spec encode(json(), non_neg_integer()) -> iolist().
encode({object, Pairs}, Indent) ->
    bracketed("{", [[name(Key), ": ", encode(V, Indent + 2)] || {Key, V} <- Pairs], "}", Indent);
encode({string, Text}, _Indent) ->
    string(Text);
encode(Items, Indent) when is_list(Items) ->
    bracketed("[", [encode(Item, Indent + 2) || Item <- Items], "]", Indent);
encode(Number, _Indent) when is_integer(Number) ->
    integer_to_list(Number);
encode(Word, _Indent) when is_boolean(Word); Word =:= null ->
    atom_to_list(Word).

bracketed(Open, [], Close, _Indent) ->
    [Open, Close];
bracketed(Open, Items, Close, Indent) ->
    Line = ["\n", lists:duplicate(Indent + 2, $\s)],
    End = ["\n", lists:duplicate(Indent, $\s)],
    [Open, Line, lists:join([",", Line], Items), End, Close].

name(Key) ->
    string(atom_to_binary(Key)).

string(Text) ->
    [$", [escaped(Char) || Char <- unicode:characters_to_list(cuter_markup:utf8(Text))], $"].

escaped($") -> "\\\"";
escaped($\\) -> "\\\\";
escaped($\n) -> "\\n";
escaped($\r) -> "\\r";
escaped($\t) -> "\\t";
escaped(Char) when Char < $\s; Char =:= 16#7F -> io_lib:format("\\u~4.16.0b", [Char]);
escaped(Char) -> Char.
