%% Terms as one line of text and back.
-module(cuter_text).

-export([line/1, term/1, given/1]).

%% A term as Erlang source on one line. A fun whose source is known is written as that.
-spec line(term()) -> iolist().
line(Term) ->
    cuter_source:line(Term).

%% What somebody gave in place of something else, for a sentence: it may be of any size.
-spec given(term()) -> iolist().
given(Term) ->
    io_lib:format("~0tP", [Term, 30]).

%% The term that such a line stands for. A full stop at its end may be there or not.
-spec term(unicode:chardata()) -> {ok, term()} | error.
term(Text) ->
    case erl_scan:string(with_dot(unicode:characters_to_list(Text))) of
        {ok, Tokens, _} -> parsed(erl_parse:parse_exprs(Tokens));
        {error, _, _} -> error
    end.

with_dot(Text) ->
    case lists:suffix(".", Text) of
        true -> Text;
        false -> Text ++ "."
    end.

parsed({ok, [Expr]}) -> value(Expr, is_plain(Expr));
parsed(_) -> error.

%% Nothing is called here: calls may only stand inside of funs, which nobody calls yet.
value(Expr, true) ->
    try erl_eval:expr(Expr, erl_eval:new_bindings()) of
        {value, Term, _} -> {ok, Term}
    catch
        _:_ -> error
    end;
value(_Expr, false) ->
    error.

is_plain({atom, _, _}) -> true;
is_plain({integer, _, _}) -> true;
is_plain({float, _, _}) -> true;
is_plain({char, _, _}) -> true;
is_plain({string, _, _}) -> true;
is_plain({nil, _}) -> true;
is_plain({cons, _, Head, Tail}) -> is_plain(Head) andalso is_plain(Tail);
is_plain({tuple, _, Elements}) -> lists:all(fun is_plain/1, Elements);
is_plain({map, _, Pairs}) -> lists:all(fun is_plain/1, Pairs);
is_plain({map_field_assoc, _, Key, Value}) -> is_plain(Key) andalso is_plain(Value);
is_plain({bin, _, Segments}) -> lists:all(fun is_plain/1, Segments);
is_plain({bin_element, _, Value, _, _}) -> is_plain(Value);
is_plain({op, _, Sign, Number}) -> lists:member(Sign, ['-', '+']) andalso is_plain(Number);
is_plain({'fun', _, _}) -> true;
is_plain({named_fun, _, _, _}) -> true;
is_plain(_) -> false.
