%% Arguments for the functions of modules that nobody here wrote.
%%
%% They come from the spec, from the patterns in the heads of the clauses, from what is written in
%% the code, from values that most programs know, and from what other functions of the module
%% returned: constructors come first, so opaque values are met too.
-module(cuter_hunt_inputs).

-export([material/1, draws/5]).

-export_type([material/0]).

-type material() :: #{
    constants := [term()],
    records := #{atom() => [term()]},
    heads := #{{atom(), arity()} => [[tuple()]]}
}.

-define(MAKING, #{time => 5000, heap_words => 16 * 1024 * 1024}).

%% What the code of a module has to offer.
-spec material([erl_parse:abstract_form()]) -> material().
material(Forms) ->
    #{
        constants => cuter_term_gen:constants(Forms),
        records => maps:from_list([record(R) || {attribute, _, record, R} <- Forms]),
        heads => maps:from_list([heads(Form) || {function, _, _, _, _} = Form <- Forms])
    }.

heads({function, _, Name, Arity, Clauses}) ->
    {{Name, Arity}, [Patterns || {clause, _, Patterns, _, _} <- Clauses]}.

record({Name, Fields}) ->
    {Name, [default(untyped(Field)) || Field <- Fields]}.

untyped({typed_record_field, Field, _Type}) -> Field;
untyped(Field) -> Field.

default({record_field, _, _Name}) ->
    undefined;
default({record_field, _, _Name, Default}) ->
    try
        erl_parse:normalise(Default)
    catch
        error:_ -> undefined
    end.

%% So many lists of arguments at most, the same for the same key.
-spec draws(mfa(), material(), Returned :: [term()], pos_integer(), term()) -> [[term()]].
draws({_, _, 0}, _Material, _Returned, _Count, _Key) ->
    [[]];
draws({Module, Function, Arity} = Mfa, Material, Returned, Count, Key) ->
    #{constants := Constants, heads := Heads} = Material,
    Specified = specified(Mfa, Constants, Count div 2, Key),
    _ = rand:seed(exsss, erlang:phash2({Module, Function, Key})),
    Pool = list_to_tuple(Constants ++ Returned ++ Returned ++ common()),
    Clauses = maps:get({Function, Arity}, Heads, []),
    Others = [
        drawn(Clauses, Arity, Pool, Material)
     || _ <- lists:seq(1, Count - length(Specified))
    ],
    lists:usort(Specified ++ Others).

%% None of a type without terms, of which the making has no end.
specified({Module, Function, Arity} = Mfa, Constants, Count, Key) ->
    Make = fun() ->
        case cuter_spec:signature(Module, Function, Arity) of
            {ok, Signature} -> cuter_term_gen:inputs(Signature, Constants, Count, {Mfa, Key});
            _ -> []
        end
    end,
    case cuter_sandbox:run(Make, ?MAKING) of
        {done, Inputs} -> Inputs;
        _ -> []
    end.

drawn(Clauses, Arity, Pool, Material) ->
    case Clauses =/= [] andalso rand:uniform(4) > 1 of
        true -> [instance(Pattern, Pool, Material) || Pattern <- pick(Clauses)];
        false -> [pick(Pool) || _ <- lists:seq(1, Arity)]
    end.

pick(List) when is_list(List) -> lists:nth(rand:uniform(length(List)), List);
pick(Tuple) -> element(rand:uniform(tuple_size(Tuple)), Tuple).

%% A term that the pattern matches, in most cases.
instance({Leaf, _, Value}, _Pool, _Material) when
    Leaf =:= atom; Leaf =:= integer; Leaf =:= char; Leaf =:= float; Leaf =:= string
->
    Value;
instance({nil, _}, _Pool, _Material) ->
    [];
instance({cons, _, Head, Tail}, Pool, Material) ->
    [instance(Head, Pool, Material) | tail(Tail, Pool, Material)];
instance({tuple, _, Parts}, Pool, Material) ->
    list_to_tuple([instance(Part, Pool, Material) || Part <- Parts]);
