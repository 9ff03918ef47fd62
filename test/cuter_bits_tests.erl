%% Bit syntax and functions on bitstrings: interpreted and native results are the same,
%% for values and for exceptions.
-module(cuter_bits_tests).

-include_lib("eunit/include/eunit.hrl").

-export([rows/0, differing/1]).

-define(SIZES, [0, 1, 7, 8, 9, 16, 31, 32, 33, 63, 64, 65, 128, 1000]).
-define(ODD_SIZES, [-1, -(1 bsl 70), 1 bsl 40, 1 bsl 58, 1 bsl 62, 1 bsl 70, a, 1.0, <<>>]).
%% Bytes of integers around the largest ones of several releases.
-define(LARGE, [1, 9, 524280, 524281, 4194296, 4194297]).

-define(BINARIES, [
    <<>>, <<0>>, <<255>>, <<1:1>>, <<5:3>>, <<127:7>>, <<"abc">>, <<1:9>>, <<1, 2, 3, 4>>,
    <<128, 0, 0, 1>>, <<255, 255, 255, 255, 255, 255, 255, 255>>, <<128, 1, 2, 3, 4, 5, 6, 7, 129>>,
    <<16#0123456789abcdef0123456789abcdef:128, 5:3>>, binary:copy(<<16#a5, 16#3c>>, 70)
]).
-define(TERMS, [0, -1, a, 1.0, [], [1], "abc", {}, #{}, <<>>, <<1:3>>, 1 bsl 70]).

results_are_those_of_the_beam_test_() ->
    {timeout, 300, fun() ->
        cuter_fixture:with_modules(["test/fixtures/diff_bits.erl"], fun() ->
            ?assertEqual([], differing(rows()))
        end)
    end}.

%% Which one the BEAM names depends on what it looks at first.
of_two_faulty_segments_the_same_is_named_test_() ->
    {timeout, 120, fun() ->
        Kinds = ["V", "V:S", "V/utf8", "V/utf16", "V/utf32", "V/float", "V:S/float", "V/binary",
            "V:S/binary", "V/bits", "V:64"],
        Pairs = [{A, B} || A <- Kinds, B <- Kinds],
        Text = ["-compile(export_all).\n-compile(nowarn_export_all).\n" |
            [two_segments(N, lists:nth(N, Pairs)) || N <- lists:seq(1, length(Pairs))]],
        Rows = [
            {list_to_atom("f" ++ integer_to_list(N)), [A, 8, B, S]}
         || N <- lists:seq(1, length(Pairs)),
            A <- [a, 1, <<1:1>>, 16#D800],
            B <- [a, 1.0, <<1:1>>, 1 bsl 40],
            S <- [8, -1]
        ],
        cuter_fixture:with_source(Text, [debug_info], fun(_) ->
            ?assertEqual([], [Row || {F, Args} = Row <- Rows, caught(F, Args) =/= eval(F, Args)])
        end)
    end}.

two_segments(Number, {First, Second}) ->
    [
        ["f", integer_to_list(Number), "(A, R, B, S) ->\n    _ = {R, S},\n    <<"],
        [in_segment(First, "A", "R"), ", ", in_segment(Second, "B", "S"), ">>.\n"]
    ].

in_segment(Kind, Value, Size) ->
    lists:flatmap(fun($V) -> Value; ($S) -> Size; (Other) -> [Other] end, Kind).

caught(Function, Args) ->
    try
        {ok, apply(cuter_tried, Function, Args)}
    catch
        Class:Reason:Stacktrace -> {raised, Class, Reason, hd(Stacktrace)}
    end.

eval(Function, Args) ->
    case cuter:eval(cuter_tried, Function, Args) of
        {raised, Class, Reason, [Frame | _]} -> {raised, Class, Reason, Frame};
        Other -> Other
    end.

-type mfargs() :: {module(), atom(), [term()]}.

%% The rows whose results are not the same, with both results.
-spec differing([mfargs()]) -> [{mfargs(), term(), term()}].
differing([]) ->
    [];
differing(Rows) ->
    {Now, Later} = lists:split(min(200, length(Rows)), Rows),
    Results = lists:zip3(Now, diff_bits:batch(Now), engine(Now)),
    [Result || {_, Native, Engine} = Result <- Results, Native =/= Engine] ++ differing(Later).

%% Many rows in one run; a run that does not end with their results is repeated row by row,
%% to tell which row it is.
engine(Rows) ->
    case {cuter:eval(diff_bits, batch, [Rows]), Rows} of
        {{ok, Results}, _} -> Results;
        {Other, [_]} -> [Other];
        _ -> lists:append([engine([Row]) || Row <- Rows])
    end.

-spec rows() -> [mfargs()].
rows() ->
    lists:append([
        segments(), offsets(), construction(), pairs(), floats(), characters(), patterns(),
            comprehensions(),
        programs(), order(), bifs(), binary_module(), searching(), text(), iolists()
    ]).

d(F, Args) -> {diff_bits, F, Args}.

%%% Segments in patterns

kinds() ->
    [{integer, F} || F <- [unsigned_big, signed_big, unsigned_little, signed_little, unit]] ++
        [{float, big}, {float, little}] ++
        [{binary, F} || F <- [unit8, unit1, unit3]] ++
        [{skip, F} || F <- [integer, binary, float]].

segments() ->
    [d(get, [T, F, S, x, B]) || {T, F} <- kinds(), S <- ?SIZES ++ ?ODD_SIZES, B <- ?BINARIES] ++
        [d(get, [T, F, 8, x, V]) || {T, F} <- kinds(), V <- ?TERMS].

offsets() ->
    B = <<16#f123456789abcdef8123456789abcdef:128, 16#77:7>>,
    [d(get_at, [T, F, S, Before, x, B]) || {T, F} <- kinds(), S <- ?SIZES, Before <- [1, 3, 7, 8,
        13, 63, 64, 65, 200]].

%%% Construction

values() ->
    [0, 1, -1, 127, 128, -128, 255, 256, 16#123456789abcdef, -(1 bsl 59), 1 bsl 60, 1 bsl 63,
        (1 bsl 64) - 1,
        1 bsl 64, -(1 bsl 64), (1 bsl 200) + 12345, -(1 bsl 200) - 1, a, 1.5, <<1>>].

construction() ->
    Sizes = ?SIZES ++ [-1, -(1 bsl 70), 1 bsl 60, 1 bsl 62, 1 bsl 70, a, 1.0],
    [d(put, [integer, F, V, S, B]) || F <- [unsigned_big, signed_little, unit], V <- values(),
        S <- Sizes,
        B <- [<<>>, <<5:3>>, <<1, 2>>]] ++
        [d(put_bin, [B, S, U]) || B <- ?BINARIES ++ [a, 1, []], S <- [0, 1, 2, 8, 9, 140, 141, -1,
            a, 1 bsl 60], U <- [1, 5, 8]] ++
        [d(put_all, [B, U]) || B <- ?BINARIES ++ ?TERMS, U <- [1, 3, 8]] ++
        [d(put_after, [A, B, C]) || A <- [<<>>, <<1:5>>, a], B <- [1, -1, b], C <- [<<>>,
            <<"xx">>, <<1:1>>]].

%% Which of two errors is raised.
pairs() ->
    Bad = [{1, 8}, {a, 8}, {1, a}, {1, 1 bsl 70}, {a, a}, {1, -1}, {1, -(1 bsl 70)}, {1, 1 bsl 60}],
    [d(put_two, [A, S, B, T]) || {A, S} <- Bad, {B, T} <- Bad].

floats() ->
    Floats = [0.0, -0.0, 1.0, -1.5, 1.0e-10, 5.960464477539063e-8, 2.9802322387695313e-8,
        8.940696716308594e-8, 6.1e-5,
        65504.0, 65519.99, 65520.0, -65536.0, 1.1, 3.4028234663852886e38, 3.5e38, 1.0e-45,
            1.0e300, 5.0e-324, 1, -7,
        2049, 2051, 1 bsl 100, 1 bsl 127, 1 bsl 128, 1 bsl 2000, a, <<>>],
    Patterns = [<<W:16>> || W <- [0, 1, 1023, 1024, 31743, 31744, 31745, 32768, 64512, 65535]] ++
        [<<W:32>> || W <- [1, 16#7f800000, 16#7f800001, 16#ff800000, 16#80000000, 16#7f7fffff]] ++
        [<<W:64>> || W <- [1, 16#7ff0000000000000, 16#7ff8000000000000, 16#fff0000000000000,
            16#8000000000000000]],
    [d(put, [float, E, F, S, B]) || E <- [big, little], F <- Floats, S <- [16, 32, 64, 0, 8, 80,
        a, -1], B <- [<<>>, <<1:3>>]] ++
        [d(float_roundtrip, [F, S]) || F <- Floats, S <- [16, 32, 64]] ++
        [d(get, [float, E, bit_size(P), x, P]) || E <- [big, little], P <- Patterns] ++
        [d(get_at, [float, E, bit_size(P), 3, x, <<0:3, P/bits>>]) || E <- [big, little],
            P <- Patterns].

codes() -> [0, $a, 127, 128, 16#7ff, 16#800, 16#d7ff, 16#d800, 16#dfff, 16#e000, 16#fffe, 16#ffff,
    16#10000, 16#10ffff, 16#110000, -1, 1 bsl 70, a, 1.0].

characters() ->
    Kinds = [utf8, utf16, utf16_little, utf32, utf32_little],
    Good = [unicode:characters_to_binary([C], utf8, E) || C <- [0, $a, 955, 16#7ff, 16#800,
        16#ffff, 16#10000, 16#10ffff],
        E <- [utf8, utf16, {utf16, little}, utf32, {utf32, little}]],
    Bad = [<<16#c0, 16#80>>, <<16#c1, 16#bf>>, <<16#e0, 16#80, 16#80>>, <<16#ed, 16#a0, 16#80>>,
        <<16#f0, 16#80, 16#80, 16#80>>,
        <<16#f4, 16#90, 16#80, 16#80>>, <<16#f8, 16#88, 16#80, 16#80, 16#80>>, <<16#80>>,
            <<16#c3>>, <<16#e2, 16#82>>, <<16#ff>>,
        <<16#d8, 0>>, <<16#d8, 0, 16#dc, 0>>, <<16#dc, 0, 16#d8, 0>>, <<0, 16#d8, 0, 16#dc>>, <<0,
            0, 16#d8, 0>>, <<0, 16#11, 0, 0>>,
        <<16#c3, 16#29>>, <<0:7>>, <<0:15>>, <<0:31>>],
    [d(utf, [K, <<B/binary, R/bits>>]) || K <- [skip8 | Kinds], B <- [X || X <- Good ++ Bad,
        is_binary(X)], R <- [<<>>, <<1:3>>, <<"xyz">>]] ++
        [d(utf, [K, B]) || K <- Kinds, B <- Bad ++ ?TERMS] ++
        [d(put_utf, [K, C]) || K <- [shifted | Kinds], C <- codes()] ++
        [d(text_of, [B]) || B <- [<<"aλ€𝄞"/utf8>>, <<"a", 255>>, <<"λ"/utf8, 1:1>>, a]].

%%% Patterns in functions

patterns() ->
    Odd = ?BINARIES ++ ?TERMS,
    [d(F, [B]) || F <- [literal, text, classify, head, alias, sizes, guarded, literal_float,
        literal_utf, literal_negative, swap], B <- Odd] ++
        [d(literal, [B]) || B <- [<<1, 0, 2:7>>, <<5:3>>, <<"abcd">>, <<"ab">>]] ++
        [d(text, [B]) || B <- [<<"GET /x">>, <<"GET ">>, <<"GET">>, <<"GET /", 1:3>>, <<"POST ",
            3, ":abc!">>, <<"POST ", 3, ":ab!">>,
            <<"POST ", 0, ":!">>, <<16#35, "z", 16#71, 0>>, <<3:4, 5:4, "z", 9:4, 1, 0:4>>,
                <<"xtail">>]] ++
        [d(classify, [B]) || B <- [<<1>>, <<1, 2>>, <<1, 2:4>>, <<-5:16, 0>>, <<1.5/float>>,
            <<1.5:32/float-little, 0:3>>,
            <<16#7ff8000000000000:64>>, <<3:2>>]] ++
        [d(alias, [X]) || X <- [{<<1>>, <<2, 3, 4>>, <<200>>}, {<<1>>, <<>>, <<200>>}, {<<1>>,
            <<2>>, <<2:7>>}]] ++
        [d(sizes, [B]) || B <- [<<1, 3, "a", 5:3, 9:4, 1:1>>, <<0, 0>>, <<200, 1, 2>>, <<7:4,
            5:7>>, <<15:4, 5:7>>, <<0:4>>]] ++
        [d(computed, [B, N]) || B <- ?BINARIES, N <- [0, 1, 2, 5, -1, a, 1 bsl 62]] ++
        [d(nested, [X]) || X <- [[<<1, 2, 2, 3, 4>>, <<0>>], [<<2, 1>>], [{k, <<1, 2, 3>>}], [{k,
            <<1>>}], a]] ++
        [d(guarded, [B]) || B <- [<<1, 2, 3, 4>>, <<1, 2, 3>>, <<4, 4>>, <<9, 9>>, <<1:9>>, {1,
            2}, {}]] ++
        [d(guard_build, [B, X]) || B <- [<<>>, <<1>>, <<2, 1>>, <<255>>, a], X <- [1, 257, -1,
            <<>>, <<2>>, <<1:1>>, a]] ++
        [d(rest, [B, U]) || B <- ?BINARIES ++ [a], U <- [1, 3, 8, 16]] ++
        [d(bin, [S, U, B]) || B <- ?BINARIES, S <- [0, 1, 3, 8, a, -1], U <- [1, 8]] ++
        [d(literal_float, [B]) || B <- [<<1.5:32/float, 1>>, <<2.0/float>>, <<0.0:16/float>>,
            <<-0.0:16/float>>]] ++
        [d(literal_utf, [B]) || B <- [<<"aλ"/utf8, 1:1>>, <<"aλ𝄞"/utf16, 1>>,
            <<"λ"/utf32-little>>]] ++
        [d(literal_negative, [B]) || B <- [<<255, 1>>, <<254, 255>>, <<44>>, <<-2:16/little,
            0>>]] ++
        [d(cause, [Kind, V, S]) || {Kind, Sizes} <- too_large(), S <- Sizes,
            V <- [<<"abc">>, 42, 1.5, a]] ++
        [d(largest, [Bytes]) || Bytes <- ?LARGE] ++
        [d(largest_signed, [Byte, Bytes]) || Byte <- [0, 1, 128, 255], Bytes <- ?LARGE] ++
        [d(same_size, [N, B]) || N <- [0, 1, 2, 7, 8, -1, a], B <- ?BINARIES] ++
        [d(pick, [B, N]) || B <- [<<>>, <<"hello">>, <<1:9>>], N <- [0, 3, 9]] ++
        [d(native_endian, [X]) || X <- [0, 1, -1, 16#12345678, 1 bsl 60, a]].

%% Kinds of segments, and sizes that most are not built with.
too_large() ->
    Most = (1 bsl 59) - 1,
    Bytes = (1 bsl 28) + 1,
    [
        {binary, [3, 4, -1, Bytes, 1 bsl 64]},
        {binary_32, [0, Most, Most + 1]},
        {integer_31, [Most]},
        {integer_255, [Most, 1 bsl 58]},
        {float, [1, 16, 64, -1, Most + 1]},
        {float_8, [8, 9, Bytes]},
        {float_33, [Most]},
        {after_text, [Bytes]}
    ].

comprehensions() ->
    [d(F, [B]) || F <- [bytes, nibbles, squares, bits_of], B <- ?BINARIES ++ [a, []]] ++
        [d(pairs, [L, B]) || L <- [[1, 2], [300, -1], [a]], B <- [<<>>, <<1, 2, 3>>, <<1:3>>, a]] ++
        [d(bad_size, [B, S]) || B <- [<<>>, <<"abcdef">>, <<"abc", 1:1>>], S <- [1, 2, 4, -1, a]] ++
        [d(encode_tlv, [L]) || L <- [[], [{1, <<"abc">>}, {2, <<>>}], [{a, <<>>}], [{1, <<1:1>>}],
            [x]]].

programs() ->
    Long = [I rem 256 || I <- lists:seq(1, 1000)],
    [d(build, [L]) || L <- [[], [1], Long, [1, a], [1, <<>>]]] ++
        [d(shared, [L]) || L <- [[], [1, 2, 3], Long, lists:duplicate(62, 7), lists:duplicate(63,
            7), lists:duplicate(64, 7)]] ++
        [d(tlv, [B]) || B <- [<<>>, <<1, 2:16, "ab", 3, 0:16>>, <<1, 2:16, "a">>, <<1:9>>, a]] ++
        [d(grow, [N, B]) || N <- [0, 1, 5, 500], B <- [<<>>, <<1:1>>, <<"abcdefgh">>, a]] ++
        [d(interleave, [A, B]) || A <- [<<>>, <<"abc">>, <<1:4>>], B <- [<<>>, <<"xyz">>,
            <<"longer one">>]] ++
        [d(sum, [B, 0]) || B <- ?BINARIES] ++
        [d(subs, [B]) || B <- ?BINARIES] ++
        [d(caught, [X]) || X <- [1, 256, a]] ++
        [d(big_build, [20000]), d(big_parse, [5000]), d(big_tlv, [3000])].

order() ->
    Bits = ?BINARIES ++ [<<0:1>>, <<0:2>>, <<1:2>>, <<128>>, <<127, 0>>, <<0:9>>, [], a, 1],
    [d(order, [A, B]) || A <- Bits, B <- Bits] ++
        [d(sort, [Bits])] ++
        [d(unaligned, [N, B]) || N <- [0, 1, 5, 8, 13], B <- ?BINARIES].

%%% Built-in functions

bifs() ->
    Any = ?BINARIES ++ ?TERMS,
    Positions = [0, 1, 2, 3, 4, -1, -3, 1 bsl 70, a, 1.0],
    [{erlang, F, [B]} || F <- [byte_size, bit_size, size, binary_to_list, bitstring_to_list,
        is_binary, is_bitstring, crc32, adler32, md5], B <- Any] ++
        [{erlang, F, [B, P, L]} || F <- [binary_part, binary_to_list], B <- [<<>>, <<"abc">>,
            <<"abc", 1:1>>, a], P <- Positions, L <- Positions] ++
        [{erlang, binary_part, [B, X]} || B <- [<<"abc">>, a], X <- [{0, 1}, {3, -2}, {1}, a, {1,
            9}]] ++
        [{erlang, split_binary, [B, P]} || B <- [<<>>, <<"abc">>, <<"abc", 1:1>>, a],
            P <- Positions] ++
        [{erlang, binary_to_term, [term_to_binary(T)]}
            || T <- ?TERMS ++ ?BINARIES ++ [lists:seq(1, 300), #{a => 1, b => [x]}]] ++
        [{erlang, binary_to_term, [B]} || B <- [<<>>, <<131>>, <<131, 97>>, <<1, 2>>, a,
            term_to_binary(lists:duplicate(1000, a), [compressed])]] ++
        [{erlang, term_to_binary, [T]} || T <- ?TERMS] ++
        [d(checksum, [B]) || B <- [<<>>, <<"abc">>]].

binary_module() ->
    Any = ?BINARIES ++ ?TERMS,
    [{binary, F, [B]} || F <- [first, last, copy, decode_unsigned, encode_unsigned, bin_to_list],
        B <- Any ++ [255, 256, 1 bsl 64]] ++
        [{binary, at, [B, P]} || B <- [<<>>, <<"abc">>, <<"ab", 1:1>>, a], P <- [0, 1, 2, 3, -1,
            a, 1 bsl 70]] ++
        [{binary, copy, [B, N]} || B <- [<<>>, <<"abc">>, <<"ab", 1:1>>, a], N <- [0, 1, 3, 100,
            -1, a, -(1 bsl 70)]] ++
        [{binary, part, [B, P, L]} || B <- [<<"abc">>, <<"ab", 1:1>>, a], P <- [0, 1, 3, 4, -1,
            a], L <- [0, 1, 3, -1, -2, a]] ++
        [{binary, part, [B, X]} || B <- [<<"abc">>, a], X <- [{0, 1}, {3, -2}, {1}, a, {1, 9}]] ++
        [{binary, F, [V, E]} || F <- [decode_unsigned, encode_unsigned], V <- [0, 1, 258,
            1 bsl 100, -1, <<>>, <<1, 2>>, <<0:80, 1, 2>>, <<1:1>>, a],
            E <- [big, little, native, a, 1]] ++
        [{binary, F, [L]} || F <- [longest_common_prefix, longest_common_suffix],
            L <- [[], [<<>>], [<<"abc">>], [<<"abc">>, <<"abd">>], [<<"xabc">>, <<"abc">>,
                <<"c">>], [a], [<<1:1>>], a, [<<"a">> | b]]] ++
        [{binary, bin_to_list, [<<"hello">>, X]} || X <- [{0, 2}, {4, -2}, {5, 1}, a]] ++
        [{binary, list_to_bin, [L]} || L <- [[], [1, 2], "abc", [256], a, <<"x">>]].

searching() ->
    Subjects = [<<>>, <<"a">>, <<"banana">>, <<"hello world, hello">>, <<"xx", 1:1>>, a],
    Patterns = [<<"a">>, <<"an">>, <<"ana">>, [<<"l">>, <<"lo">>, <<"hello">>], <<"zz">>,
        [<<"b">>, <<"ba">>], <<>>, [], [<<>>], a, [a], <<1:1>>, {bm, x}],
    Scopes = [[], [{scope, {1, 3}}], [{scope, {5, -3}}], [{scope, {0, 0}}], [{scope, {9, 99}}],
        [{scope, a}], [bad], bad, [{scope, {9, 99}}, {scope, {0, 1}}],
        [{scope, {0, 1 bsl 80}}, {scope, {1, 0}}], [{scope, {0, 1}}, {scope, {1, 2}}]],
    Splits = [[global], [trim], [trim_all], [global, trim], [global, trim_all], [global, trim,
        trim_all], [global, {scope, {1, 4}}], [x], [trim | x]],
    [{binary, F, [S, P]} || F <- [match, matches, split], S <- Subjects, P <- Patterns] ++
        [{binary, F, [S, P, O]} || F <- [match, matches], S <- [<<"banana">>, <<>>],
            P <- [<<"a">>, <<"an">>, [<<"n">>, <<"na">>]], O <- Scopes] ++
        [{binary, split, [S, P, O]} || S <- [<<>>, <<"a">>, <<"aba">>, <<"aabaa">>, <<"banana">>,
            <<"b">>], P <- [<<"a">>, [<<"a">>, <<"aa">>]], O <- Splits] ++
        [{binary, replace, [S, P, R, O]} || S <- [<<"banana">>, <<>>], P <- [<<"a">>, <<"an">>],
            R <- [<<>>, <<"XY">>],
            O <- [[], [global], [global, {insert_replaced, 1}]]] ++
        [d(compiled, [S, P]) || S <- [<<"banana">>, <<>>, a], P <- [<<"an">>, [<<"a">>, <<"na">>],
            a, <<>>]].

text() ->
    Utf8 = [<<"aλ€𝄞"/utf8>>, <<"plain">>, <<>>, <<"a", 255, "b">>, <<"a", 16#c3>>, <<1:1>>],
    Data = Utf8 ++ [[], "abc", [955, 16#1d11e], [<<"aλ"/utf8>>, $x, [<<"b">> | <<"c">>]],
        [16#d800], [-1], [a], a, [$a | b], [255, 256],
        [<<16#c3>>, <<16#a9>>], [<<16#c3>> | <<16#a9>>], [1 bsl 70], [<<1:1>>]],
    [{unicode, F, [D, E]} || F <- [characters_to_binary, characters_to_list], D <- Data,
        E <- [unicode, utf8, latin1, utf16, {utf32, little}, bad]] ++
        [{unicode, F, [D]} || F <- [characters_to_binary, characters_to_list], D <- Data] ++
        [{unicode, characters_to_binary, [D, utf8, O]} || D <- Data, O <- [utf8, latin1, utf16]] ++
        [{unicode, bin_is_7bit, [B]} || B <- Utf8 ++ [a]] ++
        [d(string_ops, [B]) || B <- [<<"hello world">>, <<"  a λ b "/utf8>>, <<>>]] ++
        [d(io, [B]) || B <- [<<"hello">>, <<"λx"/utf8>>, <<1, 2:3>>, <<>>]] ++
        [d(base, [B]) || B <- [<<>>, <<"a">>, <<"ab">>, <<"abc">>, <<0, 255, 128, 7>>,
            binary:copy(<<1, 2, 3>>, 100)]] ++
        [{base64, decode, [B]} || B <- [<<"YWJj">>, <<"YW Jj">>, <<"YQ==">>, <<"YQ">>, <<"!!!!">>,
            "YWI=", a]].

iolists() ->
    Lists = [[], [1, 2], "abc", [256], [-1], [a], a, 1, <<"x">>, <<1:1>>, [<<"x">>, [1, [2],
        <<"yz">> | <<"t">>]], [1 | 2], [<<1:1>>], [<<1:1>>, <<3:7>>],
        [1 | <<1:1>>], [[], [[]]], [1.0], [1 bsl 70], lists:duplicate(1000, [<<"ab">>, $c])],
    [{erlang, F, [L]} || F <- [list_to_binary, iolist_to_binary, iolist_size, list_to_bitstring,
        iolist_to_iovec], L <- Lists].
