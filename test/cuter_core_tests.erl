-module(cuter_core_tests).

-include_lib("eunit/include/eunit.hrl").

-define(ALL_NODES, "test/fixtures/all_nodes.erl").

%%% The tree

every_kind_of_node_is_converted_test() ->
    Kinds = cuter_ast_check:kinds(all_nodes()),
    ?assertEqual([], protocol_kinds() -- Kinds).

protocol_kinds() ->
    [lit, var, fname, values, list, tuple, map, binary, 'fun', 'let', seq, 'case'] ++
        [{letrec, rec}, {letrec, goto}, apply, call, primop, 'try', 'catch'] ++
        [{pattern, K} || K <- [lit, var, alias, list, tuple, map, binary]].

all_modules_of_stdlib_and_kernel_convert_test_() ->
    {timeout, 300, fun() -> [check_library(M) || App <- [stdlib, kernel], M <- modules(App)] end}.

%% It gives funs that wait to a server of the VM.
global_is_left_to_the_vm_test() ->
    ?assertEqual(native, cuter_core:module(global, exact)).

preloaded_modules_convert_test_() ->
    Modules = erlang:pre_loaded(),
    {timeout, 60, fun() -> lists:foreach(fun check_library/1, Modules) end}.

check_library(Module) ->
    {ok, Binary} = cuter_core:explain(Module),
    {Module, [_ | _]} = {Module, cuter_ast_check:kinds(binary_to_term(Binary))}.

modules(App) ->
    _ = application:load(App),
    {ok, Modules} = application:get_key(App, modules),
    Modules.

a_function_has_its_line_and_the_module_its_file_test() ->
    {_, _, all_nodes, [File], _, Functions, _, _} = all_nodes(),
    ?assertEqual(<<"all_nodes.erl">>, filename:basename(File)),
    {_, _, 0, {'fun', Line, _, _, _}} = lists:keyfind(clauses, 1, Functions),
    ?assertEqual(source_line("clauses(red)"), Line).

a_call_has_its_line_test() ->
    {'fun', _, _, {call, Line, {lit, lists}, {lit, nth}, _}, undefined} = function(lines),
    %% It is the last call of its function.
    ?assertEqual({unseen, source_line("    lists:nth(")}, Line).

a_call_has_its_line_without_columns_test() ->
    Text = "-export([f/1]).\n\nf(X) ->\n    hd(X).\n",
    Tree = tried(Text, [debug_info, {error_location, line}]),
    {'fun', 4, _, {call, 5, _, _, _}, _} = function(f, Tree).

the_names_of_funs_are_those_of_the_compiler_test() ->
    cuter_fixture:with_modules([?ALL_NODES], fun() ->
        Funs = subtrees(function(funs, tree(all_nodes))),
        {name, Native} = erlang:fun_info(element(1, all_nodes:funs(1)), name),
        Names = [Name || {'fun', _, _, _, Name} <- Funs, Name =/= undefined],
        %% With the variable that it captures.
        ?assertEqual([{Native, 2}], Names)
    end).

a_failing_match_names_its_function_test() ->
    Failing = [F || {primop, _, match_fail, _, F} <- subtrees(function(records))],
    ?assert(lists:member({records, 1}, Failing)).

clauses_made_by_the_compiler_are_marked_test() ->
    Marks = [Generated || {clause, _, _, _, _, Generated} <- subtrees(function(comparison))],
    ?assertEqual([false, false, true], Marks).

literals_are_folded_test() ->
    Tree = tried("-export([f/0]).\nf() -> {1, [a, {b} | c], \"d\"}.\n", [debug_info]),
    ?assertMatch({'fun', _, [], {lit, {1, [a, {b} | c], "d"}}, _}, function(f, Tree)).

long_lists_are_flat_test_() ->
    {timeout, 120, fun() ->
        Elements = lists:join(", ", lists:duplicate(10000, "X")),
        Tree = tried(["-export([f/1]).\nf(X) -> [", Elements, "].\n"], [debug_info]),
        {'fun', _, _, {list, Es, {lit, []}}, _} = function(f, Tree),
        ?assertEqual(10000, length(Es))
    end}.

