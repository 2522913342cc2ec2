//! The view of a session.

use forelook_protocol::{
    AgentId, CallId, CommandAccepted, Entry, Event, HostRequest, Mode, SessionSnapshot, Status, Todo,
};

use crate::question::{QuestionChange, Questions};
use crate::{
    ActiveCalls, BackgroundShells, PersonTexts, StreamingAnswer, SubagentViews, Totals, TurnResult, Turns,
    ViewItem, todos_done,
};

/// The view of a session: everything in progress, and what was finished since items were last taken.
#[derive(Debug)]
pub struct SessionView {
    pub(crate) items: Vec<ViewItem>,
    pub(crate) answer: StreamingAnswer,
    pub(crate) calls: ActiveCalls,
    pub(crate) agents: SubagentViews,
    pub(crate) shells: BackgroundShells,
    pub(crate) todos: Vec<Todo>,
    pub(crate) questions: Questions,
    pub(crate) turns: Turns,
    pub(crate) result: TurnResult,
    pub(crate) totals: Totals,
    pub(crate) mode: Mode,
    pub(crate) model: String,
    /// Calls that are shown as something else.
    pub(crate) suppressed_calls: Vec<CallId>,
    /// Texts for the user about calls that did not run.
    pub(crate) person_texts: PersonTexts,
}

impl Default for SessionView {
    /// A session that nothing is known about.
    fn default() -> Self {
        Self {
            items: Vec::new(),
            answer: StreamingAnswer::default(),
            calls: ActiveCalls::default(),
            agents: SubagentViews::default(),
            shells: BackgroundShells::default(),
            todos: Vec::new(),
            questions: Questions::default(),
            turns: Turns::default(),
            result: TurnResult::default(),
            totals: Totals::default(),
            mode: Mode::Default,
            model: String::new(),
            suppressed_calls: Vec::new(),
            person_texts: PersonTexts::default(),
        }
    }
}

impl SessionView {
    /// The session as it was when the front end attached.
    pub fn new(snapshot: &SessionSnapshot) -> Self {
        let status = &snapshot.status;
        let mut view = Self {
            todos: status.todos.clone(),
            questions: Questions::new(snapshot),
            shells: BackgroundShells::of(&snapshot.shells),
            turns: Turns::new(snapshot),
            totals: Totals::of(status),
            mode: status.mode,
            model: status.model.clone(),
            ..Self::default()
        };
        view.restore_questions(&snapshot.requests);
        view
    }

    /// Handles an event at this time, in milliseconds on the front end's clock.
    pub fn apply(&mut self, event: &Event, now: u64) {
        self.turns.on_event(event, now);
        // When a question disappears, the user should know who answered it.
        if let Some(QuestionChange::Closed(closed)) = self.questions.apply(event)
            && closed.elsewhere.is_some()
        {
            self.items.push(ViewItem::AnsweredElsewhere(closed));
        }
        match event {
            Event::Recorded(entry) => {
                self.totals.recorded(entry);
                self.recorded(entry, now);
            }
            Event::Live(live) => self.live(live, now),
        }
    }

    /// Replays the journal entries from before the front end attached, as far as they should be shown again. After
    /// that, the snapshot is authoritative: what had not ended when Forelook was stopped never will.
    pub fn replay<'a>(
        &mut self,
        entries: impl IntoIterator<Item = &'a Entry>,
        snapshot: &SessionSnapshot,
        now: u64,
    ) {
        for entry in entries {
            self.turns.recorded(entry, now);
            self.totals.read_replayed(entry);
            self.questions.history_mut().read(entry);
            self.recorded(entry, now);
        }
        self.turns = std::mem::take(&mut self.turns).restored(snapshot, now);
        (self.mode, self.model) = (snapshot.status.mode, snapshot.status.model.clone());
        self.shells = BackgroundShells::of(&snapshot.shells);
        if self.turns.since().is_none() {
            self.calls.clear();
            self.agents.all_ended();
        }
        self.restore_questions(&snapshot.requests);
    }

    /// Reads entries that should not be shown again, for the context usage and the earlier plan reviews.
    pub fn skip<'a>(&mut self, entries: impl IntoIterator<Item = &'a Entry>) {
        for entry in entries {
            self.totals.read_replayed(entry);
            self.questions.history_mut().read(entry);
            self.person_texts.read(entry);
        }
    }

    /// Reads entries for the earlier plan reviews alone: their comments, and what was not sent.
    pub fn remember_reviews<'a>(&mut self, entries: impl IntoIterator<Item = &'a Entry>) {
        entries.into_iter().for_each(|entry| self.questions.history_mut().read(entry));
    }

    fn restore_questions(&mut self, requests: &[HostRequest]) {
        for request in requests {
            self.person_texts.question_opened(request);
        }
    }

    /// A command was accepted.
    pub fn accepted(&mut self, accepted: CommandAccepted) {
        self.turns.accepted(accepted);
    }

    /// Sets the current status.
    pub fn set_status(&mut self, status: &Status) {
        self.totals.window = status.window;
        self.totals.plan.clone_from(&status.plan);
    }

    /// Sets the mode when it is known before its entry arrives.
    pub fn set_mode(&mut self, mode: Mode) {
        if self.mode != mode {
            self.mode = mode;
            self.items.push(ViewItem::Mode(mode));
        }
    }

    /// The front end has shown something else for this call.
    pub fn suppress_call(&mut self, call: CallId) {
        self.suppressed_calls.push(call);
    }

    /// Whether to report now that a call is still running; if so, it counts as reported, and subagents that were held
    /// back are shown first.
    pub fn progress_due(&mut self, agent: Option<&AgentId>, call: &CallId) -> bool {
        let due = self.calls.get_mut(agent, call).is_some_and(|running| running.is_progress_due());
        if due {
            self.agents.release(&mut self.items);
        }
        due
    }

    /// The items that were finished since the last call, in display order.
    pub fn take_items(&mut self) -> Vec<ViewItem> {
        std::mem::take(&mut self.items)
    }

    /// The finished items that were not taken yet.
    pub fn items(&self) -> &[ViewItem] {
        &self.items
    }

    /// The open questions and the earlier plan reviews.
    pub fn questions(&self) -> &Questions {
        &self.questions
    }

    /// The same, for a review that closes without an answer.
    pub fn questions_mut(&mut self) -> &mut Questions {
        &mut self.questions
    }

    /// The streaming response.
    pub fn answer(&self) -> &StreamingAnswer {
        &self.answer
    }

    /// The calls that have no result yet.
    pub fn calls(&self) -> &ActiveCalls {
        &self.calls
    }

    /// The subagents.
    pub fn agents(&self) -> &SubagentViews {
        &self.agents
    }

    /// The background shells.
    pub fn shells(&self) -> &BackgroundShells {
        &self.shells
    }

    /// The todo list.
    pub fn todos(&self) -> &[Todo] {
        &self.todos
    }

    /// The number of done todos and of all todos; `None` if nothing is left to do.
    pub fn todo_count(&self) -> Option<(usize, usize)> {
        Some(todos_done(&self.todos)).filter(|(done, all)| done < all)
    }

    /// Running and upcoming turns, and the queued prompts.
    pub fn turns(&self) -> &Turns {
        &self.turns
    }

    /// The result of the latest turn so far.
    pub fn result(&self) -> &TurnResult {
        &self.result
    }

    /// The usage of the session.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The permission mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The model for the next request.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether anything is running that can be stopped.
    pub fn is_running(&self) -> bool {
        self.turns.since().is_some() || self.calls.has_user_shell()
    }
}
