%% Small programs for tests: compiled into a directory of their own, loaded, and gone afterwards.
-module(cuter_fixture).

-export([root/0, file/1, with_modules/2, with_modules/3, with_source/3, in_directory/1, load/3]).
-export([eventually/2, printed/1, missing/1, differing/3]).

%% In place of tests of a program that is not there. They are left out, with a line that says so;
%% but on a CI server (the variable CI says that it is one) nothing is.
-spec missing(string()) -> [] | {string(), fun(() -> no_return())}.
missing(Program) ->
    Sentence = Program ++ " is not installed (scripts/setup --tests does that)",
    case os:getenv("CI", "") of
        "" ->
            io:put_chars(user, [Sentence, ": its tests are left out\n"]),
            [];
        _ ->
            {Sentence, fun() -> error({not_installed, Program}) end}
    end.

%% The top of the project, wherever the tests run.
-spec root() -> file:filename().
root() ->
    {ok, Cwd} = file:get_cwd(),
    root(Cwd).

root(Dir) ->
    case filelib:is_dir(filename:join([Dir, "examples", "demo"])) of
        true -> Dir;
        false -> root(parent(Dir, filename:dirname(Dir)))
    end.

parent(Dir, Dir) -> error(not_inside_the_project);
parent(_Dir, Parent) -> Parent.

%% A file of the project by its path below the root.
-spec file(file:filename()) -> file:filename().
file(Path) ->
    filename:join(root(), Path).

-spec with_modules([file:filename()], fun(() -> T)) -> T.
with_modules(Paths, Test) ->
    with_modules(Paths, [debug_info], Test).

%% Runs the test with the modules of these sources compiled and loaded.
-spec with_modules([file:filename()], [compile:option()], fun(() -> T)) -> T.
with_modules(Paths, Options, Test) ->
    in_directory(fun(Dir) ->
        Modules = [load(file(Path), Dir, Options) || Path <- Paths],
        try
            Test()
        after
            lists:foreach(fun unload/1, Modules)
        end
    end).

%% Runs the test with one module of this source text, whose file name it is given.
-spec with_source(iodata(), [compile:option()], fun((file:filename()) -> T)) -> T.
with_source(Text, Options, Test) ->
    in_directory(fun(Dir) ->
        Source = filename:join(Dir, "cuter_tried.erl"),
        ok = file:write_file(Source, ["-module(cuter_tried).\n", Text]),
        Module = load(Source, Dir, Options),
        try
            Test(Source)
        after
            unload(Module)
        end
    end).

%% Runs the test with a fresh directory, which is in the code path.
-spec in_directory(fun((file:filename()) -> T)) -> T.
in_directory(Test) ->
    Unique = integer_to_list(erlang:unique_integer([positive])),
    Name = lists:join("-", ["test-of-cuter", os:getpid(), Unique]),
    Dir = filename:join(os:getenv("TMPDIR", "/tmp"), lists:flatten(Name)),
    ok = file:make_dir(Dir),
    true = code:add_patha(Dir),
    try
        Test(Dir)
    after
        true = code:del_path(Dir),
        ok = file:del_dir_r(Dir)
    end.

-spec load(file:filename(), file:filename(), [compile:option()]) -> module().
load(Source, Dir, Options) ->
    {ok, Module} = compile:file(Source, [{outdir, Dir}, return_errors | Options]),
    unload(Module),
    {module, Module} = code:load_file(Module),
    Module.

unload(Module) ->
    _ = code:purge(Module),
    _ = code:delete(Module),
    _ = code:purge(Module).

%% The value of `Get` once it is the wanted one, or what it is after two seconds.
-spec eventually(fun(() -> T), T) -> T.
eventually(Get, Wanted) ->
    eventually(Get, Wanted, 200).

eventually(Get, _Wanted, 0) ->
    Get();
eventually(Get, Wanted, Tries) ->
    case Get() of
        Wanted ->
            Wanted;
        _ ->
            timer:sleep(10),
            eventually(Get, Wanted, Tries - 1)
    end.

%% What a function prints, read from a group leader of its own.
-spec printed(fun(() -> term())) -> string().
printed(Work) ->
    Test = self(),
    Leader = spawn_link(fun() -> collect(Test, []) end),
    {Pid, Monitor} = spawn_monitor(fun() ->
        group_leader(Leader, self()),
        Work()
    end),
    receive
        {'DOWN', Monitor, process, Pid, _} -> ok
    end,
    Leader ! done,
    receive
        {printed, Text} -> lists:flatten(Text)
    end.

collect(Test, Text) ->
    receive
        {io_request, From, ReplyAs, {put_chars, unicode, Chars}} ->
            From ! {io_reply, ReplyAs, ok},
            collect(Test, [Text, unicode:characters_to_list(Chars)]);
        done ->
            Test ! {printed, Text}
    end.

%% A call of the module of `with_source` that ends in another way on the BEAM than in the machine,
%% in what is left of results, reasons and stacktraces.
-spec differing(atom(), [term()], fun((term()) -> term())) ->
    [{atom(), [term()], Native :: term(), Own :: term()}].
differing(Function, Args, Left) ->
    Call = fun() ->
        try
            {ok, apply(cuter_tried, Function, Args)}
        catch
            Class:Reason:Stacktrace -> {raised, Class, Reason, Stacktrace}
        end
    end,
    {done, Result} = cuter_sandbox:run(Call, #{time => 5000}),
    Native = left(Result, Left),
    case left(cuter:eval(cuter_tried, Function, Args), Left) of
        Native -> [];
        Own -> [{Function, Args, Native, Own}]
    end.

%% Without the frames below the function called.
left({raised, Class, Reason, Stacktrace}, Left) ->
    Frames = lists:takewhile(fun(Frame) -> element(1, Frame) =/= ?MODULE end, Stacktrace),
    {raised, Class, Left(Reason), Left(Frames)};
left(Returned, Left) ->
    Left(Returned).
