%% Terms for tests/term_beam.rs, with what the BEAM says about them.
-module(term_samples).

-export([write/2, compare/2]).

-define(SEED, {25, 3, 14}).

%% One term in the file: {Samples, Sorted, Pairs, Large, Floats}.
-spec write(file:filename(), pos_integer()) -> ok.
write(File, Count) ->
    _ = rand:seed(exsss, ?SEED),
    Terms = [term(4) || _ <- lists:seq(1, Count)],
    Samples = [{T, bytes(T), text(T)} || T <- Terms],
    Pairs = [pair(T, Terms) || T <- Terms],
    Large = [large_map() || _ <- lists:seq(1, 20)],
    Floats = [{F, text(F)} || F <- floats(20 * Count)],
    file:write_file(File, bytes({Samples, lists:sort(Terms), Pairs, Large, Floats})).

%% Whether both files hold the same term.
-spec compare(file:filename(), file:filename()) -> boolean().
compare(FileA, FileB) ->
    {ok, A} = file:read_file(FileA),
    {ok, B} = file:read_file(FileB),
    binary_to_term(A) =:= binary_to_term(B).

bytes(Term) -> term_to_binary(Term, [{minor_version, 2}]).

text(Term) -> unicode:characters_to_binary(io_lib:format("~tw", [Term])).

pair(A, Terms) ->
    B =
        case rand:uniform(4) of
            1 -> one_of(Terms);
            _ -> change(A)
        end,
    {A, B, A < B, A == B, A =:= B, #{A => x} < #{B => x}}.

%% The same term, or one that differs little.
change(I) when is_integer(I) -> one_of([I, I + 1, I - 1, -I, to_float(I)]);
change(F) when is_float(F) -> one_of([F, -F, F + 1, F / 2, trunc(F), round(F) + 1]);
change(T) when is_tuple(T), T =/= {} -> list_to_tuple(change_one(tuple_to_list(T)));
change(M) when is_map(M), M =/= #{} ->
    {Keys, Values} = lists:unzip(maps:to_list(M)),
    one_of([maps:from_list(lists:zip(change_one(Keys), Values)),
            maps:from_list(lists:zip(Keys, change_one(Values))),
            maps:remove(one_of(Keys), M)]);
change([H | T]) -> one_of([[change(H) | T], [H | change(T)]]);
change(B) when is_bitstring(B), bit_size(B) > 0 ->
    Size = rand:uniform(bit_size(B)) - 1,
    <<Start:Size/bitstring, Rest/bitstring>> = B,
    one_of([Start, Rest, <<Start/bitstring, (flip(Rest))/bitstring>>]);
change(Other) -> one_of([Other, leaf()]).

change_one(List) ->
    {Before, [Element | After]} = lists:split(rand:uniform(length(List)) - 1, List),
    Before ++ [change(Element) | After].

flip(<<Bit:1, Rest/bitstring>>) -> <<(1 - Bit):1, Rest/bitstring>>.

to_float(I) ->
    try float(I)
    catch error:badarg -> I
    end.

term(0) -> leaf();
term(Depth) ->
    case rand:uniform(12) of
        N when N =< 4 -> leaf();
        N when N =< 6 -> terms(Depth);
        7 -> [term(Depth - 1) | terms(Depth)] ++ leaf();
        N when N =< 9 -> list_to_tuple(terms(Depth));
        _ -> maps:from_list([{term(Depth - 1), term(Depth - 1)} || _ <- seq(6)])
    end.

terms(Depth) -> [term(Depth - 1) || _ <- seq(6)].

seq(Limit) -> lists:seq(1, rand:uniform(Limit) - 1).

large_map() -> maps:from_list([{term(2), term(1)} || _ <- lists:seq(1, 40 + rand:uniform(60))]).

leaf() ->
    case rand:uniform(10) of
        N when N =< 3 -> integer();
        N when N =< 5 -> finite();
        6 -> atom();
        7 -> bitstring();
        8 -> one_of([[], {}, #{}, <<>>, "text", [0, 255], [0, 256], "a" ++ b]);
        _ -> identity()
    end.

integer() ->
    case rand:uniform(5) of
        1 -> rand:uniform(7) - 4;
        2 -> rand:uniform(300) - 20;
        3 -> sign() * ((1 bsl rand:uniform(80)) + rand:uniform(5) - 3);
        4 -> sign() * ((1 bsl (1000 + rand:uniform(1100))) + rand:uniform(5) - 3);
        5 -> sign() * rand:uniform(1 bsl (1 + rand:uniform(70)))
    end.

sign() -> one_of([1, -1]).

finite() ->
    case rand:uniform(4) of
        1 -> (rand:uniform(13) - 7) / 2;
        2 -> sign() * math:pow(2, rand:uniform(80)) + rand:uniform(5) - 3;
        3 -> one_of([-0.0, 0.0, 1.0e22, 9007199254740992.0, 1.7976931348623157e308, 5.0e-324]);
        4 -> any_float()
    end.

any_float() ->
    case <<(rand:uniform(1 bsl 64) - 1):64>> of
        <<F/float>> -> F;
        _ -> any_float()
    end.

%% Few digits at every exponent, and any floats.
floats(Count) ->
    [list_to_float(float_text(Digits, Exponent)) ||
        Digits <- ["1.0", "1.2", "9.99", "1.234567", "1.2345678901", "1.2345678901234567"],
        Exponent <- lists:seq(-30, 30)] ++ [any_float() || _ <- lists:seq(1, Count)].

float_text(Digits, Exponent) -> Digits ++ "e" ++ integer_to_list(Exponent).

atom() ->
    one_of([a, b, ab, '', 'A', 'a b', 'it\'s', 'case', 'xor', '\n\e\d\x{85}', 'a@B_1', 'å', 'ÅÄ', '÷', 'x÷',
            '日本', '\x{1F600}', '"', '\\', '_', '0', list_to_atom(lists:duplicate(255, $ß))]).

bitstring() ->
    Bytes = rand:bytes(rand:uniform(24)),
    Drop = rand:uniform(16) - 1,
    case Bytes of
        <<_:Drop, Rest/bitstring>> -> one_of([Bytes, Rest, <<Bytes/binary, 1:3>>]);
        _ -> Bytes
    end.

identity() ->
    case rand:uniform(6) of
        1 -> make_ref();
        2 -> one_of([self(), spawn(fun() -> ok end), list_to_pid("<0.5.7>"), whereis(kernel_sup)]);
        3 -> one_of(erlang:ports());
        4 -> one_of([fun lists:map/2, fun lists:'no such'/0, fun erlang:abs/1, fun lists:map/3]);
        5 -> fun(X) -> X end;
        6 -> captured(rand:uniform(3), one_of([a, b, c]))
    end.

%% The engine orders what funs have captured by its external form; here that is the order of the terms.
captured(N, Term) -> fun(X) -> {N, Term, X} end.

one_of(List) -> lists:nth(rand:uniform(length(List)), List).
