//! `Edit`: one piece of a file for another; every byte beside it stays.

use std::borrow::Cow;
use std::ops::Range;

use forelook_disk::text_file::{Binary, Encoding};
use forelook_protocol::{AbsPath, Action, ChangePreview};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::call::PreviewContext;
use crate::context::ToolContext;
use crate::diff::{self, Patch};
use crate::endings::{self, NormalizedText};
use crate::seen::{IncrementalHash, SeenFiles};
use crate::target::{EditTarget, in_parallel, text_of};
use crate::tool::{BadInput, CallLocation};
use crate::typed::{ToolFailure, ToolMetadata, ToolSuccess, TypedTool, blocking};
use crate::{paths, seen, write};

use self::find::{EditMatch, EditRequest, MatchError, TextSwap, find};

mod find;
mod fold;
mod messages;

/// Changes a part of a file.
pub(crate) struct Edit;

/// What to change.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Path of the file: absolute, or relative to the current directory.
    pub(crate) file_path: String,
    /// The text to replace, exactly as it appears in the file.
    pub(crate) old_string: String,
    /// The text to replace it with.
    pub(crate) new_string: String,
    /// Replace every occurrence; otherwise the text must occur exactly once.
    #[serde(default)]
    pub(crate) replace_all: bool,
}

impl ToolMetadata for Edit {
    type Input = Input;
    const NAME: &'static str = "Edit";

    fn description(&self) -> Cow<'static, str> {
        "Replaces text in a file that you have read. `old_string` must match the file exactly, including whitespace \
         and without Read's line numbers, and must occur only once: include enough surrounding lines to make it \
         unique, or set `replace_all`. The edit fails if the file was not read, or has changed since. The rest of \
         the file stays the same, byte for byte; line endings are handled for you. The result shows what changed.".into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        if input.old_string == input.new_string {
            return Err(BadInput(
                "`old_string` and `new_string` are identical: nothing would change".to_owned(),
            ));
        }
        Ok(())
    }
}

impl TypedTool for Edit {
    fn action(&self, input: &Input, place: &CallLocation) -> Result<Action, BadInput> {
        Ok(Action::Edit { file: paths::file("file_path", &input.file_path, place)? })
    }

    async fn preview(&self, input: Input, cx: PreviewContext) -> Result<Option<ChangePreview>, ToolFailure> {
        blocking(move || {
            let target = EditTarget::previewed("file_path", &input.file_path, &cx)?;
            preview(&target, &input, &cx.seen).map(Some)
        })
        .await
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<ToolSuccess, ToolFailure> {
        // Not given up half-way when interrupted: whether it was written must be known.
        blocking(move || edit(&EditTarget::decided(&input.file_path, &cx)?, &input, &cx.files.seen)).await
    }
}

fn edit(target: &EditTarget, input: &Input, seen: &SeenFiles) -> Result<ToolSuccess, ToolFailure> {
    let path = target.path();
    let Some(old) = target.read()? else {
        return match input.old_string.is_empty() {
            true => write::create(target, &input.new_string),
            false => Err(missing(path)),
        };
    };
    let (hashed, edited) = in_parallel(old.len(), &|| IncrementalHash::of(&old), || {
        text_of(&old).map(|(encoding, raw)| {
            let edited = edited(path, &old, (encoding, &raw), input)?;
            let staged = target.stage(&edited.pieces(&old))?;
            Ok::<_, ToolFailure>((edited, staged))
        })
    });
    let Ok(edited) = edited else { return Err(binary(path)) };
    seen::must_be_seen(path, &hashed.hash, seen)?;
    let (edited, staged) = edited?;
    let pieces = edited.pieces(&old);
    let saw = target.commit(&pieces, staged, &|| hashed.with(&pieces))?;
    Ok(write::changed(path, &edited.patch, edited.note.as_deref()).with(saw))
}

/// What an edit would make of the file.
fn preview(target: &EditTarget, input: &Input, seen: &SeenFiles) -> Result<ChangePreview, ToolFailure> {
    let path = target.path();
    let Some(old) = target.read()? else {
        return match input.old_string.is_empty() {
            true => Ok(diff::between_whole("", &input.new_string).preview(path, true)),
            false => Err(missing(path)),
        };
    };
    seen::must_be_seen(path, &seen::hash(&old), seen)?;
    let (encoding, raw) = text_of(&old).map_err(|Binary| binary(path))?;
    edited(path, &old, (encoding, &raw), input)?;
    let TextReplacement { part, new, .. } = replaced(path, &raw, input)?;
    Ok(diff::around_whole(&raw, part, &new).preview(path, false))
}

/// What an edit makes of a file that lies elsewhere, and what the model should know of how it was done.
pub(crate) fn edited_bytes(
    path: &AbsPath,
    old: Option<&[u8]>,
    input: &Input,
) -> Result<(Vec<u8>, Option<String>), ToolFailure> {
    let Some(old) = old else {
        return match input.old_string.is_empty() {
            true => Ok((input.new_string.clone().into_bytes(), None)),
            false => Err(missing(path)),
        };
    };
    let (encoding, raw) = text_of(old).map_err(|Binary| binary(path))?;
    let edited = edited(path, old, (encoding, &raw), input)?;
    Ok((edited.pieces(old).concat(), edited.note))
}

fn missing(path: &AbsPath) -> ToolFailure {
    ToolFailure::new(format!("There is no file `{path}`\nCheck the path; to create a file, use Write"))
}

fn binary(path: &AbsPath) -> ToolFailure {
    ToolFailure::new(format!("`{path}` is a binary file\nChange it with a program in Bash"))
}

/// What an edit makes of a file.
struct EditResult {
    /// The bytes of the old file that go; those before and after them are not copied.
    removed: Range<usize>,
    /// The bytes that come in their place.
    inserted: Vec<u8>,
    patch: Patch,
    /// What the model should know of how it was done.
    note: Option<String>,
}

impl EditResult {
    /// The new file.
    fn pieces<'a>(&'a self, old: &'a [u8]) -> [&'a [u8]; 3] {
        [&old[..self.removed.start], &self.inserted, &old[self.removed.end..]]
    }
}

