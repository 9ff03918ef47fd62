%% Funs that are tables, as Erlang source that runs and means the same.
%%
%% As a rule that is a fun with a clause for each call of the table. Arguments that can't be
%% patterns (maps, which match more than themselves; pids and funs, which have no literals) are
%% compared in the body. Two funs of the source are never the same one, so a fun that occurs twice
%% in a term is bound to a variable first.
-module(cuter_fun_source).

-export([placeholder/1, resolve/3]).

-export_type([form/0]).

-type form() :: erl_parse:abstract_expr() | {?MODULE, cuter_table:table()}.
-type to_form() :: fun((term()) -> form()).
%% The variables of funs that occur more than once.
-type bound() :: #{cuter_table:table() => atom()}.
%% How often each fun occurs, and all of them, the inner ones first.
-type found() :: {#{cuter_table:table() => pos_integer()}, [cuter_table:table()]}.

%% Stands for a fun until the funs of the whole term are known.
-spec placeholder(cuter_table:table()) -> form().
placeholder(Table) ->
    {?MODULE, Table}.

%% The form of a term with the source of its funs in place.
-spec resolve(form(), term(), to_form()) -> erl_parse:abstract_expr().
resolve(Form, Term, ToForm) ->
    case found(Term, {#{}, []}) of
        {_Counts, []} -> Form;
        {Counts, Tables} -> resolved(Form, shared(Counts, lists:reverse(Tables)), ToForm)
    end.

resolved(Form, [], ToForm) ->
    replaced(Form, #{}, ToForm);
resolved(Form, Shared, ToForm) ->
    {Matches, Bound} = lists:mapfoldl(
        fun({Table, Name}, Bound) ->
            Fun = replaced(written(Table, ToForm), Bound, ToForm),
            {{match, at(), {var, at(), Name}, Fun}, Bound#{Table => Name}}
        end,
        #{},
        Shared
    ),
    {block, at(), Matches ++ [replaced(Form, Bound, ToForm)]}.

%%% The funs of a term

shared(Counts, Tables) ->
    Shared = [Table || Table <- Tables, maps:get(Table, Counts) > 1],
    Numbers = lists:seq(1, length(Shared)),
    [{Table, name("F", Number)} || {Table, Number} <- lists:zip(Shared, Numbers)].

-spec found(term(), found()) -> found().
found(Term, Found) ->
    case cuter_table:table(Term) of
        none -> lists:foldl(fun found/2, Found, parts(Term));
        Table -> found_table(Table, Found)
    end.

found_table(Table, {Counts, Tables}) when is_map_key(Table, Counts) ->
    {maps:update_with(Table, fun(Count) -> Count + 1 end, Counts), Tables};
found_table({_Arity, Entries, Default} = Table, {Counts0, Tables0}) ->
    {Counts, Tables} = found([Default | Entries], {Counts0, Tables0}),
    {Counts#{Table => 1}, [Table | Tables]}.

parts([Head | Tail]) -> [Head, Tail];
parts(Term) when is_tuple(Term) -> tuple_to_list(Term);
parts(Term) when is_map(Term) -> maps:keys(Term) ++ maps:values(Term);
parts(_Leaf) -> [].

%%% Forms

-spec replaced(term(), bound(), to_form()) -> term().
replaced({?MODULE, Table}, Bound, ToForm) ->
    case Bound of
        #{Table := Name} -> {var, at(), Name};
        #{} -> replaced(written(Table, ToForm), Bound, ToForm)
    end;
replaced(Form, Bound, ToForm) when is_tuple(Form) ->
    list_to_tuple(replaced(tuple_to_list(Form), Bound, ToForm));
replaced([Form | Forms], Bound, ToForm) ->
    [replaced(Form, Bound, ToForm) | replaced(Forms, Bound, ToForm)];
replaced(Leaf, _Bound, _ToForm) ->
    Leaf.

written({0, Entries, Default}, ToForm) ->
    Result = proplists:get_value([], Entries, Default),
    {'fun', at(), {clauses, [clause([], ToForm(Result))]}};
written({Arity, Entries, Default}, ToForm) ->
    case lists:all(fun({Args, _}) -> are_patterns(Args) end, Entries) of
        true -> by_clauses(Arity, Entries, Default, ToForm);
        false -> by_comparing(Arity, Entries, Default, ToForm)
    end.

by_clauses(Arity, Entries, Default, ToForm) ->
    Known = [clause([ToForm(Arg) || Arg <- Args], ToForm(Result)) || {Args, Result} <- Entries],
    Any = lists:duplicate(Arity, {var, at(), '_'}),
    {'fun', at(), {clauses, Known ++ [clause(Any, ToForm(Default))]}}.

by_comparing(Arity, Entries, Default, ToForm) ->
    Vars = [{var, at(), name("A", Number)} || Number <- lists:seq(1, Arity)],
    Body = lists:foldr(
        fun({Args, Result}, Else) ->
            Same = {op, at(), '=:=', joined(Vars), joined([ToForm(Arg) || Arg <- Args])},
            choice(Same, ToForm(Result), Else)
        end,
        ToForm(Default),
        Entries
    ),
    {'fun', at(), {clauses, [clause(Vars, Body)]}}.

name(Letter, Number) ->
    list_to_atom(Letter ++ integer_to_list(Number)).

joined([Form]) -> Form;
joined(Forms) -> {tuple, at(), Forms}.

choice(Condition, Then, Else) ->
    {'case', at(), Condition, [
        clause([{atom, at(), true}], Then),
        clause([{atom, at(), false}], Else)
    ]}.

clause(Patterns, Body) ->
    {clause, at(), Patterns, [], [Body]}.

%% The forms come from no source file.
at() ->
    erl_anno:new(0).

%% True if the source of these terms, as a pattern, matches what is equal to them and nothing else.
are_patterns([]) ->
    true;
are_patterns([Term | Terms]) when is_number(Term); is_atom(Term); is_bitstring(Term) ->
    are_patterns(Terms);
are_patterns([Term | Terms]) when is_list(Term); is_tuple(Term) ->
    are_patterns(parts(Term) ++ Terms);
are_patterns(_Terms) ->
    false.
