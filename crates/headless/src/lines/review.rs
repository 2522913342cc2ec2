//! The review of a plan, in lines. Nothing is preselected: only what is typed is an answer.

use forelook_protocol::{AbsPath, CommentState, Mode, PlanReview as ReviewRequest, ReviewDraft};
use forelook_view::review::{
    AnswerDetails, ApprovalMode, ChangesSince, Comment, ContextChoice, PlanChoice, PreviousReview,
    RehearsalChoice, RehearsedChanges, ReviewState, Unfinished,
};
use forelook_wording::{approved_percent, continuation, counted, mode_unavailable, no_plan, protected_count};

use super::ask::{AnswerStep, heading};
use super::outcome::comment_lines;
use crate::plan_view::{barred, diff_row};
use crate::rehearsal_view;
use crate::style::{Row, TextStyle};

/// A plan that is being reviewed.
pub(super) struct LineReview {
    review: ReviewState,
    /// Comments on lines that are gone, since the plan changed under the person's eyes.
    lost: usize,
}

impl LineReview {
    pub(super) fn new(request: &ReviewRequest, from: Option<&str>) -> Self {
        Self::after(request, from, None)
    }

    /// `before` is what is left of the review before: comments that were not sent, or that wait for an answer.
    pub(super) fn after(
        request: &ReviewRequest,
        from: Option<&str>,
        before: Option<&PreviousReview>,
    ) -> Self {
        let mut review = ReviewState::new(request, from, before);
        let lost = review.drop_orphaned();
        Self { review, lost }
    }

    /// What is written and not sent yet.
    pub(super) fn draft(&self) -> ReviewDraft {
        self.review.to_record(Unfinished::Nothing)
    }

    pub(super) fn path(&self) -> &AbsPath {
        self.review.path()
    }

    /// A review that takes the place of one of an older text. Comments stay with the lines they are about.
    pub(super) fn replacing(request: &ReviewRequest, from: Option<&str>, older: LineReview) -> Self {
        Self::after(request, from, Some(&older.review.into_previous()))
    }

    /// The plan and the choices; a reminder of them if the plan has been shown.
    pub(super) fn rows(&self, again: bool) -> Vec<Row> {
        if !again {
            return self.plan_rows().into_iter().chain(self.choice_rows()).collect();
        }
        let yes: Vec<String> = self.approval_modes().into_iter().map(|(key, _)| key.to_string()).collect();
        let mut rows = vec![
            heading("The plan is waiting for your review"),
            Row::dim(format!("  approve: {}; e edit, p park, x abandon, n {}", yes.join(", "), self.keep())),
        ];
        rows.extend(
            self.review
                .rehearsed_changes()
                .map(|tried| Row::dim(format!("  {}", rehearsal_view::offer(tried)))),
        );
        rows.push(Row::dim("  Anything else: keep planning, with that feedback. ? lists the choices"));
        rows
    }

    /// The ways to say yes, each with its key.
    fn approval_modes(&self) -> Vec<(char, ApprovalMode)> {
        self.review
            .approval_modes()
            .into_iter()
            .filter_map(|approval_mode| Some((approval_mode.key()?, approval_mode)))
            .collect()
    }

    fn keep(&self) -> String {
        match self.review.comments().to_send().len() as u64 {
            0 => "keep planning".to_owned(),
            count => format!("keep planning, with {}", counted(count, "comment", "comments")),
        }
    }

    fn plan_rows(&self) -> Vec<Row> {
        let review = &self.review;
        let whose = review.from().map_or_else(String::new, |from| format!(" from {from}"));
        let mut rows = match review.changed_while_open() {
            true => vec![heading(format!("The plan{whose} changed; this is the new version"))],
            false => vec![
                heading(format!("The plan{whose} is ready for your review")),
                Row::dim(format!("  {}", review.path())),
            ],
        };
        if !review.has_plan() {
            let why = review.request().problem.as_deref();
            rows.push(Row::new(TextStyle::Yellow, format!("  {}", no_plan(why))));
            rows.push(Row::empty());
            return rows;
        }
        let plan = review.text();
        rows.push(Row::dim(format!("  {}", length(review.request()))));
        rows.push(Row::empty());
        let digits = plan.lines().count().to_string().len();
        rows.extend(barred(plan, |line| format!("{line:>digits$} ")));
        rows.push(Row::empty());
        rows.extend(self.comment_rows());
        rows.extend(self.change_rows());
        rows
    }

