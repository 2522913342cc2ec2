//! The mode cycle, and the law that a subagent's mode is never wider than its parent's.

use forelook_protocol::{Mode, ModeState};

use crate::transition::ModeConditions;

/// The order of Shift+Tab, unless the settings change it.
pub const CYCLE: [Mode; 5] =
    [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::BypassPermissions, Mode::Auto];

impl ModeConditions {
    /// Whether a person can have this mode, or why not.
    pub fn available(&self, mode: Mode) -> Result<(), String> {
        match mode {
            Mode::Auto => self.gate.map_err(|why| why.to_string()),
            Mode::BypassPermissions => self.bypass.clone(),
            Mode::Plan | Mode::DontAsk | Mode::Default | Mode::AcceptEdits => Ok(()),
        }
    }
}

/// The mode after this one. Unavailable modes are skipped; cycling never reaches `dontAsk`.
pub fn next_in_cycle(mode: Mode, cycle: &[Mode], conditions: &ModeConditions) -> Mode {
    let available = |mode: &Mode| *mode != Mode::DontAsk && conditions.available(*mode).is_ok();
    let at = cycle.iter().position(|one| *one == mode);
    let after = at.map_or(0, |at| at + 1);
    let round = cycle.iter().cycle().skip(after).take(cycle.len());
    round.copied().find(available).filter(|_| at.is_some()).unwrap_or(Mode::Default)
}

/// The mode of a subagent that asked for `wanted`: never wider than its parent's, and never wider because it asked.
pub fn child_mode(parent: Mode, wanted: Option<Mode>) -> Mode {
    wanted.map_or(parent, |wanted| wanted.min(parent))
}

/// The mode state of a subagent that asked for this mode. If it is narrower than its parent's, it starts fresh.
pub fn child_mode_state(parent: ModeState, wanted: Option<Mode>) -> ModeState {
    match child_mode(parent.mode(), wanted) {
        mode if mode == parent.mode() => parent,
        mode => ModeState::new(parent.mode()).with_mode(mode),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transition::tests::conditions;

    #[test]
    fn the_cycle() {
        use Mode::{AcceptEdits, Auto, BypassPermissions, Default, DontAsk, Plan};
        let full = conditions(true, true);
        let none = conditions(false, false);
        for (mode, with_all, with_none) in [
            (Default, AcceptEdits, AcceptEdits),
            (AcceptEdits, Plan, Plan),
            (Plan, BypassPermissions, Default),
            (BypassPermissions, Auto, Default),
            (Auto, Default, Default),
            (DontAsk, Default, Default),
        ] {
            assert_eq!(next_in_cycle(mode, &CYCLE, &full), with_all, "{mode}");
            assert_eq!(next_in_cycle(mode, &CYCLE, &none), with_none, "{mode}");
        }
        assert_eq!(next_in_cycle(Default, &[Default, Plan], &full), Plan);
        assert_eq!(next_in_cycle(Default, &[DontAsk], &full), Default);
        assert_eq!(next_in_cycle(Default, &[], &full), Default);
    }

    #[test]
    fn a_child_is_never_wider() {
        for parent in Mode::ALL {
            for wanted in Mode::ALL.map(Some).into_iter().chain([None]) {
                let child = child_mode(parent, wanted);
                assert!(child <= parent);
                assert!(wanted.is_none_or(|wanted| child <= wanted));
            }
        }
    }
}
