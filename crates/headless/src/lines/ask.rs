//! Asks a person in lines: letters and numbers choose, words are words.

use forelook_protocol::{
    AbsPath, Destination, HostAnswer, HostAsk, PersonQuestion, QuestionAnswer, RunningShell,
};
use forelook_view::question::{AnswerOption, QuestionSequence, answer_options, choice_by_number};
use forelook_wording::{RUNNING_SHELLS_NOTE, running_shell, sandbox_note, still_running};

use super::calls::call_line;
use super::preview;
use super::review::LineReview;
use crate::style::{Row, TextStyle};

/// A question that is being answered, line by line.
pub(super) struct LineDialog {
    ask: AskKind,
    /// Who asks, if it is not the main agent.
    from: Option<String>,
    /// Whether all of it has been shown; then a reminder of the choices is enough.
    shown: bool,
}

enum AskKind {
    Simple(HostAsk),
    Choose(QuestionSequence),
    Review(LineReview),
}

/// What a line led to.
#[derive(Debug, PartialEq)]
pub(super) enum AnswerStep {
    /// The next of several questions.
    More,
    /// The whole question again.
    Again,
    /// The line was not understood; ask again.
    Unclear(String),
    /// The line was kept for later.
    Noted(String),
    /// There is something to look at.
    Look(Vec<Row>),
    /// The person wants to change the plan in an editor.
    Edit,
    /// All is answered.
    Done(HostAnswer),
}

impl LineDialog {
    pub(super) fn new(ask: &HostAsk, from: Option<String>) -> Self {
        let ask = match ask {
            HostAsk::Review(review) => AskKind::Review(LineReview::new(review, from.as_deref())),
            HostAsk::Choose { questions } => AskKind::Choose(QuestionSequence::new(questions)),
            other => AskKind::Simple(other.clone()),
        };
        Self { ask, from, shown: false }
    }

    /// What to print: everything at first, afterwards what can be answered.
    pub(super) fn rows(&mut self) -> Vec<Row> {
        let again = std::mem::replace(&mut self.shown, true);
        let mut rows = match &self.ask {
            AskKind::Review(line_review) => return line_review.rows(again),
            AskKind::Simple(HostAsk::Permission { tool, input, reason }) => {
                let mut rows =
                    vec![heading(format!("Allow {}?", call_line(tool, input))), detail(&reason.text)];
                rows.extend(sandbox_note(reason.sandbox).map(detail));
                if !again {
                    rows.extend(preview::rows(tool, input));
                }
                rows.push(Row::plain("  y = yes, n = no, or type what to do instead"));
                if let Some(rule) = &reason.suggested_rule {
                    rows.push(Row::plain(format!("  s = yes, and allow {rule} for this session")));
                    rows.push(Row::plain("  l = yes, and save that rule for this project"));
                }
                rows
            }
            AskKind::Simple(HostAsk::EnterPlan { path }) => enter_rows(path),
            AskKind::Simple(HostAsk::Running { shells }) => running_rows(shells),
            AskKind::Choose(answers) => answers.current().map(question_rows).unwrap_or_default(),
            // Nothing else is put to a person.
            AskKind::Simple(_) => Vec::new(),
        };
        if let Some(from) = &self.from {
            rows.insert(1.min(rows.len()), detail(&format!("Asked by {from}")));
        }
        rows
    }

    /// Takes one line.
    pub(super) fn answer(&mut self, line: &str) -> AnswerStep {
        let line = line.trim();
        match &mut self.ask {
            AskKind::Review(line_review) => {
                let step = line_review.answer(line);
                self.shown &= step != AnswerStep::Again;
                step
            }
            AskKind::Simple(ask @ HostAsk::Permission { .. }) => permission(line, &answer_options(ask)),
            AskKind::Simple(HostAsk::EnterPlan { .. }) => yes_or_no(line),
            AskKind::Simple(HostAsk::Running { .. }) => keep_or_stop(line),
            AskKind::Choose(answers) => {
                let Some(question) = answers.current() else {
                    return AnswerStep::Done(HostAnswer::Dismissed);
                };
                match choice(question, line) {
                    Ok(choice) => answers.add(choice).map_or(AnswerStep::More, AnswerStep::Done),
                    Err(why) => AnswerStep::Unclear(why),
                }
            }
            AskKind::Simple(_) => AnswerStep::Done(HostAnswer::Dismissed),
        }
    }

    /// A review that takes the place of one whose plan has changed.
    pub(super) fn replacing(ask: &HostAsk, from: Option<String>, outdated: LineReview) -> Self {
        match ask {
            HostAsk::Review(review) => {
                let ask = AskKind::Review(LineReview::replacing(review, from.as_deref(), outdated));
                Self { ask, from, shown: false }
            }
            other => Self::new(other, from),
        }
    }

