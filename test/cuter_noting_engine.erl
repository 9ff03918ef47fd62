%% `cuter_nif`, with a note to the process of this name for every resumption of a run that is no
%% brief one.
-module(cuter_noting_engine).

-export([start/2, provide/3, resume/2, resume_briefly/2, abandon/2, cancel/1]).

start(Tag, Request) -> cuter_nif:start(Tag, Request).

provide(Session, Module, Answer) -> cuter_nif:provide(Session, Module, Answer).

resume(Run, Reply) ->
    ?MODULE ! resumed,
    cuter_nif:resume(Run, Reply).

resume_briefly(Run, Reply) -> cuter_nif:resume_briefly(Run, Reply).

abandon(Run, Reason) -> cuter_nif:abandon(Run, Reason).

cancel(Session) -> cuter_nif:cancel(Session).
