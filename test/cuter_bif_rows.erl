%% Calls of the engine's built-in functions of `erlang`, `lists`, `math` and `erts_debug`, with odd
%% arguments among them. `cuter_bif_tests` makes each in the engine and natively.
%%
%% A row is `{Module, Function, Args}`; or `{Module, Function, Args, View}` if only a part of the
%% outcome can be the same: `View` is the function of `cuter_bif_calls` that gives that part.
-module(cuter_bif_rows).

-export([rows/0]).

-type row() ::
    {module(), atom(), [term()]} | {module(), atom(), [term()], View :: atom()}.

-spec rows() -> [row()].
rows() ->
    lists:flatten([
        operators(),
        no_ends(),
        rounding(),
        shifts(),
        mathematics(),
        integer_texts(),
        float_texts(),
        atoms(),
        comparisons(),
        types(),
        tuples(),
        lists_of_all_kinds(),
        exceptions(),
        funs(),
        hashes(),
        process_calls(),
        changes_of_code(),
        clocks(),
        debugging()
    ]).

e(Function, ArgLists) ->
    rows(erlang, Function, ArgLists).

rows(Module, Function, ArgLists) ->
    [{Module, Function, Args} || Args <- ArgLists].

each(Function, Values) ->
    e(Function, [[Value] || Value <- Values]).

pairs(As, Bs) ->
    [[A, B] || A <- As, B <- Bs].

%%% Numbers

integers() ->
    Powers = [1 bsl N || N <- [27, 31, 53, 59, 60, 61, 63, 64, 128, 1023, 1024]],
    Near = [P + D || P <- Powers, D <- [-1, 0, 1]],
    [0, 1, 2, 3, 7, 10, 255, 256] ++ Near ++ [-N || N <- [1, 2, 3, 7, 10] ++ Near].

floats() ->
    [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        -1.5,
        2.5,
        0.1,
        1.0e-320,
        1.0e15,
        9007199254740991.5,
        9007199254740993.0,
        4503599627370497.5,
        0.49999999999999994,
        -0.49999999999999994,
        1.0e16,
        1.0e22,
        1.0e300,
        -1.0e300,
        1.7976931348623157e308
    ].