specs_types_and_records_are_given_as_forms_test() ->
    {_, _, _, _, _, _, Specs, _} = all_nodes(),
    ?assertMatch([{spec, {clauses, 1}, [{type, _, 'fun', _}]}], [S || {spec, _, _} = S <- Specs]),
    Types = [Type || {type, _, _, _} = Type <- Specs],
    ?assertMatch([{type, colour, _, []}, {type, pair, _, [_]}], Types),
    ?assertMatch([{opaque, secret, _, []}], [T || {opaque, _, _, _} = T <- Specs]),
    ?assertMatch([{record, point, [_, _]}], [R || {record, _, _} = R <- Specs]),
    ?assertEqual([{cuter, {clauses, 1}}], [C || {cuter, _} = C <- Specs]).

stubs_of_native_functions_stay_as_they_are_test() ->
    {ast, Binary} = cuter_core:module(ets, exact),
    Calls = [F || {call, _, {lit, erlang}, {lit, F}, _} <- subtrees(binary_to_term(Binary))],
    ?assert(lists:member(nif_error, Calls)).

%%% Where the code comes from

a_module_that_does_not_exist_is_undefined_test() ->
    ?assertEqual(undefined, cuter_core:module(cuter_no_such_module, exact)).

macros_of_the_build_hold_in_the_tree_test() ->
    Text = "-export([f/0]).\nf() -> ?WHAT.\n",
    Tree = tried(Text, [debug_info, {d, 'WHAT', given}]),
    ?assertMatch({'fun', _, [], {lit, given}, _}, function(f, Tree)).

the_source_is_used_when_there_is_no_debug_info_test() ->
    Tree = tried("-export([f/0]).\nf() -> ?WHAT.\n", [{d, 'WHAT', given}]),
    ?assertMatch({'fun', _, [], {lit, given}, _}, function(f, Tree)).

the_source_has_the_name_that_the_compiler_was_given_test_() ->
    {timeout, 60, fun() -> cuter_fixture:in_directory(fun named_as_compiled/1) end}.

named_as_compiled(Dir) ->
    Source = filename:join([Dir, "src", "cuter_named.erl"]),
    ok = filelib:ensure_dir(Source),
    Text = "-module(cuter_named).\n-export([f/1]).\nf(X) -> {?FILE, hd(X)}.\n",
    ok = file:write_file(Source, Text),
    "" = os:cmd("cd " ++ Dir ++ " && erlc src/cuter_named.erl"),
    [
        ?assertEqual(cuter_replay:native({cuter_named, f}, [X]), cuter:eval(cuter_named, f, [X]))
     || X <- [[a], b]
    ],
    ?assertMatch({ok, {"src/cuter_named.erl", a}}, cuter:eval(cuter_named, f, [[a]])).

an_edited_source_is_not_trusted_test() ->
    cuter_fixture:with_source("-export([f/0]).\nf() -> 1.\n", [], fun(Source) ->
        ok = file:write_file(Source, "-module(cuter_tried).\n-export([f/0]).\nf() -> 2.\n"),
        ?assertEqual(native, cuter_core:module(cuter_tried, exact)),
        ?assertMatch({error, {cuter_core, {source_differs, _, _}}}, cuter_core:explain(cuter_tried))
    end).

encrypted_debug_info_is_named_test() ->
    Options = [debug_info, {debug_info_key, "of no one"}],
    cuter_fixture:with_source("-export([f/0]).\nf() -> 1.\n", Options, fun(Source) ->
        ok = file:delete(Source),
        ?assertMatch({error, {cuter_core, {encrypted, _}}}, cuter_core:explain(cuter_tried))
    end).

%% The parse transform that is loaded when the source is compiled again is another one.
a_parse_transform_that_does_not_end_is_given_up_test_() ->
    {timeout, 60, fun() ->
        Text = "-compile({parse_transform, stamp_transform}).\n-export([f/0]).\nf() -> 1.\n",
        [
            ?assertMatch({error, {cuter_core, {source_differs, _, _}}}, transformed_by(Text, Body))
         || Body <- ["parse_transform(F, O)", "error({no, F, O})", "exit(self(), kill), {F, O}"]
        ]
    end}.

transformed_by(Text, Body) ->
    cuter_fixture:with_modules(["test/fixtures/stamp_transform.erl"], fun() ->
        cuter_fixture:with_source(Text, [], fun(Source) ->
            Other = filename:join(filename:dirname(Source), "stamp_transform.erl"),
            ok = file:write_file(Other, [
                "-module(stamp_transform).\n-export([parse_transform/2]).\n"
                "parse_transform(F, O) -> ", Body, ".\n"
            ]),
            _ = cuter_fixture:load(Other, filename:dirname(Source), []),
            ok = application:set_env(cuter, compile_time, 500),
            try
                cuter_core:explain(cuter_tried)
            after
                application:unset_env(cuter, compile_time)
            end
        end)
    end).

