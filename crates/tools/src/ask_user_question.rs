//! `AskUserQuestion`: the model asks the person.
//!
//! The engine asks; here the questions are checked and the answer is put into words. Nothing but the
//! person's own choice may read as a yes.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write;

use forelook_protocol::{CallId, HostAnswer, PersonOption, PersonQuestion, QuestionAnswer, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::call::CallKind;
use crate::output::shorten;
use crate::tool::BadInput;
use crate::typed::{EngineTool, ToolFailure, ToolMetadata, ToolSuccess};

const MAX_HEADER: usize = 12;
/// What a person may paste as an answer of their own.
const MAX_WORDS: usize = 20_000;
/// A question or option that is longer does not fit on a screen.
const MAX_TEXT: usize = 2000;
const MAX_PREVIEW: usize = 10_000;

/// Asks the person.
pub(crate) struct AskUserQuestion;

/// The questions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// One to four questions, asked together.
    #[schemars(length(min = 1, max = 4))]
    questions: Vec<AskedQuestion>,
}

/// One question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AskedQuestion {
    /// The complete question.
    question: String,
    /// A short heading of one or two words, at most 12 characters.
    header: String,
    /// Two to four options. The user can always type their own answer, so do not add an "Other" option.
    #[schemars(length(min = 2, max = 4))]
    options: Vec<AskedOption>,
    /// Whether the user may choose several options.
    #[serde(rename = "multiSelect", default)]
    multi_select: bool,
}

/// One option.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AskedOption {
    /// The option in a few words.
    label: String,
    /// What choosing it means.
    #[serde(default)]
    description: String,
    /// Markdown shown while choosing, such as a mockup or a code snippet.
    #[serde(default)]
    preview: Option<String>,
}

impl ToolMetadata for AskUserQuestion {
    type Input = Input;
    const NAME: &'static str = "AskUserQuestion";

    fn description(&self) -> Cow<'static, str> {
        "Asks the user to choose when the task leaves something important open that you cannot find out yourself. \
         Offer options that really differ, with your recommendation first. The user may answer in their own words or skip \
         a question; a skipped one stays undecided.".into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        count("questions", input.questions.len(), 1, 4)?;
        let mut asked = HashSet::new();
        for (number, question) in input.questions.iter().enumerate() {
            let at = format!("questions[{number}]");
            check_question(&at, question)?;
            if !asked.insert(question.question.trim().to_lowercase()) {
                return Err(BadInput(format!("`{at}.question` repeats an earlier question: ask it once")));
            }
        }
        Ok(())
    }
}

impl EngineTool for AskUserQuestion {
    fn call(&self, input: Input) -> Result<CallKind, BadInput> {
        Ok(CallKind::Ask(input.questions.into_iter().map(PersonQuestion::from).collect()))
    }
}

/// What the person answered to these questions, or why there is no answer.
pub fn answered(call: CallId, questions: &[PersonQuestion], answer: &HostAnswer) -> ToolOutcome {
    match answer {
        HostAnswer::Chosen { choices } => {
            ToolSuccess::new(chosen(questions, choices)).output(answers(questions, choices)).outcome(call)
        }
        other => ToolFailure::new(unanswered(other)).outcome(call),
    }
}

fn check_question(at: &str, question: &AskedQuestion) -> Result<(), BadInput> {
    text(&format!("{at}.question"), &question.question, MAX_TEXT)?;
    text(&format!("{at}.header"), &question.header, MAX_HEADER)?;
    count(&format!("{at}.options"), question.options.len(), 2, 4)?;
    let mut labels = HashSet::new();
    for (number, option) in question.options.iter().enumerate() {
        let at = format!("{at}.options[{number}]");
        text(&format!("{at}.label"), &option.label, MAX_TEXT)?;
        if !labels.insert(option.label.trim().to_lowercase()) {
            return Err(BadInput(format!("`{at}.label` repeats another label: make each label unique")));
        }
        at_most(&format!("{at}.description"), &option.description, MAX_TEXT)?;
        at_most(&format!("{at}.preview"), option.preview.as_deref().unwrap_or_default(), MAX_PREVIEW)?;
    }
    Ok(())
}

