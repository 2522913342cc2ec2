//! One decision for every call.
//!
//! In this order; the first that speaks wins:
//!
//! 1. The call needs a person, whatever the mode: ask.
//! 2. The call touches nothing outside the session, or only reads: allow.
//! 3. `bypassPermissions`: allow.
//! 4. `acceptEdits`: allow.
//! 5. `plan` and `dontAsk`: deny. Any other mode: ask; with nobody there, the engine turns that into a denial
//!    with the same reason.
//!
//! Rules, walls and the reading of shell lines are not built yet; until they are, `acceptEdits` covers shell
//! commands too.

use forelook_protocol::{Action, Decision, Mode, Reason, Step};

use crate::explain;

/// What decides: the state of the permission system, as far as it exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The mode.
    pub mode: Mode,
}

/// Decides about one action.
pub fn decide(policy: &Policy, action: &Action) -> Decision {
    let reason = |step, text: String| Reason { step, text, source: None };
    match (action, policy.mode) {
        (Action::AskPerson, _) => Decision::Ask(reason(Step::NeedsPerson, explain::needs_person())),
        (Action::Internal | Action::Read { .. }, _) => {
            Decision::Allow(reason(Step::ReadOnly, explain::reads()))
        }
        (_, Mode::BypassPermissions) => Decision::Allow(reason(Step::Bypass, explain::by_mode(policy.mode))),
        (_, Mode::AcceptEdits) => Decision::Allow(reason(Step::AcceptEdits, explain::by_mode(policy.mode))),
        (_, Mode::Plan | Mode::DontAsk) => {
            Decision::Deny(reason(Step::Rest, explain::denied(action, policy.mode)))
        }
        (_, Mode::Default | Mode::Auto) => Decision::Ask(reason(Step::Rest, explain::asks(action))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forelook_protocol::AbsPath;

    fn verdict(action: &Action, mode: Mode) -> &'static str {
        match decide(&Policy { mode }, action) {
            Decision::Allow(_) => "allow",
            Decision::Ask(_) => "ask",
            Decision::Deny(_) => "deny",
        }
    }

    #[test]
    fn every_action_in_every_mode() {
        let path = AbsPath::new("/w/a").unwrap();
        let shell = Action::Shell { command: "ls".into(), folder: path.clone() };
        // Columns in the order of `Mode::ALL`: plan, dontAsk, default, acceptEdits, auto, bypassPermissions.
        for (action, expected) in [
            (Action::Read { path: path.clone() }, ["allow"; 6]),
            (Action::Internal, ["allow"; 6]),
            (Action::AskPerson, ["ask"; 6]),
            (Action::Edit { path }, ["deny", "deny", "ask", "allow", "ask", "allow"]),
            (shell, ["deny", "deny", "ask", "allow", "ask", "allow"]),
        ] {
            for (mode, expected) in Mode::ALL.into_iter().zip(expected) {
                assert_eq!(verdict(&action, mode), expected, "{action:?} in {mode}");
            }
        }
    }
}
