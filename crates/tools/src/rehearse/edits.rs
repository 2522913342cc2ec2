//! The edits of a rehearsal: all are found to fit before the first is made.

use forelook_protocol::{AbsPath, Action};

use super::EditInput;
use super::inside::Inside;
use crate::context::ToolContext;
use crate::typed::Failure;
use crate::{edit, paths, write};

/// A file with its edits made, not yet on the layer.
pub(super) struct Rewritten {
    pub(super) path: AbsPath,
    pub(super) new: Vec<u8>,
    is_new: bool,
    notes: Vec<String>,
}

impl Rewritten {
    pub(super) fn told(&self) -> String {
        let verb = if self.is_new { "Created" } else { "Changed" };
        let mut text = format!("{verb} `{}` on the layer", self.path);
        for note in &self.notes {
            text.push('\n');
            text.push_str(note);
        }
        text
    }
}

/// What the files become, edits to one file made one after the other.
pub(super) async fn check(
    edits: &[EditInput],
    inside: &Inside,
    cx: &ToolContext,
) -> Result<Vec<Rewritten>, Failure> {
    let mut files: Vec<Rewritten> = Vec::new();
    for (at, edit) in edits.iter().enumerate() {
        one(edit, &mut files, inside, cx).await.map_err(|failure| {
            let which = if edits.len() == 1 {
                String::new()
            } else {
                format!("Edit {} of {}: ", at + 1, edits.len())
            };
            Failure::new(format!(
                "{which}{}\n[Nothing was rehearsed: no edit was made, no command ran]",
                failure.text
            ))
        })?;
    }
    Ok(files)
}

async fn one(
    edit: &EditInput,
    files: &mut Vec<Rewritten>,
    inside: &Inside,
    cx: &ToolContext,
) -> Result<(), Failure> {
    let path = decided(&edit.file_path, cx)?;
    if let Some(file) = files.iter_mut().find(|file| file.path == path) {
        let (new, note) = made(&path, Some(&file.new), edit)?;
        file.new = new;
        file.notes.extend(note);
        return Ok(());
    }
    let old = inside.read(&path).await?;
    let (new, note) = made(&path, old.as_deref(), edit)?;
    files.push(Rewritten { path, new, is_new: old.is_none(), notes: note.into_iter().collect() });
    Ok(())
}

/// The file that was decided on, in a working folder: elsewhere nothing is kept apart.
fn decided(text: &str, cx: &ToolContext) -> Result<AbsPath, Failure> {
    let path = paths::resolve("file_path", text, &cx.place)?;
    let known = match &cx.action {
        Action::Rehearse { edits, .. } => edits.iter().any(|file| file.real == path),
        _ => false,
    };
    if !known {
        return Err(Failure::new(format!(
            "`{text}` leads elsewhere than a moment ago, so nothing was done\nTry again"
        )));
    }
    match cx.launch.is_in_working_folder(&path) {
        true => Ok(path),
        false => Err(Failure::new(format!(
            "`{path}` does not lie in a working folder: only those can be rehearsed\nLeave this edit out"
        ))),
    }
}

fn made(path: &AbsPath, old: Option<&[u8]>, edit: &EditInput) -> Result<(Vec<u8>, Option<String>), Failure> {
    match (&edit.content, &edit.old_string, &edit.new_string) {
        (Some(content), ..) => write::made(path, old, content).map(|new| (new, None)),
        (None, old_string, new_string) => {
            let input = edit::Input {
                file_path: edit.file_path.clone(),
                old_string: old_string.clone().unwrap_or_default(),
                new_string: new_string.clone().unwrap_or_default(),
                replace_all: edit.replace_all,
            };
            edit::made(path, old, &input)
        }
    }
}
