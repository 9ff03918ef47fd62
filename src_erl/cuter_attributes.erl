%% What a module says about its functions beyond their specs:
%%
%%     -cuter({insert/2, #{pre => is_sorted/2, raises => [badarg, {error, {bad_key, '_'}}]}}).
%%
%% The options of a function can be a map or a property list, and several functions can be in one
%% list. To Erlang's parser, `{insert, 2}` is the same as `insert/2`. A predicate of another module
%% is `{Module, Name}` or `fun Module:Name/2`. Any option of `cuter:run/4` can be given.
-module(cuter_attributes).

-export([of_module/1, of_function/1, format_error/1]).

-export_type([description/0]).

-type name() :: {atom(), arity()}.
-type description() :: {cuter_forms:place(), complaint()}.
-type complaint() ::
    {not_an_attribute, term()}
    | {no_such_function, atom(), arity()}
    | {given_twice, atom(), atom(), arity()}
    | {options, module(), term()}.
-type error() :: {error, {?MODULE, description()}}.

%% The options that a module gives for one of its functions.
-spec of_function(mfa()) -> {ok, cuter_options:options()} | error() | cuter_core:error().
of_function({Module, Function, Arity}) ->
    case of_module(Module) of
        {ok, Attributes} -> {ok, maps:get({Function, Arity}, Attributes, #{})};
        {error, _} = Error -> Error
    end.

%% All attributes of a module, checked.
-spec of_module(module()) ->
    {ok, #{name() => cuter_options:options()}} | error() | cuter_core:error().
of_module(Module) ->
    case cuter_forms:definitions(Module) of
        {ok, Definitions} -> read(Definitions);
        {error, _} = Error -> Error
    end.

read(#{attributes := Attributes} = Definitions) ->
    Single = [{Place, Value} || {Place, Values} <- Attributes, Value <- several(Values)],
    try lists:foldl(fun(A, Acc) -> attribute(A, Definitions, Acc) end, #{}, Single) of
        Read -> {ok, Read}
    catch
        throw:{complaint, Place, Complaint} -> {error, {?MODULE, {Place, Complaint}}}
    end.

several([_ | _] = Values) ->
    try length(Values) of
        _ -> Values
    catch
        error:badarg -> [Values]
    end;
several(Value) ->
    [Value].

attribute({Place, {{Name, Arity}, Given}}, Definitions, Read) when
    is_atom(Name), is_integer(Arity)
->
    ok = check_function({Name, Arity}, Place, Definitions),
    Mfa = {maps:get(module, Definitions), Name, Arity},
    Options = options(Given, Place, Mfa),
    Before = maps:get({Name, Arity}, Read, #{}),
    ok = check_new(maps:keys(maps:with(maps:keys(Options), Before)), {Name, Arity}, Place),
    Read#{{Name, Arity} => maps:merge(Before, Options)};
attribute({Place, Value}, _Definitions, _Read) ->
    complain(Place, {not_an_attribute, Value}).

check_function({Name, Arity} = Function, Place, Definitions) ->
    case cuter_forms:exists(Function, Definitions) of
        true -> ok;
        false -> complain(Place, {no_such_function, Name, Arity})
    end.

check_new([], _Function, _Place) -> ok;
check_new([Key | _], {Name, Arity}, Place) -> complain(Place, {given_twice, Key, Name, Arity}).

options(Given, Place, Mfa) ->
    case cuter_options:parse(Given) of
        {ok, Options} -> resolved(cuter_options:resolve(Options, Mfa), Place);
        {error, {Module, Description}} -> complain(Place, {options, Module, Description})
    end.

resolved({ok, Options}, _Place) -> Options;
resolved({error, {Module, Why}}, Place) -> complain(Place, {options, Module, Why}).

-spec complain(cuter_forms:place(), complaint()) -> no_return().
complain(Place, Complaint) ->
    throw({complaint, Place, Complaint}).

-spec format_error(description()) -> iolist().
format_error({Place, Complaint}) ->
    [cuter_forms:format_place(Place), ": ", complaint(Complaint)].

complaint({not_an_attribute, Value}) ->
    io_lib:format(
        "a cuter attribute is {Function/Arity, Options} with a map of options, not ~tp.", [Value]
    );
complaint({no_such_function, Name, Arity}) ->
    io_lib:format("there is a cuter attribute for function ~tp/~b, which does not exist.", [
        Name, Arity
    ]);
complaint({given_twice, Key, Name, Arity}) ->
    io_lib:format("option ~tp of ~tp/~b was given before; give it once.", [Key, Name, Arity]);
complaint({options, Module, Description}) ->
    Module:format_error(Description).
