//! The review of a plan, in lines. Nothing is preselected: only what is typed is an answer.

use forelook_protocol::{AbsPath, Approval, HostAnswer, Mode, PlanAnswer, PlanComment, Rehearsal, Review};

use super::ask::{Step, heading};
use crate::diff::{Places, diff};
use crate::ink::{Ink, Row};
use crate::plan_view::{barred, diff_rows};
use crate::rehearsal_view;
use forelook_wording::{counted, goes_on, rehearsed};

/// A plan that is being reviewed.
pub(super) struct Reviewing {
    review: Review,
    from: Option<String>,
    comments: Vec<PlanComment>,
    outdated: Option<Outdated>,
}

/// What the person was shown before, when the plan changed under their eyes.
struct Outdated {
    plan: String,
    /// Comments on lines that are gone.
    lost: usize,
}

impl Reviewing {
    pub(super) fn new(review: &Review, from: Option<&str>) -> Self {
        let from = from.map(str::to_owned).or_else(|| review.from.as_ref().map(ToString::to_string));
        Self { review: review.clone(), from, comments: Vec::new(), outdated: None }
    }

    pub(super) fn path(&self) -> &AbsPath {
        &self.review.path
    }

    /// This review takes the place of one of an older text. Comments stay with the lines they are about.
    pub(super) fn replace(&mut self, older: Reviewing) {
        let (old, new) =
            (older.review.plan.unwrap_or_default(), self.review.plan.as_deref().unwrap_or_default());
        let count = older.comments.len();
        self.comments = older.comments.into_iter().filter_map(|comment| moved(comment, new)).collect();
        if old != new {
            self.outdated = Some(Outdated { plan: old, lost: count - self.comments.len() });
        }
    }

    /// The plan and the choices; a reminder of them if the plan has been shown.
    pub(super) fn rows(&self, again: bool) -> Vec<Row> {
        if !again {
            return self.plan_rows().into_iter().chain(self.choice_rows()).collect();
        }
        let yes = self.other_modes().map(|(key, _)| key);
        let yes: Vec<&str> = std::iter::once("y").chain(yes).collect();
        let mut rows = vec![
            heading("The plan waits for your review"),
            Row::dim(format!("  approve: {}; e edit, p park, x abandon, n {}", yes.join(", "), self.keep())),
        ];
        rows.extend(self.tried().map(|tried| Row::dim(format!("  {}", rehearsal_view::offer(tried)))));
        rows.push(Row::dim("  Any other words: keep planning, with these words. ? shows the choices"));
        rows
    }

    /// What was rehearsed and can be applied.
    fn tried(&self) -> Option<&Rehearsal> {
        self.review.rehearsal.as_deref().filter(|rehearsal| !rehearsal.files.is_empty())
    }

    /// The modes that can be named, but for the one from before, which has its own line.
    fn other_modes(&self) -> impl Iterator<Item = (&'static str, Mode)> {
        let Review { modes, before, .. } = &self.review;
        KEYS.into_iter().filter(move |(_, mode)| modes.contains(mode) && mode != before)
    }

    fn keep(&self) -> String {
        match self.comments.len() as u64 {
            0 => "keep planning".to_owned(),
            count => format!("keep planning, with {}", counted(count, "comment", "comments")),
        }
    }

    fn plan_rows(&self) -> Vec<Row> {
        let review = &self.review;
        let whose = self.from.as_ref().map_or_else(String::new, |from| format!(" of {from}"));
        let mut rows = match self.outdated {
            Some(_) => vec![heading(format!("The plan{whose} has changed; this is how it is now"))],
            None => vec![
                heading(format!("The plan{whose} is ready for your review")),
                Row::dim(format!("  {}", review.path)),
            ],
        };
        let Some(plan) = &review.plan else {
            rows.push(Row::new(Ink::Yellow, "  There is no plan: the file is missing or empty"));
            rows.push(Row::empty());
            return rows;
        };
        rows.push(Row::dim(format!("  {}", length(review))));
        rows.push(Row::empty());
        let digits = plan.lines().count().to_string().len();
        rows.extend(barred(plan, |line| format!("{line:>digits$} ")));
        rows.push(Row::empty());
        rows.extend(self.change_rows(plan));
        rows
    }

