%% A function that is to be explored or interpreted: everything that is checked and looked up before
%% the engine starts, one step after the other.
-module(cuter_target).

-export([to_explore/4, to_interpret/4, valid/1, format_error/1]).

-export_type([target/0, description/0]).

-type target() :: #{
    mfa := mfa(),
    seeds := cuter_seeds:seeds(),
    %% Those of the call before those of the module's attributes.
    options := cuter_options:options(),
    %% None without a spec, or if it is to be ignored.
    signature => cuter_spec:signature()
}.
-type description() ::
    {not_names, term(), term()}
    | {not_exported, module(), atom(), arity()}
    | {wrong_arity, module(), atom(), arity(), [arity()]}.
-type error() :: {error, {module(), term()}}.
-type step() :: fun((map()) -> {ok, map()} | error()).

-spec to_explore(module(), atom(), cuter_seeds:given(), cuter_options:given()) ->
    {ok, target()} | error().
to_explore(Module, Function, Input, Options) ->
    Steps = [fun attributes/1, fun resolve/1, fun signature/1, fun seeds/1, fun questions/1],
    Given = #{module => Module, function => Function, input => Input, given => Options},
    take(found() ++ Steps ++ runnable(), Given).

%% Attributes and specs do not matter to one call.
-spec to_interpret(module(), atom(), [term()], cuter_options:given()) ->
    {ok, target()} | error().
to_interpret(Module, Function, Args, Options) ->
    Input = #{module => Module, function => Function, input => {args, Args}, given => Options},
    take(found() ++ runnable(), Input).

%% Whether an input may be tried: it is in the spec, and the precondition holds.
-spec valid(target()) -> fun(([term()]) -> boolean()).
valid(#{options := Options} = Target) ->
    fun(Input) -> is_in_spec(Input, Target) andalso is_permitted(Input, Options) end.

is_in_spec(Input, #{signature := Signature}) -> cuter_type_check:is_input(Input, Signature);
is_in_spec(_Input, #{}) -> true.

is_permitted(Input, #{pre := Predicate}) -> cuter_precondition:holds(Predicate, Input);
is_permitted(_Input, #{}) -> true.

-spec format_error(description()) -> iolist().
format_error({not_names, Module, Function}) ->
    io_lib:format("A function is named by two atoms, not by ~ts and ~ts.", [
        cuter_text:given(Module), cuter_text:given(Function)
    ]);
format_error({not_exported, Module, Function, Arity}) ->
    io_lib:format(
        "Function ~tp:~tp/~b is not exported; export it to explore it.", [Module, Function, Arity]
    );
format_error({wrong_arity, Module, Function, Given, Arities}) ->
    io_lib:format(
        "Function ~tp:~tp takes ~ts, not ~b; give one list element for each argument.",
        [Module, Function, argument_counts(Arities), Given]
    ).

argument_counts([1]) ->
    "1 argument";
argument_counts(Arities) ->
    [lists:join(" or ", [integer_to_list(Arity) || Arity <- Arities]), " arguments"].

%%% Steps

-spec take([step()], map()) -> {ok, map()} | error().
take([], Target) ->
    {ok, Target};
take([Step | Steps], Target) ->
    case Step(Target) of
        {ok, Next} -> take(Steps, Next);
        {error, _} = Error -> Error
    end.

found() ->
    [fun options/1, fun names/1, fun arity/1, fun exported/1].

runnable() ->
    [fun code/1, fun engine/1].

options(#{given := Given} = Target) ->
    case cuter_options:parse(Given) of
        {ok, Options} -> {ok, Target#{options => Options}};
        {error, _} = Error -> Error
    end.

names(#{module := Module, function := Function} = Target) when is_atom(Module), is_atom(Function) ->
    case code:ensure_loaded(Module) of
        {module, Module} -> {ok, Target#{arities => arities(Module, Function)}};
        {error, nofile} -> {error, {cuter_core, {no_such_module, Module}}};
        {error, Reason} -> {error, {cuter_core, {cannot_be_loaded, Module, Reason}}}
    end;
names(#{module := Module, function := Function}) ->
    failed({not_names, Module, Function}).

arities(Module, Function) ->
    Exports = erlang:get_module_info(Module, exports),
    lists:sort([Arity || {Name, Arity} <- Exports, Name =:= Function]).

arity(#{module := Module, function := Function, input := Input, arities := Arities} = Target) ->
    case cuter_seeds:read(Input, Arities) of
        {ok, Arity, Seeds} -> {ok, Target#{mfa => {Module, Function, Arity}, seeds => Seeds}};
        {error, _} = Error -> Error
    end.

exported(#{mfa := {Module, Function, Arity}, arities := Arities} = Target) ->
    case {lists:member(Arity, Arities), Arities} of
        {true, _} -> {ok, Target};
        {false, []} -> failed({not_exported, Module, Function, Arity});
        {false, _} -> failed({wrong_arity, Module, Function, Arity, Arities})
    end.

attributes(#{mfa := Mfa, options := Options} = Target) ->
    case cuter_attributes:of_function(Mfa) of
        {ok, Attributes} -> {ok, Target#{options := maps:merge(Attributes, Options)}};
        {error, _} = Error -> Error
    end.

resolve(#{mfa := Mfa, options := Options} = Target) ->
    case cuter_options:resolve(Options, Mfa) of
        {ok, Resolved} -> {ok, Target#{options := Resolved}};
        {error, _} = Error -> Error
    end.

signature(#{options := #{ignore_specs := true}} = Target) ->
    {ok, Target};
signature(#{mfa := {Module, Function, Arity}} = Target) ->
    case cuter_spec:signature(Module, Function, Arity) of
        {ok, Signature} -> {ok, Target#{signature => Signature}};
        none -> {ok, Target};
        {error, _} = Error -> Error
    end.

%% Those of the call first.
seeds(#{seeds := Seeds, options := Options} = Target) ->
    {ok, Target#{seeds := Seeds ++ (maps:get(seeds, Options, []) -- Seeds)}}.

questions(#{mfa := Mfa, options := #{smt_dir := Dir}} = Target) ->
    case cuter_smt_dir:prepare(Dir, Mfa) of
        ok -> {ok, Target};
        {error, _} = Error -> Error
    end;
questions(Target) ->
    {ok, Target}.

code(#{module := Module} = Target) ->
    case cuter_core:explain(Module) of
        {ok, _} -> {ok, Target};
        {error, _} = Error -> Error
    end.

engine(Target) ->
    case cuter_nif:loaded() of
        ok -> {ok, Target};
        {error, _} = Error -> Error
    end.

failed(Description) ->
    {error, {?MODULE, Description}}.
