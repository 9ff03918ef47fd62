%% Evaluates expressions of a small language with integers and booleans.
%%
%% What is wrong: nothing checks that the operands are of the right kind.
%%   - `add` of a boolean raises badarith;
%%   - `if` on a number has no clause;
%%   - `and` and `not` of a number raise badarg;
%%   - what is no expression has no clause in eval/1.
%% `less` compares anything with anything and never fails. The seed is a sum of two numbers.
-module(demo_expr).

-export([eval/1]).

eval({num, N}) when is_integer(N) -> N;
eval({bool, B}) when is_boolean(B) -> B;
eval({add, A, B}) -> eval(A) + eval(B);
eval({less, A, B}) -> eval(A) < eval(B);
eval({'and', A, B}) -> eval(A) and eval(B);
eval({'not', A}) -> not eval(A);
eval({'if', Condition, A, B}) -> choose(eval(Condition), A, B).

choose(true, A, _B) -> eval(A);
choose(false, _A, B) -> eval(B).
