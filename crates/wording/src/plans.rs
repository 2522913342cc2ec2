//! How long a plan is, and what that means; its revisions, and the editor that has it.

use forelook_protocol::{PlanEditor, PlanLength, UnavailableMode};

use crate::{counted, thousands};

/// Half of all plans are shorter, in characters.
const MEDIAN: u64 = 4_906;

/// The length of a plan beside that of others.
pub fn plan_length(length: &PlanLength) -> String {
    format!(
        "{} (median {}), {}; {}% of plans this size are approved",
        counted(length.characters as u64, "char", "chars"),
        thousands(MEDIAN),
        counted(length.lines as u64, "line", "lines"),
        approved_percent(length)
    )
}

/// The same where there is little room.
pub fn plan_length_short(length: &PlanLength) -> String {
    format!(
        "{}; this size: {}% approved",
        counted(length.lines as u64, "line", "lines"),
        approved_percent(length)
    )
}

/// How many of 100 plans of this length are approved: all that are not sent back.
pub fn approved_percent(length: &PlanLength) -> u64 {
    100_u64.saturating_sub(u64::from(length.rejected_percent))
}

/// That there is no plan to review; `problem`: why its file cannot be read.
pub fn no_plan(problem: Option<&str>) -> String {
    match problem.and_then(|why| why.lines().next()) {
        Some(why) => format!("No plan: {why}"),
        None => "No plan: the file is missing or empty".to_owned(),
    }
}

/// That an approval cannot lead to this mode.
pub fn mode_unavailable(it: &UnavailableMode) -> String {
    format!("Mode `{}` is not available: {}", it.mode, it.why)
}

/// Lines of a plan, such as `line 3` or `lines 3-5`.
pub fn line_range(first: usize, last: usize) -> String {
    match first == last {
        true => format!("line {first}"),
        false => format!("lines {first}-{last}"),
    }
}

/// What a difference between two revisions is of; nothing is the plan as it stands.
pub fn plan_revisions(from: Option<u32>, to: Option<u32>) -> String {
    let to = to.map_or_else(|| "the current plan".to_owned(), |to| format!("revision {to}"));
    match from {
        Some(from) => format!("From revision {from} to {to}"),
        None => format!("All of {to}"),
    }
}

/// The person's editor did not open the plan.
pub fn editor_failed(plan: &PlanEditor, why: &str) -> String {
    format!("`{}` could not open `{}`: {why}", plan.editor, plan.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_reads_well() {
        let length = PlanLength { characters: 14_213, lines: 396, rejected_percent: 46 };
        assert_eq!(
            plan_length(&length),
            "14,213 chars (median 4,906), 396 lines; 54% of plans this size are approved"
        );
        assert_eq!(plan_length_short(&length), "396 lines; this size: 54% approved");
    }
}
