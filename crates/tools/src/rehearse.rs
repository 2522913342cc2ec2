//! `Rehearse`: edits and a command tried while planning, on a layer over the working folders; nothing real changes.

mod edits;
mod inside;

use std::borrow::Cow;

use forelook_protocol::{Action, Confinement};
use schemars::JsonSchema;
use serde::Deserialize;

use self::inside::Inside;
use crate::bash::CommandCall;
use crate::context::ToolContext;
use crate::services::ToolServices;
use crate::tool::{BadInput, Place};
use crate::typed::{Described, Done, Failure, TypedTool};
use crate::{bash, paths};

/// Tries edits and a command.
pub(crate) struct Rehearse {
    pub(crate) services: ToolServices,
}

/// What to try.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What is edited first, in this order. If one does not fit, none is made.
    #[schemars(length(min = 1))]
    edits: Vec<EditInput>,
    /// The command that runs then, as for Bash.
    #[serde(default)]
    command: Option<String>,
    /// Milliseconds until the command is ended; 120000 if left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 600_000))]
    timeout: Option<u64>,
}

/// One edit: a piece of a file for another, or a whole file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditInput {
    /// The file, in a working folder: an absolute path, or one relative to the current folder.
    file_path: String,
    /// The text to replace, exactly as it stands in the file.
    #[serde(default)]
    old_string: Option<String>,
    /// What comes in its place.
    #[serde(default)]
    new_string: Option<String>,
    /// Replace it everywhere; otherwise it must be there exactly once.
    #[serde(default)]
    replace_all: bool,
    /// The whole new content, instead of `old_string` and `new_string`.
    #[serde(default)]
    content: Option<String>,
}

impl Described for Rehearse {
    type Input = Input;
    const NAME: &'static str = "Rehearse";
    const DEFERRED: Option<&'static str> =
        Some("rehearse: try trial edits and run tests on a layer while planning");

    fn description(&self) -> Cow<'static, str> {
        "While planning: makes edits and then runs a command on a layer over the working folders, so that you can see \
        whether a change works before you plan it. Nothing real changes, and the only network is a `localhost` of its own. An edit has \
        `old_string` and `new_string`, as for Edit, or `content`, as for Write; no file need be read first. The layer \
        is kept while planning goes on: later rehearsals, also those of Bash with `rehearse`, go on from it. Read, Grep and \
        Glob see the real files; to look at a rehearsed one use a command. The result ends with the files that would \
        change. When the plan is approved, the person decides whether these changes are applied or thrown away.".into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        if input.edits.is_empty() {
            return Err(BadInput(
                "`edits` is empty: send at least one, or only a command with Bash and `rehearse`".to_owned(),
            ));
        }
        for (at, edit) in input.edits.iter().enumerate() {
            edit.check().map_err(|what| BadInput(format!("`edits[{at}]`: {what}")))?;
        }
        bash::check(input.command.as_deref(), input.timeout)
    }
}

impl TypedTool for Rehearse {
    fn action(&self, input: &Input, place: &Place) -> Result<Action, BadInput> {
        let file = |edit: &EditInput| paths::file("file_path", &edit.file_path, place);
        let edits = input.edits.iter().map(file).collect::<Result<_, _>>()?;
        Ok(Action::Rehearse { edits, command: input.command.clone(), folder: place.folder.clone() })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<Done, Failure> {
        must_be_held(&cx)?;
        let call = CommandCall { services: &self.services, cx: &cx };
        let mut parts = Vec::new();
        let inside = Inside::new(call).await?;
        for file in &edits::check(&input.edits, &inside, &cx).await? {
            if let Err(failure) = inside.write(&file.path, &file.new).await {
                let text = joined(parts, failure.text);
                return with_summary(Err(Failure { text, ..failure }), &cx).await;
            }
            parts.push(file.told());
        }
        let ran = match input.command {
            None => Ok(Done::new(parts.join("\n"))),
            Some(command) => {
                match bash::rehearsed(&bash::Input::rehearsal(command, input.timeout), call).await {
                    Ok(done) => Ok(Done { text: joined(parts, done.text), ..done }),
                    Err(failure) => Err(Failure { text: joined(parts, failure.text), ..failure }),
                }
            }
        };
        with_summary(ran, &cx).await
    }
}

impl EditInput {
    fn check(&self) -> Result<(), &'static str> {
        match (&self.old_string, &self.new_string, &self.content) {
            (None, None, Some(_)) if self.replace_all => Err("`replace_all` goes with `old_string`"),
            (None, None, Some(_)) => Ok(()),
            (Some(old), Some(new), None) if old == new => {
                Err("`old_string` and `new_string` are the same: nothing would change")
            }
            (Some(_), Some(_), None) => Ok(()),
            _ => Err("send `old_string` and `new_string`, or `content` alone"),
        }
    }
}

/// Whoever calls must have seen to it that a layer holds what runs: without one it would be real.
pub(crate) fn must_be_held(cx: &ToolContext) -> Result<(), Failure> {
    match cx.launch.within() {
        Confinement::Rehearsal => Ok(()),
        _ => {
            Err(Failure::new("Not run: nothing can be rehearsed here, and this was not to be done for real"))
        }
    }
}

/// The result with what would change after it.
pub(crate) async fn with_summary(ran: Result<Done, Failure>, cx: &ToolContext) -> Result<Done, Failure> {
    let summary =
        cx.launch.rehearsed(&cx.place.project).await.map_err(|error| Failure::new(error.to_string()))?;
    match ran {
        Ok(done) => Ok(Done { text: joined(vec![done.text], summary), ..done }),
        Err(failure) => Err(Failure { text: joined(vec![failure.text], summary), ..failure }),
    }
}

fn joined(mut parts: Vec<String>, last: String) -> String {
    parts.push(last);
    parts.join("\n")
}

#[cfg(test)]
pub(crate) mod tests;
