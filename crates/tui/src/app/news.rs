//! What an entry of the journal changes beside the conversation, and what is told of it.

use std::sync::Arc;

use forelook_protocol::{Body, Command, Entry, Event, UserBlock};

use super::App;
use super::attention::Doing;
use super::toasts::{Priority, Toast, Tone};
use super::wish::{Errand, Wish};
use crate::setup::{Habits, Terminal};

/// The plan was approved for a mode that is not to be had.
const FALLBACK: &str = "auto-mode-gate-plan-exit-fallback";
const FALLBACK_MS: u64 = 10_000;
const TIP_MS: u64 = 20_000;
const STOP: &str = "stop";
const STOP_MS: u64 = 5_000;
const SCRIPT_MS: u64 = 10_000;

impl App {
    /// What is known of the person and their terminal.
    pub(crate) fn live_with(&mut self, habits: &Habits, terminal: Terminal) {
        self.composer.use_vi(habits.vi);
        self.attention.wanted = habits.notifications;
        (self.attention.speaks, self.attention.tmux) = (terminal.speaks, terminal.tmux);
        self.wishes.push(Wish::See(Errand::Branch));
        if habits.status_line {
            self.facts.script.exists();
        }
        if habits.tip {
            let text = "Tip: Shift+Tab goes to the next mode".to_owned();
            let (tone, priority) = (Tone::Quiet, Priority::Low);
            self.toast(Toast { key: "tip-modes", text, tone, priority, lasts_ms: TIP_MS });
        }
        self.ask_the_script();
    }

    /// A few words that go away by themselves.
    pub(crate) fn toast(&mut self, toast: Toast) {
        self.toasts.push(toast, self.now.ms);
    }

    /// Stops what runs. The session needs a moment for it, in which the person should not wonder.
    pub(super) fn stop(&mut self) -> Vec<Wish> {
        let (tone, priority) = (Tone::Quiet, Priority::High);
        self.toast(Toast { key: STOP, text: "Stopping…".to_owned(), tone, priority, lasts_ms: STOP_MS });
        vec![Wish::Send(Command::Interrupt)]
    }

    /// The terminal was somebody else's for a while.
    pub(crate) fn came_back(&mut self) {
        self.attention.came_back();
    }

    pub(super) fn recorded(&mut self, entry: &Arc<Entry>) {
        match (&entry.body, &entry.agent) {
            (Body::Question(opened), _) => self.opened(&opened.question),
            (Body::Reply(replied), _) => self.closed(replied),
            (Body::Mode(set), None) => self.mode_set(set.why.as_deref()),
            (Body::Review(reviewed), agent) => {
                if agent.is_none() {
                    self.mode_set(reviewed.why.as_deref());
                }
                self.reviewed(reviewed);
            }
            (Body::Model(_), None) => {
                // Another model has another window.
                self.wishes.push(Wish::See(Errand::Ask(forelook_protocol::Query::Status)));
                self.facts.script.changed();
            }
            (Body::Prompt(taken), None) => {
                if let Some(UserBlock::Text { text }) = taken.content.first() {
                    self.attention.prompted(text);
                }
            }
            (Body::TurnEnd(ended), None) => {
                self.toasts.drop(STOP, self.now.ms);
                self.wishes.extend(self.attention.over(ended.took_ms, self.now.ms).map(Wish::Escape));
                self.wishes.push(Wish::See(Errand::Branch));
                self.facts.script.changed();
            }
            _ => {}
        }
        if let Some(view) = &mut self.view {
            view.recorded(entry);
        }
        let look = self.look();
        self.scene.event(&Event::Recorded(Arc::clone(entry)), look, self.now.ms);
    }

    fn mode_set(&mut self, why: Option<&str>) {
        self.facts.script.changed();
        if let Some(why) = why {
            let (tone, priority) = (Tone::Warning, Priority::Immediate);
            let text = why.to_owned();
            self.toast(Toast { key: FALLBACK, text, tone, priority, lasts_ms: FALLBACK_MS });
        }
    }

    /// Asks the person's status line, if something has changed and it has rested.
    pub(super) fn ask_the_script(&mut self) {
        let facts = &mut self.facts;
        if facts.script.due().is_some_and(|due| due <= self.now.ms) {
            let json = facts.json(&self.scene.view);
            self.wishes.extend(facts.script.ask(self.now.ms, json));
        }
    }

    pub(super) fn script_answered(&mut self, answer: Result<Option<String>, String>) {
        if let Some(text) = self.facts.script.answered(answer) {
            let (tone, priority) = (Tone::Warning, Priority::Medium);
            self.toast(Toast { key: "status-line", text, tone, priority, lasts_ms: SCRIPT_MS });
        }
    }

    pub(super) fn wish_for_a_title(&mut self) {
        let doing = match (self.dialogs.is_empty(), self.scene.view.is_running()) {
            (false, _) => Doing::Asking,
            (true, true) => Doing::Working,
            (true, false) => Doing::Nothing,
        };
        self.wishes.extend(self.attention.title(doing).map(Wish::Escape));
    }
}
