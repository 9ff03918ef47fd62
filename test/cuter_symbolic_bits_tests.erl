%% Bitstrings are solved for: each function of the fixture has a crash that is found from `<<>>`.
%% Expectations are predicates on the input, which the BEAM has confirmed once more by then.
-module(cuter_symbolic_bits_tests).

-include_lib("eunit/include/eunit.hrl").

-export([row/4]).

%% Some functions have no end of paths: what is expected is found long before.
-define(LIMIT, 4000).
-define(SECONDS, 120).

every_crash_is_found_test_() ->
    {setup, fun load/0, fun unload/1, fun(_) ->
        [{atom_to_list(Name), finds(Name)} || {Name, 1} <- functions()]
    end}.

load() ->
    Source = cuter_fixture:file("test/fixtures/solve_bits.erl"),
    {ok, Module, Beam} = compile:file(Source, [binary, debug_info, return_errors]),
    {module, Module} = code:load_binary(Module, Source, Beam),
    Module.

unload(Module) ->
    _ = code:purge(Module),
    true = code:delete(Module).

functions() ->
    Source = cuter_fixture:file("test/fixtures/solve_bits.erl"),
    {ok, Forms} = epp:parse_file(Source, []),
    [{Name, Arity} || {function, _, Name, Arity, _} <- Forms].

finds(Name) ->
    {timeout, ?SECONDS, fun() ->
        #{failures := Failures, divergences := Divergences, disagreements := Disagreements} =
            cuter:run(solve_bits, Name, [<<>>], #{quiet => true, time_limit => ?LIMIT}),
        ?assertEqual([], Disagreements),
        ?assertEqual(0, Divergences),
        Found = [Input || #{reason := {found, What}, input := [Input]} <- Failures, What =:= Name],
        ?assertMatch([_ | _], Found),
        [?assert(expected(Name, Input), {Name, Input}) || Input <- Found]
    end}.

%% What the program itself does not say: the first bytes, the sizes.
expected(magic, X) -> binary_part(X, 0, 4) =:= <<222, 173, 190, 239>>;
expected(sum_of_bytes, X) -> lists:sum(binary_to_list(X)) =:= 400;
expected(signed_little, X) -> binary_part(X, 0, 4) =:= <<192, 29, 254, 255>>;
expected(twelve_bits, X) -> X =:= <<16#ABCABD:24>>;
expected(little_unaligned, X) -> bit_size(X) =:= 24;
expected(length_prefix, X) -> byte_size(X) =:= 2 * binary:first(X) + 2;
expected(tlv, X) -> binary:last(X) =:= 0;
expected(size_in_bits, <<11, _:11, 1:1>>) -> true;
expected(not_whole_bytes, X) -> bit_size(X) =:= 21;
expected(exact_size, X) -> byte_size(X) =:= 17;
expected(text_character, X) -> unicode:characters_to_list(X) =:= [16#20AC | "uro"];
expected(three_fields, X) -> binary:match(X, <<"b">>) =/= nomatch;
expected(float_kept, X) -> X =:= <<10, 7>>;
expected(float_between, <<16#3FF:12, X:52>>) -> X > 1 bsl 51 andalso X < 3 bsl 50;
expected(float_single, X) -> X =:= <<64, 32, 0, 0>>;
expected(float_half, <<1:1, _:15>>) -> true;
expected(float_sums, X) -> X =:= <<64, 28, 0:48, 64, 8, 0:48>>;
expected(float_behind, <<X, F:8/binary, _/binary>>) -> X > 3 andalso F =:= <<0:48, 12, 64>>;
expected(float_bits, <<A:16, B:16>>) -> A >= 100 andalso A < 104 andalso B =:= A + 1;
expected(text_made, X) -> X =:= <<16#20AC:16>>;
expected(ipv4, X) -> byte_size(X) >= 28;
expected(pair, {tagged, A, B}) -> A =:= B;
expected(in_list, [A | _]) -> A =:= <<"x">>;
expected(_Name, X) -> is_bitstring(X).

%% All rows of the differential suite once more with symbolic arguments: what a run makes of its
%% concrete values is the same with and without expressions, emulated functions included.
symbolic_runs_have_the_results_of_the_beam_test_() ->
    {timeout, 300, fun() ->
        cuter_fixture:with_modules(["test/fixtures/diff_bits.erl"], fun() ->
            Rows = [Row || {_, F, Args} = Row <- cuter_bits_tests:rows(), is_small(F, Args)],
            ?assert(length(Rows) > 10000),
            ?assertEqual([], mismatches(Rows))
        end)
    end}.

is_small(Function, Args) ->
    not lists:prefix("big_", atom_to_list(Function)) andalso erts_debug:flat_size(Args) < 400.

mismatches(Rows) ->
    Seeds = [[M, F, Args, native(M, F, Args)] || {M, F, Args} <- Rows],
    {ok, Options} = cuter_options:parse(#{max_runs => length(Seeds), time_limit => 200000}),
    Request = #{mfa => {?MODULE, row, 4}, options => Options, seeds => Seeds},
    {ok, #{failures := Failures}} = cuter_host:explore(Request),
    [Input || #{input := Input} <- Failures].

native(M, F, Args) ->
    try
        {ok, apply(M, F, Args)}
    catch
        Class:Reason -> {raised, Class, Reason}
    end.

-spec row(module(), atom(), [term()], term()) -> ok.
row(M, F, Args, Expected) ->
    case native(M, F, Args) =:= Expected of
        true -> ok;
        false -> error(mismatch)
    end.

an_exception_of_an_emulated_function_is_the_built_in_ones_test() ->
    Text =
        "-export([f/1]).\n"
        "f(X) -> try binary:split(X, <<>>) of _ -> ok\n"
        "        catch error:badarg:S -> error({seen, hd(S)}) end.\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        #{failures := Failures, disagreements := []} =
            cuter:run(cuter_tried, f, [<<"x">>], #{quiet => true}),
        Frames = [Frame || #{reason := {seen, Frame}} <- Failures],
        ?assertMatch([{binary, split, [_, <<>>], [{error_info, _}]} | _], Frames)
    end).
