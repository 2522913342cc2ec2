//! Answers to the model's questions.

use forelook_protocol::{HostAnswer, PersonQuestion, QuestionAnswer};
use thiserror::Error;

/// Questions that are answered one by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionSequence {
    questions: Vec<PersonQuestion>,
    choices: Vec<QuestionAnswer>,
}

impl QuestionSequence {
    /// Starts with the first question.
    pub fn new(questions: &[PersonQuestion]) -> Self {
        Self { questions: questions.to_vec(), choices: Vec::new() }
    }

    /// The current question; `None` when all are answered.
    pub fn current(&self) -> Option<&PersonQuestion> {
        self.questions.get(self.choices.len())
    }

    /// Answers the current question. Returns all answers after the last one.
    pub fn add(&mut self, choice: QuestionAnswer) -> Option<HostAnswer> {
        self.choices.push(choice);
        let all = self.choices.len() >= self.questions.len();
        all.then(|| HostAnswer::Chosen { choices: std::mem::take(&mut self.choices) })
    }

    /// Starts over.
    pub fn reset(&mut self) {
        self.choices.clear();
    }
}

/// The current state of a question's dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Selection<'a> {
    /// The highlighted option, starting at 0.
    pub at: Option<usize>,
    /// The checked options, if several can be chosen.
    pub ticked: &'a [bool],
    /// The text that the user typed.
    pub words: &'a str,
}

impl Selection<'_> {
    /// The answer. Where several options can be chosen, it is those that are checked, and any typed text after them;
    /// what is only highlighted does not count. Else it is the highlighted option, or the typed text.
    pub fn choice(self, question: &PersonQuestion) -> QuestionAnswer {
        let words = self.words.trim();
        let mut options = question.options.iter().map(|option| option.label.clone());
        let labels: Vec<String> = match question.multi_select {
            true => options.zip(self.ticked).filter(|(_, ticked)| **ticked).map(|(label, _)| label).collect(),
            false => self.at.and_then(|at| options.nth(at)).into_iter().collect(),
        };
        match (labels.is_empty(), words.is_empty() || !question.multi_select) {
            (false, true) => QuestionAnswer::Options(labels),
            (false, false) => QuestionAnswer::FreeText([labels.join(", "), words.to_owned()].join(", ")),
            (true, _) if words.is_empty() => QuestionAnswer::Skipped,
            (true, _) => QuestionAnswer::FreeText(words.to_owned()),
        }
    }
}

/// Why numbers are not a valid answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SelectionError {
    /// More than one option was named.
    #[error("Choose only one")]
    OnlyOne,
    /// There is no option with this number.
    #[error("Choose a number from 1 to {0}")]
    NoSuchOption(usize),
}

/// The options with these numbers, starting at 1. Duplicates are ignored.
pub fn choice_by_number(
    question: &PersonQuestion,
    numbers: &[usize],
) -> Result<QuestionAnswer, SelectionError> {
    if numbers.len() > 1 && !question.multi_select {
        return Err(SelectionError::OnlyOne);
    }
    let mut labels = Vec::new();
    for number in numbers {
        let option = number.checked_sub(1).and_then(|at| question.options.get(at));
        let option = option.ok_or(SelectionError::NoSuchOption(question.options.len()))?;
        if !labels.contains(&option.label) {
            labels.push(option.label.clone());
        }
    }
    Ok(QuestionAnswer::Options(labels))
}

/// The answer for a text: a label, labels joined by `, `, or free text.
pub fn choice_by_label(question: &PersonQuestion, text: &str) -> QuestionAnswer {
    if text.trim().is_empty() {
        return QuestionAnswer::Skipped;
    }
    match labels(question, text) {
        Some(labels) if labels.len() == 1 || question.multi_select => QuestionAnswer::Options(labels),
        _ => QuestionAnswer::FreeText(text.to_owned()),
    }
}

/// The text as a list of labels. A label can contain a comma, so every possible split is tried.
fn labels(question: &PersonQuestion, text: &str) -> Option<Vec<String>> {
    question.options.iter().find_map(|option| {
        let rest = text.strip_prefix(option.label.as_str()).filter(|_| !option.label.is_empty())?;
        let mut found = vec![option.label.clone()];
        if !rest.is_empty() {
            // Duplicates are ignored.
            let more = labels(question, rest.strip_prefix(", ")?)?;
            found.extend(more.into_iter().filter(|label| *label != option.label));
        }
        Some(found)
    })
}
