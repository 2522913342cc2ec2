//! When the model is reminded of plan mode.
//!
//! What was sent, and when, is folded from the journal into [`ReminderState`]; [`due_reminders`] says what the next request carries.
//! Neither looks at anything else, so a session that is resumed goes on where it stood.
//!
//! A reminder that was sent takes back what was due; `permissions/src/transition.rs` (`after_reminder`) says what.

use forelook_protocol::{AbsPath, Mode, ModeState, ReminderKind};

use crate::PlanFile;

/// So many prompts of a person's pass before the next reminder of plan mode.
const PROMPTS_BETWEEN: u32 = 5;
/// One of so many reminders of plan mode is the whole workflow, beginning with the first.
const FULL_EVERY: u32 = 5;

/// What a conversation was reminded of; a subagent has its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReminderState {
    /// Reminders of plan mode since it was last left.
    sent: u32,
    /// Prompts of a person's since the last of them; nothing if there was none since plan mode began.
    prompts_since: Option<u32>,
    /// The conversation was compacted after the last of them.
    compacted: bool,
    /// The plan file that the last of them named.
    named: Option<AbsPath>,
}

impl ReminderState {
    /// A person's prompt reached the conversation. Nothing else is a human turn: no tool result, no reminder.
    pub fn on_user_prompt(&mut self) {
        self.prompts_since = self.prompts_since.map(|count| count.saturating_add(1));
    }

    /// A reminder was sent.
    pub fn on_sent(&mut self, kind: &ReminderKind) {
        if let ReminderKind::PlanMode { path, .. } = kind {
            self.sent = self.sent.saturating_add(1);
            self.prompts_since = Some(0);
            self.compacted = false;
            self.named = Some(path.clone());
        }
    }

    /// Plan mode began. Not for a change of something else while it is on.
    pub fn on_plan_entered(&mut self) {
        self.prompts_since = None;
    }

    /// Plan mode was left.
    pub fn on_plan_left(&mut self) {
        *self = Self::default();
    }

    /// The conversation was replaced by a summary: the workflow is gone from it, so the next request has a full reminder.
    pub fn on_compacted(&mut self) {
        self.compacted = true;
    }

    /// What the model was told is of another plan file: the session was forked, or its plans are elsewhere now.
    fn names_another(&self, path: &AbsPath) -> bool {
        self.named.as_ref().is_some_and(|named| named != path)
    }

    fn is_full(&self, path: &AbsPath) -> bool {
        self.compacted || self.names_another(path) || self.sent.is_multiple_of(FULL_EVERY)
    }
}

/// What a reminder depends on at the moment of a request.
#[derive(Debug, Clone, Copy)]
pub struct ReminderContext<'a> {
    /// How the permission system stands.
    pub mode_state: &'a ModeState,
    /// The plan file. Without one nothing can be said about plans, so a session names its plan before it asks.
    pub path: Option<&'a AbsPath>,
    /// What is in that file.
    pub file: &'a PlanFile,
    /// Whose request it is.
    pub reader: ReminderReader,
    /// Whether rehearsals are possible.
    pub rehearsals: bool,
}

/// Who is reminded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReminderReader {
    /// The main agent.
    Main,
    /// A subagent.
    Subagent {
        /// Whether it has a tool to write a plan with.
        writes: bool,
    },
}

impl ReminderReader {
    fn is_subagent(self) -> bool {
        matches!(self, ReminderReader::Subagent { .. })
    }
}

/// What the next request carries, in this order.
pub fn due_reminders(state: &ReminderState, context: &ReminderContext<'_>) -> Vec<ReminderKind> {
    match (context.mode_state.is_planning(), context.reader.is_subagent()) {
        (true, _) => planning(state, context),
        (false, true) => Vec::new(),
        (false, false) => after_planning(context.mode_state.mode(), context),
    }
}

fn planning(state: &ReminderState, context: &ReminderContext<'_>) -> Vec<ReminderKind> {
    let Some(path) = context.path else { return Vec::new() };
    let recent = state.prompts_since.is_some_and(|count| count < PROMPTS_BETWEEN);
    if recent && !state.compacted && !state.names_another(path) {
        return Vec::new();
    }
    let first = state.prompts_since.is_none();
    let subagent = context.reader.is_subagent();
    let back = first && context.file.is_text() && context.mode_state.has_left_plan_mode && !subagent;
    let reentry = back.then(|| ReminderKind::PlanModeReentry { path: path.clone() });
    let plan_mode = ReminderKind::PlanMode {
        full: state.is_full(path),
        subagent,
        path: path.clone(),
        exists: context.file.is_text(),
        problem: context.file.problem().map(str::to_owned),
        rehearsals: context.rehearsals,
        only_reads: context.reader == ReminderReader::Subagent { writes: false },
    };
    reentry.into_iter().chain([plan_mode]).collect()
}

fn after_planning(mode: Mode, context: &ReminderContext<'_>) -> Vec<ReminderKind> {
    let exit = context.path.filter(|_| context.mode_state.exit_reminder_due);
    let exists = context.file.is_text();
    let exit = exit.map(|path| ReminderKind::PlanModeExit { path: path.clone(), exists });
    let auto = context.mode_state.auto_exit_reminder_due && mode != Mode::Auto;
    exit.into_iter().chain(auto.then_some(ReminderKind::AutoModeExit)).collect()
}

#[cfg(test)]
mod tests;
