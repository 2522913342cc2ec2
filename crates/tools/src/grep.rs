//! `Grep`: lines by a regular expression.

mod find;

use std::borrow::Cow;
use std::sync::Arc;

use forelook_protocol::Action;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::ToolContext;
use crate::paths;
use crate::search::{Context, DEFAULT_ENTRIES, MAX_CHARS, Root, Shown, beside};
use crate::tool::{BadInput, Place};
use crate::typed::{Described, Done, Failure, TypedTool};
use find::Find;

/// Lines around a match that can be asked for.
const MAX_CONTEXT: usize = 1000;

/// Lines by a regular expression.
pub(crate) struct Grep;

/// What is wanted.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The regular expression, as ripgrep reads it: `log.*Error`, `fn\s+\w+`. For the characters `.+*?()|[]{}^$\`
    /// themselves put a backslash before them, such as `interface\{\}`.
    pattern: String,
    /// The file or folder to search; the current folder if left out.
    #[serde(default)]
    path: Option<String>,
    /// Only files with such names, such as `*.rs` or `src/**/*.{ts,tsx}`; with `!` before it, all but those.
    #[serde(default)]
    glob: Option<String>,
    /// Only files of this type, such as `rust`, `js`, `py`, `go`, `java`.
    #[serde(default, rename = "type")]
    kind: Option<String>,
    /// What to show: `files_with_matches` (the default) lists paths, newest change first; `content` shows the lines;
    /// `count` lists paths with the number of their matching lines.
    #[serde(default)]
    output_mode: Option<Mode>,
    /// Whether upper and lower case are alike.
    #[serde(default, rename = "-i")]
    ignore_case: bool,
    /// With `content`: line numbers; true if left out.
    #[serde(default = "yes", rename = "-n")]
    numbers: bool,
    /// With `content`: how many lines to show after each match.
    #[serde(default, rename = "-A")]
    after: Option<usize>,
    /// With `content`: how many lines to show before each match.
    #[serde(default, rename = "-B")]
    before: Option<usize>,
    /// With `content`: how many lines to show before and after each match.
    #[serde(default, rename = "-C")]
    around: Option<usize>,
    /// Whether a match may span lines; `.` then matches the end of a line too.
    #[serde(default)]
    multiline: bool,
    /// At most so many matching lines, or files where files are listed; 250 if left out, 0 for as many as fit.
    #[serde(default)]
    head_limit: Option<usize>,
}

fn yes() -> bool {
    true
}

/// What is shown of the matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Content,
    FilesWithMatches,
    Count,
}

impl Input {
    /// Who asks for lines around matches wants to see lines.
    fn mode(&self) -> Mode {
        let wants_lines = [self.after, self.before, self.around].iter().any(Option::is_some);
        self.output_mode.unwrap_or(if wants_lines { Mode::Content } else { Mode::FilesWithMatches })
    }

    fn limit(&self) -> usize {
        match self.head_limit {
            None => DEFAULT_ENTRIES,
            // An entry has at least one character.
            Some(0) => MAX_CHARS,
            Some(limit) => limit.min(MAX_CHARS),
        }
    }

    fn context(&self) -> Context {
        let around = self.around.unwrap_or(0);
        Context {
            before: self.before.unwrap_or(around),
            after: self.after.unwrap_or(around),
            numbers: self.numbers,
        }
    }
}

impl Described for Grep {
    type Input = Input;
    const NAME: &'static str = "Grep";
    const CONCURRENCY_SAFE: bool = true;

    fn description(&self) -> Cow<'static, str> {
        "Searches the contents of files for a regular expression, as fast as ripgrep. Use it rather than `grep` or \
        `rg` in Bash. By default it lists the files that match, newest change first; `output_mode` `content` shows \
        the lines, under the path of their file, and with `-A`, `-B` or `-C` those around them. Narrow a search \
        with `path`, `glob` or `type`. Hidden files are searched too. Passed over are: what `.gitignore` or \
        `.ignore` excludes (give such a file or folder as `path` to search it), `.git`, links, binary files, \
        and without a word files that may not be read without asking, such as secrets (Read asks for one). A \
        pattern matches within a line unless `multiline` is true. There is no look-around and there are no \
        backreferences.".into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        if input.pattern.is_empty() {
            return Err(BadInput(
                "`pattern` is empty: send what to search for; for files by name use Glob".into(),
            ));
        }
        let around = [("-A", input.after), ("-B", input.before), ("-C", input.around)];
        match around.iter().find(|(_, lines)| lines.is_some_and(|lines| lines > MAX_CONTEXT)) {
            Some((field, _)) => Err(BadInput(format!(
                "`{field}` is at most {MAX_CONTEXT} lines: search first, then use Read for a part of a file"
            ))),
            None => Ok(()),
        }
    }
}

impl TypedTool for Grep {
    fn action(&self, input: &Input, place: &Place) -> Result<Action, BadInput> {
        Ok(Action::Read { file: paths::file("path", input.path.as_deref().unwrap_or("."), place)? })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<Done, Failure> {
        let file = paths::file("path", input.path.as_deref().unwrap_or("."), &cx.place)?;
        let path = Root::decided(file, &cx)?;
        let find = Find {
            path,
            folder: cx.place.folder.clone(),
            shown: Shown::new(cx.place.folder.clone()),
            readable: Arc::clone(&cx.files.readable),
            progress: cx.output.progress().clone(),
            input,
        };
        beside(&cx, move |stop| find.run(&stop)).await
    }
}

#[cfg(test)]
mod tests;
