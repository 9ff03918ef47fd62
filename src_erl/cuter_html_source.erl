%% The source of a function and of what it calls in its module, with what the exploration has seen.
%%
%% A line is covered if the clause it is part of was entered, uncovered if that clause was not
%% entered, and neutral if it has no code. A line at which a failure happened says so, with the
%% call.
-module(cuter_html_source).

-export([section/2]).

-import(cuter_markup, [escape/1, element/3]).

-type mark() :: covered | uncovered | neutral.
%% What is known of the lines of a module.
-type facts() :: #{
    module := module(),
    owners := cuter_module:clause_lines(),
    %% By the line of a clause: whether one that stands there was entered.
    entered := #{pos_integer() => boolean()},
    why := #{pos_integer() => iolist()},
    failing := #{pos_integer() => [{pos_integer(), cuter_report:failure()}]},
    records := cuter_module:records(),
    mfa := mfa()
}.

%% The section of a report, whose elements have ids that begin with `Id`.
-spec section(cuter_report:report(), string()) -> iolist().
section(#{mfa := {Module, _, _}} = Report, Id) ->
    case cuter_module:source(Module) of
        {File, Lines} -> source(Report, Id, cuter_module:display_file(File), Lines);
        none -> "<p class=\"muted\">The source of the module is not at hand.</p>"
    end.

source(#{mfa := {Module, _, _}} = Report, Id, File, Lines) ->
    Facts = facts(Report),
    Coloured = list_to_tuple(cuter_html_code:lines(Lines)),
    Ranges = [trimmed(Range, Lines) || Range <- ranges(Module, Report, tuple_size(Coloured))],
    Table = [range(Range, Coloured, Facts, Id) || Range <- Ranges],
    [
        ["<p class=\"file\"><code>", escape(File), "</code>", legend(), "</p>\n"],
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"annotated source\">"
        "<table class=\"source\"><caption class=\"hidden\">Source with coverage</caption>\n",
        lists:join("<tbody class=\"gap\"><tr><td colspan=\"3\">⋯</td></tr></tbody>\n", Table),
        "</table></div>\n"
    ].

legend() ->
    " <span class=\"legend\"><i class=\"covered\"></i>covered "
    "<i class=\"uncovered\"></i>not reached <i class=\"failing\"></i>fails</span>".

-spec facts(cuter_report:report()) -> facts().
facts(#{mfa := {Module, _, _} = Mfa, coverage := Coverage, failures := Failures}) ->
    Covered = [Line || #{line := Line} <- maps:get(covered, Coverage, [])],
    Uncovered = maps:get(uncovered, Coverage),
    #{
        module => Module,
        owners => cuter_module:clauses(Module),
        entered => maps:from_list(
            [{Line, false} || #{line := Line} <- Uncovered] ++ [{Line, true} || Line <- Covered]
        ),
        why => maps:from_list([{L, cuter_report:reason_text(C)} || #{line := L} = C <- Uncovered]),
        failing => failing(Mfa, Failures),
        records => cuter_module:records(Module),
        mfa => Mfa
    }.

%% Failures by the line of their innermost frame in the module.
failing({Module, _, _}, Failures) ->
    Numbered = lists:zip(lists:seq(1, length(Failures)), Failures),
    Places = [
        {Line, {Number, Failure}}
     || {Number, #{stacktrace := Stack} = Failure} <- Numbered,
        Line <- lists:sublist(lines_in(Module, Stack), 1)
    ],
    maps:from_list([{L, [F || {L1, F} <- Places, L1 =:= L]} || {L, _} <- Places]).

lines_in(Module, Stack) ->
    [
        proplists:get_value(line, Location)
     || {M, _, _, Location} <- Stack, M =:= Module, proplists:is_defined(line, Location)
    ].

%%% Which lines

%% First and last lines of the functions that count, neighbours joined. The source may have been
%% edited since, and parse transforms give lines as they like.
ranges(Module, #{mfa := Mfa, coverage := Coverage}, Total) ->
    Rows = maps:get(covered, Coverage, []) ++ maps:get(uncovered, Coverage),
    Counted = lists:usort([{F, A} || #{mfa := {_, F, A}} <- [#{mfa => Mfa} | Rows]]),
    Functions = cuter_module:functions(Module),
    Ends = [First - 1 || {_, _, First, _} <- tl(Functions ++ [{none, 0, Total + 1, 0}])],
    join(
        lists:sort([
            {First, max(First, lists:min([Last + 1, End, Total]))}
         || {{Name, Arity, First, Last}, End} <- lists:zip(Functions, Ends),
            lists:member({Name, Arity}, Counted),
            First >= 1,
            First =< Total
        ])
    ).

join([{First, Last}, {Next, End} | Ranges]) when Next =< Last + 2 ->
    join([{First, max(Last, End)} | Ranges]);
join([Range | Ranges]) ->
    [Range | join(Ranges)];
join([]) ->
    [].

%% Without empty lines at the end.
trimmed({First, Last}, Lines) when Last > First ->
    case string:trim(lists:nth(Last, Lines)) of
        <<>> -> trimmed({First, Last - 1}, Lines);
        _ -> {First, Last}
    end;
trimmed(Range, _Lines) ->
    Range.

range({First, Last}, Lines, Facts, Id) ->
    Rows = [row(N, element(N, Lines), Facts, Id) || N <- lists:seq(First, Last)],
    ["<tbody>\n", Rows, "</tbody>\n"].

row(Number, Code, #{failing := Failing} = Facts, Id) ->
    Failures = maps:get(Number, Failing, []),
    Mark = mark(Number, Facts),
    Class = [atom_to_list(Mark), [" failing" || Failures =/= []]],
    [
        ["<tr class=\"", Class, "\"><td class=\"nr\">", integer_to_list(Number), "</td>"],
        ["<td class=\"mark\">", glyph(Mark, Failures), "</td><td><code>", Code, "</code>"],
        why(Number, Facts),
        [note(Failure, Facts, Id) || Failure <- Failures],
        "</td></tr>\n"
    ].

-spec mark(pos_integer(), facts()) -> mark().
mark(Number, #{owners := Owners, entered := Entered}) ->
    case Owners of
        #{Number := Owner} ->
            case Entered of
                #{Owner := true} -> covered;
                #{Owner := false} -> uncovered;
                #{} -> neutral
            end;
        #{} ->
            neutral
    end.

%% Colours are not for everybody.
glyph(_Mark, [_ | _]) -> "<span title=\"fails\">✗</span>";
glyph(covered, []) -> "<span title=\"covered\">✓</span>";
glyph(uncovered, []) -> "<span title=\"not reached\">○</span>";
glyph(neutral, []) -> "".

why(Number, #{why := Why}) ->
    case Why of
        #{Number := ""} -> "<span class=\"why\">not reached</span>";
        #{Number := Text} -> ["<span class=\"why\">not reached: ", escape(Text), "</span>"];
        #{} -> ""
    end.

note({Number, #{input := Input, class := Class, reason := Reason}}, Facts, Id) ->
    #{records := Records, mfa := Mfa} = Facts,
    Text = [
        cuter_failure_text:raised(Class, Reason, 0, Records),
        "  for  ",
        cuter_source:call(Mfa, Input, 0, Records)
    ],
    Target = ["#", Id, "-failure-", integer_to_list(Number)],
    element("a", [{"class", "note"}, {"href", Target}], escape(Text)).
