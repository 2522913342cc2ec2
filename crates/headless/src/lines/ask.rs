//! Asks a person in lines: letters and numbers choose, words are words.

use forelook_protocol::{AbsPath, Choice, Destination, HostAnswer, HostAsk, PersonQuestion, RunningShell};
use forelook_view::question::{Answers, Offer, numbered, offers};
use forelook_wording::{RUNNING_ABOUT, running_shell, still_running, would_run};

use super::calls::call_line;
use super::preview;
use super::review::Reviewing;
use crate::ink::{Ink, Row};

/// A question that is being answered, line by line.
pub(super) struct Asking {
    ask: Form,
    /// Who asks, if it is not the main agent.
    from: Option<String>,
    /// Whether all of it has been shown; then a reminder of the choices is enough.
    shown: bool,
}

enum Form {
    Simple(HostAsk),
    Choose(Answers),
    Review(Reviewing),
}

/// What a line led to.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
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

impl Asking {
    pub(super) fn new(ask: &HostAsk, from: Option<String>) -> Self {
        let ask = match ask {
            HostAsk::Review(review) => Form::Review(Reviewing::new(review, from.as_deref())),
            HostAsk::Choose { questions } => Form::Choose(Answers::new(questions)),
            other => Form::Simple(other.clone()),
        };
        Self { ask, from, shown: false }
    }

    /// What to print: everything at first, afterwards what can be answered.
    pub(super) fn rows(&mut self) -> Vec<Row> {
        let again = std::mem::replace(&mut self.shown, true);
        let mut rows = match &self.ask {
            Form::Review(reviewing) => return reviewing.rows(again),
            Form::Simple(HostAsk::Permission { tool, input, reason }) => {
                let mut rows =
                    vec![heading(format!("May this run? {}", call_line(tool, input))), detail(&reason.text)];
                rows.extend(would_run(reason.within).map(detail));
                if !again {
                    rows.extend(preview::rows(tool, input));
                }
                rows.push(Row::plain("  y = yes, n = no, or say what to do instead"));
                if let Some(rule) = &reason.would_allow {
                    rows.push(Row::plain(format!("  s = yes, and for this session the rule {rule}")));
                    rows.push(Row::plain("  l = yes, and save that rule here"));
                }
                rows
            }
            Form::Simple(HostAsk::EnterPlan { path }) => enter_rows(path),
            Form::Simple(HostAsk::Running { shells }) => running_rows(shells),
            Form::Choose(answers) => answers.current().map(question_rows).unwrap_or_default(),
            // Nothing else is put to a person.
            Form::Simple(_) => Vec::new(),
        };
        if let Some(from) = &self.from {
            rows.insert(1.min(rows.len()), detail(&format!("Asked by {from}")));
        }
        rows
    }

    /// Takes one line.
    pub(super) fn answer(&mut self, line: &str) -> Step {
        let line = line.trim();
        match &mut self.ask {
            Form::Review(reviewing) => {
                let step = reviewing.answer(line);
                self.shown &= step != Step::Again;
                step
            }
            Form::Simple(ask @ HostAsk::Permission { .. }) => permission(line, &offers(ask)),
            Form::Simple(HostAsk::EnterPlan { .. }) => yes_or_no(line),
            Form::Simple(HostAsk::Running { .. }) => keep_or_stop(line),
            Form::Choose(answers) => {
                let Some(question) = answers.current() else { return Step::Done(HostAnswer::Dismissed) };
                match choice(question, line) {
                    Ok(choice) => answers.add(choice).map_or(Step::More, Step::Done),
                    Err(why) => Step::Unclear(why),
                }
            }
            Form::Simple(_) => Step::Done(HostAnswer::Dismissed),
        }
    }

    /// A review that takes the place of one whose plan has changed.
    pub(super) fn anew(ask: &HostAsk, from: Option<String>, outdated: Reviewing) -> Self {
        match ask {
            HostAsk::Review(review) => {
                let ask = Form::Review(Reviewing::anew(review, from.as_deref(), outdated));
                Self { ask, from, shown: false }
            }
            other => Self::new(other, from),
        }
    }

