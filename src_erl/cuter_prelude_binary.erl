%% Functions on binaries, written again for symbolic arguments.
%%
%% The engine calls these in place of the built-in ones when an argument is symbolic: byte by byte,
%% with comparisons that can be solved. Reasons of exceptions are those of the built-in functions.
-module(cuter_prelude_binary).

-compile({no_auto_import, [binary_to_integer/1, binary_to_integer/2]}).
-compile({no_auto_import, [integer_to_binary/1, integer_to_binary/2, binary_to_list/3]}).

-export([match/2, match/3, matches/2, matches/3, split/2, split/3, compile_pattern/1]).
-export([decompile/2]).
-export([copy/2, decode_unsigned/1, decode_unsigned/2, encode_unsigned/1, encode_unsigned/2]).
-export([longest_common_prefix/1, longest_common_suffix/1]).
-export([binary_to_list/3, binary_to_integer/1, binary_to_integer/2]).
-export([integer_to_binary/1, integer_to_binary/2]).

-type pattern() :: binary() | [binary()] | compiled().
%% One that is made of symbolic patterns has them in the place of the VM's reference.
-type compiled() :: {bm | ac, [binary()] | reference()}.
-type part() :: {non_neg_integer(), integer()}.
-type option() :: {scope, part()} | global | trim | trim_all.

%%% Searching

-spec match(binary(), pattern()) -> part() | nomatch.
match(Subject, Pattern) ->
    match(Subject, Pattern, []).

-spec match(binary(), pattern(), [option()]) -> part() | nomatch.
match(Subject, Pattern, Options) ->
    {From, To} = scope(list(Options), whole(Subject), byte_size(Subject)),
    case patterns(To, Pattern) of
        unknown -> binary:match(Subject, Pattern, Options);
        Patterns -> first(Subject, From, To, Patterns)
    end.

-spec matches(binary(), pattern()) -> [part()].
matches(Subject, Pattern) ->
    matches(Subject, Pattern, []).

-spec matches(binary(), pattern(), [option()]) -> [part()].
matches(Subject, Pattern, Options) ->
    {From, To} = scope(list(Options), whole(Subject), byte_size(Subject)),
    case patterns(To, Pattern) of
        unknown -> binary:matches(Subject, Pattern, Options);
        Patterns -> all(Subject, From, To, Patterns)
    end.

-spec compile_pattern(binary() | [binary()]) -> compiled().
compile_pattern(Pattern) when is_binary(Pattern) ->
    {bm, [not_empty(Pattern)]};
compile_pattern([_ | _] = Patterns) ->
    case all_not_empty(Patterns) of
        [_] = Only -> {bm, Only};
        Several -> {ac, Several}
    end;
compile_pattern(_Pattern) ->
    error(badarg).

%% All occurrences, none overlapping another.
all(Subject, From, To, Patterns) ->
    case first(Subject, From, To, Patterns) of
        nomatch -> [];
        {At, Length} = Found -> [Found | all(Subject, At + Length, To, Patterns)]
    end.

%% The first occurrence between two positions, of several at one place the longest.
first(_Subject, At, To, _Patterns) when At >= To ->
    nomatch;
first(Subject, At, To, Patterns) ->
    case longest(Subject, At, To, Patterns) of
        none -> first(Subject, At + 1, To, Patterns);
        Length -> {At, Length}
    end.

longest(_Subject, _At, _To, []) ->
    none;
longest(Subject, At, To, [Pattern | Patterns]) ->
    Size = byte_size(Pattern),
    case At + Size =< To andalso binary_part(Subject, At, Size) =:= Pattern of
        true -> Size;
        false -> longest(Subject, At, To, Patterns)
    end.

%% What a pattern stands for that the run has compiled. The engine has its own.
-spec decompile(bm | ac, reference()) -> [binary()] | unknown.
decompile(_Kind, _Reference) ->
    erlang:nif_error(only_in_the_machine).

%%% Splitting

-spec split(binary(), pattern()) -> [binary()].
split(Subject, Pattern) ->
    split(Subject, Pattern, []).

-spec split(binary(), pattern(), [option()]) -> [binary()].
split(Subject, Pattern, Options) ->
    Default = #{scope => whole(Subject), global => false, trim => none},
    #{scope := {From, To}, global := Global, trim := Trim} =
        split_options(list(Options), Default, byte_size(Subject)),
    case patterns(To, Pattern) of
        unknown ->
            binary:split(Subject, Pattern, Options);
        Patterns ->
            trim(Trim, pieces(Subject, 0, found(Global, Subject, {From, To}, Patterns)))
    end.

