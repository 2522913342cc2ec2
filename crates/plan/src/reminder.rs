//! When the model is reminded of plan mode.
//!
//! What was sent, and when, is folded from the journal into [`Reminded`]; [`due`] says what the next request carries.
//! Neither looks at anything else, so a session that is resumed goes on where it stood.
//!
//! A reminder that was sent takes back what was due; `permissions/src/transition.rs` (`reminded`) says what.

use forelook_protocol::{AbsPath, Mode, ReminderKind, Standing};

/// So many prompts of a person's pass before the next reminder of plan mode.
const PAUSE: u32 = 5;
/// One of so many reminders of plan mode is the whole workflow, beginning with the first.
const FULL_EVERY: u32 = 5;

/// What a conversation was reminded of; a subagent has its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reminded {
    /// Reminders of plan mode since it was last left.
    sent: u32,
    /// Prompts of a person's since the last of them; nothing if there was none since plan mode began.
    prompts_since: Option<u32>,
    /// The conversation was compacted after the last of them.
    compacted: bool,
}

impl Reminded {
    /// A person's prompt reached the conversation. Nothing else is a human turn: no tool result, no reminder.
    pub fn human_turn(&mut self) {
        self.prompts_since = self.prompts_since.map(|count| count.saturating_add(1));
    }

    /// A reminder was sent.
    pub fn sent(&mut self, kind: &ReminderKind) {
        if let ReminderKind::PlanMode { .. } = kind {
            self.sent = self.sent.saturating_add(1);
            self.prompts_since = Some(0);
            self.compacted = false;
        }
    }

    /// Plan mode began. Not for a change of something else while it is on.
    pub fn entered(&mut self) {
        self.prompts_since = None;
    }

    /// Plan mode was left.
    pub fn left(&mut self) {
        *self = Self::default();
    }

    /// The conversation was replaced by a summary: the workflow is gone from it, so the next reminder is full.
    pub fn compacted(&mut self) {
        self.compacted = true;
    }

    fn is_full(&self) -> bool {
        self.compacted || self.sent.is_multiple_of(FULL_EVERY)
    }
}

/// What a reminder depends on at the moment of a request.
#[derive(Debug, Clone, Copy)]
pub struct Now<'a> {
    /// How the permission system stands.
    pub standing: &'a Standing,
    /// The plan file. Without one nothing can be said about plans, so a session names its plan before it asks.
    pub path: Option<&'a AbsPath>,
    /// Whether that file exists.
    pub exists: bool,
    /// Whether the request is a subagent's.
    pub subagent: bool,
}

/// What the next request carries, in this order.
pub fn due(reminded: &Reminded, now: &Now<'_>) -> Vec<ReminderKind> {
    match (now.standing.is_planning(), now.subagent) {
        (true, _) => planning(reminded, now),
        (false, true) => Vec::new(),
        (false, false) => after_planning(now.standing.mode(), now),
    }
}

fn planning(reminded: &Reminded, now: &Now<'_>) -> Vec<ReminderKind> {
    let Some(path) = now.path else { return Vec::new() };
    if reminded.prompts_since.is_some_and(|count| count < PAUSE) {
        return Vec::new();
    }
    let first = reminded.prompts_since.is_none();
    let back = first && now.exists && now.standing.has_left_plan_mode && !now.subagent;
    let reentry = back.then(|| ReminderKind::PlanModeReentry { path: path.clone() });
    let plan_mode = ReminderKind::PlanMode {
        full: reminded.is_full(),
        subagent: now.subagent,
        path: path.clone(),
        exists: now.exists,
    };
    reentry.into_iter().chain([plan_mode]).collect()
}

fn after_planning(mode: Mode, now: &Now<'_>) -> Vec<ReminderKind> {
    let exit = now.path.filter(|_| now.standing.exit_reminder_due);
    let exit = exit.map(|path| ReminderKind::PlanModeExit { path: path.clone(), exists: now.exists });
    let auto = now.standing.auto_exit_reminder_due && mode != Mode::Auto;
    exit.into_iter().chain(auto.then_some(ReminderKind::AutoModeExit)).collect()
}

#[cfg(test)]
mod tests;
