//! Asks a person in lines: letters and numbers choose, words are words.

use forelook_protocol::{
    AbsPath, HostAnswer, HostAsk, PersonQuestion, QuestionAnswer, RunningShell, SuggestedRule,
};
use forelook_view::question::{
    AnswerOption, EDIT_RULES_KEY, INSTEAD_KEY, QuestionSequence, answer_options, choice_by_number,
    rule_options, split_rules,
};
use forelook_view::review::ReviewHistory;
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
    /// What the next line is for.
    next: NextLine,
    /// Rules that were written in place of those that were offered.
    rules: Option<Vec<SuggestedRule>>,
}

/// What the next line is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextLine {
    /// A choice.
    Choice,
    /// What to do instead.
    Instead,
    /// Rules in place of those that are offered.
    Rules,
}

enum AskKind {
    Simple(HostAsk),
    Choose(QuestionSequence),
    Review(Box<LineReview>),
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
    /// Rules that are to be looked at before they can be chosen.
    Check(Vec<String>),
    /// The person wants to change the plan in an editor.
    Edit,
    /// All is answered.
    Done(HostAnswer),
}

impl LineDialog {
    /// The dialog for a question; `past` knows the reviews before.
    pub(super) fn after(ask: &HostAsk, from: Option<String>, past: &ReviewHistory) -> Self {
        match ask {
            HostAsk::Review(review) => {
                let review = LineReview::after(review, from.as_deref(), past.of(&review.path));
                Self {
                    ask: AskKind::Review(Box::new(review)),
                    from,
                    shown: false,
                    next: NextLine::Choice,
                    rules: None,
                }
            }
            other => Self::new(other, from),
        }
    }

    pub(super) fn new(ask: &HostAsk, from: Option<String>) -> Self {
        let ask = match ask {
            HostAsk::Review(review) => AskKind::Review(Box::new(LineReview::new(review, from.as_deref()))),
            HostAsk::Choose { questions } => AskKind::Choose(QuestionSequence::new(questions)),
            other => AskKind::Simple(other.clone()),
        };
        Self { ask, from, shown: false, next: NextLine::Choice, rules: None }
    }

