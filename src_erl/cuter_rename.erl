%% The code of modules under other names, so that two versions of them can be loaded at once.
%%
%% Renamed are the module itself and, where a module of the set is named in the place of a module:
%% remote calls, `fun M:F/A`, the module argument of `apply`, `spawn` and their like, remote types
%% and behaviours. A module name that is only data (in a message, a table, a configuration) stays:
%% what is called through it is the other version.
-module(cuter_rename).

-export([forms/2]).

-type names() :: #{module() => module()}.

-spec forms([erl_parse:abstract_form()], names()) -> [erl_parse:abstract_form()].
forms(Forms, Names) ->
    [form(Form, Names) || Form <- Forms].

form({attribute, Anno, module, Module}, Names) ->
    {attribute, Anno, module, new(Module, Names)};
form({attribute, Anno, behaviour, Module}, Names) ->
    {attribute, Anno, behaviour, new(Module, Names)};
form({attribute, Anno, behavior, Module}, Names) ->
    {attribute, Anno, behavior, new(Module, Names)};
form({attribute, Anno, import, {Module, Functions}}, Names) ->
    {attribute, Anno, import, {new(Module, Names), Functions}};
form({attribute, _, _, _} = Attribute, Names) ->
    walk(Attribute, Names);
form(Form, Names) ->
    walk(Form, Names).

walk({remote, Anno, {atom, At, Module}, Function}, Names) ->
    {remote, Anno, {atom, At, new(Module, Names)}, walk(Function, Names)};
walk({remote_type, Anno, [{atom, At, Module} | Rest]}, Names) ->
    {remote_type, Anno, [{atom, At, new(Module, Names)} | walk(Rest, Names)]};
walk({'fun', Anno, {function, {atom, At, Module}, Function, Arity}}, Names) ->
    {'fun', Anno, {function, {atom, At, new(Module, Names)}, Function, Arity}};
walk({call, Anno, Callee, [{atom, At, Module} | Args]}, Names) ->
    First =
        case takes_module(Callee, length(Args) + 1) of
            true -> {atom, At, new(Module, Names)};
            false -> {atom, At, Module}
        end,
    {call, Anno, walk(Callee, Names), [First | walk(Args, Names)]};
walk(Form, Names) when is_tuple(Form) ->
    list_to_tuple(walk(tuple_to_list(Form), Names));
walk([Form | Forms], Names) ->
    [walk(Form, Names) | walk(Forms, Names)];
walk(Other, _Names) ->
    Other.

new(Module, Names) ->
    maps:get(Module, Names, Module).

takes_module({atom, _, Function}, Arity) ->
    takes_module(Function, Arity);
takes_module({remote, _, {atom, _, erlang}, {atom, _, Function}}, Arity) ->
    takes_module(Function, Arity);
takes_module(Function, Arity) when is_atom(Function) ->
    lists:member({Function, Arity}, [
        {apply, 3},
        {spawn, 3},
        {spawn_link, 3},
        {spawn_monitor, 3},
        {spawn_opt, 4},
        {function_exported, 3},
        {make_fun, 3}
    ]);
takes_module(_Callee, _Arity) ->
    false.
