%% Small modules that cuter writes itself, to explore something that is not one function of the
%% user: a property, or two functions at once.
%%
%% A driver has a name of its own while it is in use, and a beam file with debug_info in a temporary
%% directory, since the engine reads its code there. The code path stays as it is. A process keeps
%% the name and the file; it removes both when the work is done or its caller is gone.
-module(cuter_driver).

-export([with/2, check/3, arity/1, arguments/1, parse/4, format_error/1]).

-export_type([forms/0, description/0]).

%% The forms of the driver, given its name.
-type forms() :: fun((module()) -> [erl_parse:abstract_form()]).

-type description() ::
    {not_a_function, term()}
    | {not_an_input, term()}
    | {no_module, module()}
    | {not_exported, mfa()}.

%% Whether these functions can be called with that input. Gives the checked options and the arity.
-spec check([term()], term(), cuter_options:given()) ->
    {ok, cuter_options:options(), arity()} | {error, {module(), term()}}.
check(Functions, Input, Options) ->
    try
        Arity = arity(Input),
        lists:foreach(fun(Function) -> check_function(Function, Arity) end, Functions),
        case cuter_options:parse(Options) of
            {ok, Checked} -> {ok, Checked, Arity};
            {error, _} = Error -> Error
        end
    catch
        throw:Description -> {error, {?MODULE, Description}}
    end.

%% How many arguments an input has. Throws a description if it is none.
-spec arity(term()) -> arity().
arity(Arity) when is_integer(Arity), Arity >= 0, Arity =< 255 ->
    Arity;
arity({seeds, [Args | _]}) ->
    arity(Args);
arity(Args) ->
    try
        length(Args)
    catch
        error:badarg -> throw({not_an_input, Args})
    end.

check_function({Module, Function}, Arity) when is_atom(Module), is_atom(Function) ->
    case code:ensure_loaded(Module) of
        {module, _} -> ok;
        {error, _} -> throw({no_module, Module})
    end,
    case lists:member({Function, Arity}, erlang:get_module_info(Module, exports)) of
        true -> ok;
        false -> throw({not_exported, {Module, Function, Arity}})
    end;
check_function(Other, _Arity) ->
    throw({not_a_function, Other}).

-spec format_error(description()) -> iolist().
format_error({not_a_function, Term}) ->
    io_lib:format("A function is named as {Module, Function}, not as ~ts.", [
        cuter_text:given(Term)
    ]);
format_error({not_an_input, Term}) ->
    io_lib:format("The arguments must be a list, or their number, not ~ts.", [
        cuter_text:given(Term)
    ]);
format_error({no_module, Module}) ->
    io_lib:format("Module ~tp does not exist; add its ebin directory to the code path.", [Module]);
format_error({not_exported, {Module, Function, Arity}}) ->
    io_lib:format("Function ~tp:~tp/~b is not exported.", [Module, Function, Arity]).

%% Works with a driver that is loaded and can be explored.
-spec with(forms(), fun((module()) -> T)) -> T.
with(Forms, Work) ->
    Caller = self(),
    Ref = make_ref(),
    {Keeper, Monitor} = spawn_monitor(fun() -> keep(Caller, Ref, Forms) end),
    receive
        {Ref, Module} ->
            try
                Work(Module)
            after
                Keeper ! {Ref, done},
                receive
                    {'DOWN', Monitor, process, Keeper, _} -> ok
                end
            end;
        {'DOWN', Monitor, process, Keeper, Reason} ->
            error({?MODULE, Reason})
    end.

keep(Caller, Ref, Forms) ->
    CallerMonitor = monitor(process, Caller),
    Module = take_name(1),
    Dir = cuter_temporary:directory("driver"),
    try
        load(Module, Dir, Forms(Module)),
        Caller ! {Ref, Module},
        receive
            {Ref, done} -> ok;
            {'DOWN', CallerMonitor, process, _, _} -> ok
        end
    after
        _ = code:delete(Module),
        _ = code:purge(Module),
        cuter_temporary:remove(Dir)
    end.

%% The first name that no other driver has: a process can be registered under it only once.
take_name(Number) ->
    Name = list_to_atom("cuter_driver_" ++ integer_to_list(Number)),
    try register(Name, self()) of
        true -> Name
    catch
        error:badarg -> take_name(Number + 1)
    end.

