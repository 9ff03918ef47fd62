-module(cuter_match_tests).

-include_lib("eunit/include/eunit.hrl").

plain_values_are_themselves_test() ->
    ?assertEqual({"{a, [1, 2], <<3>>}", []}, pattern({a, [1, 2], <<3>>}, {a, [1, 2], <<3>>})).

identifiers_are_of_their_type_test_() ->
    [
        ?_assertEqual({"{Value1}", ["is_pid(Value1)"]}, pattern({self()}, {self()})),
        ?_assertEqual({"Value1", ["is_reference(Value1)"]}, pattern(make_ref(), make_ref())),
        ?_assertEqual(
            {"Fun1", ["is_function(Fun1, 1)"]}, pattern(fun(X) -> X end, fun(X) -> X end)
        )
    ].

what_differs_is_of_the_common_type_test_() ->
    [
        ?_assertEqual({"{t, Value1}", ["is_integer(Value1)"]}, pattern({t, 1}, {t, 2})),
        ?_assertEqual({"Value1", ["is_number(Value1)"]}, pattern(1, 2.0)),
        ?_assertEqual({"Value1", ["is_binary(Value1)"]}, pattern(<<1>>, <<2>>)),
        ?_assertEqual({"[a | Value1]", ["is_list(Value1)"]}, pattern([a], [a, b])),
        ?_assertEqual({"_", []}, pattern(1, a))
    ].

patterns_match_both_terms_and_not_more_test_() ->
    [
        {lists:flatten(io_lib:format("~0p", [{A, B}])),
            ?_test(begin
                ?assert(matches(pattern(A, B), A)),
                ?assert(matches(pattern(A, B), B)),
                ?assertNot(matches(pattern(A, B), Other))
            end)}
     || {A, B, Other} <- [
            {1.5, 1.5, 1.6},
            {-1.5, -1.5, 1.5},
            {1.0e-20, 1.0e-20, 2.0e-20},
            {1.7e308, 1.7e308, -1.7e308},
            {0.0, 0.0, 1.0e-300},
            {0.0, -0.0, 0},
            {#{a => 1.5}, #{a => 1.5}, #{a => 1.5, b => 2}},
            {#{a => self(), b => 1}, #{a => self(), b => 1}, #{a => self(), b => 2}},
            {[#{} | self()], [#{} | self()], [#{a => 1} | self()]},
            {{self(), {a, [1.5]}}, {self(), {a, [1.5]}}, {self(), {b, [1.5]}}}
        ]
    ].

a_float_may_differ_in_its_last_digits_test() ->
    Root = math:sqrt(2),
    ?assert(matches(pattern(Root, Root), Root + 2.0e-16)).

records_have_their_names_test() ->
    Records = #{{point, 3} => [{x, true}, {y, true}]},
    {Form, Guards} = cuter_match:pattern({point, undefined, 1.5}, {point, undefined, 1.5}, Records),
    Text = cuter_layout:render(cuter_layout:form(Form), 0, 0),
    ?assertEqual("#point{x = undefined, y = Float1}", Text),
    ?assertEqual(2, length(Guards)).

pattern(A, B) ->
    {Form, Guards} = cuter_match:pattern(A, B, #{}),
    {cuter_layout:render(cuter_layout:form(Form), 0, 0), Guards}.

matches({Pattern, Guards}, Value) ->
    Guard = [[" when ", lists:join(" andalso ", Guards)] || Guards =/= []],
    Text = lists:flatten(["case Value of ", Pattern, Guard, " -> true; _ -> false end."]),
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Exprs} = erl_parse:parse_exprs(Tokens),
    {value, Result, _} = erl_eval:exprs(Exprs, [{'Value', Value}]),
    Result.
