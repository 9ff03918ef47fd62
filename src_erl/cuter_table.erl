%% Funs as tables: a finite number of calls with their results, and a default for all others.
%%
%% This is what the engine solves for. Such a fun is a real fun of the right arity whose only free
%% variable is its table, so two of them are equal if their tables are. Arguments are compared by
%% `=:=`; of two entries for the same arguments the first one counts.
-module(cuter_table).

-export([make/3, table/1, is_table/1, templates/1]).

-export_type([entries/0, table/0]).

-type entries() :: [{Args :: [term()], Result :: term()}].
-type table() :: {arity(), entries(), Default :: term()}.

%% The largest arity of such a fun, the same as that of `erl_eval`.
-define(MAX_ARITY, 20).

%% The fun of a table.
-spec make(arity(), entries(), Default :: term()) -> fun().
make(Arity, Entries, Default) when is_list(Entries), Arity =< ?MAX_ARITY ->
    made(Arity, {Entries, Default}).

%% A fun for each arity with another term instead of a table, for the engine to put one there.
-spec templates(term()) -> [fun()].
templates(Placeholder) ->
    [made(Arity, Placeholder) || Arity <- lists:seq(0, ?MAX_ARITY)].

%% The table of a fun.
-spec table(term()) -> table() | none.
table(Fun) when is_function(Fun) ->
    {module, Module} = erlang:fun_info(Fun, module),
    {type, Type} = erlang:fun_info(Fun, type),
    {env, Env} = erlang:fun_info(Fun, env),
    table(Module, Type, Env, Fun);
table(_Term) ->
    none.

table(?MODULE, local, [{Entries, Default}], Fun) ->
    {arity, Arity} = erlang:fun_info(Fun, arity),
    {Arity, Entries, Default};
table(_Module, _Type, _Env, _Fun) ->
    none.

-spec is_table(term()) -> boolean().
is_table(Term) ->
    table(Term) =/= none.

call(Args, {Entries, Default}) ->
    result(Args, Entries, Default).

result(_Args, [], Default) -> Default;
result(Args, [{Key, Result} | _Entries], _Default) when Key =:= Args -> Result;
result(Args, [_Entry | Entries], Default) -> result(Args, Entries, Default).

made(0, T) -> fun() -> call([], T) end;
made(1, T) -> fun(A1) -> call([A1], T) end;
made(2, T) -> fun(A1, A2) -> call([A1, A2], T) end;
made(3, T) -> fun(A1, A2, A3) -> call([A1, A2, A3], T) end;
made(4, T) -> fun(A1, A2, A3, A4) -> call([A1, A2, A3, A4], T) end;
made(5, T) -> fun(A1, A2, A3, A4, A5) -> call([A1, A2, A3, A4, A5], T) end;
made(6, T) -> fun(A1, A2, A3, A4, A5, A6) -> call([A1, A2, A3, A4, A5, A6], T) end;
made(7, T) -> fun(A1, A2, A3, A4, A5, A6, A7) -> call([A1, A2, A3, A4, A5, A6, A7], T) end;
made(8, T) -> fun(A1, A2, A3, A4, A5, A6, A7, A8) -> call([A1, A2, A3, A4, A5, A6, A7, A8], T) end;
made(9, T) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9
    ) ->
        call(
            [
                A1, A2, A3, A4, A5, A6, A7, A8, A9
            ],
            T
        )
    end;
made(10, T) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10
    ) ->
        call(
            [
                A1, A2, A3, A4, A5, A6, A7, A8, A9, A10
            ],
            T
        )
    end;
made(11, T) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11
    ) ->
        call(
            [
                A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11
            ],
            T
        )
    end;
made(12, T) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12
    ) ->
        call(
            [
                A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12
            ],
            T
        )
    end;
made(13, T) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13
    ) ->
        call(
            [
                A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13
            ],
            T
        )
    end;
made(14, T) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14
    ) ->
        call(
            [
                A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14
            ],
            T
        )
    end;
made(15, T) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15
    ) ->
        call(
            [
                A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15
            ],
            T
        )
    end;
made(16, T) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16
    ) ->
        call(
            [
                A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16
            ],
            T
        )
    end;
made(17, T) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17
    ) ->
        call(
            [
                A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17
            ],
            T
        )
    end;
made(18, T) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, A18
    ) ->
        call(
            [
                A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, A18
            ],
            T
        )
    end;
made(19, T) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, A18, A19
    ) ->
        call(
            [
                A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, A18,
                A19
            ],
            T
        )
    end;
made(20, T) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, A18, A19,
        A20
    ) ->
        call(
            [
                A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, A18,
                A19, A20
            ],
            T
        )
    end.
