%% Random inputs of a signature's types, made up from a key: the same key gives the same inputs.
%%
%% Where a constant of the code is of the type it is taken now and then, and so are its neighbours:
%% code compares with what is written in it. A part of a term is made to be like another one more
%% often than chance would have it.
-module(cuter_term_gen).

-export([constants/1, inputs/4, changed/5]).

-type signature() :: cuter_spec:signature().
-type input() :: [term()].

-record(gen, {types, pool, heights}).

-define(MOST, 12).

%% What is written in the code, as terms.
-spec constants([erl_parse:abstract_form()]) -> [term()].
constants(Forms) ->
    Found = lists:usort(literals([Form || {function, _, _, _, _} = Form <- Forms])),
    Near = [N + D || N <- Found, is_integer(N), D <- [-1, 1]],
    Other = [Other || [_ | _] = Text <- Found, Other <- [unicode:characters_to_binary(Text)]],
    lists:usort(Found ++ Near ++ Other).

literals({atom, _, Atom}) -> [Atom];
literals({integer, _, Integer}) -> [Integer];
literals({char, _, Char}) -> [Char];
literals({float, _, Float}) -> [Float];
literals({string, _, Text}) -> [Text];
literals(Node) when is_tuple(Node) -> literals(tuple_to_list(Node));
literals([Node | Nodes]) -> literals(Node) ++ literals(Nodes);
literals(_Leaf) -> [].

