%% What the BEAM's stacktraces show otherwise than Core Erlang suggests.
%%
%% The compiler goes on where Core Erlang ends. What it finds out about types makes some calls the
%% last ones of their functions, which are then in no stacktrace, and some arithmetic instructions
%% on floats, which name no function when they fail. Up to OTP 25 neither do those that add a
%% literal. A failed match of all clauses of a fun with captured variables is raised by a function
%% of its own, `-f/1-inlined-0-`, which begins at the fun's line. All of it can be read from the
%% beam file (`cuter_assembly`), where a function has its calls and its arithmetic at the same lines
%% as in Core Erlang. A call with which nothing at its line comes back to its function, and
%% arithmetic that names no function, get `{unseen, Line}` for their line; a failed match gets who
%% raises.
%%
%% Where a function does the same several times in one line, and the compiler not all of it in the
%% same way, lines are not enough: it is uncertain which is which, and their order decides. Of a
%% tree with numbers in place of lines, and what was compiled from it (`cuter_numbered`), all is
%% certain.
%%
%% A `throw/1` that is caught where nobody looks at the stacktrace, as far as the compiler sees, is
%% compiled to `raise/3` with an empty one. Who catches it from within a fun sees that.
%%
%% Waiting has no line of its own: what is no time is shown in the line that the BEAM was at before.
%%
%% Negating floats by an instruction may have another result than by the function.
%%
%% An operand that the compiler knows stands second where operators can be turned. Which one it is
%% tells its value.
%%
%% Of built-in functions that can only fail the compiler may lose the line: the BEAM then tells the
%% line before. They are found where nothing of the kind is written, and get that line.
-module(cuter_unseen).

-export([marked/3, is_raising/1]).

-type native() :: cuter_written:native().
-type place() :: cuter_written:place().
-type what() :: cuter_written:what().
-type form() :: cuter_written:form().
%% What is written at a place, in the order of evaluation.
-type written() :: #{place() => #{what() => [form(), ...]}}.
%% What the compiler has made of it, in the order of the code.
-type kind() ::
    call
    | last
    | bif
    | float
    | increment
    | fail
    | {call | last, Raising :: atom()}
    | {shown | behind, Line :: pos_integer()}
    | {known, term()}.
-type compiled() :: #{place() => [{kind(), what()}, ...]}.
%% What is to be known of those at a place, in order: not seen, nothing, seen in another line, or
%% raised by a function, or by the one that is running; thrown without a stacktrace; or an operator
%% of which the compiler knows an operand.
-type mark() ::
    unseen
    | none
    | {line | behind | known, term()}
    | {by, atom(), call | last}
    | itself
    | bare.
-type marks() :: #{place() => #{what() => [mark()]}}.

%% Up to this release adding a literal, and subtracting one, names no function.
-define(LAST_WITH_INCREMENTS, 25).

%% The tree with what is to be known, and whether that is certain.
-spec marked(cuter_ast:module_tree(), cuter_assembly:functions(), cuter_joined:calls()) ->
    {cuter_ast:module_tree(), boolean()}.
