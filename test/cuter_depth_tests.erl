%% What is large or never ends, and a program that is large itself: OTP's compiler.
-module(cuter_depth_tests).

-include_lib("eunit/include/eunit.hrl").

-define(OPTIONS, #{max_steps => 1 bsl 40, time_limit => 590000}).

large_terms_and_deep_recursion_are_ordinary_test_() ->
    [
        deep(sum, [1000000], {ok, 500000500000}),
        deep(loop, [50000000], {ok, 1250000025000000}),
        deep(compare, [1000000], {ok, {true, false, true}}),
        deep(equal, [1000000], {ok, true}),
        %% Guards of the printer fail at each of as many frames.
        deep(printed, [200000], {ok, 1323380})
    ].

what_never_ends_costs_its_limit_test_() ->
    [
        deep(endless, [], #{max_steps => 100000}, {error, {cuter, {stopped, steps}}}),
        deep(endless, [], short_of_time(), {error, {cuter, {stopped, time}}}),
        deep(grow, [[]], ?OPTIONS, {error, {cuter, {stopped, memory}}})
    ].

short_of_time() ->
    #{max_steps => 1 bsl 40, time_limit => 200}.

%% Without options: that is how users call it.
deep(Function, Args, Expected) ->
    deep(Function, Args, #{}, Expected).

deep(Function, Args, Options, Expected) ->
    Test = fun() -> ?assertEqual(Expected, cuter:eval(deep, Function, Args, Options)) end,
    {atom_to_list(Function),
        {timeout, 600, fun() -> cuter_fixture:with_modules(["test/fixtures/deep.erl"], Test) end}}.

the_compiler_gives_the_same_bytes_in_the_machine_test_() ->
    [
        {atom_to_list(Module), {timeout, 600, fun() -> compiled(Module) end}}
     || Module <- [lists, erl_parse]
    ].

compiled(Module) ->
    {ok, {_, [{abstract_code, {_, Forms}}]}} =
        beam_lib:chunks(code:which(Module), [abstract_code]),
    Args = [Forms, [binary, deterministic]],
    {ok, Module, Binary} = apply(compile, forms, Args),
    {ok, Result} = cuter:eval(compile, forms, Args),
    ?assert({ok, Module, Binary} =:= Result).

a_long_source_is_scanned_and_parsed_alike_test_() ->
    {timeout, 600, fun() ->
        Line = "f(X, [Y | Z]) when X > 1 -> {X, Y, \"text\", <<Z:8>>, #{a => 'b c'}};\n",
        Text = lists:flatten([lists:duplicate(2000, Line), "f(_, _) -> 1.5e3."]),
        {ok, Tokens, _} = erl_scan:string(Text),
        {ok, {ok, Scanned, _}} = cuter:eval(erl_scan, string, [Text]),
        ?assert(Tokens =:= Scanned),
        Parsed = erl_parse:parse_form(Tokens),
        ?assert({ok, Parsed} =:= cuter:eval(erl_parse, parse_form, [Tokens]))
    end}.

%% Each element of an input costs the same, however many there are.
a_long_seed_is_explored_test_() ->
    [
        {lists:flatten(io_lib:format("~w:~w", [Module, Function])),
            {timeout, 600, fun() ->
                Options = #{quiet => true, max_runs => 3, time_limit => 300000},
                Seed = [lists:seq(1, 100000)],
                ?assertMatch(#{runs := 3}, cuter:run(Module, Function, Seed, Options))
            end}}
     || {Module, Function} <- [{lists, reverse}, {erlang, length}, {lists, last}]
    ].
