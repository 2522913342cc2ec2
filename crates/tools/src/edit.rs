//! `Edit`: one piece of a file for another; every byte beside it stays.

use std::borrow::Cow;
use std::ops::Range;

use forelook_protocol::{AbsPath, Action};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::endings::{self, Plain};
use crate::seen::SeenFiles;
use crate::target::Target;
use crate::text_file::decode;
use crate::tool::{BadInput, Place, ToolContext};
use crate::typed::{Done, Failure, TypedTool, blocking};
use crate::{nearest, paths, seen, write};

/// Places that are named when there are several.
const MAX_PLACES: usize = 20;

/// Changes a part of a file.
pub(crate) struct Edit;

/// What to change.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file: an absolute path, or one relative to the current folder.
    file_path: String,
    /// The text to replace, exactly as it stands in the file.
    old_string: String,
    /// What comes in its place.
    new_string: String,
    /// Replace it everywhere; otherwise it must be there exactly once.
    #[serde(default)]
    replace_all: bool,
}

impl TypedTool for Edit {
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

    fn action(&self, input: &Input, place: &Place) -> Result<Action, BadInput> {
        Ok(Action::Edit { file: paths::file("file_path", &input.file_path, place)? })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<Done, Failure> {
        // Not given up half-way when interrupted: whether it was written must be known.
        blocking(move || edit(&Target::decided(&input.file_path, &cx)?, &input, &cx.seen)).await
    }
}

fn edit(target: &Target, input: &Input, seen: &SeenFiles) -> Result<Done, Failure> {
    let path = target.path();
    let Some(old) = target.read()? else {
        return match input.old_string.is_empty() {
            true => write::create(target, &input.new_string),
            false => Err(Failure::new(format!(
                "There is no file `{path}`\nCheck the path; to make a new file use Write"
            ))),
        };
    };
    seen::must_be_seen(path, &old, seen)?;
    let Ok((encoding, raw)) = decode(&old) else {
        return Err(Failure::new(format!(
            "`{path}` is a binary file\nChange it with a program, through Bash"
        )));
    };
    let new_raw = replaced(path, &raw, input)?;
    let new = write::to_bytes(path, encoding, &new_raw)?;
    target.save(&new)?;
    let done = write::changed(path, &Plain::new(&raw).text, &Plain::new(&new_raw).text);
    Ok(done.with(seen::saw(path, &new)))
}

/// The text with the replacement made.
fn replaced(path: &AbsPath, raw: &str, input: &Input) -> Result<String, Failure> {
    let (wanted, given) = (endings::plain(&input.old_string), endings::plain(&input.new_string));
    if wanted.is_empty() && !raw.is_empty() {
        return Err(Failure::new(format!(
            "`old_string` is empty, but `{path}` is not\nSend the text to replace, or use Write for the whole file"
        )));
    }
    if wanted == given {
        return Err(Failure::new(
            "`old_string` and `new_string` differ in line endings only: nothing would change",
        ));
    }
    let plain = Plain::new(raw);
    let places: Vec<usize> = match wanted.is_empty() {
        true => vec![0],
        false => plain.text.match_indices(&wanted).map(|(at, _)| at).collect(),
    };
    match places.len() {
        0 => return Err(not_found(path, &plain.text, &wanted)),
        1 => {}
        _ if input.replace_all => {}
        count => return Err(several(path, &plain.text, &places, count)),
    }
    Ok(splice(raw, &plain, &places, &Change::between(&wanted, &given)))
}

/// The part of a replacement that really differs: what both texts share at their ends stays untouched, so
/// that even mixed line endings inside the match are kept.
struct Change<'a> {
    /// What goes, as a range of the old text.
    old: Range<usize>,
    /// What comes.
    new: &'a str,
}

impl<'a> Change<'a> {
    fn between(old: &str, new: &'a str) -> Self {
        let same = |(a, b): &(char, char)| a == b;
        let length = |(c, _): (char, char)| c.len_utf8();
        let start: usize = old.chars().zip(new.chars()).take_while(same).map(length).sum();
        let (old_rest, new_rest) = (&old[start..], &new[start..]);
        let end: usize =
            old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(same).map(length).sum();
        Self { old: start..old.len() - end, new: &new_rest[..new_rest.len() - end] }
    }
}

/// Makes the change at every place; the places are of the plain text, what is copied is raw.
fn splice(raw: &str, plain: &Plain, places: &[usize], change: &Change<'_>) -> String {
    let mut out = String::with_capacity(raw.len() + places.len() * change.new.len());
    let mut done = 0;
    for place in places {
        let start = place + change.old.start;
        out.push_str(&raw[done..plain.raw_offset(start)]);
        out.push_str(&endings::with(change.new, plain.near(start)));
        done = plain.raw_offset(place + change.old.end);
    }
    out.push_str(&raw[done..]);
    out
}

fn not_found(path: &AbsPath, text: &str, wanted: &str) -> Failure {
    let mut message = format!("`old_string` is not in `{path}`, so nothing was changed\n");
    if has_line_numbers(wanted) {
        message.push_str("It begins with line numbers: leave out what Read puts before each line\n");
    } else if let Some(nearest) = nearest::describe(text, wanted) {
        message.push_str(&nearest);
        message.push('\n');
    }
    message.push_str("Send the text exactly as it is in the file; if in doubt, Read it again");
    Failure::new(message)
}

fn has_line_numbers(text: &str) -> bool {
    text.lines().all(|line| {
        line.split_once('\t').is_some_and(|(number, _)| number.trim_start().parse::<usize>().is_ok())
    })
}

fn several(path: &AbsPath, text: &str, places: &[usize], count: usize) -> Failure {
    let line = |at: &usize| 1 + text[..*at].bytes().filter(|byte| *byte == b'\n').count();
    let lines: Vec<String> = places.iter().take(MAX_PLACES).map(|at| line(at).to_string()).collect();
    let more = if count > MAX_PLACES { ", …" } else { "" };
    Failure::new(format!(
        "`old_string` is in `{path}` {count} times, so nothing was changed: lines {}{more}\n\
         Take in more lines around the one that is meant, or set `replace_all` to change all of them",
        lines.join(", ")
    ))
}

#[cfg(test)]
mod tests;
