//! What keys and pastes mean.

use forelook_protocol::{Command, PlanCommand};

use super::{App, LEAVE, Left, Priority, TWICE_MS, Toast, Tone, Wish};
use crate::dialog::{Guard, Step};
use crate::term::{Code, Input, Key};
use crate::view::Turn;

impl App {
    pub(crate) fn input(&mut self, input: Input) -> Vec<Wish> {
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
    fn put_in(&mut self, text: &str) -> Vec<Wish> {
        let now = self.now.ms;
        if let Some(view) = &mut self.view {
            view.paste(text);
            return Vec::new();
        }
        if self.paste_into_review(text) {
            return Vec::new();
        }
        let taken = match self.dialogs.iter_mut().find(|(dialog, _)| dialog.is_open()) {
            Some((dialog, guard)) => guard.lets_through(now) && dialog.paste(text),
            None => false,
        };
        if taken { Vec::new() } else { self.paste(text) }
    }

    /// What appears now was not there when keys were typed until now.
    pub(super) fn begin_guards(&mut self) {
        for (_, guard) in &mut self.dialogs {
            *guard = Guard::begin(self.now.ms);
        }
    }

    fn key(&mut self, key: Key) -> Vec<Wish> {
        if key == Key::ctrl('c') {
            return self.stop_or_leave();
        }
        // Whoever presses another key stays.
        if self.leaving.take().is_some() {
            self.toasts.drop(LEAVE, self.now.ms);
        }
        if key == Key::ctrl('z') {
            return vec![Wish::Suspend];
        }
        // Where a yes leads is on the page; it stays so while that is read.
        if key == Key::shift(Code::Tab) && !self.has_page() {
            return vec![Wish::Send(Command::CycleMode)];
        }
        if let Some(view) = &mut self.view {
            let turn = view.key(key);
            return self.turned(turn);
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
            && guard.lets_through(now)
        {
            let id = dialog.id;
            return match dialog.key(key) {
                Step::Open => Vec::new(),
                Step::Edit => {
                    // What is typed next may be meant for the editor.
                    *guard = Guard::begin(now);
                    vec![Wish::Send(Command::Plan(PlanCommand::Open))]
                }
                Step::Aside => {
                    dialog.review().into_iter().for_each(|review| review.put_aside());
                    Vec::new()
                }
                Step::Answered(answer) => {
                    // A review stays until its answer is recorded: if it is refused, nothing of it is lost.
                    if !dialog.is_page() {
                        self.dialogs.retain(|(dialog, _)| dialog.id != id);
                        self.begin_guards();
                    }
                    vec![Wish::Send(Command::Answer { request: id, answer })]
                }
            };
        }
        self.write(key)
    }

    fn stop_or_leave(&mut self) -> Vec<Wish> {
        if self.view.is_some() {
            return self.turned(Turn::Close(Vec::new()));
        }
        if self.scene.view.is_running() {
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
            return vec![Wish::Leave(Left::Done)];
        }
        self.leaving = Some(self.now.ms);
        let (tone, priority) = (Tone::Quiet, Priority::Immediate);
        self.toast(Toast {
            key: LEAVE,
            text: "Ctrl+C again leaves".to_owned(),
            tone,
            priority,
            lasts_ms: TWICE_MS,
        });
        Vec::new()
    }
}
