//! `Rehearse`: edits and a command tried while planning, on a layer over the working folders; nothing real changes.

mod edits;
mod overlay_shell;

use std::borrow::Cow;

use forelook_protocol::{Action, Confinement};
use schemars::JsonSchema;
use serde::Deserialize;

use self::overlay_shell::OverlayShell;
use crate::bash::CommandCall;
use crate::context::ToolContext;
use crate::services::ToolServices;
use crate::tool::{BadInput, CallLocation};
use crate::typed::{ToolFailure, ToolMetadata, ToolSuccess, TypedTool};
use crate::{bash, paths};

/// Tries edits and a command.
pub(crate) struct Rehearse {
    pub(crate) services: ToolServices,
}

/// What to try.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The edits to make first, in this order. If one fails, none is made.
    #[schemars(length(min = 1))]
    edits: Vec<EditInput>,
    /// The command to run after the edits, as in Bash.
    #[serde(default)]
    command: Option<String>,
    /// Timeout of the command in milliseconds; defaults to 120000.
    #[serde(default)]
    #[schemars(range(min = 1, max = 600_000))]
    timeout: Option<u64>,
}

/// One edit: replaces part of a file, or all of it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditInput {
    /// Path of the file, in a working directory: absolute, or relative to the current directory.
    file_path: String,
    /// The text to replace, exactly as it appears in the file.
    #[serde(default)]
    old_string: Option<String>,
    /// The text to replace it with.
    #[serde(default)]
    new_string: Option<String>,
    /// Replace every occurrence; otherwise the text must occur exactly once.
    #[serde(default)]
    replace_all: bool,
    /// The complete new content, instead of `old_string` and `new_string`.
    #[serde(default)]
    content: Option<String>,
}

impl ToolMetadata for Rehearse {
    type Input = Input;
    const NAME: &'static str = "Rehearse";
    const DEFERRED: Option<&'static str> =
        Some("rehearse: try trial edits and run tests on an overlay while planning");

    fn description(&self) -> Cow<'static, str> {
        "In plan mode: makes edits and then runs a command on an overlay of the working directories, so you can see \
         whether a change works before you plan it. The real files do not change, and the only network is a private \
         `localhost`. An edit has `old_string` and `new_string`, as in Edit, or `content`, as in Write; files need \
         not be read first. The overlay is kept while planning: later rehearsals, including Bash with `rehearse`, \
         build on it. Read, Grep, and Glob see the real files; to view a rehearsed one, use a command. The result \
         ends with the files that would change. When the plan is approved, the user decides whether to apply or \
         discard these changes.".into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        if input.edits.is_empty() {
            return Err(BadInput(
                "`edits` is empty: send at least one, or run only a command with Bash and `rehearse`"
                    .to_owned(),
            ));
        }
        for (at, edit) in input.edits.iter().enumerate() {
            edit.check().map_err(|what| BadInput(format!("`edits[{at}]`: {what}")))?;
        }
        bash::check(input.command.as_deref(), input.timeout)
    }
}

impl TypedTool for Rehearse {
    fn action(&self, input: &Input, place: &CallLocation) -> Result<Action, BadInput> {
        let file = |edit: &EditInput| paths::file("file_path", &edit.file_path, place);
        let edits = input.edits.iter().map(file).collect::<Result<_, _>>()?;
        Ok(Action::Rehearse { edits, command: input.command.clone(), folder: place.folder.clone() })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<ToolSuccess, ToolFailure> {
        require_overlay(&cx)?;
        let call = CommandCall { services: &self.services, cx: &cx };
        let mut parts = Vec::new();
        let shell = OverlayShell::new(call).await?;
        for file in &edits::check(&input.edits, &shell, &cx).await? {
            if let Err(failure) = shell.write(&file.path, &file.new).await {
                let text = joined(parts, failure.text);
                return with_summary(Err(ToolFailure { text, ..failure }), &cx).await;
            }
            parts.push(file.describe());
        }
        let ran = match input.command {
            None => Ok(ToolSuccess::new(parts.join("\n"))),
            Some(command) => {
                match bash::run_rehearsed(&bash::Input::rehearsal(command, input.timeout), call).await {
                    Ok(done) => Ok(ToolSuccess { text: joined(parts, done.text), ..done }),
                    Err(failure) => Err(ToolFailure { text: joined(parts, failure.text), ..failure }),
                }
            }
        };
        with_summary(ran, &cx).await
    }
}

impl EditInput {
    fn check(&self) -> Result<(), &'static str> {
        match (&self.old_string, &self.new_string, &self.content) {
            (None, None, Some(_)) if self.replace_all => Err("`replace_all` needs `old_string`"),
            (None, None, Some(_)) => Ok(()),
            (Some(old), Some(new), None) if old == new => {
                Err("`old_string` and `new_string` are identical: nothing would change")
            }
            (Some(_), Some(_), None) => Ok(()),
            _ => Err("send either `old_string` and `new_string`, or only `content`"),
        }
    }
}

/// Whoever calls must have seen to it that a layer holds what runs: without one it would be real.
pub(crate) fn require_overlay(cx: &ToolContext) -> Result<(), ToolFailure> {
    match cx.launch.sandbox() {
        Confinement::Rehearsal => Ok(()),
        _ => Err(ToolFailure::new(
            "Not run: rehearsals are not available here, and this was not meant to run for real",
        )),
    }
}

/// The result with what would change after it.
pub(crate) async fn with_summary(
    ran: Result<ToolSuccess, ToolFailure>,
    cx: &ToolContext,
) -> Result<ToolSuccess, ToolFailure> {
    let summary = cx
        .launch
        .rehearsal_summary(&cx.place.project)
        .await
        .map_err(|error| ToolFailure::new(error.to_string()))?;
    match ran {
        Ok(done) => Ok(ToolSuccess { text: joined(vec![done.text], summary), ..done }),
        Err(failure) => Err(ToolFailure { text: joined(vec![failure.text], summary), ..failure }),
    }
}

fn joined(mut parts: Vec<String>, last: String) -> String {
    parts.push(last);
    parts.join("\n")
}

#[cfg(test)]
pub(crate) mod tests;
