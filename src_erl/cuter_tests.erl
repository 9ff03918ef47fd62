%% Writes what explorations have found as EUnit modules: `<module>_cuter_tests.erl`.
%%
%% Each failure becomes a test that the call does not raise; such tests are in groups of their own
%% and fail until the code is fixed. Of the other inputs a smallest choice is taken that enters
%% every clause that was entered at all. What they assert is seen on the BEAM: each call is made
%% twice.
%%   - a result that is a plain value: `?assertEqual`, of its hash if it is large;
%%   - a result with floats, funs, pids, ports or references, or one that is not the same twice:
%%     `?assertMatch` with what `cuter_match` says of both;
%%   - an exception that is no failure, since the program's author expects it: `?assertException`.
%% An input that cannot be written down, and a call that does not end or has two different ends, is
%% left out; the module says how many there are.
%%
%% The same report gives the same bytes. The modules need nothing of cuter.
-module(cuter_tests).

-export([generate/2, file/2, format_error/1]).

-export_type([description/0]).

-type report() :: cuter_report:report().
-type description() ::
    {not_a_report, term()}
    | {not_ours, file:filename_all()}
    | {broken_markers, file:filename_all()}
    | {not_read, file:filename_all(), file:posix()}.
-type error() :: {error, {?MODULE, description()}} | cuter_file:error().
%% What the BEAM did in two runs of a call.
-type seen() ::
    {ok, term(), term()} | {raised, error | exit | throw, term(), term(), list()} | unsteady.

-define(BEGIN, "%% begin hand-written").
-define(END, "%% end hand-written").
-define(LONGEST_TITLE, 70).
%% Bytes of a result.
-define(LARGE, 3000).

%% Writes one file for each module under test into the directory.
-spec generate([report()], file:filename_all()) -> {ok, [file:filename_all()]} | error().
generate(Reports, Dir) ->
    case [Other || Other <- Reports, not is_report(Other)] of
        [] -> generate_each(by_module(Reports), Dir, []);
        [Other | _] -> failed({not_a_report, Other})
    end.

