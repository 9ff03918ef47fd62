%% Where the code of a module comes from shows in what is reported: files of included functions, and
%% modules whose code cannot be interpreted.
-module(cuter_code_tests).

-include_lib("eunit/include/eunit.hrl").

an_included_function_has_its_own_file_test() ->
    Text =
        "-module(cuter_tried).\n-export([f/1, g/1, h/1]).\n"
        "-include(\"cuter_tried.hrl\").\n"
        "f(X) -> {included(X)}.\n"
        "g(X) -> {hd(X)}.\n"
        "-file(\"made.yrl\", 700).\n"
        "h(X) -> {lists:map(fun(Y) -> Y + 1 end, X)}.\n",
    Header = "\n\nincluded(X) ->\n    atom_to_list(X).\n",
    cuter_fixture:in_directory(fun(Dir) ->
        Source = filename:join(Dir, "cuter_tried.erl"),
        ok = file:write_file(Source, Text),
        ok = file:write_file(filename:join(Dir, "cuter_tried.hrl"), Header),
        Module = cuter_fixture:load(Source, Dir, [debug_info, {i, Dir}]),
        Frames = [frames(Module, F, A) || {F, A} <- [{f, 1}, {g, []}, {h, [1, a]}]],
        [?assertEqual(Native, Ours) || {Native, Ours} <- Frames],
        {[_, {Module, included, 1, [{file, File}, {line, 4}]} | _], _} = hd(Frames),
        ?assertEqual("cuter_tried.hrl", filename:basename(File))
    end).

%% Native and interpreted, from the function that raised to the one that was called.
frames(Module, Function, Argument) ->
    {raised, error, Reason, Ours} = cuter:eval(Module, Function, [Argument]),
    try apply(Module, Function, [Argument]) of
        Value -> error({returned, Value})
    catch
        error:Reason:Native -> {own(Native), own(Ours)}
    end.

own(Stacktrace) ->
    lists:takewhile(fun(Frame) -> element(1, Frame) =/= ?MODULE end, Stacktrace).

