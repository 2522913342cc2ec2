//! The review of a plan, in lines. Nothing is preselected: only what is typed is an answer.

use forelook_protocol::{AbsPath, Mode, Review as Asked};
use forelook_view::review::{Along, Context, First, PlanChoice, Review, Since, Tried, Way};
use forelook_wording::{counted, goes_on};

use super::ask::{Step, heading};
use crate::ink::{Ink, Row};
use crate::plan_view::{barred, diff_row};
use crate::rehearsal_view;

/// A plan that is being reviewed.
pub(super) struct Reviewing {
    review: Review,
    /// Comments on lines that are gone, since the plan changed under the person's eyes.
    lost: usize,
}

impl Reviewing {
    pub(super) fn new(asked: &Asked, from: Option<&str>) -> Self {
        Self { review: Review::new(asked, from, None), lost: 0 }
    }

    pub(super) fn path(&self) -> &AbsPath {
        self.review.path()
    }

    /// A review that takes the place of one of an older text. Comments stay with the lines they are about.
    pub(super) fn anew(asked: &Asked, from: Option<&str>, older: Reviewing) -> Self {
        let mut review = Review::new(asked, from, Some(&older.review.into_before()));
        let lost = review.drop_gone();
        Self { review, lost }
    }

    /// The plan and the choices; a reminder of them if the plan has been shown.
    pub(super) fn rows(&self, again: bool) -> Vec<Row> {
        if !again {
            return self.plan_rows().into_iter().chain(self.choice_rows()).collect();
        }
        let yes: Vec<&str> = self.ways().into_iter().map(|(key, _)| key).collect();
        let mut rows = vec![
            heading("The plan waits for your review"),
            Row::dim(format!("  approve: {}; e edit, p park, x abandon, n {}", yes.join(", "), self.keep())),
        ];
        rows.extend(self.review.tried().map(|tried| Row::dim(format!("  {}", rehearsal_view::offer(tried)))));
        rows.push(Row::dim("  Any other words: keep planning, with these words. ? shows the choices"));
        rows
    }

    /// The ways to say yes, each with its key.
    fn ways(&self) -> Vec<(&'static str, Way)> {
        self.review.ways().into_iter().filter_map(|way| Some((key_of(way)?, way))).collect()
    }

    fn keep(&self) -> String {
        match self.review.comments().len() as u64 {
            0 => "keep planning".to_owned(),
            count => format!("keep planning, with {}", counted(count, "comment", "comments")),
        }
    }

    fn plan_rows(&self) -> Vec<Row> {
        let review = &self.review;
        let whose = review.from().map_or_else(String::new, |from| format!(" of {from}"));
        let mut rows = match review.since() {
            Since::Seen => vec![heading(format!("The plan{whose} has changed; this is how it is now"))],
            Since::Never | Since::LastReview => vec![
                heading(format!("The plan{whose} is ready for your review")),
                Row::dim(format!("  {}", review.path())),
            ],
        };
        if !review.has_plan() {
            rows.push(Row::new(Ink::Yellow, "  There is no plan: the file is missing or empty"));
            rows.push(Row::empty());
            return rows;
        }
        let plan = review.text();
        rows.push(Row::dim(format!("  {}", length(review.asked()))));
        rows.push(Row::empty());
        let digits = plan.lines().count().to_string().len();
        rows.extend(barred(plan, |line| format!("{line:>digits$} ")));
        rows.push(Row::empty());
        rows.extend(self.change_rows());
        rows
    }

    fn change_rows(&self) -> Vec<Row> {
        let changes = self.review.changes();
        let (since, hint) = match self.review.since() {
            // That the end of a file has no line of its own says nothing to a reader.
            Since::Seen => ("since you saw it", Some('\\')),
            Since::Never | Since::LastReview => ("since the last review", None),
        };
        let mut rows = Vec::new();
        if !changes.is_empty() {
            rows.push(Row::new(Ink::Bold, format!("  Changed {since}")));
            let told = |line: &&str| hint.is_none_or(|hint| !line.starts_with(hint));
            rows.extend(changes.lines().filter(told).map(diff_row));
            rows.push(Row::empty());
        }
        if self.lost > 0 {
            let lost = counted(self.lost as u64, "comment was", "comments were");
            rows.push(Row::new(Ink::Yellow, format!("  {lost} on lines that are gone, and dropped")));
            rows.push(Row::empty());
        }
        rows
    }

