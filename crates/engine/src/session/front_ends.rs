//! Front ends: attached, able to answer this or that, gone.

use forelook_protocol::{
    AnsweredBy, CallId, EntryBody, Event, FrontEnd, FrontEndId, HostAnswer, HostAsk, LiveEvent, QueuedPrompt,
    RequestId, RequestKind, SessionSnapshot, TurnStarted,
};
use tokio::time::Instant;

use super::{Session, Unfinished};
use crate::call::PendingCall;
use crate::handle::{RecordError, ReviewAnswer};
use crate::hub::EventStream;
use crate::turn::TurnInput;

/// The front ends of a session.
#[derive(Default)]
pub(super) struct FrontEnds {
    attached: Vec<(FrontEndId, FrontEnd)>,
    last: FrontEndId,
    /// Until when somebody is waited for, while a question is open that nobody attached can answer.
    wait_deadline: Option<Instant>,
    /// The last one that could answer said that nobody is there any more, and none came since.
    unattended: bool,
}

impl FrontEnds {
    /// Done when nobody came for as long as questions wait.
    pub(super) async fn wait_expired(&self) {
        match self.wait_deadline {
            Some(until) => tokio::time::sleep_until(until).await,
            None => std::future::pending().await,
        }
    }

    /// Whether one is attached that can answer this.
    pub(super) fn can_answer(&self, ask: &HostAsk) -> bool {
        self.attached.iter().any(|(_, front_end)| front_end.can_answer(ask))
    }

    /// Whether one was ever attached.
    pub(super) fn had_any(&self) -> bool {
        self.last != FrontEndId::default()
    }

    fn get(&self, id: FrontEndId) -> Option<&FrontEnd> {
        self.attached.iter().find(|(attached, _)| *attached == id).map(|(_, front_end)| front_end)
    }

    pub(super) fn is_attached(&self, id: FrontEndId) -> bool {
        self.get(id).is_some()
    }

    /// Whether this one is attached and can answer such requests.
    pub(super) fn can(&self, id: FrontEndId, kind: RequestKind) -> bool {
        self.get(id).is_some_and(|front_end| front_end.answers.contains(&kind))
    }

    /// Whether this one is about to send a prompt.
    pub(super) fn prompts_first(&self, id: FrontEndId) -> bool {
        self.get(id).is_some_and(|front_end| front_end.prompts_first)
    }

    /// What this one calls itself.
    pub(super) fn name(&self, id: FrontEndId) -> &str {
        self.get(id).map(|front_end| front_end.name.as_str()).unwrap_or_default()
    }

    /// How others are told of this one.
    pub(super) fn answered_by(&self, id: FrontEndId) -> AnsweredBy {
        AnsweredBy::FrontEnd { id, name: self.name(id).to_owned() }
    }
}

/// Whether somebody may be there who answers.
fn has_person(front_end: &FrontEnd) -> bool {
    front_end.answers.iter().any(|kind| kind.is_for_person())
}

impl Session {
    /// A front end comes. What it is told first is how things stand; what happens from now on are its events.
    pub(super) async fn attach(&mut self, front_end: FrontEnd) -> (SessionSnapshot, EventStream) {
        // Written down before it looks, so that it does not take a session for idle that is about to work. One that brings
        // hooks of its own defines them first: nothing runs that it was promised to be asked about.
        // One that brings a prompt sends that first, too: it may be "stop".
        let waits = front_end.prompts_first || front_end.answers.contains(&RequestKind::Hook);
        let started = if waits { Ok(None) } else { self.resume_unfinished().await };
        let id = FrontEndId(self.front_ends.last.0 + 1);
        self.front_ends.last = id;
        if has_person(&front_end) {
            self.front_ends.unattended = false;
        }
        let snapshot = self.snapshot(id);
        self.front_ends.attached.push((id, front_end));
        self.update_wait_deadline();
        let events = self.hub.attach(id);
        for notice in std::mem::take(&mut self.startup_notices) {
            self.hub.live(LiveEvent::Notice(notice));
        }
        self.start_resumed(started);
        (snapshot, events)
    }

    /// Takes up what was left undone, if that waited for a front end to define its hooks.
    pub(super) async fn resume_now(&mut self) {
        let started = self.resume_unfinished().await;
        self.start_resumed(started);
    }

    fn start_resumed(&mut self, started: Result<Option<TurnInput>, RecordError>) {
        match started {
            Ok(Some(input)) => self.start_turn(input),
            Ok(None) => {}
            Err(error) => self.give_up_prompts(&error),
        }
    }

