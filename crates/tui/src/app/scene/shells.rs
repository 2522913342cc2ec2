//! Shells that run beside the conversation.

use forelook_protocol::{Confinement, Mode, ToolCall, ToolResult};
use forelook_wording::{call_about, counted, is_outside};
use ratatui_core::text::Line;

use crate::markdown::Look;
use crate::text::fitted;

/// Those that are known to run.
#[derive(Debug, Default)]
pub(super) struct Shells(Vec<Shell>);

#[derive(Debug)]
struct Shell {
    name: String,
    /// What it does.
    about: String,
    /// What the kernel has held it to since it began.
    within: Confinement,
}

impl Shells {
    /// A call has ended well: it may have started or ended one.
    pub(super) fn called(&mut self, call: &ToolCall, result: &ToolResult, within: Confinement) {
        match call.name.as_str() {
            "Bash" if call.input["run_in_background"] == true => {
                // The result names it: "Started in the background as `shell_1`".
                if let Some(name) = result.text().split('`').nth(1) {
                    let (name, about) = (name.to_owned(), call_about(&call.input));
                    self.0.push(Shell { name, about, within });
                }
            }
            "KillShell" => self.ended(call.input["shell_id"].as_str().unwrap_or_default()),
            _ => {}
        }
    }

    pub(super) fn ended(&mut self, name: &str) {
        self.0.retain(|shell| shell.name != name);
    }

    /// How many there are, and the newest. One that planning does not hold goes before others: it is what to know.
    pub(super) fn row(&self, look: Look, mode: Mode) -> Option<Line<'static>> {
        let outside = |shell: &&Shell| is_outside(shell.within, mode);
        let newest = self.0.iter().rev().find(outside).or(self.0.last())?;
        let (all, free) = (self.0.len(), self.0.iter().filter(outside).count());
        let count = counted(u64::try_from(all).unwrap_or(0), "shell", "shells");
        let (fence, style) = match free {
            0 => (String::new(), look.theme.quiet),
            _ if free == all => (", outside the fence".to_owned(), look.theme.warning),
            _ => (format!(", {free} outside the fence"), look.theme.warning),
        };
        let text = format!("  {count} in the background{fence}: {}", newest.about);
        Some(Line::styled(fitted(&text, look.width), style))
    }
}