    /// Comments from before, each with what became of it.
    fn comment_rows(&self) -> Vec<Row> {
        let row = |it: &Comment| {
            let (style, state) = match it.state {
                CommentState::New => (TextStyle::Plain, "not sent yet"),
                CommentState::StillOpen => (TextStyle::Yellow, "still open"),
                CommentState::Addressed => (TextStyle::Dim, "addressed"),
            };
            let lines = comment_lines(&it.comment);
            Row::new(style, format!("  {lines}, {state}: {}", it.comment.text.replace('\n', " ")))
        };
        let rows: Vec<Row> = self.review.comments().iter().map(row).collect();
        if rows.is_empty() {
            return rows;
        }
        let head = [Row::new(TextStyle::Bold, "  Your comments")];
        head.into_iter().chain(rows).chain([Row::empty()]).collect()
    }

    fn change_rows(&self) -> Vec<Row> {
        let changes = self.review.changes();
        let (since, hint) = match self.review.since() {
            // That the end of a file has no line of its own says nothing to a reader.
            ChangesSince::Shown => ("since you saw it", Some('\\')),
            ChangesSince::Never | ChangesSince::LastReview => ("since the last review", None),
        };
        let mut rows = Vec::new();
        if !changes.is_empty() {
            rows.push(Row::new(TextStyle::Bold, format!("  Changed {since}")));
            let told = |line: &&str| hint.is_none_or(|hint| !line.starts_with(hint));
            rows.extend(changes.lines().filter(told).map(diff_row));
            rows.push(Row::empty());
        }
        if self.lost > 0 {
            let lost = counted(self.lost as u64, "comment", "comments");
            rows.push(Row::new(TextStyle::Yellow, format!("  Dropped {lost} on lines that no longer exist")));
            rows.push(Row::empty());
        }
        rows
    }

    fn choice_rows(&self) -> Vec<Row> {
        let choice = |key: &str, what: String| Row::led(format!("  {key:<5}"), TextStyle::Plain, what);
        let yes = |(key, approval_mode): (char, ApprovalMode)| {
            choice(&key.to_string(), format!("approve and {}", approval_mode.words()))
        };
        let lost = self.review.lost_mode();
        let lost = lost.map(|it| Row::new(TextStyle::Yellow, format!("  {}", mode_unavailable(it))));
        let mut rows: Vec<Row> = lost.into_iter().chain(self.approval_modes().into_iter().map(yes)).collect();
        rows.push(choice("e", "edit it in your editor, then come back".to_owned()));
        rows.push(choice("p", "park it: stop here and keep the plan".to_owned()));
        rows.push(choice("x", "abandon it".to_owned()));
        rows.push(choice("n", self.keep()));
        if !self.review.comments().to_send().is_empty() {
            rows.push(choice("s", "keep planning and send your comments".to_owned()));
        }
        if !self.review.changes().is_empty() {
            rows.push(choice("d", "show the changes".to_owned()));
        }
        if let Some(tried) = self.review.rehearsed_changes() {
            rows.push(choice("t", format!("show the rehearsal, not applied yet: {}", tried.size())));
        }
        rows.push(Row::dim(
            "  Anything else: keep planning, with that feedback. #3-5 text: comment on lines",
        ));
        rows.push(Row::dim("  Add f for a fresh context (y f), or a note for the model (y: text)"));
        if let Some(tried) = self.review.rehearsed_changes() {
            rows.push(Row::dim(format!("  Add t to apply the rehearsal (y t): {}", tried.size())));
            if protected_count(tried.rehearsal) > 0 {
                rows.push(Row::dim("  Add tt to apply files that decide what runs later, too (y tt)"));
            }
        }
        rows
    }

