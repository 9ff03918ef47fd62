%% The execution tree of a report as a picture that can be folded.
%%
%% A branch is a decision that runs took both ways. Decisions in between, which all runs that came
%% there took the same way, are one line that can be unfolded.
-module(cuter_html_tree).

-export([section/2, tree/1]).

-export_type([tree/0]).

-import(cuter_markup, [escape/1]).

-type path() :: cuter_report:path().
-type decision() :: {Site :: non_neg_integer(), Taken :: boolean()}.
-type tree() ::
    {leaf, path()}
    | {steps, [decision()], tree()}
    %% The runs that end here, and those that go on, by the decision they make.
    | {branch, [path()], [{decision(), tree()}]}.

%% Levels of branches that are unfolded at first, and decisions that one line shows.
-define(UNFOLDED, 3).
-define(STEPS, 60).
-define(LONGEST_VALUE, 160).
-define(LONGEST_SNIPPET, 60).

%%% Building

%% The tree of some paths.
-spec tree([path()]) -> tree().
tree(Paths) ->
    tree([{Decisions, Path} || #{decisions := Decisions} = Path <- Paths], []).

tree(Going, Steps) ->
    Ended = [Path || {[], Path} <- Going],
    Next = [{Decision, {Rest, Path}} || {[Decision | Rest], Path} <- Going],
    %% Yes before no.
    case {Ended, lists:reverse(lists:usort([Decision || {Decision, _} <- Next]))} of
        {[Path], []} -> stepped(Steps, {leaf, Path});
        {[], [Only]} -> tree([Rest || {_, Rest} <- Next], [Only | Steps]);
        {_, Decisions} -> stepped(Steps, {branch, Ended, branches(Decisions, Next)})
    end.

branches(Decisions, Next) ->
    [{D, tree([Rest || {Decision, Rest} <- Next, Decision =:= D], [])} || D <- Decisions].

stepped([], Tree) -> Tree;
stepped(Steps, Tree) -> {steps, lists:reverse(Steps), Tree}.

%%% Drawing

-spec section(cuter_report:report(), string()) -> iolist().
section(#{paths := [_ | _] = Paths, runs := Runs} = Report, Id) ->
    {Module, _, _} = maps:get(mfa, Report),
    Sites = maps:get(sites, Report, #{}),
    Texts = sources([M || #{mfa := {M, _, _}} <- maps:values(Sites)]),
    Asked = maps:map(fun(_, Site) -> asked(Site, Module, Texts) end, Sites),
    Context = {Report, Asked, cuter_module:records(Module)},
    [
        ["<p class=\"tools\"><button type=\"button\" data-unfold=\"", Id, "-tree\">Unfold all"],
        "</button> ",
        ["<button type=\"button\" data-fold=\"", Id, "-tree\">Fold all</button>"],
        [" <span class=\"muted\">", shown(length(Paths), Runs), "</span></p>\n"],
        ["<div class=\"scroll\"><ul class=\"tree\" id=\"", Id, "-tree\">\n"],
        draw(tree(Paths), 0, Context),
        "</ul></div>\n"
    ];
section(_Report, _Id) ->
    "<p class=\"muted\">No paths were recorded; explore with the option <code>trace</code>.</p>".

shown(Runs, Runs) -> io_lib:format("~b runs", [Runs]);
shown(Shown, Runs) -> io_lib:format("the first ~b of ~b runs", [Shown, Runs]).

draw({leaf, Path}, _Level, Context) ->
    ["<li class=\"leaf\">", leaf(Path, Context), "</li>\n"];
draw({steps, Decisions, Tree}, Level, Context) ->
    [steps(Decisions, Context), draw(Tree, Level, Context)];
draw({branch, Ended, Branches}, Level, Context) ->
    [
        [["<li class=\"leaf\">", leaf(Path, Context), "</li>\n"] || Path <- Ended],
        [branch(Branch, Level, Context) || Branch <- Branches]
    ].

branch({Decision, Tree}, Level, Context) ->
    Open = [" open=\"\"" || Level < ?UNFOLDED],
    [
        ["<li><details", Open, "><summary>", question(Decision, Context)],
        [" <span class=\"tally\">", tally(Tree), "</span></summary>\n<ul>\n"],
        [draw(Tree, Level + 1, Context), "</ul></details></li>\n"]
    ].

steps([Decision], Context) ->
    ["<li class=\"step\">", question(Decision, Context), "</li>\n"];
steps(Decisions, Context) ->
    {Shown, Rest} = lists:split(min(?STEPS, length(Decisions)), Decisions),
    Items = [["<li class=\"step\">", question(D, Context), "</li>\n"] || D <- Shown],
    [
        io_lib:format(
            "<li><details><summary class=\"steps\">~b decisions with one way taken</summary><ul>\n",
            [length(Decisions)]
        ),
        [Items, further(length(Rest)), "</ul></details></li>\n"]
    ].

further(0) -> "";
further(Number) -> io_lib:format("<li class=\"step muted\">and ~b more</li>\n", [Number]).

question({Site, Taken}, {_Report, Asked, _Records}) ->
    Answer = if_taken(Taken, "yes", "no"),
    [
        ["<span class=\"answer ", Answer, "\">", Answer, "</span> "],
        maps:get(Site, Asked, "")
    ].

if_taken(true, Yes, _No) -> Yes;
if_taken(false, _Yes, No) -> No.

%% The lines of modules.
sources(Modules) ->
    maps:from_list([{M, lines(cuter_module:source(M))} || M <- lists:usort(Modules)]).

lines({_File, Lines}) -> list_to_tuple(Lines);
lines(none) -> {}.

%% What was asked, and the line where that was.
asked(#{mfa := {Module, _, _} = Mfa, line := Line, test := Test}, UnderTest, Texts) ->
    [
        [["<code>", escape(Test), "</code> "] || Test =/= <<>>],
        ["<span class=\"muted\">", escape(where(cuter_module:around(Mfa), UnderTest))],
        io_lib:format(", line ~b</span>", [Line]),
        snippet(Line, maps:get(Module, Texts))
    ].

where({Module, Function, Arity}, Module) -> io_lib:format("~tp/~b", [Function, Arity]);
where({Module, Function, Arity}, _) -> io_lib:format("~tp:~tp/~b", [Module, Function, Arity]).

snippet(Line, Lines) when Line >= 1, Line =< tuple_size(Lines) ->
    Code = unicode:characters_to_list(string:trim(element(Line, Lines))),
    [" <span class=\"snippet\">", escape(shortened(Code, ?LONGEST_SNIPPET)), "</span>"];
snippet(_Line, _Lines) ->
    "".

%% How many runs, and how many of them raised.
tally(Tree) ->
    Outcomes = outcomes(Tree),
    Raised = length([raised || raised <- Outcomes]),
    [counted(length(Outcomes)), [[", ", integer_to_list(Raised), " raised"] || Raised > 0]].

counted(1) -> "1 run";
counted(Number) -> [integer_to_list(Number), " runs"].

outcomes({leaf, #{outcome := Outcome}}) -> [element(1, Outcome)];
outcomes({steps, _, Tree}) -> outcomes(Tree);
outcomes({branch, Ended, Branches}) ->
    [element(1, Outcome) || #{outcome := Outcome} <- Ended] ++
        lists:append([outcomes(Tree) || {_, Tree} <- Branches]).

leaf(#{input := Input, outcome := Outcome, run := Run} = Path, {#{mfa := Mfa}, _, Records}) ->
    [
        outcome(Outcome, Records),
        [" <code class=\"call\">", escape(cuter_source:call(Mfa, Input, 0, Records)), "</code>"],
        io_lib:format(" <span class=\"muted\">run ~b~ts</span>", [Run, cut(Path)])
    ].

cut(#{cut := true}) -> ", with more decisions than shown";
cut(#{}) -> "".

outcome({returned, Value}, Records) ->
    badge("ok", "returned", cuter_source:term(Value, 0, Records));
outcome({raised, Class, Reason}, Records) ->
    badge("bad", atom_to_list(Class), cuter_source:term(Reason, 0, Records));
outcome({stopped, Why}, _Records) ->
    badge("cut", "stopped", io_lib:format("~0tp", [Why])).

badge(Kind, Word, Text) ->
    [
        ["<span class=\"badge ", Kind, "\">", Word, "</span> <code>"],
        [escape(shortened(unicode:characters_to_list(Text), ?LONGEST_VALUE)), "</code>"]
    ].

shortened(Text, Longest) when length(Text) > Longest ->
    lists:sublist(Text, Longest) ++ "…";
shortened(Text, _Longest) ->
    Text.
