-module(cuter_smaller_tests).

-include_lib("eunit/include/eunit.hrl").

-export([log/2]).

-define(PROGRAM,
    "-export([f/2, g/1, h/1, over_twenty/2, size/1]).\n"
    "over_twenty(N, _) -> N > 20.\n"
    "-spec f(10..2000, [integer()]) -> term().\n"
    "f(N, [X | _]) when X > 100 -> {large, fun(Y) -> Y end(N)};\n"
    "f(N, L) -> case L of [] -> N; _ -> [E || E <- L, E > 5] end.\n"
    "g(X) when is_list(X) -> lists:sum(X);\n"
    "g(_) -> error(bad).\n"
    "h(T) -> io:format(T), T.\n"
    "size({sized, N}) when N > 7 -> N;\n"
    "size(_) -> 0.\n"
).

inputs_become_small_and_still_enter_the_same_clauses_test_() ->
    [
        ?_assertEqual([Small], smaller(f, [Large]))
     || {Large, Small} <- [
            {[777, [4711, 5, 6]], [10, [101]]},
            %% The comprehension is entered, so an element must pass its filter.
            {[777, [3, 99, 7]], [10, [6]]},
            {[777, [3, -99]], [10, [0]]},
            {[777, []], [10, []]}
        ]
    ].

an_exception_stays_one_test() ->
    ?assertEqual([[0]], smaller(g, [[{tuple, "text"}]])).

a_function_may_be_named_like_a_built_in_one_test() ->
    ?assertEqual([[{sized, 8}]], smaller(size, [[{sized, 4711}]])).

simple_inputs_and_functions_with_native_calls_are_left_alone_test() ->
    ?assertEqual([[0, [1]]], smaller(f, [[0, [1]]])),
    HostCalls = #{{io, format, 1} => 3},
    ?assertEqual([["text"]], smaller(h, [["text"]], #{host_calls => HostCalls})).

a_precondition_is_kept_test() ->
    ?assertEqual([[21, []]], smaller(f, [[777, []]], #{pre => {cuter_tried, over_twenty}})).

a_module_may_have_functions_with_the_names_of_built_in_ones_test() ->
    Program =
        "-compile([nowarn_unused_vars, {no_auto_import, [size/1]}]).\n"
        "-export([k/1]).\n"
        "k(L) -> case size(L) of 2 -> two; _ -> other end.\n"
        "size([]) -> 0;\n"
        "size([_ | T]) -> 1 + size(T).\n",
    ?assertEqual([[[0, 0]]], smaller(k, [[[77, "text"]]], #{}, Program)).

%% What cannot be compiled under another name is left as it is, and nothing is written to the log.
a_module_that_cannot_be_copied_is_left_alone_test() ->
    Program =
        "-export([k/1]).\n"
        "k(L) -> [X || X <- L, X > 5].\n"
        "'cuter probe k'(L) -> k(L).\n"
        "-compile({nowarn_unused_function, [{'cuter probe k', 1}]}).\n",
    ok = logger:add_handler(?MODULE, ?MODULE, #{config => self()}),
    try
        ?assertEqual([[[77, 2]]], smaller(k, [[[77, 2]]], #{}, Program))
    after
        logger:remove_handler(?MODULE)
    end,
    receive
        {logged, Event} -> error({logged, Event})
    after 0 -> ok
    end.

%% Called by `logger`.
-spec log(logger:log_event(), logger:handler_config()) -> ok.
log(Event, #{config := Pid}) ->
    Pid ! {logged, Event},
    ok.

smaller(Function, Inputs) ->
    smaller(Function, Inputs, #{}).

smaller(Function, Inputs, More) ->
    smaller(Function, Inputs, More, ?PROGRAM).

smaller(Function, [First | _] = Inputs, More, Program) ->
    Report = More#{mfa => {cuter_tried, Function, length(First)}},
    Entries = [#{input => Input} || Input <- Inputs],
    cuter_fixture:with_source(Program, [debug_info], fun(_) ->
        [Input || #{input := Input} <- cuter_smaller:inputs(Report, Entries)]
    end).