    /// Takes one line.
    pub(super) fn answer(&mut self, line: &str) -> AnswerStep {
        if let Some(comment) = line.strip_prefix('#') {
            return self.comment(comment);
        }
        match line.to_lowercase().as_str() {
            "" => return AnswerStep::Unclear("Nothing is chosen yet".to_owned()),
            "?" => return AnswerStep::Again,
            "e" => return AnswerStep::Edit,
            "p" => return self.done(PlanChoice::Park, &AnswerDetails::default()),
            "x" => return self.done(PlanChoice::Abandon, &AnswerDetails::default()),
            "s" if self.review.comments().to_send().is_empty() => {
                return AnswerStep::Unclear("There are no comments to send".to_owned());
            }
            "d" if self.review.changes().is_empty() => {
                return AnswerStep::Unclear("Nothing changed since you last saw the plan".to_owned());
            }
            "d" => return AnswerStep::Look(self.change_rows()),
            "s" | "n" | "no" => return self.done(PlanChoice::KeepPlanning, &AnswerDetails::default()),
            "t" => {
                let look = |tried: RehearsedChanges<'_>| {
                    AnswerStep::Look(rehearsal_view::rows(Some(tried.rehearsal)))
                };
                return self.review.rehearsed_changes().map_or_else(not_tried, look);
            }
            // Too much like a yes to be taken for feedback, and not clear enough to be one.
            "ok" | "okay" | "approve" | "approved" | "go" | "lgtm" | "yep" | "sure" => {
                return AnswerStep::Unclear("Type y to approve the plan".to_owned());
            }
            _ => {}
        }
        match self.approval(line) {
            Some(ParsedApproval { mode: Some(mode), .. }) if !self.review.allows_mode(mode) => {
                AnswerStep::Unclear(match self.review.why_unavailable(mode) {
                    Some(it) => mode_unavailable(it),
                    None => format!("Cannot {} right now", continuation(mode)),
                })
            }
            Some(ParsedApproval {
                details: AnswerDetails { rehearsal: RehearsalChoice::Apply | RehearsalChoice::ApplyAll, .. },
                ..
            }) if self.review.rehearsed_changes().is_none() => not_tried(),
            Some(yes) => self.done(PlanChoice::Approve(self.review.approval_mode(yes.mode)), &yes.details),
            None if line.chars().count() == 1 => {
                AnswerStep::Unclear(format!("`{line}` is not one of the choices"))
            }
            None => self.done(PlanChoice::KeepPlanning, &AnswerDetails::words(line)),
        }
    }

    /// Reads `y`, `a f`, `f o`, `y t`, `y: words`. Nothing if the line is anything else.
    fn approval(&self, line: &str) -> Option<ParsedApproval> {
        let (head, note) = line.split_once(':').unwrap_or((line, ""));
        let mut mode = None;
        let mut details = AnswerDetails::words(note);
        for word in head.to_lowercase().split_whitespace() {
            let said = match word {
                "f" if details.context == ContextChoice::Keep => {
                    details.context = ContextChoice::Fresh;
                    continue;
                }
                "t" if details.rehearsal == RehearsalChoice::Discard => {
                    details.rehearsal = RehearsalChoice::Apply;
                    continue;
                }
                "tt" if details.rehearsal == RehearsalChoice::Discard => {
                    details.rehearsal = RehearsalChoice::ApplyAll;
                    continue;
                }
                "y" | "yes" => None,
                word => Some(Mode::ALL.into_iter().find(|mode| self.is_key_of(word, *mode))?),
            };
            if mode.replace(said).is_some() {
                return None;
            }
        }
        Some(ParsedApproval { mode: mode?, details })
    }

    fn is_key_of(&self, word: &str, mode: Mode) -> bool {
        self.review.approval_mode(Some(mode)).key().is_some_and(|key| word == key.to_string())
    }

    /// This is the answer. If it is refused, everything is still there.
    fn done(&self, choice: PlanChoice, details: &AnswerDetails) -> AnswerStep {
        AnswerStep::Done(self.review.host_answer(choice, details))
    }

    fn comment(&mut self, line: &str) -> AnswerStep {
        let parsed = line.split_once(char::is_whitespace).and_then(|(range, text)| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            Some((first.parse::<usize>().ok()?, last.parse::<usize>().ok()?, text.trim()))
        });
        let Some((first, last, text)) = parsed.filter(|(_, _, text)| !text.is_empty()) else {
            return AnswerStep::Unclear("Write a comment like this: #3-5 text, or #3 text".to_owned());
        };
        match self.review.comment(first, last, text) {
            Ok(()) => AnswerStep::Noted("Saved; it is sent with your answer".to_owned()),
            Err(why) => AnswerStep::Unclear(why.to_string()),
        }
    }
}

fn not_tried() -> AnswerStep {
    AnswerStep::Unclear("No changes were rehearsed".to_owned())
}

/// A yes, taken apart.
#[derive(Debug, PartialEq)]
struct ParsedApproval {
    mode: Option<Mode>,
    details: AnswerDetails,
}

/// How long the plan is, and what that means.
fn length(request: &ReviewRequest) -> String {
    let length = &request.length;
    format!(
        "{}, {}; {}% of plans this size are approved",
        counted(length.lines as u64, "line", "lines"),
        counted(length.characters as u64, "character", "characters"),
        approved_percent(length),
    )
}

#[cfg(test)]
mod tests;