a_module_without_code_is_named_test() ->
    cuter_fixture:in_directory(fun(Dir) ->
        _ = without_code("cuter_hidden", "f(X) -> X + 1.\n", Dir),
        Caller = "-module(cuter_tried).\n-export([f/1]).\nf(X) -> cuter_hidden:f(X) > 3.\n",
        Source = filename:join(Dir, "cuter_tried.erl"),
        ok = file:write_file(Source, Caller),
        Module = cuter_fixture:load(Source, Dir, [debug_info]),
        Report = cuter:run(Module, f, [1], #{quiet => true}),
        ?assertMatch(#{native_modules := [cuter_hidden]}, Report),
        ?assertMatch(#{host_calls := #{{cuter_hidden, f, 1} := _}}, Report),
        Text = unicode:characters_to_list(cuter_report:text(Report)),
        ?assertNotEqual(nomatch, string:find(Text, "run natively   cuter_hidden\n"))
    end).

a_module_with_code_is_not_named_test() ->
    Report = cuter:run(lists, last, [[1]], #{quiet => true, max_runs => 3}),
    ?assertMatch(#{native_modules := []}, Report).

%% Nor is one that there is not.
an_absent_module_is_not_named_test() ->
    Text = "-export([f/1]).\nf(X) -> cuter_is_not_there:f(X).\n",
    cuter_fixture:with_source(Text, [debug_info], fun(_) ->
        Report = cuter:run(cuter_tried, f, [1], #{quiet => true}),
        ?assertMatch(#{native_modules := [], failures := [#{reason := undef}]}, Report)
    end).

without_code(Name, Text, Dir) ->
    Source = filename:join(Dir, Name ++ ".erl"),
    ok = file:write_file(Source, ["-module(", Name, ").\n-export([f/1]).\n", Text]),
    Module = cuter_fixture:load(Source, Dir, []),
    ok = file:delete(Source),
    Module.

%% Compilers of other languages need not write one.
a_module_without_module_info_is_run_test() ->
    Core =
        "module 'cuter_bare' ['f'/1] attributes []\n"
        "'f'/1 = fun (X) -> call 'erlang':'+'(X, 1)\nend\n",
    cuter_fixture:in_directory(fun(Dir) ->
        File = filename:join(Dir, "cuter_bare.core"),
        ok = file:write_file(File, Core),
        {ok, Module, Beam} = compile:file(File, [from_core, binary]),
        {module, Module} = code:load_binary(Module, Module, Beam),
        try
            NoCode = {error, {cuter_core, {no_code, Module}}},
            ?assertEqual(NoCode, cuter:eval(Module, f, [1])),
            Text = "-export([f/1]).\nf(X) -> cuter_bare:f(X).\n",
            cuter_fixture:with_source(Text, [debug_info], fun(_) ->
                ?assertEqual({ok, 2}, cuter:eval(cuter_tried, f, [1]))
            end)
        after
            true = code:delete(Module),
            code:purge(Module)
        end
    end).

%% `zlib` calls functions of its library that it does not export; `global` is one with its server.
functions_of_modules_that_run_natively_are_evaluated_test() ->
    [
        ?assertEqual(
            cuter_replay:native({Module, Function}, Args), cuter:eval(Module, Function, Args)
        )
     || {Module, Function, Args} <- [
            {zlib, gzip, [<<"abc">>]},
            {zlib, compress, [<<"abc">>]},
            {zlib, inflate, [no_stream, <<>>]},
            {global, whereis_name, [nobody]}
        ]
    ],
    ?assertEqual(
        {error, {cuter_target, {not_exported, zlib, deflate_nif, 4}}},
        cuter:eval(zlib, deflate_nif, [a, b, c, d])
    ).

what_is_run_natively_as_a_whole_is_not_explored_test() ->
    Refused = cuter:run(zlib, gzip, [<<>>], #{quiet => true}),
    {error, {cuter_host, {engine, {search, Text}}}} = Refused,
    ?assertMatch(<<"module zlib runs natively as a whole", _/binary>>, Text),
    Named = cuter:run(lists, last, [[1]], #{quiet => true, concrete => [lists]}),
    ?assertMatch(
        {error, {cuter_host, {engine, {search, <<"module lists runs natively", _/binary>>}}}}, Named
    ).

code_of_the_emulator_itself_has_no_place_in_stacktraces_test() ->
    Counter = counters:new(1, []),
    Native =
        try
            counters:add(Counter, 1, a)
        catch
            error:Reason:Stacktrace -> {Reason, hd(Stacktrace)}
        end,
    {raised, error, badarg, [{counters, add, [_, 1, a], Place} | _]} =
        cuter:eval(counters, add, [Counter, 1, a]),
    ?assertMatch({badarg, {counters, add, [_, 1, a], Place}}, Native).

%% A module may say what becomes of calls of what it does not export.
calls_of_what_is_not_exported_are_handled_test() ->
    Source =
        "-export([f/1, '$handle_undefined_function'/2]).\n"
        "f(0) -> ?MODULE:nothing();\n"
        "f(1) -> [?MODULE:g(1, 2, 3), apply(?MODULE, h, []), (fun ?MODULE:i/2)(x, y)];\n"
        "f(2) -> lists:map(fun ?MODULE:j/1, [1, 2]);\n"
        "f(X) -> ?MODULE:fail(X).\n"
        "'$handle_undefined_function'(fail, [X]) -> {error(X)};\n"
        "'$handle_undefined_function'(Name, Args) -> {Name, Args}.\n",
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        Module = cuter_tried,
        [
            ?assertEqual(cuter_replay:native({Module, f}, [X]), cuter:eval(Module, f, [X]))
         || X <- [0, 1, 2]
        ],
        {raised, error, 3, Native} = cuter_replay:native({Module, f}, [3]),
        {raised, error, 3, Ours} = cuter:eval(Module, f, [3]),
        ?assertEqual(own(Native), own(Ours))
    end).