    fn choice_rows(&self) -> Vec<Row> {
        let choice = |key: &str, what: String| Row::led(format!("  {key:<5}"), Ink::Plain, what);
        let yes = |(key, way): (&str, Way)| choice(key, format!("approve, and go on {}", way.words()));
        let mut rows: Vec<Row> = self.ways().into_iter().map(yes).collect();
        rows.push(choice("e", "edit it in your editor, and come back".to_owned()));
        rows.push(choice("p", "park it: stop here, keep the plan".to_owned()));
        rows.push(choice("x", "abandon it".to_owned()));
        rows.push(choice("n", self.keep()));
        if let Some(tried) = self.review.tried() {
            rows.push(choice("t", format!("look at what was tried, and not done: {}", tried.size())));
        }
        rows.push(Row::dim(
            "  Any other words: keep planning, with these words. #3-5 words: comment on lines",
        ));
        rows.push(Row::dim(
            "  After a yes: f for a fresh context (y f), and a note for the model (y: words)",
        ));
        if let Some(tried) = self.review.tried() {
            let what = format!("  After a yes: t to begin with what was tried (y t): {}", tried.size());
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
            "p" => return self.done(PlanChoice::Park, &Along::default()),
            "x" => return self.done(PlanChoice::Abandon, &Along::default()),
            "n" | "no" => return self.done(PlanChoice::KeepPlanning, &Along::default()),
            "t" => {
                let look = |tried: Tried<'_>| Step::Look(rehearsal_view::rows(Some(tried.rehearsal)));
                return self.review.tried().map_or_else(not_tried, look);
            }
            // Too much like a yes to be taken for feedback, and not clear enough to be one.
            "ok" | "okay" | "approve" | "approved" | "go" | "lgtm" | "yep" | "sure" => {
                return Step::Unclear("Type y to approve the plan".to_owned());
            }
            _ => {}
        }
        match approval(line) {
            Some(Yes { mode: Some(mode), .. }) if !self.review.can_go_on_in(mode) => {
                Step::Unclear(format!("Going on {} is not possible now", goes_on(mode)))
            }
            Some(Yes { along: Along { first: First::Tried, .. }, .. }) if self.review.tried().is_none() => {
                not_tried()
            }
            Some(yes) => self.done(PlanChoice::Approve(self.review.way(yes.mode)), &yes.along),
            None if line.chars().count() == 1 => Step::Unclear(format!("`{line}` is none of the choices")),
            None => self.done(PlanChoice::KeepPlanning, &Along::words(line)),
        }
    }

    /// This is the answer. If it is refused, everything is still there.
    fn done(&self, choice: PlanChoice, along: &Along) -> Step {
        Step::Done(self.review.host_answer(choice, along))
    }

    fn comment(&mut self, line: &str) -> Step {
        let parsed = line.split_once(char::is_whitespace).and_then(|(range, text)| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            Some((first.parse::<usize>().ok()?, last.parse::<usize>().ok()?, text.trim()))
        });
        let Some((first, last, text)) = parsed.filter(|(_, _, text)| !text.is_empty()) else {
            return Step::Unclear("A comment looks like this: #3-5 words, or #3 words".to_owned());
        };
        match self.review.comment(first, last, text) {
            Ok(()) => Step::Noted("Kept; it goes with your answer".to_owned()),
            Err(why) => Step::Unclear(why.to_string()),
        }
    }
}

/// Keys that name a mode.
const KEYS: [(&str, Mode); 4] =
    [("d", Mode::Default), ("a", Mode::AcceptEdits), ("auto", Mode::Auto), ("b", Mode::BypassPermissions)];

fn key_of(way: Way) -> Option<&'static str> {
    match way.mode {
        None => Some("y"),
        Some(mode) => KEYS.into_iter().find(|(_, it)| *it == mode).map(|(key, _)| key),
    }
}

fn not_tried() -> Step {
    Step::Unclear("Nothing was tried while planning that would change a file".to_owned())
}

/// A yes, taken apart.
#[derive(Debug, PartialEq)]
struct Yes {
    mode: Option<Mode>,
    along: Along,
}

/// Reads `y`, `a f`, `f d`, `y t`, `y: words`. Nothing if the line is anything else.
fn approval(line: &str) -> Option<Yes> {
    let (head, note) = line.split_once(':').unwrap_or((line, ""));
    let mut mode = None;
    let mut along = Along::words(note);
    for word in head.to_lowercase().split_whitespace() {
        let said = match word {
            "f" if along.context == Context::Kept => {
                along.context = Context::Fresh;
                continue;
            }
            "t" if along.first == First::Nothing => {
                along.first = First::Tried;
                continue;
            }
            "y" | "yes" => None,
            word => Some(KEYS.iter().find(|(key, _)| *key == word)?.1),
        };
        if mode.replace(said).is_some() {
            return None;
        }
    }
    Some(Yes { mode: mode?, along })
}

/// How long the plan is, and what that means.
fn length(asked: &Asked) -> String {
    let length = &asked.length;
    format!(
        "{}, {}; about {} in 100 plans of this length are sent back",
        counted(length.lines as u64, "line", "lines"),
        counted(length.characters as u64, "character", "characters"),
        length.rejected_percent,
    )
}

#[cfg(test)]
mod tests;
