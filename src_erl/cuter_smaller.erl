%% Makes inputs small that are kept for the clauses they enter.
%%
%% A copy of the module notes which clauses and comprehensions are entered. It is called natively
%% with simpler and simpler inputs (`cuter_shrink`); one that enters all that the input entered, and
%% ends in the same way, takes its place.
%%
%% Left as they are: inputs that are simple already, those of modules of OTP and of functions whose
%% runs have called native code, which may do something to the world.
-module(cuter_smaller).

-export([inputs/2]).
%% Called by the copy
-export([measure/1]).

-type entry() :: #{input := [term()], _ => _}.
-type outcome() :: returned | {raised, error | exit | throw, Shape :: term()}.

%% The work on one input ends after so many calls. The time is for programs that are slow.
-define(LIMITS, #{executions => 300, time => 2000}).

-spec inputs(cuter_report:report(), [entry()]) -> [entry()].
inputs(#{mfa := {Module, _, _} = Mfa} = Report, Entries) ->
    Wanted = [Entry || #{input := Input} = Entry <- Entries, not is_simple(Input)],
    case Wanted =/= [] andalso is_safe(Report) andalso copy_of(Module) of
        {ok, Forms} -> with_copy(Forms, Mfa, valid(Report), Entries);
        _ -> Entries
    end.

is_safe(#{mfa := {Module, _, _}} = Report) ->
    maps:get(host_calls, Report, #{}) =:= #{} andalso
        maps:get(verdict, Report, exhausted) =/= {limit, cancelled} andalso
        not cuter_failures:is_otp(Module) andalso
        not cuter_ending:is_possible(Module).

is_simple(Term) when is_integer(Term) -> Term >= -1 andalso Term =< 2;
is_simple(Term) when is_float(Term) -> Term == 0 orelse Term =:= 1.0;
is_simple([Head | Tail]) -> is_simple(Head) andalso is_simple(Tail);
is_simple(Term) when is_tuple(Term) -> is_simple(tuple_to_list(Term));
is_simple(Term) when is_map(Term) -> is_simple(maps:to_list(Term));
is_simple(Term) -> is_atom(Term) orelse Term =:= [] orelse Term =:= <<>>.

%% Whether the function may be called with an input.
valid(#{mfa := {Module, Function, Arity}} = Report) ->
    Options = maps:with([pre], Report),
    case cuter_target:to_explore(Module, Function, Arity, Options) of
        {ok, Target} -> cuter_target:valid(Target);
        {error, _} -> fun(_Input) -> false end
    end.

with_copy(Forms, Mfa, Valid, Entries) ->
    try
        cuter_driver:with(Forms, fun(Copy) ->
            [smaller(Entry, Copy, Mfa, Valid) || Entry <- Entries]
        end)
    catch
        %% Not every module can be compiled under another name.
        error:{cuter_driver, _} -> Entries
    end.

smaller(#{input := Input} = Entry, Copy, {_, Function, Arity}, Valid) ->
    Probe = probe(Function),
    case not is_simple(Input) andalso cuter_replay:native({Copy, Probe}, Input) of
        {raised, error, {?MODULE, Outcome, Entered} = Reason, Stack} ->
            Failure = #{input => Input, class => error, reason => Reason, stacktrace => Stack},
            Options = maps:merge(?LIMITS, #{
                valid => Valid,
                is_failure => fun(#{reason := Raised}) -> is_as_good(Raised, Outcome, Entered) end
            }),
            #{input := Smaller} = cuter_shrink:failure({Copy, Probe, Arity}, Failure, Options),
            Entry#{input := Smaller};
        _ ->
            Entry
    end.

is_as_good({?MODULE, Outcome, Now}, Outcome, Entered) -> Entered -- Now =:= [];
is_as_good(_Raised, _Outcome, _Entered) -> false.

%%% In the copy

%% Tells by an exception how a call ends and what it enters.
-spec measure(fun(() -> term())) -> no_return().
measure(Call) ->
    Outcome = outcome(Call),
    Entered = lists:sort([Number || {?MODULE, Number} <- get_keys()]),
    error({?MODULE, Outcome, Entered}).

-spec outcome(fun(() -> term())) -> outcome().
outcome(Call) ->
    try Call() of
        _ -> returned
    catch
        Class:Reason -> {raised, Class, shape(Reason)}
    end.

shape(Reason) when is_tuple(Reason), is_atom(element(1, Reason)) -> {element(1, Reason)};
shape(Reason) when is_atom(Reason) -> Reason;
shape(_Reason) -> other.

%%% The copy

%% The forms of a module that notes what is entered and has a probe for each function.
copy_of(Module) ->
    case cuter_core:forms(Module) of
        {ok, Forms} -> {ok, fun(Copy) -> copied(Forms, Module, Copy) end};
        {error, _} = Error -> Error
    end.

copied(Forms, Module, Copy) ->
    Renamed = cuter_rename:forms([Form || Form <- Forms, is_kept(Form)], #{Module => Copy}),
    {Noting, _} = lists:mapfoldl(fun note/2, 1, Renamed),
    Names = [{Name, Arity} || {function, _, Name, Arity, _} <- Renamed],
    {Before, [End | _]} = lists:splitwith(fun(Form) -> element(1, Form) =/= eof end, Noting),
    [ModuleForm | Rest] = without_files(Before),
    Anno = erl_anno:new(0),
    Export = {attribute, Anno, export, [{probe(Name), Arity} || {Name, Arity} <- Names]},
    %% A function may have the name of a built-in one that is known without a module.
    Own = {attribute, Anno, compile, {no_auto_import, Names}},
    Probes = [probe_form(Name, Arity) || {Name, Arity} <- Names],
    [ModuleForm, Export, Own] ++ Rest ++ Probes ++ [End].

%% Warnings are nobody's business here, nor is what happens when a module is loaded.
is_kept({attribute, _, Name, _}) ->
    not lists:member(Name, [on_load, compile, behaviour, behavior, spec, callback]);
is_kept(_Form) ->
    true.

%% Up to the module's name there may be the name of its file.
without_files(Forms) ->
    {Files, Rest} = lists:splitwith(fun(F) -> element(3, F) =/= module end, Forms),
    [hd(Rest) | Files ++ tl(Rest)].

probe(Function) ->
    list_to_atom("cuter probe " ++ atom_to_list(Function)).

probe_form(Name, Arity) ->
    A = erl_anno:new(0),
    Vars = [{var, A, list_to_atom("A" ++ integer_to_list(N))} || N <- lists:seq(1, Arity)],
    Call = {'fun', A, {clauses, [{clause, A, [], [], [{call, A, {atom, A, Name}, Vars}]}]}},
    Measured = {call, A, {remote, A, {atom, A, ?MODULE}, {atom, A, measure}}, [Call]},
    {function, A, probe(Name), Arity, [{clause, A, Vars, [], [Measured]}]}.

note({function, Anno, Name, Arity, Clauses}, Number) ->
    {Noting, Next} = walk(Clauses, Number),
    {{function, Anno, Name, Arity, Noting}, Next};
note(Form, Number) ->
    {Form, Number}.

%% Guards and patterns hold no clauses and no comprehensions.
walk({clause, Anno, Patterns, Guards, Body}, Number) ->
    {Noting, Next} = walk(Body, Number + 1),
    {{clause, Anno, Patterns, Guards, [entered(Number) | Noting]}, Next};
walk({Comprehension, Anno, Template, Qualifiers}, Number) when
    Comprehension =:= lc; Comprehension =:= bc
->
    {[First | Others], Next} = walk([Template | Qualifiers], Number + 1),
    {{Comprehension, Anno, {block, Anno, [entered(Number), First]}, Others}, Next};
walk(Node, Number) when is_tuple(Node) ->
    {Parts, Next} = walk(tuple_to_list(Node), Number),
    {list_to_tuple(Parts), Next};
walk([Node | Nodes], Number) ->
    {First, After} = walk(Node, Number),
    {Rest, Next} = walk(Nodes, After),
    {[First | Rest], Next};
walk(Leaf, Number) ->
    {Leaf, Number}.

entered(Number) ->
    A = erl_anno:new(0),
    Key = {tuple, A, [{atom, A, ?MODULE}, {integer, A, Number}]},
    {call, A, {remote, A, {atom, A, erlang}, {atom, A, put}}, [Key, {atom, A, true}]}.
