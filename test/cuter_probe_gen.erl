%% Programs that look into a term of a type at places of that type, made up from a number.
%%
%% A probe follows the type: into elements, into what a map has for a key, into what a fun returns.
%% On the way it asks what fits the type and what does not, so that many sides of its decisions
%% are such that no input goes there. Probes raise nothing.
-module(cuter_probe_gen).

-export([probe/4]).

%% The module's forms, what choices depend on, and how deep it goes.
-record(gen, {forms, key, depth, variables = #{}}).

%% The text of a function of that name with one argument.
-spec probe(atom(), tuple(), [tuple()], term()) -> iodata().
probe(Name, Type, Forms, Key) ->
    Gen = #gen{forms = Forms, key = Key, depth = 5},
    [atom_to_list(Name), "(X) -> ", look("X", Type, Gen), ".\n"].

at(Step, #gen{key = Key, depth = Depth} = Gen) ->
    Gen#gen{key = erlang:phash2({Step, Key}), depth = Depth - 1}.

choose(Count, Step, #gen{key = Key}) ->
    erlang:phash2({Key, Step}, Count).

pick(List, Step, Gen) ->
    lists:nth(choose(length(List), Step, Gen) + 1, List).

%% An expression of text that looks at the value of a variable, which is of the type.
look(_Var, _Type, #gen{depth = Depth}) when Depth =< 0 ->
    "deep";
look(Var, {ann_type, _, [_, Type]}, Gen) ->
    look(Var, Type, Gen);
look(Var, {var, _, Name}, #gen{variables = Variables} = Gen) ->
    case Variables of
        #{Name := {Type, Outer}} -> look(Var, Type, Gen#gen{variables = Outer});
        #{} -> plain(Var, Gen)
    end;
look(Var, {type, _, union, Types}, Gen) ->
    %% Two members in turn: the second one if the first is not what it is.
    First = look(Var, pick(Types, first, Gen), at(first, Gen)),
    Second = look(Var, pick(Types, second, Gen), at(second, Gen)),
    ["case ", First, " of no -> ", Second, "; Seen", number(Gen), " -> Seen", number(Gen), " end"];
look(Var, {type, _, tuple, [_ | _] = Types}, Gen) ->
    At = choose(length(Types), element, Gen) + 1,
    Part = part(Gen),
    Patterns = [element_pattern(N, At, Part) || N <- lists:seq(1, length(Types))],
    Inner = look(Part, lists:nth(At, Types), at(At, Gen)),
    match(Var, ["{", lists:join(", ", Patterns), "}"], Inner, Gen);
look(Var, {type, _, List, [Type]}, Gen) when List =:= list; List =:= nonempty_list ->
    Part = part(Gen),
    Pattern = pick([["[", Part, " | _]"], ["[_, ", Part, "]"]], cell, Gen),
    match(Var, Pattern, look(Part, Type, at(cell, Gen)), Gen);
look(Var, {type, _, map, [_ | _] = Associations}, Gen) ->
    {type, _, _, [Key, Value]} = pick(Associations, association, Gen),
    Part = part(Gen),
    Pattern = ["#{", key(Key, Gen), " := ", Part, "}"],
    sized(Var, match(Var, Pattern, look(Part, Value, at(value, Gen)), Gen), Gen);
look(Var, {type, _, 'fun', [{type, _, product, Args}, Result]}, Gen) when length(Args) =< 3 ->
    call(Var, length(Args), Result, Gen);
look(Var, {type, _, 'fun', [{type, _, any}, Result]}, Gen) ->
    call(Var, 1, Result, Gen);
look(Var, {type, _, record, [{atom, _, Name} | Overrides]}, Gen) ->
    record(Var, Name, Overrides, Gen);
look(Var, {user_type, _, Name, Args}, #gen{variables = Outer} = Gen) ->
    {Type, Parameters} = definition(Name, Gen),
    Names = [V || {var, _, V} <- Parameters],
    Variables = maps:from_list([{V, {Arg, Outer}} || {V, Arg} <- lists:zip(Names, Args)]),
    look(Var, Type, at(Name, Gen#gen{variables = Variables}));
look(Var, _Type, Gen) ->
    plain(Var, Gen).

definition(Name, #gen{forms = Forms}) ->
    [Definition] = [
        {Type, Parameters}
     || {attribute, _, type, {Found, Type, Parameters}} <- Forms,
        Found =:= Name
    ],
    Definition.

number(#gen{key = Key, depth = Depth}) ->
    [integer_to_list(erlang:phash2(Key)), "_", integer_to_list(Depth)].

part(Gen) ->
    ["V", number(Gen)].

element_pattern(At, At, Part) -> Part;
element_pattern(_, _, _) -> "_".

match(Var, Pattern, Inner, _Gen) ->
    ["case ", Var, " of ", Pattern, " -> ", Inner, "; _ -> no end"].

%% Sometimes the size of a map, or a key that it can hardly have, is asked for before.
sized(Var, Rest, Gen) ->
    Size = integer_to_list(choose(4, size, Gen)),
    Odd = pick(["a", "1", "[]", "zzz", "{true, 7}", "3", "<<1>>"], odd, Gen),
    Questions = [
        none,
        ["map_size(", Var, ") =:= ", Size],
        ["map_size(", Var, ") > ", Size],
        ["is_map_key(", Odd, ", ", Var, ")"]
    ],
    case pick(Questions, question, Gen) of
        none -> Rest;
        Question -> ["if ", Question, " -> ", Rest, "; true -> other end"]
    end.

%% A key of the type, as text.
key({type, _, range, [Low, High]}, Gen) ->
    {From, To} = {constant(Low), constant(High)},
    integer_to_list(From + choose(To - From + 1, key, Gen));
key({type, _, tuple, [_, _]}, Gen) ->
    pick(["{true, 7}", "{false, 0}", "{true}"], key, Gen);
key({type, _, Name, []}, Gen) ->
    pick(keys(Name), key, Gen);
key({atom, _, Atom}, _Gen) ->
    io_lib:format("~tw", [Atom]);
key({integer, _, Integer}, _Gen) ->
    integer_to_list(Integer);
key(_Type, Gen) ->
    pick(["a", "0", "<<>>", "[]", "\"a\""], key, Gen).

keys(nil) -> ["[]"];
keys(atom) -> ["zz", "ok", "true"];
keys(binary) -> ["<<>>", "<<\"k\">>"];
keys(string) -> ["[]", "\"k\""];
keys(_) -> ["0", "1", "17"].

constant(Form) ->
    {value, Value, _} = erl_eval:expr(Form, []),
    Value.

%% The fun is called twice, and what it returns is looked at each time.
call(Var, Arity, Result, Gen) ->
    Part = part(Gen),
    Args = fun(Arg) -> ["(", lists:join(", ", lists:duplicate(Arity, Arg)), ")"] end,
    First = look(Part, Result, at(result, Gen)),
    Second = look([Part, "b"], Result, at(second, Gen)),
    [
        ["if is_function(", Var, ", ", integer_to_list(Arity), ") -> "],
        [Part, " = ", Var, Args("a"), ", ", Part, "b = ", Var, Args("7"), ", "],
        ["{", First, ", ", Second, "}; true -> no end"]
    ].

record(Var, Name, Overrides, #gen{forms = Forms} = Gen) ->
    [Fields] = [Fields || {attribute, _, record, {Found, Fields}} <- Forms, Found =:= Name],
    Given = [{F, Type} || {type, _, field_type, [{atom, _, F}, Type]} <- Overrides],
    Typed = [{F, T} || {typed_record_field, {record_field, _, {atom, _, F}}, T} <- Fields],
    {Field, Declared} = pick(Typed, field, Gen),
    Part = part(Gen),
    Inner = look(Part, proplists:get_value(Field, Given, Declared), at(Field, Gen)),
    match(Var, ["#", atom_to_list(Name), "{", atom_to_list(Field), " = ", Part, "}"], Inner, Gen).

%% What can be asked of any term.
plain(Var, Gen) ->
    Guards = [
        ["is_integer(", Var, "), ", Var, " > 3"],
        ["is_integer(", Var, "), ", Var, " < -2"],
        [Var, " =:= ok"],
        [Var, " =:= 5"],
        ["is_atom(", Var, "), ", Var, " =/= true"],
        ["is_float(", Var, ")"],
        ["is_binary(", Var, "), byte_size(", Var, ") > 1"],
        ["is_list(", Var, "), ", Var, " =/= []"],
        ["is_tuple(", Var, ")"],
        ["is_map(", Var, ")"],
        ["is_function(", Var, ")"]
    ],
    [A, B] = [pick(Guards, Step, Gen) || Step <- [first, second]],
    ["if ", A, " -> one; ", B, " -> two; true -> no end"].