%% What cannot be compiled is for the caller to know, and not for the log.
load(Module, Dir, Forms) ->
    case compile(Forms, compile:noenv_forms(Forms, [debug_info, binary])) of
        {ok, Module, Beam} -> load_beam(Module, Dir, Beam);
        error -> exit(not_compiled)
    end.

load_beam(Module, Dir, Beam) ->
    File = filename:join(Dir, atom_to_list(Module) ++ ".beam"),
    ok = file:write_file(File, Beam),
    _ = code:purge(Module),
    {module, Module} = code:load_binary(Module, File, Beam),
    ok.

%% A spec that does not stand by itself is left out: the arguments are then of any type.
compile(_Forms, {ok, _, _} = Compiled) ->
    Compiled;
compile(Forms, error) ->
    Untyped = [
        Form
     || Form <- Forms, not (element(1, Form) =:= attribute andalso is_type(element(3, Form)))
    ],
    compile:noenv_forms(Untyped, [debug_info, binary]).

is_type(Attribute) ->
    lists:member(Attribute, [spec, record]).

%% Variables for the arguments of a driver's function, as text.
-spec arguments(arity()) -> iolist().
arguments(Arity) ->
    lists:join(", ", ["A" ++ integer_to_list(N) || N <- lists:seq(1, Arity)]).

%% The forms of a driver with this text, which exports one function. That gets the argument types of
%% a function of the user: its spec, with the types of its module called from outside, and the
%% records that it may mention.
-spec parse(module(), {atom(), arity()}, mfa(), iolist()) -> [erl_parse:abstract_form()].
parse(Driver, {Name, Arity}, {Module, _, _} = Typed, Text) ->
    Head = io_lib:format("-module(~tw).\n-export([~tw/~b]).\n", [Driver, Name, Arity]),
    {ok, Tokens, _} = erl_scan:string(lists:flatten([Head, Text])),
    [ModuleForm, ExportForm | Functions] = [parse_form(Form) || Form <- split(Tokens)],
    Types = types(Name, Typed, cuter_core:forms(Module)),
    [ModuleForm, ExportForm] ++ Types ++ Functions.

split([]) ->
    [];
split(Tokens) ->
    {Form, [Dot | Rest]} = lists:splitwith(fun(Token) -> element(1, Token) =/= dot end, Tokens),
    [Form ++ [Dot] | split(Rest)].

parse_form(Tokens) ->
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.

types(_Name, _Typed, {error, _}) ->
    [];
types(Name, {Module, Function, Arity}, {ok, Forms}) ->
    Specs = [
        Clauses
     || {attribute, _, spec, {Id, Clauses}} <- Forms,
        Id =:= {Function, Arity} orelse Id =:= {Module, Function, Arity}
    ],
    spec_forms(Specs, Name, Arity, Module, Forms).

spec_forms([], _Name, _Arity, _Module, _Forms) ->
    [];
spec_forms([Clauses | _], Name, Arity, Module, Forms) ->
    Records = [outside(Record, Module) || {attribute, _, record, _} = Record <- Forms],
    Spec = {{Name, Arity}, [any_result(outside(Clause, Module)) || Clause <- Clauses]},
    Records ++ [{attribute, erl_anno:new(1), spec, Spec}].

outside({user_type, Anno, Name, Args}, Module) ->
    Types = [outside(Arg, Module) || Arg <- Args],
    {remote_type, Anno, [{atom, Anno, Module}, {atom, Anno, Name}, Types]};
outside(Form, Module) when is_tuple(Form) ->
    list_to_tuple(outside(tuple_to_list(Form), Module));
outside([Form | Forms], Module) ->
    [outside(Form, Module) | outside(Forms, Module)];
outside(Other, _Module) ->
    Other.

%% What the function returned stays in the type, since its variables must.
any_result({type, Anno, 'fun', [Product, Result]}) ->
    {type, Anno, 'fun', [Product, {type, Anno, union, [{type, Anno, any, []}, Result]}]};
any_result({type, Anno, bounded_fun, [Fun, Constraints]}) ->
    {type, Anno, bounded_fun, [any_result(Fun), Constraints]}.
