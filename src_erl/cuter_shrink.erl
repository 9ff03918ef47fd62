%% Makes the input of a failure small, with the BEAM as the judge: every candidate is called
%% natively, and one that still fails in the same way takes the place of the input.
%%
%% What counts as simpler, at every place of the input:
%%   - 0 or `[]` or `a`, instead of anything that is built of parts;
%%   - a part of a term instead of the term, for recursive data;
%%   - fewer elements, bytes and keys; `[]` instead of an improper tail;
%%   - integers closer to 0, the positive one of two; floats with fewer digits, or an integer;
%%   - a fun with fewer calls in its table, and simpler results.
%% Other funs, pids, ports and references are never changed, only left out with what they are part
%% of.
%%
%% The search is greedy and goes over the input again and again until nothing changes. It tries the
%% same candidates in the same order each time; only the limits on time depend on the machine.
%%
%% The whole search is the work of one sandbox. A candidate has a process of its own within that,
%% so it takes its links, names and tables with it; processes that it leaves behind are killed
%% before the next candidate starts.
-module(cuter_shrink).

-export([failures/2, failures/3, failure/3]).
%% Body of a process
-export([candidate/3]).

-export_type([options/0]).

-type options() :: #{
    %% Whether the function may be called with these arguments.
    valid => fun(([term()]) -> boolean()),
    %% Makes the call; what it raises is judged. Calls the function, if not given.
    call => call(),
    %% Whether raising this is a failure.
    is_failure => fun((raised()) -> boolean()),
    %% Of one failure: how many candidates are called, and milliseconds for all of them.
    executions => non_neg_integer(),
    time => non_neg_integer(),
    %% Milliseconds after which a candidate counts as one that does not fail, at most.
    candidate_time => pos_integer()
}.
-type call() ::
    fun(([term()]) -> {ok, term()} | {raised, error | exit | throw, term(), list()} | halted).
-type failure() :: cuter_failures:failure().
-type raised() :: #{class := error | exit | throw, reason := term(), stacktrace := list()}.
%% The input with a term put into one place of it.
-type place() :: fun((term()) -> [term()]).
-type state() :: #{
    mfa := mfa(),
    wanted := term(),
    options := options(),
    deadline := integer(),
    left := non_neg_integer(),
    %% Milliseconds for the next candidate; fewer after one that hangs.
    patience := pos_integer(),
    %% Hashes of all inputs that were candidates, so that none is one twice.
    seen := #{non_neg_integer() => []},
    %% Processes that are older than the search.
    older := [pid()]
}.
-type outcome() ::
    returned | {raised, error | exit | throw, term(), list()} | killed | halted | timeout.
-type shrunk(Term) :: {Term, state()}.

-define(EXECUTIONS, 2000).
-define(TIME, 1000).
-define(CANDIDATE_TIME, 100).
-define(LEAST_PATIENCE, 10).
-define(HEAP_LIMIT_WORDS, 16 * 1024 * 1024).
%% How many terms within a term are tried in its place, apart from those deep inside.
-define(MAX_HOISTED, 32).
%% Chains of terms in terms longer than this are searched in jumps.
-define(DEEP, 4).
%% More bits or bytes than this are not asked for lightly.
-define(LARGE_INTEGER, 1 bsl 28).
%% A float up to this size has a fraction, or is shorter as an integer.
-define(MAX_WHOLE, 1.0e15).
%% The elements of a list are made 0 by halves, quarters and eighths together.
-define(BLANKED_CHUNKS, 8).

