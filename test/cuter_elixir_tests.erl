%% Elixir modules, compiled here by elixirc with its defaults (debug_info). Without elixir there is
%% nothing to test, and a line says so.
-module(cuter_elixir_tests).

-include_lib("eunit/include/eunit.hrl").

-define(OPTIONS, #{quiet => true, workers => 1, time_limit => 20000, max_runs => 300}).

-define(SOURCE,
    "defmodule CuterPrice do\n"
    "  @spec ratio(integer(), integer()) :: integer()\n"
    "  def ratio(a, b) when is_integer(a) and is_integer(b) do\n"
    "    if a > 10, do: div(a, b - 7), else: 0\n"
    "  end\n"
    "\n"
    "  @spec total([{integer(), integer()}]) :: integer()\n"
    "  def total(items) do\n"
    "    sum = Enum.reduce(items, 0, fn {amount, price}, acc -> acc + amount * price end)\n"
    "    if sum == 1234, do: raise(ArgumentError, \"unlucky\"), else: sum\n"
    "  end\n"
    "\n"
    "  def colour(:red), do: 1\n"
    "  def colour(:green), do: 2\n"
    "end\n"
).

elixir_test_() ->
    case elixir_ebin() of
        {ok, Ebin} ->
            {setup, fun() -> start(Ebin) end, fun stop/1, fun(Dir) -> tests(Dir, Ebin) end};
        none ->
            cuter_fixture:missing("elixir")
    end.

%% Where the compiler of elixir is, which reads the debug_info.
elixir_ebin() ->
    case os:find_executable("elixir") of
        false ->
            none;
        Elixir ->
            Print = "IO.write(:code.lib_dir(:elixir))",
            Lib = os:cmd(lists:append([Elixir, " -e '", Print, "'"])),
            Ebin = filename:join(Lib, "ebin"),
            case filelib:is_regular(filename:join(Ebin, "elixir_erl.beam")) of
                true -> {ok, Ebin};
                false -> none
            end
    end.

start(Ebin) ->
    true = code:add_pathz(Ebin),
    Dir = cuter_temporary:directory("elixir-test"),
    ok = file:write_file(filename:join(Dir, "price.ex"), ?SOURCE),
    Printed = os:cmd("cd " ++ Dir ++ " && elixirc price.ex 2>&1"),
    ?assertEqual({true, Printed}, {filelib:is_file(beam(Dir)), Printed}),
    true = code:add_pathz(Dir),
    Dir.

beam(Dir) ->
    filename:join(Dir, "Elixir.CuterPrice.beam").

stop(Dir) ->
    _ = code:purge('Elixir.CuterPrice'),
    _ = code:delete('Elixir.CuterPrice'),
    _ = code:purge('Elixir.CuterPrice'),
    _ = code:del_path(Dir),
    cuter_temporary:remove(Dir).

tests(_Dir, Ebin) ->
    [
        {"a division by zero is found", {timeout, 60, fun() ->
            #{failures := Failures} = cuter:run('Elixir.CuterPrice', ratio, [0, 0], ?OPTIONS),
            ?assertMatch([_], [B || #{input := [A, B], reason := badarith} <- Failures, A > 10]),
            [?assertEqual(7, B) || #{input := [_, B], reason := badarith} <- Failures]
        end}},
        {"an exception behind Enum.reduce is solved for", {timeout, 60, fun() ->
            #{failures := Failures} = cuter:run('Elixir.CuterPrice', total, [[{1, 1}]], ?OPTIONS),
            Unlucky = [Items || #{input := [Items], reason := #{message := _}} <- Failures],
            ?assertMatch([_ | _], Unlucky),
            [?assertEqual(1234, lists:sum([A * P || {A, P} <- Items])) || Items <- Unlucky]
        end}},
        {"a function without a matching clause fails", {timeout, 60, fun() ->
            #{failures := Failures} = cuter:run('Elixir.CuterPrice', colour, [red], ?OPTIONS),
            ?assertMatch([#{reason := function_clause}], Failures)
        end}},
        {"without elixir in the code path the sentence says what is missing", fun() ->
            Loaded = [M || M <- [elixir_erl], code:is_loaded(M) =/= false],
            true = code:del_path(Ebin),
            [unload(M) || M <- Loaded],
            %% Forget what was read while it was there.
            _ = persistent_term:erase({cuter_core, 'Elixir.CuterPrice'}),
            Result = cuter:run('Elixir.CuterPrice', colour, [red], ?OPTIONS),
            true = code:add_pathz(Ebin),
            {error, Reason} = Result,
            Text = lists:flatten(cuter:format_error(Reason)),
            ?assertNotEqual({nomatch, Text}, {string:find(Text, "elixir_erl"), Text})
        end}
    ].

unload(Module) ->
    _ = code:purge(Module),
    _ = code:delete(Module),
    code:purge(Module).
