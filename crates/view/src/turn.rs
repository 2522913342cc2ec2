//! Running and upcoming turns, as far as a front end can know, and the queued prompts.

use std::collections::VecDeque;

use forelook_protocol::{
    CommandAccepted, Entry, EntryBody, EntryId, Event, LiveEvent, PromptAccepted, PromptsWithdrawn,
    QueuedPrompt, SessionSnapshot, TurnId,
};

/// Running and upcoming turns, according to the session: its snapshot, its answers to commands, and its entries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Turns {
    running: Option<TurnId>,
    /// When the running turn started, in milliseconds on the front end's clock.
    since: Option<u64>,
    /// The output tokens of the model in this turn, as its provider counted them.
    written: u64,
    /// Queued prompts: each joins a turn or starts a new one.
    queued: VecDeque<QueuedPrompt>,
    /// The latest turn that the answer to a command named, if its start has not been seen yet.
    announced: Option<TurnId>,
    /// The latest turn whose start has been seen.
    begun: TurnId,
}

impl Turns {
    /// The state when the front end attached.
    pub fn new(snapshot: &SessionSnapshot) -> Self {
        Self::default().restored(snapshot, 0)
    }

    /// The state when the front end attached, regardless of what was read before. A queued prompt counts like a running
    /// turn.
    pub(crate) fn restored(self, snapshot: &SessionSnapshot, now: u64) -> Self {
        Self {
            running: snapshot.turn,
            since: (snapshot.turn.is_some() || !snapshot.queue.is_empty()).then_some(now),
            written: self.written,
            queued: snapshot.queue.iter().cloned().collect(),
            announced: None,
            begun: snapshot.turn.unwrap_or_default(),
        }
    }

    /// When the running turn started, in milliseconds on the front end's clock; `None` if no turn is running.
    pub fn since(&self) -> Option<u64> {
        self.since
    }

    /// The output tokens of the model in this turn, as its provider counted them.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// The queued prompts, in order.
    pub fn queued(&self) -> &VecDeque<QueuedPrompt> {
        &self.queued
    }

    /// The queued prompts that this takes back, in order.
    pub fn withdrawn(&self, withdrawn: &PromptsWithdrawn) -> Vec<QueuedPrompt> {
        self.queued.iter().filter(|queued| withdrawn.prompts.contains(&queued.id)).cloned().collect()
    }

    /// Whether a turn is running, or was begun and will be heard of in a moment.
    pub fn is_running(&self) -> bool {
        self.running.is_some() || self.announced.is_some()
    }

    /// Whether nothing is running and nothing will.
    pub fn is_idle(&self) -> bool {
        self.due() == 0
    }

    /// The number of turns that have not ended yet.
    pub(crate) fn due(&self) -> usize {
        usize::from(self.running.is_some()) + usize::from(self.announced.is_some()) + self.queued.len()
    }

    /// A command was accepted.
    pub fn accepted(&mut self, accepted: CommandAccepted) {
        match accepted {
            CommandAccepted::Turn(turn) if turn > self.begun => {
                self.announced = self.announced.max(Some(turn))
            }
            // The prompt itself is an entry, which arrives separately. It may even have been delivered already.
            CommandAccepted::Queued { behind, .. } => self.accepted(CommandAccepted::Turn(behind)),
            CommandAccepted::Turn(_) | CommandAccepted::Nothing => {}
        }
    }

    /// Handles an event at this time, in milliseconds on the front end's clock.
    pub fn on_event(&mut self, event: &Event, now: u64) {
        match event {
            Event::Recorded(entry) => self.recorded(entry, now),
            Event::Live(LiveEvent::Unrecorded { turn, .. }) => self.ended(*turn),
            Event::Live(LiveEvent::NotStarted { prompt, .. }) => self.dequeued(*prompt),
            Event::Live(_) => {}
        }
    }

    /// Subagents have no turns.
    pub(crate) fn recorded(&mut self, entry: &Entry, now: u64) {
        match (&entry.body, &entry.agent) {
            (EntryBody::TurnStarted(started), None) => self.began(started.turn, now),
            (EntryBody::PromptQueued(queued), None) => {
                self.queued.push_back(QueuedPrompt { id: entry.id, prompt: queued.prompt.clone() });
            }
            (EntryBody::PromptAccepted(PromptAccepted { queued: Some(queued), .. }), None) => {
                self.dequeued(*queued)
            }
            (EntryBody::PromptsWithdrawn(withdrawn), None) => {
                withdrawn.prompts.iter().for_each(|prompt| self.dequeued(*prompt));
            }
            (EntryBody::ModelAnswered(answered), None) => {
                self.written = self.written.saturating_add(answered.usage.output_tokens);
            }
            (EntryBody::TurnEnded(ended), None) => self.ended(ended.turn),
            _ => {}
        }
    }

    fn began(&mut self, turn: TurnId, now: u64) {
        (self.since, self.written) = (Some(now), 0);
        self.running = Some(turn);
        self.begun = self.begun.max(turn);
        self.announced = self.announced.filter(|&announced| announced > turn);
    }

    fn ended(&mut self, turn: TurnId) {
        self.since = None;
        self.running = self.running.filter(|&running| running > turn);
        self.announced = self.announced.filter(|&announced| announced > turn);
    }

    /// A queued prompt was added to the conversation.
    fn dequeued(&mut self, id: EntryId) {
        if let Some(at) = self.queued.iter().position(|queued| queued.id == id) {
            self.queued.remove(at);
        }
    }
}
