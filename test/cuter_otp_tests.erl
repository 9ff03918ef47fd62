%% Whole applications of OTP in the machine: what they make of documents and programs is what the
%% BEAM makes of them. Many start processes, read files and call back.
-module(cuter_otp_tests).

-include_lib("eunit/include/eunit.hrl").

-define(SECONDS, 120).
-define(DOCUMENT,
    "<?xml version=\"1.0\"?><!DOCTYPE a [<!ELEMENT a (b*)><!ELEMENT b (#PCDATA)>"
    "<!ENTITY e \"text &#169;\">]><a><!-- c --><b>one &e;</b><b>two<![CDATA[<raw>]]></b></a>"
).

outcomes_are_those_of_the_beam_test_() ->
    Calls = calls(),
    [
        {lists:flatten(io_lib:format("~w:~w ~w", [Module, Function, Number])),
            {timeout, ?SECONDS, fun() -> same({Module, Function, Args}) end}}
     || {Number, {Module, Function, Args}} <- lists:zip(lists:seq(1, length(Calls)), Calls)
    ].

calls() ->
    Source = cuter_fixture:file("test/fixtures/diff_processes.erl"),
    {ok, Forms} = epp:parse_file(Source, []),
    {ok, Dodged} = epp_dodger:parse_file(Source),
    {Element, []} = xmerl_scan:string("<a><b>one</b><b>two</b></a>"),
    Pem = public_key:pem_encode([{'Certificate', <<1, 2, 3>>, not_encrypted}]),
    [
        {epp, parse_file, [Source, []]},
        {epp_dodger, parse_file, [Source]},
        {erl_comment_scan, file, [Source]},
        {erl_prettypr, format, [erl_syntax:form_list(Dodged), [{paper, 60}, {ribbon, 40}]]},
        {erl_syntax_lib, analyze_forms, [Forms]},
        {merl, quote, ["f(X) -> case X of 1 -> [Y || Y <- X]; _ -> <<X:8>> end"]},
        {edoc, get_doc, [Source, [preprocess]]},
        {compile, file, [Source, [binary, deterministic, return]]},
        {compile, forms, [Forms, [binary, deterministic, inline, {inline_size, 200}]]},
        {compile, forms, [Forms, [binary, to_core, no_copt]]},
        {xmerl_scan, string, [?DOCUMENT]},
        {xmerl_scan, string, [?DOCUMENT, [{validation, true}]]},
        {xmerl_xpath, string, ["//b[contains(., 'two')]/text() | //a", Element]},
        {xmerl, export, [[Element], xmerl_xml]},
        {xmerl_sax_parser, stream, [list_to_binary(?DOCUMENT), []]},
        {public_key, pem_decode, [Pem]},
        {public_key, pem_decode, [<<"-----BEGIN X-----\nAQID\n-----END Y-----\n">>]},
        {os, cmd, ["printf hello"]},
        {eunit, test, [fun() -> ok end]}
    ].

%% Without what differs by nature: identifiers, and the frames below the call in exceptions that a
%% program caught.
same({Module, Function, Args}) ->
    Native = cuter_replay:native({Module, Function}, Args),
    Ours = cuter:eval(Module, Function, Args, #{max_steps => 200000000, time_limit => 100000}),
    ?assertMatch(ending, ending(Native)),
    ?assertEqual(plain(Native), plain(Ours)).

ending({ok, _}) -> ending;
ending({raised, _, _, _}) -> ending;
ending(Other) -> Other.

plain({raised, Class, Reason, _Stacktrace}) -> {raised, Class, plain(Reason)};
plain([Head | Tail]) -> [plain(Head) | plain(Tail)];
plain(Tuple) when is_tuple(Tuple) -> list_to_tuple(plain(tuple_to_list(Tuple)));
plain(Map) when is_map(Map) -> maps:map(fun(_, Value) -> plain(Value) end, Map);
plain(Other) when is_function(Other); is_pid(Other); is_reference(Other); is_port(Other) -> other;
plain(Other) -> Other.
