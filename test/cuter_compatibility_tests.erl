%% docs/compatibility.md says what the machine can do. It is made here, from what was tried:
%% CUTER_BLESS=1 writes it anew.
-module(cuter_compatibility_tests).

-include_lib("eunit/include/eunit.hrl").

-define(FILE_NAME, "docs/compatibility.md").
-define(RELEASE, "25").

%%% Nodes: each in a small function that the machine runs as the BEAM does

every_node_is_run_as_the_beam_does_test_() ->
    [
        {node_name(Node), fun() -> tried(Node, Text, Args) end}
     || {Node, Text, Args} <- core_nodes()
    ].

tried(Node, Text, Args) ->
    Source = ["-export([f/", integer_to_list(length(Args)), "]).\n", Text, "\n"],
    cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        {ok, Tree} = cuter_core:explain(cuter_tried),
        ?assert(occurs(Node, binary_to_term(Tree))),
        %% In a process of its own: some send messages to themselves.
        Native = cuter_sandbox:run(fun() -> apply(cuter_tried, f, Args) end, #{time => 5000}),
        {done, Value} = Native,
        ?assertEqual({ok, Value}, cuter:eval(cuter_tried, f, Args)),
        ?assertEqual({messages, []}, process_info(self(), messages))
    end).

%% Whether a node of this kind, or a primop or segment of this name, is in the tree.
occurs({Kind, Name}, Tuple) when is_tuple(Tuple), element(1, Tuple) =:= Kind ->
    lists:member(Name, tuple_to_list(Tuple)) orelse occurs_in({Kind, Name}, Tuple);
occurs(Kind, Tuple) when is_tuple(Tuple), tuple_size(Tuple) > 1, element(1, Tuple) =:= Kind ->
    true;
occurs(Node, Tuple) when is_tuple(Tuple) ->
    occurs_in(Node, Tuple);
occurs(Node, [Head | Tail]) ->
    occurs(Node, Head) orelse occurs(Node, Tail);
occurs(_Node, _Leaf) ->
    false.

occurs_in(Node, Tuple) ->
    lists:any(fun(Part) -> occurs(Node, Part) end, tuple_to_list(Tuple)).

