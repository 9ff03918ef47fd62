-module(cuter_condition_tests).

-include_lib("eunit/include/eunit.hrl").

fields_of_records_have_their_names_test_() ->
    Records = #{
        {account, 3} => [{owner, true}, {balance, false}],
        {limits, 2} => [{most, true}],
        texts => #{}
    },
    Account = {account, "me", {limits, 5}},
    [
        ?_assertEqual(Said, unicode:characters_to_list(text(Condition, Input, Records)))
     || {Condition, Input, Said} <- [
            {"element(2, X1) =:= []", [Account], "X1#account.owner =:= []"},
            {"element(2, element(3, X2)) > 3, X1 < 2", [1, Account],
                "(X2#account.balance)#limits.most > 3, X1 < 2"},
            {"hd(X1) =/= a, element(3, hd(tl(X1))) >= 1", [[b, Account]],
                "hd(X1) =/= a, (hd(tl(X1)))#account.balance >= 1"},
            {"element(1, X1) =:= account, (X2 < 1 orelse element(3, X1) =:= X2)", [Account, 0],
                "is_record(X1, account), X2 < 1 orelse X1#account.balance =:= X2"},
            %% No records of the module
            {"element(2, X1) > 2", [{point, 3}], "element(2, X1) > 2"},
            {"element(2, X1) > 2", [{account, 3}], "element(2, X1) > 2"},
            {"hd(X1) > $a", ["text"], "hd(X1) > $a"},
            {"not a guard (", [Account], "not a guard ("}
        ]
    ].

%% As guards they hold for the input they were made for.
a_guard_that_names_fields_is_one_test() ->
    Source =
        "-export([check/1]).\n"
        "-record(item, {name :: atom(), price :: integer()}).\n"
        "-spec check([#item{}]) -> ok.\n"
        "check([#item{price = Price, name = Name}]) when Price > 100, Name =/= gold ->\n"
        "    error({dear, Price});\n"
        "check(_) -> ok.\n",
    {Input, Text} = cuter_fixture:with_source(Source, [debug_info], fun(_) ->
        #{failures := [Failure]} = cuter:run(cuter_tried, check, 1, [quiet]),
        Records = cuter_module:records(cuter_tried),
        {maps:get(input, Failure), cuter_condition:text(Failure, {cuter_tried, check, 1}, Records)}
    end),
    ?assertNotEqual(nomatch, string:find(Text, "#item.price")),
    Guarded =
        "-export([check/1]).\n"
        "-record(item, {name, price}).\n"
        "check(X1) when ",
    cuter_fixture:with_source([Guarded, Text, " -> yes.\n"], [], fun(_) ->
        ?assertEqual(yes, apply(cuter_tried, check, Input))
    end).

characters_of_text_are_characters_test_() ->
    Records = #{texts => #{{check, 2} => [text, numbers]}},
    [
        ?_assertEqual(Said, unicode:characters_to_list(text(Condition, ["ab", [1]], Records)))
     || {Condition, Said} <- [
            {"hd(X1) =:= 123", "hd(X1) =:= ${"},
            {"hd(tl(X1)) > 47, hd(X2) < 48", "hd(tl(X1)) > $/, hd(X2) < 48"},
            {"hd(X1) =/= 10, length(X1) =:= 65", "hd(X1) =/= 10, length(X1) =:= 65"}
        ]
    ].

text(Condition, Input, Records) ->
    Failure = #{condition => Condition, input => Input},
    cuter_condition:text(Failure, {cuter_tried, check, length(Input)}, Records).
