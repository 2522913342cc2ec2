//! `Write`: a whole file, new or in the place of one that was read.

use std::borrow::Cow;
use std::fmt::Write as _;

use forelook_protocol::{AbsPath, Action};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::endings::{self, Plain};
use crate::seen::SeenFiles;
use crate::target::Target;
use crate::text_file::{Encoding, Unencodable, decode, encode};
use crate::tool::{BadInput, Place, ToolContext};
use crate::typed::{Done, Failure, TypedTool, blocking};
use crate::{diff, paths, seen};

/// Writes a whole file.
pub(crate) struct Write;

/// What to write.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file: an absolute path, or one relative to the current folder.
    file_path: String,
    /// The whole new content.
    content: String,
}

impl TypedTool for Write {
    type Input = Input;
    const NAME: &'static str = "Write";

    fn description(&self) -> Cow<'static, str> {
        "Writes a whole file. It makes a new one, with the folders above it, or \
        replaces one that you have read; a file that was not read, or that changed since, is refused. An \
        existing file keeps its encoding, line endings and permissions. To change a part of a file use Edit."
            .into()
    }

    fn action(&self, input: &Input, place: &Place) -> Result<Action, BadInput> {
        Ok(Action::Edit { file: paths::file("file_path", &input.file_path, place)? })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<Done, Failure> {
        // Not given up half-way when interrupted: whether it was written must be known.
        blocking(move || write(&Target::decided(&input.file_path, &cx)?, &input.content, &cx.seen)).await
    }
}

fn write(target: &Target, content: &str, seen: &SeenFiles) -> Result<Done, Failure> {
    match target.read()? {
        None => create(target, content),
        Some(old) => {
            seen::must_be_seen(target.path(), &old, seen)?;
            replace(target, &old, content)
        }
    }
}

/// Makes a new file, exactly as it was sent.
pub(crate) fn create(target: &Target, content: &str) -> Result<Done, Failure> {
    target.make_folders()?;
    target.save(content.as_bytes())?;
    let (path, lines) = (target.path(), content.lines().count());
    let text = format!("Created `{path}` ({lines} {})", if lines == 1 { "line" } else { "lines" });
    Ok(Done::new(text).with(seen::saw(path, content.as_bytes())))
}

fn replace(target: &Target, old: &[u8], content: &str) -> Result<Done, Failure> {
    let path = target.path();
    let Ok((encoding, old_text)) = decode(old) else {
        return Err(Failure::new(format!(
            "`{path}` is a binary file, so it was not overwritten\nIf it is to go, remove it with Bash first"
        )));
    };
    let old_plain = Plain::new(&old_text);
    let content = endings::plain(content);
    let new = to_bytes(path, encoding, &endings::with(&content, old_plain.dominant()))?;
    if new == old {
        return Ok(Done::new(format!("`{path}` has this content already")).with(seen::saw(path, old)));
    }
    target.save(&new)?;
    Ok(changed(path, &old_plain.text, &content).with(seen::saw(path, &new)))
}

/// Text in the file's encoding.
pub(crate) fn to_bytes(path: &AbsPath, encoding: Encoding, text: &str) -> Result<Vec<u8>, Failure> {
    encode(encoding, text).map_err(|Unencodable(character)| {
        Failure::new(format!(
            "`{path}` is in Latin-1, which has no `{character}`, so nothing was changed\n\
             Leave the character out, or convert the file first with Bash: `iconv -f latin1 -t utf8`"
        ))
    })
}

/// The result of a change: what differs now.
pub(crate) fn changed(path: &AbsPath, old: &str, new: &str) -> Done {
    let mut text = format!("Changed `{path}`\n");
    match diff::unified(old, new) {
        diff if diff.is_empty() => text.push_str("Only line endings are different"),
        diff => {
            let _ = write!(text, "{diff}");
        }
    }
    Done::new(text)
}

#[cfg(test)]
mod tests;
