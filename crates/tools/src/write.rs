//! `Write`: a whole file, new or in the place of one that was read.

use std::borrow::Cow;

use forelook_disk::text_file::{Encoding, Unencodable, encode};
use forelook_protocol::{AbsPath, Action, Effect, Seen};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::diff::{self, Patch};
use crate::endings::{self, Plain};
use crate::seen::SeenFiles;
use crate::target::{Target, text_of, together};
use crate::tool::{BadInput, Place};
use crate::typed::{Described, Done, Failure, TypedTool, blocking};
use crate::{paths, seen};

/// Writes a whole file.
pub(crate) struct Write;

/// What to write.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file: an absolute path, or one relative to the current folder.
    file_path: String,
    /// The whole new content.
    content: String,
}

impl Described for Write {
    type Input = Input;
    const NAME: &'static str = "Write";

    fn description(&self) -> Cow<'static, str> {
        "Writes a whole file. It makes a new one, with the folders above it, or \
        replaces one that you have read; a file that was not read, or that changed since, is refused. An \
        existing file keeps its encoding, line endings and permissions. To change a part of a file use Edit."
            .into()
    }
}

impl TypedTool for Write {
    fn action(&self, input: &Input, place: &Place) -> Result<Action, BadInput> {
        Ok(Action::Edit { file: paths::file("file_path", &input.file_path, place)? })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<Done, Failure> {
        // Not given up half-way when interrupted: whether it was written must be known.
        blocking(move || write(&Target::decided(&input.file_path, &cx)?, &input.content, &cx.files.seen))
            .await
    }
}

fn write(target: &Target, content: &str, seen: &SeenFiles) -> Result<Done, Failure> {
    match target.read()? {
        None => create(target, content),
        Some(old) => replace(target, &old, content, seen),
    }
}

/// Makes a new file, exactly as it was sent.
pub(crate) fn create(target: &Target, content: &str) -> Result<Done, Failure> {
    target.make_folders()?;
    let saw = target.save(&[content.as_bytes()])?;
    let (path, lines) = (target.path(), content.lines().count());
    let text = format!("Created `{path}` ({lines} {})", if lines == 1 { "line" } else { "lines" });
    let output = json!({"type": "create", "filePath": path, "structuredPatch": []});
    Ok(Done::new(text).output(output).with(saw))
}

fn replace(target: &Target, old: &[u8], content: &str, seen: &SeenFiles) -> Result<Done, Failure> {
    let path = target.path();
    let (hash, written) = together(old.len(), &|| seen::hash(old), || {
        text_of(old).map(|(encoding, old_text)| written(path, encoding, &old_text, content))
    });
    let Ok(written) = written else { return Err(binary(path)) };
    seen::must_be_seen(path, &hash, seen)?;
    let (new, patch) = written?;
    if new == old {
        let saw = Effect::Saw(Seen { path: path.clone(), hash });
        let done = Done::new(format!("`{path}` has this content already"));
        return Ok(done.output(json!({"type": "update", "filePath": path, "structuredPatch": []})).with(saw));
    }
    let saw = target.save(&[&new])?;
    Ok(changed(path, &patch, None).with(saw))
}

/// The bytes of a new content for a file that lies elsewhere.
pub(crate) fn made(path: &AbsPath, old: Option<&[u8]>, content: &str) -> Result<Vec<u8>, Failure> {
    let Some(old) = old else { return Ok(content.as_bytes().to_vec()) };
    let Ok((encoding, old)) = text_of(old) else { return Err(binary(path)) };
    written(path, encoding, &old, content).map(|(bytes, _)| bytes)
}

fn binary(path: &AbsPath) -> Failure {
    Failure::new(format!(
        "`{path}` is a binary file, so it was not overwritten: what is in it could not be shown or brought back\n\
         If it is to go, remove it with Bash first; if it is to change, use a program that knows its format"
    ))
}

/// The bytes of a new content, with the encoding and line endings of the old one; and what changes.
fn written(
    path: &AbsPath,
    encoding: Encoding,
    old: &str,
    content: &str,
) -> Result<(Vec<u8>, Patch), Failure> {
    // The mark of the encoding is put before it anyway.
    let content = match encoding {
        Encoding::Utf8 | Encoding::Latin1 => content,
        _ => content.strip_prefix('\u{feff}').unwrap_or(content),
    };
    let content = endings::plain(content);
    let new = endings::with(&content, Plain::new(old).dominant());
    let patch = diff::between(old, &new);
    Ok((to_bytes(path, encoding, new.into_owned())?, patch))
}

/// Text in the file's encoding.
pub(crate) fn to_bytes(path: &AbsPath, encoding: Encoding, text: String) -> Result<Vec<u8>, Failure> {
    if encoding == Encoding::Utf8 {
        // A large file need not be copied once more.
        return Ok(text.into_bytes());
    }
    encode(encoding, &text).map_err(|Unencodable(character)| {
        Failure::new(format!(
            "`{path}` is in Latin-1, which has no `{character}`, so nothing was changed\n\
             Leave the character out, or convert the file first with Bash: `iconv -f latin1 -t utf8`"
        ))
    })
}

/// The result of a change: what differs now.
pub(crate) fn changed(path: &AbsPath, patch: &Patch, note: Option<&str>) -> Done {
    let mut text = format!("Changed `{path}`\n");
    if let Some(note) = note {
        text.push_str(note);
        text.push('\n');
    }
    match patch.is_empty() {
        true => text.push_str("Only line endings are different"),
        false => text.push_str(&patch.to_string()),
    }
    Done::new(text).output(json!({"type": "update", "filePath": path, "structuredPatch": patch.value()}))
}

#[cfg(test)]
mod tests;
