//! Shells that run beside the conversation.

use forelook_protocol::{ToolCall, ToolResult};
use forelook_wording::{call_about, counted};
use ratatui_core::text::Line;

use crate::markdown::Look;
use crate::text::fitted;

/// Those that are known to run, by name, with what they do.
#[derive(Debug, Default)]
pub(super) struct Shells(Vec<(String, String)>);

impl Shells {
    /// A call has ended well: it may have started or ended one.
    pub(super) fn called(&mut self, call: &ToolCall, result: &ToolResult) {
        match call.name.as_str() {
            "Bash" if call.input["run_in_background"] == true => {
                // The result names it: "Started in the background as `shell_1`".
                if let Some(name) = result.text().split('`').nth(1) {
                    self.0.push((name.to_owned(), call_about(&call.input)));
                }
            }
            "KillShell" => self.ended(call.input["shell_id"].as_str().unwrap_or_default()),
            _ => {}
        }
    }

    pub(super) fn ended(&mut self, name: &str) {
        self.0.retain(|shell| shell.0 != name);
    }

    pub(super) fn row(&self, look: Look) -> Option<Line<'static>> {
        let (_, newest) = self.0.last()?;
        let count = counted(u64::try_from(self.0.len()).unwrap_or(0), "shell", "shells");
        let text = format!("  {count} in the background: {newest}");
        Some(Line::styled(fitted(&text, look.width), look.theme.quiet))
    }
}