odd() ->
    [a, [], {}, <<>>, <<1:3>>, #{}, "1", [1 | 2], {1, 2}].

numbers() ->
    integers() ++ floats().

%% For functions of two numbers.
few_numbers() ->
    Powers = [1 bsl N || N <- [53, 59, 60, 64, 1023, 1024]],
    Near = lists:append([[P, P + 1, 1 - P] || P <- Powers]),
    [0, 1, -1, 2, -7, 10] ++ Near ++ [0.0, -0.0, 1.0, -1.5, 1.0e-320, 9007199254740993.0, 1.0e300].

%% Doubles of all magnitudes, the same in every run.
random_floats(Count) ->
    random_floats(Count, rand:seed_s(exsss, 17)).

random_floats(0, _State) ->
    [];
random_floats(Count, State) ->
    {Bits, Next} = rand:uniform_s(1 bsl 64, State),
    case <<(Bits - 1):64>> of
        <<Float/float>> -> [Float | random_floats(Count - 1, Next)];
        _NotFinite -> random_floats(Count, Next)
    end.

%% Doubles of everyday size.
ordinary_floats(Count) ->
    State = rand:seed_s(exsss, 18),
    {Floats, _} = lists:mapfoldl(fun ordinary_float/2, State, lists:seq(1, Count)),
    Floats.

ordinary_float(Number, State) ->
    {Float, Next} = rand:uniform_s(State),
    {(Float - 0.5) * math:pow(10, Number rem 7), Next}.

random_integers(Count) ->
    State = rand:seed_s(exsss, 19),
    {Integers, _} = lists:mapfoldl(fun random_integer/2, State, lists:seq(1, Count)),
    Integers.

random_integer(Number, State) ->
    {Integer, Next} = rand:uniform_s(1 bsl (1 + Number rem 300), State),
    {Integer * (1 - 2 * (Number rem 2)), Next}.

operators() ->
    Numbers = few_numbers(),
    Integers = few_integers(),
    Random = random_integers(20),
    Twos = ['+', '-', '*', '/'],
    Wholes = ['div', 'rem', 'band', 'bor', 'bxor'],
    lists:append([
        [e(Op, pairs(Numbers, Numbers)) || Op <- Twos],
        [e(Op, pairs(Integers, Integers)) || Op <- Wholes],
        [e(Op, pairs(Random, Random)) || Op <- Twos ++ Wholes],
        [e(Op, pairs(odd(), [1, 1.5]) ++ pairs([1, 1.5, 0], odd())) || Op <- Twos ++ Wholes],
        [e(Op, pairs([1.5], [1, 2.5]) ++ pairs([1], [1.5])) || Op <- Wholes],
        [each(Op, numbers() ++ odd() ++ Random) || Op <- ['+', '-', 'abs', float, 'bnot']],
        [{cuter_bif_calls, beyond_the_largest, [Op, B]} || Op <- ['+', '-', '*'], B <- [-2, -1, 1,
        2]],
        [{cuter_bif_calls, beyond_the_largest, [Op]} || Op <- ['-', abs, 'bnot']]
    ]).

rounding() ->
    Values = numbers() ++ odd() ++ random_floats(300) ++ ordinary_floats(300),
    lists:append([each(F, Values) || F <- [trunc, round, floor, ceil]]).

shifts() ->
    Distances = [0, 1, 2, 5, 31, 59, 60, 61, 63, 64, 65, 130],
    Far = [1 bsl 40, 1 bsl 59, 1 bsl 60, 1 bsl 63, 1 bsl 70, 33554367, 33554368],
    Values = [0, 1, -1, 2, 3, -3, 255, 1 bsl 58, 1 bsl 59, 1 bsl 64, -(1 bsl 64), (1 bsl 130) + 7],
    Both = Distances ++ [-D || D <- Distances],
    lists:append([
        e(Op, pairs(Values, Both)) ++
            e(Op, pairs([0, 1, -1, 3, 1 bsl 64, -(1 bsl 64)], Sign(Far))) ++
            e(Op, pairs([1, 1.0], odd()) ++ pairs(odd(), [1]) ++ [[1, 1.0], [1.0, 1]])
     || {Op, Sign} <- [
            {'bsl', fun(L) -> [-D || D <- L] ++ [1 bsl 40, 1 bsl 70, 33554368, 33554367] end},
            {'bsr', fun(L) -> L ++ [-(1 bsl 40), -(1 bsl 70)] end}
        ]
    ]).

mathematics() ->
    Ones = [
        acos, asin, atan, ceil, cos, cosh, exp, floor, log, log10, log2, sin, sinh, sqrt, tan, tanh
    ],
    Values = numbers() ++ odd() ++ random_floats(100) ++ ordinary_floats(300),
    Small = [F / 1.0e6 || F <- ordinary_floats(300)],
    Pairs =
        lists:zipwith(fun(A, B) -> [A, B] end, ordinary_floats(600),
        lists:reverse(ordinary_floats(600))) ++
            pairs(numbers(), [0, 1, -1, 0.5, -0.0, 2, 1 bsl 1024]) ++
            pairs(odd(), [1]) ++
            pairs([1], odd()),
    lists:append(
        [rows(math, F, [[V] || V <- Values ++ Small]) || F <- Ones] ++
            [rows(math, F, Pairs) || F <- [atan2, fmod, pow]]
    ).

%%% Text

few_integers() ->
    [N || N <- few_numbers(), is_integer(N)].

integer_texts() ->
    Bases = lists:seq(2, 36),
    Texts = [
        "", "0", "-0", "+0", "12", "+12", "-12", "--1", "+-1", "-", "+", "1_000", " 1", "1 ", "1.0",
        "zZ", "ff", "FF", "9223372036854775808", "-576460752303423489", "123456789012345678901",
        lists:duplicate(100, $9), [$1 | $2], [1000], [a], [$1, a], [-1], a, 1, <<"1">>
    ],
    lists:append([
        each(integer_to_list, integers() ++ odd() ++ [1.0]),
        e(integer_to_list, pairs(few_integers(), Bases)),
        e(integer_to_list, pairs([1, 0, -1, a, 1.0], [0, 1, 37, -1, a, 1.0, 1 bsl 70])),
        each(list_to_integer, Texts),
        e(list_to_integer, pairs(Texts, [2, 8, 10, 16, 36, 0, 1, 37, a, 1 bsl 70])),
        e(list_to_integer, [[integer_to_list(N, B), B] || N <- few_integers(), B <- Bases]),
        in_binaries(e(integer_to_list, pairs(few_integers() ++ odd(), [1, a, 37 | Bases]))),
        each(integer_to_binary, integers() ++ odd() ++ [1.0]),
        in_binaries(each(list_to_integer, Texts)),
        in_binaries(e(list_to_integer, pairs(Texts, [2, 8, 10, 16, 36, 0, 1, 37, a, 1 bsl 70]))),
        each(binary_to_integer, [<<"12", 1:3>>, <<"1", 200>>, 12, "12"])
    ]).

%% The same calls of the functions for binaries, with the text in one.
in_binaries(Rows) ->
    [
        {erlang, in_binary(Function), [as_binary(Arg) || Arg <- Args]}
     || {erlang, Function, Args} <- Rows
    ].

in_binary(integer_to_list) -> integer_to_binary;
in_binary(list_to_integer) -> binary_to_integer;
in_binary(float_to_list) -> float_to_binary;
in_binary(list_to_float) -> binary_to_float.

as_binary([C | _] = Text) when is_integer(C) -> try list_to_binary(Text) catch error:_ -> Text end;
as_binary(Arg) -> Arg.

float_texts() ->
    Floats = floats() ++ random_floats(60) ++ ordinary_floats(100) ++ [0.05, 0.15, 0.25, 2.675],
    Decimals = [0, 1, 2, 3, 5, 10, 17, 18, 19, 20, 30, 253],
    Options =
        [[], [short], [compact], [short, compact], [short, {decimals, 3}], [{decimals, 3},
        short]] ++
            [[{decimals, D}] || D <- Decimals] ++ [[{decimals, D}, compact] || D <- Decimals] ++
            [[{scientific, D}] || D <- [0, 1, 2, 3, 10, 16, 17, 20, 30, 249]] ++
            [[{scientific, 4}, compact], [compact, {decimals, 2}, {scientific, 2}]] ++
            %% The lower half of a number counts, and the last format.
            [[{F, D}] || F <- [decimals, scientific], D <- [-1, -(1 bsl 40), (1 bsl 32) + 2]] ++
            [[{decimals, 400}, short], [{decimals, -1}, {scientific, -7}]] ++
            [[{scientific, 1 bsl 31}]],
    Wrong = [
        [foo], foo, [{decimals, -1}], [{decimals, 254}], [{scientific, 250}], [{decimals, a}],
        [{decimals, 3} | x], [{foo, 3}], [{decimals, 1.0}], [{decimals, 1 bsl 70}], [{1, 2}], [[]]
    ],
    Texts = [
        "1.0", "1", "", "1.", ".5", "1.0e5", "1.0E5", "1.0e+5", "1.0e-5", "1.e5", "1e5", "+1.5",
        "-1.5",
        "-0.0", "1.0e400", "-1.0e400", "1.0e-400", "1.0 ", " 1.0", "1.0e", "1,0", "1.0,0", "1,0e1",
        "1.0.0", "0x1.0", "inf", "nan", "1.0e5.0", "1.0e+", "+-1.0", "1_0.0", "1.0f", [$1 | a], [a],
        "2.2250738585072011e-308", "9007199254740993.0", a, 1, [1000],
        "179769313486231580793.0e289",
        "0.1000000000000000055511151231257827021181583404541015625", "123456789012345678901234.0",
        "1.5\0", "1.5\0x", "\0", "1.\0", "1.5e\0"
    ],
    lists:append([
        each(float_to_list, Floats ++ odd() ++ [1]),
        e(float_to_list, pairs(Floats, Options)),
        e(float_to_list, pairs([1.5], Wrong) ++ pairs([1, a], [[], [short]])),
        each(list_to_float, Texts),
        each(list_to_float, [float_to_list(F, [short]) || F <- Floats]),
        each(list_to_float, [float_to_list(F) || F <- Floats]),
        in_binaries(each(float_to_list, Floats ++ odd())),
        in_binaries(e(float_to_list, pairs([1.5, -0.0, 1.0e300], Options ++ Wrong))),
        in_binaries(each(list_to_float, Texts)),
        each(binary_to_float, [float_to_binary(F) || F <- Floats] ++ [<<"1.5", 1:3>>, <<255>>])
    ]).

%% Only what does not end the VM.
no_ends() ->
    Options = [x, [x], [{flush, true} | x]],
    e(halt, pairs([-1, a, 1.0, [a], [1 | 2], {}], [[]]) ++ pairs([0], Options)).

atoms() ->
    Texts = [
        "", "a", "ok", "Hello World", [955, 1024], [0], [255], [256], [16#10FFFF], [16#110000],
        [16#D800],
        [-1], [a], [$a | b], [$a, 1.0], a, 1, lists:duplicate(255, $x), lists:duplicate(256, $x),
        lists:duplicate(255, 955), lists:duplicate(256, $x) ++ [a], lists:duplicate(255, $x) ++ a
    ],
    Encodings = [latin1, utf8, unicode, utf16, 1, "utf8"],
    Binaries = [
        <<>>, <<"ok">>, <<0>>, <<"åäö"/utf8>>, <<"åäö">>, <<955/utf8>>, <<16#10FFFF/utf8>>,
        <<255>>, <<16#ED, 16#A0, 16#80>>, <<16#F4, 16#90, 16#80, 16#80>>, <<16#C0, 16#80>>,
        <<"a", 1:1>>, binary:copy(<<"x">>, 255), binary:copy(<<"x">>, 256),
        binary:copy(<<955/utf8>>, 255), binary:copy(<<955/utf8>>, 256), binary:copy(<<255>>, 256),
        <<(binary:copy(<<955/utf8>>, 254))/binary, 255>>, <<0:255/unit:8, 255>>,
        <<255, 0:1019/unit:8>>, <<255, 0:1020/unit:8>>,
        a, "a", 1
    ],
    lists:append([
        each(list_to_atom, Texts),
        each(atom_to_list, ['', a, ok, 'Hello World', 'åäö', list_to_atom([955, 1024])]),
        each(atom_to_list, [1, "a", 1.0 | odd()]),
        e(atom_to_binary, pairs(['', a, 'åäö', list_to_atom([955, 1024]), 1, "a"], Encodings)),
        e(binary_to_atom, pairs(Binaries, Encodings)),
        each(list_to_existing_atom, ["ok", [255, -1], lists:duplicate(256, $x), [$a | b], a]),
        e(binary_to_existing_atom, pairs([<<"ok">>, <<255>>, <<0:1021/unit:8>>, a], Encodings))
    ]).

%%% Terms

terms() ->
    [
        0, 1, -1, 1 bsl 64, 1.0, 1.5, -0.0, 0.0, a, b, '', true, false, {}, {1}, {1.0}, {a, b},
        [], [1], [1.0],
        [1 | 2], "abc", #{}, #{a => 1}, #{1 => a, 1.0 => b}, <<>>, <<1>>, <<1:3>>, fun lists:map/2,
        fun lists:map/3
    ].

comparisons() ->
    Terms = terms(),
    Numbers = few_numbers(),
    Operators = ['<', '=<', '>', '>=', '==', '/=', '=:=', '=/=', min, max],
    lists:append([
        [e(Op, pairs(Terms, Terms)) || Op <- Operators],
        [e(Op, pairs(Numbers, Numbers)) || Op <- Operators],
        [e(Op, pairs([true, false, 1, a], [true, false, 1, a])) || Op <- ['and', 'or', 'xor']],
        each('not', [true, false, 1, a])
    ]).

types() ->
    Tests = [
        is_atom, is_integer, is_float, is_number, is_list, is_tuple, is_map, is_pid, is_port,
        is_reference, is_function, is_bitstring, is_boolean, is_binary
    ],
    lists:append([
        [each(Test, terms()) || Test <- Tests],
        e(is_function, pairs(terms(), [0, 2, 3, 256, 1 bsl 70, -1, a, 2.0])),
        e(is_record, pairs([{a, b}, {a}, {}, {1}, a, [a]], [a, b, 1, "a"])),
        e(is_record, [
            [T, A, S]
         || T <- [{a, b}, {a}, {}, {1}, a], A <- [a, 1], S <- [0, 1, 2, -1, a, 2.0, 1 bsl 70]
        ])
    ]).

tuples() ->
    Tuples = [{}, {a}, {a, b, c}, list_to_tuple(lists:seq(1, 100)), a, [], [a], #{}],
    Places = [0, 1, 2, 3, 4, 100, 101, -1, a, 1.0, 1 bsl 70],
    Lists = [
        [], [{1, x}], [{1, x}, {3, z}, {1, y}], [{4, x}], [{0, x}], [x], x, [{1, x} | y], [{1, x,
        y}],
        [{a, x}], [{1 bsl 70, x}]
    ],
    lists:append([
        e(element, pairs(Places, Tuples)),
        e(setelement, [[P, T, new] || P <- Places, T <- Tuples]),
        e(insert_element, [[P, T, new] || P <- Places, T <- Tuples]),
        e(delete_element, pairs(Places, Tuples)),
        e(append_element, pairs(Tuples, [new])),
        e(make_tuple, pairs([0, 1, 3, -1, a, 1.0, 1 bsl 24, 1 bsl 70], [x, {y}])),
        e(make_tuple, [[N, d, L] || N <- [0, 1, 3, -1], L <- Lists]),
        each(tuple_size, Tuples),
        each(size, Tuples ++ [<<>>, <<1, 2>>, <<1, 2:3>>, <<1:3>>, 1]),
        each(tuple_to_list, Tuples),
        each(list_to_tuple, [[], [a], lists:seq(1, 100), a, [a | b], {a}])
    ]).

%%% Lists

lists_of_all_kinds() ->
    Many = lists:seq(1, 300),
    Mixed = [1, 1.0, a, {1}, {1.0}, "s", <<1>>, #{}, 0.0, -0.0, 1 bsl 70, 1, a],
    Lists = [[], [1], [1, 2, 1, 2, 3], [1.0, 2.0], Mixed, Many, [1 | 2], [1, 2 | 3], a, {1}, "abc"],
    Tagged = [
        [], [{a, 1}, {b, 2}], [{1, a}, {1.0, b}], [{1.0, b}, {1, a}], [a, {}, {x, y, a}, {a, 1}],
        [{a, 1} | b],
        [b | {a, 1}], a, [{"a", 1}, {<<>>, 2}], lists:zip(Many, Many)
    ],
    Keys = [a, b, 1, 1.0, "a", <<>>, {}, 300, 300.0, y],
    Searches = [
        rows(lists, F, [[K, P, T] || K <- Keys, P <- [1, 2, 3], T <- Tagged]) ++
            rows(lists, F, [
                [a, P, T]
             || P <- [0, -1, a, 1.0, 1 bsl 60, 1 bsl 70], T <- [[], [{a}], a]
            ])
     || F <- [keyfind, keymember, keysearch]
    ],
    %% Where integers are rounded when they become floats.
    Near = [(1 bsl N) + D || N <- [53, 54, 58, 59, 60, 63], D <- [-1, 0, 1]],
    Rounded = [
        rows(lists, F, [
            [K, 1, [{float(V)}, {V}]]
         || V <- Near, D <- [-1, 0, 1], K <- [V + D, -V - D, float(V + D)]
        ])
     || F <- [keyfind, keymember, keysearch]
    ],
    lists:append([
        lists:append(Rounded),
        [each(F, Lists) || F <- [hd, tl, length]],
        [e(Op, pairs(Lists, Lists)) || Op <- ['++', '--']],
        e('--', [[Many ++ Many, lists:reverse(Many)], [Many, [5, 5, 5, 299, 1000]]]),
        rows(lists, reverse, pairs(Lists, [[], [x], x])),
        rows(lists, member, pairs([1, 1.0, a, {1}, "s", -0.0, 300, 2], Lists))
        | Searches
    ]).

%%% Exceptions

exceptions() ->
    Frames = [
        a, {m, f, 1}, {m, f, [a]}, {m, f, [a], [{file, "a"}, {line, 1}]}, {m, f, -1}, {m, f,
        [a | b]},
        {fun lists:map/2, [a]}, {fun lists:map/2, 1}, {fun lists:map/2, [a], []}, {m, f}, {m, f,
        1, foo},
        {m, f, 1, [a | b]}, {m, f, a, []}, {1, f, 1, []}, {m, 1, 1}, {m, f, 1, [], []}, {}, {m}
    ],
    Traces =
        [[F] || F <- Frames] ++
            [[{m, f, 1}, a], [{m, f, 1} | x], [], x, lists:duplicate(12, {m, f, 1})],
    lists:append([
        [each(F, [a, {b}, undefined]) || F <- [error, exit, throw, nif_error]],
        e(nif_error, [[a, [b]], [a, b]]),
        e(error, pairs([r], [foo, [], [a, b], none, [a | b]])),
        e(error, [
            [r, Args, Options]
         || Args <- [none, [a, b]],
            Options <- [
                [], [{error_info, #{a => 1}}], foo, [bar], [{error_info, x}], [bar, {error_info,
                #{}}]
            ]
        ]),
        e(raise, [[Class, r, []] || Class <- [foo, 1]]),
        e(raise, [[Class, r, [{m, f, 1}]] || Class <- [error, exit, throw]]),
        [
            {cuter_bif_calls, raised, [Class, Trace]}
         || Class <- [error, exit], Trace <- Traces, is_list(Trace)
        ]
    ]).

%%% Funs

funs() ->
    External = fun lists:map/2,
    Items = [module, name, arity, env, type, index, new_index, uniq, new_uniq, pid, foo, 1],
    lists:append([
        e(fun_info, pairs([External, a], Items)),
        each(fun_to_list, [External, fun 'a b':c/1, a, 1]),
        each(fun_info_mfa, [External, fun 'a b':c/1, a, 1]),
        e(make_fun, [[lists, map, A] || A <- [2, 0, 255, 256, -1, a, 1 bsl 70]]),
        e(make_fun, [[1, map, 2], [lists, 1, 2]]),
        [
            {cuter_bif_calls, fun_info, [Item, captured]}
         || Item <- [module, name, arity, env, type, mfa, index, new_index, uniq, new_uniq]
        ],
        [
            {cuter_bif_calls, local_fun_info, [Item]}
         || Item <- [module, name, arity, env, type, index, new_index, uniq, new_uniq]
        ],
        [{cuter_bif_calls, names_of_funs, [Captured]} || Captured <- [a, [1, 2], #{}]],
        [
            {cuter_bif_calls, hashes_of_funs, [One, Other]}
         || {One, Other} <- [{a, b}, {b, a}, {1, 1.0}, {[], {x, "y"}}, {1 bsl 70, <<1:3>>}]
        ]
    ]).

%%% Hashes

large_maps() ->
    Maps = [
        maps:from_list([{N, {N}} || N <- lists:seq(1, Size)])
     || Size <- [32, 33, 100, 1000]
    ],
    Maps ++ [[1, #{a => Map, Map => b}] || Map <- Maps].

hashes() ->
    Terms =
        terms() ++ integers() ++ floats() ++ random_floats(100) ++ random_integers(300) ++
            random_terms(600) ++ binaries() ++ large_maps(),
    each(phash2, Terms) ++
        e(phash2, pairs(Terms, [1000, 1 bsl 32])) ++
        e(phash2, pairs([a], [0, -1, (1 bsl 32) + 1, a, 1.0, 1 bsl 70])) ++
        e(phash, pairs(Terms, [1 bsl 32])) ++
        e(phash, pairs([a, fun lists:map/2], [1000, 0, a, 1 bsl 70])) ++
        [{cuter_bif_calls, older_hash, [Term, 1 bsl 32]} || Term <- Terms, is_hashed_again(Term)].

%% Some of them.
is_hashed_again(Term) -> erlang:phash2(Term, 10) =:= 0.

binaries() ->
    Text = <<"the quick brown fox jumps over the lazy dog">>,
    [binary:part(Text, 0, N) || N <- lists:seq(0, byte_size(Text))] ++
        [<<(binary:part(Text, 0, N))/binary, 5:S>> || N <- [0, 1, 11, 12, 13], S <- [1, 3, 7]].

random_terms(Count) ->
    State = rand:seed_s(exsss, 20),
    {Terms, _} = lists:mapfoldl(fun(_, S) -> random_term(4, S) end, State, lists:seq(1, Count)),
    Terms.

random_term(Depth, State) ->
    {Kind, Next} = rand:uniform_s(13, State),
    random_term(Kind, Depth, Next).

random_term(1, _Depth, State) -> rand:uniform_s(300, State);
random_term(2, _Depth, State) -> rand:uniform_s(1 bsl 40, State);
random_term(3, _Depth, State) -> random_integer(150, State);
random_term(4, _Depth, State) -> rand:uniform_s(State);
random_term(5, _Depth, State) -> one_of([a, b, ok, '', 'åäö', 'a long name of an atom'], State);
random_term(6, _Depth, State) -> one_of(["", "abc", "abcd", [1, 2, 300], <<"abc">>, <<1:5>>, #{}],
State);
random_term(7, _Depth, State) -> one_of([-1, -300, 0, -0.0, {}, <<>>, fun lists:map/2], State);
random_term(_, 0, State) -> {[], State};
random_term(8, Depth, State) -> random_parts(fun list_to_tuple/1, Depth, State);
random_term(9, Depth, State) -> random_parts(fun(Parts) -> Parts end, Depth, State);
random_term(10, Depth, State) -> random_parts(fun(Parts) -> Parts ++ tail end, Depth, State);
random_term(11, Depth, State) -> random_parts(fun(Parts) -> "ab" ++ Parts end, Depth, State);
random_term(12, Depth, State) -> random_parts(fun pairs_of/1, Depth, State);
random_term(13, Depth, State) -> random_parts(fun(Parts) -> {t, Parts} end, Depth, State).

pairs_of(Parts) ->
    maps:from_list(lists:zip(Parts, lists:reverse(Parts))).

one_of(Choices, State) ->
    {Index, Next} = rand:uniform_s(length(Choices), State),
    {lists:nth(Index, Choices), Next}.

random_parts(Build, Depth, State) ->
    {Count, Next} = rand:uniform_s(5, State),
    {Parts, Last} =
        lists:mapfoldl(fun(_, S) -> random_term(Depth - 1, S) end, Next, lists:seq(2, Count)),
    {Build(Parts), Last}.

%%% Processes

process_calls() ->
    Flags = [
        {trap_exit, true}, {trap_exit, false}, {priority, low}, {priority, normal},
        {message_queue_data, off_heap}, {message_queue_data, on_heap}, {sensitive, false},
        {save_calls, 0},
        {fullsweep_after, 10}, {fullsweep_after, 20}
    ],
    Wrong = [
        {trap_exit, 1}, {priority, foo}, {sensitive, 1}, {fullsweep_after, -1},
        {message_queue_data, x},
        {error_handler, 1}, {min_heap_size, -1}, {min_bin_vheap_size, a}, {save_calls, -1}
    ],
    Class = class_of,
    lists:append([
        [{erlang, self, [], type_of}],
        e(put, [[key, value], [{key}, 1.0]]),
        [{erlang, get, [], Class}, {erlang, erase, [], Class}],
        [{erlang, get_keys, [], Class}],
        each(get_keys, [no_such_value]),
        each(get, [no_such_key, {1.0}]),
        each(erase, [no_such_key, {1.0}]),
        [{cuter_bif_calls, dictionary, [Actions]} || Actions <- dictionaries()],
        [{cuter_bif_calls, flags, [Flags]}],
        e(process_flag, [[Flag, Value] || {Flag, Value} <- Wrong ++ [{foo, bar}, {1, 2}]], Class),
        e(process_info, [[a, b], [self, status]], Class),
        e(garbage_collect, [[]]),
        e(yield, [[]]),
        each(bump_reductions, [0, 1, 1000, -1, a, 1.0]),
        e(node, [[], [a], [1]]),
        e(system_flag, [[backtrace_depth, D] || D <- [8, -1, a, 1.0, 1 bsl 64]] ++ [[foo, 1]]),
        e(nodes, [[]]),
        each(pid_to_list, [a, 1, "<0.1.0>"]),
        each(ref_to_list, [a, 1]),
        each(list_to_pid, [a, 1, "", "<0.1", "<0.x.0>", [$<, a], [1 | 2]]),
        each(list_to_ref, [a, 1, "", "#Ref<0.0", [$#, a], [1 | 2]]),
        each(process_info, [a, 1, []]),
        e(processes, [[]], Class),
        [{erlang, group_leader, [], type_of}],
        e(group_leader, pairs([a, 1, []], [b, 2])),
        rows(erts_internal, group_leader, pairs([a, 1, []], [b, 2])),
        each(fun_info_mfa, [a, 1, fun lists:map/2])
    ]).

%% Of modules that are not there; others are changed in cuter_processes_tests.
changes_of_code() ->
    Missing = cuter_no_such_module,
    lists:append([
        e(delete_module, [[Missing], [1]]),
        e(load_module, [[1, <<>>], [Missing, x]]),
        [{code, delete, [Name], class_of} || Name <- [Missing, 1, "x"]],
        [{code, load_file, [Name], class_of} || Name <- [Missing, 1]],
        [{code, load_abs, [Name], class_of} || Name <- ["/no/such/" ++ atom_to_list(Missing), 1]],
        [{code, load_abs, [Name, Missing], class_of} || Name <- ["/no/such/file", 1]],
        [{code, finish_loading, [Prepared], class_of} || Prepared <- [x, {x, []}, {x, [Missing]}]],
        [{code, load_binary, [Missing, File, x], class_of} || File <- ["x", 1]],
        [{code, atomic_load, [Names], class_of} || Names <- [[], [1], x, [Missing]]]
    ]).

e(Function, ArgLists, View) ->
    [{erlang, Function, Args, View} || Args <- ArgLists].

dictionaries() ->
    [
        [],
        [{put, [a, 1]}, {get, [a]}, {put, [a, 2]}, {get, [a]}, {erase, [a]}, {get, [a]}],
        [{put, [1, int]}, {put, [1.0, float]}, {get, [1]}, {get, [1.0]}, {get_keys, [int]}],
        [{put, [{a, [b]}, x]}, {get, [{a, [b]}]}, {get_keys, []}, {erase, [{a, [c]}]}]
    ].

%%% Time

clocks() ->
    Units = [second, millisecond, microsecond, nanosecond, native, perf_counter, 1, 1000, 1 bsl 70],
    Old = [seconds, milli_seconds, micro_seconds, nano_seconds],
    Wrong = [0, -1, foo, 1.0, "s"],
    Clocks = [monotonic_time, system_time, time_offset],
    Now = [timestamp, now, date, time, localtime, universaltime],
    lists:append([
        [{erlang, make_ref, [], type_of}],
        [{erlang, registered, [], type_of}],
        [{erlang, unique_integer, Args, type_of} || Args <- [[], [[]], [[positive, monotonic]]]],
        each(unique_integer, [[foo], x, [positive | x], [1], 1]),
        [{erlang, Clock, [], type_of} || Clock <- Clocks],
        [{erlang, Clock, [Unit], type_of} || Clock <- Clocks, Unit <- Units ++ Old ++ Wrong],
        [{erlang, Function, [], shape_of} || Function <- Now],
        [
            {cuter_bif_calls, increasing, [{erlang, F, Args}, 20]}
         || {F, Args} <- [{unique_integer, [[monotonic]]}, {now, []}, {make_ref, []}]
        ]
    ]).

%%% Debugging

debugging() ->
    Sizes = [
        a, 1, 1 bsl 58, 1 bsl 59, 1 bsl 60, 1 bsl 64, -(1 bsl 59), 1.0, [], [1, 2.0], {}, {1, {2},
        "abc"},
        lists:seq(1, 100)
    ],
    rows(erts_debug, flat_size, [[Size] || Size <- Sizes]) ++
        rows(erts_debug, same, [[a, a], [a, b], [1, 1], [1, 2], [[], []]]).
