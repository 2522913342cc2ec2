//! `BashOutput`: what a shell in the background wrote.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use forelook_protocol::{Action, capital};
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::ToolContext;
use crate::output::{Unseen, Window, shorten};
use crate::shells::{Shell, Shells, State};
use crate::tool::{BadInput, Place};
use crate::typed::{Described, Done, Failure, TypedTool, blocking};

const DEFAULT_TIMEOUT: u64 = 30_000;
const MAX_TIMEOUT: u64 = 600_000;
/// Bytes that a pattern may become.
const MAX_REGEX: usize = 1024 * 1024;

/// What a shell in the background wrote.
pub(crate) struct BashOutput {
    pub(crate) shells: Arc<Shells>,
}

/// What is wanted.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The shell, such as `shell_1`.
    bash_id: String,
    /// A regular expression: only lines with it are shown. The others are not shown later either.
    #[serde(default)]
    filter: Option<String>,
    /// A regular expression to wait for, in any new line; the end of the shell ends the wait too.
    #[serde(default)]
    wait_for: Option<String>,
    /// Milliseconds to wait for `wait_for`; 30000 if left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 600_000))]
    timeout: Option<u64>,
}

impl Described for BashOutput {
    type Input = Input;
    const NAME: &'static str = "BashOutput";

    fn description(&self) -> Cow<'static, str> {
        "Reads what a shell in the background (Bash with `run_in_background`) wrote since the last look, and tells \
        whether it still runs or how it ended. With `wait_for` it waits until a line has that text or the shell ends, \
        which is better than to ask again and again. Of very much new output you get the beginning and the end; all of \
        it is in a file whose path Bash told."
            .into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        if input.timeout.is_some_and(|timeout| !(1..=MAX_TIMEOUT).contains(&timeout)) {
            return Err(BadInput(format!("`timeout` is in milliseconds: send 1 to {MAX_TIMEOUT}")));
        }
        if input.timeout.is_some() && input.wait_for.is_none() {
            return Err(BadInput("`timeout` is for `wait_for`: send both, or neither".to_owned()));
        }
        for (name, pattern) in [("filter", &input.filter), ("wait_for", &input.wait_for)] {
            pattern.as_deref().map(|pattern| regex(name, pattern)).transpose()?;
        }
        Ok(())
    }
}

impl TypedTool for BashOutput {
    fn action(&self, _: &Input, _: &Place) -> Result<Action, BadInput> {
        Ok(Action::Internal)
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<Done, Failure> {
        let shell = self.shells.get(&input.bash_id).map_err(Failure::new)?;
        let waited = match &input.wait_for {
            Some(pattern) => Some(wait(&shell, pattern, &input, &cx).await?),
            None => None,
        };
        let look = shell.look();
        let text = match &input.filter {
            Some(pattern) => filter(look.unseen, regex("filter", pattern)?, look.whole).await?,
            None => look.text,
        };
        let mut parts = Vec::new();
        if !text.trim().is_empty() {
            parts.push(text.trim_end().to_owned());
        }
        parts.extend(waited);
        parts.push(match look.state {
            State::Running if text.trim().is_empty() => format!("`{}` is running; nothing new", shell.id),
            State::Running => format!("`{}` is running", shell.id),
            state => format!("`{}`: {}", shell.id, state.words()),
        });
        Ok(Done::new(parts.join("\n")))
    }
}

fn regex(field: &str, pattern: &str) -> Result<Regex, BadInput> {
    RegexBuilder::new(pattern).size_limit(MAX_REGEX).build().map_err(|error| {
        BadInput(format!("`{field}` is no regular expression that can be used: {error}\nPut a backslash before a sign that stands for itself"))
    })
}

/// Waits for a text, the end, the time, or an interrupt; says what it was if it was not the text.
async fn wait(shell: &Shell, pattern: &str, input: &Input, cx: &ToolContext) -> Result<String, Failure> {
    let pattern = regex("wait_for", pattern)?;
    let shown = shorten(pattern.as_str(), 200);
    let timeout = Duration::from_millis(input.timeout.unwrap_or(DEFAULT_TIMEOUT));
    cx.output.say(format!("waiting for `{shown}` in `{}`", shell.id));
    let (waiting, unseen) = shell.wait_for(pattern.clone());
    if let Some(line) = find(unseen, pattern).await? {
        return Ok(found(&shown, &line));
    }
    tokio::select! {
        () = shell.came(&waiting) => {}
        () = cx.cancel.cancelled() => {
            return Err(Failure::new(format!("Interrupted; `{}` goes on, and its output is still there to be read", shell.id)));
        }
        () = tokio::time::sleep(timeout) => {}
    }
    Ok(match waiting.line() {
        Some(line) => found(&shown, &line),
        None if shell.is_running() => format!(
            "`{shown}` did not come within {} ms\nWait on with another call, or look at what it wrote",
            timeout.as_millis()
        ),
        None => format!("`{shown}` never came: the shell ended"),
    })
}

fn found(pattern: &str, line: &str) -> String {
    format!("`{pattern}` came: {}", shorten(line.trim(), 500))
}

/// The first line with this text.
async fn find(unseen: Unseen, pattern: Regex) -> Result<Option<String>, Failure> {
    read(unseen, move |unseen| {
        let mut found = None;
        unseen.lines(|line| match pattern.is_match(line) {
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
async fn filter(unseen: Unseen, pattern: Regex, whole: String) -> Result<String, Failure> {
    read(unseen, move |unseen| {
        let (mut window, mut all, mut shown) = (Window::default(), 0usize, 0usize);
        unseen.lines(|line| {
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
            _ => format!("{text}[{left_out} of {all} new lines are left out by the filter; {whole}]"),
        })
    })
    .await
}

/// Looks through some output, beside the runtime if it is in a file.
async fn read<T: Send + 'static>(
    unseen: Unseen,
    work: impl FnOnce(&Unseen) -> std::io::Result<T> + Send + 'static,
) -> Result<T, Failure> {
    let failed =
        |error: std::io::Error| Failure::new(capital(&format!("the output could not be read: {error}")));
    match unseen {
        Unseen::Text(_) => work(&unseen).map_err(failed),
        Unseen::File { .. } => blocking(move || work(&unseen).map_err(failed)).await,
    }
}

#[cfg(test)]
mod tests;
