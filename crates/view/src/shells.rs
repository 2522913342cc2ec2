//! Background shells.

use forelook_protocol::{
    Confinement, HostAnswer, HostAsk, HostRequest, QuestionClosed, RequestId, ToolCall, ToolResult,
};
use forelook_wording::call_summary;

/// The shells that are known to be running, oldest first.
#[derive(Debug, Default)]
pub struct BackgroundShells {
    all: Vec<BackgroundShell>,
    /// The open question about which shells may keep running, with their names.
    open_question: Option<(RequestId, Vec<String>)>,
}

/// A background shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundShell {
    /// Its name, as the model knows it.
    pub name: String,
    /// What it does, in one line.
    pub about: String,
    /// How the kernel has confined it since it started.
    pub sandbox: Confinement,
}

impl BackgroundShells {
    /// All shells, oldest first.
    pub fn all(&self) -> &[BackgroundShell] {
        &self.all
    }

    /// A call succeeded: it may have started or ended a shell.
    pub(crate) fn called(&mut self, call: &ToolCall, result: &ToolResult, sandbox: Confinement) {
        match call.name.as_str() {
            "Bash" if call.input["run_in_background"] == true => {
                // The result names it: "Started in the background as `shell_1`".
                if let Some(name) = result.text().split('`').nth(1) {
                    let (name, about) = (name.to_owned(), call_summary(&call.input));
                    self.all.push(BackgroundShell { name, about, sandbox });
                }
            }
            "KillShell" => self.ended(call.input["shell_id"].as_str().unwrap_or_default()),
            _ => {}
        }
    }

    pub(crate) fn ended(&mut self, name: &str) {
        self.all.retain(|shell| shell.name != name);
    }

    /// The question whether these shells may keep running was opened.
    pub(crate) fn question_opened(&mut self, question: &HostRequest) {
        if let HostAsk::Running { shells } = &question.ask {
            self.open_question =
                Some((question.id, shells.iter().filter_map(|shell| shell.id.clone()).collect()));
        }
    }

    /// That question was answered. Shells that may not keep running are being stopped; the model hears about their end
    /// much later.
    pub(crate) fn answered(&mut self, replied: &QuestionClosed) {
        let Some((_, names)) = self.open_question.take_if(|(id, _)| *id == replied.question) else { return };
        if !matches!(replied.answer, HostAnswer::Allow { .. } | HostAnswer::Outdated) {
            names.iter().for_each(|name| self.ended(name));
        }
    }
}
