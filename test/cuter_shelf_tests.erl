-module(cuter_shelf_tests).

-include_lib("eunit/include/eunit.hrl").

-define(KEY, {some_module, {<<"loaded">>, <<"beam">>}, exact}).

shelf_test_() ->
    {foreach, fun set_up/0, fun tear_down/1, [
        {"what was put there is taken again", fun taken_again/0},
        {"another version is another tree", fun another_version/0},
        {"what is exact is likely too, not the other way round", fun exact_is_likely/0},
        {"a damaged file is as good as none", fun damaged/0},
        {"a place that cannot be written to is as good as none", fun not_writable/0},
        {"the oldest files go when there are many", fun oldest_go/0},
        {"a module of OTP is taken from there", fun otp_module/0},
        {"a module of the user is not put there", fun user_module/0}
    ]}.

set_up() ->
    Before = os:getenv("CUTER_CACHE"),
    Dir = cuter_temporary:directory("shelf"),
    true = os:putenv("CUTER_CACHE", Dir),
    {Before, Dir}.

tear_down({Before, Dir}) ->
    case Before of
        false -> os:unsetenv("CUTER_CACHE");
        _ -> os:putenv("CUTER_CACHE", Before)
    end,
    _ = persistent_term:erase({cuter_core, queue}),
    cuter_temporary:remove(Dir).

taken_again() ->
    ?assertEqual(none, cuter_shelf:take(?KEY)),
    ok = cuter_shelf:put(?KEY, {exact, <<"tree">>}),
    ?assertEqual({ok, exact, <<"tree">>}, cuter_shelf:take(?KEY)).

another_version() ->
    ok = cuter_shelf:put(?KEY, {exact, <<"tree">>}),
    ?assertEqual(none, cuter_shelf:take({some_module, {<<"loaded">>, <<"other">>}, exact})),
    ?assertEqual(none, cuter_shelf:take(setelement(1, ?KEY, other_module))).

exact_is_likely() ->
    ok = cuter_shelf:put(?KEY, {exact, <<"tree">>}),
    ?assertEqual({ok, exact, <<"tree">>}, cuter_shelf:take(setelement(3, ?KEY, likely))),
    Other = setelement(1, ?KEY, other_module),
    ok = cuter_shelf:put(setelement(3, Other, likely), {likely, <<"guess">>}),
    ?assertEqual({ok, likely, <<"guess">>}, cuter_shelf:take(setelement(3, Other, likely))),
    ?assertEqual(none, cuter_shelf:take(Other)).

damaged() ->
    ok = cuter_shelf:put(?KEY, {exact, binary:copy(<<"tree">>, 1000)}),
    [File] = files(),
    {ok, Content} = file:read_file(File),
    [
        begin
            ok = file:write_file(File, Damaged),
            ?assertEqual(none, cuter_shelf:take(?KEY))
        end
     || Damaged <- [<<>>, <<"no tree">>, binary:part(Content, 0, byte_size(Content) - 3)]
    ].

not_writable() ->
    ok = file:write_file(cuter_shelf:directory(), "a file in its place"),
    ok = cuter_shelf:put(?KEY, {exact, <<"tree">>}),
    ?assertEqual(none, cuter_shelf:take(?KEY)).

oldest_go() ->
    ok = cuter_shelf:put(?KEY, {exact, <<"newest">>}),
    [Newest] = files(),
    Old = calendar:gregorian_seconds_to_datetime(63900000000),
    Dir = filename:dirname(Newest),
    Names = [filename:join(Dir, integer_to_list(N)) || N <- lists:seq(1, 1500)],
    [ok = file:write_file(Name, <<>>) || Name <- Names],
    [ok = file:change_time(Name, Old) || Name <- Names],
    ok = cuter_shelf:put(setelement(1, ?KEY, other_module), {exact, <<"one more">>}),
    ?assertEqual(1000, length(files())),
    ?assertEqual({ok, exact, <<"newest">>}, cuter_shelf:take(?KEY)).

otp_module() ->
    _ = persistent_term:erase({cuter_core, queue}),
    {ast, Tree} = cuter_core:module(queue, exact),
    {ok, Version} = cuter_core:version(queue),
    Key = {queue, {Version, queue:module_info(nifs)}, exact},
    ?assertEqual({ok, exact, Tree}, cuter_shelf:take(Key)),
    ok = cuter_shelf:put(Key, {exact, <<"from the shelf">>}),
    persistent_term:erase({cuter_core, queue}),
    ?assertEqual({ast, <<"from the shelf">>}, cuter_core:module(queue, exact)).

user_module() ->
    cuter_fixture:with_source("-export([f/0]).\nf() -> 1.\n", [debug_info], fun(_) ->
        {ast, _} = cuter_core:module(cuter_tried, exact)
    end),
    ?assertEqual([], files()).

files() ->
    filelib:wildcard(filename:join(cuter_shelf:directory(), "*")).
