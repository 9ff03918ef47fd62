%% Reports as one HTML page that needs nothing else: no other file, no network.
-module(cuter_html).

-export([write/2, text/1]).

-import(cuter_markup, [escape/1]).

-type report() :: cuter_report:report().

-spec write([report()], file:filename_all()) -> ok | cuter_file:error().
write(Reports, File) ->
    cuter_file:write(File, text(Reports)).

%% The page, in UTF-8.
-spec text([report()]) -> binary().
text(Reports) ->
    Numbered = [
        {"f" ++ integer_to_list(N), R}
     || {N, R} <- lists:zip(lists:seq(1, length(Reports)), Reports)
    ],
    cuter_markup:utf8([
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n",
        ["<title>", title(Reports), "</title>\n<style>\n", cuter_html_style:css(), "</style>\n"],
        "</head>\n<body>\n<a class=\"skip\" href=\"#summary\">Skip to the summary</a>\n",
        header(Reports),
        ["<main>\n", summary(Numbered), [function(Id, Report) || {Id, Report} <- Numbered]],
        ["</main>\n<script>\n", cuter_html_style:script(), "</script>\n</body>\n</html>\n"]
    ]).

title(Reports) ->
    Failures = total(fun(R) -> length(maps:get(failures, R)) end, Reports),
    escape(["cuter: ", counted(Failures, "failure"), " in ", counted(length(Reports), "function")]).

%%% Top of the page

header(Reports) ->
    Failures = total(fun(R) -> length(maps:get(failures, R)) end, Reports),
    {Covered, Total} = shares([clauses(R) || R <- Reports]),
    [
        "<header>\n<div class=\"brand\"><h1>cuter</h1>"
        "<button type=\"button\" id=\"theme\" aria-label=\"switch between light and dark\">◐"
        "</button>"
        "</div>\n<dl class=\"tiles\">\n",
        tile("functions", integer_to_list(length(Reports)), ""),
        tile("failures", integer_to_list(Failures), bad_if(Failures > 0)),
        tile("clauses covered", [percent(Covered, Total)], ""),
        tile("runs", integer_to_list(total(fun(R) -> maps:get(runs, R) end, Reports)), ""),
        tile("time", seconds(total(fun milliseconds/1, Reports)), ""),
        "</dl>\n</header>\n"
    ].

tile(Name, Value, Class) ->
    ["<div class=\"tile ", Class, "\"><dt>", Name, "</dt><dd>", Value, "</dd></div>\n"].

bad_if(true) -> "bad";
bad_if(false) -> "good".

total(Of, Reports) ->
    lists:sum([Of(Report) || Report <- Reports]).