core_nodes() ->
    [
        {lit, "f() -> {a, [1, 2.5], \"text\", #{k => <<1>>}}.", []},
        {var, "f(X) -> X.", [x]},
        {fname, "f(X) -> {g(X), fun g/1 =:= fun g/1}.\ng(X) -> [X].", [1]},
        {values, "f(A, B) -> case {A, B} of {1, X} -> X; {X, 2} -> [X] end.", [3, 2]},
        {list, "f(X) -> [a, X | X].", [[b]]},
        {tuple, "f(X) -> {X, {X}}.", [1]},
        {map, "f(K, V) -> M = #{K => V}, {M, M#{K := x}, M#{y => V}}.", [k, 1]},
        {binary, "f(X, S) -> <<X:S/little-signed, 7:3, X/float, X/utf8>>.", [77, 13]},
        {'fun', "f(X) -> G = fun(Y) -> X + Y end, G(1) + G(2).", [5]},
        {'let', "f(X) -> Y = g(X), {Y, Y}.\ng(X) -> X * 2.", [4]},
        {seq, "f(X) -> put(a, X), get(a).", [9]},
        {'case', "f(X) when X > 1; X =:= a -> big;\nf([_ | _] = L) -> hd(L);\nf(_) -> no.", [[7]]},
        {clause, "f({A, A}) -> same;\nf({_, _}) -> different.", [{1, 1.0}]},
        {letrec, "f(L) -> [X * 2 || X <- L, X > 1].", [[1, 2, 3]]},
        {apply, "f(F) -> F(1, 2).", [fun erlang:'+'/2]},
        {call, "f(M, F) -> {M:F([3, 1, 2]), lists:max([1, 2])}.", [lists, sort]},
        {'try', "f(X) -> try 1 div X of Y -> Y catch error:E -> E after put(a, X) end.", [0]},
        {'catch', "f(X) -> catch throw(X).", [ball]},
        {{primop, match_fail}, "f(X) -> try g(X) catch error:E -> E end.\ng(1) -> 1.", [2]},
        {{primop, build_stacktrace}, "f(X) -> try exit(X) catch C:E:S -> {C, E, is_list(S)} end.",
            [x]},
        {{primop, raw_raise},
            "f(X) -> try try error(X) catch C:E:S -> erlang:raise(C, E, S) end catch _:Y -> Y end.",
            [x]},
        {{primop, recv_peek_message},
            "f(X) -> self() ! {other, 1}, self() ! {msg, X}, receive {msg, Y} -> Y end.", [m]},
        {{primop, recv_next},
            "f(X) -> self() ! 1, self() ! X, receive a -> b; {Y} -> Y end.", [{2}]},
        {{primop, remove_message},
            "f(X) -> self() ! X, receive Y -> Y end, receive Z -> Z after 0 -> none end.", [1]},
        {{primop, bs_init_writable}, "f(L) -> << <<X:3>> || X <- L >>.", [[1, 2, 3]]},
        {{primop, recv_wait_timeout}, "f(T) -> receive a -> b after T -> late end.", [5]},
        {{seg, integer}, "f(<<A:4, B:12/little, R/bits>>) -> {A, B, R}.", [<<1, 2, 3:3>>]},
        {{seg, float}, "f(<<A:32/float, B/float>>) -> {A, B}.", [<<1.5:32/float, 2.5/float>>]},
        {{seg, binary}, "f(<<N, B:N/binary, R/binary>>) -> {B, R}.", [<<2, "abc">>]},
        {{seg, utf8}, "f(<<A/utf8, B/utf8, R/binary>>) -> {A, B, R}.", [<<"ä€x"/utf8>>]},
        {{seg, utf16}, "f(<<A/utf16-little, _/binary>>) -> A.", [<<16#10437/utf16-little>>]},
        {{seg, utf32}, "f(<<A/utf32, _/binary>>) -> A.", [<<16#10437/utf32>>]}
    ].

%%% The document

%% Releases differ in the functions that they have.
the_document_says_what_there_is_test_() ->
    case erlang:system_info(otp_release) of
        ?RELEASE -> [fun the_document_says_what_there_is/0];
        _ -> []
    end.

the_document_says_what_there_is() ->
    File = cuter_fixture:file(?FILE_NAME),
    Actual = unicode:characters_to_binary(document()),
    ok = bless(os:getenv("CUTER_BLESS"), File, Actual),
    {ok, Expected} = file:read_file(File),
    ?assertEqual(Expected, Actual).

bless("1", File, Text) -> file:write_file(File, Text);
bless(_, _File, _Text) -> ok.

document() ->
    Bifs = lists:sort(binary_to_term(cuter_nif:bifs())),
    [
        "# Compatibility\n\n"
        "What the machine does, as the tests have seen it on OTP " ?RELEASE "\n"
        "(`test/cuter_compatibility_tests.erl` makes this page).\n\n"
        "## Core Erlang\n\n| node | state |\n| --- | --- |\n",
        [io_lib:format("| `~ts` | exact |\n", [node_name(Node)]) || {Node, _, _} <- core_nodes()],
        "\n## Built-in functions\n\n"
        "- *exact*: the result, and its symbolic meaning, for the solver;\n"
        "- *emulated*: written in Erlang by means of exact ones, for symbolic arguments;\n"
        "- *typed*: the types of the arguments are solved for, then they are concrete;\n"
        "- *concrete*: the exact result for concrete arguments; symbolic ones are made concrete,\n"
        "  which the report counts.\n\n"
        "| function | state |\n| --- | --- |\n",
        [io_lib:format("| `~tw:~tw/~b` | ~ts |\n", [M, F, A, State]) || {M, F, A, State} <- Bifs],
        "\n## Through the host\n\n"
        "Functions of a library (NIFs) and these built-in ones are run by the VM, with concrete\n"
        "arguments; the report counts the calls. Some have an emulation for symbolic ones\n"
        "(`src_erl/cuter_prelude_*.erl`).\n\n"
        "| module | functions |\n| --- | --- |\n",
        [host_row(Module, Bifs) || Module <- library(), through_the_host(Module, Bifs) =/= []],
        "\n## Not yet\n\n"
        "- Other nodes.\n"
        "- Other orders of processes than the one that the machine takes.\n"
        "- Native records of OTP 29: modules with them are run natively.\n"
        "- Beam files of another release's compiler: the machine has what the compiler at hand\n"
        "  makes of their code, with `badrecord` as it was up to OTP 24. Functions in stacktraces\n"
        "  may have other names; failures are told as the BEAM has them.\n"
    ].

host_row(Module, Bifs) ->
    Names = [io_lib:format("`~tw/~b`", [F, A]) || {F, A} <- through_the_host(Module, Bifs)],
    io_lib:format("| `~tw` | ~ts |\n", [Module, lists:join(", ", Names)]).

through_the_host(Module, Bifs) ->
    [
        {F, A}
     || {F, A} <- lists:sort(Module:module_info(exports)),
        erlang:is_builtin(Module, F, A),
        not lists:any(fun({M, Name, N, _}) -> {M, Name, N} =:= {Module, F, A} end, Bifs)
    ].

library() ->
    Modules = lists:append([modules(App) || App <- [kernel, stdlib]]) ++ erlang:pre_loaded(),
    lists:usort(Modules).

modules(App) ->
    _ = application:load(App),
    {ok, Modules} = application:get_key(App, modules),
    Modules.

node_name({Kind, Name}) -> lists:concat([Kind, " ", Name]);
node_name(Kind) -> atom_to_list(Kind).