-spec failures(mfa(), [failure()]) -> [failure()].
failures(Mfa, Failures) ->
    failures(Mfa, Failures, #{}).

%% Shrinks each failure; those that became the same are one.
-spec failures(mfa(), [failure()], options()) -> [failure()].
failures(Mfa, Failures, Options) ->
    unique(Mfa, [failure(Mfa, Failure, Options) || Failure <- Failures]).

unique(_Mfa, []) ->
    [];
unique(Mfa, [Failure | Failures]) ->
    [Failure | unique(Mfa, [F || F <- Failures, not is_same(Mfa, F, Failure)])].

is_same(Mfa, #{input := Input} = Failure, #{input := Other} = OtherFailure) ->
    Input =:= Other andalso
        cuter_failures:key(Mfa, Failure) =:= cuter_failures:key(Mfa, OtherFailure).

%% The failure with the smallest input that was found, and the first input as `original`.
-spec failure(mfa(), failure(), options()) -> failure().
failure(Mfa, #{input := Input} = Failure, Given) ->
    Options = maps:merge(defaults(Mfa), Given),
    Work = fun() -> search(Mfa, Failure, Options) end,
    Kept = maps:merge(#{original => Input}, Failure),
    %% The search ends by itself in time, unless the predicate does not.
    case cuter_sandbox:run(Work, #{time => 2 * maps:get(time, Options) + ?TIME}) of
        {done, {ok, Smaller, Raised}} -> maps:merge(Kept#{input => Smaller}, Raised);
        _Unchanged -> Kept
    end.

defaults({Module, Function, _}) ->
    #{
        call => fun(Input) -> cuter_replay:replay(Module, Function, Input) end,
        valid => fun(_Input) -> true end,
        is_failure => fun(_Raised) -> true end,
        executions => ?EXECUTIONS,
        time => ?TIME,
        candidate_time => ?CANDIDATE_TIME
    }.

-spec search(mfa(), failure(), options()) -> {ok, [term()], raised()} | unchanged.
search(Mfa, #{input := Input, reason := Reason} = Failure, Options) ->
    #{time := Time, executions := Executions, candidate_time := Patience} = Options,
    {Smaller, State} = passes(Input, #{
        mfa => Mfa,
        wanted => identity(Mfa, Reason, Failure),
        options => Options,
        deadline => now_ms() + Time,
        left => Executions,
        patience => Patience,
        seen => #{hash(Input) => []},
        older => processes()
    }),
    confirm(Smaller, Smaller =:= Input, State).

%% A function that does not always do the same could have failed by chance.
confirm(_Input, true, _State) ->
    unchanged;
confirm(Input, false, #{options := #{candidate_time := Time}} = State) ->
    case raised_alike(execute(Input, Time, State), Input, State) of
        {true, Raised} -> {ok, Input, Raised};
        false -> unchanged
    end.

-spec passes([term()], state()) -> shrunk([term()]).
passes(Input, State0) ->
    case each([], Input, fun(Args) -> Args end, State0) of
        {Input, State} -> {Input, State};
        {Smaller, State} -> passes(Smaller, State)
    end.

%%% Terms

%% The simplest term that was found for this place.
-spec term(term(), place(), state()) -> shrunk(term()).
term(Term, Place, State0) ->
    case first(leaves(Term), Place, State0) of
        {{ok, Leaf}, State} -> {Leaf, State};
        {none, State} -> hoisted(Term, Place, State)
    end.

hoisted(Term, Place, State0) ->
    case first(inner_terms(Term), Place, State0) of
        {{ok, Inner}, State} -> term(Inner, Place, State);
        {none, State} -> parts(Term, Place, State)
    end.

parts(Term, Place, State) when is_integer(Term) -> integer(Term, Place, State);
parts(Term, Place, State) when is_float(Term) -> float(Term, Place, State);
parts([_ | _] = Term, Place, State) -> list(Term, Place, State);
parts(Term, Place, State) when is_tuple(Term) -> tuple(Term, Place, State);
parts(Term, Place, State) when is_map(Term) -> map(Term, Place, State);
parts(Term, Place, State) when is_bitstring(Term) -> bits(Term, Place, State);
parts(Term, Place, State) when is_function(Term) -> function(Term, Place, State);
parts(Term, Place, State) when is_atom(Term) -> atom(Term, Place, State);
parts(Term, _Place, State) -> {Term, State}.

leaves([_ | _]) -> [[], 0, a];
leaves(Term) when is_tuple(Term); is_map(Term); is_bitstring(Term) -> [0, [], a];
leaves(Term) when is_float(Term) -> [0];
leaves(Term) when is_atom(Term), not is_boolean(Term) -> [a];
leaves(Term) when is_function(Term) -> [Leaf || cuter_table:is_table(Term), Leaf <- [0, [], a]];
leaves(_Term) -> [].

%% A name that has to be quoted is nobody's: it gets shorter, and its characters simpler.
atom(Atom, Place, State0) ->
    Name = atom_to_list(Atom),
    case lists:flatten(io_lib:write_atom(Atom)) of
        Name ->
            {Atom, State0};
        _Quoted ->
            NamePlace = fun(Chars) -> Place(list_to_atom(Chars)) end,
            {Fewer, State1} = fewer(Name, NamePlace, State0),
            case attempt([plain(Char) || Char <- Fewer], NamePlace, State1) of
                {true, State} -> {list_to_atom([plain(Char) || Char <- Fewer]), State};
                {false, State} -> {list_to_atom(Fewer), State}
            end
    end.

%% The first character that needs as much room.
plain(Char) when Char > 255 -> 256;
plain(Char) when Char > 127 -> 128;
plain(_Char) -> $a.

tuple(Tuple, Place, State0) ->
    TuplePlace = fun(Elements) -> Place(list_to_tuple(Elements)) end,
    {Elements, State} = each([], tuple_to_list(Tuple), TuplePlace, State0),
    {list_to_tuple(Elements), State}.

map(Map, Place, State0) ->
    PairsPlace = fun(Pairs) -> Place(maps:from_list(Pairs)) end,
    {Pairs, State1} = fewer(lists:sort(maps:to_list(Map)), PairsPlace, State0),
    {Keys, Values0} = lists:unzip(Pairs),
    ValuesPlace = fun(Values) -> PairsPlace(lists:zip(Keys, Values)) end,
    {Values, State2} = each([], Values0, ValuesPlace, State1),
    KeysPlace = fun(Simpler) -> PairsPlace(lists:zip(Simpler, Values)) end,
    {Simpler, State} = each([], Keys, KeysPlace, State2),
    {maps:from_list(lists:zip(Simpler, Values)), State}.

function(Fun, Place, State) ->
    case cuter_table:table(Fun) of
        none -> {Fun, State};
        Table -> table(Table, Place, State)
    end.

%% First a fun that always returns the same; then fewer calls, a simpler default, simpler results.
table({_Arity, [], _Default} = Table, Place, State) ->
    table_results(Table, Place, State);
table({Arity, Entries0, Default}, Place, State0) ->
    Constants = [cuter_table:make(Arity, [], Result) || {_, Result} <- [{[], Default} | Entries0]],
    case first(Constants, Place, State0) of
        {{ok, Constant}, State} ->
            table_results(cuter_table:table(Constant), Place, State);
        {none, State1} ->
            FewerPlace = fun(Entries) -> Place(cuter_table:make(Arity, Entries, Default)) end,
            {Entries, State} = fewer(Entries0, FewerPlace, State1),
            table_results({Arity, Entries, Default}, Place, State)
    end.

table_results({Arity, Entries, Default0}, Place, State0) ->
    DefaultPlace = fun(Term) -> Place(cuter_table:make(Arity, Entries, Term)) end,
    {Default, State1} = term(Default0, DefaultPlace, State0),
    {Keys, Results0} = lists:unzip(Entries),
    Made = fun(Results) -> cuter_table:make(Arity, lists:zip(Keys, Results), Default) end,
    {Results, State} = each([], Results0, fun(Items) -> Place(Made(Items)) end, State1),
    {Made(Results), State}.

list(List, Place, State0) ->
    {Items0, Tail0} = items(List, []),
    {Items1, State1} = fewer(Items0, fun(Items) -> Place(Items ++ Tail0) end, State0),
    {Tail, State2} = tail(Tail0, fun(Term) -> Place(Items1 ++ Term) end, State1),
    {Items, State} = simpler(Items1, fun(Items) -> Place(Items ++ Tail) end, State2),
    {Items ++ Tail, State}.

items([Item | Tail], Items) -> items(Tail, [Item | Items]);
items(Tail, Items) -> {lists:reverse(Items), Tail}.

tail([], _Place, State) ->
    {[], State};
tail(Tail, Place, State0) ->
    case attempt([], Place, State0) of
        {true, State} -> {[], State};
        {false, State} -> term(Tail, Place, State)
    end.

bits(Bits, Place, State0) ->
    Whole = bit_size(Bits) div 8,
    <<Bytes:Whole/binary, Rest0/bitstring>> = Bits,
    {Rest, State1} = rest(Rest0, fun(Rest) -> Place(joined(Bytes, Rest)) end, State0),
    BytesPlace = fun(Items) -> Place(joined(list_to_binary(Items), Rest)) end,
    {Items0, State2} = fewer(binary_to_list(Bytes), BytesPlace, State1),
    {Items, State} = simpler(Items0, BytesPlace, State2),
    {joined(list_to_binary(Items), Rest), State}.

joined(Bytes, Rest) ->
    <<Bytes/binary, Rest/bitstring>>.

%% The bits behind the last whole byte.
rest(Rest, Place, State0) ->
    Size = bit_size(Rest),
    case first([<<>>, <<0:Size>>], Place, State0) of
        {{ok, Simpler}, State} -> {Simpler, State};
        {none, State} -> {Rest, State}
    end.

%%% Numbers

integer(Integer, Place, State0) ->
    case first(small_integers(Integer) ++ positive(Integer), Place, State0) of
        {{ok, Simpler}, State} when Simpler =< 1 -> {Simpler, State};
        {{ok, Simpler}, State} -> closer_to_zero(Simpler, Simpler div 2, Place, State);
        {none, State} -> closer_to_zero(Integer, abs(Integer) div 2, Place, State)
    end.

small_integers(0) -> [];
small_integers(1) -> [0];
small_integers(_Integer) -> [0, 1].

positive(Number) when Number < 0 -> [-Number];
positive(_Number) -> [].

%% Steps of half the size after each one that leads too far.
closer_to_zero(Integer, 0, _Place, State) ->
    {Integer, State};
closer_to_zero(Integer, Step, Place, State0) ->
    Closer = toward_zero(Integer, Step),
    case attempt(Closer, Place, State0) of
        {true, State} -> closer_to_zero(Closer, min(Step, abs(Closer)), Place, State);
        {false, State} -> closer_to_zero(Integer, Step div 2, Place, State)
    end.

toward_zero(Integer, Step) when Integer < 0 -> Integer + Step;
toward_zero(Integer, Step) -> Integer - Step.

float(Float, Place, State0) ->
    case first(rounder(Float), Place, State0) of
        {{ok, Rounder}, State} -> term(Rounder, Place, State);
        {none, State} -> whole_float(Float, Place, State)
    end.

rounder(Float) when Float == 0 ->
    [];
rounder(Float) when Float == 1 ->
    [0.0, 1];
rounder(Float) when abs(Float) > ?MAX_WHOLE ->
    [0.0, 1.0 | positive(Float)];
rounder(Float) ->
    Rounded = [round(Float * Power) / Power || Power <- [10, 100, 1000]],
    [0.0, 1.0] ++ positive(Float) ++ [trunc(Float), float(trunc(Float))] ++ Rounded.

whole_float(Float, Place, State0) when abs(Float) =< ?MAX_WHOLE, trunc(Float) == Float ->
    Whole = trunc(Float),
    FloatPlace = fun(Integer) -> Place(float(Integer)) end,
    {Integer, State} = closer_to_zero(Whole, abs(Whole) div 2, FloatPlace, State0),
    {float(Integer), State};
whole_float(Float, _Place, State) ->
    {Float, State}.

%%% Sequences. A place takes all items, as a list.

%% Leaves out chunks of items: all of them, then chunks of 2^N for every N, down to single ones.
fewer(Items, Place, State) ->
    fewer(length(Items), Items, Place, State).

fewer(0, Items, _Place, State) ->
    {Items, State};
fewer(Size, Items0, Place, State0) ->
    LeftOut = fun(_Chunk) -> [] end,
    {Items, State} = sweep({Size, LeftOut, Place}, [], Items0, State0),
    fewer(power_below(min(Size, length(Items) + 1), 1), Items, Place, State).

%% The largest power of 2 that is less than the number.
power_below(Number, _Power) when Number < 2 -> 0;
power_below(Number, Power) when 2 * Power < Number -> power_below(Number, 2 * Power);
power_below(_Number, Power) -> Power.

simpler(Items0, Place, State0) ->
    Length = length(Items0),
    {Items, State} = blanked(Length, Length div ?BLANKED_CHUNKS, Items0, Place, State0),
    each([], Items, Place, State).

blanked(Size, Smallest, Items, _Place, State) when Size < 2; Size < Smallest ->
    {Items, State};
blanked(Size, Smallest, Items0, Place, State0) ->
    Blank = fun(Chunk) -> [blank(Item) || Item <- Chunk] end,
    {Items, State} = sweep({Size, Blank, Place}, [], Items0, State0),
    blanked(Size div 2, Smallest, Items, Place, State).

blank(Item) when is_number(Item); is_tuple(Item); is_map(Item); is_bitstring(Item) -> 0;
blank([_ | _]) -> 0;
blank(Item) -> Item.

%% Changes every chunk of this size that can be changed.
sweep(_Sweep, Done, [], State) ->
    {lists:reverse(Done), State};
sweep(Sweep, Done, Items, State) ->
    case is_spent(State) of
        true -> {lists:reverse(Done, Items), State};
        false -> sweep_chunk(Sweep, Done, Items, State)
    end.

sweep_chunk({Size, Change, Place} = Sweep, Done, Items, State0) ->
    {Chunk, Rest} = chunk(Size, Items, []),
    Changed = Change(Chunk),
    ChunkPlace = fun(Some) -> Place(lists:reverse(Done, Some ++ Rest)) end,
    case attempt(Changed, ChunkPlace, State0) of
        {true, State} -> sweep(Sweep, lists:reverse(Changed, Done), Rest, State);
        {false, State} -> sweep(Sweep, lists:reverse(Chunk, Done), Rest, State)
    end.

chunk(Size, [Item | Items], Chunk) when Size > 0 -> chunk(Size - 1, Items, [Item | Chunk]);
chunk(_Size, Items, Chunk) -> {lists:reverse(Chunk), Items}.

%% Makes one item after the other simpler.
-spec each([term()], [term()], place(), state()) -> shrunk([term()]).
each(Done, [], _Place, State) ->
    {lists:reverse(Done), State};
each(Done, Items, Place, State) ->
    case is_spent(State) of
        true -> {lists:reverse(Done, Items), State};
        false -> each_item(Done, Items, Place, State)
    end.

each_item(Done, [Item | Items], Place, State0) ->
    ItemPlace = fun(Term) -> Place(lists:reverse(Done, [Term | Items])) end,
    {Simpler, State} = term(Item, ItemPlace, State0),
    each([Simpler | Done], Items, Place, State).

%%% Terms within a term

%% Those deep inside first, then children and grandchildren.
inner_terms(Term) ->
    Children = children(Term),
    Near = Children ++ lists:flatmap(fun children/1, lists:sublist(Children, ?MAX_HOISTED)),
    jumps(chain(Term)) ++ lists:sublist(Near, ?MAX_HOISTED).

children([_ | _] = List) ->
    case items(List, []) of
        {Items, []} -> Items;
        {Items, Tail} -> [Tail | Items]
    end;
children(Tuple) when is_tuple(Tuple) -> tuple_to_list(Tuple);
children(Map) when is_map(Map) -> [Value || {_, Value} <- lists:sort(maps:to_list(Map))];
children(_Leaf) -> [].

%% The longest chain of terms of which each is the child of the one before, and its length.
chain(Term) ->
    {Length, Inner} = lists:foldl(fun longer_chain/2, {0, []}, children(Term)),
    {Length + 1, [Term | Inner]}.

longer_chain(Child, {Length, _} = Longest) ->
    case chain(Child) of
        {Longer, _} = Chain when Longer > Length -> Chain;
        _ -> Longest
    end.

%% The term in the middle of the chain, at a quarter, and so on.
jumps({Length, Chain}) ->
    [lists:nth(Position + 1, Chain) || Position <- halves(Length div 2), Position > ?DEEP div 2].

halves(0) -> [];
halves(Number) -> [Number | halves(Number div 2)].

%%% Candidates

%% The first of these terms with which the call fails in the same way.
-spec first([term()], place(), state()) -> {{ok, term()} | none, state()}.
first([], _Place, State) ->
    {none, State};
first([Term | Terms], Place, State0) ->
    case attempt(Term, Place, State0) of
        {true, State} -> {{ok, Term}, State};
        {false, State} -> first(Terms, Place, State)
    end.

%% Whether the call fails in the same way with this term in this place.
-spec attempt(term(), place(), state()) -> {boolean(), state()}.
attempt(Term, Place, State) ->
    case is_spent(State) of
        true -> {false, State};
        false -> unless_seen(Place(Term), State)
    end.

is_spent(#{left := Left, deadline := Deadline}) ->
    Left =:= 0 orelse now_ms() >= Deadline.

unless_seen(Input, #{seen := Seen} = State) ->
    Hash = hash(Input),
    case is_map_key(Hash, Seen) of
        true -> {false, State};
        false -> if_valid(Input, State#{seen := Seen#{Hash => []}})
    end.

if_valid(Input, #{options := #{valid := Valid}} = State) ->
    case Valid(Input) of
        true -> judged(Input, State);
        false -> {false, State}
    end.

judged(Input, #{left := Left, patience := Patience} = State) ->
    Outcome = execute(Input, Patience, State),
    Rest = State#{left := Left - 1, patience := patience(Outcome, Patience)},
    {raised_alike(Outcome, Input, State) =/= false, Rest}.

%% A program of which some candidates hang would soon have used up the time for all of them.
patience(timeout, Patience) -> max(Patience div 2, min(Patience, ?LEAST_PATIENCE));
patience(_Outcome, Patience) -> Patience.

%% One of some thousand inputs may be taken for another; then it is no candidate.
hash(Input) ->
    erlang:phash2(Input, 1 bsl 32).

now_ms() ->
    erlang:monotonic_time(millisecond).

%%% The judge

-spec raised_alike(outcome(), [term()], state()) -> {true, raised()} | false.
raised_alike({raised, Class, Reason, Stacktrace}, Input, #{mfa := Mfa, wanted := Wanted} = State) ->
    #{options := #{is_failure := IsFailure}} = State,
    Raised = #{class => Class, reason => Reason, stacktrace => Stacktrace},
    case identity(Mfa, Reason, Raised#{input => Input}) =:= Wanted andalso IsFailure(Raised) of
        true -> {true, Raised};
        false -> false
    end;
raised_alike(_NoFailure, _Input, _State) ->
    false.

%% The ways in which a library rejects its arguments have one key, but not one reason.
identity(Mfa, Reason, Failure) ->
    {cuter_failures:key(Mfa, Failure), tag(Reason)}.

tag(Reason) when is_atom(Reason) -> Reason;
tag(Reason) when is_tuple(Reason), is_atom(element(1, Reason)) -> {element(1, Reason)};
tag(_Reason) -> none.

%% An integer taken for a size can make the VM ask for more memory than there is, which ends it. So
%% an input with a large one is tried in the machine first, which has limits.
-spec execute([term()], pos_integer(), state()) -> outcome().
execute(Input, Time, #{mfa := Mfa} = State) ->
    case has_large_integer(Input) andalso not ends_in_machine(Mfa, Input, Time) of
        true -> returned;
        false -> execute_natively(Input, Time, State)
    end.

has_large_integer(Term) when is_integer(Term) -> abs(Term) > ?LARGE_INTEGER;
has_large_integer([Head | Tail]) -> has_large_integer(Head) orelse has_large_integer(Tail);
has_large_integer(Term) when is_tuple(Term) -> has_large_integer(tuple_to_list(Term));
has_large_integer(Term) when is_map(Term) -> has_large_integer(maps:to_list(Term));
has_large_integer(_Term) -> false.

ends_in_machine(Mfa, Input, Time) ->
    case cuter_host:outcome(Mfa, Input, #{time_limit => Time}) of
        {ok, {raised, _Class, _Reason, _Stacktrace}} -> true;
        {ok, {ok, _Result}} -> true;
        _ -> false
    end.

execute_natively(Input, Time, #{options := #{call := Call}, older := Older}) ->
    Limit = #{size => ?HEAP_LIMIT_WORDS, kill => true, error_logger => false},
    Secret = make_ref(),
    Args = [Secret, Call, Input],
    Candidate = spawn_opt(?MODULE, candidate, Args, [monitor, {max_heap_size, Limit}]),
    Outcome = await(Candidate, Secret, Time),
    cuter_sandbox:kill_group(group_leader(), [self() | Older]),
    Outcome.

%% What the call returns is not looked at: it need not be copied.
-spec candidate(reference(), call(), [term()]) -> no_return().
candidate(Secret, Call, Input) ->
    case Call(Input) of
        {ok, _Value} -> exit({Secret, returned});
        Raised -> exit(cuter_extent:told({Secret, Raised}))
    end.

await({Pid, Monitor}, Secret, Time) ->
    receive
        {'DOWN', Monitor, process, Pid, {Secret, Outcome}} -> Outcome;
        {'DOWN', Monitor, process, Pid, killed} -> killed;
        {'DOWN', Monitor, process, Pid, Reason} -> {raised, exit, Reason, []}
    after Time ->
        _ = demonitor(Monitor, [flush]),
        cuter_sandbox:kill(Pid),
        timeout
    end.
