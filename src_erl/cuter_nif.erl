%% The engine, as a native library. docs/protocol.md says what crosses this boundary.
-module(cuter_nif).

-export([start/2, provide/3, resume/2, resume_briefly/2, abandon/2, cancel/1, sessions/0, bifs/0]).
-export([progress/1, is_terminal/0, catch_interrupts/0, interrupted/0, release_interrupts/0]).
-export([loaded/0, build/0, format_error/1]).

-export_type([session/0, run/0, error/0, progress/0]).

-on_load(load/0).

-type session() :: reference().
-type run() :: reference().
%% Runs, paths, failures, clauses covered and clauses there are, so far.
-type progress() :: {
    Runs :: non_neg_integer(),
    Paths :: non_neg_integer(),
    Failures :: non_neg_integer(),
    Covered :: non_neg_integer(),
    Clauses :: non_neg_integer()
}.
-type error() :: {error, {atom(), binary()}}.
-type description() :: {not_loaded, string()}.

%% Starts a session owned by the calling process, which receives its events under `Tag`.
-spec start(Tag :: reference(), Request :: binary()) -> {ok, session()} | error().
start(_Tag, _Request) -> not_loaded().

%% Answers the event `{load, Module}`.
-spec provide(session(), module(), cuter_core:answer()) -> ok | error().
provide(_Session, _Module, _Answer) -> not_loaded().

%% Drives a hosted run until it asks for something. Runs on a dirty scheduler.
-spec resume(run(), Reply :: binary()) -> done | {request, binary()} | error().
resume(_Run, _Reply) -> not_loaded().

%% The same for some hundred microseconds at most. `busy`: not now, and nothing has been done.
-spec resume_briefly(run(), Reply :: binary()) -> done | {request, binary()} | busy | error().
resume_briefly(_Run, _Reply) -> not_loaded().

%% Tells that the host process of a run died; the reason is in external term format.
-spec abandon(run(), Reason :: binary()) -> ok | error().
abandon(_Run, _Reason) -> not_loaded().

-spec cancel(session()) -> ok.
cancel(_Session) -> not_loaded().

%% The number of sessions whose threads have not ended yet.
-spec sessions() -> non_neg_integer().
sessions() -> not_loaded().

%% The built-in functions of the engine, `[{Module, Function, Arity, exact | concrete}]` in external
%% term format. Those that are `exact` know what they mean for symbolic arguments.
-spec bifs() -> binary() | error().
bifs() -> not_loaded().

%% How far a session is. Cheap, and any process may ask.
-spec progress(session()) -> progress().
progress(_Session) -> not_loaded().

%% Whether standard output is a terminal.
-spec is_terminal() -> boolean().
is_terminal() -> not_loaded().

%% The first interrupt (SIGINT, Ctrl-C) from now on is noted, the second one ends the VM. False if
%% the system does not allow that.
-spec catch_interrupts() -> boolean().
catch_interrupts() -> not_loaded().

%% Whether there was an interrupt since they are caught.
-spec interrupted() -> boolean().
interrupted() -> not_loaded().

%% From now on an interrupt has its usual effect.
-spec release_interrupts() -> ok.
release_interrupts() -> not_loaded().

%% Whether the native library is there. The module itself loads without it, so that a user who
%% has not built it reads why instead of `undef`.
-spec loaded() -> ok | {error, {?MODULE, description()}}.
loaded() ->
    case persistent_term:get(?MODULE, ok) of
        ok -> ok;
        Why -> {error, {?MODULE, {not_loaded, Why}}}
    end.

%% Which cuter this is: what another build finds may differ. `build.sh` writes it down, the same for
%% the same sources on every machine.
-spec build() -> binary() | unknown.
build() ->
    case file:read_file(filename:join(priv_dir(), "build_id")) of
        {ok, Id} -> string:trim(Id);
        {error, _} -> unknown
    end.

-spec format_error(description()) -> iolist().
format_error({not_loaded, Why}) ->
    io_lib:format(
        "The native library of cuter cannot be loaded; build it with `make build`. (~ts)", [Why]
    ).

-spec load() -> ok.
load() ->
    persistent_term:put(?MODULE, load_library(filename:join(priv_dir(), "cuter_nif"))).

load_library(Path) ->
    Release = list_to_integer(erlang:system_info(otp_release)),
    case erlang:load_nif(Path, Release) of
        ok -> ok;
        {error, {_Reason, Text}} -> Text
    end.

%% Beside the ebin of this very module: `code:priv_dir/1` takes any directory called `cuter-…` on
%% the code path for the application.
priv_dir() ->
    case code:which(?MODULE) of
        [_ | _] = Beam ->
            Ebin = filename:dirname(filename:absname(Beam)),
            filename:join(filename:dirname(Ebin), "priv");
        _Unknown ->
            "priv"
    end.

%% Dialyzer must not think that these functions never return.
-spec not_loaded() -> any().
not_loaded() ->
    erlang:nif_error({?MODULE, not_loaded}).
