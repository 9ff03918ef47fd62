%% Calls of the engine's built-in functions on bitstrings, iolists and maps: every function with
%% every combination of a few values, most of which it does not accept.
-module(cuter_binary_rows).

-export([rows/0]).

-spec rows() -> [{module(), atom(), [term()]} | {module(), atom(), [term()], atom()}].
rows() ->
    [{M, F, Args} || {M, F, Pools} <- functions(), Args <- combinations(Pools)] ++
        %% What these return is opaque.
        [{binary, compile_pattern, [Value], class_of} || Value <- bits()] ++
        [{erlang, alias, [], type_of}].

functions() ->
    [{erlang, F, [bits()]} || F <- [
        binary_to_list, bit_size, bitstring_to_list, byte_size, iolist_size, iolist_to_binary,
        list_to_binary, list_to_bitstring, size, binary_to_term
    ]] ++
        [{binary, F, [bits()]} || F <- [
            copy, decode_unsigned, encode_unsigned, first, last, list_to_bin,
            longest_common_prefix, longest_common_suffix, bin_to_list
        ]] ++
        [{binary, F, [bits(), numbers()]} || F <- [at, copy]] ++
        [{binary, F, [bits(), parts()]} || F <- [part, bin_to_list]] ++
        [{binary, F, [bits(), bits()]} || F <- [match, matches, split]] ++
        [{binary, F, [bits(), bits(), options()]} || F <- [match, matches, split]] ++
        [{binary, F, [bits(), [big, little, x]]} || F <- [decode_unsigned, encode_unsigned]] ++
        [
            {erlang, binary_part, [bits(), parts()]},
            {erlang, binary_part, [bits(), numbers(), numbers()]},
            {binary, part, [bits(), numbers(), numbers()]},
            {binary, bin_to_list, [bits(), numbers(), numbers()]},
            {erlang, binary_to_list, [bits(), numbers(), numbers()]},
            {erlang, split_binary, [bits(), numbers()]},
            {unicode, characters_to_binary, [texts(), encodings()]},
            {unicode, characters_to_list, [texts(), encodings()]},
            {unicode, bin_is_7bit, [bits()]},
            {erlang, spawn, [no_funs()]},
            {erlang, spawn_link, [no_funs()]},
            {erlang, spawn_monitor, [no_funs()]},
            {erlang, spawn, [[1, a], [2], [[]]]},
            {erlang, spawn_link, [[1], [a, 2], [[]]]},
            {erlang, spawn_monitor, [[1], [a, 2], [[], x]]},
            {erlang, spawn_opt, [no_funs(), [[], [link]]]},
            {erlang, spawn_opt, [[1], [2], [[]], [[], [monitor]]]},
            {erlang, monitor, [[process, x], [1, <<>>]]},
            {erlang, monitor, [[process, x], [1, <<>>], [[], x]]},
            {erlang, demonitor, [[1, x]]},
            {erlang, demonitor, [[1, x], [[], [flush], x]]},
            {erlang, hibernate, [[1, a], [2], [[], x]]},
            {erlang, link, [[1, x]]},
            {erlang, unlink, [[1, x]]},
            {erlang, is_process_alive, [[1, x]]},
            {erlang, exit, [[1, x], [r]]},
            {erlang, unalias, [[1, x]]},
            {erlang, send, [[1, [], <<>>], [x], [[], [nosuspend]]]},
            {erlang, '!', [[1, [], <<>>, {a, b, c}], [x]]},
            {erlang, send, [[1, [], <<>>, {a, b, c}], [x]]},
            {erlang, register, [[1, a, undefined], [b, <<>>, 2]]},
            {erlang, unregister, [[1, undefined, cuter_nobody]]},
            {erlang, whereis, [[1, undefined, cuter_nobody, kernel_sup]]},
            {erlang, send_after, [[-1, a, 1.0, 1 bsl 70], [x, 1], [m]]},
            {erlang, send_after, [[-1, a], [cuter_nobody], [m], [[], [x], [{abs, 1}], x]]},
            {erlang, start_timer, [[-1, a, 1.0, 1 bsl 70], [cuter_nobody, 1], [m]]},
            {erlang, start_timer, [[-1, a], [cuter_nobody], [m], [[], [x], [{abs, 1}], x]]},
            {erlang, cancel_timer, [[1, x]]},
            {erlang, cancel_timer, [[1, x], [[], [{async, true}], [x]]]},
            {erlang, read_timer, [[1, x]]},
            {erlang, read_timer, [[1, x], [[], [{async, true}], [x]]]}
        ] ++ maps_functions().

maps_functions() ->
    [{erlang, map_size, [maps()]}] ++
        [{M, F, [keys(), maps()]} || {M, F} <- [
            {erlang, map_get}, {erlang, is_map_key}, {maps, get}, {maps, find}, {maps, is_key},
            {maps, remove}, {maps, take}
        ]] ++
        [{maps, F, [maps()]} || F <- [keys, values, to_list, from_list, size]] ++
        [{maps, F, [keys(), [v], maps()]} || F <- [put, update]] ++
        [
            {maps, merge, [maps(), maps()]},
            {maps, from_list, [[[{a, 1}, {a, 2}], [{a, 1}, b], [{a, 1} | x]]]},
            {maps, from_keys, [[[], [a, b, a], [a | b], x], [v]]},
            {erts_internal, cmp_term, [keys(), keys()]},
            {erts_internal, map_hashmap_children, [[a, #{}, #{a => 1}]]},
            {erts_internal, spawn_request, [[erlang, 1], [abs, 2], [a, [1 | 2]], [a, []]]},
            {erts_internal, map_next, [[0], small_maps(), [iterator]]}
        ].

no_funs() ->
    [a, 1, []].

bits() ->
    [<<>>, <<1>>, <<0, 255, 7>>, <<5:3>>, <<"abcabc">>, <<"b">>, [1, <<2>>, [3 | <<4>>]], [256], a,
        300, [<<"ab">>, <<"abc">>], -1, [], <<131, 97, 5>>].

numbers() ->
    [0, 1, 3, -1, 1 bsl 70, a, 2.0].

parts() ->
    [{0, 1}, {1, -1}, {3, 0}, {0, 9}, {-1, 1}, {a, 1}, x, {1 bsl 70, 1}].

options() ->
    [[], [global], [{scope, {1, 2}}], [trim], [x], x].

texts() ->
    [<<"abc">>, [228, 8364], <<228>>, <<195, 164>>, [<<"a">>, $b, [[<<"c">>]]], [a], a, <<1:3>>].

encodings() ->
    [utf8, latin1, unicode, utf16, {utf32, little}, x].

keys() ->
    [a, 1, 1.0, {x, y}, <<>>, #{}, []].

maps() ->
    [maps:from_list([{N, N * N} || N <- lists:seq(1, 40)]) | small_maps()].

small_maps() ->
    [#{}, #{a => 1}, #{1 => i, 1.0 => f, a => [x]}, x, [{a, 1}]].

combinations([]) -> [[]];
combinations([Pool | Pools]) -> [[Value | Rest] || Value <- Pool, Rest <- combinations(Pools)].
