%% What a person at a terminal sees while functions are explored.
%%
%% On a terminal the last line shows how far it is and is rewritten ten times a second; elsewhere
%% there are plain lines only. Colours: not if NO_COLOR is set, REBAR_COLOR is `none` or TERM is
%% `dumb`. With QUIET set, only what was found is printed.
-module(cuter_console).

-export([new/0, new/1, while/2, is_stopped/1, say/2, note/2, progress/2, clear/1, colour/3]).

-export_type([console/0]).

-type console() :: #{
    terminal := boolean(),
    colour := boolean(),
    quiet := boolean(),
    %% Whether somebody wants the program to stop, while that is looked out for.
    stopped => fun(() -> boolean())
}.

%% For standard output and the environment of this program.
-spec new() -> console().
new() ->
    new(#{
        terminal => cuter_nif:is_terminal(),
        variables => maps:from_list([
            {Name, Value}
         || Name <- ["NO_COLOR", "REBAR_COLOR", "TERM", "QUIET"],
            Value <- [os:getenv(Name)],
            is_list(Value),
            Value =/= ""
        ])
    }).

-spec new(#{terminal := boolean(), variables := #{string() => string()}}) -> console().
new(#{terminal := Terminal, variables := Variables}) ->
    Quiet = maps:is_key("QUIET", Variables),
    #{
        terminal => Terminal andalso not Quiet andalso not is_dumb(Variables),
        colour => Terminal andalso not is_dumb(Variables) andalso is_colourful(Variables),
        quiet => Quiet
    }.

is_dumb(#{"TERM" := "dumb"}) -> true;
is_dumb(_) -> false.

is_colourful(#{"NO_COLOR" := _}) -> false;
is_colourful(#{"REBAR_COLOR" := "none"}) -> false;
is_colourful(_) -> true.

%% Works with a console that knows whether to stop: an interrupt is only noted meanwhile, so
%% whatever is being written is written to its end.
-spec while(fun((console()) -> T), console()) -> T.
while(Work, Console) ->
    cuter_interrupt:while(fun(Stopped) -> Work(Console#{stopped => Stopped}) end).

-spec is_stopped(console()) -> boolean().
is_stopped(#{stopped := Stopped}) -> Stopped();
is_stopped(#{}) -> false.

%% What must be read even with QUIET.
-spec say(iodata(), console()) -> ok.
say(Text, Console) ->
    ok = clear(Console),
    io:put_chars(Text).

%% What is only good to know.
-spec note(iodata(), console()) -> ok.
note(_Text, #{quiet := true}) -> ok;
note(Text, Console) -> say(Text, Console).

%% Rewrites the last line.
-spec progress(iodata(), console()) -> ok.
progress(_Text, #{terminal := false}) ->
    ok;
progress(Text, #{terminal := true}) ->
    %% A line that wraps could not be rewritten.
    io:put_chars(["\r", string:slice(Text, 0, columns() - 1), "\e[K"]).

%% Takes the progress line away.
-spec clear(console()) -> ok.
clear(#{terminal := false}) -> ok;
clear(#{terminal := true}) -> io:put_chars("\r\e[K").

columns() ->
    case io:columns() of
        {ok, Columns} when Columns > 1 -> Columns;
        _ -> 80
    end.

-spec colour(red | green | yellow | bold, iodata(), console()) -> iodata().
colour(_Colour, Text, #{colour := false}) -> Text;
colour(Colour, Text, #{colour := true}) -> ["\e[", code(Colour), "m", Text, "\e[0m"].

code(red) -> "31";
code(green) -> "32";
code(yellow) -> "33";
code(bold) -> "1".
