%% What the compiler decides after Core Erlang, as its own intermediate code shows.
%%
%% Up to OTP 26 it may compute the size of a binary comprehension's result before the loop begins
%% (see `cuter_comprehension`). The passes that decide this are run here, and their result is read:
%% the loops that are called with a writable binary of computed size. The records of that code are
%% those of OTP 24 to 26; where it has another form, no loop is named.
-module(cuter_ssa).

-export([sized_loops/3]).

-define(FIRST_RELEASE_WITHOUT, 27).

%% The size of a writable binary if nothing is known.
-define(DEFAULT_SIZE, {b_literal, 256}).

-spec sized_loops(cerl:c_module(), [erl_parse:abstract_form()], [compile:option()]) ->
    cuter_loops:loops().
sized_loops(Core, Forms, Options) ->
    case is_early() andalso has_comprehension(Core) of
        true -> loops(Forms, Options);
        false -> #{}
    end.

is_early() ->
    list_to_integer(erlang:system_info(otp_release)) < ?FIRST_RELEASE_WITHOUT.

has_comprehension(Core) ->
    cerl_trees:fold(fun(Node, Found) -> Found orelse is_writable(Node) end, false, Core).

is_writable(Node) ->
    cerl:is_c_primop(Node) andalso
        cerl:concrete(cerl:primop_name(Node)) =:= bs_init_writable.

loops(Forms, Options) ->
    try
        {ok, _Module, Kernel} = compile:noenv_forms(Forms, [to_kernel, binary | Options]),
        {b_module, _, _, _, _, Functions} =
            lists:foldl(pass(without_later(Options)), Kernel, passes(Options)),
        cuter_loops:by_function([Name || Function <- Functions, Name <- sized(Function)])
    catch
        _:_ -> #{}
    end.

passes(Options) ->
    Optional = [
        {no_bool_opt, beam_ssa_bool},
        {no_share_opt, beam_ssa_share},
        {no_recv_opt, beam_ssa_recv},
        {no_bsm_opt, beam_ssa_bsm},
        {no_ssa_opt, beam_ssa_opt}
    ],
    [beam_kernel_to_ssa] ++
        [Pass || {Without, Pass} <- Optional, not proplists:get_bool(Without, Options)].

%% What comes after the decision is not needed, and may leave nothing of the comprehension.
without_later(Options) ->
    [
        no_ssa_opt_type_start,
        no_ssa_opt_type_continue,
        no_ssa_opt_type_finish,
        no_ssa_opt_dead
        | Options
    ].

pass(Options) ->
    fun(Pass, Code) ->
        %% Some give warnings, too.
        element(2, Pass:module(Code, Options))
    end.

%% The lifted functions that are called with a writable binary of computed size.
sized({b_function, _Annotation, _Args, Blocks, _Count}) ->
    Sets = [Set || {b_blk, _, Is, _Last} <- maps:values(Blocks), Set <- Is],
    Writable = [
        Var
     || {b_set, _, Var, bs_init_writable, [Size]} <- Sets, Size =/= ?DEFAULT_SIZE
    ],
    [
        Name
     || {b_set, _, _, call, [{b_local, {b_literal, Name}, _} | Args]} <- Sets,
        Var <- Writable,
        lists:member(Var, Args)
    ].
