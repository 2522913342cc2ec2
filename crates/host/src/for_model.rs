//! What a session may be that a model started through one of our own tools: one that is asked nothing, and that may do no
//! more than a session may by itself.
//!
//! The command line refuses flags that say otherwise (`cli/src/person.rs`), each with a reason of its own. Here the session
//! is judged that came of them, whatever flag or setting it came from.

use forelook_engine::{PlanPolicy, Responder, SessionStart};
use forelook_protocol::{Mode, Notice};

use crate::failure::{Failure, FailureClass};
use crate::spec::SessionSpec;
use crate::warning;

/// Refuses a session that would speak for a person.
pub(crate) fn check(spec: &SessionSpec) -> Result<(), Failure> {
    let what = match spec {
        SessionSpec { responder: Responder::Person | Responder::Lead, .. } => {
            "somebody would answer its questions"
        }
        SessionSpec { reviewer: Responder::Person | Responder::Lead, .. }
        | SessionSpec { reviewer: Responder::Policy(PlanPolicy::Approve), .. } => {
            "its plans would be approved"
        }
        SessionSpec { start: SessionStart::Resume(_) | SessionStart::Fork(_), .. } => {
            "it would go on with one of the user's sessions"
        }
        SessionSpec { mode: Some(mode), .. } if is_wide(*mode) => "its mode allows more than `default`",
        SessionSpec { allow_bypass: true, .. } => "it could change to `bypassPermissions`",
        _ => return Ok(()),
    };
    let text = format!(
        "A model cannot start this session: {what}, and this runs inside a tool of a Forelook session"
    );
    Err(Failure::new(FailureClass::Usage, text)
        .hint("Ask the user to run it in a terminal of their own; do not try another way"))
}

/// The mode that the settings name, if a session of a model may begin in it. The user chose it for their own sessions.
pub(crate) fn clamp(set: Option<Mode>, runs_for_model: bool) -> (Option<Mode>, Option<Notice>) {
    match set {
        Some(mode) if runs_for_model && is_wide(mode) => {
            let text = format!(
                "The mode `{mode}` from the settings was ignored: a model started this session, so it starts in `default`"
            );
            (None, Some(warning(text)))
        }
        set => (set, None),
    }
}

fn is_wide(mode: Mode) -> bool {
    match mode {
        Mode::Plan | Mode::DontAsk | Mode::Default => false,
        Mode::AcceptEdits | Mode::Auto | Mode::BypassPermissions => true,
    }
}

#[cfg(test)]
mod tests {
    use forelook_protocol::AbsPath;

    use super::*;

    #[test]
    fn only_a_session_that_is_asked_nothing_and_allows_no_more() {
        let plain =
            || SessionSpec::new(AbsPath::new("/p").unwrap()).unattended(Responder::Policy(PlanPolicy::Exit));
        assert!(check(&plain()).is_ok());
        assert!(check(&SessionSpec { mode: Some(Mode::Plan), ..plain() }).is_ok());
        for spec in [
            SessionSpec::new(AbsPath::new("/p").unwrap()),
            SessionSpec { reviewer: Responder::Person, ..plain() },
            SessionSpec { reviewer: Responder::Policy(PlanPolicy::Approve), ..plain() },
            SessionSpec { mode: Some(Mode::AcceptEdits), ..plain() },
            SessionSpec { allow_bypass: true, ..plain() },
        ] {
            assert!(check(&spec).is_err(), "{spec:?}");
        }
        for mode in Mode::ALL {
            assert_eq!(clamp(Some(mode), false).0, Some(mode));
            assert_eq!(clamp(Some(mode), true).0, Some(mode).filter(|mode| *mode <= Mode::Default), "{mode}");
        }
    }
}
