//! The file of an edit: where it is read from and written to.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use forelook_disk::text_file::{Binary, Encoding, decode};
use forelook_disk::{ConfinedDir, DiskError, OpenMode, Permissions, PreparedWrite};
use forelook_protocol::{AbsPath, FileVersion, SessionEffect};
use memchr::memchr;

use crate::context::ToolContext;
use crate::file::{read_open, read_whole};
use crate::typed::ToolFailure;
use crate::{paths, seen};

/// Hashing fewer bytes than this takes no longer than starting a thread.
const WORTH_A_THREAD: usize = 1024 * 1024;

/// A file that may be edited.
pub(crate) struct EditTarget {
    path: AbsPath,
    confined_file: Option<ConfinedFile>,
}

/// A file below a folder that is held open; no link is followed on the way to either.
struct ConfinedFile {
    root: ConfinedDir,
    rest: PathBuf,
}

impl EditTarget {
    /// The file that was decided on.
    pub(crate) fn decided(text: &str, cx: &ToolContext) -> Result<Self, ToolFailure> {
        Self::at(paths::decided(text, cx)?, cx)
    }

    /// The same for a path that came in another field.
    pub(crate) fn decided_as(field: &str, text: &str, cx: &ToolContext) -> Result<Self, ToolFailure> {
        Self::at(paths::decided_as(field, text, cx)?, cx)
    }

    fn at(path: AbsPath, cx: &ToolContext) -> Result<Self, ToolFailure> {
        let confined_file =
            cx.files.confined.as_ref().map(|folder| ConfinedFile::new(&path, folder)).transpose()?;
        Ok(Self { path, confined_file })
    }

    /// Where it is, for messages.
    pub(crate) fn path(&self) -> &AbsPath {
        &self.path
    }

    /// All bytes, or nothing when there is no file.
    pub(crate) fn read(&self) -> Result<Option<Vec<u8>>, ToolFailure> {
        let Some(ConfinedFile { root, rest }) = &self.confined_file else { return read_whole(&self.path) };
        match root.open_beneath(rest, OpenMode::Read) {
            Ok(file) => read_open(&self.path, file).map(Some),
            Err(DiskError::Missing { .. }) => Ok(None),
            Err(error) => Err(failure(error)),
        }
    }

    /// Makes the folders above it that are missing.
    pub(crate) fn make_folders(&self) -> Result<(), ToolFailure> {
        let made = match (&self.confined_file, self.path.parent()) {
            (Some(ConfinedFile { root, rest }), _) => {
                root.make_folders_beneath(rest.parent().unwrap_or(Path::new("")))
            }
            (None, Some(folder)) => forelook_disk::make_folders(&folder),
            (None, None) => Ok(()),
        };
        made.map_err(failure)
    }

    /// Puts a file of these pieces in place, whole or not at all, and returns what the model now has seen.
    pub(crate) fn save(&self, pieces: &[&[u8]]) -> Result<SessionEffect, ToolFailure> {
        self.commit(pieces, None, &|| seen::hash_pieces(pieces))
    }

    /// Writes a file of these pieces, but not yet in its place, if it is so large that this can begin before it is known
    /// whether it may be done.
    pub(crate) fn stage(&self, pieces: &[&[u8]]) -> Result<Option<PreparedWrite>, ToolFailure> {
        (length(pieces) >= WORTH_A_THREAD).then(|| self.prepare(pieces)).transpose()
    }

    /// Ends what was begun; `hash` is that of the pieces.
    pub(crate) fn commit(
        &self,
        pieces: &[&[u8]],
        staged: Option<PreparedWrite>,
        hash: &(impl Fn() -> String + Sync),
    ) -> Result<SessionEffect, ToolFailure> {
        let put = || match staged {
            Some(staged) => staged.commit().map_err(failure),
            None => self.prepare(pieces)?.commit().map_err(failure),
        };
        let (hash, put) = in_parallel(length(pieces), hash, put);
        put.map(|()| SessionEffect::FileSeen(FileVersion { path: self.path.clone(), hash }))
    }

    fn prepare(&self, pieces: &[&[u8]]) -> Result<PreparedWrite, ToolFailure> {
        let prepared = match &self.confined_file {
            None => forelook_disk::prepare(&self.path, pieces, Permissions::Keep),
            Some(ConfinedFile { root, rest }) => root.prepare_beneath(rest, pieces, Permissions::Keep),
        };
        prepared.map_err(failure)
    }
}

fn length(pieces: &[&[u8]]) -> usize {
    pieces.iter().map(|piece| piece.len()).sum()
}

impl ConfinedFile {
    fn new(path: &AbsPath, folder: &AbsPath) -> Result<Self, ToolFailure> {
        // The path has no links in it; the folder's may.
        let folder = forelook_disk::resolve(folder).map_err(failure)?;
        let rest =
            path.as_path().strip_prefix(folder.as_path()).ok().filter(|rest| rest.file_name().is_some());
        let Some(rest) = rest else {
            return Err(ToolFailure::new(format!(
                "`{path}` is not in `{folder}`, so nothing was changed\n\
                 Try again with the path you were given"
            )));
        };
        let root = match ConfinedDir::open_without_links(&folder) {
            Err(DiskError::Missing { .. }) => {
                forelook_disk::make_folders(&folder).and_then(|_| ConfinedDir::open_without_links(&folder))
            }
            opened => opened,
        };
        Ok(Self { root: root.map_err(failure)?, rest: rest.to_path_buf() })
    }
}

/// The text of a file. Most files are UTF-8 and are not copied; all others are decoded.
pub(crate) fn text_of(bytes: &[u8]) -> Result<(Encoding, Cow<'_, str>), Binary> {
    let marked = bytes.starts_with(&[0xEF, 0xBB, 0xBF]) || memchr(0, bytes).is_some();
    match str::from_utf8(bytes) {
        Ok(text) if !marked => Ok((Encoding::Utf8, Cow::Borrowed(text))),
        _ => decode(bytes).map(|(encoding, text)| (encoding, Cow::Owned(text))),
    }
}

/// Does both, at the same time if so many bytes are worth a thread.
pub(crate) fn in_parallel<A: Send, B>(
    bytes: usize,
    beside: &(impl Fn() -> A + Sync),
    here: impl FnOnce() -> B,
) -> (A, B) {
    if bytes < WORTH_A_THREAD {
        return (beside(), here());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, beside);
        let here = here();
        let beside = match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // No thread is to be had: one after the other will do.
            Err(_) => beside(),
        };
        (beside, here)
    })
}

fn failure(error: DiskError) -> ToolFailure {
    match error {
        DiskError::Links { path } => ToolFailure::new(format!(
            "`{}` is a symlink or goes through one, so nothing was changed\n\
             Tell the user: only they can say whether the link should be there",
            path.display()
        )),
        error => ToolFailure::new(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