milliseconds(#{time_ms := #{total := Total}}) -> Total.

clauses(#{coverage := #{clauses := Clauses}}) -> Clauses.

shares(Shares) ->
    {Covered, Totals} = lists:unzip(Shares),
    {lists:sum(Covered), lists:sum(Totals)}.

percent(_Covered, 0) -> "–";
percent(Covered, Total) -> io_lib:format("~b %", [100 * Covered div Total]).

seconds(Milliseconds) when Milliseconds < 1000 -> io_lib:format("~b ms", [Milliseconds]);
seconds(Milliseconds) -> io_lib:format("~.1f s", [Milliseconds / 1000]).

counted(1, Noun) -> ["1 ", Noun];
counted(Number, Noun) -> [integer_to_list(Number), " ", Noun, "s"].

%%% Summary

summary(Numbered) ->
    [
        "<section id=\"summary\"><h2>Summary</h2>\n"
        "<div class=\"scroll\"><table class=\"summary\">\n"
        "<thead><tr><th scope=\"col\">Function</th><th scope=\"col\">Failures</th>"
        "<th scope=\"col\">Clauses covered</th><th scope=\"col\">Verdict</th>"
        "<th scope=\"col\" class=\"num\">Runs</th><th scope=\"col\" class=\"num\">Time</th></tr>"
        "</thead>\n<tbody>\n",
        [summary_row(Id, Report) || {Id, Report} <- Numbered],
        "</tbody></table></div></section>\n"
    ].

summary_row(Id, #{failures := Failures, runs := Runs} = Report) ->
    {Covered, Total} = clauses(Report),
    [
        ["<tr><th scope=\"row\"><a href=\"#", Id, "\"><code>", name(Report), "</code></a></th>"],
        ["<td>", failure_count(length(Failures)), "</td>"],
        ["<td>", bar(Covered, Total), "</td>"],
        ["<td>", escape(cuter_report:verdict(Report)), "</td>"],
        ["<td class=\"num\">", integer_to_list(Runs), "</td>"],
        ["<td class=\"num\">", seconds(milliseconds(Report)), "</td></tr>\n"]
    ].

failure_count(0) -> "<span class=\"badge ok\">none</span>";
failure_count(Number) -> ["<span class=\"badge bad\">", integer_to_list(Number), "</span>"].

bar(Covered, Total) ->
    Percent = integer_to_list(100 * Covered div max(1, Total)),
    [
        ["<span class=\"bar\" aria-hidden=\"true\"><span style=\"width:", Percent, "%\"></span>"],
        "</span> ",
        io_lib:format("<span class=\"share\">~b / ~b</span>", [Covered, Total])
    ].

name(#{mfa := {Module, Function, Arity}}) ->
    escape(io_lib:format("~tp:~tp/~b", [Module, Function, Arity])).

%%% One function

function(Id, #{failures := Failures, mfa := {Module, _, _}} = Report) ->
    Records = cuter_module:records(Module),
    [
        ["<section class=\"function\" id=\"", Id, "\">\n"],
        ["<h2><code>", name(Report), "</code></h2>\n"],
        ["<p class=\"verdict\">", sentence(cuter_report:verdict(Report)), "</p>\n"],
        [
            failure(Id, Number, Failure, Report, Records)
         || {Number, Failure} <- lists:zip(lists:seq(1, length(Failures)), Failures)
        ],
        outside_spec(Report, Records),
        unended(Report, Records),
        disagreements(Report, Records),
        unconfirmed(Report, Records),
        part("Source", true, cuter_html_source:section(Report, Id)),
        part("Execution tree", maps:is_key(paths, Report), cuter_html_tree:section(Report, Id)),
        part("Inputs that bring coverage", false, inputs(Report, Records)),
        part("Figures", false, figures(Report)),
        "</section>\n"
    ].

sentence(Text) ->
    [First | Rest] = unicode:characters_to_list(Text),
    escape([string:uppercase([First]) | Rest]).

part(Title, Open, Content) ->
    [
        ["<details class=\"part\"", [" open=\"\"" || Open], "><summary>", Title, "</summary>\n"],
        [Content, "</details>\n"]
    ].

failure(Id, Number, Failure, #{mfa := Mfa}, Records) ->
    #{input := Input, class := Class, reason := Reason} = Failure,
    Call = cuter_source:call(Mfa, Input, 0, Records),
    Explanation = cuter_failure_text:explanation(Failure, Records),
    [
        ["<article class=\"failure\" id=\"", Id, "-failure-", integer_to_list(Number), "\">\n"],
        ["<div class=\"copyable\"><pre class=\"call\"><code>", escape(Call), "</code></pre>"],
        "<button type=\"button\" class=\"copy\" aria-label=\"copy the call\">Copy</button></div>\n",
        ["<p class=\"raised\"><code>", escape(raised(Class, Reason, Records)), "</code></p>\n"],
        [["<p class=\"why\">", escape(Line), "</p>\n"] || Line <- Explanation],
        stack(Failure, Mfa),
        condition(Failure, Mfa, Records),
        original(Failure, Mfa, Records),
        "</article>\n"
    ].

raised(Class, Reason, Records) ->
    cuter_failure_text:raised(Class, Reason, 0, Records).

stack(#{stacktrace := Stack}, Mfa) ->
    Frames = [cuter_failure_text:frame(cuter_failure_text:place(F, Mfa), "") || F <- Stack],
    ["<ol class=\"stack\">", [["<li><code>", escape(F), "</code></li>"] || F <- Frames], "</ol>\n"].

condition(#{condition := _} = Failure, Mfa, Records) ->
    Text = cuter_condition:text(Failure, Mfa, Records),
    ["<p>Fails whenever <code>", escape(Text), "</code></p>\n"];
condition(#{}, _Mfa, _Records) ->
    "".

original(#{input := Input, original := Input}, _Mfa, _Records) ->
    "";
original(#{original := Original}, Mfa, Records) ->
    Call = cuter_source:call(Mfa, Original, 0, Records),
    ["<p class=\"muted\">Shrunk from <code>", escape(Call), "</code></p>\n"];
original(#{}, _Mfa, _Records) ->
    "".

outside_spec(#{returns_outside_spec := Returns, mfa := Mfa}, Records) ->
    [
        [
            ["<article class=\"failure outside\">\n<pre class=\"call\"><code>"],
            [escape(cuter_source:call(Mfa, Input, 0, Records)), "</code></pre>\n"],
            ["<p>returns <code>", escape(cuter_source:term(Result, 0, Records)), "</code>,"],
            [" which its spec does not allow</p>\n", original(Return, Mfa, Records), "</article>\n"]
        ]
     || #{input := Input, result := Result} = Return <- Returns
    ].

unended(#{mfa := Mfa} = Report, Records) ->
    [
        [
            ["<article class=\"failure outside\">\n<pre class=\"call\"><code>"],
            [escape(cuter_source:call(Mfa, Input, 0, Records)), "</code></pre>\n"],
            io_lib:format("<p>did not end within ~b function calls</p>\n</article>\n", [Steps])
        ]
     || #{input := Input, steps := Steps} <- maps:get(unended, Report, [])
    ].

disagreements(#{disagreements := []}, _Records) ->
    "";
disagreements(#{disagreements := Disagreements} = Report, Records) ->
    warning("cuter and the BEAM disagree on these calls, a defect of cuter", {
        Disagreements, Report, Records
    }).

unconfirmed(#{unconfirmed := [_ | _] = Unconfirmed} = Report, Records) ->
    warning("the BEAM did not confirm what cuter found: a limit, or another time", {
        Unconfirmed, Report, Records
    });
unconfirmed(_Report, _Records) ->
    "".

warning(Sentence, {Found, #{mfa := Mfa}, Records}) ->
    Calls = [cuter_source:call(Mfa, Input, 0, Records) || #{input := Input} <- Found],
    [
        ["<p class=\"warning\">", Sentence, ":</p>"],
        "<ul>",
        [["<li><code>", escape(Call), "</code></li>"] || Call <- Calls],
        "</ul>\n"
    ].

inputs(#{inputs := [_ | _] = Inputs, mfa := Mfa} = Report, Records) ->
    Lines = clause_lines(Report),
    [
        "<div class=\"scroll\"><table class=\"inputs\"><thead><tr><th scope=\"col\">Call</th>"
        "<th scope=\"col\">Outcome</th><th scope=\"col\">Lines of the clauses it enters</th></tr>"
        "</thead><tbody>\n",
        [input_row(Input, Mfa, Records, Lines) || Input <- Inputs],
        "</tbody></table></div>\n"
    ];
inputs(_Report, _Records) ->
    "<p class=\"muted\">None.</p>".

input_row(#{input := Input, clauses := Clauses, outcome := Outcome}, Mfa, Records, Lines) ->
    Entered = [Line || Clause <- Clauses, {ok, Line} <- [maps:find(Clause, Lines)], Line > 0],
    Numbers = [integer_to_list(Line) || Line <- lists:usort(Entered)],
    [
        ["<tr><td><code>", escape(cuter_source:call(Mfa, Input, 0, Records)), "</code></td>"],
        ["<td>", outcome(Outcome), "</td>"],
        ["<td>", lists:join(", ", Numbers), "</td></tr>\n"]
    ].

outcome(returned) -> "<span class=\"badge ok\">returned</span>";
outcome(raised) -> "<span class=\"badge bad\">raised</span>";
outcome(stopped) -> "<span class=\"badge cut\">stopped</span>".

clause_lines(#{coverage := Coverage}) ->
    Rows = maps:get(covered, Coverage, []) ++ maps:get(uncovered, Coverage),
    maps:from_list([{Clause, Line} || #{clause := Clause, line := Line} <- Rows]).

figures(#{queries := Queries, time_ms := Times, coverage := Coverage} = Report) ->
    Shares = [
        {Title, share(maps:get(Key, Coverage))}
     || {Key, Title} <- [
            {clauses, "clauses"},
            {all_clauses, "clauses, compiler-made ones too"},
            {lines, "lines of clauses"},
            {all_lines, "lines, compiler-made clauses too"}
        ],
        is_map_key(Key, Coverage)
    ],
    Counts = [{["solver: ", atom_to_list(K)], integer_to_list(V)} || {K, V} <- sorted(Queries)],
    Spent = [{["time: ", atom_to_list(K)], seconds(V)} || {K, V} <- sorted(Times)],
    Lost = [
        {["made concrete: ", cuter_report:operation(K)], integer_to_list(V)}
     || {K, V} <- lost(Report)
    ],
    Rows = Shares ++ Counts ++ Spent ++ Lost,
    [
        "<table class=\"figures\"><tbody>\n",
        [["<tr><th scope=\"row\">", escape(N), "</th><td>", V, "</td></tr>\n"] || {N, V} <- Rows],
        "</tbody></table>\n"
    ].

share({Covered, Total}) ->
    io_lib:format("~b of ~b", [Covered, Total]).

sorted(Map) ->
    lists:sort(maps:to_list(Map)).

lost(#{concretised := Concretised, unsupported := Unsupported}) ->
    sorted(Concretised) ++ sorted(Unsupported).
