//! What keys and pastes mean.

use forelook_protocol::{Command, PlanCommand};

use super::{App, ExitReason, LEAVE, Priority, TWICE_MS, Toast, ToastTone, UiEffect};
use crate::dialog::{DialogStep, KeyGuard};
use crate::term::{Code, Input, Key};
use crate::view::ViewOutcome;

/// The toast that says a review is open, and how long it stays.
const REVIEW_OPEN: &str = "review-open";
const REVIEW_OPEN_MS: u64 = 4000;

impl App {
    pub(crate) fn input(&mut self, input: Input) -> Vec<UiEffect> {
        self.key_unseen = true;
        match input {
            Input::Key(key) => {
                self.attention.typed(self.now.ms);
                self.key(key)
            }
            Input::Paste(text) => {
                self.attention.typed(self.now.ms);
                self.put_in(&text)
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
        let taken = match self.dialogs.iter_mut().find(|(dialog, _)| dialog.is_open()) {
            Some((dialog, guard)) => guard.allows(now) && dialog.paste(text),
            None => false,
        };
        if taken { Vec::new() } else { self.paste(text) }
    }

    /// What appears now was not there when keys were typed until now.
    pub(super) fn begin_guards(&mut self) {
        for (_, guard) in &mut self.dialogs {
            *guard = KeyGuard::begin(self.now.ms);
        }
    }

    fn key(&mut self, key: Key) -> Vec<UiEffect> {
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
            return self.cycle_mode();
        }
        if let Some(view) = &mut self.view {
            let turn = view.key(key);
            return self.on_view_outcome(turn);
        }
        if key == Key::ctrl('r') {
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
                    vec![UiEffect::Send(Command::Answer { request: id, answer })]
                }
            };
        }
        self.write(key)
    }

    fn cycle_mode(&mut self) -> Vec<UiEffect> {
        if !self.has_review() {
            return vec![UiEffect::Send(Command::CycleMode)];
        }
        self.toast(Toast {
            key: REVIEW_OPEN,
            text: "Review the plan first: Ctrl+O".to_owned(),
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
        if self.live_area.view.is_running() {
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
