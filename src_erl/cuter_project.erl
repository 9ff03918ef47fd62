%% Which functions of a project are explored.
-module(cuter_project).

-export([functions/2, modules/1, format_error/1]).

-export_type([module_file/0, description/0]).

%% A module of the project and its beam file.
-type module_file() :: {module(), file:filename()}.
-type description() ::
    {no_module, module()}
    | {no_function, {atom(), arity() | any}}
    | {no_code, module()}
    | {several_functions, [mfa()]}
    | {other_arity, mfa(), non_neg_integer()}
    | no_functions.
-type target() :: {mfa(), Seeds :: [[term()]]}.

%% The modules of an application, by its ebin directory.
-spec modules(file:filename()) -> [module_file()].
modules(Ebin) ->
    [
        {list_to_atom(filename:basename(Beam, ".beam")), Beam}
     || Beam <- lists:sort(filelib:wildcard(filename:join(Ebin, "*.beam")))
    ].

%% The functions to explore and their first inputs, in the order of modules and sources.
-spec functions([module_file()], cuter_cli:plan()) ->
    {ok, [target()]} | {error, {?MODULE, description()}}.
functions(Files, Plan) ->
    try
        Chosen = lists:append([of_module(File, Plan) || File <- wanted(Files, Plan)]),
        {ok, complete([Mfa || Mfa <- Chosen, not is_skipped(Mfa, Plan)], Plan)}
    catch
        throw:Description -> {error, {?MODULE, Description}}
    end.

%% Modules that were asked for by name may be of a dependency or of OTP.
wanted(Files, #{modules := []}) ->
    Files;
wanted(Files, #{modules := Modules}) ->
    [find(Module, lists:keyfind(Module, 1, Files)) || Module <- Modules].

find(_Module, {_, _} = File) ->
    File;
find(Module, false) ->
    case code:which(Module) of
        [_ | _] = Beam -> {Module, Beam};
        _ -> throw({no_module, Module})
    end.

of_module({Module, Beam}, Plan) ->
    case {cuter_abstract:of_beam(Beam), Plan} of
        {{ok, Forms}, _} ->
            Exports = cuter_abstract:exports(Forms),
            [{Module, F, A} || {F, A} <- Exports, is_wanted(Module, F, A, Forms, Plan)];
        {none, #{modules := [], functions := []}} ->
            [];
        {none, #{modules := [_ | _]}} ->
            throw({no_code, Module});
        {none, _} ->
            []
    end.

%% Who names a function wants it, with or without a spec.
is_wanted(Module, F, A, Forms, #{functions := []} = Plan) ->
    #{all := All, seeds := Seeds} = Plan,
    All orelse cuter_abstract:has_spec({F, A}, Forms) orelse seeds({Module, F, A}, Seeds) =/= [];
is_wanted(_Module, F, A, _Forms, #{functions := Functions}) ->
    lists:any(fun({Name, Arity}) -> Name =:= F andalso takes(Arity, A) end, Functions).

takes(any, _) -> true;
takes(Arity, Given) -> Arity =:= Given.

is_skipped({Module, F, A}, #{skip := Skip}) ->
    lists:any(fun(Item) -> lists:member(Item, Skip) end, [Module, {Module, F}, {Module, F, A}]).

seeds({Module, Function, Arity}, Seeds) ->
    [Args || {M, F, Args} <- Seeds, M =:= Module, F =:= Function, length(Args) =:= Arity].

complete([], #{functions := [Function | _]}) ->
    throw({no_function, Function});
complete([], _Plan) ->
    throw(no_functions);
complete([Mfa], #{seed_input := Input}) when is_list(Input) ->
    with_input(Mfa, Input);
complete(Functions, #{seed_input := Input}) when is_list(Input) ->
    case [Mfa || {_, _, A} = Mfa <- Functions, A =:= length(Input)] of
        [Mfa] -> with_input(Mfa, Input);
        [] -> with_input(hd(Functions), Input);
        Several -> throw({several_functions, Several})
    end;
complete(Functions, #{functions := Names, seeds := Seeds}) ->
    [throw({no_function, Name}) || {F, A} = Name <- Names, not has(F, A, Functions)],
    [{Mfa, seeds(Mfa, Seeds)} || Mfa <- Functions].

has(Name, Arity, Functions) ->
    lists:any(fun({_, F, A}) -> F =:= Name andalso takes(Arity, A) end, Functions).

with_input({_, _, Arity} = Mfa, Input) when length(Input) =:= Arity -> [{Mfa, [Input]}];
with_input(Mfa, Input) -> throw({other_arity, Mfa, length(Input)}).

-spec format_error(description()) -> iolist().
format_error({no_module, Module}) ->
    io_lib:format("There is no module ~tp in this project; check --module.", [Module]);
format_error({no_function, {Name, any}}) ->
    io_lib:format(
        "There is no exported function ~tp in these modules; check --function or export it.",
        [Name]
    );
format_error({no_function, {Name, Arity}}) ->
    io_lib:format(
        "There is no exported function ~tp/~b in these modules; check --function or export it.",
        [Name, Arity]
    );
format_error({no_code, Module}) ->
    io_lib:format(
        "The code of module ~tp is not available; add debug_info to erl_opts in rebar.config.",
        [Module]
    );
format_error({several_functions, Functions}) ->
    io_lib:format(
        "Option --seed-input is for one function, not for ~ts; name the module and the arity.",
        [lists:join(" and ", [cuter_summary:function_name(Mfa) || Mfa <- Functions])]
    );
format_error({other_arity, {_, _, Arity} = Mfa, Given}) ->
    io_lib:format(
        "Option --seed-input gives ~b argument(s) but ~ts takes ~b.",
        [Given, cuter_summary:function_name(Mfa), Arity]
    );
format_error(no_functions) ->
    "Nothing to explore: no exported function has a spec; write one, give --all for functions "
    "without, or name one with --function.".
