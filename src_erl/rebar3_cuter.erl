%% `rebar3 cuter`: explores functions of a project.
%%
%% A provider of rebar3, though not declared as that behaviour: rebar3 is no application that the
%% compiler, xref or dialyzer could look into. All use of its modules is in here.
%%
%% rebar3 ends with exit code 1 whatever goes wrong. Where another code is due, this module prints
%% the sentence and halts, unless rebar3 itself runs inside of a shell.
-module(rebar3_cuter).

-export([init/1, do/1, format_error/1]).

-ignore_xref([
    {getopt, parse, 2},
    {providers, create, 1},
    {rebar3, global_option_spec_list, 0},
    {rebar_api, error, 2},
    {rebar_app_info, dir, 1},
    {rebar_app_info, ebin_dir, 1},
    {rebar_app_info, name, 1},
    {rebar_dir, root_dir, 1},
    {rebar_paths, set_paths, 2},
    {rebar_prv_compile, do, 1},
    {rebar_state, add_provider, 2},
    {rebar_state, command_parsed_args, 1},
    {rebar_state, get, 3},
    {rebar_state, project_apps, 1}
]).

-type description() :: {found, iolist()} | {usage, iolist()} | {failed, iolist()}.

-spec init(term()) -> {ok, term()}.
init(State) ->
    Words = init:get_plain_arguments(),
    Options = cuter_cli:options(Words),
    ok = check_words(Words, Options),
    Provider = providers:create([
        {name, cuter},
        {module, ?MODULE},
        {bare, true},
        %% Of what compiling needs; compiling itself is called below.
        {deps, [{default, lock}]},
        {example, "rebar3 cuter --module m --function f --seed-input \"[17]\""},
        {short_desc, "Find inputs that crash the functions of a project"},
        {desc, cuter_help:command()},
        {opts, Options}
    ]),
    {ok, rebar_state:add_provider(State, Provider)}.

%% rebar3 would reject a wrong option with exit code 1, as if failures had been found.
check_words([_Script, "cuter" | Words], Options) ->
    %% Among rebar3's own there is one for the name of the task.
    Global = lists:keydelete(task, 1, rebar3:global_option_spec_list()),
    case getopt:parse(Options ++ Global, Words) of
        {ok, {_, []}} -> ok;
        {ok, {_, [Word | _]}} -> halt_if_script(2, no_option(Word));
        {error, {invalid_option, Word}} -> halt_if_script(2, no_option(Word));
        {error, Other} -> halt_if_script(2, wrong_option(Other))
    end;
check_words(_Words, _Options) ->
    ok.

no_option(Word) ->
    cuter_cli:format_error({bad_argument, Word}).

wrong_option({missing_option_arg, Option}) ->
    ["Option ", option_name(Option), " needs a value; `rebar3 help cuter` lists them."];
wrong_option({_, {Option, Value}}) ->
    io_lib:format("Option ~ts cannot be \"~ts\".", [option_name(Option), Value]);
wrong_option(Other) ->
    io_lib:format("The options cannot be read: ~tp.", [Other]).

option_name(Option) when is_atom(Option) ->
    ["--", string:replace(atom_to_list(Option), "_", "-", all)];
option_name(Option) ->
    Option.

-spec do(term()) -> {ok, term()} | {error, {module(), term()}}.
do(State) ->
    {Given, _Rest} = rebar_state:command_parsed_args(State),
    case cuter_cli:plan(Given, rebar_state:get(State, cuter_opts, [])) of
        {ok, Plan} -> compile(Plan, State);
        {error, Reason} -> finish(2, cuter:format_error(Reason), State)
    end.

compile(Plan, State) ->
    try rebar_prv_compile:do(State) of
        {ok, Compiled} -> ready(cuter_nif:loaded(), Plan, Compiled);
        {error, Reason} -> not_compiled(State, Reason)
    catch
        throw:rebar_abort -> not_compiled(State, rebar_abort);
        error:{badmatch, {error, Reason}} -> not_compiled(State, Reason)
    end.

not_compiled(State, rebar_abort) ->
    finish(3, "The project does not compile; mend what is shown above.", State);
not_compiled(State, {Module, Reason}) when is_atom(Module) ->
    Text = ["The project does not compile: ", Module:format_error(Reason)],
    finish(3, Text, State);
not_compiled(State, Reason) ->
    finish(3, io_lib:format("The project does not compile: ~tp.", [Reason]), State).

ready({error, Reason}, _Plan, State) ->
    finish(3, cuter:format_error(Reason), State);
ready(ok, Plan, State) ->
    %% The project's code and that of its dependencies first, then the plugin itself.
    _ = rebar_paths:set_paths([deps, plugins], State),
    {Code, Sentence} = cuter_command:run(project(State), Plan, cuter_console:new()),
    finish(Code, Sentence, State).

project(State) ->
    #{
        directory => rebar_dir:root_dir(State),
        apps => [app(App) || App <- rebar_state:project_apps(State)]
    }.

app(App) ->
    #{
        name => binary_to_atom(rebar_app_info:name(App), utf8),
        directory => rebar_app_info:dir(App),
        modules => cuter_project:modules(rebar_app_info:ebin_dir(App))
    }.

%%% Ending

finish(0, none, State) ->
    {ok, State};
finish(1, Sentence, _State) ->
    {error, {?MODULE, {found, Sentence}}};
finish(Code, Sentence, _State) ->
    ok = halt_if_script(Code, Sentence),
    {error, {?MODULE, {failed, Sentence}}}.

%% An agent of rebar3 answers in a shell, which must live on.
halt_if_script(Code, Sentence) ->
    case whereis(rebar_agent) of
        undefined ->
            rebar_api:error("~ts", [Sentence]),
            erlang:halt(Code);
        _ ->
            ok
    end.

-spec format_error(description()) -> iolist().
format_error({_Kind, Sentence}) ->
    Sentence.
