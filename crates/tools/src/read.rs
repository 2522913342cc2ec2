//! `Read`: a file, or a part of it, with line numbers.

use std::borrow::Cow;
use std::fmt::Write;
use std::num::NonZeroUsize;

use forelook_protocol::{AbsPath, Action};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::file::read_whole;
use crate::output::shorten;
use crate::tool::{BadInput, Place, ToolContext};
use crate::typed::{Done, Failure, TypedTool, blocking};
use crate::{endings, paths, seen, text_file};

const DEFAULT_LINES: usize = 2000;
const MAX_LINE_CHARS: usize = 2000;
/// Text of one result; a model reads on with `offset`.
const MAX_BYTES: usize = 256 * 1024;
/// Similar names that are told when a file is missing.
const MAX_NAMES: usize = 5;

/// Reads a text file.
pub(crate) struct Read;

/// What to read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file: an absolute path, or one relative to the current folder.
    file_path: String,
    /// The first line to read, counted from 1.
    #[serde(default)]
    offset: Option<usize>,
    /// How many lines to read; 2000 if left out.
    #[serde(default)]
    limit: Option<NonZeroUsize>,
}

impl TypedTool for Read {
    type Input = Input;
    const NAME: &'static str = "Read";
    const CONCURRENCY_SAFE: bool = true;

    fn description(&self) -> Cow<'static, str> {
        "Reads a text file. Each line comes as its number, a tab and its text; \
        the number and the tab are not part of the file. Without `offset` and `limit` it gives the first 2000 \
        lines; longer files are read in parts. Lines over 2000 characters are cut. Read a file before you \
        change it with Edit or Write. For folders use Bash with `ls`.".into()
    }

    fn action(&self, input: &Input, place: &Place) -> Result<Action, BadInput> {
        Ok(Action::Read { file: paths::file("file_path", &input.file_path, place)? })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<Done, Failure> {
        let path = paths::decided(&input.file_path, &cx)?;
        // A read can hang, as on a server that is gone; an interrupt does not wait for it.
        tokio::select! {
            done = blocking(move || read(&path, &input)) => done,
            () = cx.cancel.cancelled() => Err(Failure::interrupted()),
        }
    }
}

fn read(path: &AbsPath, input: &Input) -> Result<Done, Failure> {
    let Some(bytes) = read_whole(path)? else { return Err(missing(path)) };
    let Ok((_, text)) = text_file::decode(&bytes) else {
        return Err(Failure::new(format!(
            "`{path}` is a binary file ({} bytes), which cannot be shown as text\n\
             Look at it with Bash: `file`, `xxd | head`, `strings`",
            bytes.len()
        )));
    };
    let effect = seen::saw(path, &bytes);
    let text = endings::Plain::new(&text).text;
    Ok(Done::new(numbered(path, &text, input)?).with(effect))
}

/// The asked lines with their numbers, and a note when there are more.
fn numbered(path: &AbsPath, text: &str, input: &Input) -> Result<String, Failure> {
    if text.is_empty() {
        return Ok(format!("`{path}` is empty"));
    }
    let first = input.offset.unwrap_or(1).max(1);
    let limit = input.limit.map_or(DEFAULT_LINES, NonZeroUsize::get);
    let total = text.lines().count();
    if first > total {
        return Err(Failure::new(format!("`{path}` has {total} lines; `offset` {first} is behind its end")));
    }
    let mut out = String::new();
    let mut next = first;
    for line in text.lines().skip(first - 1).take(limit) {
        // A NUL is no text to some providers.
        let line = shorten(line, MAX_LINE_CHARS).replace('\0', "\u{fffd}");
        if out.len() + line.len() > MAX_BYTES && next > first {
            break;
        }
        let _ = writeln!(out, "{next:>6}\t{line}");
        next += 1;
    }
    if next <= total {
        let _ = writeln!(out, "\n[Lines {first} to {} of {total}. Go on with `offset` {next}.]", next - 1);
    }
    Ok(out)
}

/// Says that there is no such file, and which there are that could have been meant.
fn missing(path: &AbsPath) -> Failure {
    let mut text = format!("There is no file `{path}`");
    let folder = path.as_path().ancestors().skip(1).find(|folder| folder.is_dir());
    match folder {
        Some(folder) if Some(folder) != path.as_path().parent() => {
            let _ =
                write!(text, "\nNor is there its folder: `{}` is the last one that exists", folder.display());
        }
        Some(folder) => {
            let names = similar_names(folder, path);
            if !names.is_empty() {
                let _ = write!(text, "\nIn its folder there is: {}", names.join(", "));
            }
        }
        None => {}
    }
    Failure::new(text)
}

fn similar_names(folder: &std::path::Path, path: &AbsPath) -> Vec<String> {
    let Some(wanted) = path.as_path().file_name().map(|name| name.to_string_lossy().to_lowercase()) else {
        return Vec::new();
    };
    let stem = wanted.split('.').next().unwrap_or_default();
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut alike: Vec<(f32, String)> = names
        // A huge folder is not worth the wait.
        .take(10_000)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let same_stem = !stem.is_empty() && lower.split('.').next() == Some(stem);
            let ratio = similar::TextDiff::from_chars(lower.as_str(), wanted.as_str()).ratio();
            (same_stem || ratio > 0.6).then_some((ratio, name))
        })
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    alike.into_iter().take(MAX_NAMES).map(|(_, name)| format!("`{name}`")).collect()
}

#[cfg(test)]
mod tests;