%% The BEAM has no such module either.
a_module_that_cannot_be_loaded_is_undefined_and_named_test() ->
    cuter_fixture:in_directory(fun(Dir) ->
        Source = filename:join(Dir, "cuter_refused.erl"),
        ok = file:write_file(Source,
            "-module(cuter_refused).\n-export([f/0]).\n-on_load(no/0).\nno() -> no.\nf() -> 1.\n"),
        {ok, _} = compile:file(Source, [debug_info, {outdir, Dir}]),
        ok = file:write_file(filename:join(Dir, "cuter_junk.beam"), "no beam file"),
        ?assertEqual(undefined, cuter_core:module(cuter_refused, exact)),
        [
            ?assertEqual(
                {error, {cuter_core, {cannot_be_loaded, Module, Reason}}},
                cuter:eval(Module, f, [])
            )
         || {Module, Reason} <- [{cuter_refused, on_load_failure}, {cuter_junk, badfile}]
        ]
    end).

an_edited_source_does_not_matter_with_debug_info_test() ->
    cuter_fixture:with_source("-export([f/0]).\nf() -> 1.\n", [debug_info], fun(Source) ->
        ok = file:write_file(Source, "-module(cuter_tried).\n-export([f/0]).\nf() -> 2.\n"),
        ?assertMatch({'fun', _, [], {lit, 1}, _}, function(f, tree(cuter_tried)))
    end).

a_beam_file_that_is_not_the_loaded_code_is_not_trusted_test() ->
    cuter_fixture:with_source("-export([f/0]).\nf() -> 1.\n", [debug_info], fun(Source) ->
        ok = file:write_file(Source, "-module(cuter_tried).\n-export([f/0]).\nf() -> 2.\n"),
        {ok, _} = compile:file(Source, [debug_info, {outdir, filename:dirname(Source)}]),
        ?assertMatch({error, {cuter_core, {other_code_loaded, _}}}, cuter_core:explain(cuter_tried))
    end).

code_loaded_anew_gives_a_new_tree_test() ->
    cuter_fixture:with_source("-export([f/0]).\nf() -> 1.\n", [debug_info], fun(Source) ->
        ?assertMatch({'fun', _, [], {lit, 1}, _}, function(f, tree(cuter_tried))),
        ok = file:write_file(Source, "-module(cuter_tried).\n-export([f/0]).\nf() -> 2.\n"),
        _ = cuter_fixture:load(Source, filename:dirname(Source), [debug_info]),
        ?assertMatch({'fun', _, [], {lit, 2}, _}, function(f, tree(cuter_tried)))
    end).

a_change_of_a_spec_alone_gives_a_new_tree_test() ->
    Text = "-export([f/0]).\n-spec f() -> integer().\nf() -> 1.\n",
    cuter_fixture:with_source(Text, [debug_info], fun(Source) ->
        Before = tree(cuter_tried),
        Changed = "-module(cuter_tried).\n-export([f/0]).\n-spec f() -> 1.\nf() -> 1.\n",
        ok = file:write_file(Source, Changed),
        _ = cuter_fixture:load(Source, filename:dirname(Source), [debug_info]),
        ?assertNotEqual(Before, tree(cuter_tried))
    end).

a_parse_transform_is_not_applied_twice_test() ->
    cuter_fixture:with_modules(["test/fixtures/stamp_transform.erl"], fun() ->
        Options = [{parse_transform, stamp_transform}],
        Text = "-export([f/0]).\nf() -> 1.\n",
        ?assertMatch({'fun', _, [], {lit, stamped}, _}, stamp(tried(Text, [debug_info | Options]))),
        ?assertMatch({'fun', _, [], {lit, stamped}, _}, stamp(tried(Text, Options)))
    end).

stamp(Tree) ->
    function(stamp, Tree).

%% In a VM of its own: this one may be counting the coverage of these tests.
a_cover_compiled_module_has_the_tree_of_its_beam_file_test_() ->
    {timeout, 60, fun cover_compiled/0}.

