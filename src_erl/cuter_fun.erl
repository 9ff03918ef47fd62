%% Funs of the machine as the VM sees them: real funs that call back into the run they belong to.
%%
%% The engine writes the number of its fun over the placeholder, in external term format. Number 0
%% is a fun whose run is over.
-module(cuter_fun).

-export([stubs/1]).

-export_type([stubs/0]).

-type stubs() :: {[fun()], pid(), Tables :: [fun()]}.

%% As the engine knows it (native/engine/src/protocol/stubs.rs), in four bytes.
-define(PLACEHOLDER, <<16#5EC0DE01:32>>).

%% Number of the machine's first fun: smaller integers have a shorter external form.
-define(FIRST_NUMBER, 256).

%% A fun for each arity, the process that stands for the one inside the machine, and funs that take
%% their table from the engine.
-spec stubs(cuter_host:hosted() | undefined) -> stubs().
stubs(Hosted) ->
    Number = binary:decode_unsigned(?PLACEHOLDER),
    Funs = [stub(Arity, Hosted, Number) || Arity <- lists:seq(0, 20)],
    {Funs, process(Hosted), cuter_table:templates(Number)}.

process(undefined) -> cuter_identifiers:caller();
process(_Hosted) -> self().

call(_Hosted, 0, _Args) -> error(fun_of_a_finished_run);
call(undefined, _Number, _Args) -> error(fun_of_a_finished_run);
call(Hosted, Number, Args) -> cuter_host:call_back(Hosted, Number - ?FIRST_NUMBER, Args).

stub(0, R, N) -> fun() -> call(R, N, []) end;
stub(1, R, N) -> fun(A1) -> call(R, N, [A1]) end;
stub(2, R, N) -> fun(A1, A2) -> call(R, N, [A1, A2]) end;
stub(3, R, N) -> fun(A1, A2, A3) -> call(R, N, [A1, A2, A3]) end;
stub(4, R, N) -> fun(A1, A2, A3, A4) -> call(R, N, [A1, A2, A3, A4]) end;
stub(5, R, N) -> fun(A1, A2, A3, A4, A5) -> call(R, N, [A1, A2, A3, A4, A5]) end;
stub(6, R, N) -> fun(A1, A2, A3, A4, A5, A6) -> call(R, N, [A1, A2, A3, A4, A5, A6]) end;
stub(7, R, N) -> fun(A1, A2, A3, A4, A5, A6, A7) -> call(R, N, [A1, A2, A3, A4, A5, A6, A7]) end;
stub(8, R, N) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8
    ) ->
        call(R, N, [
            A1, A2, A3, A4, A5, A6, A7, A8
        ])
    end;
stub(9, R, N) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9
    ) ->
        call(R, N, [
            A1, A2, A3, A4, A5, A6, A7, A8, A9
        ])
    end;
stub(10, R, N) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10
    ) ->
        call(R, N, [
            A1, A2, A3, A4, A5, A6, A7, A8, A9, A10
        ])
    end;
stub(11, R, N) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11
    ) ->
        call(R, N, [
            A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11
        ])
    end;
stub(12, R, N) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12
    ) ->
        call(R, N, [
            A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12
        ])
    end;
stub(13, R, N) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13
    ) ->
        call(R, N, [
            A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13
        ])
    end;
stub(14, R, N) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14
    ) ->
        call(R, N, [
            A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14
        ])
    end;
stub(15, R, N) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15
    ) ->
        call(R, N, [
            A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15
        ])
    end;
stub(16, R, N) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16
    ) ->
        call(R, N, [
            A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16
        ])
    end;
stub(17, R, N) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17
    ) ->
        call(R, N, [
            A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17
        ])
    end;
stub(18, R, N) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, A18
    ) ->
        call(R, N, [
            A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, A18
        ])
    end;
stub(19, R, N) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, A18, A19
    ) ->
        call(R, N, [
            A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, A18, A19
        ])
    end;
stub(20, R, N) ->
    fun(
        A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, A18, A19,
        A20
    ) ->
        call(R, N, [
            A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, A18,
            A19, A20
        ])
    end.
