//! What keys and pastes mean.

use forelook_protocol::{Command, PlanCommand};

use super::{App, ExitReason, LEAVE, Priority, TWICE_MS, Toast, ToastTone, UiEffect};
use crate::dialog::{DialogStep, KeyGuard};
use crate::term::{Code, Input, Key};
use crate::view::ViewOutcome;

/// Shows everything that was said and done.
const TRANSCRIPT: Key = Key::ctrl('o');
/// The toast that says a review is open, and how long it stays.
const REVIEW_OPEN: &str = "review-open";
const REVIEW_OPEN_MS: u64 = 4000;

impl App {
    pub(crate) fn input(&mut self, input: Input) -> Vec<UiEffect> {
        self.key_unseen = true;
        match input {
            Input::Key(key) => {
                self.attention.typed(self.now.ms);
                let mut effects = self.key(key);
                // Before what the key led to: an answer closes the review.
                effects.splice(0..0, self.keep_draft());
                effects
            }
            Input::Paste(text) => {
                self.attention.typed(self.now.ms);
                let mut effects = self.put_in(&text);
                effects.extend(self.keep_draft());
                effects
            }
            Input::Focus(has) => {
                self.attention.focus(has);
                Vec::new()
            }
            Input::Resized => Vec::new(),
        }
    }

    /// Pasted text: for the view or the question, if it wants words, or for the composer.
    fn put_in(&mut self, text: &str) -> Vec<UiEffect> {
        let now = self.now.ms;
        if let Some(view) = &mut self.view {
            view.paste(text);
            return Vec::new();
        }
        if self.paste_into_review(text) {
            return Vec::new();
        }
        if let Some((dialog, guard)) = self.dialogs.iter_mut().find(|(dialog, _)| dialog.is_open())
            && guard.allows(now)
            && let Some(step) = dialog.paste(text)
        {
            let id = dialog.id;
            return match step {
                DialogStep::CheckRules(rules) => self.check_rules(id, rules),
                _ => Vec::new(),
            };
        }
        self.paste(text)
    }

    /// What appears now was not there when keys were typed until now.
    pub(super) fn begin_guards(&mut self) {
        for (_, guard) in &mut self.dialogs {
            *guard = KeyGuard::begin(self.now.ms);
        }
    }

    fn key(&mut self, key: Key) -> Vec<UiEffect> {
        if key.code != Code::Esc {
            self.forget_clearing();
        }
        if key == Key::ctrl('c') {
            return self.stop_or_leave();
        }
        // Whoever presses another key stays.
        if self.leaving.take().is_some() {
            self.toasts.drop(LEAVE, self.now.ms);
        }
        if key == Key::ctrl('z') {
            return vec![UiEffect::Suspend];
        }
        // Where a yes leads is on the page; it stays so until the plan is answered, also while it is put aside.
        if key == Key::shift(Code::Tab) && !self.has_page() {
            return if self.may_cycle_mode() { self.cycle_mode() } else { Vec::new() };
        }
        if let Some(view) = &mut self.view {
            let turn = view.key(key);
            return self.on_view_outcome(turn);
        }
        // On a review the same key goes back to the conversation, and from there on to all of it.
        if key == TRANSCRIPT && !self.has_page() {
            return self.open_transcript();
        }
        if self.open_again(key) {
            return Vec::new();
        }
        let now = self.now.ms;
        let open = self.dialogs.iter_mut().find(|(dialog, _)| dialog.is_open());
        if let Some((dialog, guard)) = open
            && guard.allows(now)
        {
            let id = dialog.id;
            return match dialog.key(key) {
                DialogStep::Open => Vec::new(),
                DialogStep::CheckRules(rules) => self.check_rules(id, rules),
                DialogStep::Edit => {
                    // What is typed next may be meant for the editor.
                    *guard = KeyGuard::begin(now);
                    vec![UiEffect::Send(Command::Plan(PlanCommand::Open))]
                }
                DialogStep::Aside => {
                    dialog.review().into_iter().for_each(|review| review.put_aside());
                    Vec::new()
                }
                DialogStep::Answered(answer) => {
                    // A review stays until its answer is recorded: if it is refused, nothing of it is lost.
                    if !dialog.is_page() {
                        self.dialogs.retain(|(dialog, _)| dialog.id != id);
                        self.begin_guards();
                    }
                    self.begin_answer_burst();
                    vec![UiEffect::Send(Command::Answer { request: id, answer })]
                }
            };
        }
        if self.ends_answer_burst(key) {
            return Vec::new();
        }
        self.write(key)
    }

    /// A mode can answer a question. So can no key that was typed before the question was seen, and none while the words of
    /// another answer are being written.
    fn may_cycle_mode(&mut self) -> bool {
        let (now, is_hidden) = (self.now.ms, self.view.is_some());
        let mut open = self.dialogs.iter_mut().filter(|(dialog, _)| dialog.is_open() && !dialog.is_page());
        let Some((dialog, guard)) = open.next() else { return true };
        if dialog.is_writing() {
            self.hint("Shift+Tab can answer the question: press Esc first");
            return false;
        }
        guard.allows(now) && !is_hidden
    }

    fn cycle_mode(&mut self) -> Vec<UiEffect> {
        if !self.has_review() {
            return vec![UiEffect::Send(Command::CycleMode)];
        }
        self.toast(Toast {
            key: REVIEW_OPEN,
            text: "Review the plan first: Esc".to_owned(),
            tone: ToastTone::Quiet,
            priority: Priority::Immediate,
            lasts_ms: REVIEW_OPEN_MS,
        });
        Vec::new()
    }

    fn stop_or_leave(&mut self) -> Vec<UiEffect> {
        if self.view.is_some() {
            return self.on_view_outcome(ViewOutcome::Close(Vec::new()));
        }
        // A review that the person opened themselves has no turn to stop, and is closed.
        if self.live_area.view.is_running() || self.has_review() {
            return self.stop();
        }
        if self.composer.end_search() {
            return Vec::new();
        }
        if !self.composer.is_empty() {
            self.clear();
            return Vec::new();
        }
        if self.leaving.is_some() {
            return vec![UiEffect::Leave(ExitReason::Done)];
        }
        self.leaving = Some(self.now.ms);
        let (tone, priority) = (ToastTone::Quiet, Priority::Immediate);
        self.toast(Toast {
            key: LEAVE,
            text: "Press Ctrl+C again to exit".to_owned(),
            tone,
            priority,
            lasts_ms: TWICE_MS,
        });
        Vec::new()
    }
}