    /// The review, if this is one.
    pub(super) fn review(&self) -> Option<&LineReview> {
        match &self.ask {
            AskKind::Review(line_review) => Some(line_review),
            AskKind::Simple(_) | AskKind::Choose(_) => None,
        }
    }

    /// How many commands it asks about, if it is what runs from before.
    pub(super) fn running(&self) -> Option<usize> {
        match &self.ask {
            AskKind::Simple(HostAsk::Running { shells }) => Some(shells.len()),
            _ => None,
        }
    }

    pub(super) fn into_review(self) -> Option<LineReview> {
        match self.ask {
            AskKind::Review(line_review) => Some(line_review),
            AskKind::Simple(_) | AskKind::Choose(_) => None,
        }
    }

    /// The answer was not taken: from the beginning.
    pub(super) fn reset(&mut self) {
        if let AskKind::Choose(answers) = &mut self.ask {
            answers.reset();
        }
    }
}

pub(super) fn heading(text: impl AsRef<str>) -> Row {
    Row::new(TextStyle::Yellow, format!("? {}", text.as_ref()))
}

fn detail(text: &str) -> Row {
    Row::plain(format!("  {text}"))
}

fn running_rows(shells: &[RunningShell]) -> Vec<Row> {
    let them = if shells.len() == 1 { "it" } else { "them" };
    let mut rows = vec![heading(format!("{}. Keep {them}?", still_running(shells.len())))];
    rows.push(detail(RUNNING_SHELLS_NOTE));
    rows.extend(shells.iter().map(|shell| Row::led("  • ", TextStyle::Plain, running_shell(shell))));
    rows.push(Row::plain(format!("  k = keep {them} running, outside the fence; s = stop {them}")));
    rows
}

/// Words of their own beside yes and no: nobody should have to think about what a yes is to.
fn keep_or_stop(line: &str) -> AnswerStep {
    match line.to_lowercase().as_str() {
        "k" | "keep" | "y" | "yes" => AnswerStep::Done(AnswerOption::Yes.answer("")),
        "s" | "stop" | "n" | "no" => AnswerStep::Done(AnswerOption::No.answer("")),
        _ => AnswerStep::Unclear("Type k to keep it running, or s to stop it".to_owned()),
    }
}

fn enter_rows(path: &AbsPath) -> Vec<Row> {
    vec![
        heading("The model wants to plan first. Enter plan mode?"),
        detail("It will explore, ask about anything unclear, and write a plan. Nothing"),
        detail("changes until you approve it. The plan will be saved to"),
        Row::dim(format!("  {path}")),
        Row::plain("  y = yes, n = no, or type what to do instead"),
    ]
}

fn yes_or_no(line: &str) -> AnswerStep {
    match line.to_lowercase().as_str() {
        "y" | "yes" => AnswerStep::Done(AnswerOption::Yes.answer("")),
        "n" | "no" => AnswerStep::Done(AnswerOption::No.answer("")),
        // An empty line must never let something run.
        "" => AnswerStep::Unclear("Type y or n, or what to do instead".to_owned()),
        _ => AnswerStep::Done(AnswerOption::No.answer(line)),
    }
}

fn permission(line: &str, answer_options: &[AnswerOption]) -> AnswerStep {
    let destination = match line.to_lowercase().as_str() {
        "s" => Destination::Session,
        "l" => Destination::LocalSettings,
        _ => return yes_or_no(line),
    };
    match answer_options.iter().find(|option| option.is_rule_for(destination)) {
        Some(rule) => AnswerStep::Done(rule.answer("")),
        None => AnswerStep::Unclear("No rule covers exactly this; type y or n".to_owned()),
    }
}

fn question_rows(question: &PersonQuestion) -> Vec<Row> {
    let mut rows = vec![heading(&question.question)];
    for (at, option) in question.options.iter().enumerate() {
        let about = match option.description.as_str() {
            "" => String::new(),
            about => format!(" - {about}"),
        };
        rows.push(Row::plain(format!("  {}. {}{about}", at + 1, option.label)));
        rows.extend(option.preview.as_deref().map(preview::of_option).unwrap_or_default());
    }
    rows.push(Row::plain(match question.multi_select {
        true => "  Type numbers (1,3) or your own answer; empty to skip",
        false => "  Type a number or your own answer; empty to skip",
    }));
    rows
}

fn choice(question: &PersonQuestion, line: &str) -> Result<QuestionAnswer, String> {
    if line.is_empty() {
        return Ok(QuestionAnswer::Skipped);
    }
    let parts: Vec<&str> = line.split([',', ' ']).filter(|part| !part.is_empty()).collect();
    let Ok(numbers) = parts.iter().map(|part| part.parse::<usize>()).collect::<Result<Vec<_>, _>>() else {
        return Ok(QuestionAnswer::FreeText(line.to_owned()));
    };
    choice_by_number(question, &numbers).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests;
