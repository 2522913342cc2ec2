//! Shells that run beside the conversation.

use forelook_protocol::{
    Confinement, HostAnswer, HostAsk, HostRequest, Replied, RequestId, ToolCall, ToolResult,
};
use forelook_wording::call_about;

/// Those that are known to run, the oldest first.
#[derive(Debug, Default)]
pub struct Shells {
    all: Vec<Shell>,
    /// The question whether some of them may go on, with their names.
    asked: Option<(RequestId, Vec<String>)>,
}

/// A shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    /// What the model knows it by.
    pub name: String,
    /// What it does, in a line.
    pub about: String,
    /// What the kernel has held it to since it began.
    pub within: Confinement,
}

impl Shells {
    /// All of them, the oldest first.
    pub fn all(&self) -> &[Shell] {
        &self.all
    }

    /// A call has ended well: it may have started or ended one.
    pub(crate) fn called(&mut self, call: &ToolCall, result: &ToolResult, within: Confinement) {
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

    pub(crate) fn ended(&mut self, name: &str) {
        self.all.retain(|shell| shell.name != name);
    }

    /// It is asked whether these may go on.
    pub(crate) fn asked(&mut self, question: &HostRequest) {
        if let HostAsk::Running { shells } = &question.ask {
            self.asked = Some((question.id, shells.iter().filter_map(|shell| shell.id.clone()).collect()));
        }
    }

    /// That was answered. Those that may not are being stopped: that they have ended is told to the model much later.
    pub(crate) fn answered(&mut self, replied: &Replied) {
        let Some((_, names)) = self.asked.take_if(|(id, _)| *id == replied.question) else { return };
        if !matches!(replied.answer, HostAnswer::Allow { .. } | HostAnswer::Outdated) {
            names.iter().for_each(|name| self.ended(name));
        }
    }
}
