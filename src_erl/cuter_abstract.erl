%% The abstract code of a module, as its beam file holds it.
-module(cuter_abstract).

-export([of_beam/1, read/1, exports/1, has_spec/2, without_places/1]).

-type forms() :: [erl_parse:abstract_form() | erl_parse:form_info()].

-spec of_beam(file:filename() | binary()) -> {ok, forms()} | none.
of_beam(Beam) ->
    case read(Beam) of
        {ok, Forms, _Options} -> {ok, Forms};
        _ -> none
    end.

%% With the options that it was compiled with. The backend is asked, so beams of other languages
%% (Elixir) that offer abstract code work too.
-spec read(file:filename() | binary()) ->
    {ok, forms(), [compile:option()]} | {no_backend, module()} | encrypted | error.
read(Beam) ->
    case beam_lib:chunks(Beam, [debug_info]) of
        {ok, {Module, [{debug_info, {debug_info_v1, Backend, Data}}]}} ->
            of_backend(code:ensure_loaded(Backend), Backend, Module, Data);
        {error, beam_lib, {key_missing_or_invalid, _, _}} ->
            encrypted;
        _ ->
            error
    end.

of_backend({error, _}, Backend, _Module, _Data) ->
    {no_backend, Backend};
of_backend({module, Backend}, Backend, Module, Data) ->
    try Backend:debug_info(erlang_v1, Module, Data, []) of
        {ok, Forms} -> {ok, Forms, recorded_options(Backend, Data)};
        _ -> error
    catch
        _:_ -> error
    end.

%% `deterministic` takes the options out of compile_info but leaves them here.
recorded_options(erl_abstract_code, {_Forms, Options}) when is_list(Options) -> Options;
recorded_options(_Backend, _Data) -> [].

%% The exported functions, in the order of the source.
-spec exports(forms()) -> [{atom(), arity()}].
exports(Forms) ->
    Exported = lists:append([Names || {attribute, _, export, Names} <- Forms]),
    All = is_all_exported(Forms),
    [{F, A} || {function, _, F, A, _} <- Forms, All orelse lists:member({F, A}, Exported)].

is_all_exported(Forms) ->
    Options = lists:flatten([Option || {attribute, _, compile, Option} <- Forms]),
    lists:member(export_all, Options).

-spec has_spec({atom(), arity()}, forms()) -> boolean().
has_spec({Function, Arity}, Forms) ->
    lists:any(
        fun
            ({attribute, _, spec, {{F, A}, _}}) -> {F, A} =:= {Function, Arity};
            ({attribute, _, spec, {{_, F, A}, _}}) -> {F, A} =:= {Function, Arity};
            (_) -> false
        end,
        Forms
    ).

%% What the code says, whatever its lines and the name of its file.
-spec without_places(forms()) -> forms().
without_places(Forms) ->
    [
        erl_parse:map_anno(fun(_) -> erl_anno:new(0) end, Form)
     || Form <- Forms, element(1, Form) =/= eof, not is_file(Form)
    ].

is_file({attribute, _, file, _}) -> true;
is_file(_Form) -> false.
