%% Programs for the speed bench: ordinary Erlang of several kinds.
-module(speed_programs).

-export([all/0]).
-export([fib/1, reverse/1, sort/1, words/1, tlv/1, states/1]).

%% Name, function, argument, and a smaller one for what is very slow.
-spec all() -> [{string(), atom(), pos_integer(), pos_integer()}].
all() ->
    [
        {"fib(27)", fib, 27, 18},
        {"naive reverse of 500, 50 times", reverse, 50, 1},
        {"lists:sort of 100,000 integers", sort, 100000, 10000},
        {"word count in a map, 50,000 words", words, 50000, 5000},
        {"TLV parser, 1 MiB", tlv, 1 bsl 20, 1 bsl 16},
        {"state machine of tuples, 1,000,000 steps", states, 1000000, 20000}
    ].

-spec fib(integer()) -> integer().
fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).

-spec reverse(non_neg_integer()) -> integer().
reverse(Times) -> reverse(Times, lists:seq(1, 500), 0).

reverse(0, _List, Sum) -> Sum;
reverse(Times, List, Sum) -> reverse(Times - 1, List, Sum + hd(naive(List))).

naive([]) -> [];
naive([Head | Tail]) -> append(naive(Tail), [Head]).

append([], List) -> List;
append([Head | Tail], List) -> [Head | append(Tail, List)].

-spec sort(pos_integer()) -> integer().
sort(N) -> lists:nth(N div 2, lists:sort(numbers(N, 12345, []))).

numbers(0, _Seed, Numbers) -> Numbers;
numbers(N, Seed, Numbers) -> numbers(N - 1, next(Seed), [Seed | Numbers]).

next(Seed) -> (Seed * 1103515245 + 12345) rem 2147483648.

-spec words(pos_integer()) -> non_neg_integer().
words(N) -> maps:size(count(numbers(N, 7, []), #{})).

count([], Counts) ->
    Counts;
count([Number | Numbers], Counts) ->
    Word = {word, Number rem 5000},
    case Counts of
        #{Word := Count} -> count(Numbers, Counts#{Word := Count + 1});
        #{} -> count(Numbers, Counts#{Word => 1})
    end.

-spec tlv(pos_integer()) -> {non_neg_integer(), non_neg_integer()}.
tlv(Bytes) -> parse(records(Bytes), 0, 0).

records(Bytes) ->
    Record = <<7, 12:16, "hello, world", 9, 4:16, 1, 2, 3, 4>>,
    binary:copy(Record, Bytes div byte_size(Record)).

parse(<<Type, Length:16, Value:Length/binary, Rest/binary>>, Count, Sum) ->
    parse(Rest, Count + 1, Sum + Type + byte_size(Value));
parse(<<>>, Count, Sum) ->
    {Count, Sum}.

-record(state, {name, count = 0, log = []}).

-spec states(non_neg_integer()) -> non_neg_integer().
states(N) -> states(N, #state{name = idle}).

states(0, #state{count = Count}) ->
    Count;
states(N, #state{name = idle, count = Count} = State) ->
    states(N - 1, State#state{name = running, count = Count + 1});
states(N, #state{name = running, count = Count} = State) when Count rem 3 =:= 0 ->
    states(N - 1, State#state{name = stopped, log = {at, N}});
states(N, #state{name = running, count = Count} = State) ->
    states(N - 1, State#state{name = idle, count = Count + 2});
states(N, #state{name = stopped} = State) ->
    states(N - 1, State#state{name = idle}).
