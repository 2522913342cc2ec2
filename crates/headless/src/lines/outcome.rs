//! How a review of a plan ended, in lines.

use forelook_protocol::{AbsPath, PlanAnswer, PlanComment, PlanReviewed, Reviewer};

use crate::style::{Row, TextStyle};
use forelook_wording::plan_title;

/// How a review ended.
pub(super) fn rows(reviewed: &PlanReviewed) -> Vec<Row> {
    let title = reviewed.plan.as_deref().map(plan_title).filter(|title| !title.is_empty());
    let title = title.map_or_else(String::new, |title| format!(": {title}"));
    let by = match reviewed.by {
        Reviewer::Person => "",
        Reviewer::Lead => " by the lead",
        Reviewer::Policy => " (`--on-plan`)",
        Reviewer::Command => " by `forelook apply`",
    };
    let mut rows = Vec::new();
    match &reviewed.answer {
        PlanAnswer::Approve(approval) => {
            let edited = if approval.edited.is_some() { " with your changes" } else { "" };
            rows.push(Row::new(TextStyle::Plan, format!("● Plan approved{edited}{by}{title}")));
            rows.extend(words(approval.note.as_deref()));
        }
        PlanAnswer::KeepPlanning { feedback, comments } => {
            rows.push(Row::new(TextStyle::Red, format!("✗ Plan sent back{by}{title}")));
            rows.extend(words(feedback.as_deref()));
            rows.extend(comments.iter().map(comment_row));
        }
        PlanAnswer::Park => rows.push(Row::new(TextStyle::Plan, format!("● Plan parked{title}"))),
        PlanAnswer::Abandon => rows.push(Row::dim(format!("● Plan abandoned{title}"))),
        PlanAnswer::HandOver => {
            rows.push(Row::new(TextStyle::Plan, format!("● Plan returned as the result{title}")))
        }
    }
    // Whoever answered has seen where it is, and goes on with it.
    let continuation = matches!(reviewed.answer, PlanAnswer::Approve(_) | PlanAnswer::KeepPlanning { .. });
    if !continuation || reviewed.question.is_none() {
        rows.push(Row::dim(format!("  {}", reviewed.path)));
    }
    rows.extend(reviewed.why.iter().map(|why| Row::new(TextStyle::Yellow, format!("  {why}"))));
    rows
}

/// A review that was interrupted.
pub(super) fn unanswered(path: &AbsPath) -> Row {
    Row::led("✗ ", TextStyle::Yellow, format!("The plan is not approved; it is saved in {path}"))
}

/// What the reviewer said.
fn words(text: Option<&str>) -> impl Iterator<Item = Row> {
    text.unwrap_or_default().lines().map(|line| Row::led("  ⎿ ", TextStyle::Plain, line))
}

/// The lines that a comment is about.
pub(super) fn comment_lines(comment: &PlanComment) -> String {
    match comment.first == comment.last {
        true => format!("line {}", comment.first),
        false => format!("lines {}-{}", comment.first, comment.last),
    }
}

fn comment_row(comment: &PlanComment) -> Row {
    let lines = comment_lines(comment);
    Row::led(format!("  ⎿ {lines}: "), TextStyle::Plain, &*comment.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::bare;
    use crate::testing::reviewed;
    use forelook_protocol::Approval;

    #[test]
    fn outcomes_on_paper() {
        let comment = PlanComment { first: 1, last: 2, quote: "x".into(), text: "shorter".into() };
        let answers = [
            PlanAnswer::Approve(Approval { note: Some("mind the tests".into()), ..Approval::default() }),
            PlanAnswer::Approve(Approval { edited: Some("x".into()), ..Approval::default() }),
            PlanAnswer::KeepPlanning { feedback: Some("too\nlong".into()), comments: vec![comment] },
            PlanAnswer::Park,
            PlanAnswer::Abandon,
            PlanAnswer::HandOver,
        ];
        let rows: Vec<Row> = answers.into_iter().flat_map(|answer| rows(&reviewed(answer))).collect();
        insta::assert_snapshot!(bare(&rows));
    }
}
