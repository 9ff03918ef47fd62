%% Stacktraces where the compiler has a say: calls that become last calls, arithmetic on floats, and
%% funs that capture variables, with the names that the compiler gives them.
%%
%% The programs are made up from a seed (`cuter_trace_programs`). `CUTER_SEED` tries others.
-module(cuter_traces_tests).

-include_lib("eunit/include/eunit.hrl").

-export([differences/1, source/1]).

-define(MODULES, 20).
-define(FUNCTIONS, 12).

%% Calls, arithmetic, funs and loops: the compiler's answers leave nothing open.
stacktraces_are_those_of_the_beam_test_() ->
    [
        {"module " ++ integer_to_list(N),
            {timeout, 120, fun() -> ?assertEqual([], differences({plain, seed(), N})) end}}
     || N <- lists:seq(1, ?MODULES)
    ].

%% All of the language. The compiler may make two of one call, of which one is the last, and joins
%% equal code of one line before it looks at types. Then a frame may be wrong, and never what is
%% raised.
stacktraces_of_all_of_the_language_test_() ->
    {timeout, 900, fun() ->
        Cases = [{rich, seed(), N} || N <- lists:seq(1, ?MODULES)],
        Found = [{Case, Row} || Case <- Cases, Row <- differences(Case)],
        IsOther = fun({_, {_, _, Native, Own}}) -> raised(Native) =/= raised(Own) end,
        ?assertEqual([], lists:filter(IsOther, Found)),
        Functions = lists:usort([{Case, Name} || {Case, {Name, _, _, _}} <- Found]),
        ?assert(length(Functions) * 50 =< ?MODULES * ?FUNCTIONS)
    end}.

seed() ->
    list_to_integer(os:getenv("CUTER_SEED", "1")).

raised({raised, Class, Reason, _Stacktrace}) -> {Class, Reason};
raised(Returned) -> Returned.

%% The calls of one module that end in another way on the BEAM, with both ways.
differences(Case) ->
    Text = source(Case),
    Values = cuter_trace_programs:values(),
    Rows = [
        {cuter_trace_programs:name(F), [X, lists:nth(rand:uniform(length(Values)), Values)]}
     || F <- lists:seq(1, ?FUNCTIONS), X <- Values
    ],
    Options = [debug_info, nowarn_unused_vars, nowarn_failed, nowarn_nomatch, nowarn_ignored],
    cuter_fixture:with_source(Text, Options, fun(_) -> lists:flatmap(fun differing/1, Rows) end).

source({Kind, Seed, N}) ->
    _ = rand:seed(exsss, erlang:phash2({Seed, N})),
    cuter_trace_programs:module(Kind, ?FUNCTIONS).

differing({Name, Args}) ->
    cuter_fixture:differing(list_to_atom(Name), Args, fun plain/1).

%% Without the identity of funs.
plain([Head | Tail]) -> [plain(Head) | plain(Tail)];
plain(Tuple) when is_tuple(Tuple) -> list_to_tuple(plain(tuple_to_list(Tuple)));
plain(Map) when is_map(Map) -> maps:from_list(plain(maps:to_list(Map)));
plain(Fun) when is_function(Fun) -> erlang:fun_info(Fun, arity);
plain(Other) -> Other.
