%% Properties: functions that must not return `false`.
-module(cuter_check).

-export([explore/3]).

%% Explores a property. Besides what raises, an input for which it returns `false` is a failure with
%% the reason `{returned, false}`.
-spec explore(mfa(), [term()] | arity(), cuter_options:options()) ->
    cuter_report:report() | cuter:error().
explore(Property, Input, Options) ->
    cuter_driver:with(
        fun(Driver) -> forms(Driver, Property) end,
        fun(Driver) ->
            Given = Options#{coverage_of => Property},
            translate(cuter:run(Driver, holds, Input, Given#{quiet => true}), Property, Driver)
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
