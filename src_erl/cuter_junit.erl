%% Reports as JUnit XML, for CI servers: a test suite for each module, a test case for each
%% function.
%%
%% The strictest of the schemas in use allows one `failure` in a test case, and no other elements
%% and attributes than these: all failures of a function are in its one element. A disagreement
%% between cuter and the BEAM is no failure of the program: it is an `error`.
-module(cuter_junit).

-export([write/2, text/1]).

-type report() :: cuter_report:report().

-spec write([report()], file:filename_all()) -> ok | cuter_file:error().
write(Reports, File) ->
    cuter_file:write(File, text(Reports)).

%% The document, in UTF-8.
-spec text([report()]) -> binary().
text(Reports) ->
    Modules = lists:usort([Module || #{mfa := {Module, _, _}} <- Reports]),
    Numbered = lists:zip(lists:seq(0, length(Modules) - 1), Modules),
    Suites = [
        suite(Id, Module, [R || #{mfa := {M, _, _}} = R <- Reports, M =:= Module])
     || {Id, Module} <- Numbered
    ],
    cuter_markup:utf8([
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        cuter_markup:element("testsuites", [], ["\n" | Suites]),
        "\n"
    ]).

suite(Id, Module, Reports) ->
    Attributes = [
        {"id", integer_to_list(Id)},
        {"name", atom_to_list(Module)},
        {"package", "cuter"},
        {"timestamp", timestamp()},
        {"hostname", net_adm:localhost()},
        {"tests", integer_to_list(length(Reports))},
        {"failures", count([R || R <- Reports, kind(R) =:= failure])},
        {"errors", count([R || R <- Reports, kind(R) =:= error])},
        {"time", seconds(lists:sum([milliseconds(R) || R <- Reports]))}
    ],
    Output = [["cuter: ", cuter_markup:escape(output(Report))] || Report <- Reports],
    Content = [
        "\n<properties></properties>\n",
        [[test_case(Report), "\n"] || Report <- Reports],
        cuter_markup:element("system-out", [], Output),
        "\n<system-err></system-err>\n"
    ],
    [cuter_markup:element("testsuite", Attributes, Content), "\n"].

timestamp() ->
    {{Year, Month, Day}, {Hour, Minute, Second}} = calendar:universal_time(),
    Format = "~4..0b-~2..0b-~2..0bT~2..0b:~2..0b:~2..0b",
    io_lib:format(Format, [Year, Month, Day, Hour, Minute, Second]).

count(Items) ->
    integer_to_list(length(Items)).

milliseconds(#{time_ms := #{total := Total}}) ->
    Total.

seconds(Milliseconds) ->
    io_lib:format("~.3f", [Milliseconds / 1000]).

kind(#{failures := [_ | _]}) -> failure;
kind(#{disagreements := [_ | _]}) -> error;
kind(#{}) -> none.

test_case(#{mfa := {Module, Function, Arity}} = Report) ->
    Attributes = [
        {"classname", atom_to_list(Module)},
        {"name", io_lib:format("~ts/~b", [Function, Arity])},
        {"time", seconds(milliseconds(Report))}
    ],
    cuter_markup:element("testcase", Attributes, problem(kind(Report), Report)).

problem(none, _Report) ->
    "";
problem(failure, #{mfa := {Module, _, _} = Mfa, failures := Failures}) ->
    Records = cuter_module:records(Module),
    Texts = [cuter_failure_text:failure(Failure, Mfa, Records) || Failure <- Failures],
    #{class := Class, reason := Reason} = hd(Failures),
    Attributes = [
        {"message", message(hd(Failures), Mfa, Records, length(Failures) - 1)},
        {"type", io_lib:format("~ts:~ts", [Class, kind_of_reason(Reason)])}
    ],
    Text = cuter_markup:escape(lists:join("\n", Texts)),
    ["\n", cuter_markup:element("failure", Attributes, ["\n", Text]), "\n"];
problem(error, #{disagreements := Disagreements}) ->
    Message = io_lib:format(
        "cuter disagrees with the BEAM on ~b input(s): a defect of cuter", [length(Disagreements)]
    ),
    Attributes = [{"message", Message}, {"type", "disagreement"}],
    ["\n", cuter_markup:element("error", Attributes, ""), "\n"].

message(#{input := Input, class := Class, reason := Reason}, Mfa, Records, More) ->
    [
        cuter_source:call(Mfa, Input, 0, Records),
        " raises ",
        cuter_failure_text:raised(Class, Reason, 0, Records),
        more(More)
    ].

more(0) -> "";
more(1) -> ", and 1 more failure";
more(Number) -> io_lib:format(", and ~b more failures", [Number]).

kind_of_reason(Reason) when is_atom(Reason) -> atom_to_list(Reason);
kind_of_reason(Reason) when is_tuple(Reason), tuple_size(Reason) > 0 ->
    kind_of_reason(element(1, Reason));
kind_of_reason(_Reason) -> "term".

%% What there is to say of a function apart from its failures.
output(#{mfa := {Module, Function, Arity}, coverage := Coverage} = Report) ->
    #{clauses := {Covered, Total}} = Coverage,
    io_lib:format(
        "~tp:~tp/~b: ~ts ~b of ~b clauses covered.\n",
        [Module, Function, Arity, cuter_report:verdict(Report), Covered, Total]
    ).