    fn change_rows(&self, plan: &str) -> Vec<Row> {
        let (since, changes) = match &self.outdated {
            Some(outdated) => ("since you saw it", diff(&outdated.plan, plan, Places::Told)),
            None => ("since the last review", self.review.changes.clone().unwrap_or_default()),
        };
        let mut rows = Vec::new();
        if !changes.is_empty() {
            rows.push(Row::new(Ink::Bold, format!("  Changed {since}")));
            rows.extend(diff_rows(&changes));
            rows.push(Row::empty());
        }
        if let Some(lost @ 1..) = self.outdated.as_ref().map(|outdated| outdated.lost) {
            let lost = counted(lost as u64, "comment was", "comments were");
            rows.push(Row::new(Ink::Yellow, format!("  {lost} on lines that are gone, and dropped")));
            rows.push(Row::empty());
        }
        rows
    }

    fn choice_rows(&self) -> Vec<Row> {
        let choice = |key: &str, what: String| Row::led(format!("  {key:<5}"), Ink::Plain, what);
        let mut rows =
            vec![choice("y", format!("approve, and go on {}, as before", goes_on(self.review.before)))];
        for (key, mode) in self.other_modes() {
            rows.push(choice(key, format!("approve, and go on {}", goes_on(mode))));
        }
        rows.push(choice("e", "edit it in your editor, and come back".to_owned()));
        rows.push(choice("p", "park it: stop here, keep the plan".to_owned()));
        rows.push(choice("x", "abandon it".to_owned()));
        rows.push(choice("n", self.keep()));
        if let Some(tried) = self.tried() {
            rows.push(choice("t", format!("look at what was tried, and not done: {}", rehearsed(tried))));
        }
        rows.push(Row::dim(
            "  Any other words: keep planning, with these words. #3-5 words: comment on lines",
        ));
        rows.push(Row::dim(
            "  After a yes: f for a fresh context (y f), and a note for the model (y: words)",
        ));
        if let Some(tried) = self.tried() {
            let what = format!("  After a yes: t to begin with what was tried (y t): {}", rehearsed(tried));
            rows.push(Row::dim(format!("{what}, are changed for real")));
        }
        rows
    }

    /// Takes one line.
    pub(super) fn answer(&mut self, line: &str) -> Step {
        if let Some(comment) = line.strip_prefix('#') {
            return self.comment(comment);
        }
        match line.to_lowercase().as_str() {
            "" => return Step::Unclear("Nothing is chosen yet".to_owned()),
            "?" => return Step::Again,
            "e" => return Step::Edit,
            "p" => return done(PlanAnswer::Park),
            "x" => return done(PlanAnswer::Abandon),
            "n" | "no" => return self.keep_planning(None),
            "t" => {
                let tried = self.tried().map(|tried| Step::Look(rehearsal_view::rows(Some(tried))));
                return tried.unwrap_or_else(not_tried);
            }
            // Too much like a yes to be taken for feedback, and not clear enough to be one.
            "ok" | "okay" | "approve" | "approved" | "go" | "lgtm" | "yep" | "sure" => {
                return Step::Unclear("Type y to approve the plan".to_owned());
            }
            _ => {}
        }
        match approval(line) {
            Some(Yes { mode: Some(mode), .. }) if !self.review.modes.contains(&mode) => {
                Step::Unclear(format!("Going on {} is not possible now", goes_on(mode)))
            }
            Some(Yes { apply: true, .. }) if self.tried().is_none() => not_tried(),
            Some(yes) => done(PlanAnswer::Approve(Approval {
                apply: self.tried().filter(|_| yes.apply).map(|tried| tried.hash.clone()),
                hash: self.review.hash.clone(),
                mode: yes.mode,
                note: self.note(yes.note),
                fresh_context: yes.fresh,
                edited: None,
            })),
            None if line.chars().count() == 1 => Step::Unclear(format!("`{line}` is none of the choices")),
            None => self.keep_planning(Some(line.to_owned())),
        }
    }

