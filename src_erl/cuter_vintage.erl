%% Code that the compiler of another release has made.
%%
%% The machine runs what the compiler at hand makes of the abstract code in a beam file. Where
%% compilers differ in what that code does, and it is known how, it is changed to what the one that
%% made the file did.
-module(cuter_vintage).

-export([is_of_this_release/1, version/1, adapted/3]).

-type forms() :: [erl_parse:abstract_form() | erl_parse:form_info()].
%% None for what was made by the compiler of another language, or that tells no version.
-type version() :: [non_neg_integer()] | none.

%% From this version on (OTP 25), `badrecord` comes with the value that is no such record; before,
%% it came with the record's name.
-define(BADRECORD_HAS_VALUE, [8, 2]).

%% Versions of the compiler that differ behind the second number belong to one release.
-spec is_of_this_release(module()) -> boolean().
is_of_this_release(Module) ->
    case code:ensure_loaded(Module) of
        {module, Module} -> is_at_hand(version(erlang:get_module_info(Module, compile)));
        {error, _} -> true
    end.

is_at_hand(none) ->
    true;
is_at_hand(Version) ->
    _ = application:load(compiler),
    {ok, AtHand} = application:get_key(compiler, vsn),
    lists:sublist(Version, 2) =:= lists:sublist(numbers(AtHand), 2).

%% The version of the compiler in what a beam file tells of its making.
-spec version([{atom(), term()}]) -> version().
version(Info) ->
    case lists:keyfind(version, 1, Info) of
        {version, Version} -> numbers(Version);
        false -> none
    end.

numbers(Version) ->
    try
        [list_to_integer(Number) || Number <- string:lexemes(Version, ".")]
    catch
        error:_ -> none
    end.

%% What the compiler at hand has to be given, with these options, to make what that one made.
-spec adapted(forms(), version(), [compile:option()]) -> forms().
adapted(Forms, Version, Options) when is_list(Version), Version < ?BADRECORD_HAS_VALUE ->
    named(erl_expand_records:module(Forms, Options));
adapted(Forms, _Version, _Options) ->
    Forms.

%% The failures of expanded records, with names in place of values.
named({'case', _, _, [{clause, _, [{tuple, _, [{atom, _, Name} | _]}], [], _}, _]} = Case) ->
    {'case', Anno, Value, [Match, Otherwise]} = Case,
    {'case', Anno, named(Value), [named(Match), failing(Otherwise, Name)]};
named(Form) when is_tuple(Form) ->
    list_to_tuple(named(tuple_to_list(Form)));
named([Form | Forms]) ->
    [named(Form) | named(Forms)];
named(Form) ->
    Form.

failing({clause, Anno, Pattern, [], [{call, At, Error, [Reason]}]} = Clause, Name) ->
    case {erl_anno:generated(Anno), Reason} of
        {true, {tuple, There, [{atom, _, badrecord} = Tag, _Value]}} ->
            Named = {tuple, There, [Tag, {atom, There, Name}]},
            {clause, Anno, Pattern, [], [{call, At, Error, [Named]}]};
        _ ->
            named(Clause)
    end;
failing(Clause, _Name) ->
    named(Clause).
