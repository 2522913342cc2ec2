//! Calls that may not run, for the person who could let them.

use forelook_protocol::{DecisionStep, Reason};

/// What lets such a call through the next time, where something on the command line does.
pub fn how_to_allow(reason: &Reason) -> Option<String> {
    match (reason.suggested_rules.as_slice(), reason.step) {
        ([], DecisionStep::Fallback) => Some("Choose another `--permission-mode` to allow it".to_owned()),
        (rules, DecisionStep::Fallback) => {
            let words: Vec<String> = rules.iter().map(|suggested| shell_word(&suggested.rule)).collect();
            Some(format!(
                "Allow it with `--allowedTools {}`, or choose another `--permission-mode`",
                words.join(" ")
            ))
        }
        _ => None,
    }
}

/// As one types it in a shell.
fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use forelook_protocol::SuggestedRule;

    #[test]
    fn what_can_be_typed_is_said() {
        let reason = |step, rule: Option<&str>| Reason {
            suggested_rules: rule
                .map(|rule| SuggestedRule { rule: rule.to_owned(), example: None })
                .into_iter()
                .collect(),
            ..Reason::new(step, "why")
        };
        for (step, rule, expected) in [
            (
                DecisionStep::Fallback,
                Some("Bash(echo 'a':*)"),
                Some(
                    "Allow it with `--allowedTools 'Bash(echo '\\''a'\\'':*)'`, or choose another `--permission-mode`",
                ),
            ),
            (DecisionStep::Fallback, None, Some("Choose another `--permission-mode` to allow it")),
            (DecisionStep::PlanGate, Some("Bash(x)"), None),
            (DecisionStep::Wall, Some("Bash(x)"), None),
            (DecisionStep::DenyRule, None, None),
        ] {
            assert_eq!(how_to_allow(&reason(step, rule)).as_deref(), expected, "{step:?}");
        }
    }
}
