%% Beam files as the compiler of OTP 24 wrote them: they tell its version, and what is no record of
%% a kind fails with the name of that.
-module(cuter_vintage_tests).

-include_lib("eunit/include/eunit.hrl").

-define(ELDER, "8.1.1.1").
-define(HEAD,
    "-export([field/1, nested/1, put/1, put_some/1, own/1]).\n"
    "-record(elder, {field, b, c, d, e, f, g, h, i, j}).\n"
    "-record(outer, {inner}).\n"
    "-spec field(term()) -> term().\n"
).
%% As it was written.
-define(WRITTEN,
    "field(R) -> R#elder.field.\n"
    "nested(R) -> (R#outer.inner)#elder.field.\n"
    "put(R) -> R#elder{field = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9}.\n"
    "put_some(R) -> R#elder{j = [R#elder.field]}.\n"
    "own(R) -> case R of {elder, F} -> F; V -> error({badrecord, V}) end.\n"
).
%% The same, as the elder compiler understood it.
-define(MEANT(Name),
    "field(#elder{field = F}) -> F;\n"
    "field(_) -> error({badrecord, " Name "}).\n"
    "nested(#outer{inner = R}) -> field(R);\n"
    "nested(_) -> error({badrecord, outer}).\n"
    "put(#elder{j = J}) -> {elder, 1, 2, 3, 4, 5, 6, 7, 8, 9, J};\n"
    "put(_) -> error({badrecord, elder}).\n"
    "put_some(R) -> F = field(R), setelement(11, R, [F]).\n"
    "own(R) -> case R of {elder, F} -> F; V -> error({badrecord, V}) end.\n"
).

-define(RECORD, {elder, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).

what_is_no_record_fails_with_the_name_of_the_record_test() ->
    with_beam(?ELDER, ?MEANT("elder"), fun() ->
        Differing = [
            {Function, Arg, Native, Own}
         || Function <- [field, nested, put, put_some, own],
            Arg <- [?RECORD, {outer, ?RECORD}, {outer, 1}, {elder, 1}, 17],
            {Native, Own} <- [{natively(Function, Arg), interpreted(Function, Arg)}],
            Native =/= Own
        ],
        ?assertEqual([], Differing),
        ?assertEqual({raised, error, {badrecord, elder}}, natively(field, 17)),
        ?assertEqual({raised, error, {badrecord, 17}}, natively(own, 17))
    end).

%% Where compilers differ in a way that is not known, the BEAM has the last word.
failures_are_told_in_the_words_of_the_other_compiler_test() ->
    ?assertEqual([{badrecord, other}], found(?ELDER)),
    ?assertEqual([], found(proplists:get_value(version, ?MODULE:module_info(compile)))).

found(Version) ->
    with_beam(Version, ?MEANT("other"), fun() ->
        #{failures := Failures} = cuter:run(cuter_tried, field, 1, #{quiet => true}),
        [Reason || #{reason := Reason} <- Failures]
    end).

natively(Function, Arg) ->
    without_trace(cuter_replay:native({cuter_tried, Function}, [Arg])).

interpreted(Function, Arg) ->
    without_trace(cuter:eval(cuter_tried, Function, [Arg])).

without_trace({raised, Class, Reason, _}) -> {raised, Class, Reason};
without_trace(Returned) -> Returned.

%% With a module of what was meant whose beam file tells this version, and what was written.
with_beam(Version, Meant, Test) ->
    Debug = cuter_fixture:with_source([?HEAD, ?WRITTEN], [debug_info], fun(Source) ->
        proplists:get_value("Dbgi", chunks(Source))
    end),
    Info = term_to_binary([{version, Version}, {options, []}, {source, ""}]),
    cuter_fixture:with_source([?HEAD, Meant], [debug_info], fun(Source) ->
        Changed = [{"CInf", Info}, {"Dbgi", Debug}],
        {ok, Beam} = beam_lib:build_module([
            {Name, proplists:get_value(Name, Changed, Chunk)}
         || {Name, Chunk} <- chunks(Source)
        ]),
        ok = file:write_file(beam_file(Source), Beam),
        _ = code:purge(cuter_tried),
        {module, cuter_tried} = code:load_file(cuter_tried),
        Test()
    end).

chunks(Source) ->
    {ok, cuter_tried, Chunks} = beam_lib:all_chunks(beam_file(Source)),
    Chunks.

beam_file(Source) ->
    filename:rootname(Source) ++ ".beam".