found(true, Subject, {From, To}, Patterns) ->
    all(Subject, From, To, Patterns);
found(false, Subject, {From, To}, Patterns) ->
    case first(Subject, From, To, Patterns) of
        nomatch -> [];
        Found -> [Found]
    end.

pieces(Subject, From, [{At, Length} | Found]) ->
    [binary_part(Subject, From, At - From) | pieces(Subject, At + Length, Found)];
pieces(Subject, From, []) ->
    [binary_part(Subject, From, byte_size(Subject) - From)].

trim(none, Pieces) -> Pieces;
trim(all, Pieces) -> [Piece || Piece <- Pieces, Piece =/= <<>>];
trim(tail, Pieces) -> lists:reverse(drop_empty(lists:reverse(Pieces))).

drop_empty([<<>> | Pieces]) -> drop_empty(Pieces);
drop_empty(Pieces) -> Pieces.

split_options([{scope, {At, Length}} | Rest], Options, Size) ->
    split_options(Rest, Options#{scope := stretch(Size, At, Length)}, Size);
split_options([global | Rest], Options, Size) ->
    split_options(Rest, Options#{global := true}, Size);
split_options([trim_all | Rest], Options, Size) ->
    split_options(Rest, Options#{trim := all}, Size);
split_options([trim | Rest], #{trim := none} = Options, Size) ->
    split_options(Rest, Options#{trim := tail}, Size);
split_options([trim | Rest], Options, Size) ->
    split_options(Rest, Options, Size);
split_options([_ | _], _Options, _Size) ->
    error(badarg);
split_options(_End, Options, _Size) ->
    Options.

%%% Arguments of searches

whole(Subject) when is_binary(Subject) -> {0, byte_size(Subject)};
whole(_Subject) -> error(badarg).

stretch(Size, At, Length) when is_integer(At), is_integer(Length), Length >= 0 ->
    inside(Size, At, At + Length);
stretch(Size, At, Length) when is_integer(At), is_integer(Length) ->
    inside(Size, At + Length, At);
stretch(_Size, _At, _Length) ->
    error(badarg).

inside(Size, From, To) when From >= 0, To =< Size -> {From, To};
inside(_Size, _From, _To) -> error(badarg).

%% The last scope counts, and all have to be inside.
scope([{scope, {At, Length}} | Options], _Before, Size) ->
    scope(Options, stretch(Size, At, Length), Size);
scope([_ | _], _Before, _Size) ->
    error(badarg);
scope(_End, Scope, _Size) ->
    Scope.

%% Nobody looks at how a list of options ends.
list(Options) when is_list(Options) -> Options;
list(_Wrong) -> error(badarg).

%% The patterns, the longest first; `unknown` if only the VM knows them. Where there is nothing to
%% search in, nobody looks at them on earlier releases.
-if(?OTP_RELEASE >= 27).
patterns(_To, Pattern) -> patterns(Pattern).
-else.
patterns(0, _Pattern) -> [];
patterns(_To, Pattern) -> patterns(Pattern).
-endif.

patterns(Pattern) when is_binary(Pattern) ->
    [not_empty(Pattern)];
patterns({Kind, [_ | _] = Patterns}) when Kind =:= bm; Kind =:= ac ->
    longest_first(all_not_empty(Patterns));
patterns({Kind, Reference}) when is_reference(Reference) ->
    case ?MODULE:decompile(Kind, Reference) of
        unknown -> unknown;
        Patterns -> longest_first(Patterns)
    end;
patterns([_ | _] = Patterns) ->
    longest_first(all_not_empty(Patterns));
patterns(_Pattern) ->
    error(badarg).

longest_first([_] = Only) ->
    Only;
longest_first(Patterns) ->
    lists:sort(fun(P1, P2) -> byte_size(P1) >= byte_size(P2) end, Patterns).

all_not_empty([Pattern | Patterns]) -> [not_empty(Pattern) | all_not_empty(Patterns)];
all_not_empty([]) -> [];
all_not_empty(_End) -> error(badarg).

not_empty(Pattern) when is_binary(Pattern), Pattern =/= <<>> -> Pattern;
not_empty(_Pattern) -> error(badarg).

%%% Copies and integers

%% Of nothing there is a copy of any bitstring on earlier releases.
-if(?OTP_RELEASE >= 27).
-define(IS_COPIED(Subject), is_binary(Subject)).
-else.
-define(IS_COPIED(Subject), is_bitstring(Subject)).
-endif.

-spec copy(binary(), non_neg_integer()) -> binary().
copy(Subject, 0) when ?IS_COPIED(Subject) -> <<>>;
copy(Subject, Times) when is_binary(Subject), is_integer(Times), Times > 0 ->
    copies(Subject, Times, <<>>);
copy(_Subject, _Times) ->
    error(badarg).

copies(_Subject, 0, Copies) -> Copies;
copies(Subject, Times, Copies) -> copies(Subject, Times - 1, <<Copies/binary, Subject/binary>>).

-spec decode_unsigned(binary()) -> non_neg_integer().
decode_unsigned(Subject) ->
    decode_unsigned(Subject, big).

-spec decode_unsigned(binary(), big | little) -> non_neg_integer().
decode_unsigned(Subject, big) when is_binary(Subject) ->
    value(erlang:binary_to_list(Subject), 0);
decode_unsigned(Subject, little) when is_binary(Subject) ->
    value(lists:reverse(erlang:binary_to_list(Subject)), 0);
decode_unsigned(_Subject, _Endianness) ->
    error(badarg).

value([Byte | Bytes], Value) -> value(Bytes, Value * 256 + Byte);
value([], Value) -> Value.

-spec encode_unsigned(non_neg_integer()) -> binary().
encode_unsigned(Value) ->
    encode_unsigned(Value, big).

-spec encode_unsigned(non_neg_integer(), big | little) -> binary().
encode_unsigned(Value, big) when is_integer(Value), Value >= 0 ->
    list_to_binary(digits(Value, []));
encode_unsigned(Value, little) when is_integer(Value), Value >= 0 ->
    list_to_binary(lists:reverse(digits(Value, [])));
encode_unsigned(_Value, _Endianness) ->
    error(badarg).

digits(Value, Digits) when Value < 256 -> [Value | Digits];
digits(Value, Digits) -> digits(Value div 256, [Value rem 256 | Digits]).

%%% What several have in common

-spec longest_common_prefix([binary()]) -> non_neg_integer().
longest_common_prefix([First | Others]) ->
    common(bytes(First), all_lists(Others), 0);
longest_common_prefix(_Wrong) ->
    error(badarg).

-spec longest_common_suffix([binary()]) -> non_neg_integer().
longest_common_suffix([First | Others]) ->
    Reversed = [lists:reverse(Other) || Other <- all_lists(Others)],
    common(lists:reverse(bytes(First)), Reversed, 0);
longest_common_suffix(_Wrong) ->
    error(badarg).

all_lists([Binary | Binaries]) -> [bytes(Binary) | all_lists(Binaries)];
all_lists([]) -> [];
all_lists(_End) -> error(badarg).

bytes(Binary) when is_binary(Binary) -> erlang:binary_to_list(Binary);
bytes(_Wrong) -> error(badarg).

common([Byte | Bytes], Others, Count) ->
    case tails(Byte, Others) of
        differ -> Count;
        Tails -> common(Bytes, Tails, Count + 1)
    end;
common([], _Others, Count) ->
    Count.

tails(Byte, [[Byte | Bytes] | Others]) ->
    case tails(Byte, Others) of
        differ -> differ;
        Tails -> [Bytes | Tails]
    end;
tails(_Byte, [_ | _]) ->
    differ;
tails(_Byte, []) ->
    [].

%%% Lists and numerals

-spec binary_to_list(binary(), pos_integer(), pos_integer()) -> [byte()].
binary_to_list(Subject, First, Last) when
    is_bitstring(Subject), is_integer(First), is_integer(Last), First >= 1, First =< Last
->
    erlang:binary_to_list(binary_part(Subject, First - 1, Last - First + 1));
binary_to_list(_Subject, _First, _Last) ->
    error(badarg).

-spec binary_to_integer(binary()) -> integer().
binary_to_integer(Subject) when is_binary(Subject) ->
    list_to_integer(erlang:binary_to_list(Subject));
binary_to_integer(_Subject) ->
    error(badarg).

-spec binary_to_integer(binary(), 2..36) -> integer().
binary_to_integer(Subject, Base) when is_binary(Subject) ->
    list_to_integer(erlang:binary_to_list(Subject), Base);
binary_to_integer(_Subject, _Base) ->
    error(badarg).

-spec integer_to_binary(integer()) -> binary().
integer_to_binary(Value) ->
    list_to_binary(integer_to_list(Value)).

-spec integer_to_binary(integer(), 2..36) -> binary().
integer_to_binary(Value, Base) ->
    list_to_binary(integer_to_list(Value, Base)).