    /// What a loaded session left undone, when the first front end comes and brings no new words.
    async fn resume_unfinished(&mut self) -> Result<Option<TurnInput>, RecordError> {
        if self.unfinished.is_some() {
            self.finish_rehearsal(false).await?;
        }
        match self.unfinished.take() {
            None => Ok(None),
            Some(Unfinished::Calls(calls)) => {
                if self.state.turn.is_none() {
                    // A journal that somebody cut: the calls are of a turn all the same.
                    let turn = self.state.newest_turn.next();
                    self.record(vec![EntryBody::TurnStarted(TurnStarted { turn })]).await?;
                }
                let due = calls.into_iter().map(|call| {
                    let reviewed = self.review_answer(&call.id);
                    PendingCall { call, reviewed }
                });
                Ok(Some(TurnInput::Resume(due.collect())))
            }
            Some(Unfinished::Prompts) => self.take_next_prompt().await,
        }
    }

    /// The answer to the review that this call asked for, where that stands in the journal and the call has no result.
    pub(super) fn review_answer(&self, call: &CallId) -> Option<ReviewAnswer> {
        let reviewed = self.state.reviewed.get(call)?.clone();
        Some(ReviewAnswer { reviewed, rehearsed: self.state.rehearsal.outcome.clone(), problem: None })
    }

    fn snapshot(&self, front_end: FrontEndId) -> SessionSnapshot {
        let queued =
            |(id, prompt): &(_, forelook_protocol::Prompt)| QueuedPrompt { id: *id, prompt: prompt.clone() };
        SessionSnapshot {
            front_end,
            status: self.status(),
            last: self.state.last,
            turn: self.state.turn,
            queue: self.waiting().map(queued).collect(),
            shells: self.state.shells.clone(),
            requests: self.state.open.clone(),
        }
    }

    /// A front end is gone, without a word: what it was asked waits for it, or for another.
    pub(super) fn detach(&mut self, id: FrontEndId) {
        if self.front_ends.get(id).is_some_and(has_person) {
            // It left without a word, so it may come back, whatever others said before.
            self.front_ends.unattended = false;
        }
        self.front_ends.attached.retain(|(attached, _)| *attached != id);
        self.host_requests.front_end_gone(id);
        self.update_wait_deadline();
    }

    /// A front end can answer nothing any more. What no other one can answer is closed, and never with a yes.
    pub(super) async fn unattended(&mut self, id: FrontEndId) -> Result<(), RecordError> {
        let its = self.front_ends.attached.iter_mut().filter(|(attached, _)| *attached == id);
        its.for_each(|(_, front_end)| front_end.answers.clear());
        self.host_requests.front_end_gone(id);
        self.front_ends.unattended = true;
        self.close_unanswerable().await
    }

    /// Whether questions are open that nobody attached can answer, and somebody may still come.
    pub(super) fn has_wait_deadline(&self) -> bool {
        self.front_ends.wait_deadline.is_some()
    }

    /// Begins to wait if nobody is there for an open question.
    pub(super) fn update_wait_deadline(&mut self) {
        let lonely = |ask: &HostAsk| self.responder_for(ask).waits() && !self.front_ends.can_answer(ask);
        let alone = self.state.open.iter().any(|open| lonely(&open.ask));
        let until = self.front_ends.wait_deadline;
        let wait = self.config.question_wait;
        self.front_ends.wait_deadline = alone.then(|| until.unwrap_or_else(|| Instant::now() + wait));
    }

    /// Nobody came.
    pub(super) async fn on_wait_expired(&mut self) {
        self.front_ends.wait_deadline = None;
        self.front_ends.unattended = true;
        if let Err(RecordError(text)) = self.close_unanswerable().await {
            self.warn(&text);
        }
    }

    async fn close_unanswerable(&mut self) -> Result<(), RecordError> {
        let open: Vec<RequestId> = self
            .state
            .open
            .iter()
            .filter(|question| !self.responder_for(&question.ask).waits())
            .map(|question| question.id)
            .collect();
        for question in open {
            self.close_unanswered(question, HostAnswer::Nobody).await?;
        }
        Ok(())
    }

    /// Whether nobody will answer this: the last one who could have left for good.
    pub(super) fn is_unattended(&self, ask: &HostAsk) -> bool {
        self.front_ends.unattended && !self.front_ends.can_answer(ask)
    }

    /// Tells a front end something that is for it alone.
    pub(super) fn tell_front_end(&self, id: FrontEndId, live: LiveEvent) {
        self.hub.publish_to(Event::Live(live), |attached| attached == id);
    }
}