cover_compiled() ->
    Ebin = filename:dirname(code:which(cuter_core)),
    cuter_fixture:with_source("-export([f/0]).\nf() -> 1.\n", [debug_info], fun(Source) ->
        Script =
            "{ok, cuter_tried} = cover:compile_beam(cuter_tried),"
            "cover_compiled = code:which(cuter_tried),"
            "{ast, Ast} = cuter_core:module(cuter_tried, exact),"
            "io:put_chars(base64:encode(Ast)), halt().",
        Paths = [" -pa ", filename:dirname(Source), " -pa ", Ebin],
        Output = os:cmd(lists:flatten(["erl -noshell", Paths, " -eval '", Script, "'"])),
        ?assertEqual(tree(cuter_tried), binary_to_term(base64:decode(Output)))
    end).

every_error_is_a_sentence_test() ->
    Errors = [
        {no_such_module, m},
        {cannot_be_loaded, m, badfile},
        {no_code, m},
        {encrypted, m},
        {source_differs, m, "m.erl"},
        {other_code_loaded, m},
        {does_not_compile, m},
        {unsupported, m, {unsupported_node, {pattern, x}}}
    ],
    [?assertEqual($., lists:last(lists:flatten(cuter_core:format_error(E)))) || E <- Errors].

a_construct_that_is_not_known_is_named_test() ->
    Fun = cerl:c_fun([], cerl:c_primop(cerl:abstract(of_the_future), [])),
    Name = cerl:c_fname(f, 0),
    Module = cerl:c_module(cerl:abstract(m), [Name], [], [{Name, Fun}]),
    ?assertThrow({unsupported_node, {primop, of_the_future}}, cuter_ast:from_core(Module)).

%% What stands in the text of such a function need not be `nif_error/1` alone.
functions_of_a_native_library_are_run_by_the_vm_test_() ->
    Header = filename:join([code:root_dir(), "usr", "include", "erl_nif.h"]),
    case {os:find_executable("cc"), filelib:is_regular(Header)} of
        {false, _} -> cuter_fixture:missing("cc");
        {_, false} -> cuter_fixture:missing("erlang-dev");
        {_, true} -> {timeout, 60, fun() -> with_library(filename:dirname(Header)) end}
    end.

with_library(Include) ->
    Text =
        "-export([load/1, answer/1, twice/1]).\n"
        "load(Library) -> erlang:load_nif(Library, 0).\n"
        "answer(_) -> _ = atom_to_list(not_loaded), erlang:nif_error(not_loaded).\n"
        "twice(X) -> {answer(X), answer(X)}.\n",
    cuter_fixture:with_source(Text, [debug_info], fun(Source) ->
        ?assertMatch({raised, error, not_loaded, _}, cuter:eval(cuter_tried, twice, [1])),
        Library = filename:join(filename:dirname(Source), "tried"),
        ok = file:write_file(Library ++ ".c", library()),
        Command = ["cc -shared -fPIC -I", Include, " -o ", Library, ".so ", Library, ".c"],
        [] = os:cmd(lists:flatten(Command)),
        ok = cuter_tried:load(Library),
        ?assertEqual({ok, {42, 42}}, cuter:eval(cuter_tried, twice, [1]))
    end).

library() ->
    "#include <erl_nif.h>\n"
    "static ERL_NIF_TERM answer(ErlNifEnv* env, int argc, const ERL_NIF_TERM argv[])\n"
    "{ return enif_make_int(env, 42); }\n"
    "static ErlNifFunc functions[] = {{\"answer\", 1, answer}};\n"
    "ERL_NIF_INIT(cuter_tried, functions, NULL, NULL, NULL, NULL)\n".

%%% Looking into trees

all_nodes() ->
    cuter_fixture:with_modules([?ALL_NODES], fun() -> tree(all_nodes) end).

tried(Text, Options) ->
    cuter_fixture:with_source(Text, Options, fun(_Source) -> tree(cuter_tried) end).

tree(Module) ->
    {ast, Binary} = cuter_core:module(Module, exact),
    binary_to_term(Binary).

function(Name) ->
    function(Name, all_nodes()).

function(Name, {_, _, _, _, _, Functions, _, _}) ->
    {Name, _, _, Fun} = lists:keyfind(Name, 1, Functions),
    Fun.

%% All terms inside a term, in order.
subtrees(Tree) when is_tuple(Tree) -> [Tree | subtrees(tuple_to_list(Tree))];
subtrees([Head | Tail]) -> subtrees(Head) ++ subtrees(Tail);
subtrees(_Leaf) -> [].

source_line(Start) ->
    {ok, Text} = file:read_file(cuter_fixture:file(?ALL_NODES)),
    Before = fun(Line) -> string:prefix(Line, Start) =:= nomatch end,
    length(lists:takewhile(Before, string:split(Text, "\n", all))) + 1.
