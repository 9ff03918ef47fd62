%% Holds what is said of a function against chance: many random inputs within its spec, natively.
%%
%% No input may enter a clause that is said to be infeasible; none may fail in another way than the
%% report lists, or return something outside the spec, if all paths are said to be explored; and
%% each for which the condition of a failure holds must fail like that. Inputs are made of the types
%% of the spec, of the constants of the code, and of the inputs that the report has, changed here
%% and there: they depend on the given key only. Which clauses are entered is seen in a copy of the
%% module that notes the line of each.
-module(cuter_chance).

-export([problems/3, problems/4, contradictions/4]).

-export_type([problem/0]).

-type problem() :: {Kind :: atom(), Details :: term()}.

-define(EXPLORING, #{quiet => true, workers => 1, time_limit => 2000}).

%% What native code may do in a call that is made again and again.
-define(HARMLESS, [binary, crypto, erl_scan, io_lib, lists, maps, math, re, unicode]).

%% So many calls may not end.
-define(PATIENCE, 5).

-define(OWN_REASONS, [
    badarg, badarith, badarity, badfun, badkey, badmap, badmatch, badrecord, case_clause,
    function_clause, if_clause, noproc, system_limit, timeout_value, try_clause, undef
]).

%% What is wrong with the exploration of a function from its spec.
-spec problems(mfa(), pos_integer(), term()) -> {Verdict :: term(), [problem()]}.
problems(Mfa, Count, Key) ->
    problems(Mfa, Count, Key, #{}).

-spec problems(mfa(), pos_integer(), term(), map()) -> {Verdict :: term(), [problem()]}.
problems({Module, Function, Arity} = Mfa, Count, Key, Options) ->
    case cuter:run(Module, Function, Arity, maps:merge(?EXPLORING, Options)) of
        #{verdict := Verdict} = Report -> {Verdict, contradictions(Mfa, Report, Count, Key)};
        {error, _} = Error -> {error, [{error, lists:flatten(cuter:format_error(Error))}]}
    end.

%% What so many inputs and the report itself say against the report.
-spec contradictions(mfa(), map(), pos_integer(), term()) -> [problem()].
contradictions({Module, Function, Arity} = Mfa, Report, Count, Key) ->
    Own = [
        {What, Found}
     || What <- [divergences, disagreements],
        Found <- [maps:get(What, Report)],
        Found =/= 0,
        Found =/= []
    ],
    case is_harmless(Report) andalso cuter_spec:signature(Module, Function, Arity) of
        {ok, Signature} -> Own ++ against(Mfa, Report, Signature, Count, Key);
        _ -> Own
    end.

is_harmless(#{host_calls := Calls}) ->
    lists:all(fun({Module, _, _}) -> lists:member(Module, ?HARMLESS) end, maps:keys(Calls)).

against({Module, Function, _} = Mfa, Report, Signature, Count, Key) ->
    {ok, Forms} = cuter_core:forms(Module),
    Inputs = inputs(Report, Signature, cuter_term_gen:constants(Forms), Count, Key),
    Said = #{report => Report, conditions => conditions(Report)},
    Judge = Said#{mfa => Mfa, signature => Signature},
    Wrong = fun(Input) -> said_wrong(Input, cuter_replay:call(Module, Function, Input), Judge) end,
    first_of_each([Problem || {_, Problems} <- of_each(Wrong, Inputs), Problem <- Problems]) ++
        entered(infeasible(Report), Forms, Function, Inputs).

first_of_each(Problems) ->
    maps:values(maps:from_list([{what(Problem), Problem} || Problem <- lists:reverse(Problems)])).

what({missed, {_Input, _Outcome, Key}}) -> {missed, Key};
what({condition, {Condition, _Input, _Outcome}}) -> {condition, Condition};
what({Kind, _}) -> Kind.

%%% Inputs

%% Made from scratch, and like those of the report.
inputs(Report, Signature, Constants, Count, Key) ->
    #{inputs := Kept, failures := Failures} = Report,
    Known = [I || #{input := I} <- Kept ++ Failures] ++ [I || #{original := I} <- Failures],
    New = cuter_term_gen:inputs(Signature, Constants, Count, {new, Key}),
    Changed = cuter_term_gen:changed(Known, Signature, Constants, Count, {changed, Key}),
    [Input || Input <- Known ++ New ++ Changed, cuter_type_check:is_input(Input, Signature)].

%%% Native calls

%% What some work gives for each input, done in one process until it does not end for one of them.
%% After several of those nothing more is tried.
-spec of_each(fun(([term()]) -> [Result]), [[term()]]) -> [{[term()], [Result]}].
of_each(Work, Inputs) ->
    of_each(Work, Inputs, ?PATIENCE).

of_each(_Work, Inputs, Patience) when Inputs =:= []; Patience =:= 0 ->
    [];
of_each(Work, Inputs, Patience) ->
    Self = self(),
    Ref = make_ref(),
    {Pid, Monitor} = spawn_opt(
        fun() -> [Self ! {Ref, Input, Work(Input)} || Input <- Inputs] end,
        [monitor, {max_heap_size, #{size => 5000000, kill => true, error_logger => false}}]
    ),
    collect(Work, Inputs, {Ref, Pid, Monitor}, Patience).

collect(_Work, [], {_Ref, _Pid, Monitor}, _Patience) ->
    receive
        {'DOWN', Monitor, process, _, _} -> []
    end;
collect(Work, [Input | Rest], {Ref, Pid, Monitor} = Process, Patience) ->
    receive
        {Ref, Input, Results} -> [{Input, Results} | collect(Work, Rest, Process, Patience)];
        {'DOWN', Monitor, process, _, _} -> of_each(Work, Rest, Patience - 1)
    after 1000 ->
        exit(Pid, kill),
        receive
            {'DOWN', Monitor, process, _, _} -> of_each(Work, Rest, Patience - 1)
        end
    end.

%%% What is said of all inputs

said_wrong(Input, Outcome, Judge) ->
    missed(Input, Outcome, Judge) ++ outside(Input, Outcome, Judge) ++
        [
            {condition, {Text, Input, Outcome}}
         || {Text, Holds, Key} <- maps:get(conditions, Judge),
            Holds(Input),
            not is_same(Key, key(Outcome, Judge))
        ].

missed(Input, {raised, _, _, _} = Outcome, #{report := #{verdict := exhausted} = Report} = Judge) ->
    #{mfa := Mfa} = Judge,
    #{failures := Failures} = Report,
    Key = key(Outcome, Judge),
    Known = [cuter_failures:key(Mfa, Failure) || Failure <- Failures],
    IsListed = lists:any(fun(Listed) -> is_same(Listed, Key) end, Known),
    [{missed, {Input, Outcome, Key}} || not IsListed];
missed(_Input, _Outcome, _Judge) ->
    [].

outside(Input, {ok, Result}, #{report := #{verdict := exhausted} = Report} = Judge) ->
    #{signature := Signature} = Judge,
    Listed = maps:get(returns_outside_spec, Report),
    [
        {outside, {Input, Result}}
     || Listed =:= [], not cuter_type_check:is_result(Input, Result, Signature)
    ];
outside(_Input, _Outcome, _Judge) ->
    [].

key({raised, Class, Reason, Stacktrace}, #{mfa := Mfa}) ->
    Failure = #{input => [], class => Class, reason => Reason, stacktrace => Stacktrace},
    cuter_failures:key(Mfa, Failure);
key(_Outcome, _Judge) ->
    none.

%% Reasons that a program makes up itself may depend on the input: one of them stands for all there.
is_same({Place, Raiser, Class, Listed}, {Place, Raiser, Class, Raised}) ->
    Listed =:= Raised orelse not (is_own(Listed) orelse is_own(Raised));
is_same(_Listed, _Raised) ->
    false.

%% Whether a reason is one of Erlang's own.
is_own({Name, _}) -> is_own(Name);
is_own(Name) -> lists:member(Name, ?OWN_REASONS).

%% For each condition whether it holds for an input, and the failure that it is a condition of.
conditions(#{mfa := Mfa, failures := Failures}) ->
    [
        {Text, holds(Text), cuter_failures:key(Mfa, Failure)}
     || #{condition := Text} = Failure <- Failures
    ].

holds(Condition) ->
    Text = ["if ", Condition, " -> true; true -> false end."],
    {ok, Tokens, _} = erl_scan:string(unicode:characters_to_list(Text)),
    {ok, Exprs} = erl_parse:parse_exprs(Tokens),
    fun(Input) ->
        Names = ["X" ++ integer_to_list(N) || N <- lists:seq(1, length(Input))],
        Bindings = maps:from_list(lists:zip([list_to_atom(Name) || Name <- Names], Input)),
        {value, Holds, _} = erl_eval:exprs(Exprs, Bindings),
        Holds
    end.

%%% Clauses

infeasible(#{coverage := #{uncovered := Uncovered}}) ->
    [
        {Line, Clause}
     || #{reason := infeasible, generated := false, line := Line} = Clause <- Uncovered, Line > 0
    ].

%% Clauses that nothing should enter, and that an input enters.
entered([], _Forms, _Function, _Inputs) ->
    [];
entered(Infeasible, Forms, Function, Inputs) ->
    cuter_driver:with(fun(Copy) -> noting(Forms, Copy) end, fun(Copy) ->
        Call = fun(Input) ->
            erase(),
            _ = cuter_replay:call(Copy, Function, Input),
            [Line || {?MODULE, Line} <- get_keys()]
        end,
        Lines = [{Line, Input} || {Input, Seen} <- of_each(Call, Inputs), Line <- Seen],
        First = maps:from_list(lists:reverse(Lines)),
        [
            {infeasible, {Clause, map_get(Line, First)}}
         || {Line, Clause} <- Infeasible, is_map_key(Line, First)
        ]
    end).

%% The module under another name, with a note of the line of each clause that is alone on its line.
noting(Forms, Copy) ->
    {attribute, _, module, Module} = lists:keyfind(module, 3, Forms),
    Renamed = cuter_rename:forms(lists:flatmap(fun kept/1, Forms), #{Module => Copy}),
    Lines = lists:sort(lines(Renamed)),
    Noted = maps:from_keys(lists:usort(Lines) -- (Lines -- lists:usort(Lines)), true),
    [note(Form, Noted) || Form <- Renamed].

kept({attribute, Anno, compile, Options}) ->
    Own = [Option || {no_auto_import, _} = Option <- lists:flatten([Options])],
    [{attribute, Anno, compile, Own} || Own =/= []];
kept({attribute, _, Name, _} = Form) ->
    [Form || not lists:member(Name, [on_load, behaviour, behavior, spec, callback, file])];
kept(Form) ->
    [Form].

lines({clause, Anno, _Patterns, _Guards, Body}) -> [erl_anno:line(Anno) | lines(Body)];
lines(Node) when is_tuple(Node) -> lines(tuple_to_list(Node));
lines([Node | Nodes]) -> lines(Node) ++ lines(Nodes);
lines(_Leaf) -> [].

note({clause, Anno, Patterns, Guards, Body}, Noted) ->
    Line = erl_anno:line(Anno),
    Notes = [entered(Line) || is_map_key(Line, Noted)],
    {clause, Anno, Patterns, Guards, Notes ++ note(Body, Noted)};
note(Node, Noted) when is_tuple(Node) ->
    list_to_tuple(note(tuple_to_list(Node), Noted));
note([Node | Nodes], Noted) ->
    [note(Node, Noted) | note(Nodes, Noted)];
note(Leaf, _Noted) ->
    Leaf.

entered(Line) ->
    A = erl_anno:new(0),
    Key = {tuple, A, [{atom, A, ?MODULE}, {integer, A, Line}]},
    {call, A, {remote, A, {atom, A, erlang}, {atom, A, put}}, [Key, {atom, A, true}]}.
