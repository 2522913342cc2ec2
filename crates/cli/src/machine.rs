//! What the person's machine does for the terminal program.

use forelook_protocol::{AbsPath, Boxed, UserBlock};
use forelook_tui::SessionListed;
use serde_json::Value;

/// This machine.
pub(crate) struct ThisMachine;

impl forelook_tui::Machine for ThisMachine {
    fn edit(&self, _text: String) -> Boxed<'_, Result<String, String>> {
        Box::pin(async { Err("no editor is known".to_owned()) })
    }

    fn sessions(&self) -> Boxed<'_, Result<Vec<SessionListed>, String>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn history(&self) -> Boxed<'_, Vec<String>> {
        Box::pin(async { Vec::new() })
    }

    fn remember(&self, _said: &str) {}

    fn picture(&self, _path: String) -> Boxed<'_, Option<UserBlock>> {
        Box::pin(async { None })
    }

    fn copied_picture(&self) -> Boxed<'_, Option<UserBlock>> {
        Box::pin(async { None })
    }

    fn branch(&self) -> Boxed<'_, Option<String>> {
        Box::pin(async { None })
    }

    fn status_line(&self, _facts: Value) -> Boxed<'_, Result<Option<String>, String>> {
        Box::pin(async { Ok(None) })
    }

    fn write(&self, _name: String, _text: String) -> Boxed<'_, Result<AbsPath, String>> {
        Box::pin(async { Err("not built yet".to_owned()) })
    }

    fn keep_theme(&self, _name: &'static str) -> Boxed<'_, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }

    fn suspend(&self) {
        // The whole group, as the terminal does it: whoever started us and waits must stop too.
        let _ = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
        // Another thread may be the one that the signal stops everything with, a moment from now. The time that passes
        // while we are stopped counts.
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}