is_report(#{mfa := {_, _, _}, failures := _}) -> true;
is_report(_Other) -> false.

by_module(Reports) ->
    Modules = lists:usort([Module || #{mfa := {Module, _, _}} <- Reports]),
    [{Module, [R || #{mfa := {M, _, _}} = R <- Reports, M =:= Module]} || Module <- Modules].

generate_each([], _Dir, Files) ->
    {ok, lists:reverse(Files)};
generate_each([{Module, Reports} | Rest], Dir, Files) ->
    case generate_module(Module, Reports, Dir) of
        {ok, File} -> generate_each(Rest, Dir, [File | Files]);
        {error, _} = Error -> Error
    end.

%% The file of a module's tests.
-spec file(module(), file:filename_all()) -> file:filename_all().
file(Module, Dir) ->
    filename:join(Dir, atom_to_list(Module) ++ "_cuter_tests.erl").

generate_module(Module, Reports, Dir) ->
    File = file(Module, Dir),
    case kept(File) of
        {ok, Kept} -> write(File, text(Module, Reports, Kept));
        {error, Description} -> failed(Description)
    end.

write(File, Text) ->
    case cuter_file:write(File, unicode:characters_to_binary(Text)) of
        ok -> {ok, File};
        {error, _} = Error -> Error
    end.

failed(Description) ->
    {error, {?MODULE, Description}}.

-spec format_error(description()) -> iolist().
format_error({not_a_report, Term}) ->
    io_lib:format("~tP is not a report; give what cuter:run returns.", [Term, 10]);
format_error({not_ours, File}) ->
    io_lib:format(
        "~ts exists and was not written by cuter; move it away or choose another directory.",
        [File]
    );
format_error({broken_markers, File}) ->
    io_lib:format(
        "~ts lacks one of its lines \"~ts\" and \"~ts\"; put it back, or delete the file if there "
        "is nothing in it to keep.",
        [File, ?BEGIN, ?END]
    );
format_error({not_read, File, Reason}) ->
    Why = file:format_error(Reason),
    io_lib:format("~ts cannot be read (~ts); make it readable or delete it.", [File, Why]).

%%% Hand-written parts of an existing file: one before the tests, one behind them

kept(File) ->
    case file:read_file(File) of
        {ok, Text} -> kept_lines(File, binary:split(Text, <<"\n">>, [global]));
        {error, enoent} -> {ok, [[], []]};
        {error, enotdir} -> {ok, [[], []]};
        {error, Reason} -> {error, {not_read, File, Reason}}
    end.

kept_lines(File, Lines) ->
    case {regions(Lines), lists:any(fun is_marker/1, Lines)} of
        {{ok, [_, _] = Kept}, true} -> {ok, Kept};
        {_, false} -> {error, {not_ours, File}};
        {_, true} -> {error, {broken_markers, File}}
    end.

is_marker(Line) ->
    is_marker(Line, ?BEGIN) orelse is_marker(Line, ?END).

is_marker(Line, Marker) ->
    string:trim(Line, trailing) =:= list_to_binary(Marker).

regions(Lines) ->
    case lists:splitwith(fun(Line) -> not is_marker(Line) end, Lines) of
        {_, []} -> {ok, []};
        {_, [First | Rest]} -> region(is_marker(First, ?BEGIN), Rest)
    end.

region(false, _Rest) ->
    error;
region(true, Rest) ->
    case lists:splitwith(fun(Line) -> not is_marker(Line) end, Rest) of
        {Kept, [End | More]} -> region_end(is_marker(End, ?END), Kept, regions(More));
        {_, []} -> error
    end.

region_end(true, Kept, {ok, Others}) -> {ok, [Kept | Others]};
region_end(_, _Kept, _Others) -> error.

%%% The text of a module

text(Module, Reports, [Declarations, Tests]) ->
    Records = cuter_module:records(Module),
    Functions = [function(Mfa, Of, Records) || {Mfa, Of} <- by_function(Reports)],
    [
        header(Module),
        io_lib:format("-module(~tp).\n\n", [list_to_atom(atom_to_list(Module) ++ "_cuter_tests")]),
        "-include_lib(\"eunit/include/eunit.hrl\").\n",
        record_definitions([Docs || {Docs, _, _} <- Functions], Records),
        "\n",
        hand_written(Declarations),
        [Text || {_, Text, _} <- Functions],
        helper(Module),
        left_out(lists:append([Left || {_, _, Left} <- Functions])),
        "\n",
        hand_written(Tests)
    ].

header(Module) ->
    io_lib:format(
        "%% Regression tests of ~tp, written by cuter.\n"
        "%%\n"
        "%% The calls enter every clause that cuter could reach, and assert what the BEAM did\n"
        "%% when this file was written. Calls that crashed are in the groups named\n"
        "%% *_does_not_raise_test_: they fail until the code is fixed.\n"
        "%%\n"
        "%% To renew it: rebar3 cuter --module ~tp --generate-tests\n"
        "%% or, in a shell: cuter:generate_tests(cuter:run(Module, Function, Args), Directory).\n"
        "%% That replaces everything but what stands between the lines\n"
        "%% \"begin hand-written\" and \"end hand-written\".\n",
        [Module, Module]
    ).

hand_written(Lines) ->
    [?BEGIN, "\n", [[Line, "\n"] || Line <- Lines], ?END, "\n"].

%% Reports of one function count as one.
by_function(Reports) ->
    Mfas = lists:usort([Mfa || #{mfa := Mfa} <- Reports]),
    [{Mfa, [R || #{mfa := M} = R <- Reports, M =:= Mfa]} || Mfa <- Mfas].

%% The docs of a function's tests (for the records in them), their text, and what is left out.
function({_, Function, Arity} = Mfa, Reports, Records) ->
    Failures = lists:append([Failures || #{failures := Failures} <- Reports]),
    Judged = [judge(Mfa, Input) || Input <- inputs(Reports)],
    Raises = lists:append([maps:get(raises, Report, []) || Report <- Reports]),
    IsKnown = is_known(Mfa, Failures, Raises),
    {Large, AlsoFailing, Left} = choose(Judged, Failures, IsKnown),
    Small = smaller(Large, Mfa, hd(Reports), IsKnown),
    Expected = [at_another_time(Mfa, Entry, Reports) || Entry <- Small],
    Raising = unique_inputs(Failures ++ AlsoFailing),
    {CanBeWritten, CannotBe} = lists:partition(fun is_written/1, Raising),
    Tests = [test(Mfa, Entry, Records) || Entry <- Expected],
    NotRaising = [no_raise(Mfa, Failure, Records) || Failure <- CanBeWritten],
    Name = [atom_to_list(Function), "_", integer_to_list(Arity)],
    {
        Tests ++ NotRaising,
        [
            generator([Name, "_test_"], Tests),
            generator([Name, "_does_not_raise_test_"], NotRaising)
        ],
        Left ++ [input || _ <- CannotBe]
    }.

generator(_Name, []) ->
    [];
generator(Name, Tests) ->
    Atom = list_to_atom(unicode:characters_to_list(Name)),
    %% A line for each even where one line would do: the next test would change it.
    Lines = lists:join(",\n        ", [cuter_layout:render(Test, 8, 1) || Test <- Tests]),
    ["\n", io_lib:format("~tp() ->\n    [\n        ~ts\n    ].\n", [Atom, Lines])].

%%% Which inputs

inputs(Reports) ->
    lists:append([maps:get(inputs, Report, []) || Report <- Reports]).

%% An input of the report, with what the BEAM does with it.
judge({Module, Function, _}, #{input := Input} = Entry) ->
    case is_written(Entry) of
        true -> Entry#{seen => seen({Module, Function}, Input)};
        false -> Entry#{seen => unwritten}
    end.

is_written(#{input := Input}) ->
    cuter_source:is_expressible(Input).

-spec seen({module(), atom()}, [term()]) -> seen().
seen(Function, Input) ->
    case cuter_replay:native(Function, Input) of
        {ok, A} -> again({ok, A}, cuter_replay:native(Function, Input));
        {raised, _, _, _} = Raised -> again(Raised, cuter_replay:native(Function, Input));
        _NoEnd -> unsteady
    end.

again({ok, A}, {ok, B}) -> {ok, A, B};
again({raised, Class, A, Stack}, {raised, Class, B, _}) -> {raised, Class, A, B, Stack};
again(_First, _Second) -> unsteady.

%% Where a result may depend on the clock or the machine, what it has in common with that of an
%% interpreted run, which has a time of its own, is what can be expected tomorrow.
at_another_time({Module, Function, _}, #{input := Input, seen := {ok, A, _}} = Entry, Reports) ->
    Outside = [Mfa || Report <- Reports, Mfa <- maps:keys(maps:get(outside, Report, #{}))],
    case Outside =/= [] andalso cuter:eval(Module, Function, Input) of
        {ok, B} when A =/= B -> Entry#{seen := {ok, A, B}};
        _ -> Entry
    end;
at_another_time(_Mfa, Entry, _Reports) ->
    Entry.

%% The inputs to write tests of, further inputs that fail although they should not, and why others
%% are left out.
choose(Judged, Failures, IsKnown) ->
    Sorted = lists:sort(fun is_simpler/2, Judged),
    Expected = [Entry || #{seen := Seen} = Entry <- Sorted, is_expected(Seen, IsKnown)],
    Failing = [raised(Entry) || #{seen := Seen} = Entry <- Sorted, is_failing(Seen, IsKnown)],
    Chosen = cuter_minimal:choose(Expected, fun clauses/1),
    Known = lists:append([clauses(E) || E <- Expected ++ [F || F <- Failing, is_of(F, Failures)]]),
    Also = cuter_minimal:choose(Failing, fun(Entry) -> clauses(Entry) -- Known end),
    {Chosen, Also, left_of(Sorted, Chosen ++ Also)}.

%% The same calls with smaller inputs, judged anew.
smaller(Entries, Mfa, Report, IsKnown) ->
    Pairs = lists:zip(Entries, cuter_smaller:inputs(Report, Entries)),
    lists:sort(fun is_simpler/2, [smaller_entry(Old, New, Mfa, IsKnown) || {Old, New} <- Pairs]).

smaller_entry(#{input := Input} = Old, #{input := Input}, _Mfa, _IsKnown) ->
    Old;
smaller_entry(Old, New, Mfa, IsKnown) ->
    #{seen := Seen} = Judged = judge(Mfa, New),
    case is_expected(Seen, IsKnown) of
        true -> Judged;
        false -> Old
    end.

clauses(#{clauses := Clauses}) ->
    Clauses.

is_simpler(#{input := A}, #{input := B}) ->
    {erlang:external_size(A), A} =< {erlang:external_size(B), B}.

is_expected({ok, _, _}, _IsKnown) -> true;
is_expected({raised, _, _, _, _} = Seen, IsKnown) -> not is_failing(Seen, IsKnown);
is_expected(_Seen, _IsKnown) -> false.

is_failing({raised, Class, Reason, _, Stack}, IsKnown) ->
    IsKnown(#{input => [], class => Class, reason => Reason, stacktrace => Stack});
is_failing(_Seen, _IsKnown) ->
    false.

%% Tells whether an exception is one of the failures: of its kind, and not among those that the
%% function may raise.
is_known(Mfa, Failures, Raises) ->
    Keys = [cuter_failures:key(Mfa, Failure) || Failure <- Failures],
    fun(Raised) ->
        not cuter_failures:is_expected(Raised, Raises) andalso
            lists:member(cuter_failures:key(Mfa, Raised), Keys)
    end.

raised(#{seen := {raised, Class, Reason, _, _}} = Entry) ->
    Entry#{class => Class, reason => Reason}.

%% Whether an input led to one of the failures.
is_of(#{input := Input}, Failures) ->
    lists:any(
        fun(#{input := Shrunk} = Failure) ->
            Input =:= Shrunk orelse Input =:= maps:get(original, Failure, Shrunk)
        end,
        Failures
    ).

%% What is left out counts only if no test enters the same clauses.
left_of(Entries, Chosen) ->
    Entered = lists:append([clauses(Entry) || Entry <- Chosen]),
    [
        reason_left(Seen)
     || #{seen := Seen, clauses := Clauses} <- Entries,
        Seen =:= unsteady orelse Seen =:= unwritten,
        Clauses -- Entered =/= []
    ].

reason_left(unsteady) -> outcome;
reason_left(unwritten) -> input.

unique_inputs(Failures) ->
    Inputs = lists:usort([Input || #{input := Input} <- Failures]),
    Firsts = [first_of(Input, Failures) || Input <- Inputs],
    lists:sort(fun is_simpler/2, Firsts).

first_of(Input, Failures) ->
    hd([Failure || #{input := I} = Failure <- Failures, I =:= Input]).

%%% Tests as documents

test(Mfa, #{input := Input, seen := {ok, A, B}}, Records) ->
    Call = call(Mfa, Input, Records),
    case {A =:= B andalso cuter_match:is_plain(A), erlang:external_size(A) > ?LARGE} of
        {true, false} -> assert("?_assertEqual(", [value(A, Records), Call]);
        {true, true} -> assert("?_assertEqual(", [value(erlang:phash2(A), #{}), hashed(Call)]);
        {false, _} -> assert("?_assertMatch(", [pattern(A, B, Records), Call])
    end;
test(Mfa, #{input := Input, seen := {raised, Class, A, B, _}}, Records) ->
    Reason = pattern(A, B, Records),
    assert(asserted(Class), [Reason, call(Mfa, Input, Records)]).

hashed(Call) ->
    cuter_layout:group("erlang:phash2(", [Call], ")").

asserted(error) -> "?_assertError(";
asserted(exit) -> "?_assertExit(";
asserted(throw) -> "?_assertThrow(".

assert(Macro, Args) ->
    cuter_layout:group(Macro, Args, ")").

value(Term, Records) ->
    cuter_layout:form(cuter_source:form(Term, Records)).

pattern(A, B, Records) ->
    {Form, Guards} = cuter_match:pattern(A, B, Records),
    cuter_layout:guarded(cuter_layout:form(Form), Guards).

%% Named after what was raised: the name is what EUnit prints first.
no_raise(Mfa, #{input := Input, class := Class, reason := Reason}, Records) ->
    Title = io_lib:format("raised ~ts: ~0tP", [Class, Reason, 12]),
    cuter_layout:group("{", [
        {string, shortened(steady(unicode:characters_to_list(Title))), ""},
        assert("?_test(", [call(Mfa, Input, Records)])
    ], "}").

shortened(Title) when length(Title) > ?LONGEST_TITLE ->
    string:slice(Title, 0, ?LONGEST_TITLE - 3) ++ "...";
shortened(Title) ->
    Title.

%% The printed forms of what is another one in each VM, without their numbers.
steady(Title) ->
    Parts = [
        {"#Fun<[^>]*>", "#Fun<>"}, {"#Ref<[^>]*>", "#Ref<>"}, {"#Port<[^>]*>", "#Port<>"},
        {"<[0-9]+\\.[0-9]+\\.[0-9]+>", "<pid>"}
    ],
    lists:foldl(
        fun({Pattern, By}, Text) ->
            re:replace(Text, Pattern, By, [global, unicode, {return, list}])
        end,
        Title,
        Parts
    ).

%% The compiler looks into calls of OTP's functions and warns of those that fail or are deprecated.
call({Module, Function, _} = Mfa, Input, Records) ->
    case cuter_failures:is_otp(Module) of
        true -> group_of_call(Module, Function, [value(Arg, Records) || Arg <- Input]);
        false -> cuter_layout:form(cuter_source:call_form(Mfa, Input, Records))
    end.

group_of_call(Module, Function, Args) ->
    Names = [cuter_layout:text(io_lib:format("~tp", [Name])) || Name <- [Module, Function]],
    cuter_layout:group("call(", Names ++ [cuter_layout:group("[", Args, "]")], ")").

helper(Module) ->
    case cuter_failures:is_otp(Module) of
        true -> "\ncall(Module, Function, Args) ->\n    apply(Module, Function, Args).\n";
        false -> ""
    end.

left_out(Reasons) ->
    [
        comment(length([R || R <- Reasons, R =:= input]), "whose input cannot be written down"),
        comment(
            length([R || R <- Reasons, R =:= outcome]), "that did not end in the same way twice"
        )
    ].

comment(0, _What) -> "";
comment(1, What) -> ["\n%% Not tested: one call ", What, ".\n"];
comment(Number, What) -> ["\n%% Not tested: ", integer_to_list(Number), " calls ", What, ".\n"].

%%% Records

record_definitions(Docs, Records) ->
    Used = lists:usort(names(Docs)),
    Definitions = [
        definition(Name, Fields)
     || {{Name, _}, Fields} <- lists:sort(maps:to_list(Records)), lists:member(open(Name), Used)
    ],
    case Definitions of
        [] -> "";
        _ -> ["\n" | Definitions]
    end.

%% How a record opens in a document.
open(Name) ->
    lists:flatten(io_lib:format("#~tp{", [Name])).

names({group, [$# | _] = Open, Parts, _}) -> [Open | names(Parts)];
names({group, _, Parts, _}) -> names(Parts);
names({joined, Left, _, Right}) -> names([Left, Right]);
names({guarded, Pattern, _}) -> names(Pattern);
names([Doc | Docs]) -> names(Doc) ++ names(Docs);
names(_Doc) -> [].

definition(Name, Fields) ->
    Names = [cuter_layout:text(io_lib:format("~tp", [Field])) || {Field, _} <- Fields],
    Tag = cuter_layout:text(io_lib:format("~tp", [Name])),
    Doc = cuter_layout:group("-record(", [Tag, cuter_layout:group("{", Names, "}")], ")"),
    [cuter_layout:render(Doc, 0, 1), ".\n"].
