%% Inputs for which two functions differ in their result or exception.
%%
%% A driver calls both with the same arguments and compares; it is the driver that is explored, so
%% the engine solves for inputs that make the results differ. Both run in one process, one after the
%% other. Results that differ only in identifiers and funs (pids, references, …) count as equal.
-module(cuter_diff).

-export([run/4, explore/4, text/2]).

-export_type([report/0, difference/0, function_name/0]).

-type outcome() :: {returned, term()} | {raised, error | exit | throw, term()}.
-type difference() :: #{
    input := [term()], original := [term()], first := outcome(), second := outcome()
}.
%% As of one function, but with differences in place of failures.
-type report() :: #{
    functions := {{module(), atom()}, {module(), atom()}},
    differences := [difference()],
    verdict := term(),
    _ => _
}.
-type function_name() :: {module(), atom()}.

%% Compares two functions and prints what it finds.
-spec run(function_name(), function_name(), cuter_seeds:given(), cuter_options:given()) ->
    report() | cuter:error().
run(First, Second, Input, Options) ->
    Quiet = cuter_options:is_quiet(Options),
    case cuter_driver:check([First, Second], Input, Options) of
        {ok, Checked, _Arity} -> announce(explore(First, Second, Input, Checked), Quiet);
        {error, _} = Error -> cuter_several:announce(Error, Quiet)
    end.

announce({error, _} = Error, Quiet) ->
    cuter_several:announce(Error, Quiet);
announce(Report, true) ->
    Report;
announce(#{functions := {First, Second}} = Report, false) ->
    {FirstName, SecondName} = Names = {name(First), name(Second)},
    io:put_chars(["cuter: ", FirstName, " and ", SecondName, "\n", text(Report, Names)]),
    Report.

name({Module, Function}) ->
    io_lib:format("~tp:~tp", [Module, Function]).

%% The second function's types are those of the arguments.
-spec explore(function_name(), function_name(), cuter_seeds:given(), cuter_options:options()) ->
    report() | cuter:error().
explore(First, {Module, Function} = Second, Input, Options) ->
    Arity = cuter_driver:arity(Input),
    cuter_driver:with(
        fun(Driver) -> forms(Driver, First, Second, Arity) end,
        fun(Driver) ->
            Given = Options#{coverage_of => {Module, Function, Arity}, quiet => true},
            translate(cuter:run(Driver, compare, Input, Given), {First, Second}, Driver)
        end
    ).

%% A line for each kind of difference: failures on different lines are different failures.
forms(Driver, First, {Module, Function} = Second, Arity) ->
    Args = cuter_driver:arguments(Arity),
    cuter_driver:parse(Driver, {compare, Arity}, {Module, Function, Arity}, [
        io_lib:format("compare(~ts) ->\n", [Args]),
        ["  First = ", outcome(First, Args, "1"), ",\n"],
        ["  Second = ", outcome(Second, Args, "2"), ",\n"],
        "  judge(First, Second).\n",
        "judge(Same, Same) -> same;\n",
        "judge({returned, _} = F, {returned, _} = S) -> erlang:error({differ, F, S});\n",
        "judge({returned, _} = F, {raised, _, _} = S) -> erlang:error({differ, F, S});\n",
        "judge({raised, _, _} = F, {returned, _} = S) -> erlang:error({differ, F, S});\n",
        "judge({raised, _, _} = F, {raised, _, _} = S) -> erlang:error({differ, F, S}).\n"
    ]).

outcome({Module, Function}, Args, N) ->
    io_lib:format(
        "try ~tw:~tw(~ts) of V~s -> {returned, V~s} catch C~s:R~s -> {raised, C~s, R~s} end",
        [Module, Function, Args, N, N, N, N, N, N]
    ).

translate({error, _} = Error, _Functions, _Driver) ->
    Error;
translate(#{failures := Failures} = Report, Functions, Driver) ->
    All = [difference(Failure) || Failure <- Failures],
    (maps:without([failures, mfa], Report))#{
        functions => Functions,
        differences => [D || #{first := F, second := S} = D <- All, not alike(F, S)],
        modules => maps:get(modules, Report, []) -- [Driver]
    }.

difference(#{reason := {differ, First, Second}} = Failure) ->
    (maps:with([input, original], Failure))#{first => First, second => Second}.

alike(First, Second) ->
    cuter_replay:same_reason(First, Second).

%% The report for people. The two functions are called by these names.
-spec text(report(), {iodata(), iodata()}) -> iolist().
text(#{differences := Differences, functions := {_, Second}} = Report, Names) ->
    Total = length(Differences),
    [
        [
            difference_text(N, Total, Second, Difference, Names)
         || {N, Difference} <- lists:zip(lists:seq(1, Total), Differences)
        ],
        "\nVerdict: ",
        cuter_summary:verdict(Report),
        ".\n"
    ].

difference_text(N, Total, Function, Difference, {FirstName, SecondName}) ->
    #{input := Input, first := First, second := Second} = Difference,
    [
        io_lib:format("\nDifference ~b of ~b\n", [N, Total]),
        ["  ", cuter_source:call(Function, Input, 2), "\n"],
        outcome_text(FirstName, First),
        outcome_text(SecondName, Second)
    ].

outcome_text(Name, Outcome) ->
    Indent = string:length(Name) + 4,
    ["  ", Name, ": ", outcome_words(Outcome, Indent), "\n"].

outcome_words({returned, Value}, Indent) ->
    ["returned ", cuter_source:term(Value, Indent + 9)];
outcome_words({raised, Class, Reason}, Indent) ->
    ["** ", atom_to_list(Class), ": ", cuter_source:term(Reason, Indent + 10)].