    /// What to print: everything at first, afterwards what can be answered.
    pub(super) fn rows(&mut self) -> Vec<Row> {
        let again = std::mem::replace(&mut self.shown, true);
        let mut rows = match &self.ask {
            AskKind::Review(line_review) => return line_review.rows(again),
            AskKind::Simple(HostAsk::Permission { tool, input, reason, change }) => {
                let mut rows = vec![heading(format!("Allow {}?", call_line(tool, input)))];
                rows.extend(self.asks_for_line());
                if rows.len() > 1 {
                    return rows;
                }
                rows.push(detail(&reason.text));
                rows.extend(reason.others.iter().map(|other| detail(&format!("- {other}"))));
                rows.extend(sandbox_note(reason.sandbox).map(detail));
                if !again {
                    rows.extend(preview::rows(tool, input, change.as_deref()));
                }
                rows.extend(self.options().iter().map(option_row));
                if let Some(count) = offered_rules(&self.options()) {
                    let those = if count == 1 { "that rule" } else { "those rules" };
                    rows.push(Row::plain(format!("  {EDIT_RULES_KEY} = change {those} first")));
                }
                rows.push(Row::plain(format!("  {INSTEAD_KEY} = no, and say what to do instead")));
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

    /// The answers that can be chosen now.
    fn options(&self) -> Vec<AnswerOption> {
        let AskKind::Simple(ask) = &self.ask else { return Vec::new() };
        let Some(rules) = &self.rules else { return answer_options(ask) };
        let mut options = answer_options(ask);
        options.retain(|option| !matches!(option, AnswerOption::Rules { .. }));
        let before_no = options.len().saturating_sub(1);
        options.splice(before_no..before_no, rule_options(rules));
        options
    }

    /// What is asked for, if the next line is not a choice.
    fn asks_for_line(&self) -> Option<Row> {
        match self.next {
            NextLine::Choice => None,
            NextLine::Instead => Some(Row::plain("  No. Type what to do instead; empty to go back")),
            NextLine::Rules => Some(Row::plain("  Type the rules, separated by `; `; empty to go back")),
        }
    }

    fn permission(&mut self, line: &str) -> AnswerStep {
        let options = self.options();
        let has_rules = offered_rules(&options).is_some();
        match std::mem::replace(&mut self.next, NextLine::Choice) {
            NextLine::Instead | NextLine::Rules if line.is_empty() => AnswerStep::Again,
            NextLine::Instead => AnswerStep::Done(AnswerOption::No.answer(line)),
            NextLine::Rules => AnswerStep::Check(split_rules(line)),
            NextLine::Choice if is_key(line, INSTEAD_KEY) => {
                self.next = NextLine::Instead;
                AnswerStep::More
            }
            NextLine::Choice if is_key(line, EDIT_RULES_KEY) && has_rules => {
                self.next = NextLine::Rules;
                AnswerStep::More
            }
            NextLine::Choice => {
                let more = has_rules.then_some(EDIT_RULES_KEY).into_iter().chain([INSTEAD_KEY]);
                chosen(line, &options, more)
            }
        }
    }

    /// The rules that were typed can be chosen now.
    pub(super) fn use_rules(&mut self, rules: Vec<SuggestedRule>) {
        self.rules = Some(rules);
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
            AskKind::Simple(HostAsk::Permission { .. }) => self.permission(line),
            AskKind::Simple(ask @ HostAsk::EnterPlan { .. }) => chosen(line, &answer_options(ask), []),
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
                let ask = AskKind::Review(Box::new(LineReview::replacing(review, from.as_deref(), outdated)));
                Self { ask, from, shown: false, next: NextLine::Choice, rules: None }
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
            AskKind::Review(line_review) => Some(*line_review),
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

/// An answer with its key, as on the screen.
fn option_row(option: &AnswerOption) -> Row {
    Row::plain(format!("  {} = {}", option.key(), option.words()))
}

fn is_key(line: &str, key: char) -> bool {
    line.eq_ignore_ascii_case(&key.to_string())
}

/// How many rules are offered; nothing if none are.
fn offered_rules(options: &[AnswerOption]) -> Option<usize> {
    options.iter().find_map(|option| match option {
        AnswerOption::Rules { rules, .. } => Some(rules.len()),
        AnswerOption::Yes | AnswerOption::Mode { .. } | AnswerOption::No => None,
    })
}

/// Takes the key of an answer, or words that say what to do instead. A letter that is no key is asked about: nobody should
/// have said no by a slip. `more` are keys that lead to an answer.
fn chosen(line: &str, options: &[AnswerOption], more: impl IntoIterator<Item = char>) -> AnswerStep {
    let by_key = |option: &&AnswerOption| {
        let word = match option {
            AnswerOption::Yes => "yes",
            AnswerOption::No => "no",
            AnswerOption::Mode { .. } | AnswerOption::Rules { .. } => "",
        };
        is_key(line, option.key()) || !word.is_empty() && line.eq_ignore_ascii_case(word)
    };
    if let Some(option) = options.iter().find(by_key) {
        return AnswerStep::Done(option.answer(""));
    }
    let keys: Vec<String> = options.iter().map(AnswerOption::key).chain(more).map(String::from).collect();
    let keys = keys.join(", ");
    match line.to_lowercase().as_str() {
        // An empty line must never let something run.
        "" => AnswerStep::Unclear(format!("Type one of {keys}, or what to do instead")),
        "ok" | "okay" | "sure" | "yep" | "yeah" | "go" => {
            AnswerStep::Unclear("Type y to allow it, or n".to_owned())
        }
        _ if line.chars().count() == 1 => {
            AnswerStep::Unclear(format!("`{line}` is not one of the choices\nType one of {keys}"))
        }
        _ => AnswerStep::Done(AnswerOption::No.answer(line)),
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
