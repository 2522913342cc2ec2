//! `Write`: a whole file, new or in the place of one that was read.

use std::borrow::Cow;

use forelook_disk::text_file::{Encoding, Unencodable, encode};
use forelook_protocol::{AbsPath, Action, ChangePreview, FileVersion, SessionEffect};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::call::PreviewContext;
use crate::context::ToolContext;
use crate::diff::{self, Patch};
use crate::endings::{self, NormalizedText};
use crate::seen::SeenFiles;
use crate::target::{EditTarget, in_parallel, text_of};
use crate::tool::{BadInput, CallLocation};
use crate::typed::{ToolFailure, ToolMetadata, ToolSuccess, TypedTool, blocking};
use crate::{paths, seen};

/// Writes a whole file.
pub(crate) struct Write;

/// What to write.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Path of the file: absolute, or relative to the current directory.
    file_path: String,
    /// The complete new content.
    content: String,
}

impl ToolMetadata for Write {
    type Input = Input;
    const NAME: &'static str = "Write";

    fn description(&self) -> Cow<'static, str> {
        "Writes a whole file. It creates a new file, along with missing directories, or replaces one that you have \
         read; it fails if the file was not read, or has changed since. An existing file keeps its encoding, line \
         endings, and permissions. To change part of a file, use Edit."
            .into()
    }
}

impl TypedTool for Write {
    fn action(&self, input: &Input, place: &CallLocation) -> Result<Action, BadInput> {
        Ok(Action::Edit { file: paths::file("file_path", &input.file_path, place)? })
    }

    async fn preview(&self, input: Input, cx: PreviewContext) -> Result<Option<ChangePreview>, ToolFailure> {
        blocking(move || {
            let target = EditTarget::previewed("file_path", &input.file_path, &cx)?;
            preview(&target, &input.content, &cx.seen).map(Some)
        })
        .await
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<ToolSuccess, ToolFailure> {
        // Not given up half-way when interrupted: whether it was written must be known.
        blocking(move || write(&EditTarget::decided(&input.file_path, &cx)?, &input.content, &cx.files.seen))
            .await
    }
}

fn write(target: &EditTarget, content: &str, seen: &SeenFiles) -> Result<ToolSuccess, ToolFailure> {
    match target.read()? {
        None => create(target, content),
        Some(old) => replace(target, &old, content, seen),
    }
}

/// What would be there afterwards, and what would be lost.
fn preview(target: &EditTarget, content: &str, seen: &SeenFiles) -> Result<ChangePreview, ToolFailure> {
    let path = target.path();
    let Some(old) = target.read()? else { return Ok(diff::between_whole("", content).preview(path, true)) };
    seen::must_be_seen(path, &seen::hash(&old), seen)?;
    let Ok((encoding, text)) = text_of(&old) else { return Err(binary(path)) };
    written(path, encoding, &text, content)?;
    let new = kept_endings(encoding, &text, content);
    Ok(diff::between_whole(&text, &new).preview(path, false))
}

/// Makes a new file, exactly as it was sent.
pub(crate) fn create(target: &EditTarget, content: &str) -> Result<ToolSuccess, ToolFailure> {
    target.make_folders()?;
    let saw = target.save(&[content.as_bytes()])?;
    let (path, lines) = (target.path(), content.lines().count());
    let text = format!("Created `{path}` ({lines} {})", if lines == 1 { "line" } else { "lines" });
    let output = json!({"type": "create", "filePath": path, "structuredPatch": []});
    Ok(ToolSuccess::new(text).output(output).with(saw))
}

fn replace(
    target: &EditTarget,
    old: &[u8],
    content: &str,
    seen: &SeenFiles,
) -> Result<ToolSuccess, ToolFailure> {
    let path = target.path();
    let (hash, written) = in_parallel(old.len(), &|| seen::hash(old), || {
        text_of(old).map(|(encoding, old_text)| written(path, encoding, &old_text, content))
    });
    let Ok(written) = written else { return Err(binary(path)) };
    seen::must_be_seen(path, &hash, seen)?;
    let (new, patch) = written?;
    if new == old {
        let saw = SessionEffect::FileSeen(FileVersion { path: path.clone(), hash });
        let done = ToolSuccess::new(format!("`{path}` already has this content"));
        return Ok(done.output(json!({"type": "update", "filePath": path, "structuredPatch": []})).with(saw));
    }
    let saw = target.save(&[&new])?;
    Ok(changed(path, &patch, None).with(saw))
}

/// The bytes of a new content for a file that lies elsewhere.
pub(crate) fn edited_bytes(
    path: &AbsPath,
    old: Option<&[u8]>,
    content: &str,
) -> Result<Vec<u8>, ToolFailure> {
    let Some(old) = old else { return Ok(content.as_bytes().to_vec()) };
    let Ok((encoding, old)) = text_of(old) else { return Err(binary(path)) };
    written(path, encoding, &old, content).map(|(bytes, _)| bytes)
}

fn binary(path: &AbsPath) -> ToolFailure {
    ToolFailure::new(format!(
        "`{path}` is a binary file, so it was not overwritten: its content could not be shown or restored\n\
         To remove it, use Bash first; to change it, use a program that knows its format"
    ))
}

/// The bytes of a new content, with the encoding and line endings of the old one; and what changes.
fn written(
    path: &AbsPath,
    encoding: Encoding,
    old: &str,
    content: &str,
) -> Result<(Vec<u8>, Patch), ToolFailure> {
    let new = kept_endings(encoding, old, content);
    let patch = diff::between(old, &new);
    Ok((to_bytes(path, encoding, new)?, patch))
}

/// A new content with the line endings of the old one.
fn kept_endings(encoding: Encoding, old: &str, content: &str) -> String {
    // The mark of the encoding is put before it anyway.
    let content = match encoding {
        Encoding::Utf8 | Encoding::Latin1 => content,
        _ => content.strip_prefix('\u{feff}').unwrap_or(content),
    };
    let content = endings::normalize(content);
    endings::with(&content, NormalizedText::new(old).dominant()).into_owned()
}

/// Text in the file's encoding.
pub(crate) fn to_bytes(path: &AbsPath, encoding: Encoding, text: String) -> Result<Vec<u8>, ToolFailure> {
    if encoding == Encoding::Utf8 {
        // A large file need not be copied once more.
        return Ok(text.into_bytes());
    }
    encode(encoding, &text).map_err(|Unencodable(character)| {
        ToolFailure::new(format!(
            "`{path}` is in Latin-1, which has no `{character}`, so nothing was changed\n\
             Leave the character out, or convert the file first with Bash: `iconv -f latin1 -t utf8`"
        ))
    })
}

/// The result of a change: what differs now.
pub(crate) fn changed(path: &AbsPath, patch: &Patch, note: Option<&str>) -> ToolSuccess {
    let mut text = format!("Changed `{path}`\n");
    if let Some(note) = note {
        text.push_str(note);
        text.push('\n');
    }
    match patch.is_empty() {
        true => text.push_str("Only the line endings differ"),
        false => text.push_str(&patch.to_string()),
    }
    ToolSuccess::new(text)
        .output(json!({"type": "update", "filePath": path, "structuredPatch": patch.value()}))
}

#[cfg(test)]
mod tests;
