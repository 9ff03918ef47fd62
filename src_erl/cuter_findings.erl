%% What the engine found, judged on the BEAM.
-module(cuter_findings).

-export([failures/2, returns/2, answered/1, expected/2, shrunk/2]).

-type target() :: cuter_target:target().
-type failure() :: cuter_report:failure().
-type disagreement() :: cuter_report:disagreement().

%% The failures that happen natively too, and those that do not. An input for which the
%% precondition does not hold shows nothing.
-spec failures([map()], target()) -> {[failure()], [disagreement()]}.
failures(Found, #{mfa := {Module, Function, _}} = Target) ->
    Judged = [
        {F, cuter_replay:confirm({Module, Function}, F)}
     || F <- Found,
        is_permitted(F, Target)
    ],
    {
        [confirmed(F, Native) || {F, {confirmed, Native}} <- Judged],
        [refuted(F, Native) || {F, {disagreement, Native}} <- Judged]
    }.

is_permitted(#{input := Input}, #{options := #{pre := Predicate}}) ->
    cuter_precondition:holds(Predicate, Input);
is_permitted(_Found, #{}) ->
    true.

confirmed(#{input := Input} = Failure, Native) ->
    Kept = maps:with([condition], Failure),
    maps:merge(Kept, Native#{input => Input, original => maps:get(original, Failure, Input)}).

refuted(Found, Native) ->
    (maps:with([input, class, reason, result, outside], Found))#{native => Native}.

%% The results that are outside the spec natively too, with small inputs, and those that are not.
-spec returns([map()], target()) -> {[cuter_report:return()], [disagreement()]}.
returns(Found, #{mfa := {Module, Function, _}, signature := Signature} = Target) ->
    Judged = [
        {F, judge(F, cuter_replay:native({Module, Function}, Input), Signature)}
     || #{input := Input} = F <- Found,
        is_permitted(F, Target)
    ],
    Outside = [
        #{input => Input, original => Input, result => Result}
     || {#{input := Input}, {outside, Result}} <- Judged
    ],
    {
        lists:uniq(fun(#{input := Input}) -> Input end, [shrunk_return(R, Target) || R <- Outside]),
        [refuted(F, Native) || {F, {disagreement, Native}} <- Judged]
    };
returns(_Found, #{}) ->
    {[], []}.

judge(#{input := Input}, {ok, Result} = Native, Signature) ->
    case cuter_type_check:is_result(Input, Result, Signature) of
        false -> {outside, Result};
        true -> {disagreement, Native}
    end;
judge(_Found, Native, _Signature) ->
    {disagreement, Native}.

%% To the shrinker a result outside the spec is something that is raised.
shrunk_return(#{input := Input} = Return, #{mfa := Mfa, signature := Signature} = Target) ->
    {Module, Function, _} = Mfa,
    Found = #{input => Input, class => error, reason => outside_spec, stacktrace => []},
    #{input := Smaller} = cuter_shrink:failure(Mfa, Found, #{
        valid => cuter_target:valid(Target),
        call => fun(Args) ->
            Native = cuter_replay:replay(Module, Function, Args),
            case judge(#{input => Args}, Native, Signature) of
                {outside, _} -> {raised, error, outside_spec, []};
                {disagreement, _} -> {ok, within}
            end
        end
    }),
    case judge(#{input => Smaller}, cuter_replay:native({Module, Function}, Smaller), Signature) of
        {outside, Result} -> Return#{input := Smaller, result := Result};
        {disagreement, _} -> Return
    end.

%% Those on which the BEAM says something else, and those to which it had no answer, or another one
%% because it was asked at another time.
-spec answered([disagreement()]) -> {[disagreement()], Unconfirmed :: [disagreement()]}.
answered(Refuted) ->
    lists:partition(
        fun(#{native := Native} = Found) ->
            cuter_replay:is_answer(Native) andalso not is_map_key(outside, Found)
        end,
        Refuted
    ).

%% One failure for each place and reason: those that the function may raise, and the others.
-spec expected([failure()], target()) -> {[failure()], [failure()]}.
expected(Failures, #{mfa := Mfa, options := Options}) ->
    Raises = maps:get(raises, Options, []),
    {Expected, Unexpected} =
        lists:partition(fun(F) -> cuter_failures:is_expected(F, Raises) end, Failures),
    {cuter_failures:distinct(Mfa, Expected), cuter_failures:distinct(Mfa, Unexpected)}.

%% Failures with small inputs, none of which raises what the function may raise.
-spec shrunk([failure()], target()) -> [failure()].
shrunk(Failures, #{mfa := Mfa, options := Options} = Target) ->
    Raises = maps:get(raises, Options, []),
    cuter_shrink:failures(Mfa, Failures, #{
        valid => cuter_target:valid(Target),
        is_failure => fun(Raised) -> not cuter_failures:is_expected(Raised, Raises) end
    }).