-spec inputs(signature(), [term()], non_neg_integer(), term()) -> [input()].
inputs(#{clauses := Clauses} = Signature, Constants, Count, Key) ->
    seeded(Key, fun() ->
        Gen = gen(Signature, Constants),
        [input(pick(Clauses), Gen, rand:uniform(?MOST)) || _ <- lists:seq(1, Count)]
    end).

%% The inputs, each with something in it put in the place of something else.
-spec changed([input()], signature(), [term()], non_neg_integer(), term()) -> [input()].
changed([], _Signature, _Constants, _Count, _Key) ->
    [];
changed(Inputs, #{clauses := Clauses} = Signature, Constants, Count, Key) ->
    seeded(Key, fun() ->
        Gen = gen(Signature, Constants),
        [change(pick(Inputs), pick(Clauses), Gen) || _ <- lists:seq(1, Count)]
    end).

%% The state of the process is left as it was.
seeded(Key, Work) ->
    Before = rand:export_seed(),
    _ = rand:seed(exsss, erlang:phash2(Key)),
    try
        Work()
    after
        Before =/= undefined andalso rand:seed(Before)
    end.

gen(#{types := Types}, Constants) ->
    #gen{types = Types, pool = list_to_tuple(Constants), heights = heights(Types)}.

input({Args, _Result}, Gen, Size) ->
    [term(Arg, Gen, Size) || Arg <- Args].

pick(List) when is_list(List) -> lists:nth(rand:uniform(length(List)), List);
pick(Tuple) -> element(rand:uniform(tuple_size(Tuple)), Tuple).

one_in(N) -> rand:uniform(N) =:= 1.

%%% How high the lowest terms of types are

heights(Types) ->
    Refs = lists:seq(0, tuple_size(Types) - 1),
    heights(Refs, Types, maps:from_keys(Refs, infinity)).

heights(Refs, Types, Known) ->
    case maps:from_list([{Ref, height(element(Ref + 1, Types), Known)} || Ref <- Refs]) of
        Known -> Known;
        More -> heights(Refs, Types, More)
    end.

height({union, Refs}, Known) -> lists:min([map_get(Ref, Known) || Ref <- Refs]);
height({cons, Head, Tail}, Known) -> above([Head, Tail], Known);
height({tuple, Refs}, Known) -> above(Refs, Known);
height({map, As}, Known) -> above(lists:append([[K, V] || {mandatory, K, V} <- As]), Known);
height({'fun', _, Result}, Known) -> above([Result], Known);
height(none, _Known) -> infinity;
height(_Leaf, _Known) -> 0.

above(Refs, Known) ->
    case lists:max([0 | [map_get(Ref, Known) || Ref <- Refs]]) of
        infinity -> infinity;
        Height -> Height + 1
    end.

%%% Terms

term(Ref, #gen{pool = Pool, types = Types} = Gen, Size) ->
    case tuple_size(Pool) > 0 andalso one_in(4) of
        true ->
            Constant = pick(Pool),
            case cuter_type_check:is_member(Constant, Ref, Types) of
                true -> Constant;
                false -> made(element(Ref + 1, Types), Gen, Size)
            end;
        false ->
            made(element(Ref + 1, Types), Gen, Size)
    end.

made({union, Refs}, #gen{heights = Heights} = Gen, Size) ->
    Ordered = lists:sort([{map_get(Ref, Heights), Ref} || Ref <- Refs]),
    {Least, _} = hd(Ordered),
    Low = [Ref || {Height, Ref} <- Ordered, Height =:= Least orelse Size > 0, Height =/= infinity],
    term(pick(Low), Gen, Size - 1);
made({integer, Low, High}, _Gen, _Size) ->
    integer(Low, High);
made(float, _Gen, _Size) ->
    pick([0.0, 1.0, -1.0, 0.5, 2.0, 1.0e10, -2.5, 1.0e300, rand:uniform() * 100, -0.0, 3.0e-5]);
made(atom, _Gen, _Size) ->
    pick([a, b, true, false, ok, error, undefined, '', 'A b']);
made({atom, Atom}, _Gen, _Size) ->
    Atom;
made(nil, _Gen, _Size) ->
    [];
made({cons, Head, Tail}, Gen, Size) ->
    Rest = term(Tail, Gen, Size - 1),
    case Rest of
        [First | _] -> [like(First, Head, Gen, Size) | Rest];
        _ -> [term(Head, Gen, Size div 2) | Rest]
    end;
made(tuple, Gen, Size) ->
    list_to_tuple([anything(Gen, Size div 3) || _ <- lists:seq(1, rand:uniform(4) - 1)]);
made({tuple, Refs}, Gen, Size) ->
    Each = min(Size - 1, Size * 2 div (length(Refs) + 1)),
    list_to_tuple([term(Ref, Gen, Each) || Ref <- Refs]);
made({bits, Least, Unit}, _Gen, Size) ->
    Units = pick([0, 1, 2, rand:uniform(max(Size, 1)), rand:uniform(20)]),
    bits(Least + Unit * Units);
made({map, Associations}, Gen, Size) ->
    maps:from_list(lists:append([pairs(A, Gen, Size) || A <- lists:reverse(Associations)]));
made({'fun', any, Result}, Gen, _Size) ->
    a_fun(rand:uniform(3) - 1, Result, Gen);
made({'fun', Args, Result}, Gen, _Size) ->
    a_fun(length(Args), Result, Gen);
made(pid, _Gen, _Size) ->
    self();
made(port, _Gen, _Size) ->
    hd(erlang:ports());
made(reference, _Gen, _Size) ->
    make_ref();
made(any, Gen, Size) ->
    anything(Gen, Size).

%% Something of the type, and often the given term if it is.
like(Term, Ref, #gen{types = Types} = Gen, Size) ->
    case one_in(3) andalso cuter_type_check:is_member(Term, Ref, Types) of
        true -> Term;
        false -> term(Ref, Gen, Size div 2)
    end.

%% Any integer is below `pos_inf`, since that is an atom.
integer(Low, High) ->
    Near = [B + D || B <- [Low, High], is_integer(B), D <- [0, 1, -1]],
    Wide = [rand:uniform(300) - 100, rand:uniform(1 bsl 33) - (1 bsl 32), 1 bsl 70, -(1 bsl 65)],
    Odd = [1 bsl 1100, (1 bsl 53) + rand:uniform(9), rand:uniform(1 bsl 62)],
    Small = [0, 1, 2, 3, -1, -2, 5, 7, 10, 32, $a, $0, 127, 128, 255, 256],
    Between = [Low + rand:uniform(High - Low + 1) - 1 || is_integer(Low), is_integer(High)],
    Candidates = [pick(Small), pick(Small), pick(Wide), pick(Odd) | Near ++ Between],
    case [N || N <- Candidates, (Low =:= neg_inf orelse N >= Low), N =< High] of
        [] -> hd([B || B <- [Low, High], is_integer(B)]);
        Fitting -> pick(Fitting)
    end.

bits(Count) ->
    Byte = fun() -> pick([0, 1, 255, $a, 10, rand:uniform(256) - 1]) end,
    Bytes = list_to_binary([Byte() || _ <- lists:seq(0, Count div 8)]),
    <<Bits:Count/bits, _/bits>> = Bytes,
    Bits.

pairs({mandatory, Key, Value}, Gen, Size) ->
    [{term(Key, Gen, Size div 2), term(Value, Gen, Size div 2)}];
pairs({optional, Key, Value}, #gen{heights = Heights} = Gen, Size) ->
    case map_get(Key, Heights) =/= infinity andalso map_get(Value, Heights) =/= infinity of
        true ->
            [
                {term(Key, Gen, Size div 2), term(Value, Gen, Size div 2)}
             || Size > 0, _ <- lists:seq(1, pick([0, 1, 1, 2, 3]))
            ];
        false ->
            []
    end.

%% What a fun returns depends on its arguments, as it should.
a_fun(Arity, Result, #gen{heights = Heights} = Gen) ->
    Key = rand:uniform(1 bsl 30),
    Call = fun(Args) ->
        case map_get(Result, Heights) of
            infinity -> throw(no_return);
            _ -> seeded({Key, Args}, fun() -> term(Result, Gen, 4) end)
        end
    end,
    case Arity of
        0 -> fun() -> Call([]) end;
        1 -> fun(A) -> Call([A]) end;
        2 -> fun(A, B) -> Call([A, B]) end;
        3 -> fun(A, B, C) -> Call([A, B, C]) end;
        4 -> fun(A, B, C, D) -> Call([A, B, C, D]) end;
        _ -> fun(A, B, C, D, E) -> Call([A, B, C, D, E]) end
    end.

anything(Gen, Size) when Size =< 0 ->
    made(pick([{integer, neg_inf, pos_inf}, atom, nil, float, {bits, 0, 8}]), Gen, 0);
anything(#gen{pool = Pool} = Gen, Size) ->
    case rand:uniform(9) of
        1 when tuple_size(Pool) > 0 -> pick(Pool);
        2 -> made(tuple, Gen, Size);
        3 -> [anything(Gen, Size div 3) || _ <- lists:seq(1, rand:uniform(5) - 1)];
        4 -> [anything(Gen, Size div 3) | anything(Gen, Size div 3)];
        5 -> #{anything(Gen, Size div 3) => anything(Gen, Size div 3)};
        6 -> made({bits, 0, 1}, Gen, Size);
        _ -> anything(Gen, 0)
    end.

%%% Changes

%% One argument made anew, or a part of it changed; what does not fit the spec any more is for the
%% caller to leave out.
change(Input, {Args, _}, Gen) ->
    At = rand:uniform(max(1, length(Input))),
    [
        case N of
            At -> changed_at(Arg, Ref, Gen);
            _ -> Arg
        end
     || {N, Arg, Ref} <- lists:zip3(lists:seq(1, length(Input)), Input, Args)
    ].

changed_at(Arg, Ref, Gen) ->
    case one_in(3) of
        true -> term(Ref, Gen, rand:uniform(?MOST));
        false -> part_changed(Arg, Gen)
    end.

part_changed([Head | Tail], Gen) ->
    case rand:uniform(6) of
        1 -> Tail;
        2 -> [Head, Head | Tail];
        3 -> [part_changed(Head, Gen) | Tail];
        4 -> [part_changed(Head, Gen), Head | Tail];
        _ -> [Head | part_changed(Tail, Gen)]
    end;
part_changed(Tuple, Gen) when is_tuple(Tuple), tuple_size(Tuple) > 0 ->
    At = rand:uniform(tuple_size(Tuple)),
    setelement(At, Tuple, part_changed(element(At, Tuple), Gen));
part_changed(Map, Gen) when map_size(Map) > 0 ->
    Key = pick(maps:keys(Map)),
    case rand:uniform(3) of
        1 -> maps:remove(Key, Map);
        _ -> Map#{Key := part_changed(map_get(Key, Map), Gen)}
    end;
part_changed(Integer, _Gen) when is_integer(Integer) ->
    pick([Integer + 1, Integer - 1, -Integer, 2 * Integer, integer(neg_inf, pos_inf)]);
part_changed(Bits, _Gen) when is_bitstring(Bits) ->
    bits(max(0, bit_size(Bits) + pick([-8, 0, 0, 8, 16])));
part_changed(_Other, Gen) ->
    anything(Gen, rand:uniform(4)).
