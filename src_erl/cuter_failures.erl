%% Which failures are the same: one per distinct place and reason.
%%
%% The place is the innermost stack frame of user code. User code is every module outside of OTP,
%% and the module under test even if it is part of OTP. An exception raised by user code is told
%% apart by place, class and shape of the reason, and a division by zero from what is no number.
%% One raised by library code below it, likewise; but all the ways in which no clause of that
%% library module matched count as one: the library rejected its arguments. So do all functions that
%% do not exist where the name of what is called is computed.
-module(cuter_failures).

-export([distinct/2, key/2, is_expected/2, is_otp/1, is_user/2]).

-export_type([failure/0, key/0]).

-type class() :: error | exit | throw.
-type failure() :: #{
    input := [term()],
    class := class(),
    reason := term(),
    stacktrace := list(),
    _ => _
}.
-type place() :: {module(), atom(), arity(), Line :: non_neg_integer()}.
-type key() :: {place(), Raiser :: user | {library, module()}, atom(), Shape :: term()}.

%% One failure per key, in the order in which the keys were first found; of equal ones the smallest.
-spec distinct(mfa(), [failure()]) -> [failure()].
distinct(UnderTest, Failures) ->
    Keyed = [{key(UnderTest, Failure), Failure} || Failure <- Failures],
    Smallest = lists:foldl(fun keep_smaller/2, #{}, Keyed),
    [maps:get(Key, Smallest) || Key <- unique([Key || {Key, _} <- Keyed])].

keep_smaller({Key, Failure}, Kept) ->
    maps:update_with(Key, fun(Other) -> smaller(Failure, Other) end, Failure, Kept).

smaller(#{input := Input} = Failure, #{input := OtherInput} = Other) ->
    case weight(Input) < weight(OtherInput) of
        true -> Failure;
        false -> Other
    end.

weight(Input) ->
    {erlang:external_size(Input), Input}.

unique([]) -> [];
unique([Key | Keys]) -> [Key | unique([K || K <- Keys, K =/= Key])].

%% Whether the function may raise this. A pattern is a reason, whatever the class, or
%% `{Class, Reason}`; `'_'` in it matches anything.
-spec is_expected(#{class := class(), reason := term(), _ => _}, Patterns :: [term()]) ->
    boolean().
is_expected(#{class := Class, reason := Reason}, Patterns) ->
    lists:any(fun(Pattern) -> is_raised(Pattern, Class, Reason) end, Patterns).

is_raised({Class, Pattern}, Raised, Reason) when
    Class =:= error; Class =:= exit; Class =:= throw
->
    Class =:= Raised andalso matches(Pattern, Reason);
is_raised(Pattern, _Raised, Reason) ->
    matches(Pattern, Reason).

matches('_', _Term) ->
    true;
matches([Pattern | Patterns], [Term | Terms]) ->
    matches(Pattern, Term) andalso matches(Patterns, Terms);
matches(Pattern, Term) when is_tuple(Pattern), tuple_size(Pattern) =:= tuple_size(Term) ->
    matches(tuple_to_list(Pattern), tuple_to_list(Term));
matches(Pattern, Term) when is_map(Pattern), map_size(Pattern) =:= map_size(Term) ->
    lists:all(
        fun({Key, Value}) -> is_map_key(Key, Term) andalso matches(Value, map_get(Key, Term)) end,
        maps:to_list(Pattern)
    );
matches(Pattern, Term) ->
    Pattern =:= Term.

%% What tells a failure apart from others.
-spec key(mfa(), failure()) -> key().
key(UnderTest, #{class := Class, reason := Reason, stacktrace := Stacktrace}) ->
    {Missing, Frames} = split_missing(Reason, Stacktrace),
    {Library, User} = lists:splitwith(fun(F) -> not is_user_frame(F, UnderTest) end, Frames),
    Raiser = raiser(Library),
    Place = place(User, UnderTest),
    Shape =
        case is_division_by_zero(Reason, Frames) of
            true -> division_by_zero;
            false -> shape(Raiser, Class, Reason, [named(Mfa, Place) || Mfa <- Missing])
        end,
    {Place, Raiser, Class, Shape}.

%% An operator rejects what is no number, and that is another mistake.
is_division_by_zero(badarith, [{erlang, Operator, [A, B], _} | _]) ->
    lists:member(Operator, ['/', 'div', 'rem']) andalso is_number(A) andalso B == 0;
is_division_by_zero(_Reason, _Frames) ->
    false.

%% A function that does not exist has a frame of its own, but the place is that of its caller.
split_missing(undef, [{Module, Function, Args, _} | Frames]) ->
    {[{Module, Function, arity(Args)}], Frames};
split_missing(_Reason, Frames) ->
    {[], Frames}.

%% Where the name was computed it is another one for each input.
named(Missing, {Caller, _, _, _}) ->
    case cuter_imports:of_module(Caller) of
        {ok, Imports} ->
            case lists:member(Missing, Imports) of
                true -> Missing;
                false -> computed
            end;
        unknown ->
            Missing
    end.

is_user_frame({Module, _, _, _}, UnderTest) -> is_user(Module, UnderTest);
is_user_frame(_Frame, _UnderTest) -> false.

%% Whether a module is the user's own.
-spec is_user(module(), mfa()) -> boolean().
is_user(Module, {Module, _, _}) -> true;
is_user(Module, _UnderTest) -> not is_otp(Module).

%% Whether a module is part of OTP.
-spec is_otp(module()) -> boolean().
is_otp(Module) ->
    case code:which(Module) of
        preloaded -> true;
        [_ | _] = Path -> cuter_core:is_otp(Path);
        _ -> false
    end.

%% Built-in functions are called by the user's code itself. Of a library, it is the module that the
%% user's code called that counts.
raiser([]) -> user;
raiser([{erlang, _, _, _}]) -> user;
raiser(Library) -> {library, element(1, lists:last(Library))}.

%% Without a user frame the function under test ended in a tail call into a library.
place([{Module, Function, Args, Location} | _], _UnderTest) ->
    {Module, Function, arity(Args), proplists:get_value(line, Location, 0)};
place([], {Module, Function, Arity}) ->
    {Module, Function, Arity, 0}.

arity(Args) when is_list(Args) -> length(Args);
arity(Arity) -> Arity.

shape(_Raiser, error, undef, [Missing]) -> {undef, Missing};
shape({library, _}, error, Reason, []) -> library_shape(shape(Reason));
shape(_Raiser, _Class, Reason, _Missing) -> shape(Reason).

library_shape(Shape) ->
    case lists:member(Shape, no_clause_matches()) of
        true -> rejected;
        false -> Shape
    end.

no_clause_matches() ->
    [
        function_clause,
        if_clause,
        {badmatch, 2},
        {case_clause, 2},
        {else_clause, 2},
        {try_clause, 2}
    ].

%% A tuple by tag and size, an atom as it is, any other term by its type.
shape(Reason) when is_atom(Reason) -> Reason;
shape(Reason) when is_tuple(Reason), is_atom(element(1, Reason)) ->
    {element(1, Reason), tuple_size(Reason)};
shape(Reason) when is_tuple(Reason) -> {tuple, tuple_size(Reason)};
shape(Reason) when is_integer(Reason) -> {type, integer};
shape(Reason) when is_float(Reason) -> {type, float};
shape(Reason) when is_list(Reason) -> {type, list};
shape(Reason) when is_map(Reason) -> {type, map};
shape(Reason) when is_bitstring(Reason) -> {type, bitstring};
shape(Reason) when is_function(Reason) -> {type, function};
shape(_Reason) -> {type, identifier}.
