%% Stands in for `cuter_nif`: an engine that plays a script, for tests of the host alone.
%%
%% The script is `options` of the request, a map with `steps`: a list of what the engine does in
%% turn. What the host answers is noted and comes back as the statistics of the session.
-module(cuter_scripted_engine).

-export([start/2, provide/3, resume/2, resume_briefly/2, abandon/2, cancel/1]).

%% The session and every run are the process that plays the script.

start(Tag, Request) ->
    Owner = self(),
    play_for(Owner, Tag, binary_to_term(Request)).

play_for(_Owner, _Tag, #{options := #{refuse := Reason}}) ->
    {error, Reason};
play_for(Owner, Tag, #{options := #{steps := Steps}}) ->
    {ok, spawn(fun() -> engine(Owner, Tag, Steps) end)}.

provide(Session, Module, Answer) ->
    Session ! {note, {provided, Module, kind(Answer)}},
    ok.

kind({ast, Binary}) when is_binary(Binary) -> ast;
kind(Other) -> Other.

resume({Session, Requests}, Reply) ->
    Session ! {ask, self(), Requests, Reply},
    receive
        {answer, Answer} -> Answer
    end.

resume_briefly(Run, Reply) ->
    resume(Run, Reply).

abandon({Session, _}, Reason) ->
    Session ! {note, {abandoned, binary_to_term(Reason)}},
    ok.

cancel(Session) ->
    Session ! {note, cancelled},
    ok.

engine(Owner, Tag, Steps) ->
    To = {Owner, Tag, monitor(process, Owner)},
    Notes = lists:foldl(fun(Step, Notes) -> step(Step, To, Notes) end, [], Steps),
    send({finished, #{notes => lists:reverse(Notes)}}, To).

%% Each step sends something, then waits for the note that it leads to.
step({tell, Pid, Message}, _To, Notes) ->
    Pid ! Message,
    Notes;
step({host, Requests}, {Owner, Tag, _} = To, Notes) ->
    Owner ! {cuter, Tag, host, {self(), Requests}},
    hosted(Requests, To, Notes);
step({failure, _} = Event, To, Notes) ->
    send(Event, To),
    Notes;
step({outside_spec, _} = Event, To, Notes) ->
    send(Event, To),
    Notes;
step({outcome, _} = Event, To, Notes) ->
    send(Event, To),
    Notes;
step({wait_for_cancel, Pid}, To, Notes) ->
    Noted = note(To),
    Pid ! {noted, Noted},
    [Noted | Notes];
step(Event, To, Notes) ->
    send(Event, To),
    [note(To) | Notes].

send(Event, {Owner, Tag, _}) ->
    Owner ! {cuter, Tag, term_to_binary(Event)}.

%% Answers `resume` with one request after the other, and notes the replies.
hosted(Requests, To, Notes) ->
    receive
        {ask, Pid, _, Reply} -> answer(Pid, Requests, To, [reply(Reply) | Notes]);
        {note, Note} -> [Note | Notes]
    end.

answer(Pid, [], _To, Notes) ->
    Pid ! {answer, done},
    Notes;
answer(Pid, [Request | Requests], To, Notes) ->
    Pid ! {answer, {request, term_to_binary(Request)}},
    hosted_on(Requests, To, Notes).

hosted_on(Requests, To, Notes) ->
    receive
        {note, {provided, _, _} = Note} -> hosted_on(Requests, To, [Note | Notes]);
        {note, Note} -> [Note | Notes];
        {ask, Pid, _, Reply} -> answer(Pid, Requests, To, [reply(Reply) | Notes])
    end.

reply(Reply) ->
    case binary_to_term(Reply) of
        {'begin', {[_ | _], _, [_ | _]}} -> first;
        Other -> Other
    end.

note({_Owner, _Tag, Monitor}) ->
    receive
        {note, Note} -> Note;
        {'DOWN', Monitor, process, _, _} -> owner_died
    end.
