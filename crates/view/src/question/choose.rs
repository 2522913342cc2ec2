//! Answers to the model's own questions.

use forelook_protocol::{Choice, HostAnswer, PersonQuestion};
use thiserror::Error;

/// Questions that are answered one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    questions: Vec<PersonQuestion>,
    choices: Vec<Choice>,
}

impl Answers {
    /// None is answered yet.
    pub fn new(questions: &[PersonQuestion]) -> Self {
        Self { questions: questions.to_vec(), choices: Vec::new() }
    }

    /// The question that is to be answered now; nothing once all are answered.
    pub fn current(&self) -> Option<&PersonQuestion> {
        self.questions.get(self.choices.len())
    }

    /// Answers that one; all answers, if it was the last.
    pub fn add(&mut self, choice: Choice) -> Option<HostAnswer> {
        self.choices.push(choice);
        let all = self.choices.len() >= self.questions.len();
        all.then(|| HostAnswer::Chosen { choices: std::mem::take(&mut self.choices) })
    }

    /// From the beginning.
    pub fn reset(&mut self) {
        self.choices.clear();
    }
}

/// What was done with a question so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Picked<'a> {
    /// The option that is pointed at, from 0.
    pub at: Option<usize>,
    /// Those that were ticked, where several may be.
    pub ticked: &'a [bool],
    /// The person's own words.
    pub words: &'a str,
}

impl Picked<'_> {
    /// The choice that this is. Words count before ticks, and one of several that is only pointed at counts without
    /// either.
    pub fn choice(self, question: &PersonQuestion) -> Choice {
        let words = self.words.trim();
        let mut options = question.options.iter().map(|option| option.label.clone());
        let labels: Vec<String> = match question.multi_select
            && self.ticked.contains(&true)
            && words.is_empty()
        {
            true => options.zip(self.ticked).filter(|(_, ticked)| **ticked).map(|(label, _)| label).collect(),
            false => self.at.and_then(|at| options.nth(at)).into_iter().collect(),
        };
        match labels.is_empty() {
            false => Choice::Options(labels),
            true if words.is_empty() => Choice::Skipped,
            true => Choice::Words(words.to_owned()),
        }
    }
}

/// Why numbers choose nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotChosen {
    /// Several were named.
    #[error("Only one of these can be chosen")]
    OnlyOne,
    /// There is no option of this number.
    #[error("There are only options 1 to {0}")]
    NoSuchOption(usize),
}

/// The options with these numbers, from 1. Who names one twice means it once.
pub fn numbered(question: &PersonQuestion, numbers: &[usize]) -> Result<Choice, NotChosen> {
    if numbers.len() > 1 && !question.multi_select {
        return Err(NotChosen::OnlyOne);
    }
    let mut labels = Vec::new();
    for number in numbers {
        let option = number.checked_sub(1).and_then(|at| question.options.get(at));
        let option = option.ok_or(NotChosen::NoSuchOption(question.options.len()))?;
        if !labels.contains(&option.label) {
            labels.push(option.label.clone());
        }
    }
    Ok(Choice::Options(labels))
}

/// A label, labels joined by `, `, or words.
pub fn named(question: &PersonQuestion, text: &str) -> Choice {
    if text.trim().is_empty() {
        return Choice::Skipped;
    }
    match labels(question, text) {
        Some(labels) if labels.len() == 1 || question.multi_select => Choice::Options(labels),
        _ => Choice::Words(text.to_owned()),
    }
}

/// The text as a list of labels. A label may have a comma of its own, so every way to begin is tried.
fn labels(question: &PersonQuestion, text: &str) -> Option<Vec<String>> {
    question.options.iter().find_map(|option| {
        let rest = text.strip_prefix(option.label.as_str()).filter(|_| !option.label.is_empty())?;
        let mut found = vec![option.label.clone()];
        if !rest.is_empty() {
            // What is named twice is meant once.
            let more = labels(question, rest.strip_prefix(", ")?)?;
            found.extend(more.into_iter().filter(|label| *label != option.label));
        }
        Some(found)
    })
}
