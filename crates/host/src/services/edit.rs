//! A prompt in the person's editor.

use forelook_disk::{Permissions, ReadError, read_bounded_text};
use forelook_engine::SystemIds;
use forelook_protocol::{AbsPath, IdGenerator as _};

use super::editor::UserEditor;

/// A longer text is no prompt.
const MAX_BYTES: u64 = 10 * 1024 * 1024;

/// What the person made of a text. The file is for their eyes alone, and gone afterwards.
pub(super) async fn edit(editor: &UserEditor, scratch: &AbsPath, text: String) -> Result<String, String> {
    // The folder is its own, so that the file can have a name that editors and people know.
    let folder = Folder(scratch.join(format!("prompt-{}", SystemIds.next().simple())));
    let file = folder.0.join("prompt.md");
    forelook_disk::make_private(&folder.0).map_err(|error| error.to_string())?;
    forelook_disk::create_new(&file, &[text.as_bytes()], Permissions::Private)
        .map_err(|error| error.to_string())?;
    editor.edit(file.clone()).await?;
    let edited = read(&file)?;
    // Editors end the last line, whether or not it was ended.
    match edited.strip_suffix('\n') {
        Some(bare) if !text.ends_with('\n') => Ok(bare.strip_suffix('\r').unwrap_or(bare).to_owned()),
        _ => Ok(edited),
    }
}

fn read(file: &AbsPath) -> Result<String, String> {
    read_bounded_text(file, MAX_BYTES).map_err(|error| match error {
        ReadError::Missing | ReadError::NotRegular | ReadError::TooLarge { .. } => {
            "the edited file is missing or too long for a prompt".to_owned()
        }
        ReadError::NotText => "the edited file is not UTF-8 text".to_owned(),
        error => format!("cannot read `{file}`: {error}"),
    })
}

/// Gone when this is dropped.
struct Folder(AbsPath);

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = forelook_disk::remove_tree(&self.0) {
            tracing::warn!(%error, "Could not remove the temporary file of an edited prompt");
        }
    }
}
