%% Terms of a type in abstract form, made up from a key; the same key always gives the same term.
-module(cuter_value_gen).

-export([value/4, changed/2]).

-define(DEEPEST, 12).

%% How a value comes about: the forms of the module, the variables around the type, and how many
%% levels are left before the first member of each union is taken.
-record(gen, {forms, variables = #{}, key, fuel}).

%% A term of the type, if the fuel is enough for one; otherwise some term.
-spec value(tuple(), [tuple()], term(), non_neg_integer()) -> term().
value(Type, Forms, Key, Fuel) ->
    make(Type, #gen{forms = Forms, key = Key, fuel = Fuel}).

choose(Count, Step, #gen{key = Key}) ->
    erlang:phash2({Key, Step}, Count).

pick(List, Gen) ->
    lists:nth(choose(length(List), pick, Gen) + 1, List).

at(Step, #gen{key = Key, fuel = Fuel} = Gen) ->
    Gen#gen{key = {Step, erlang:phash2(Key)}, fuel = Fuel - 1}.

make(_Type, #gen{fuel = Fuel}) when Fuel < -?DEEPEST ->
    too_deep;
make({ann_type, _, [_, Type]}, Gen) ->
    make(Type, Gen);
make({var, _, Name}, #gen{variables = Variables} = Gen) ->
    case Variables of
        #{Name := {Type, Outer}} -> make(Type, Gen#gen{variables = Outer});
        #{} -> anything(Gen)
    end;
make({atom, _, Atom}, _Gen) ->
    Atom;
make({type, _, union, [First | _] = Types}, #gen{fuel = Fuel} = Gen) ->
    case Fuel > 0 of
        true -> make(pick(Types, Gen), at(member, Gen));
        false -> make(First, at(member, Gen))
    end;
make({type, _, range, [Low, High]}, Gen) ->
    {From, To} = {constant(Low), constant(High)},
    From + choose(To - From + 1, range, Gen);
make({type, _, tuple, any}, Gen) ->
    pick([{}, {a}, {1, [2]}], Gen);
make({type, _, tuple, Types}, Gen) ->
    list_to_tuple(makes(Types, Gen));
make({type, _, map, any}, Gen) ->
    pick([#{}, #{a => 1}, #{[] => {}, 1.0 => b}], Gen);
make({type, _, map, Associations}, Gen) ->
    %% The first association of a key has the last word.
    Numbered = numbered(lists:reverse(Associations)),
    maps:from_list(lists:append([pair(A, N, Gen) || {N, A} <- Numbered]));
make({type, _, binary, [Size, Unit]}, Gen) ->
    bits(constant(Size) + constant(Unit) * choose(4, bits, Gen), Gen);
make({type, _, 'fun', [{type, _, product, Args}, _]}, _Gen) ->
    function(length(Args));
make({type, _, 'fun', _}, Gen) ->
    function(choose(3, arity, Gen));
make({type, _, record, [{atom, _, Name} | Overrides]}, Gen) ->
    record(Name, Overrides, Gen);
make({type, _, list, [Type]}, Gen) ->
    elements(Type, [], 0, Gen);
make({type, _, nonempty_list, [Type]}, Gen) ->
    elements(Type, [], 1, Gen);
make({type, _, nonempty_improper_list, [Type, End]}, Gen) ->
    elements(Type, make(End, at('end', Gen)), 1, Gen);
make({type, _, Name, [Type, End]}, Gen) when
    Name =:= maybe_improper_list; Name =:= nonempty_maybe_improper_list
->
    case choose(2, proper, Gen) of
        0 -> elements(Type, [], 1, Gen);
        1 -> elements(Type, make(End, at('end', Gen)), 1, Gen)
    end;
make({type, _, Name, []}, Gen) ->
    pick(simple(Name), Gen);
make({user_type, _, Name, Args}, #gen{forms = Forms} = Gen) ->
    named(Name, Args, Forms, Gen);
make({remote_type, _, [_, {atom, _, orddict}, [Key, Value]]}, Gen) ->
    elements({type, 1, tuple, [Key, Value]}, [], 0, Gen);
make({remote_type, _, [_, {atom, _, Name}, []]}, Gen) ->
    pick(remote(Name), Gen);
make(Constant, _Gen) ->
    constant(Constant).

constant(Form) ->
    {value, Value, _} = erl_eval:expr(Form, []),
    Value.

makes(Types, Gen) ->
    [make(Type, at(N, Gen)) || {N, Type} <- numbered(Types)].

numbered(List) ->
    lists:zip(lists:seq(1, length(List)), List).

named(Name, Args, Forms, #gen{variables = Outer} = Gen) ->
    [{Type, Parameters}] = [
        {Type, Parameters}
     || {attribute, _, type, {Found, Type, Parameters}} <- Forms,
        Found =:= Name
    ],
    Names = [V || {var, _, V} <- Parameters],
    Variables = maps:from_list([{V, {Arg, Outer}} || {V, Arg} <- lists:zip(Names, Args)]),
    make(Type, at(Name, Gen#gen{variables = Variables})).

record(Name, Overrides, #gen{forms = Forms} = Gen) ->
    [Fields] = [Fields || {attribute, _, record, {Found, Fields}} <- Forms, Found =:= Name],
    Given = [{Field, Type} || {type, _, field_type, [{atom, _, Field}, Type]} <- Overrides],
    Values = [
        field(Field, proplists:get_value(Field, Given, Type), at(Field, Gen))
     || {Field, Type} <- [declared(Field) || Field <- Fields]
    ],
    list_to_tuple([Name | Values]).

declared({typed_record_field, {record_field, _, {atom, _, Name}}, Type}) -> {Name, Type};
declared({record_field, _, {atom, _, Name}}) -> {Name, untyped}.

field(_Field, untyped, Gen) -> anything(Gen);
field(_Field, Type, Gen) -> make(Type, Gen).

pair({type, _, map_field_assoc, _} = Association, N, Gen) ->
    case choose(2, {pair, N}, Gen) of
        0 -> [];
        1 -> some_pair(Association, N, Gen)
    end;
pair(Association, N, Gen) ->
    some_pair(Association, N, Gen).

some_pair({type, _, _, [Key, Value]}, N, Gen) ->
    [{make(Key, at({key, N}, Gen)), make(Value, at({value, N}, Gen))}].

elements(Type, End, Least, #gen{fuel = Fuel} = Gen) ->
    Count = Least + choose(max(1, min(3, Fuel)), count, Gen),
    lists:foldr(fun(N, Tail) -> [make(Type, at(N, Gen)) | Tail] end, End, lists:seq(1, Count)).

bits(Size, Gen) ->
    <<(choose(1 bsl 20, content, Gen)):Size>>.

function(0) -> fun() -> ok end;
function(1) -> fun(_) -> ok end;
function(2) -> fun(_, _) -> ok end;
function(_) -> fun(_, _, _) -> ok end.

anything(Gen) ->
    pick([a, 1, -1, 2.5, [], [a | b], {a, 1}, #{a => 1}, <<1:3>>, "text"], Gen).

remote(chardata) -> ["text", <<"text"/utf8>>, [[$ü], "x" | <<"y">>]];
remote(proplist) -> [[], [a, {b, 1}], [anything, 5, {c, 2, 3}]].

simple(integer) -> [0, -1, 1 bsl 80];
simple(non_neg_integer) -> [0, 1, 1 bsl 80];
simple(pos_integer) -> [1, 17];
simple(neg_integer) -> [-1, -(1 bsl 80)];
simple(byte) -> [0, 255];
simple(char) -> [0, $x, 16#10FFFF];
simple(arity) -> [0, 255];
simple(float) -> [0.0, -1.5];
simple(number) -> [0, 1.5];
simple(boolean) -> [true, false];
simple(Name) when Name =:= atom; Name =:= module; Name =:= node -> [a, 'an atom', true];
simple(nil) -> [[]];
simple(binary) -> [<<>>, <<1, 2>>];
simple(bitstring) -> [<<>>, <<1:3>>, <<1>>];
simple(nonempty_binary) -> [<<1>>];
simple(nonempty_bitstring) -> [<<1:1>>];
simple(string) -> ["", "text"];
simple(nonempty_string) -> ["x", [16#10FFFF]];
simple(iolist) -> [[], [1, <<2>>, [[3] | <<4>>]], [[] | <<>>]];
simple(iodata) -> [<<>>, [1 | <<2>>], []];
simple(list) -> [[], [a, 1]];
simple(nonempty_list) -> [[a], [[]]];
simple(maybe_improper_list) -> [[], [a | b], [1]];
simple(pid) -> [self()];
simple(reference) -> [make_ref()];
simple(port) -> [hd(erlang:ports())];
simple(identifier) -> [self(), make_ref()];
simple(timeout) -> [infinity, 0, 5];
simple(mfa) -> [{m, f, 0}, {a, b, 255}];
simple(function) -> [function(0), function(2)];
simple(_Any) -> [a, 1, {x}, [1 | 2]].

%% The term with one of its parts put in another's place, or changed a little.
-spec changed(term(), term()) -> term().
changed(Term, Key) ->
    case erlang:phash2({Key, where}, 3) of
        0 -> other(Term, Key);
        _ -> inside(Term, {Key, inside})
    end.

inside([Head | Tail], Key) ->
    case erlang:phash2(Key, 3) of
        0 -> [changed(Head, {Key, head}) | Tail];
        1 -> [Head | changed(Tail, {Key, tail})];
        2 -> Tail
    end;
inside(Tuple, Key) when is_tuple(Tuple), tuple_size(Tuple) > 0 ->
    Index = 1 + erlang:phash2(Key, tuple_size(Tuple)),
    setelement(Index, Tuple, changed(element(Index, Tuple), {Key, element}));
inside(Map, Key) when is_map(Map), map_size(Map) > 0 ->
    Pairs = lists:sort(maps:to_list(Map)),
    {K, V} = lists:nth(1 + erlang:phash2(Key, length(Pairs)), Pairs),
    case erlang:phash2({Key, how}, 3) of
        0 -> maps:remove(K, Map);
        1 -> Map#{K := changed(V, {Key, value})};
        2 -> (maps:remove(K, Map))#{changed(K, {Key, key}) => V}
    end;
inside(Term, Key) ->
    other(Term, Key).

other(Term, Key) when is_integer(Term), Term < 1 bsl 1000, Term > -(1 bsl 1000) ->
    lists:nth(1 + erlang:phash2(Key, 4), [Term + 1, Term - 1, -Term, Term * 1.0e-3]);
other(Term, Key) when is_bitstring(Term) ->
    lists:nth(1 + erlang:phash2(Key, 2), [<<Term/bitstring, 0:1>>, <<Term/bitstring, 0>>]);
other(_Term, Key) ->
    Others = [0, -1, 300, 1.5, a, b, undefined, [], [a], [1 | 2], {}, {a, 1}, #{}, #{b => 1}, <<>>],
    lists:nth(1 + erlang:phash2(Key, length(Others)), Others).
