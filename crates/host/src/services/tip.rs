//! When the tip about Shift+Tab is due: once, and then after twenty sessions without it.

use forelook_disk::{FileLock, Permissions};
use forelook_protocol::AbsPath;
use serde_json::{Value, json};

/// Sessions between two tips.
const SESSIONS_BETWEEN: u64 = 20;

/// Counts sessions, in a file of the person's.
pub struct Tips {
    path: AbsPath,
    lock: AbsPath,
}

/// What the file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TipState {
    sessions: u64,
    /// In which session the tip was last shown.
    shown: Option<u64>,
}

impl Tips {
    /// In this home folder.
    pub fn new(home: &AbsPath) -> Self {
        Self { path: home.join("state.json"), lock: home.join("state.lock") }
    }

    /// Whether the tip is due now. Nothing is written: that can wait until the screen is drawn.
    pub fn due(&self) -> bool {
        self.read().next().1
    }

    /// Counts this session, and that the tip was shown in it if it was due. One that cannot be counted does no harm.
    pub fn count(&self) {
        let Ok(_lock) = FileLock::acquire(self.lock.as_path()) else { return };
        let (TipState { sessions, shown }, _) = self.read().next();
        let text = format!("{}\n", json!({"sessions": sessions, "tipShown": shown}));
        if let Err(error) = forelook_disk::replace(&self.path, text.as_bytes(), Permissions::Private) {
            tracing::debug!(%error, "Could not save the session count");
        }
    }

    /// What the file says; a file that is missing or broken says nothing.
    fn read(&self) -> TipState {
        let said: Value = std::fs::read(&self.path)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        TipState { sessions: said["sessions"].as_u64().unwrap_or(0), shown: said["tipShown"].as_u64() }
    }
}

impl TipState {
    /// With one session more, and whether the tip is due in it.
    fn next(self) -> (Self, bool) {
        let sessions = self.sessions.saturating_add(1);
        let due = self.shown.is_none_or(|shown| sessions.saturating_sub(shown) > SESSIONS_BETWEEN);
        (Self { sessions, shown: if due { Some(sessions) } else { self.shown } }, due)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_first_session_has_it_and_then_every_twenty_first() {
        let home = tempfile::tempdir().unwrap();
        let tips = Tips::new(&AbsPath::new(home.path()).unwrap());
        let mut due = Vec::new();
        for session in 1..=50 {
            if tips.due() {
                due.push(session);
            }
            tips.count();
        }
        assert_eq!(due, [1, 22, 43]);
        let mode = std::fs::metadata(home.path().join("state.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test breaks the file by hand")]
    fn a_broken_file_is_as_none() {
        let home = tempfile::tempdir().unwrap();
        let tips = Tips::new(&AbsPath::new(home.path()).unwrap());
        for text in ["", "{", "[]", r#"{"sessions": -1, "tipShown": "x"}"#] {
            std::fs::write(home.path().join("state.json"), text).unwrap();
            assert!(tips.due(), "{text}");
            tips.count();
            assert!(!tips.due(), "{text}");
        }
    }
}
