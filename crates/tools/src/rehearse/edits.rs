//! The edits of a rehearsal: all are found to fit before the first is made.

use forelook_protocol::{AbsPath, Action};

use super::EditInput;
use super::overlay_shell::OverlayShell;
use crate::context::ToolContext;
use crate::typed::ToolFailure;
use crate::{edit, paths, write};

/// A file with its edits made, not yet on the layer.
pub(super) struct RewrittenFile {
    pub(super) path: AbsPath,
    pub(super) new: Vec<u8>,
    is_new: bool,
    notes: Vec<String>,
}

impl RewrittenFile {
    pub(super) fn describe(&self) -> String {
        let verb = if self.is_new { "Created" } else { "Changed" };
        let mut text = format!("{verb} `{}` on the overlay", self.path);
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
    shell: &OverlayShell,
    cx: &ToolContext,
) -> Result<Vec<RewrittenFile>, ToolFailure> {
    let mut files: Vec<RewrittenFile> = Vec::new();
    for (at, edit) in edits.iter().enumerate() {
        apply_edit(edit, &mut files, shell, cx).await.map_err(|failure| {
            let which = if edits.len() == 1 {
                String::new()
            } else {
                format!("Edit {} of {}: ", at + 1, edits.len())
            };
            ToolFailure::new(format!(
                "{which}{}\n[Nothing was rehearsed: no edit was made, and no command ran]",
                failure.text
            ))
        })?;
    }
    Ok(files)
}

async fn apply_edit(
    edit: &EditInput,
    files: &mut Vec<RewrittenFile>,
    shell: &OverlayShell,
    cx: &ToolContext,
) -> Result<(), ToolFailure> {
    let path = decided(&edit.file_path, cx)?;
    if let Some(file) = files.iter_mut().find(|file| file.path == path) {
        let (new, note) = edited_bytes(&path, Some(&file.new), edit)?;
        file.new = new;
        file.notes.extend(note);
        return Ok(());
    }
    let old = shell.read(&path).await?;
    let (new, note) = edited_bytes(&path, old.as_deref(), edit)?;
    files.push(RewrittenFile { path, new, is_new: old.is_none(), notes: note.into_iter().collect() });
    Ok(())
}

/// The file that was decided on, in a working folder: elsewhere nothing is kept apart.
fn decided(text: &str, cx: &ToolContext) -> Result<AbsPath, ToolFailure> {
    let path = paths::resolve("file_path", text, &cx.place)?;
    let known = match &cx.action {
        Action::Rehearse { edits, .. } => edits.iter().any(|file| file.real == path),
        _ => false,
    };
    if !known {
        return Err(ToolFailure::new(format!(
            "`{text}` now points somewhere else, so nothing was done\nTry again"
        )));
    }
    match cx.launch.is_in_working_folder(&path) {
        true => Ok(path),
        false => Err(ToolFailure::new(format!(
            "`{path}` is not in a working directory: only files there can be rehearsed\nLeave this edit out"
        ))),
    }
}

fn edited_bytes(
    path: &AbsPath,
    old: Option<&[u8]>,
    edit: &EditInput,
) -> Result<(Vec<u8>, Option<String>), ToolFailure> {
    match (&edit.content, &edit.old_string, &edit.new_string) {
        (Some(content), ..) => write::edited_bytes(path, old, content).map(|new| (new, None)),
        (None, old_string, new_string) => {
            let input = edit::Input {
                file_path: edit.file_path.clone(),
                old_string: old_string.clone().unwrap_or_default(),
                new_string: new_string.clone().unwrap_or_default(),
                replace_all: edit.replace_all,
            };
            edit::edited_bytes(path, old, &input)
        }
    }
}
