//! Shells that run beside the conversation.

use forelook_protocol::{
    Confinement, HostAnswer, HostAsk, HostRequest, Mode, Replied, RequestId, ToolCall, ToolResult,
};
use forelook_wording::{call_about, counted};
use ratatui_core::text::Line;

use crate::markdown::Look;
use crate::text::fitted;

/// Those that are known to run.
#[derive(Debug, Default)]
pub(super) struct Shells {
    all: Vec<Shell>,
    /// The question whether some of them may go on, with their names.
    asked: Option<(RequestId, Vec<String>)>,
}

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
                    self.all.push(Shell { name, about, within });
                }
            }
            "KillShell" => self.ended(call.input["shell_id"].as_str().unwrap_or_default()),
            _ => {}
        }
    }

    pub(super) fn ended(&mut self, name: &str) {
        self.all.retain(|shell| shell.name != name);
    }

    /// It is asked whether these may go on.
    pub(super) fn asked(&mut self, question: &HostRequest) {
        if let HostAsk::Running { shells } = &question.ask {
            self.asked = Some((question.id, shells.iter().filter_map(|shell| shell.id.clone()).collect()));
        }
    }

    /// That was answered. Those that may not are being stopped: that they have ended is told to the model much later.
    pub(super) fn answered(&mut self, replied: &Replied) {
        let Some((_, names)) = self.asked.take_if(|(id, _)| *id == replied.question) else { return };
        if !matches!(replied.answer, HostAnswer::Allow { .. } | HostAnswer::Outdated) {
            names.iter().for_each(|name| self.ended(name));
        }
    }

    /// How many there are, and the newest. One that planning does not hold goes before others: it is what to know.
    pub(super) fn row(&self, look: Look, mode: Mode) -> Option<Line<'static>> {
        let outside = |shell: &&Shell| mode.is_plan() && shell.within.can_change();
        let newest = self.all.iter().rev().find(outside).or(self.all.last())?;
        let (all, free) = (self.all.len(), self.all.iter().filter(outside).count());
        let count = counted(u64::try_from(all).unwrap_or(0), "shell", "shells");
        // Short, so that it is seen in a narrow window too.
        let (what, style) = match free {
            0 => (" in the background".to_owned(), look.theme.quiet),
            _ if free == all => (" outside the fence".to_owned(), look.theme.warning),
            _ => (format!(", {free} outside the fence"), look.theme.warning),
        };
        let text = format!("  {count}{what}: {}", newest.about);
        Some(Line::styled(fitted(&text, look.width), style))
    }
}
