//! Background shells.

use forelook_protocol::{BackgroundShell, SessionEffect};

/// The shells that are running, oldest first.
#[derive(Debug, Default)]
pub struct BackgroundShells(Vec<BackgroundShell>);

impl BackgroundShells {
    /// Those that ran when the front end attached.
    pub(crate) fn of(running: &[BackgroundShell]) -> Self {
        Self(running.to_vec())
    }

    /// All shells, oldest first.
    pub fn all(&self) -> &[BackgroundShell] {
        &self.0
    }

    /// A call ended: it may have started some.
    pub(crate) fn started_by(&mut self, effects: &[SessionEffect]) {
        self.0.extend(effects.iter().filter_map(|effect| match effect {
            SessionEffect::ShellStarted(shell) => Some(shell.clone()),
            _ => None,
        }));
    }

    pub(crate) fn ended(&mut self, id: &str) {
        self.0.retain(|shell| shell.id != id);
    }
}
