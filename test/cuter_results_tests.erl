%% Results outside the types that specs say, solved for and judged on the BEAM.
-module(cuter_results_tests).

-include_lib("eunit/include/eunit.hrl").

%% Each function, and what a result has to be that is outside.
outside() ->
    [
        {number, fun(X) -> X =< 0 end},
        {name, fun(X) -> X =:= unknown end},
        {pairs, fun(List) -> lists:any(fun({_, Square}) -> Square > 255 end, List) end},
        {shape, fun(X) -> X =:= {error, 2024} end},
        {sizes, fun(X) -> X > 3 end},
        {counted, fun(#{left := X}) -> X =< 0 end},
        {optional, fun(X) -> not is_map_key(id, X) orelse is_map_key(other, X) end},
        {nested, fun(#{list := List}) -> lists:any(fun(X) -> X < 0 end, List) end},
        {bits, fun(X) -> not is_binary(X) end},
        {text, fun(X) -> X =:= [${] end},
        {second, fun(X) -> not is_atom(X) end}
    ].

results_outside_the_spec_are_solved_for_test_() ->
    [
        {atom_to_list(Name), {timeout, 60, fun() -> found(Name, IsOutside) end}}
     || {Name, IsOutside} <- outside()
    ].

found(Name, IsOutside) ->
    {Report, Natively} = explored(Name),
    Found = maps:get(returns_outside_spec, Report),
    ?assertNotEqual([], Found),
    ?assertEqual([Result || #{result := Result} <- Found], Natively),
    ?assertEqual([], [Result || Result <- Natively, not IsOutside(Result)]),
    ?assertEqual(0, maps:get(divergences, Report)),
    ?assertEqual(#{}, maps:get(concretised, Report)).

%% The seed is among the inputs that are shrunk.
inputs_of_such_results_are_small_test_() ->
    [
        {atom_to_list(Name), {timeout, 60, fun() ->
            {#{returns_outside_spec := Found}, _} = explored(Name, Seed),
            ?assert(lists:member({Small, Seed}, [{I, O} || #{input := I, original := O} <- Found]))
        end}}
     || {Name, Seed, Small} <- [
            {number, [97], [11]},
            {pairs, [[5, 17, 16, 3]], [[16]]},
            {nested, [[5, -(1 bsl 70), 3]], [[-34]]}
        ]
    ].

%% What is returned from an input as it came is within the spec by the input's own type: nothing is
%% asked, so these functions have no more paths than their clauses.
what_comes_from_the_input_is_not_asked_about_test_() ->
    [
        {atom_to_list(Name), {timeout, 60, fun() -> clean(Name, Paths) end}}
     || {Name, Paths} <- [{returned, 4}, {part, 2}, {widened, 2}, {wrapped, 3}, {tree, 3}]
    ].

clean(Name, MostPaths) ->
    {#{verdict := Verdict, runs := Runs} = Report, _} = explored(Name),
    ?assertEqual([], maps:get(returns_outside_spec, Report)),
    ?assertEqual([], maps:get(failures, Report)),
    ?assertEqual(exhausted, Verdict),
    ?assert(Runs =< MostPaths).

%% Keys that are symbolic are of one type for all.
symbolic_keys_are_held_against_their_type_test() ->
    {Report, _} = explored(counts),
    ?assertEqual([], maps:get(returns_outside_spec, Report)),
    ?assertEqual(#{}, maps:get(concretised, Report)).

%% What was changed is held against the type, the rest is of it by the input's own.
changes_of_maps_are_held_against_their_type_test_() ->
    [
        {atom_to_list(Name), {timeout, 60, fun() ->
            {Report, Natively} = explored(Name, Arity),
            ?assertMatch(#{verdict := exhausted, concretised := C} when C =:= #{}, Report),
            ?assertMatch([_ | _], Natively),
            ?assertEqual([], [Result || Result <- Natively, not IsOutside(Result)])
        end}}
     || {Name, Arity, IsOutside} <- [
            {counted_up, 3, fun(Map) -> lists:min(maps:values(Map)) =< 0 end},
            {renamed, 3, fun(#{key := Key}) -> Key < 0 orelse Key > 4710 end},
            {lost, 2, fun(Map) -> not is_map_key(key, Map) end}
        ]
    ] ++
        [{"kept", {timeout, 60, fun() ->
            {Report, []} = explored(kept, 2),
            ?assertMatch(#{verdict := exhausted, concretised := C} when C =:= #{}, Report)
        end}}].

%% The report, and what the inputs of results outside the spec give on the BEAM.
explored(Name) ->
    explored(Name, 1).

explored(Name, Seed) ->
    cuter_fixture:with_modules(["test/fixtures/results.erl"], fun() ->
        Report = cuter:run(results, Name, Seed, [quiet, {workers, 1}]),
        Inputs = [Input || #{input := Input} <- maps:get(returns_outside_spec, Report)],
        {Report, [apply(results, Name, Input) || Input <- Inputs]}
    end).
