%% Random small functions over all types, explored and held against the BEAM.
%%
%% `CUTER_SOUNDNESS=FIRST-LAST` in the environment tries the modules of these numbers instead of the
%% usual ones.
-module(cuter_soundness_tests).

-include_lib("eunit/include/eunit.hrl").

-export([modules/2, module/1, module/2]).

-define(FUNCTIONS, 10).
-define(INPUTS, 60).
-define(USUAL, {1, 30}).
-define(FIXTURE, "test/fixtures/soundness.erl").

what_is_said_of_generated_functions_is_so_test_() ->
    {First, Last} = numbers(os:getenv("CUTER_SOUNDNESS")),
    [
        {"module " ++ integer_to_list(Seed), {timeout, 600, fun() -> sound(Seed) end}}
     || Seed <- lists:seq(First, Last)
    ].

numbers(false) ->
    ?USUAL;
numbers(Given) ->
    [First, Last] = [list_to_integer(N) || N <- string:split(Given, "-")],
    {First, Last}.

sound(Seed) ->
    ?assertEqual([], [{N, Problems} || {N, [_ | _] = Problems, _} <- module(Seed)]).

%% Functions on which explorations went astray once, each from a dull seed.
what_went_astray_once_does_not_any_more_test_() ->
    [
        {atom_to_list(Function), {timeout, 120, fun() -> found_once(Function, Seed) end}}
     || {Function, Seed} <- rows()
    ].

every_function_of_the_fixture_has_a_row_test() ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        Exported = [F || {F, _} <- soundness:module_info(exports), F =/= module_info],
        ?assertEqual(lists:usort(Exported), lists:usort([F || {F, _} <- rows()]))
    end).

found_once(Function, Seed) ->
    cuter_fixture:with_modules([?FIXTURE], fun() ->
        [Arity] = [A || {F, A} <- soundness:module_info(exports), F =:= Function],
        Inputs = [
            [cuter_program_gen:term(any, {Function, I, A}) || A <- lists:seq(1, Arity)]
         || I <- lists:seq(1, ?INPUTS)
        ],
        Options = #{time_limit => 4000, max_runs => 300},
        Mfa = {soundness, Function, Arity},
        {Problems, _} = cuter_soundness:problems(Mfa, Seed, Inputs, Function, Options),
        ?assertEqual([], Problems)
    end).

rows() ->
    [
        {atom_of_text_in_order, [0]},
        {name_and_order, [a]},
        {greatest_atom, [0, a]},
        {key_with_the_map_in_it, [#{}]},
        {value_with_the_map_in_it, [#{}]},
        {difference_beyond_floats, 2},
        {integer_beyond_floats, [0]},
        {float_of_text, [""]},
        {bits_of_a_size, [#{}]},
        {name_without_end, [a]},
        {negated_zero, [0.0]},
        {float_of_bits, [<<>>]},
        {bits_of_float, [0.0]},
        {wide_bits, [0, 0]}
    ].

%% For a shell: prints what is wrong with the functions of these modules.
-spec modules(integer(), integer()) -> #{Verdict :: term() => pos_integer()}.
modules(First, Last) ->
    lists:foldl(fun count/2, #{}, lists:append([shown(Seed) || Seed <- lists:seq(First, Last)])).

shown(Seed) ->
    Results = module(Seed),
    [io:format("~b f~b: ~tp~n", [Seed, N, Problems]) || {N, [_ | _] = Problems, _} <- Results],
    [Verdict || {_, _, Verdict} <- Results].

count(Verdict, Counts) ->
    maps:update_with(Verdict, fun(N) -> N + 1 end, 1, Counts).

%% What is wrong with each function of a module, and how its exploration ended.
-spec module(integer()) -> [{pos_integer(), list(), Verdict :: term()}].
module(Seed) ->
    module(Seed, lists:seq(1, ?FUNCTIONS)).

-spec module(integer(), [pos_integer()]) -> [{pos_integer(), list(), Verdict :: term()}].
module(Seed, Numbers) ->
    cuter_fixture:in_directory(fun(Dir) ->
        Source = filename:join(Dir, "cuter_generated.erl"),
        Text = cuter_program_gen:source(cuter_generated, Seed, ?FUNCTIONS),
        ok = file:write_file(Source, Text),
        %% This optimisation of OTP 25 gets reasons of `case_clause` wrong.
        cuter_generated = cuter_fixture:load(Source, Dir, [debug_info, no_bool_opt]),
        try
            [explored(Seed, N) || N <- Numbers]
        after
            _ = code:delete(cuter_generated),
            _ = code:purge(cuter_generated)
        end
    end).

explored(Seed, N) ->
    Types = cuter_program_gen:argument_types(Seed, N),
    Inputs = [
        [cuter_program_gen:term(Type, {Seed, I, A}) || {A, Type} <- numbered(Types)]
     || I <- lists:seq(1, ?INPUTS)
    ],
    Mfa = {cuter_generated, list_to_atom("f" ++ integer_to_list(N)), length(Types)},
    {Problems, Verdict} =
        cuter_soundness:problems(Mfa, cuter_program_gen:seed(Seed, N), Inputs, {Seed, N}),
    {N, Problems, Verdict}.

numbered(List) ->
    lists:zip(lists:seq(1, length(List)), List).
