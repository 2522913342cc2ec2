//! `Grep`: lines by a regular expression.

mod grep_search;

use std::borrow::Cow;
use std::sync::Arc;

use forelook_protocol::Action;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::ToolContext;
use crate::paths;
use crate::search::{ContextLines, DEFAULT_ENTRIES, MAX_CHARS, PathDisplay, SearchRoot, run_blocking};
use crate::tool::{BadInput, CallLocation};
use crate::typed::{ToolFailure, ToolMetadata, ToolSuccess, TypedTool};
use grep_search::GrepSearch;

/// Lines around a match that can be asked for.
const MAX_CONTEXT: usize = 1000;

/// Lines by a regular expression.
pub(crate) struct Grep;

/// What is wanted.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The regular expression, in ripgrep syntax: `log.*Error`, `fn\s+\w+`. To match one of the characters
    /// `.+*?()|[]{}^$\` literally, put a backslash before it, as in `interface\{\}`.
    pattern: String,
    /// The file or directory to search; defaults to the current directory.
    #[serde(default)]
    path: Option<String>,
    /// Only search files with matching names, such as `*.rs` or `src/**/*.{ts,tsx}`; a leading `!` excludes them
    /// instead.
    #[serde(default)]
    glob: Option<String>,
    /// Only search files of this type, such as `rust`, `js`, `py`, `go`, `java`.
    #[serde(default, rename = "type")]
    kind: Option<String>,
    /// What to show: `files_with_matches` (the default) lists paths, most recently changed first; `content` shows the
    /// matching lines; `count` lists paths with their number of matching lines.
    #[serde(default)]
    output_mode: Option<Mode>,
    /// Ignore case.
    #[serde(default, rename = "-i")]
    ignore_case: bool,
    /// With `content`: show line numbers; defaults to true.
    #[serde(default = "yes", rename = "-n")]
    numbers: bool,
    /// With `content`: number of lines to show after each match.
    #[serde(default, rename = "-A")]
    after: Option<usize>,
    /// With `content`: number of lines to show before each match.
    #[serde(default, rename = "-B")]
    before: Option<usize>,
    /// With `content`: number of lines to show before and after each match.
    #[serde(default, rename = "-C")]
    around: Option<usize>,
    /// Let a match span lines; `.` then also matches the end of a line.
    #[serde(default)]
    multiline: bool,
    /// Maximum number of matching lines, or of files when files are listed; defaults to 250, 0 means as many as fit.
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

    fn context(&self) -> ContextLines {
        let around = self.around.unwrap_or(0);
        ContextLines {
            before: self.before.unwrap_or(around),
            after: self.after.unwrap_or(around),
            numbers: self.numbers,
        }
    }
}

impl ToolMetadata for Grep {
    type Input = Input;
    const NAME: &'static str = "Grep";
    const CONCURRENCY_SAFE: bool = true;

    fn description(&self) -> Cow<'static, str> {
        "Searches file contents for a regular expression, as fast as ripgrep. Use it instead of `grep` or \
         `rg` in Bash. By default it lists the matching files, most recently changed first; `output_mode` \
         `content` shows the matching lines below the path of their file, with surrounding lines if you set \
         `-A`, `-B`, or `-C`. Narrow the search with `path`, `glob`, or `type`. Hidden files are searched too. \
         It skips files that `.gitignore` or `.ignore` excludes (to search one, pass it or its directory as \
         `path`), `.git`, symlinks, binary files and, without saying so, files that need approval to read, \
         such as secrets (use Read to ask for one). A pattern matches within a line unless `multiline` is \
         true. Lookaround and backreferences are not supported."
            .into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        if input.pattern.is_empty() {
            return Err(BadInput(
                "`pattern` is empty: send what to search for; to find files by name, use Glob".into(),
            ));
        }
        let around = [("-A", input.after), ("-B", input.before), ("-C", input.around)];
        match around.iter().find(|(_, lines)| lines.is_some_and(|lines| lines > MAX_CONTEXT)) {
            Some((field, _)) => Err(BadInput(format!(
                "`{field}` can be at most {MAX_CONTEXT} lines: search first, then view part of a file with Read"
            ))),
            None => Ok(()),
        }
    }
}

impl TypedTool for Grep {
    fn action(&self, input: &Input, place: &CallLocation) -> Result<Action, BadInput> {
        Ok(Action::Read { file: paths::file("path", input.path.as_deref().unwrap_or("."), place)? })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<ToolSuccess, ToolFailure> {
        let file = paths::file("path", input.path.as_deref().unwrap_or("."), &cx.place)?;
        let path = SearchRoot::decided(file, &cx)?;
        let search = GrepSearch {
            path,
            folder: cx.place.folder.clone(),
            display: PathDisplay::new(cx.place.folder.clone()),
            readable: Arc::clone(&cx.files.readable),
            progress: cx.output.progress().clone(),
            input,
        };
        run_blocking(&cx, move |stop| search.run(&stop)).await
    }
}

#[cfg(test)]
mod tests;
