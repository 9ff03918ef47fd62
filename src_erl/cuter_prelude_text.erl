%% Numbers and atoms from text and back, written again for symbolic arguments.
%%
%% The engine calls these in place of the built-in functions when an argument is symbolic: digit by
%% digit, with arithmetic that can be solved. Reasons of exceptions are those of the built-in
%% functions. Floats whose text has more digits than a float can hold are read by the VM.
-module(cuter_prelude_text).

-compile(
    {no_auto_import, [
        integer_to_list/1,
        integer_to_list/2,
        list_to_integer/1,
        list_to_integer/2,
        list_to_float/1,
        binary_to_float/1,
        atom_to_binary/2,
        binary_to_atom/2,
        list_to_existing_atom/1,
        binary_to_existing_atom/2
    ]}
).

-export([integer_to_list/1, integer_to_list/2, list_to_integer/1, list_to_integer/2]).
-export([list_to_float/1, binary_to_float/1]).
-export([atom_to_binary/2, binary_to_atom/2]).
-export([list_to_existing_atom/1, binary_to_existing_atom/2]).
%% A built-in function of the engine
-export([is_in_code/1]).

%% All integers up to here are floats too, and so are the powers of ten.
-define(EXACT, 9007199254740992).
-define(EXACT_POWER, 22).

%% The longest name of an atom, in characters.
-define(MAX_NAME, 255).

-type base() :: 2..36.
-type encoding() :: latin1 | utf8 | unicode.

%%% Integers

-spec integer_to_list(integer()) -> string().
integer_to_list(Integer) ->
    integer_to_list(Integer, 10).

-spec integer_to_list(integer(), base()) -> string().
integer_to_list(Integer, Base) ->
    case is_integer(Integer) andalso is_base(Base) of
        true when Integer < 0 -> [$- | digits(-Integer, Base, [])];
        true -> digits(Integer, Base, []);
        false -> error(badarg)
    end.

is_base(Base) ->
    is_integer(Base) andalso Base >= 2 andalso Base =< 36.

digits(Integer, Base, Text) when Integer < Base ->
    [character(Integer) | Text];
digits(Integer, Base, Text) ->
    digits(Integer div Base, Base, [character(Integer rem Base) | Text]).

character(Digit) when Digit < 10 -> $0 + Digit;
character(Digit) -> $A + Digit - 10.

-spec list_to_integer(string()) -> integer().
list_to_integer(Text) ->
    list_to_integer(Text, 10).

-spec list_to_integer(string(), base()) -> integer().
list_to_integer(Text, Base) ->
    case is_base(Base) of
        true -> signed(Text, Base);
        false -> error(badarg)
    end.

signed([$- | Text], Base) -> -unsigned(Text, Base);
signed([$+ | Text], Base) -> unsigned(Text, Base);
signed(Text, Base) -> unsigned(Text, Base).

unsigned([_ | _] = Text, Base) -> number(Text, Base, 0);
unsigned(_, _Base) -> error(badarg).

number([Character | Text], Base, Sum) ->
    number(Text, Base, Sum * Base + digit(Character, Base));
number([], _Base, Sum) ->
    Sum;
number(_, _Base, _Sum) ->
    error(badarg).

%% As few questions as possible, because they are asked of every character.
digit(C, Base) when is_integer(C), C =< $9 -> in_range(C - $0, 0, Base);
digit(C, Base) when is_integer(C), Base > 10 -> letter(C, Base);
digit(_, _Base) -> error(badarg).

letter(C, Base) when C =< $Z -> in_range(C - $A + 10, 10, Base);
letter(C, Base) -> in_range(C - $a + 10, 10, Base).

in_range(Digit, Least, Base) when Digit >= Least, Digit < Base -> Digit;
in_range(_Digit, _Least, _Base) -> error(badarg).

%%% Floats

-spec list_to_float(string()) -> float().
list_to_float(Text) ->
    case float_of(Text) of
        unclear -> erlang:list_to_float(Text);
        Float -> Float
    end.

-spec binary_to_float(binary()) -> float().
binary_to_float(Binary) ->
    case is_binary(Binary) andalso float_of(binary_to_list(Binary)) of
        false -> error(badarg);
        unclear -> erlang:binary_to_float(Binary);
        Float -> Float
    end.

%% It is `unclear` where the built-in function has to be asked.
float_of([$- | Text]) ->
    case fraction(Text) of
        {0, _} -> unclear;
        Parts -> negated(value(Parts))
    end;
float_of([$+ | Text]) ->
    value(fraction(Text));
float_of(Text) ->
    value(fraction(Text)).

%% The digits of the number as one integer, and the power of ten that it is to be multiplied with.
%% A character zero ends the text for some VMs: it is `unclear` then.
fraction(Text) ->
    {Whole, Point} = leading(Text, 0, 0),
    {Digits, Decimals, Rest} = decimals(Whole, Point),
    case exponent(Rest) of
        unclear -> unclear;
        Exponent -> {Digits, Exponent - Decimals}
    end.

