//! A session as it is seen.

use forelook_protocol::{Accepted, AgentId, CallId, Entry, Event, HostRequest, Mode, Snapshot, Status, Todo};

use crate::question::{Change, Questions};
use crate::{Agents, Answer, Calls, Item, Shells, Totals, TurnResult, Turns, todos_done};

/// A session as it is seen: everything that is under way, and what was finished since it was last taken.
#[derive(Debug)]
pub struct SessionView {
    pub(crate) items: Vec<Item>,
    pub(crate) answer: Answer,
    pub(crate) calls: Calls,
    pub(crate) agents: Agents,
    pub(crate) shells: Shells,
    pub(crate) todos: Vec<Todo>,
    pub(crate) questions: Questions,
    pub(crate) turns: Turns,
    pub(crate) result: TurnResult,
    pub(crate) totals: Totals,
    pub(crate) mode: Mode,
    pub(crate) model: String,
    /// Calls that are told as something else.
    pub(crate) told: Vec<CallId>,
}

impl Default for SessionView {
    /// A session of which nothing is known.
    fn default() -> Self {
        Self {
            items: Vec::new(),
            answer: Answer::default(),
            calls: Calls::default(),
            agents: Agents::default(),
            shells: Shells::default(),
            todos: Vec::new(),
            questions: Questions::default(),
            turns: Turns::default(),
            result: TurnResult::default(),
            totals: Totals::default(),
            mode: Mode::Default,
            model: String::new(),
            told: Vec::new(),
        }
    }
}

impl SessionView {
    /// The session as it stood when the front end attached.
    pub fn new(snapshot: &Snapshot) -> Self {
        let status = &snapshot.status;
        let mut view = Self {
            todos: status.todos.clone(),
            questions: Questions::new(snapshot),
            turns: Turns::new(snapshot),
            totals: Totals::of(status),
            mode: status.mode,
            model: status.model.clone(),
            ..Self::default()
        };
        view.asked_before(&snapshot.requests);
        view
    }

    /// Something happened, at this many milliseconds of the front end's clock.
    pub fn apply(&mut self, event: &Event, now: u64) {
        self.turns.hear(event, now);
        // Whoever sees a question go should know who answered it.
        if let Some(Change::Closed(closed)) = self.questions.apply(event)
            && closed.elsewhere.is_some()
        {
            self.items.push(Item::AnsweredElsewhere(closed));
        }
        match event {
            Event::Recorded(entry) => {
                self.totals.recorded(entry);
                self.recorded(entry, now);
            }
            Event::Live(live) => self.live(live, now),
        }
    }

    /// Folds what the journal holds from before the front end attached, as far as it is to be seen again. Then things
    /// stand as the snapshot says: what had not ended when the program was stopped never will.
    pub fn replay<'a>(
        &mut self,
        entries: impl IntoIterator<Item = &'a Entry>,
        snapshot: &Snapshot,
        now: u64,
    ) {
        for entry in entries {
            self.turns.recorded(entry, now);
            self.totals.read_before(entry);
            self.questions.history_mut().read(entry);
            self.recorded(entry, now);
        }
        self.turns = std::mem::take(&mut self.turns).stand(snapshot, now);
        (self.mode, self.model) = (snapshot.status.mode, snapshot.status.model.clone());
        if self.turns.since().is_none() {
            self.calls.clear();
            self.agents.all_ended();
        }
        self.asked_before(&snapshot.requests);
    }

    /// Takes entries that are not to be seen again: how full the window is and what was said of plans is known from them.
    pub fn skip<'a>(&mut self, entries: impl IntoIterator<Item = &'a Entry>) {
        for entry in entries {
            self.totals.read_before(entry);
            self.questions.history_mut().read(entry);
        }
    }

    fn asked_before(&mut self, requests: &[HostRequest]) {
        requests.iter().for_each(|request| self.shells.asked(request));
    }

    /// A command was accepted.
    pub fn accepted(&mut self, accepted: Accepted) {
        self.turns.accepted(accepted);
    }

    /// How things stand now.
    pub fn stands(&mut self, status: &Status) {
        self.totals.window = status.window;
        self.totals.plan.clone_from(&status.plan);
    }

    /// The mode is known to be this one before the record of it is heard.
    pub fn mode_is(&mut self, mode: Mode) {
        if self.mode != mode {
            self.mode = mode;
            self.items.push(Item::Mode(mode));
        }
    }

    /// The front end has told of this call as something else.
    pub fn tell_as_another(&mut self, call: CallId) {
        self.told.push(call);
    }

    /// Whether it is time to tell that a call still runs; it then counts as told, and agents that were held back are
    /// told of before it.
    pub fn progress_is_due(&mut self, agent: Option<&AgentId>, call: &CallId) -> bool {
        let due = self.calls.get_mut(agent, call).is_some_and(|running| running.is_due());
        if due {
            self.agents.release(&mut self.items);
        }
        due
    }

    /// What was finished since this was last asked, in the order in which it is told.
    pub fn take_items(&mut self) -> Vec<Item> {
        std::mem::take(&mut self.items)
    }

    /// What was finished and not taken yet.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// What is asked, and what was said of plans before.
    pub fn questions(&self) -> &Questions {
        &self.questions
    }

    /// The same, for a review that is put away unanswered.
    pub fn questions_mut(&mut self) -> &mut Questions {
        &mut self.questions
    }

    /// The answer that streams.
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Calls that have no result yet.
    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    /// The subagents.
    pub fn agents(&self) -> &Agents {
        &self.agents
    }

    /// Shells that run beside the conversation.
    pub fn shells(&self) -> &Shells {
        &self.shells
    }

    /// The list of todos.
    pub fn todos(&self) -> &[Todo] {
        &self.todos
    }

    /// How many todos are done, and how many there are; nothing if there is nothing left to do.
    pub fn todo_count(&self) -> Option<(usize, usize)> {
        Some(todos_done(&self.todos)).filter(|(done, all)| done < all)
    }

    /// Turns that run or are due, and the prompts that wait.
    pub fn turns(&self) -> &Turns {
        &self.turns
    }

    /// What the newest turn came to, so far.
    pub fn result(&self) -> &TurnResult {
        &self.result
    }

    /// What the session has used.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The permission mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The model that is asked next.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether there is something that can be stopped.
    pub fn is_running(&self) -> bool {
        self.turns.since().is_some() || self.calls.has_own()
    }
}