fn count(field: &str, number: usize, min: usize, max: usize) -> Result<(), BadInput> {
    match (min..=max).contains(&number) {
        true => Ok(()),
        false => Err(BadInput(format!("`{field}` has {number} items: send {min} to {max}"))),
    }
}

fn text(field: &str, text: &str, max: usize) -> Result<(), BadInput> {
    match text.trim().is_empty() {
        true => Err(BadInput(format!("`{field}` is empty: send at most {max} characters"))),
        false => at_most(field, text, max),
    }
}

fn at_most(field: &str, text: &str, max: usize) -> Result<(), BadInput> {
    match text.chars().count() {
        length if length > max => {
            Err(BadInput(format!("`{field}` has {length} characters: send at most {max}")))
        }
        _ => Ok(()),
    }
}

impl From<AskedQuestion> for PersonQuestion {
    fn from(asked: AskedQuestion) -> Self {
        let options = asked.options.into_iter().map(|option| PersonOption {
            label: option.label,
            description: option.description,
            preview: option.preview,
        });
        PersonQuestion {
            question: asked.question,
            header: asked.header,
            options: options.collect(),
            multi_select: asked.multi_select,
        }
    }
}

/// Each question with its answer.
fn chosen(questions: &[PersonQuestion], choices: &[QuestionAnswer]) -> String {
    let mut out = String::from("The user answered:\n");
    for (number, question) in questions.iter().enumerate() {
        let _ = write!(out, "\n{}\n", question.question);
        let _ = match choices.get(number) {
            Some(QuestionAnswer::Options(labels)) if !labels.is_empty() => {
                writeln!(out, "Chosen: {}", labels.join("; "))
            }
            Some(QuestionAnswer::Options(_)) => writeln!(out, "Chosen: none of the options"),
            Some(QuestionAnswer::FreeText(words)) => {
                writeln!(out, "In their own words: {}", shorten(words, MAX_WORDS))
            }
            Some(QuestionAnswer::Skipped) | None => {
                writeln!(out, "Skipped: the user did not answer this question, so nothing is decided")
            }
        };
    }
    out
}

/// The answers in fields, by the question's text, as hosts know them; what was left open is left out.
fn answers(questions: &[PersonQuestion], choices: &[QuestionAnswer]) -> Value {
    let answer = |choice: &QuestionAnswer| match choice {
        QuestionAnswer::Options(labels) => Some(labels.join(", ")),
        QuestionAnswer::FreeText(words) => Some(shorten(words, MAX_WORDS)),
        QuestionAnswer::Skipped => None,
    };
    let given = questions.iter().zip(choices);
    let answers: Map<String, Value> = given
        .filter_map(|(question, choice)| Some((question.question.clone(), json!(answer(choice)?))))
        .collect();
    json!({ "questions": questions, "answers": answers })
}

/// Why there is no answer, and what follows from that.
fn unanswered(answer: &HostAnswer) -> String {
    let text = match answer {
        HostAnswer::Dismissed => {
            "The user dismissed the questions without answering. Nothing is decided: do not act as if they had \
             chosen. Continue with what does not depend on the answer, or ask in plain text"
        }
        HostAnswer::Interrupted => {
            "The turn was interrupted before the user answered. Nothing is decided: wait for the user's next message"
        }
        HostAnswer::Nobody => {
            "No user is available to answer, and nothing is decided. Make the safest reasonable assumption, one that \
             is easy to undo, and state it in your answer; leave open what only the user can decide"
        }
        HostAnswer::Deny { message: Some(words) } => {
            return format!(
                "The user declined to answer and said: {}\nNothing is decided: follow what they said",
                shorten(words, MAX_WORDS)
            );
        }
        HostAnswer::Deny { message: None } => {
            "The user declined to answer. Nothing is decided: continue with what does not depend on the answer"
        }
        _ => {
            "The questions could not be shown to the user, and nothing is decided. Ask again, or ask in plain text"
        }
    };
    text.to_owned()
}

#[cfg(test)]
mod tests;
