//! `BashOutput`: what a shell in the background wrote.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use forelook_protocol::{Action, capitalize};
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::ToolContext;
use crate::output::{UnreadOutput, Window, shorten};
use crate::shells::{Shell, ShellRegistry, ShellState};
use crate::tool::{BadInput, CallLocation};
use crate::typed::{ToolFailure, ToolMetadata, ToolSuccess, TypedTool, blocking};

const DEFAULT_TIMEOUT: u64 = 30_000;
const MAX_TIMEOUT: u64 = 600_000;
/// Bytes that a pattern may become.
const MAX_REGEX: usize = 1024 * 1024;

/// What a shell in the background wrote.
pub(crate) struct BashOutput {
    pub(crate) shells: Arc<ShellRegistry>,
}

/// What is wanted.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The shell's id, such as `shell_1`.
    bash_id: String,
    /// Regular expression: only matching lines are shown. The other lines are not shown later either.
    #[serde(default)]
    filter: Option<String>,
    /// Regular expression to wait for in new lines. The wait also ends when the shell ends.
    #[serde(default)]
    wait_for: Option<String>,
    /// How long to wait for `wait_for`, in milliseconds; defaults to 30000.
    #[serde(default)]
    #[schemars(range(min = 1, max = 600_000))]
    timeout: Option<u64>,
}

impl ToolMetadata for BashOutput {
    type Input = Input;
    const NAME: &'static str = "BashOutput";

    fn description(&self) -> Cow<'static, str> {
        "Reads new output of a background shell of yours (Bash with `run_in_background`) and reports whether it is still \
         running or how it ended. With `wait_for` it waits until a line matches or the shell ends, which is better \
         than polling. If there is a lot of new output, you get the beginning and the end; the full output is in the \
         file whose path Bash reported."
            .into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        if input.timeout.is_some_and(|timeout| !(1..=MAX_TIMEOUT).contains(&timeout)) {
            return Err(BadInput(format!("`timeout` is in milliseconds: send 1 to {MAX_TIMEOUT}")));
        }
        if input.timeout.is_some() && input.wait_for.is_none() {
            return Err(BadInput("`timeout` only works with `wait_for`: send both, or neither".to_owned()));
        }
        for (name, pattern) in [("filter", &input.filter), ("wait_for", &input.wait_for)] {
            pattern.as_deref().map(|pattern| regex(name, pattern)).transpose()?;
        }
        Ok(())
    }
}

impl TypedTool for BashOutput {
    fn action(&self, _: &Input, _: &CallLocation) -> Result<Action, BadInput> {
        Ok(Action::Internal)
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<ToolSuccess, ToolFailure> {
        let shell = self.shells.get(&input.bash_id, cx.place.agent.as_ref()).map_err(ToolFailure::new)?;
        let waited = match &input.wait_for {
            Some(pattern) => Some(wait(&shell, pattern, &input, &cx).await?),
            None => None,
        };
        let look = shell.read_new();
        let text = match &input.filter {
            Some(pattern) => filter(look.unread, regex("filter", pattern)?, look.whole).await?,
            None => look.text,
        };
        let mut parts = Vec::new();
        if !text.trim().is_empty() {
            parts.push(text.trim_end().to_owned());
        }
        parts.extend(waited);
        parts.push(match look.state {
            ShellState::Running if text.trim().is_empty() => {
                format!("`{}` is running; no new output", shell.id)
            }
            ShellState::Running => format!("`{}` is running", shell.id),
            state => format!("`{}`: {}", shell.id, state.describe()),
        });
        Ok(ToolSuccess::new(parts.join("\n")))
    }
}

fn regex(field: &str, pattern: &str) -> Result<Regex, BadInput> {
    RegexBuilder::new(pattern).size_limit(MAX_REGEX).build().map_err(|error| {
        BadInput(format!(
            "`{field}` is not a valid regular expression: {error}\n\
                          Escape special characters that you mean literally with a backslash"
        ))
    })
}

/// Waits for a text, the end, the time, or an interrupt; says what it was if it was not the text.
async fn wait(shell: &Shell, pattern: &str, input: &Input, cx: &ToolContext) -> Result<String, ToolFailure> {
    let pattern = regex("wait_for", pattern)?;
    let shown = shorten(pattern.as_str(), 200);
    let timeout = Duration::from_millis(input.timeout.unwrap_or(DEFAULT_TIMEOUT));
    cx.output.say(format!("waiting for `{shown}` in `{}`", shell.id));
    let (waiting, unread) = shell.watch_for(pattern.clone());
    if let Some(line) = find(unread, pattern).await? {
        return Ok(found(&shown, &line));
    }
    tokio::select! {
        () = shell.wait_for_match(&waiting) => {}
        () = cx.cancel.cancelled() => {
            return Err(ToolFailure::new(format!("Interrupted; `{}` is still running, and its output can still be read", shell.id)));
        }
        () = tokio::time::sleep(timeout) => {}
    }
    Ok(match waiting.line() {
        Some(line) => found(&shown, &line),
        None if shell.is_running() => format!(
            "`{shown}` did not appear within {} ms\nCall again to keep waiting, or look at the output",
            timeout.as_millis()
        ),
        None => format!("`{shown}` never appeared: the shell ended"),
    })
}

fn found(pattern: &str, line: &str) -> String {
    format!("`{pattern}` appeared: {}", shorten(line.trim(), 500))
}

/// The first line with this text.
async fn find(unread: UnreadOutput, pattern: Regex) -> Result<Option<String>, ToolFailure> {
    read(unread, move |unread| {
        let mut found = None;
        unread.lines(|line| match pattern.is_match(line) {
            true => {
                found = Some(line.to_owned());
                ControlFlow::Break(())
            }
            false => ControlFlow::Continue(()),
        })?;
        Ok(found)
    })
    .await
}

/// The lines with this text, bounded.
async fn filter(unread: UnreadOutput, pattern: Regex, whole: String) -> Result<String, ToolFailure> {
    read(unread, move |unread| {
        let (mut window, mut all, mut shown) = (Window::default(), 0usize, 0usize);
        unread.lines(|line| {
            all += 1;
            if pattern.is_match(line) {
                shown += 1;
                window.add(line);
                window.add("\n");
            }
            ControlFlow::Continue(())
        })?;
        let text = window.report(&whole);
        let left_out = all - shown;
        Ok(match left_out {
            0 => text,
            _ => format!("{text}[{left_out} of {all} new lines hidden by the filter; {whole}]"),
        })
    })
    .await
}

/// Looks through some output, beside the runtime if it is in a file.
async fn read<T: Send + 'static>(
    unread: UnreadOutput,
    work: impl FnOnce(&UnreadOutput) -> std::io::Result<T> + Send + 'static,
) -> Result<T, ToolFailure> {
    let failed = |error: std::io::Error| {
        ToolFailure::new(capitalize(&format!("the output could not be read: {error}")))
    };
    match unread {
        UnreadOutput::Text(_) => work(&unread).map_err(failed),
        UnreadOutput::File { .. } => blocking(move || work(&unread).map_err(failed)).await,
    }
}

#[cfg(test)]
mod tests;
