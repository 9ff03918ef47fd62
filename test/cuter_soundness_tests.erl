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
