%% Reports as JUnit XML, JSON and HTML: valid, complete, and nothing that a value holds breaks them.
-module(cuter_formats_tests).

-include_lib("eunit/include/eunit.hrl").
-include_lib("xmerl/include/xmerl.hrl").

-define(SECONDS, 120).

%%% JUnit

junit_is_valid_test_() ->
    [
        {Name, fun() ->
            Document = parsed(cuter_junit:text(Reports)),
            Schema = schema(),
            ?assertMatch({#xmlElement{}, _}, xmerl_xsd:validate(Document, Schema))
        end}
     || {Name, Reports} <- [
            {"of nothing", []},
            {"of failures", odd_reports()},
            {"of disagreements", [disagreement()]},
            {"of success", [report({m, f, 1}, #{})]}
        ]
    ].

%% The schema can tell: a document of another shape is refused.
the_schema_refuses_other_documents_test() ->
    Document = parsed(<<"<testsuites><testsuite name=\"x\"></testsuite></testsuites>">>),
    ?assertMatch({error, _}, xmerl_xsd:validate(Document, schema())).

there_is_a_suite_for_each_module_and_a_case_for_each_function_test() ->
    Reports = [report({m, f, 1}, #{}), report({n, g, 0}, #{}), failing({m, h, 2}), disagreement()],
    Document = parsed(cuter_junit:text(Reports)),
    Suites = xmerl_xpath:string("/testsuites/testsuite", Document),
    ?assertEqual(["m", "n"], [attribute(name, S) || S <- Suites]),
    Cases = fun(Suite) -> xmerl_xpath:string("testcase", Suite) end,
    [M, N] = Suites,
    ?assertEqual(["f/1", "h/2", "bad/1"], [attribute(name, C) || C <- Cases(M)]),
    ?assertEqual(["g/0"], [attribute(name, C) || C <- Cases(N)]),
    ?assertEqual(["3", "1", "1"], [attribute(A, M) || A <- [tests, failures, errors]]),
    ?assertEqual(1, length(xmerl_xpath:string("testcase[@name='h/2']/failure", M))),
    ?assertEqual(1, length(xmerl_xpath:string("testcase[@name='bad/1']/error", M))).

all_failures_of_a_function_are_in_its_case_test() ->
    #{failures := [One]} = Report = failing({m, h, 1}),
    Two = One#{input => [two], reason => another},
    Document = parsed(cuter_junit:text([Report#{failures => [One, Two]}])),
    [Failure] = xmerl_xpath:string("//failure", Document),
    Text = text_of(Failure),
    ?assertNotEqual(nomatch, string:find(Text, "m:h(two)")),
    ?assertNotEqual(nomatch, string:find(attribute(message, Failure), "1 more failure")).

schema() ->
    {ok, Schema} = xmerl_xsd:process_schema(cuter_fixture:file("test/fixtures/junit.xsd")),
    Schema.

parsed(Xml) ->
    {Document, []} = xmerl_scan:string(unicode:characters_to_list(Xml, latin1), [{quiet, true}]),
    Document.

attribute(Name, #xmlElement{attributes = Attributes}) ->
    #xmlAttribute{value = Value} = lists:keyfind(Name, #xmlAttribute.name, Attributes),
    Value.

text_of(#xmlElement{content = Content}) ->
    lists:append([Value || #xmlText{value = Value} <- Content]).

%%% JSON

json_is_read_by_another_program_test() ->
    Document = decoded(cuter_json:text(odd_reports())),
    #{<<"version">> := 1, <<"functions">> := Functions} = Document,
    ?assertEqual(length(odd_reports()), length(Functions)).

json_has_what_the_report_has_test() ->
    Report = explored(),
    #{<<"functions">> := [F]} = decoded(cuter_json:text([Report])),
    ?assertEqual(
        [<<"regress">>, <<"classify">>, 1],
        [maps:get(K, F) || K <- [<<"module">>, <<"function">>, <<"arity">>]]
    ),
    #{<<"failures">> := [Failure], <<"inputs">> := Inputs, <<"coverage">> := Coverage} = F,
    ?assertMatch(
        #{
            <<"call">> := <<"regress:classify(17)">>,
            <<"input">> := [<<"17">>],
            <<"class">> := <<"error">>,
            <<"reason">> := <<"{bad_luck, 17}">>,
            <<"condition">> := <<"X1 =:= 17">>,
            <<"stacktrace">> := [#{<<"module">> := <<"regress">>, <<"line">> := 13}]
        },
        Failure
    ),
    ?assertEqual(length(maps:get(inputs, Report)), length(Inputs)),
    #{<<"clauses">> := #{<<"covered">> := 5, <<"total">> := 5}} = Coverage,
    ?assertEqual(5, length(maps:get(<<"covered">>, Coverage))).

%% Every key that the documentation names is there, and no other.
json_is_as_documented_test() ->
    {ok, Text} = file:read_file(cuter_fixture:file("docs/report-schema.md")),
    {match, Rows} = re:run(Text, "^\\| `([a-z_.\\[\\]]+)` \\|", [
        global, multiline, {capture, all_but_first, list}
    ]),
    Documented = lists:usort([Path || [Path] <- Rows]),
    Found = lists:usort(paths(decoded(cuter_json:text([explored() | full_reports()])), "")),
    ?assertEqual(Documented, Found).

paths(Map, Prefix) when is_map(Map) ->
    lists:append([
        [Prefix ++ binary_to_list(Key) | paths(Value, Prefix ++ binary_to_list(Key) ++ ".")]
     || {Key, Value} <- maps:to_list(Map)
    ]);
paths([_ | _] = List, Prefix) ->
    Stem = lists:droplast(Prefix),
    lists:append([paths(Item, Stem ++ "[].") || Item <- List]);
paths(_Leaf, _Prefix) ->
    [].

decoded(Json) ->
    {Value, Rest} = value(skip(Json)),
    ?assertEqual(<<>>, skip(Rest)),
    Value.

%% A reader of its own, so that the writer is not judged by itself.
value(<<"{", Rest/binary>>) -> object(skip(Rest), #{});
value(<<"[", Rest/binary>>) -> array(skip(Rest), []);
value(<<"\"", Rest/binary>>) -> string(Rest, <<>>);
value(<<"null", Rest/binary>>) -> {null, Rest};
value(<<"true", Rest/binary>>) -> {true, Rest};
value(<<"false", Rest/binary>>) -> {false, Rest};
value(Number) -> {_, _} = string:to_integer(Number).

object(<<"}", Rest/binary>>, Map) ->
    {Map, Rest};
object(<<"\"", Rest/binary>>, Map) ->
    {Key, AfterKey} = string(Rest, <<>>),
    <<":", AfterColon/binary>> = skip(AfterKey),
    {Value, AfterValue} = value(skip(AfterColon)),
    ?assertNot(is_map_key(Key, Map)),
    next(skip(AfterValue), $}, fun(More) -> object(More, Map#{Key => Value}) end).

array(<<"]", Rest/binary>>, Items) ->
    {lists:reverse(Items), Rest};
array(Text, Items) ->
    {Item, AfterItem} = value(Text),
    next(skip(AfterItem), $], fun(More) -> array(More, [Item | Items]) end).

next(<<",", Rest/binary>>, _End, Go) -> Go(skip(Rest));
next(<<End, _/binary>> = Rest, End, Go) -> Go(Rest).

string(<<"\"", Rest/binary>>, Text) -> {Text, Rest};
string(<<"\\u", Hex:4/binary, Rest/binary>>, Text) ->
    string(Rest, <<Text/binary, (binary_to_integer(Hex, 16))/utf8>>);
string(<<"\\", C, Rest/binary>>, Text) when C =:= $"; C =:= $\\; C =:= $n; C =:= $r; C =:= $t ->
    string(Rest, <<Text/binary, C>>);
string(<<C/utf8, Rest/binary>>, Text) when C >= $\s, C =/= $\\ ->
    string(Rest, <<Text/binary, C/utf8>>).

skip(<<C, Rest/binary>>) when C =:= $\s; C =:= $\n -> skip(Rest);
skip(Text) -> Text.

%%% HTML

the_page_is_well_formed_and_needs_nothing_else_test_() ->
    {timeout, ?SECONDS, fun() ->
        Page = cuter_html:text([explored() | odd_reports()]),
        ?assertMatch(<<"<!DOCTYPE html>\n", _/binary>>, Page),
        Document = parsed(Page),
        Links = values("//*[@href]", href, Document) ++ values("//*[@src]", src, Document),
        Ids = values("//*[@id]", id, Document),
        ?assertEqual([], [Link || Link <- Links, not is_inside(Link, Ids)]),
        ?assertEqual(length(Ids), length(lists:usort(Ids))),
        ?assertEqual(nomatch, re:run(Page, "https?://|url\\(|@import"))
    end}.

is_inside("#" ++ Id, Ids) -> lists:member(Id, Ids);
is_inside(_Link, _Ids) -> false.

values(Path, Name, Document) ->
    lists:sort([attribute(Name, Element) || Element <- xmerl_xpath:string(Path, Document)]).

the_source_shows_what_is_covered_and_what_fails_test() ->
    cuter_fixture:with_modules(["test/fixtures/regress.erl"], fun() ->
        Mfa = {regress, classify, 1},
        Row = fun(Line, N) -> #{mfa => Mfa, line => Line, clause => {regress, classify, 1, N}} end,
        Coverage = #{
            clauses => {2, 4},
            covered => [Row(11, 1), Row(13, 2)],
            uncovered => [(Row(16, 4))#{reason => <<"because">>}, Row(18, 5)]
        },
        {raised, error, Reason, Stack} = cuter_replay:native({regress, classify}, [17]),
        Failure = #{input => [17], class => error, reason => Reason, stacktrace => Stack},
        Report = report(Mfa, #{coverage => Coverage, failures => [Failure]}),
        Document = parsed(cuter_html:text([Report])),
        Classes = [
            {attribute(class, Row1), number(Row1)}
         || Row1 <- xmerl_xpath:string("//table[@class='source']//tr[td[@class='nr']]", Document)
        ],
        Marks = [{N, lists:flatten(C)} || {C, N} <- Classes],
        ?assertEqual(
            [
                {"11", "covered"},
                {"12", "covered"},
                {"13", "covered failing"},
                {"14", "neutral"},
                {"15", "neutral"},
                {"16", "uncovered"},
                {"17", "uncovered"},
                {"18", "uncovered"},
                {"19", "uncovered"}
            ],
            Marks
        ),
        [Why | _] = xmerl_xpath:string("//span[@class='why']", Document),
        ?assertEqual("not reached: because", text_of(Why))
    end).

%% The compiler leaves no clause where there is only one that takes everything.
functions_and_funs_of_one_clause_are_marked_test_() ->
    Program =
        "-export([f/1]).\n"
        "f(X) ->\n"
        "    g(fun(Y) ->\n"
        "        Y + 1\n"
        "    end, X).\n"
        "g(F, 1) -> F(1);\n"
        "g(_, X) when X > 5, X < 4 -> h(X);\n"
        "g(_, _) -> 0.\n"
        "h(X) ->\n"
        "    X.\n",
    {timeout, ?SECONDS, fun() ->
        cuter_fixture:with_source(Program, [debug_info], fun(_) ->
            Report = cuter:run(cuter_tried, f, [0], [quiet, {workers, 1}]),
            ?assertMatch(#{coverage := #{clauses := {4, 6}, lines := {4, 6}}}, Report),
            Document = parsed(cuter_html:text([Report])),
            Path = "//table[@class='source']//tr[td[@class='nr']]",
            Marks = [
                {list_to_integer(number(Row)), attribute(class, Row)}
             || Row <- xmerl_xpath:string(Path, Document)
            ],
            ?assertEqual(
                [{Line, "covered"} || Line <- [3, 4, 5, 6, 7]] ++
                    [{8, "uncovered"}, {9, "covered"}, {10, "uncovered"}, {11, "uncovered"}],
                [Mark || {_, Class} = Mark <- Marks, not lists:prefix("neutral", Class)]
            )
        end)
    end}.

number(Row) ->
    [Cell | _] = xmerl_xpath:string("td", Row),
    text_of(Cell).

a_tree_has_a_leaf_for_each_run_test() ->
    Paths = [path(N, Decisions) || {N, Decisions} <- numbered([
        [{1, true}, {2, true}, {3, true}],
        [{1, true}, {2, true}, {3, false}],
        [{1, true}, {2, true}, {3, false}, {4, true}],
        [{1, true}, {2, false}]
    ])],
    Tree = cuter_html_tree:tree(Paths),
    ?assertMatch(
        {steps, [{1, true}],
            {branch, [], [
                {{2, true},
                    {branch, [], [{{3, true}, {leaf, _}}, {{3, false}, {branch, [_], [_]}}]}},
                {{2, false}, {leaf, _}}
            ]}},
        Tree
    ).

numbered(Items) ->
    lists:zip(lists:seq(1, length(Items)), Items).

path(Run, Decisions) ->
    #{
        run => Run,
        input => [Run],
        outcome => {returned, ok},
        decisions => Decisions,
        cut => false
    }.

%% In a real browser: the page loads without errors, and its buttons fold and unfold the tree.
the_page_works_in_a_browser_test_() ->
    browser(os:find_executable("chromium")).

browser(false) ->
    cuter_fixture:missing("chromium");
browser(Chromium) ->
    {timeout, ?SECONDS, fun() ->
        cuter_fixture:in_directory(fun(Dir) ->
            File = filename:join(Dir, "report.html"),
            Page = cuter_html:text([explored()]),
            ok = file:write_file(File, [probe_errors(), Page, probe()]),
            Dom = dump_dom(Chromium, Dir, File),
            {match, [Probe]} = re:run(Dom, "<title>probe (.*?)</title>", [
                {capture, all_but_first, list}
            ]),
            ["errors=0", Unfolded, "folded=0", "theme=dark"] = string:split(Probe, " ", all),
            ["unfolded", Open] = string:split(Unfolded, "="),
            ?assert(list_to_integer(Open) > 1)
        end)
    end}.

probe_errors() ->
    "<script>window.wrong = 0; window.addEventListener('error', () => { window.wrong += 1; });"
    "</script>".

probe() ->
    "<script>\n"
    "const click = (selector) => document.querySelector(selector).click();\n"
    "const open = () => document.querySelectorAll('.tree details[open]').length;\n"
    "click('button[data-unfold]'); const unfolded = open();\n"
    "click('button[data-fold]'); const folded = open();\n"
    "click('#theme');\n"
    "const theme = document.documentElement.dataset.theme;\n"
    "document.title = `probe errors=${window.wrong} unfolded=${unfolded} `\n"
    "  + `folded=${folded} theme=${theme}`;"
    "</script>\n".

dump_dom(Chromium, Dir, File) ->
    Args = [
        %% It complains about everything that a machine without a desktop lacks.
        "-c",
        "exec \"$0\" \"$@\" 2>/dev/null",
        Chromium,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--virtual-time-budget=2000",
        "--user-data-dir=" ++ filename:join(Dir, "profile"),
        "--dump-dom",
        "file://" ++ File
    ],
    Port = open_port({spawn_executable, "/bin/sh"}, [{args, Args}, exit_status, binary]),
    collect(Port, []).

collect(Port, Output) ->
    receive
        {Port, {data, Data}} -> collect(Port, [Output, Data]);
        {Port, {exit_status, _}} -> iolist_to_binary(Output)
    end.

%%% Files

each_format_is_written_as_a_whole_or_not_at_all_test_() ->
    [
        ?_test(
            cuter_fixture:in_directory(fun(Dir) ->
                File = filename:join(Dir, "report"),
                ?assertEqual(ok, Format:write([failing({m, f, 1})], File)),
                ?assertEqual({ok, ["report"]}, file:list_dir(Dir)),
                {error, Reason} = Format:write([], cuter_file_tests:unwritable(Dir)),
                ?assertMatch([_ | _], lists:flatten(cuter:format_error(Reason)))
            end)
        )
     || Format <- [cuter_junit, cuter_json, cuter_html]
    ].

%%% Reports

explored() ->
    cuter_fixture:with_modules(["test/fixtures/regress.erl"], fun() ->
        cuter:run(regress, classify, [1], [quiet, trace])
    end).

report(Mfa, Ours) ->
    cuter_report:new(#{runs => 1}, Ours#{mfa => Mfa}).

failing(Mfa) ->
    report(Mfa, #{failures => [failure([1], oops)]}).

failure(Input, Reason) ->
    #{input => Input, original => Input, class => error, reason => Reason, stacktrace => []}.

disagreement() ->
    Disagreement = #{input => [1], class => error, reason => oops, native => timeout},
    report({m, bad, 1}, #{disagreements => [Disagreement]}).

%% Something in every part that can be empty.
full_reports() ->
    #{failures := [Failure]} = Failing = failing({m, f, 1}),
    Frame = {m, f, 1, [{file, "m.erl"}, {line, 3}]},
    [
        disagreement(),
        Failing#{
            failures => [Failure#{condition => "X > 1", stacktrace => [Frame]}],
            returns_outside_spec => [#{input => [1], result => 2}],
            unended => [#{input => [1], limit => steps, steps => 10}],
            concretised => #{{math, sin, 1} => 2},
            host_calls => #{{math, sin, 1} => 2},
            unsupported => #{<<"something">> => 1},
            coverage => #{clauses => {0, 1}, uncovered => [#{mfa => {m, f, 1}, line => 1}]}
        }
    ].

%% Values that mean something in markup, or cannot stand there.
odd_reports() ->
    Values = [
        "</script><b>&amp;\"'",
        <<0, 1, 255>>,
        'λ',
        "\x{1F600}ab",
        {'<a>', "]]>"},
        [16#FFFF],
        "a\fb\0c"
    ],
    [
        report({'m<&>', list_to_atom("f" ++ integer_to_list(N)), 1}, #{
            failures => [failure([Value], {reason, Value})],
            paths => [
                #{
                    run => 1,
                    input => [Value],
                    outcome => {raised, error, Value},
                    decisions => [{1, true}],
                    cut => true
                }
            ],
            sites => #{
                1 => #{mfa => {m, f, 1}, file => <<"m.erl">>, line => 1, test => <<"< \"&">>}
            },
            inputs => [#{input => [Value], clauses => [], outcome => raised, run => 1}]
        })
     || {N, Value} <- numbered(Values)
    ].
