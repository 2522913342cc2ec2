//! What a session may do after its journal lost lines: no more than it may have been allowed.

use forelook_protocol::{Behavior, EntryBody, Mode, ModeChanged, ModeState, PermissionUpdate, PrePlanState};

use super::Session;
use crate::handle::RecordError;

impl Session {
    /// Settles the mode of a session whose journal lost lines. It is written down, so that it is said once.
    pub(super) async fn settle_unsure_mode(&mut self) -> Result<(), RecordError> {
        if !self.state.mode_unsure {
            return Ok(());
        }
        let mode_state = at_most_default(self.state.mode_state);
        let why = format!(
            "The journal lost a line that may have changed the mode; the session goes on in mode `{}`",
            mode_state.mode()
        );
        let text = format!(
            "{why}\nRules that allow, and directories, that were added in the session before that do not count anymore"
        );
        self.record(vec![EntryBody::ModeChanged(ModeChanged { mode_state, why: Some(why) })]).await?;
        self.warn(&text);
        Ok(())
    }
}

/// This state with a mode that allows no more than `default`. While planning that holds for the mode afterwards too.
fn at_most_default(now: ModeState) -> ModeState {
    if let Some(before) = now.pre_plan() {
        return now.with_pre_plan(PrePlanState { mode: before.mode.min(Mode::Default), ..before });
    }
    let mut settled = now.with_mode(now.mode().min(Mode::Default));
    settled.auto_exit_reminder_due |= now.mode() == Mode::Auto;
    settled
}

/// What is left of a change to the permissions if later changes may be lost: all of it that forbids, and nothing that
/// allows.
pub(super) fn narrowed(update: PermissionUpdate) -> Option<PermissionUpdate> {
    match update {
        PermissionUpdate::AddRules { behavior: Behavior::Allow, .. }
        | PermissionUpdate::RemoveRules { behavior: Behavior::Ask | Behavior::Deny, .. }
        | PermissionUpdate::AddDirectories { .. } => None,
        PermissionUpdate::ReplaceRules { behavior: Behavior::Allow, destination, .. } => {
            Some(PermissionUpdate::ReplaceRules { rules: Vec::new(), behavior: Behavior::Allow, destination })
        }
        // The rules that these were to replace stay as well.
        PermissionUpdate::ReplaceRules { rules, behavior, destination } => {
            Some(PermissionUpdate::AddRules { rules, behavior, destination })
        }
        PermissionUpdate::AddRules { .. }
        | PermissionUpdate::RemoveRules { .. }
        | PermissionUpdate::RemoveDirectories { .. }
        | PermissionUpdate::SetMode { .. } => Some(update),
    }
}

#[cfg(test)]
mod tests {
    use forelook_protocol::{ClassifierInPlan, Destination};

    use super::*;

    #[test]
    fn a_mode_that_is_not_sure_allows_no_more_than_default() {
        for mode in Mode::ALL {
            let settled = at_most_default(ModeState::new(mode));
            assert_eq!(settled.mode(), mode.min(Mode::Default));
            assert_eq!(settled.auto_exit_reminder_due, mode == Mode::Auto);
            let before = PrePlanState { mode, classifier: ClassifierInPlan::NeverOn };
            let planning = at_most_default(ModeState::default().with_pre_plan(before));
            assert_eq!(planning.mode(), Mode::Plan);
            assert!(planning.pre_plan_mode().unwrap() <= Mode::Default, "{mode}");
        }
    }

    #[test]
    fn what_forbids_stays_and_what_allows_does_not() {
        let destination = Destination::Session;
        let rules = Vec::new;
        let directories = || vec!["x".to_owned()];
        for behavior in [Behavior::Allow, Behavior::Ask, Behavior::Deny] {
            let allows = behavior == Behavior::Allow;
            let add = PermissionUpdate::AddRules { rules: rules(), behavior, destination };
            let remove = PermissionUpdate::RemoveRules { rules: rules(), behavior, destination };
            let replace = PermissionUpdate::ReplaceRules { rules: rules(), behavior, destination };
            assert_eq!(narrowed(add.clone()), (!allows).then(|| add.clone()), "{behavior}");
            assert_eq!(narrowed(remove.clone()), allows.then_some(remove), "{behavior}");
            let expected = if allows { replace.clone() } else { add };
            assert_eq!(narrowed(replace), Some(expected), "{behavior}");
        }
        let add = PermissionUpdate::AddDirectories { directories: directories(), destination };
        let remove = PermissionUpdate::RemoveDirectories { directories: directories(), destination };
        assert_eq!((narrowed(add), narrowed(remove.clone())), (None, Some(remove)));
    }
}
