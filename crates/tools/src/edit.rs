//! `Edit`: one piece of a file for another; every byte beside it stays.

use std::borrow::Cow;
use std::ops::Range;

use forelook_disk::text_file::{Binary, Encoding};
use forelook_protocol::{AbsPath, Action};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::ToolContext;
use crate::diff::{self, Patch};
use crate::endings::{self, Plain};
use crate::seen::{Hashed, SeenFiles};
use crate::target::{Target, text_of, together};
use crate::tool::{BadInput, Place};
use crate::typed::{Described, Done, Failure, TypedTool, blocking};
use crate::{paths, seen, write};

use self::find::{Found, NotFound, Swap, Wanted, find};

mod find;
mod loose;
mod told;

/// Changes a part of a file.
pub(crate) struct Edit;

/// What to change.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file: an absolute path, or one relative to the current folder.
    pub(crate) file_path: String,
    /// The text to replace, exactly as it stands in the file.
    pub(crate) old_string: String,
    /// What comes in its place.
    pub(crate) new_string: String,
    /// Replace it everywhere; otherwise it must be there exactly once.
    #[serde(default)]
    pub(crate) replace_all: bool,
}

impl Described for Edit {
    type Input = Input;
    const NAME: &'static str = "Edit";

    fn description(&self) -> Cow<'static, str> {
        "Replaces a piece of text in a file that you have read. `old_string` must \
        be in the file exactly as you send it, whitespace included and without the line numbers of Read, and \
        only once: take in as many lines around it as make it unique, or set `replace_all`. A file that was \
        not read, or that changed since, is refused. The rest of the file stays as it is, byte for byte; line \
        endings are taken care of. The result shows what changed.".into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        if input.old_string == input.new_string {
            return Err(BadInput(
                "`old_string` and `new_string` are the same: nothing would change".to_owned(),
            ));
        }
        Ok(())
    }
}

impl TypedTool for Edit {
    fn action(&self, input: &Input, place: &Place) -> Result<Action, BadInput> {
        Ok(Action::Edit { file: paths::file("file_path", &input.file_path, place)? })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<Done, Failure> {
        // Not given up half-way when interrupted: whether it was written must be known.
        blocking(move || edit(&Target::decided(&input.file_path, &cx)?, &input, &cx.files.seen)).await
    }
}

fn edit(target: &Target, input: &Input, seen: &SeenFiles) -> Result<Done, Failure> {
    let path = target.path();
    let Some(old) = target.read()? else {
        return match input.old_string.is_empty() {
            true => write::create(target, &input.new_string),
            false => Err(missing(path)),
        };
    };
    let (hashed, edited) = together(old.len(), &|| Hashed::of(&old), || {
        text_of(&old).map(|(encoding, raw)| {
            let edited = edited(path, &old, (encoding, &raw), input)?;
            let begun = target.begin(&edited.pieces(&old))?;
            Ok::<_, Failure>((edited, begun))
        })
    });
    let Ok(edited) = edited else { return Err(binary(path)) };
    seen::must_be_seen(path, &hashed.hash, seen)?;
    let (edited, begun) = edited?;
    let pieces = edited.pieces(&old);
    let saw = target.finish(&pieces, begun, &|| hashed.with(&pieces))?;
    Ok(write::changed(path, &edited.patch, edited.note.as_deref()).with(saw))
}

/// What an edit makes of a file that lies elsewhere, and what the model should know of how it was done.
pub(crate) fn made(
    path: &AbsPath,
    old: Option<&[u8]>,
    input: &Input,
) -> Result<(Vec<u8>, Option<String>), Failure> {
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

fn missing(path: &AbsPath) -> Failure {
    Failure::new(format!("There is no file `{path}`\nCheck the path; to make a new file use Write"))
}

fn binary(path: &AbsPath) -> Failure {
    Failure::new(format!("`{path}` is a binary file\nChange it with a program, through Bash"))
}

/// What an edit makes of a file.
struct Edited {
    /// The bytes of the old file that go; those before and after them are not copied.
    gone: Range<usize>,
    /// The bytes that come in their place.
    come: Vec<u8>,
    patch: Patch,
    /// What the model should know of how it was done.
    note: Option<String>,
}

impl Edited {
    /// The new file.
    fn pieces<'a>(&'a self, old: &'a [u8]) -> [&'a [u8]; 3] {
        [&old[..self.gone.start], &self.come, &old[self.gone.end..]]
    }
}

/// What an edit makes of bytes that are this text.
fn edited(
    path: &AbsPath,
    old: &[u8],
    (encoding, raw): (Encoding, &str),
    input: &Input,
) -> Result<Edited, Failure> {
    let Replaced { part, new, note } = replaced(path, raw, input)?;
    if new == raw[part.clone()] {
        return Err(Failure::new(
            "`old_string` and `new_string` differ only in what the file does not have: nothing would change\n\
             Read the file again and send the text exactly as it is there",
        ));
    }
    let patch = diff::around(raw, part.clone(), &new);
    let (gone, come) = match encoding {
        Encoding::Utf8 | Encoding::Utf8Bom => {
            let mark = old.len() - raw.len();
            (mark + part.start..mark + part.end, new.into_bytes())
        }
        encoding => {
            let whole = [&raw[..part.start], &new, &raw[part.end..]].concat();
            (0..old.len(), write::to_bytes(path, encoding, whole)?)
        }
    };
    Ok(Edited { gone, come, patch, note })
}

/// The text with the replacement made: everything beside this part stays.
struct Replaced {
    part: Range<usize>,
    new: String,
    /// What was not as asked.
    note: Option<String>,
}

fn replaced(path: &AbsPath, raw: &str, input: &Input) -> Result<Replaced, Failure> {
    let (old, new) = (endings::plain(&input.old_string), endings::plain(&input.new_string));
    if old.is_empty() && !raw.is_empty() {
        return Err(Failure::new(format!(
            "`old_string` is empty, but `{path}` is not\nSend the text to replace, or use Write for the whole file"
        )));
    }
    if old == new {
        return Err(Failure::new(
            "`old_string` and `new_string` differ in line endings only: nothing would change",
        ));
    }
    let plain = Plain::new(raw);
    let wanted = Wanted { old: &old, new: &new, everywhere: input.replace_all };
    let found = find(&plain.text, &wanted).map_err(|error| match error {
        NotFound::Nowhere => told::nowhere(path, &plain.text, &old),
        NotFound::Several(several) => told::several(path, &plain.text, &several),
    })?;
    let note = match &found {
        Found::Exact { .. } => None,
        Found::Alike { differs, .. } => Some(format!(
            "`old_string` differed from the file in {differs}; where nothing changed, the file keeps its own"
        )),
    };
    let (part, new) = splice(raw, &plain, found.swaps(&plain.text, &old));
    Ok(Replaced { part, new, note })
}

/// Makes every swap, and returns the part of the raw text from the first to the last of them, and what it becomes. Their
/// places are of the plain text.
fn splice<'a>(raw: &str, plain: &Plain<'_>, swaps: impl Iterator<Item = Swap<'a>>) -> (Range<usize>, String) {
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
