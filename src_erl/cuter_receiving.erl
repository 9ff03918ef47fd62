%% The one function of OTP that is written in the VM's assembly: `prim_eval:'receive'/2`, by which
%% `erl_eval` takes messages out of the mailbox. The abstract code in its beam is a stub.
-module(cuter_receiving).

-export([core/0]).

%% The module as Core Erlang that does the same.
-spec core() -> cerl:c_module().
core() ->
    Name = cerl:c_fname('receive', 2),
    cerl:c_module(cerl:c_atom(prim_eval), [Name], [{Name, taking()}]).

%% The fun is called with one message after the other, until its value is not `nomatch`.
taking() ->
    [Fun, Time, Found, Message] = [cerl:c_var(V) || V <- ['Fun', 'Time', 'Found', 'Message']],
    Again = cerl:c_apply(cerl:c_fname(again, 0), []),
    Peek = cerl:c_primop(cerl:c_atom(recv_peek_message), []),
    Look = cerl:c_let(
        [Found, Message],
        Peek,
        cerl:c_case(Found, [
            clause(true, looked_at(cerl:c_apply(Fun, [Message]), Again)),
            clause(false, waited(Time, Again))
        ])
    ),
    Loop = [{cerl:c_fname(again, 0), cerl:c_fun([], Look)}],
    cerl:c_fun([Fun, Time], cerl:ann_c_letrec([letrec_goto, no_inline], Loop, Again)).

looked_at(Call, Again) ->
    [Answer, Taken] = [cerl:c_var(V) || V <- ['Answer', 'Taken']],
    cerl:c_let(
        [Answer],
        Call,
        cerl:c_case(Answer, [
            clause(nomatch, after_step(recv_next, Again)),
            cerl:c_clause([Taken], after_step(remove_message, Taken))
        ])
    ).

waited(Time, Again) ->
    Late = cerl:c_var('Late'),
    Wait = cerl:c_primop(cerl:c_atom(recv_wait_timeout), [Time]),
    Clauses = [clause(true, cerl:c_atom(timeout)), clause(false, Again)],
    cerl:c_let([Late], Wait, cerl:c_case(Late, Clauses)).

clause(Atom, Body) ->
    cerl:c_clause([cerl:c_atom(Atom)], Body).

after_step(Primop, Then) ->
    cerl:c_seq(cerl:c_primop(cerl:c_atom(Primop), []), Then).