marked(Module, Functions, Joined) ->
    Names = names(Functions),
    Facts = #{arities => arities(Functions), has_increments => has_increments()},
    {_, {Backwards, Located}} = cuter_written:walk(Module, Facts, fun collect/3, {#{}, #{}}),
    Written = maps:map(
        fun(_Place, Here) -> maps:map(fun(_What, Forms) -> lists:reverse(Forms) end, Here) end,
        Backwards
    ),
    IsNumbered = is_numbered(Module),
    %% Where a function begins is a line of its own file.
    Own = [{native(Name, Arity), Line} || {Name, Arity, Line, _} <- Functions],
    Known = maps:without(Own, Located),
    Locate = fun(Place) -> maps:get(Place, Known, in_tree(element(2, Place), IsNumbered)) end,
    {Marks, IsCertain} = marks(Written, compiled(Functions, Facts), {Names, Joined, IsNumbered}),
    Mark = fun(Found, Node, Left) -> mark(Found, Node, Locate, Left) end,
    {Marked, _} = cuter_written:walk(Module, Facts, Mark, Marks),
    {Marked, IsCertain}.

is_numbered({cuter_module, _, _, _, _, Functions, _}) ->
    lists:any(fun({_, _, _, {'fun', Line, _, _, _}}) -> has_number(Line) end, Functions).

has_number({numbered, _}) -> true;
has_number({_File, Line}) -> has_number(Line);
has_number(_Line) -> false.

%% How a line of the instructions is written in the tree.
in_tree(Number, true) when Number > 0 -> {numbered, Number};
in_tree(Line, _IsNumbered) -> Line.

%% A fun has the variables that it captures for further arguments, as far as they are needed.
arities(Functions) ->
    maps:from_list([{Name, Arity} || {Name, Arity, _, _} <- Functions, is_made(Name)]).

%% The functions of a file with lines.
names(Functions) ->
    case lists:any(fun({_, _, Line, _}) -> Line > 0 end, Functions) of
        true -> sets:from_list([native(Name, Arity) || {Name, Arity, _, _} <- Functions]);
        false -> sets:new()
    end.

has_increments() ->
    list_to_integer(erlang:system_info(otp_release)) =< ?LAST_WITH_INCREMENTS.

%% What is written, and how the lines of it are written, with files.
collect({none, _What, _Form}, Node, Acc) ->
    {Node, Acc};
collect({Place, What, Form}, Node, {Written, Located}) ->
    Here = maps:get(Place, Written, #{}),
    More = Written#{Place => Here#{What => [Form | maps:get(What, Here, [])]}},
    {Node, {More, with_line(Place, element(2, Node), Located)}}.

with_line({_Function, 0}, _Line, Located) -> Located;
with_line(Place, Line, Located) -> Located#{Place => Line}.

mark({Place, What, Form}, Node, Locate, Marks) ->
    case Marks of
        #{Place := #{What := [Mark | Others]} = Here} ->
            {with(located(Mark, Place, Locate), Node), Marks#{Place := Here#{What := Others}}};
        #{} ->
            {with(unknown(Form), Node), Marks}
    end.

%% A line that nothing is written in is one of the function's own file.
located({known, _} = Mark, _Place, _Locate) -> Mark;
located({How, Line}, {Function, _}, Locate) -> {How, Locate({Function, Line})};
located(Mark, _Place, _Locate) -> Mark.

%% What is to be expected of that of which nothing is known.
unknown(literal) -> unseen;
unknown(_Form) -> none.

with(none, Node) -> Node;
with(unseen, Node) -> setelement(2, on_floats(Node), {unseen, element(2, Node)});
with(bare, {call, Line, Module, {lit, throw}, [Term]}) ->
    {call, Line, Module, {lit, raise}, [{lit, throw}, Term, {lit, []}]};
with({line, Line}, Node) -> setelement(2, Node, Line);
with({known, Literal}, Node) -> turned(Literal, Node);
with({behind, Line}, Node) -> setelement(2, Node, {behind, element(2, Node), Line});
with(Raising, {primop, Line, Name, Args, _}) -> {primop, Line, Name, Args, Raising}.

%% Which operand the compiler knows is told by its value. Both are variables, as arguments are but
%% for a few, which are left as they are.
turned(Literal, {call, Line, Module, Name, [{var, First}, {var, _} = Second]} = Node) ->
    Known = {lit, Literal},
    {'case', 0, {var, First}, [
        {clause, 0, [Known], {lit, true}, {call, Line, Module, Name, [Second, Known]}, true},
        {clause, 0, [{var, First}], {lit, true}, Node, true}
    ]};
turned(_Literal, Node) ->
    Node.

%% The instruction that negates a float takes it from 0.0 on some releases: there is no -0.0 then.
on_floats({call, Line, {lit, erlang} = Module, {lit, '-'} = Name, [Arg]} = Node) ->
    case negated(float(erlang:phash2(make_ref(), 1))) of
        {<<1:1, _/bits>>, _} -> Node;
        {<<0:1, _/bits>>, _} -> {call, Line, Module, Name, [{lit, 0.0}, Arg]}
    end;
on_floats(Node) ->
    Node.

negated(Float) ->
    Negative = -Float,
    {<<Negative/float>>, Negative * 2.0}.

%%% What the compiler has made of it

-spec compiled(cuter_assembly:functions(), cuter_written:facts()) -> compiled().
compiled(Functions, Facts) ->
    Begins = maps:from_list([{{Name, Arity}, Line} || {Name, Arity, Line, _} <- Functions]),
    lists:foldl(
        fun({Name, Arity, _Begins, Events}, Compiled) ->
            Function = native(Name, Arity),
            Found = events(Events, Begins, Facts),
            lists:foldr(
                fun({Line, Done}, Acc) -> add({Function, Line}, Done, Acc) end, Compiled, Found
            )
        end,
        #{},
        Functions
    ).

add(Place, Done, Compiled) ->
    Compiled#{Place => [Done | maps:get(Place, Compiled, [])]}.

native(Name, Arity) ->
    case is_made(Name) of
        true -> Name;
        false -> {Name, Arity}
    end.

%% `-f/1-fun-0-`
is_made(Name) ->
    case atom_to_list(Name) of
        [$-, _, _ | _] = Text -> lists:last(Text) =:= $-;
        _ -> false
    end.

%% True of functions that raise for others: `-f/1-inlined-0-` for a fun, `-inlined-f/1-` for a
%% function whose clauses have replaced a call of it.
-spec is_raising(atom()) -> boolean().
is_raising(Name) ->
    is_made(Name) andalso string:find(atom_to_list(Name), "-inlined-") =/= nomatch.

%% Each event with its line. What is shown elsewhere is there once more with that line.
events([{_, Line, Done} = Event, {shown, Line, Shown} | Events], Begins, Facts) ->
    Also = {Line, {{shown, Shown}, shown_as(Done)}},
    [found(Event, Begins, Facts), Also | events(Events, Begins, Facts)];
events([{call, Line, Done} = Event, {behind, Line, Next} | Events], Begins, Facts) ->
    Also = {Line, {{behind, Next}, shown_as(Done)}},
    [found(Event, Begins, Facts), Also | events(Events, Begins, Facts)];
events([{behind, _, _} | Events], Begins, Facts) ->
    events(Events, Begins, Facts);
events([{known, Line, {Done, Literal}} | Events], Begins, Facts) ->
    [{Line, {{known, Literal}, shown_as(Done)}} | events(Events, Begins, Facts)];
events([Event | Events], Begins, Facts) ->
    [found(Event, Begins, Facts) | events(Events, Begins, Facts)];
events([], _Begins, _Facts) ->
    [].

shown_as({remote, _, _, _} = Callee) -> written_as(Callee);
shown_as({local, Name, Arity}) -> by_name(Name, Arity);
shown_as({Dynamic, _}) when Dynamic =:= 'fun'; Dynamic =:= named -> dynamic;
shown_as({Name, Arity}) -> {bif, Name, Arity};
shown_as(Reason) -> {fail, Reason}.

by_name(Name, Arity) ->
    case is_made(Name) of
        true -> {lifted, Name};
        false -> {local, Name, Arity}
    end.

%% Of an event, where it is done and what.
found({Kind, Line, {local, Name, Arity}}, Begins, _Facts) ->
    case is_raising(Name) of
        true -> {maps:get({Name, Arity}, Begins), {{Kind, Name}, {unmatched, Arity}}};
        false -> {Line, {Kind, by_name(Name, Arity)}}
    end;
found({Kind, Line, {remote, _, _, _} = Callee}, _Begins, _Facts) ->
    {Line, {Kind, Callee}};
found({Kind, Line, {Dynamic, _Arity}}, _Begins, _Facts) when Dynamic =:= 'fun'; Dynamic =:= named ->
    {Line, {Kind, dynamic}};
found({fail, Line, Reason}, _Begins, _Facts) ->
    {Line, {fail, {fail, Reason}}};
found({increment, Line, {Name, Arity}}, _Begins, #{has_increments := false}) ->
    {Line, {bif, {bif, Name, Arity}}};
found({Kind, Line, {Name, Arity}}, _Begins, _Facts) ->
    {Line, {Kind, {bif, Name, Arity}}}.

%%% What is to be known

-spec marks(written(), compiled(), {sets:set(native()), cuter_joined:calls(), boolean()}) ->
    {marks(), boolean()}.
marks(Written, Compiled, {Names, Joined, IsNumbered}) ->
    LastCalls = last_calls(Compiled, Joined),
    Elsewhere = {strays(Written, Compiled), LastCalls, waits(Compiled)},
    maps:fold(
        fun({Function, Line} = Place, Here, {All, IsCertain}) ->
            case Line =:= 0 orelse sets:is_element(Function, Names) of
                true ->
                    Done = maps:get(Place, Compiled, []),
                    {Found, IsFound} = marks_here(Place, Here, Done, Elsewhere),
                    {Marks, IsKnown} = with_operands(Found, Here, Done, IsNumbered),
                    IsCertainHere = IsFound andalso IsKnown,
                    {All#{Place => Marks}, IsCertain andalso IsCertainHere};
                false ->
                    {All, IsCertain}
            end
        end,
        {#{}, true},
        Written
    ).

marks_here(Place, Here, Done, Elsewhere) ->
    maps:fold(
        fun(What, Forms, {Marks, IsCertain}) ->
            Found = marks_of(What, Forms, {Place, Here, not_shown(Done), Elsewhere}),
            {Certainty, New} = elsewhere(What, Done, behind(What, Done, Found)),
            {Marks#{What => New}, IsCertain andalso Certainty =:= certain}
        end,
        {#{}, true},
        Here
    ).

not_shown(Done) ->
    [Event || {Kind, _} = Event <- Done, not is_shown(Kind)].

is_shown({shown, _}) -> true;
is_shown({behind, _}) -> true;
is_shown({known, _}) -> true;
is_shown(_) -> false.

%% With the operands that the compiler knows although they are not written so. What tells them from
%% others is a clause in the tree, which is there for numbers only.
with_operands(Marks, Here, Done, IsNumbered) ->
    maps:fold(
        fun(What, Forms, {All, IsCertain}) ->
            #{What := Found} = All,
            Literals = [Literal || {known, Literal} <- kinds(What, Done)],
            IsWritten = length(Literals) =< count(known, Forms) + count(literal, Forms),
            case {lists:usort(Literals), Found} of
                {_, _} when IsWritten; Found =:= [unseen] -> {All, IsCertain};
                {[One], [none]} when IsNumbered -> {All#{What := [{known, One}]}, IsCertain};
                {_, _} -> {All, false}
            end
        end,
        {Marks, true},
        Here
    ).

%% What stands right behind a call in another line.
behind(What, Done, {Certainty, Marks}) ->
    Kinds = kinds(What, Done),
    case {lists:usort([Next || {behind, Next} <- Kinds]), count(call, Kinds)} of
        {[Next], 1} -> {Certainty, [behind_or(Mark, Next) || Mark <- Marks]};
        {_, _} -> {Certainty, Marks}
    end.

behind_or(none, Next) -> {behind, Next};
behind_or(Mark, _Next) -> Mark.

%% What is shown in another line.
elsewhere(What, Done, {Certainty, Marks}) ->
    Kinds = kinds(What, Done),
    case {[Line || {shown, Line} <- Kinds], Marks} of
        {[], _} -> {Certainty, Marks};
        {[Line], [Mark]} when Mark =:= none; element(1, Mark) =:= behind ->
            {Certainty, [{line, Line}]};
        {_, [unseen]} -> {Certainty, Marks};
        {_, _} -> {uncertain, Marks}
    end.

%% The lines of built-in functions that are not written there, or not as often.
strays(Written, Compiled) ->
    Strays = [
        {{Function, Bif}, Line}
     || {{Function, Line} = Place, Done} <- maps:to_list(Compiled),
        Line > 0,
        {bif, Bif} <- lists:usort(Done),
        count({bif, Bif}, Done) > length(maps:get(Bif, maps:get(Place, Written, #{}), []))
    ],
    Lines = lists:foldr(fun({Key, Line}, All) -> add(Key, Line, All) end, #{}, lists:usort(Strays)),
    maps:fold(fun(Key, Found, All) -> paired(Key, Found, Written, Compiled, All) end, Lines, Lines).

%% If there are as many of them as places where what is written is not done, their order decides.
paired({Function, Bif} = Key, Lines, Written, Compiled, Strays) ->
    Places = lists:sort([
        Place
     || {{F, _} = Place, #{Bif := _}} <- maps:to_list(Written),
        F =:= Function,
        kinds(Bif, maps:get(Place, Compiled, [])) =:= []
    ]),
    case length(Places) =:= length(Lines) andalso length(Lines) > 1 of
        true ->
            Pairs = [{{Place, Bif}, Line} || {Place, Line} <- lists:zip(Places, Lines)],
            maps:merge(maps:remove(Key, Strays), maps:from_list(Pairs));
        false ->
            Strays
    end.

%% The lines that are shown where functions wait.
waits(Compiled) ->
    Waits = lists:usort([
        {Function, shown_line(Line, Done)}
     || {{Function, Line}, Done} <- maps:to_list(Compiled),
        lists:member({fail, {fail, timeout_value}}, Done)
    ]),
    lists:foldr(fun({Function, Line}, All) -> add(Function, Line, All) end, #{}, Waits).

shown_line(Line, Done) ->
    case kinds({fail, timeout_value}, Done) of
        [fail, {shown, Shown}] -> Shown;
        _ -> Line
    end.

%% The functions that a function calls last by their names, which may be funs that the compiler
%% knows, and the lines of these calls. For functions of the module no line is told.
last_calls(Compiled, Joined) ->
    Calls = lists:usort([
        {Key, Line}
     || {{Function, Line}, Done} <- maps:to_list(Compiled),
        {last, Callee} <- Done,
        Key <- last_calls_of(Function, Callee)
    ]),
    lists:foldr(fun({Key, Line}, All) -> add(Key, Line, All) end, #{joined => Joined}, Calls).

last_calls_of(Function, {remote, _, _, _} = Callee) -> [{joined, Function, Callee}];
last_calls_of(Function, {local, _, _} = Callee) -> [{Function, Callee}, {Function, dynamic}];
last_calls_of(Function, {lifted, _} = Callee) -> [{Function, Callee}, {Function, dynamic}];
last_calls_of(_Function, _Callee) -> [].

marks_of({bif, throw, 1}, Forms, {Place, Here, Done, {_, LastCalls, _}}) ->
    Raises = kinds({remote, erlang, raise, 3}, Done),
    case {kinds({remote, erlang, throw, 1}, Done), Raises} of
        {[], []} -> joined(candidates(Place, {bif, throw, 1}, LastCalls), Forms);
        {_, []} -> {certain, [none || _ <- Forms]};
        {[], _} when not is_map_key({bif, raise, 3}, Here) -> {certain, [bare || _ <- Forms]};
        {_, _} -> {uncertain, [none || _ <- Forms]}
    end;
marks_of({bif, Name, Arity} = Bif, Forms, {{Function, _} = Place, _, Done, Elsewhere}) ->
    {Strays, LastCalls, _} = Elsewhere,
    case {kinds(Bif, Done), Strays, kinds({remote, erlang, Name, Arity}, Done)} of
        {[], #{{Place, Bif} := Line}, _} -> {uncertain, [{line, Line} || _ <- Forms]};
        {[], #{{Function, Bif} := [Line]}, _} -> {certain, [{line, Line} || _ <- Forms]};
        {[], #{{Function, Bif} := _}, _} -> {uncertain, [unknown(Form) || Form <- Forms]};
        {Kinds, #{{Function, Bif} := _}, _} when length(Kinds) < length(Forms) ->
            {uncertain, element(2, arithmetic(Kinds, Forms))};
        {[], _, []} -> joined(candidates(Place, Bif, LastCalls), Forms);
        {[], _, _} -> {certain, [unknown(Form) || Form <- Forms]};
        {Kinds, _, _} -> arithmetic(Kinds, Forms)
    end;
marks_of({unmatched, _} = What, Forms, {_, _, Done, _}) ->
    raised(lists:ukeysort(2, kinds(What, Done)), kinds(What, Done), Forms);
marks_of({fail, timeout_value}, Forms, {{Function, _}, _, _, {_, _, Waits}}) ->
    case Waits of
        #{Function := [Line]} -> {certain, [{line, Line} || _ <- Forms]};
        #{} -> {certain, [none || _ <- Forms]}
    end;
marks_of({fail, _}, Forms, _In) ->
    {certain, [none || _ <- Forms]};
marks_of(dynamic, Forms, {_, Here, Done, _} = In) ->
    {Calls, HasNamed} = unnamed(Done, Here),
    Kinds = [Kind || {Kind, _} <- Calls],
    {Certainty, Marks} = calls(dynamic, Kinds, Forms, In),
    %% What is called by its name may be a fun that the compiler knows.
    case HasNamed andalso count(call, Kinds) < count(inner, Forms) of
        true -> {uncertain, Marks};
        false -> {Certainty, Marks}
    end;
marks_of({remote, _, _, _} = Callee, Forms, {Place, _, Done, {_, LastCalls, _}} = In) ->
    case {kinds(Callee, Done), candidates(Place, Callee, LastCalls)} of
        {[], [_ | _] = Lines} -> joined(Lines, Forms);
        {Kinds, _} -> calls(Callee, Kinds, Forms, In)
    end;
marks_of(Callee, Forms, {_, _, Done, _} = In) ->
    calls(Callee, kinds(Callee, Done), Forms, In).

%% Where the same is done last in several clauses, the compiler joins them, whatever their lines
%% are. If there are several that it may have been joined with, numbers tell.
joined([], Forms) -> {certain, [unknown(Form) || Form <- Forms]};
joined([Line], Forms) -> {certain, [line_or_unknown(Form, Line) || Form <- Forms]};
joined(_Several, Forms) -> {uncertain, [unknown(Form) || Form <- Forms]}.

line_or_unknown(literal, _Line) -> unseen;
line_or_unknown(_Form, Line) -> {line, Line}.

%% The lines of what may be done in place of a built-in function.
candidates(Place, {bif, Name, Arity}, LastCalls) ->
    candidates(Place, {remote, erlang, Name, Arity}, LastCalls);
candidates({Function, Number}, {remote, Module, Name, Arity} = Callee, LastCalls) ->
    Lines =
        case LastCalls of
            #{joined := #{Number := Line}} -> [Line];
            #{{joined, Function, Callee} := Found} -> Found;
            #{} -> []
        end,
    [L || L <- Lines, is_atom(Module), is_atom(Name), erlang:is_builtin(Module, Name, Arity)].

kinds(What, Done) ->
    [Kind || {Kind, W} <- Done, W =:= What].

%% Arithmetic that names a function, or none.
arithmetic(Kinds, Forms) ->
    Marks = [mark_of(Kind) || Kind <- Kinds],
    Increments = count(increment, Kinds),
    IsLiteral = count(literal, Forms) =:= Increments,
    case {lists:usort(Marks), lists:usort([K || K <- Kinds, K =/= increment])} of
        {[Mark], _} ->
            {certain, [Mark || _ <- Forms]};
        {_, _} when length(Forms) =:= 1 ->
            {certain, [none]};
        {_, [Other]} when IsLiteral ->
            {certain, [literal_or(mark_of(Other), Form) || Form <- Forms]};
        {_, _} when length(Marks) =:= length(Forms) ->
            {uncertain, Marks};
        {_, _} ->
            {uncertain, [unknown(Form) || Form <- Forms]}
    end.

literal_or(_Mark, literal) -> unseen;
literal_or(Mark, _Form) -> Mark.

mark_of(bif) -> none;
mark_of(call) -> none;
mark_of(_Unseen) -> unseen.

count(Element, List) ->
    length([E || E <- List, E =:= Element]).

%% What is not called at all is not seen, either. Calls that are written as the last ones are last
%% ones for the compiler, too.
calls(What, Kinds, Forms, {{Function, _}, Here, _, {_, LastCalls, _}}) ->
    Inner = count(inner, Forms),
    Seen = count(call, Kinds),
    HasLast = lists:member(last, Kinds) orelse is_map_key({Function, What}, LastCalls),
    Funs = [Form || What =/= dynamic, Form <- maps:get(dynamic, Here, [])],
    IsOne = Inner =:= 1 andalso Funs =:= [],
    IsWritten = count(last, Kinds) =< count(last, Forms),
    IsPlain = (IsWritten andalso Seen >= Inner + count(inner, Funs)) orelse IsOne,
    if
        Seen =:= 0 -> {certain, [unseen || _ <- Forms]};
        not HasLast -> {certain, [none || _ <- Forms]};
        IsPlain -> {certain, [written(Form) || Form <- Forms]};
        length(Kinds) =:= length(Forms) -> {uncertain, [mark_of(Kind) || Kind <- Kinds]};
        true -> {uncertain, [none || _ <- Forms]}
    end.

written(last) -> unseen;
written(inner) -> none.

%% Those who raise for a function. If nobody does, it raises itself. One may raise for several.
raised([], _All, Forms) ->
    {certain, [itself || _ <- Forms]};
raised([{_, Name}], All, Forms) ->
    {certain, [raised_by(Name, All) || _ <- Forms]};
raised(_Several, All, Forms) ->
    {uncertain, in_order(lists:uniq([Name || {_, Name} <- All]), All, Forms)}.

in_order([Name | Names], All, [_ | Forms]) -> [raised_by(Name, All) | in_order(Names, All, Forms)];
in_order([], _All, Forms) -> [none || _ <- Forms];
in_order(_Names, _All, []) -> [].

raised_by(Name, All) ->
    case lists:member({call, Name}, All) of
        true -> {by, Name, call};
        false -> {by, Name, last}
    end.

%% The calls that are not written with the name of their function, and whether others are.
unnamed(Done, Written) ->
    Counts = maps:map(fun(_What, Forms) -> length(Forms) end, Written),
    {Unnamed, Left} = lists:foldl(fun unnamed_call/2, {[], Counts}, Done),
    {lists:reverse(Unnamed), Left =/= Counts}.

unnamed_call({_, {bif, _, _}}, Acc) ->
    Acc;
unnamed_call({_, {unmatched, _}}, Acc) ->
    Acc;
unnamed_call({_, {fail, _}}, Acc) ->
    Acc;
%% Of a last call by name no line is told, so it may be written elsewhere.
unnamed_call({last, {local, _, _}}, Acc) ->
    Acc;
unnamed_call({_, Callee} = Call, {Calls, Left}) ->
    What = written_as(Callee),
    case Left of
        #{What := Count} when Count > 0, What =/= dynamic -> {Calls, Left#{What := Count - 1}};
        #{} -> {[Call | Calls], Left}
    end.

%% Built-in functions are not written as calls of others.
written_as({remote, erlang, Name, Arity}) when Name =/= apply -> {bif, Name, Arity};
written_as(Callee) -> Callee.
