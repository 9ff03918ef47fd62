-module(cuter_rename_tests).

-include_lib("eunit/include/eunit.hrl").

calls_between_the_modules_stay_among_them_test() ->
    Text =
        "-module(one).\n-export([f/1]).\n"
        "f(X) -> {two:g(X), apply(two, g, [X]), (fun two:g/1)(X), lists:reverse([X]), one, two}.\n",
    Renamed = printed(cuter_rename:forms(forms(Text), #{one => 'old one', two => 'old two'})),
    [
        ?assertNotEqual({Part, nomatch}, {Part, string:find(Renamed, Part)})
     || Part <- [
            "-module('old one')",
            "'old two':g(X)",
            "apply('old two', g, [X])",
            "fun 'old two':g/1",
            "lists:reverse([X])",
            %% Data stays.
            "one,two}"
        ]
    ].

types_and_imports_are_renamed_test() ->
    Text =
        "-module(one).\n-import(two, [g/1]).\n-spec f(two:t()) -> lists:t(one).\nf(X) -> g(X).\n",
    Renamed = printed(cuter_rename:forms(forms(Text), #{one => a, two => b})),
    [
        ?assertNotEqual({Part, nomatch}, {Part, string:find(Renamed, Part)})
     || Part <- ["-import(b", "b:t()", "lists:t(one)"]
    ].

forms(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    forms_of(Tokens).

forms_of([]) ->
    [];
forms_of(Tokens) ->
    {Form, [Dot | Rest]} = lists:splitwith(fun(T) -> element(1, T) =/= dot end, Tokens),
    {ok, Parsed} = erl_parse:parse_form(Form ++ [Dot]),
    [Parsed | forms_of(Rest)].

printed(Forms) ->
    Text = lists:flatten([erl_pp:form(Form, [{linewidth, 200}]) || Form <- Forms]),
    re:replace(Text, ",\\s+", ",", [global, {return, list}]) ++ spaced(Text).

spaced(Text) ->
    re:replace(Text, ",\\s*", ", ", [global, {return, list}]).