%% Digits, at least one, and what follows.
leading([C | Text], Sum, Count) when is_integer(C), C >= $0, C =< $9 ->
    leading(Text, Sum * 10 + C - $0, Count + 1);
leading(Text, Sum, Count) when Count > 0 ->
    {Sum, Text};
leading(_, _Sum, _Count) ->
    error(badarg).

decimals(Whole, [C | Text]) when C =:= $.; C =:= $, ->
    decimals(Text, Whole, 0);
decimals(_Whole, _) ->
    error(badarg).

decimals([C | Text], Sum, Count) when is_integer(C), C >= $0, C =< $9 ->
    decimals(Text, Sum * 10 + C - $0, Count + 1);
decimals(Text, Sum, Count) when Count > 0 ->
    {Sum, Count, Text};
decimals(_, _Sum, _Count) ->
    error(badarg).

exponent([]) -> 0;
exponent([C | Text]) when C =:= $e; C =:= $E -> signed_power(Text);
exponent([0 | _]) -> unclear;
exponent(_) -> error(badarg).

signed_power([$- | Text]) -> negated(power(leading(Text, 0, 0)));
signed_power([$+ | Text]) -> power(leading(Text, 0, 0));
signed_power(Text) -> power(leading(Text, 0, 0)).

power({Power, []}) -> Power;
power({_Power, [0 | _]}) -> unclear;
power(_) -> error(badarg).

negated(unclear) -> unclear;
negated(Number) -> -Number.

value({Digits, Power}) when Digits =< ?EXACT, Power =< 0, Power >= -?EXACT_POWER ->
    Digits / ten_to(-Power);
value({Digits, Power}) when Digits =< ?EXACT, Power >= 0, Power =< ?EXACT_POWER ->
    case Digits * ten_to(Power) of
        Large when Large > ?EXACT -> unclear;
        Whole -> float(Whole)
    end;
value(_Parts) ->
    unclear.

ten_to(0) -> 1;
ten_to(Power) -> 10 * ten_to(Power - 1).

%%% Atoms

-spec atom_to_binary(atom(), encoding()) -> binary().
atom_to_binary(Atom, Encoding) ->
    encoded(atom_to_list(Atom), character_set(Encoding), <<>>).

character_set(latin1) -> latin1;
character_set(utf8) -> utf8;
character_set(unicode) -> utf8;
character_set(_) -> error(badarg).

encoded([C | Text], utf8, Bytes) -> encoded(Text, utf8, <<Bytes/binary, C/utf8>>);
encoded([C | Text], latin1, Bytes) when C < 256 -> encoded(Text, latin1, <<Bytes/binary, C>>);
encoded([], _Set, Bytes) -> Bytes;
encoded(_, _Set, _Bytes) -> error(badarg).

-spec binary_to_atom(binary(), encoding()) -> atom().
binary_to_atom(Binary, Encoding) ->
    Set = character_set(Encoding),
    case is_binary(Binary) of
        true -> list_to_atom(decoded(Binary, Set, ?MAX_NAME, Binary));
        false -> error(badarg)
    end.

decoded(<<>>, _Set, _Left, _Whole) -> [];
decoded(_, _Set, 0, _Whole) -> error(system_limit);
decoded(<<C/utf8, Rest/binary>>, utf8, Left, Whole) -> [C | decoded(Rest, utf8, Left - 1, Whole)];
decoded(<<C, Rest/binary>>, latin1, Left, Whole) -> [C | decoded(Rest, latin1, Left - 1, Whole)];
decoded(_, _Set, _Left, Whole) when byte_size(Whole) > 4 * ?MAX_NAME -> error(system_limit);
decoded(_, _Set, _Left, _Whole) -> error(badarg).

%% Atoms that the code names exist. Whether there are others, the VM knows.
-spec list_to_existing_atom(string()) -> atom().
list_to_existing_atom(Text) ->
    Atom = of_some_length(fun() -> list_to_atom(Text) end),
    case ?MODULE:is_in_code(Atom) of
        true -> Atom;
        false -> known(Atom, erlang:list_to_existing_atom(Text))
    end.

-spec binary_to_existing_atom(binary(), encoding()) -> atom().
binary_to_existing_atom(Binary, Encoding) ->
    Atom = of_some_length(fun() -> binary_to_atom(Binary, Encoding) end),
    case ?MODULE:is_in_code(Atom) of
        true -> Atom;
        false -> known(Atom, erlang:binary_to_existing_atom(Binary, Encoding))
    end.

%% There is no atom with a name that is too long.
of_some_length(Make) ->
    try
        Make()
    catch
        error:system_limit -> error(badarg)
    end.

%% The same atom, as the text makes it.
known(Atom, _Concrete) -> Atom.

%% Whether the module under test names an atom.
-spec is_in_code(atom()) -> boolean().
is_in_code(Atom) ->
    erlang:nif_error({not_in_the_engine, Atom}).
