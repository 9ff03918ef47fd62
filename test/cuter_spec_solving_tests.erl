%% Every input that is solved for is of the type that the spec says, by a checker that knows nothing
%% of the engine's types.
-module(cuter_spec_solving_tests).

-include_lib("eunit/include/eunit.hrl").

-define(MODULES, 10).
-define(TYPES, 30).
-define(INPUTS, 20).

inputs_are_of_generated_types_test_() ->
    [
        {"module " ++ integer_to_list(Seed), {timeout, 300, fun() -> solved(Seed) end}}
     || Seed <- lists:seq(1, ?MODULES)
    ].

%% Programs that look into maps, and call funs, as the types say.
probes_of_maps_and_funs_are_solved_test_() ->
    {timeout, 600, fun() ->
        Reports = lists:append([probed(Seed) || Seed <- lists:seq(1, ?MODULES)]),
        %% Hardly any model has to be changed where its path looks.
        Misfits = lists:sum([N || #{misfits := N} <- Reports]),
        ?assert(Misfits * 50 =< lists:sum([N || #{runs := N} <- Reports])),
        %% Maps that have maps of a type for keys are hard to tell apart.
        GivenUp = [Mfa || #{verdict := {limit, solver}, mfa := Mfa} <- Reports],
        ?assert(length(GivenUp) * 100 =< length(Reports))
    end}.

solved(Seed) ->
    Reports = explored(source(Seed)),
    %% Most types have many terms: one that has few takes few runs.
    ?assert(lists:sum([length(maps:get(paths, R)) || R <- Reports]) > ?TYPES * ?INPUTS div 2).

probed(Seed) ->
    Reports = explored(probes(Seed)),
    ?assert(lists:sum([length(maps:get(paths, R)) || R <- Reports]) > ?TYPES * 3),
    Reports.

explored(Text) ->
    cuter_fixture:in_directory(fun(Dir) ->
        Source = filename:join(Dir, "cuter_generated.erl"),
        ok = file:write_file(Source, Text),
        cuter_generated = cuter_fixture:load(Source, Dir, [debug_info, nowarn_unused_vars]),
        try
            [explored_function(N) || N <- lists:seq(1, ?TYPES)]
        after
            _ = code:delete(cuter_generated),
            _ = code:purge(cuter_generated)
        end
    end).

%% The generated functions return what they get; here they look at it first.
source(Seed) ->
    Forms = [looking(Form) || Form <- cuter_type_gen:forms(cuter_generated, Seed, ?TYPES)],
    Text = [erl_pp:form(Form, [{encoding, unicode}]) || Form <- Forms],
    unicode:characters_to_binary([Text, walk()]).

%% Here they look at places of the type.
probes(Seed) ->
    Forms = cuter_type_gen:forms(cuter_generated, Seed, ?TYPES, maps_and_funs),
    Text = [erl_pp:form(probing(Form), [{encoding, unicode}]) || Form <- Forms],
    Probes = [
        cuter_probe_gen:probe(probe_name(N), {user_type, 1, type_name(N), []}, Forms, {Seed, N})
     || N <- lists:seq(1, ?TYPES)
    ],
    unicode:characters_to_binary([Text, Probes]).

probing({function, At, Name, 1, [{clause, At, [X], [], [X]}]}) ->
    "f" ++ Number = atom_to_list(Name),
    Probe = {call, At, {atom, At, probe_name(list_to_integer(Number))}, [X]},
    {function, At, Name, 1, [{clause, At, [X], [], [Probe, X]}]};
probing(Form) ->
    Form.

probe_name(N) -> list_to_atom("probe" ++ integer_to_list(N)).
type_name(N) -> list_to_atom("t" ++ integer_to_list(N)).

looking({function, At, Name, 1, [{clause, At, [X], [], [X]}]}) ->
    Look = {call, At, {atom, At, walk}, [X]},
    {function, At, Name, 1, [{clause, At, [X], [], [Look, X]}]};
looking(Form) ->
    Form.

walk() ->
    "walk([Head | Tail]) -> walk(Head), walk(Tail);\n"
    "walk(X) when is_tuple(X) -> walk(tuple_to_list(X));\n"
    "walk(X) when is_map(X) -> map_size(X) > 1 andalso two;\n"
    "walk(X) when is_integer(X), X > 100 -> large;\n"
    "walk(X) when is_integer(X), X > 0 -> small;\n"
    "walk(X) when is_float(X), X > 1.5 -> large;\n"
    "walk(true) -> true;\n"
    "walk(ok) -> ok;\n"
    "walk(X) when is_atom(X) -> atom;\n"
    "walk(X) when is_binary(X), byte_size(X) > 1 -> binary;\n"
    "walk(X) when is_bitstring(X), bit_size(X) > 3 -> bits;\n"
    "walk(X) when is_function(X, 1) -> one;\n"
    "walk(_) -> other.\n".

explored_function(N) ->
    Function = list_to_atom("f" ++ integer_to_list(N)),
    Options = #{quiet => true, trace => true, max_runs => ?INPUTS, time_limit => 5000},
    Report = cuter:run(cuter_generated, Function, 1, Options),
    ?assertMatch({Function, #{disagreements := [], divergences := 0}}, {Function, Report}),
    Inputs = [Input || #{input := Input} <- maps:get(paths, Report)],
    Mfa = {cuter_generated, Function, 1},
    Wrong = [Input || Input <- Inputs, not cuter_spec_checker:is_input(Mfa, Input)],
    ?assertEqual({Mfa, []}, {Mfa, Wrong}),
    Report.
