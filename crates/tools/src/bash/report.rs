//! What the model hears of a command that ran.

use std::time::Duration;

use forelook_fences::FencedCommand;
use forelook_protocol::{AbsPath, BackgroundShell, SessionEffect, capitalize};
use forelook_sandbox::{ChildExit, Program};

use super::hints::{CommandResult, hint};
use crate::context::ToolContext;
use crate::shells::EnvUpdate;
use crate::tool::CallLocation;
use crate::typed::{ToolFailure, ToolSuccess};

/// Why a command is no longer waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunEnd {
    /// It ended.
    Exited(ChildExit),
    /// It was ended after this time.
    TimedOut(Duration),
    /// It was ended after this time; it should have gone on in the background, and this is why it could not.
    TooManyShells(Duration, String),
    /// It goes on in the background, as this shell.
    Backgrounded(Duration, BackgroundShell),
    Interrupted,
    /// It was ended because planning began.
    StoppedForPlan,
}

/// A command that ran.
pub(crate) struct CommandReport<'a> {
    pub(crate) command: &'a str,
    pub(crate) output: String,
    pub(crate) end: RunEnd,
    pub(crate) notes: Vec<String>,
    /// Where it ran.
    pub(crate) started_in: &'a AbsPath,
    /// Where it left off.
    pub(crate) ended_in: &'a AbsPath,
}

impl CommandReport<'_> {
    pub(crate) fn report(self, place: &CallLocation) -> Result<ToolSuccess, ToolFailure> {
        let mut parts = Vec::new();
        if *self.started_in != place.folder {
            parts.push(format!("[`{}` no longer exists; this ran in `{}`]", place.folder, self.started_in));
        }
        let output = self.output.trim_end();
        if !output.is_empty() {
            parts.push(output.to_owned());
        }
        parts.extend(self.ending(output.is_empty()));
        parts.extend(
            hint(self.command, output, self.result(output.is_empty())).map(|hint| format!("[{hint}]")),
        );
        parts.extend(self.notes.iter().cloned());
        let (text, effects) = (parts.join("\n"), self.effects(place));
        match self.end {
            RunEnd::Exited(ending) if ending.is_success() => {
                Ok(ToolSuccess { effects, ..ToolSuccess::new(text) })
            }
            RunEnd::Backgrounded(..) => Ok(ToolSuccess { effects, ..ToolSuccess::new(text) }),
            _ => Err(ToolFailure { text, effects, output: None }),
        }
    }

    fn ending(&self, is_empty: bool) -> Option<String> {
        let text = match &self.end {
            RunEnd::Exited(ChildExit::Exited(0)) => return is_empty.then(|| "(no output)".to_owned()),
            RunEnd::Exited(ending) => capitalize(&ending.to_string()),
            RunEnd::TimedOut(timeout) => format!(
                "Timed out after {} ms: the command and everything it started were killed\n\
                 Set a longer `timeout`, set `on_timeout` to \"background\", or do less at once",
                timeout.as_millis()
            ),
            RunEnd::TooManyShells(timeout, why) => format!(
                "Timed out after {} ms: the command and everything it started were killed because it could not move \
                 to the background\n\
                 {why}",
                timeout.as_millis()
            ),
            RunEnd::Backgrounded(timeout, BackgroundShell { id, .. }) => format!(
                "Still running after {} ms: moved to the background as `{id}`\n\
                 Read more with BashOutput {{\"bash_id\": \"{id}\"}}; stop it with KillShell {{\"shell_id\": \
                 \"{id}\"}}",
                timeout.as_millis()
            ),
            RunEnd::Interrupted => {
                "Interrupted: the command and everything it started were killed; it may have partly run"
                    .to_owned()
            }
            RunEnd::StoppedForPlan => {
                "Stopped because planning started: the command and everything it started were \
                                       killed; it may have partly run"
                    .to_owned()
            }
        };
        Some(text)
    }

    fn result(&self, is_empty: bool) -> CommandResult {
        match &self.end {
            RunEnd::Exited(ending) if ending.is_success() && is_empty => CommandResult::SilentSuccess,
            RunEnd::Exited(ending) if ending.is_success() => CommandResult::Success,
            RunEnd::Backgrounded(..) | RunEnd::Interrupted | RunEnd::StoppedForPlan => CommandResult::Success,
            RunEnd::Exited(_) | RunEnd::TimedOut(_) | RunEnd::TooManyShells(..) => CommandResult::Failed,
        }
    }

    fn effects(&self, place: &CallLocation) -> Vec<SessionEffect> {
        // `pwd -P` speaks of the folder without links; that alone is no change.
        let same = *self.ended_in == place.folder
            || forelook_disk::resolve(&place.folder).is_ok_and(|real| real == *self.ended_in);
        let moved = (!same).then(|| SessionEffect::SetFolder { folder: self.ended_in.clone() });
        let shell = match &self.end {
            RunEnd::Backgrounded(_, shell) => Some(SessionEffect::ShellStarted(shell.clone())),
            _ => None,
        };
        moved.into_iter().chain(shell).collect()
    }
}

/// What to say of the fence that it ran in, if that came in its way.
pub(crate) fn fence_notes(
    cx: &ToolContext,
    program: &Program,
    command: &str,
    output: &str,
    end: &RunEnd,
) -> Vec<String> {
    let failed = match end {
        RunEnd::Exited(ending) => !ending.is_success(),
        RunEnd::TimedOut(_) | RunEnd::TooManyShells(..) => true,
        RunEnd::Backgrounded(..) | RunEnd::Interrupted | RunEnd::StoppedForPlan => false,
    };
    let (fence, folder) = (program.fence.as_ref(), program.folder.as_path());
    cx.launch.notes(FencedCommand { fence, folder, command, output, failed })
}

/// What to say of variables that are not kept.
pub(crate) fn env_update_notes(env_update: &EnvUpdate) -> Option<String> {
    if env_update.too_much {
        return Some("[The exported variables are too large to keep: no changes were kept]".to_owned());
    }
    let names: Vec<_> = env_update.left_out.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| format!("[Not kept for the next call: {}]", names.join(", ")))
}
