//! One of the model's questions, and what was chosen so far.

use forelook_protocol::{PersonQuestion, QuestionAnswer};
use forelook_view::question::Selection;

use super::text_input::TextInput;
use crate::text::sanitize;

/// A question and what was done with it so far.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) question: PersonQuestion,
    /// The option that is looked at, none at first; behind the last one are the person's own words.
    pub(super) at: Option<usize>,
    /// Those that were ticked, where several may be.
    pub(super) ticked: Vec<bool>,
    pub(super) words: TextInput,
}

impl Slot {
    pub(super) fn new(question: &PersonQuestion) -> Self {
        let ticked = vec![false; question.options.len()];
        Self { question: question.clone(), at: None, ticked, words: TextInput::default() }
    }

    pub(super) fn is_writing(&self) -> bool {
        self.at == Some(self.question.options.len())
    }

    pub(super) fn step(&mut self, down: bool) {
        let last = self.question.options.len();
        self.at = Some(match (self.at, down) {
            (None, true) => 0,
            (None, false) | (Some(0), false) => last,
            (Some(at), true) => (at + 1) % (last + 1),
            (Some(at), false) => at - 1,
        });
    }

    pub(super) fn tick(&mut self) {
        if let Some(tick) = self.at.and_then(|at| self.ticked.get_mut(at)) {
            *tick ^= true;
        }
    }

    /// Whether Enter sends something: an option or words; where several can be chosen, what is ticked or words.
    pub(super) fn can_be_sent(&self) -> bool {
        match self.question.multi_select {
            true => self.ticked.contains(&true) || !self.words.is_empty(),
            false => self.at.is_some(),
        }
    }

    fn picked(&self, words: &str) -> QuestionAnswer {
        Selection { at: self.at, ticked: &self.ticked, words }.choice(&self.question)
    }

    /// In a line, for the person.
    pub(super) fn told(&self) -> String {
        match self.picked(self.words.text()) {
            QuestionAnswer::Options(labels) => sanitize(&labels.join(", ")).into_owned(),
            QuestionAnswer::Skipped => "skipped".to_owned(),
            QuestionAnswer::FreeText(_) => sanitize(self.words.text()).replace('\n', " "),
        }
    }

    pub(super) fn choice(&self) -> QuestionAnswer {
        self.picked(&self.words.whole())
    }
}
