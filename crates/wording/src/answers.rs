//! That a question was answered in another front end.

use forelook_protocol::{HostAnswer, PlanAnswer};

use crate::{sanitize, truncate};

/// Letters of a front end's name that are shown.
const NAME: usize = 40;

/// A question was answered in the front end of this name.
pub fn answered_in(name: &str, answer: &HostAnswer) -> String {
    let how = match answer {
        HostAnswer::Allow { .. } => "yes",
        HostAnswer::Deny { .. } => "no",
        HostAnswer::Plan(answer) => return plan_answered_in(name, answer),
        HostAnswer::Outdated | HostAnswer::Dismissed | HostAnswer::Interrupted | HostAnswer::Nobody => {
            "dismissed"
        }
        // What was chosen stands in the result of the call; the others are no answers of people's.
        HostAnswer::Chosen { .. }
        | HostAnswer::File { .. }
        | HostAnswer::Written
        | HostAnswer::CommandEnded { .. }
        | HostAnswer::Mcp { .. }
        | HostAnswer::Hook { .. }
        | HostAnswer::Failed { .. } => return answered(name),
    };
    format!("{}: {how}", answered(name))
}

/// A plan was reviewed in the front end of this name.
pub fn plan_answered_in(name: &str, answer: &PlanAnswer) -> String {
    let how = match answer {
        PlanAnswer::Approve(_) => "plan approved",
        PlanAnswer::KeepPlanning { .. } => "plan sent back",
        PlanAnswer::Park => "plan parked",
        PlanAnswer::Abandon => "plan abandoned",
        PlanAnswer::HandOver => "plan returned as the result",
    };
    format!("{}: {how}", answered(name))
}

fn answered(name: &str) -> String {
    format!("Answered in {}", truncate(&sanitize(name).replace('\n', " "), NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_answered_and_how() {
        for (name, answer, expected) in [
            ("web page", HostAnswer::yes(), "Answered in web page: yes"),
            ("a\x1b[2J\nb", HostAnswer::Deny { message: None }, "Answered in a b: no"),
            ("b", HostAnswer::Plan(PlanAnswer::Park), "Answered in b: plan parked"),
            ("b", HostAnswer::Chosen { choices: Vec::new() }, "Answered in b"),
            ("b", HostAnswer::Dismissed, "Answered in b: dismissed"),
        ] {
            assert_eq!(answered_in(name, &answer), expected);
        }
        let back = PlanAnswer::KeepPlanning { feedback: None, comments: Vec::new() };
        assert_eq!(plan_answered_in("b", &back), "Answered in b: plan sent back");
        let long = answered_in(&"x".repeat(500), &HostAnswer::yes());
        assert_eq!(long.chars().count(), "Answered in …: yes".chars().count() + NAME);
    }
}