/// What an edit makes of bytes that are this text.
fn edited(
    path: &AbsPath,
    old: &[u8],
    (encoding, raw): (Encoding, &str),
    input: &Input,
) -> Result<EditResult, ToolFailure> {
    let TextReplacement { part, new, note } = replaced(path, raw, input)?;
    if new == raw[part.clone()] {
        return Err(ToolFailure::new(
            "`old_string` and `new_string` differ only in details that the file does not have: nothing would change\n\
             Read the file again and send the text exactly as it appears there",
        ));
    }
    let patch = diff::around(raw, part.clone(), &new);
    let (removed, inserted) = match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => {
            let mark = old.len() - raw.len();
            (mark + part.start..mark + part.end, new.into_bytes())
        }
        encoding => {
            let whole = [&raw[..part.start], &new, &raw[part.end..]].concat();
            (0..old.len(), write::to_bytes(path, encoding, whole)?)
        }
    };
    Ok(EditResult { removed, inserted, patch, note })
}

/// The text with the replacement made: everything beside this part stays.
struct TextReplacement {
    part: Range<usize>,
    new: String,
    /// What was not as asked.
    note: Option<String>,
}

fn replaced(path: &AbsPath, raw: &str, input: &Input) -> Result<TextReplacement, ToolFailure> {
    let (old, new) = (endings::normalize(&input.old_string), endings::normalize(&input.new_string));
    if old.is_empty() && !raw.is_empty() {
        return Err(ToolFailure::new(format!(
            "`old_string` is empty, but `{path}` is not\n\
             Send the text to replace, or replace the whole file with Write"
        )));
    }
    if old == new {
        return Err(ToolFailure::new(
            "`old_string` and `new_string` differ only in line endings: nothing would change",
        ));
    }
    let plain = NormalizedText::new(raw);
    let request = EditRequest { old: &old, new: &new, everywhere: input.replace_all };
    let found = find(&plain.text, &request).map_err(|error| match error {
        MatchError::NoMatch => messages::no_match(path, &plain.text, &old),
        MatchError::Ambiguous(several) => messages::ambiguous(path, &plain.text, &several),
    })?;
    let note = match &found {
        EditMatch::Exact { .. } => None,
        EditMatch::Similar { differs, .. } => Some(format!(
            "`old_string` differed from the file in {differs}; unchanged parts stay as they are in the file"
        )),
    };
    let (part, new) = splice(raw, &plain, found.swaps(&plain.text, &old));
    Ok(TextReplacement { part, new, note })
}

/// Makes every swap, and returns the part of the raw text from the first to the last of them, and what it becomes. Their
/// places are of the plain text.
fn splice<'a>(
    raw: &str,
    plain: &NormalizedText<'_>,
    swaps: impl Iterator<Item = TextSwap<'a>>,
) -> (Range<usize>, String) {
    let mut swaps = swaps.peekable();
    let start = swaps.peek().map_or(0, |(old, _)| plain.raw_offset(old.start));
    let mut out = String::new();
    let mut done = start;
    for (old, new) in swaps {
        out.push_str(&raw[done..plain.raw_offset(old.start)]);
        out.push_str(&endings::with(new, plain.near(old.start)));
        done = plain.raw_offset(old.end);
    }
    (start..done, out)
}

#[cfg(test)]
mod tests;
