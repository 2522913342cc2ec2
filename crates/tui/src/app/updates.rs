//! What an entry of the journal changes beside the conversation, and what is told of it.

use std::sync::Arc;

use forelook_protocol::{Command, Entry, EntryBody, Event, UserBlock};

use forelook_wording::permission_change;

use super::App;
use super::attention::TitleState;
use super::effect::{UiEffect, UiTask};
use super::toasts::{Priority, Toast, ToastTone};
use crate::setup::{Terminal, UserPreferences};

/// The plan was approved for a mode that is not available.
const FALLBACK: &str = "auto-mode-gate-plan-exit-fallback";
const FALLBACK_MS: u64 = 10_000;
const TIP_MS: u64 = 20_000;
const STOP: &str = "stop";
const STOP_MS: u64 = 5_000;
const SCRIPT_MS: u64 = 10_000;

impl App {
    /// What is known of the person and their terminal.
    pub(crate) fn apply_preferences(&mut self, preferences: &UserPreferences, terminal: Terminal) {
        self.composer.use_vi(preferences.vi);
        self.attention.wanted = preferences.notifications;
        self.status_info.home.clone_from(&preferences.home);
        (self.attention.notify_style, self.attention.tmux) = (terminal.notify_style, terminal.tmux);
        self.effects.push(UiEffect::Spawn(UiTask::Branch));
        if preferences.status_line {
            self.status_info.script.exists();
        }
        if preferences.tip {
            let text = "Tip: Shift+Tab switches modes".to_owned();
            let (tone, priority) = (ToastTone::Quiet, Priority::Low);
            self.toast(Toast { key: "tip-modes", text, tone, priority, lasts_ms: TIP_MS });
        }
        self.run_status_script();
    }

    /// A few words that go away by themselves.
    pub(crate) fn toast(&mut self, toast: Toast) {
        self.toasts.push(toast, self.now.ms);
    }

    /// Stops what runs. The session needs a moment for it, in which the person should not wonder.
    pub(super) fn stop(&mut self) -> Vec<UiEffect> {
        let (tone, priority) = (ToastTone::Quiet, Priority::High);
        self.toast(Toast { key: STOP, text: "Stopping…".to_owned(), tone, priority, lasts_ms: STOP_MS });
        vec![UiEffect::Send(Command::Interrupt)]
    }

    /// The terminal was somebody else's for a while.
    pub(crate) fn terminal_returned(&mut self) {
        self.attention.terminal_returned();
    }

    pub(super) fn recorded(&mut self, entry: &Arc<Entry>) {
        match (&entry.body, &entry.agent) {
            (EntryBody::QuestionOpened(opened), _) => self.opened(&opened.question),
            (EntryBody::QuestionClosed(replied), _) => self.closed(replied),
            (EntryBody::ModeChanged(set), None) => self.mode_set(set.why.as_deref()),
            (EntryBody::PlanReviewed(reviewed), agent) => {
                if agent.is_none() {
                    self.mode_set(reviewed.why.as_deref());
                }
                self.reviewed(reviewed);
            }
            (EntryBody::ModelChanged(_), None) => {
                // Another model has another window.
                self.effects.push(UiEffect::Spawn(UiTask::Ask(forelook_protocol::Query::Status)));
                self.status_info.script.changed();
            }
            (EntryBody::PromptAccepted(taken), None) => {
                self.has_conversation = true;
                if let Some(UserBlock::Text { text }) = taken.content.first() {
                    self.attention.prompted(text);
                }
            }
            (EntryBody::PermissionsChanged(set), None) => {
                let awaited = self.awaited_changes.iter().position(|update| *update == set.update);
                if let Some(at) = awaited {
                    self.awaited_changes.remove(at);
                    self.show_note(&permission_change(&set.update));
                }
            }
            (EntryBody::PromptsWithdrawn(withdrawn), None) => self.withdrawn(withdrawn),
            (EntryBody::TurnEnded(ended), None) => {
                self.toasts.drop(STOP, self.now.ms);
                self.effects
                    .extend(self.attention.turn_ended(ended.took_ms, self.now.ms).map(UiEffect::Escape));
                self.effects.push(UiEffect::Spawn(UiTask::Branch));
                self.status_info.script.changed();
            }
            _ => {}
        }
        if let Some(view) = &mut self.view {
            self.effects.extend(view.recorded(entry));
        }
        let ctx = self.render_context();
        self.live_area.event(&Event::Recorded(Arc::clone(entry)), ctx, self.now.ms);
    }

    fn mode_set(&mut self, why: Option<&str>) {
        self.status_info.script.changed();
        if let Some(why) = why {
            let (tone, priority) = (ToastTone::Warning, Priority::Immediate);
            let text = why.to_owned();
            self.toast(Toast { key: FALLBACK, text, tone, priority, lasts_ms: FALLBACK_MS });
        }
    }

    /// Asks the person's status line, if something has changed and it has rested.
    pub(super) fn run_status_script(&mut self) {
        let facts = &mut self.status_info;
        if facts.script.due().is_some_and(|due| due <= self.now.ms) {
            let json = facts.json(&self.live_area.view);
            self.effects.extend(facts.script.ask(self.now.ms, json));
        }
    }

    pub(super) fn script_answered(&mut self, answer: Result<Option<String>, String>) {
        if let Some(text) = self.status_info.script.answered(answer) {
            let (tone, priority) = (ToastTone::Warning, Priority::Medium);
            self.toast(Toast { key: "status-line", text, tone, priority, lasts_ms: SCRIPT_MS });
        }
    }

    pub(super) fn update_title(&mut self) {
        let doing = match (self.dialogs.is_empty(), self.live_area.view.is_running()) {
            (false, _) => TitleState::Asking,
            (true, true) => TitleState::Working,
            (true, false) => TitleState::Nothing,
        };
        self.effects.extend(self.attention.title(doing).map(UiEffect::Escape));
    }
}