    fn keep_planning(&mut self, feedback: Option<String>) -> Step {
        // Cloned and not taken: if the answer is refused, the comments are still there.
        done(PlanAnswer::KeepPlanning { feedback, comments: self.comments.clone() })
    }

    /// The note of an approval. Comments that were made before go with it, so that none is lost.
    fn note(&self, note: Option<String>) -> Option<String> {
        let comments = self.comments.iter().map(|comment| {
            let quote = comment.quote.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            format!("On `{}`: {}", quote.trim(), comment.text)
        });
        let all: Vec<String> = note.into_iter().chain(comments).collect();
        (!all.is_empty()).then(|| all.join("\n"))
    }

    fn comment(&mut self, line: &str) -> Step {
        let lines: Vec<&str> = self.review.plan.as_deref().unwrap_or_default().lines().collect();
        let parsed = line.split_once(char::is_whitespace).and_then(|(range, text)| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            Some((first.parse::<usize>().ok()?, last.parse::<usize>().ok()?, text.trim()))
        });
        let Some((first, last, text)) = parsed.filter(|(_, _, text)| !text.is_empty()) else {
            return Step::Unclear("A comment looks like this: #3-5 words, or #3 words".to_owned());
        };
        let Some(quote) =
            first.checked_sub(1).and_then(|from| lines.get(from..last)).filter(|it| !it.is_empty())
        else {
            return Step::Unclear(format!("The plan has only lines 1 to {}", lines.len()));
        };
        self.comments.push(PlanComment { first, last, quote: quote.join("\n"), text: text.to_owned() });
        Step::Noted("Kept; it goes with your answer".to_owned())
    }
}

/// Keys that name a mode.
const KEYS: [(&str, Mode); 4] =
    [("d", Mode::Default), ("a", Mode::AcceptEdits), ("auto", Mode::Auto), ("b", Mode::BypassPermissions)];

fn not_tried() -> Step {
    Step::Unclear("Nothing was tried while planning that would change a file".to_owned())
}

fn done(answer: PlanAnswer) -> Step {
    Step::Done(HostAnswer::Plan(answer))
}

/// A yes, taken apart.
#[derive(Debug, PartialEq)]
struct Yes {
    mode: Option<Mode>,
    fresh: bool,
    /// Begin with what was tried.
    apply: bool,
    note: Option<String>,
}

/// Reads `y`, `a f`, `f d`, `y t`, `y: words`. Nothing if the line is anything else.
fn approval(line: &str) -> Option<Yes> {
    let (head, note) = match line.split_once(':') {
        Some((head, note)) => (head, Some(note.trim().to_owned())),
        None => (line, None),
    };
    let (mut mode, mut fresh, mut apply) = (None, false, false);
    for word in head.to_lowercase().split_whitespace() {
        let said = match word {
            "f" if !fresh => {
                fresh = true;
                continue;
            }
            "t" if !apply => {
                apply = true;
                continue;
            }
            "y" | "yes" => None,
            word => Some(KEYS.iter().find(|(key, _)| *key == word)?.1),
        };
        if mode.replace(said).is_some() {
            return None;
        }
    }
    Some(Yes { mode: mode?, fresh, apply, note: note.filter(|note| !note.is_empty()) })
}

/// A comment, moved to where its lines stand now; nothing if they are gone. Of several places it is the nearest.
fn moved(comment: PlanComment, plan: &str) -> Option<PlanComment> {
    let (lines, quote): (Vec<&str>, Vec<&str>) = (plan.lines().collect(), comment.quote.lines().collect());
    let places = lines.windows(quote.len().max(1)).enumerate().filter(|(_, lines)| *lines == quote);
    let first = places.map(|(at, _)| at + 1).min_by_key(|at| at.abs_diff(comment.first))?;
    Some(PlanComment { first, last: first + quote.len() - 1, ..comment })
}

/// How long the plan is, and what that means.
fn length(review: &Review) -> String {
    let length = &review.length;
    format!(
        "{}, {}; about {} in 100 plans of this length are sent back",
        counted(length.lines as u64, "line", "lines"),
        counted(length.characters as u64, "character", "characters"),
        length.rejected_percent,
    )
}

#[cfg(test)]
mod tests;
