%% What a module says about itself: its types, specs, records and `-cuter` attributes, each with the
%% file and line where it says so.
%%
%% Read from the abstract code that `cuter_core` finds, once for each version of a module.
-module(cuter_forms).

-export([definitions/1, exists/2, place/2, line/1, format_place/1]).

-export_type([definitions/0, place/0, form/0]).

-type place() :: {file:filename(), Line :: non_neg_integer()}.
%% A type in abstract form.
-type form() :: tuple().
-type definitions() :: #{
    module := module(),
    %% In the order of the source, so that the first of two errors is the first of the file.
    specs := [{place(), {atom(), arity()}, [form()]}],
    types := #{{atom(), arity()} => {place(), [form()], form()}},
    records := #{atom() => {place(), [form()]}},
    functions := #{{atom(), arity()} => []},
    attributes := [{place(), term()}]
}.

-spec definitions(module()) -> {ok, definitions()} | cuter_core:error().
definitions(Module) ->
    case cuter_core:version(Module) of
        {ok, Version} -> cached(Module, Version);
        {error, _} = Error -> Error
    end.

cached(Module, Version) ->
    Key = {?MODULE, Module},
    case persistent_term:get(Key, none) of
        {Version, Result} ->
            Result;
        _ ->
            Result = read(Module),
            persistent_term:put(Key, {Version, Result}),
            Result
    end.

read(Module) ->
    case cuter_core:forms(Module) of
        {ok, Forms} -> {ok, collect(Module, Forms)};
        {error, _} = Error -> Error
    end.

%% Whether the module has such a function, exported or not.
-spec exists({atom(), arity()}, definitions()) -> boolean().
exists(Function, #{functions := Functions}) ->
    maps:is_key(Function, Functions).

%% The place of a form that is part of something in that file.
-spec place(file:filename(), form()) -> place().
place(File, Form) ->
    {File, line(Form)}.

-spec line(form()) -> non_neg_integer().
line(Form) ->
    erl_anno:line(element(2, Form)).

-spec format_place(place()) -> iolist().
format_place({File, Line}) ->
    io_lib:format("~ts:~b", [File, Line]).

%%% Collecting

collect(Module, Forms) ->
    Empty = #{
        module => Module,
        specs => [],
        types => #{},
        records => #{},
        functions => #{},
        attributes => []
    },
    {_File, Found} = lists:foldl(fun form/2, {"", Empty}, Forms),
    #{specs := Specs, attributes := Attributes} = Found,
    Found#{specs := lists:reverse(Specs), attributes := lists:reverse(Attributes)}.

%% A `file` attribute says where the forms after it come from.
form({attribute, _, file, {File, _}}, {_Previous, Found}) ->
    {File, Found};
form({attribute, Anno, Name, Value}, {File, Found}) ->
    {File, attribute(Name, Value, {File, erl_anno:line(Anno)}, Found)};
form({function, _, Name, Arity, _}, {File, #{functions := Functions} = Found}) ->
    {File, Found#{functions := Functions#{{Name, Arity} => []}}};
form(_Other, Acc) ->
    Acc.

attribute(spec, {Name, Clauses}, Place, #{specs := Specs} = Found) ->
    Found#{specs := [{Place, local(Name), Clauses} | Specs]};
attribute(Kind, {Name, Type, Parameters}, Place, #{types := Types} = Found) when
    Kind =:= type; Kind =:= opaque; Kind =:= nominal
->
    Found#{types := Types#{{Name, length(Parameters)} => {Place, Parameters, Type}}};
attribute(record, {Name, Fields}, Place, #{records := Records} = Found) ->
    Found#{records := Records#{Name => {Place, Fields}}};
attribute(cuter, Value, Place, #{attributes := Attributes} = Found) ->
    Found#{attributes := [{Place, Value} | Attributes]};
attribute(_Name, _Value, _Place, Found) ->
    Found.

local({_Module, Function, Arity}) -> {Function, Arity};
local({Function, Arity}) -> {Function, Arity}.
