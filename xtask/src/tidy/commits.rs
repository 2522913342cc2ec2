//! Commit subjects say what the change does, in the imperative, and fit on a line.

use std::process::Command;

use crate::run::{XtaskResult, output, root};

/// The last commit before this rule.
const BEFORE: &str = "e4135b6250db7a3f7b52916f4f80cb0df1152468";
const LONGEST: usize = 72;
/// Verbs that end like a third person or a participle and are neither.
const VERBS: &[&str] = &[
    "Access", "Address", "Bless", "Bring", "Bypass", "Compress", "Cross", "Discuss", "Dismiss", "Embed",
    "Express", "Feed", "Focus", "Guess", "Miss", "Need", "Pass", "Press", "Process", "Seed", "Shed", "Speed",
    "Stress", "String", "Suppress", "Surpass", "Toss", "Witness",
];

/// Subjects since the rule began that break it. A shallow clone has its newest one only.
pub(super) fn check() -> XtaskResult<Vec<String>> {
    let log = |range: &[&str]| {
        let mut git = Command::new("git");
        git.args(["log", "--no-merges", "--format=%s"]).args(range).current_dir(root());
        output(&mut git)
    };
    let subjects = log(&[&format!("{BEFORE}..HEAD")]).or_else(|_| log(&["-n1"]))?;
    Ok(subjects.lines().filter_map(fault).collect())
}

fn fault(subject: &str) -> Option<String> {
    let first = subject.split(' ').next().unwrap_or_default();
    let verb = !VERBS.contains(&first) && ["s", "ed", "ing"].iter().any(|end| first.ends_with(end));
    let wrong = match () {
        () if subject.chars().count() > LONGEST => "is longer than 72 characters",
        () if !first.starts_with(|char: char| char.is_ascii_uppercase()) => {
            "does not begin with a capital letter"
        }
        () if first.contains(':') => "begins with a label instead of a verb",
        () if verb => "does not begin with a verb in the imperative",
        () if subject.ends_with('.') => "ends with a period",
        () => return None,
    };
    Some(format!("The commit subject `{subject}` {wrong}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_short_and_imperative() {
        for good in ["Mask secrets for every read-only command", "Pass the shell's name", &"A".repeat(72)] {
            assert_eq!(fault(good), None, "{good}");
        }
        let long = format!("Add {}", "a".repeat(69));
        for bad in [
            "Masks secrets",
            "Added a mask",
            "Adding a mask",
            "tools: add a mask",
            "Tools: add",
            "Add it.",
            &long,
        ] {
            assert!(fault(bad).is_some(), "{bad}");
        }
    }
}
