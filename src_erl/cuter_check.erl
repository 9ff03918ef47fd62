%% Properties: functions that must not return `false`.
-module(cuter_check).

-export([run/3]).

%% Explores a property and prints what it finds. Besides what raises, an input for which it returns
%% `false` is a failure with the reason `{returned, false}`.
-spec run({module(), atom()}, cuter_seeds:given(), cuter_options:given()) ->
    cuter_report:report() | cuter:error().
run(Property, Input, Options) ->
    Result =
        case cuter_driver:check([Property], Input, Options) of
            {ok, Checked, Arity} -> explore(Property, Arity, Input, Checked);
            {error, _} = Error -> Error
        end,
    cuter_several:announce(Result, cuter_options:is_quiet(Options)).

explore({Module, Function}, Arity, Input, Options) ->
    Property = {Module, Function, Arity},
    cuter_driver:with(
        fun(Driver) -> forms(Driver, Property) end,
        fun(Driver) ->
            Given = Options#{coverage_of => Property, quiet => true},
            translate(cuter:run(Driver, holds, Input, Given), Property, Driver)
        end
    ).

forms(Driver, {Module, Function, Arity} = Property) ->
    Args = cuter_driver:arguments(Arity),
    cuter_driver:parse(Driver, {holds, Arity}, Property, [
        io_lib:format("holds(~ts) ->\n", [Args]),
        io_lib:format("  case ~tw:~tw(~ts) of\n", [Module, Function, Args]),
        "    false -> erlang:error({returned, false});\n",
        "    Holds -> Holds\n",
        "  end.\n"
    ]).

translate({error, _} = Error, _Property, _Driver) ->
    Error;
translate(#{failures := Failures} = Report, Property, Driver) ->
    Report#{
        mfa := Property,
        failures := [without_driver(Failure, Driver) || Failure <- Failures],
        modules => maps:get(modules, Report, []) -- [Driver]
    }.

without_driver(#{stacktrace := Stacktrace} = Failure, Driver) ->
    Failure#{stacktrace := [Frame || Frame <- Stacktrace, element(1, Frame) =/= Driver]}.