instance({match, _, {var, _, _}, Pattern}, Pool, Material) ->
    instance(Pattern, Pool, Material);
instance({match, _, Pattern, _}, Pool, Material) ->
    instance(Pattern, Pool, Material);
instance({map, _, Fields}, Pool, Material) ->
    maps:from_list([
        {instance(Key, Pool, Material), instance(Value, Pool, Material)}
     || {map_field_exact, _, Key, Value} <- Fields
    ]);
instance({record, _, Name, _}, Pool, #{records := Records}) ->
    Fields = maps:get(Name, Records, []),
    list_to_tuple([Name | [field(Field, Pool) || Field <- Fields]]);
instance({op, _, '++', {string, _, Text}, _}, _Pool, _Material) ->
    Text ++ pick(["", "x", "1.2", " a=b\r\n"]);
instance({bin, _, Segments}, _Pool, _Material) ->
    iolist_to_binary([segment(Segment) || Segment <- Segments]);
instance(_Other, Pool, _Material) ->
    pick(Pool).

tail({var, _, _}, _Pool, _Material) -> pick([[], [], [a], "bc", [1, 2]]);
tail(Pattern, Pool, Material) -> instance(Pattern, Pool, Material).

field(Default, Pool) ->
    case rand:uniform(2) of
        1 -> Default;
        2 -> pick(Pool)
    end.

segment({bin_element, _, {string, _, Text}, _, _}) -> unicode:characters_to_binary(Text);
segment({bin_element, _, {integer, _, N}, default, _}) -> <<N>>;
segment({bin_element, _, {char, _, N}, default, _}) -> <<N>>;
segment({bin_element, _, _, default, default}) -> <<(rand:uniform(256) - 1)>>;
segment(_Other) -> pick([<<>>, <<0, 0, 0, 4>>, <<"abcd">>, <<"x=1&y=2\r\n">>, <<255, 1, 2>>]).

common() ->
    [
        0, 1, 2, 3, 5, 7, 10, 42, 100, 255, 256, 1000, 65536, -1, -7, 1 bsl 64, 0.0, 1.0, -2.5,
        1.0e10,
        a, b, ok, error, true, false, undefined, nil, infinity, utf8, lists, 'A b', '',
        [], [1], [1, 2, 3], [3, 1, 2, 1], [a, b], [a | b], [{a, 1}, {b, 2}], [{"k", "v"}], [[]],
        [[1], [2, 3]], ["ab", "c"], [<<"x">>, <<"y">>], [{<<"k">>, <<"v">>}], [a, {b, c}],
        "", "a", "abc", "hello world", "42", "-1.5", "/a/b.c", "http://a.b/c?d=e", "a,b;c=d",
        "{a, \"b\", [1]}.", [8364, 228], "Mon, 01 Jan 2024 10:00:00 GMT", "1.2.3.4", "::1",
        <<>>, <<"a">>, <<"abc">>, <<"hello world">>, <<"42">>, <<"{\"a\": [1, 2.5, null, \"x\"]}">>,
        <<"text/html; q=0.5, a/b">>, <<"<a b='c'>d<e/></a>">>, <<"user@example.com/home">>, <<0>>,
        <<255, 254>>, <<1:3>>, <<195, 164>>, <<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11>>,
        {}, {a}, {a, b}, {1, 2}, {1, 2, 3}, {ok, 1}, {error, x}, {127, 0, 0, 1}, {2024, 2, 29},
        {{2024, 2, 29}, {12, 30, 15}}, {0, 0, 0, 0, 0, 0, 0, 1}, {a, 1, []},
        #{}, #{a => 1}, #{a => 1, b => #{c => []}}, #{<<"k">> => <<"v">>}, #{1 => a, 2.0 => b},
        fun erlang:is_atom/1, fun erlang:'+'/2, fun erlang:self/0, fun(X) -> X end,
        fun(X, Y) -> {X, Y} end, fun(X, Y, Z) -> [X, Y | Z] end, fun(X) -> [X] end
    ].
