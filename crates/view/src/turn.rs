//! Whether anything runs or is due, as far as a front end can know it, and the prompts that wait.

use std::collections::VecDeque;

use forelook_protocol::{
    Accepted, Body, Entry, EntryId, Event, Live, PromptAccepted, QueuedPrompt, Snapshot, TurnId,
};

/// Turns that run or will, by what the session said of them: in its snapshot, in its answers to commands, in its
/// entries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Turns {
    running: Option<TurnId>,
    /// When the running turn began, in milliseconds of the front end's clock.
    since: Option<u64>,
    /// Tokens that the model has written in this turn, as its provider counted them.
    written: u64,
    /// Prompts that wait: a turn follows each, or takes it in.
    queued: VecDeque<QueuedPrompt>,
    /// The newest turn that the answer to a command named and whose beginning was not heard yet.
    promised: Option<TurnId>,
    /// The newest turn whose beginning was heard.
    begun: TurnId,
}

impl Turns {
    /// As the session stood when the front end attached.
    pub fn new(snapshot: &Snapshot) -> Self {
        Self::default().stand(snapshot, 0)
    }

    /// As the session stood when the front end attached, whatever was read before. A prompt that waits is as good as a
    /// turn that runs.
    pub(crate) fn stand(self, snapshot: &Snapshot, now: u64) -> Self {
        Self {
            running: snapshot.turn,
            since: (snapshot.turn.is_some() || !snapshot.queue.is_empty()).then_some(now),
            written: self.written,
            queued: snapshot.queue.iter().cloned().collect(),
            promised: None,
            begun: snapshot.turn.unwrap_or_default(),
        }
    }

    /// When the running turn began, in milliseconds of the front end's clock; nothing if none runs.
    pub fn since(&self) -> Option<u64> {
        self.since
    }

    /// Tokens that the model has written in this turn, as its provider counted them.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Prompts that wait, in order.
    pub fn queued(&self) -> &VecDeque<QueuedPrompt> {
        &self.queued
    }

    /// Whether nothing runs and nothing will.
    pub fn is_idle(&self) -> bool {
        self.due() == 0
    }

    /// How many turns are still to end.
    pub fn due(&self) -> usize {
        usize::from(self.running.is_some()) + usize::from(self.promised.is_some()) + self.queued.len()
    }

    /// A command was accepted.
    pub fn accepted(&mut self, accepted: Accepted) {
        match accepted {
            Accepted::Turn(turn) if turn > self.begun => self.promised = self.promised.max(Some(turn)),
            // The prompt itself is an entry, which is heard, or was: it may even be taken by now.
            Accepted::Queued { behind, .. } => self.accepted(Accepted::Turn(behind)),
            Accepted::Turn(_) | Accepted::Nothing => {}
        }
    }

    /// Something happened, at this many milliseconds of the front end's clock.
    pub fn hear(&mut self, event: &Event, now: u64) {
        match event {
            Event::Recorded(entry) => self.recorded(entry, now),
            Event::Live(Live::Unrecorded { turn, .. }) => self.ended(*turn),
            Event::Live(_) => {}
        }
    }

    /// Subagents have no turns of their own.
    pub(crate) fn recorded(&mut self, entry: &Entry, now: u64) {
        match (&entry.body, &entry.agent) {
            (Body::TurnStarted(started), None) => self.began(started.turn, now),
            (Body::Queued(queued), None) => {
                self.queued.push_back(QueuedPrompt { id: entry.id, prompt: queued.prompt.clone() });
            }
            (Body::Prompt(PromptAccepted { queued: Some(queued), .. }), None) => self.taken(*queued),
            (Body::Answer(answered), None) => {
                self.written = self.written.saturating_add(answered.usage.output_tokens);
            }
            (Body::TurnEnd(ended), None) => self.ended(ended.turn),
            _ => {}
        }
    }

    fn began(&mut self, turn: TurnId, now: u64) {
        (self.since, self.written) = (Some(now), 0);
        self.running = Some(turn);
        self.begun = self.begun.max(turn);
        self.promised = self.promised.filter(|&promised| promised > turn);
    }

    fn ended(&mut self, turn: TurnId) {
        self.since = None;
        self.running = self.running.filter(|&running| running > turn);
        self.promised = self.promised.filter(|&promised| promised > turn);
    }

    /// A prompt that waited reached the conversation.
    fn taken(&mut self, id: EntryId) {
        if let Some(at) = self.queued.iter().position(|queued| queued.id == id) {
            self.queued.remove(at);
        }
    }
}
