//! What the environment says about planning. A value that makes no sense is named and ignored: it is no
//! reason to stop.

use forelook_protocol::{Notice, NoticeLevel};

use super::{
    CLAUDE_CODE_PLAN_MODE_INTERVIEW_PHASE, CLAUDE_CODE_PLAN_V2_AGENT_COUNT,
    CLAUDE_CODE_PLAN_V2_EXPLORE_AGENT_COUNT, FORELOOK_PLAN_AGENT_COUNT, FORELOOK_PLAN_EXPLORE_AGENT_COUNT,
    FORELOOK_PLAN_MODE_INTERVIEW_PHASE, Pairs, Variable,
};
use crate::keys::MAX_PLANNERS;

/// What the environment says about planning.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlanVariables {
    /// How many Explore agents.
    pub explore_agents: Option<u8>,
    /// How many Plan agents.
    pub plan_agents: Option<u8>,
    /// Whether the interview is wanted.
    pub interview: Option<bool>,
    /// What is said about values that are ignored.
    pub(crate) ignored: Vec<Notice>,
}

impl PlanVariables {
    pub(super) fn read(pairs: &Pairs) -> Self {
        let mut ignored = Vec::new();
        let count_words = format!("a whole number from 1 to {MAX_PLANNERS}");
        let mut counts = |names| first(pairs, names, count, &count_words, &mut ignored);
        let explore_agents =
            counts([FORELOOK_PLAN_EXPLORE_AGENT_COUNT, CLAUDE_CODE_PLAN_V2_EXPLORE_AGENT_COUNT]);
        let plan_agents = counts([FORELOOK_PLAN_AGENT_COUNT, CLAUDE_CODE_PLAN_V2_AGENT_COUNT]);
        let names = [FORELOOK_PLAN_MODE_INTERVIEW_PHASE, CLAUDE_CODE_PLAN_MODE_INTERVIEW_PHASE];
        let interview = first(pairs, names, switch, "`true` or `false`", &mut ignored);
        Self { explore_agents, plan_agents, interview, ignored }
    }
}

/// The value of the first variable that has one; those before it that make no sense are named.
fn first<T>(
    pairs: &Pairs,
    names: [Variable; 2],
    read: fn(&str) -> Option<T>,
    wanted: &str,
    ignored: &mut Vec<Notice>,
) -> Option<T> {
    names.into_iter().find_map(|variable| {
        let value = pairs.get(variable)?.to_str().and_then(|text| read(text.trim()));
        if value.is_none() {
            let name = variable.name;
            let text = format!("`{name}` must be {wanted}; it was ignored\nCorrect it or unset it");
            ignored.push(Notice { level: NoticeLevel::Warning, text });
        }
        value
    })
}

fn count(text: &str) -> Option<u8> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|count| digits && (1..=MAX_PLANNERS).contains(count))
}

fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    fn read(pairs: &[(&str, &str)]) -> PlanVariables {
        let own = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
        PlanVariables::read(&Pairs(pairs.iter().map(own).collect()))
    }

    #[test]
    fn a_count_is_a_whole_number_from_one_to_ten() {
        for (ours, theirs) in [
            ("FORELOOK_PLAN_EXPLORE_AGENT_COUNT", "CLAUDE_CODE_PLAN_V2_EXPLORE_AGENT_COUNT"),
            ("FORELOOK_PLAN_AGENT_COUNT", "CLAUDE_CODE_PLAN_V2_AGENT_COUNT"),
        ] {
            let said = |pairs: &[(&str, &str)]| {
                let read = read(pairs);
                let (mine, other) = if ours.contains("EXPLORE") {
                    (read.explore_agents, read.plan_agents)
                } else {
                    (read.plan_agents, read.explore_agents)
                };
                assert_eq!(other, None);
                (mine, read.ignored)
            };
            for (value, expected) in [("1", 1), ("10", 10), (" 7 ", 7)] {
                assert_eq!(said(&[(ours, value)]), (Some(expected), vec![]), "{value}");
                assert_eq!(said(&[(theirs, value)]), (Some(expected), vec![]), "{value}");
            }
            for value in ["0", "11", "-1", "+3", "3.0", "1e1", "three", "99999999999", " "] {
                for name in [ours, theirs] {
                    let (count, ignored) = said(&[(name, value)]);
                    assert_eq!((count, ignored.len()), (None, 1), "{value}");
                    let text = &ignored[0].text;
                    assert!(text.starts_with(&format!("`{name}` must be a whole number from 1 to 10")));
                }
            }
            assert_eq!(said(&[(ours, "")]), (None, vec![]));
            assert_eq!(said(&[(theirs, "2"), (ours, "4")]), (Some(4), vec![]));
            let (count, ignored) = said(&[(theirs, "2"), (ours, "many")]);
            assert_eq!((count, ignored.len()), (Some(2), 1));
        }
    }

    #[test]
    fn a_switch_says_yes_or_no_in_many_words() {
        let name = "FORELOOK_PLAN_MODE_INTERVIEW_PHASE";
        for (value, expected) in [
            ("1", Some(true)),
            ("true", Some(true)),
            ("YES", Some(true)),
            ("on", Some(true)),
            ("0", Some(false)),
            ("False", Some(false)),
            ("no", Some(false)),
            ("off", Some(false)),
            ("perhaps", None),
            ("2", None),
        ] {
            let said = read(&[(name, value)]);
            assert_eq!((said.interview, said.ignored.len()), (expected, usize::from(expected.is_none())));
        }
        let other = "CLAUDE_CODE_PLAN_MODE_INTERVIEW_PHASE";
        assert_eq!(read(&[(other, "yes")]).interview, Some(true));
        assert_eq!(read(&[(other, "yes"), (name, "no")]).interview, Some(false));
    }

    #[test]
    fn bytes_that_are_no_text_are_ignored_too() {
        let value = OsString::from_vec(vec![b'3', 0xff]);
        let said = PlanVariables::read(&Pairs(vec![("FORELOOK_PLAN_AGENT_COUNT".into(), value)]));
        assert_eq!((said.plan_agents, said.ignored.len()), (None, 1));
    }
}