    /// The review, if this is one.
    pub(super) fn review(&self) -> Option<&Reviewing> {
        match &self.ask {
            Form::Review(reviewing) => Some(reviewing),
            Form::Simple(_) | Form::Choose(_) => None,
        }
    }

    /// How many commands it asks about, if it is what runs from before.
    pub(super) fn running(&self) -> Option<usize> {
        match &self.ask {
            Form::Simple(HostAsk::Running { shells }) => Some(shells.len()),
            _ => None,
        }
    }

    pub(super) fn into_review(self) -> Option<Reviewing> {
        match self.ask {
            Form::Review(reviewing) => Some(reviewing),
            Form::Simple(_) | Form::Choose(_) => None,
        }
    }

    /// The answer was not taken: from the beginning.
    pub(super) fn reset(&mut self) {
        if let Form::Choose(answers) = &mut self.ask {
            answers.reset();
        }
    }
}

pub(super) fn heading(text: impl AsRef<str>) -> Row {
    Row::new(Ink::Yellow, format!("? {}", text.as_ref()))
}

fn detail(text: &str) -> Row {
    Row::plain(format!("  {text}"))
}

fn running_rows(shells: &[RunningShell]) -> Vec<Row> {
    let them = if shells.len() == 1 { "it" } else { "them" };
    let mut rows = vec![heading(format!("{}. Keep {them}?", still_running(shells.len())))];
    rows.push(detail(RUNNING_ABOUT));
    rows.extend(shells.iter().map(|shell| Row::led("  • ", Ink::Plain, running_shell(shell))));
    rows.push(Row::plain(format!("  k = keep {them} running, outside the fence; s = stop {them}")));
    rows
}

/// Words of their own beside yes and no: nobody should have to think about what a yes is to.
fn keep_or_stop(line: &str) -> Step {
    match line.to_lowercase().as_str() {
        "k" | "keep" | "y" | "yes" => Step::Done(Offer::Yes.answer("")),
        "s" | "stop" | "n" | "no" => Step::Done(Offer::No.answer("")),
        _ => Step::Unclear("Type k to keep what runs, or s to stop it".to_owned()),
    }
}

fn enter_rows(path: &AbsPath) -> Vec<Row> {
    vec![
        heading("The model wants to plan first. Enter plan mode?"),
        detail("It will look around, ask you what is unclear, and write a plan. Nothing is"),
        detail("changed before you approve it. The plan will be in"),
        Row::dim(format!("  {path}")),
        Row::plain("  y = yes, n = no, or say what to do instead"),
    ]
}

fn yes_or_no(line: &str) -> Step {
    match line.to_lowercase().as_str() {
        "y" | "yes" => Step::Done(Offer::Yes.answer("")),
        "n" | "no" => Step::Done(Offer::No.answer("")),
        // An empty line must never let something run.
        "" => Step::Unclear("Type y or n, or say what to do instead".to_owned()),
        _ => Step::Done(Offer::No.answer(line)),
    }
}

fn permission(line: &str, offers: &[Offer]) -> Step {
    let destination = match line.to_lowercase().as_str() {
        "s" => Destination::Session,
        "l" => Destination::LocalSettings,
        _ => return yes_or_no(line),
    };
    match offers.iter().find(|offer| offer.is_rule_for(destination)) {
        Some(rule) => Step::Done(rule.answer("")),
        None => Step::Unclear("There is no rule for exactly this; type y or n".to_owned()),
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
        true => "  Numbers (1,3), or your own words; empty to skip",
        false => "  A number, or your own words; empty to skip",
    }));
    rows
}

fn choice(question: &PersonQuestion, line: &str) -> Result<Choice, String> {
    if line.is_empty() {
        return Ok(Choice::Skipped);
    }
    let parts: Vec<&str> = line.split([',', ' ']).filter(|part| !part.is_empty()).collect();
    let Ok(numbers) = parts.iter().map(|part| part.parse::<usize>()).collect::<Result<Vec<_>, _>>() else {
        return Ok(Choice::Words(line.to_owned()));
    };
    numbered(question, &numbers).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests;
