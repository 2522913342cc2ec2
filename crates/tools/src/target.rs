//! The file of an edit: where it is read from and written to.

use std::borrow::Cow;
use std::sync::OnceLock;

use forelook_disk::text_file::{Binary, Encoding, decode};
use forelook_disk::{FileTarget, HeldFile, Permissions, PreparedWrite};
use forelook_protocol::{AbsPath, FileVersion, SessionEffect};
use memchr::memchr;

use crate::CallLocation;
use crate::call::PreviewContext;
use crate::context::ToolContext;
use crate::typed::ToolFailure;
use crate::{file, paths, seen};

/// Hashing fewer bytes than this takes no longer than starting a thread.
const WORTH_A_THREAD: usize = 1024 * 1024;

/// A file that may be edited: exactly the one that was decided on. Its folder is held from the first look to the last
/// write, and no link is followed on the way there.
pub(crate) struct EditTarget {
    path: AbsPath,
    /// The project that the call belongs to.
    project: AbsPath,
    /// Its place; empty as long as its folder is not there.
    place: OnceLock<FileTarget>,
    /// What was read there, held so that no other call replaces it before this one does.
    held: OnceLock<HeldFile>,
}

impl EditTarget {
    /// The file that was decided on.
    pub(crate) fn decided(text: &str, cx: &ToolContext) -> Result<Self, ToolFailure> {
        Self::at(paths::decided(text, cx)?, &cx.place)
    }

    /// The same for a path that came in another field.
    pub(crate) fn decided_as(field: &str, text: &str, cx: &ToolContext) -> Result<Self, ToolFailure> {
        Self::at(paths::decided_as(field, text, &cx.place, &cx.action)?, &cx.place)
    }

    /// The file that is to be decided on, for a look ahead. One that is there must be known to the model: nothing is said of
    /// what is in any other, not even that a text is not in it.
    pub(crate) fn previewed(field: &str, text: &str, cx: &PreviewContext) -> Result<Self, ToolFailure> {
        let target = Self::at(paths::decided_as(field, text, &cx.place, &cx.action)?, &cx.place)?;
        if let Some(place) = target.place.get()
            && file::must_be_readable(&target.path, place)?
        {
            seen::must_be_known(&target.path, &cx.seen)?;
        }
        Ok(target)
    }

    fn at(path: AbsPath, place: &CallLocation) -> Result<Self, ToolFailure> {
        let project = place.project.clone();
        let place = file::place(&path)?.map_or_else(OnceLock::new, OnceLock::from);
        Ok(Self { path, project, place, held: OnceLock::new() })
    }

    /// Where it is, for messages.
    pub(crate) fn path(&self) -> &AbsPath {
        &self.path
    }

    /// All bytes, or nothing when there is no file. From now on the file is this call's to replace.
    pub(crate) fn read(&self) -> Result<Option<Vec<u8>>, ToolFailure> {
        let Some(place) = self.place.get() else { return Ok(None) };
        file::must_be_readable(&self.path, place)?;
        match self.hold(place)?.file() {
            Some(file) => file::whole(&self.path, file).map(Some),
            None => Ok(None),
        }
    }

    /// Holds what is there.
    fn hold(&self, place: &FileTarget) -> Result<&HeldFile, ToolFailure> {
        let held = place.hold().map_err(|error| file::refused(&self.path, error))?;
        Ok(self.held.get_or_init(|| held))
    }

    /// What was read. Where there was not even a folder to read from, there must still be no file.
    fn held(&self, place: &FileTarget) -> Result<&HeldFile, ToolFailure> {
        match self.held.get() {
            Some(held) => Ok(held),
            None if self.hold(place)?.file().is_some() => Err(seen::outdated(&self.path)),
            None => self.hold(place),
        }
    }

    /// Makes the folders above it that are missing; never the project's own. One that is gone was moved or removed by
    /// somebody, and a new one with a single file in it would look like what is left of it.
    pub(crate) fn make_folders(&self) -> Result<(), ToolFailure> {
        if self.place.get().is_none() {
            if self.path.is_inside(&self.project) && !self.project.as_path().is_dir() {
                return Err(ToolFailure::new(format!(
                    "The project directory `{}` is gone: it was moved or removed. Nothing was written\n\
                     Do not create it again; tell the user",
                    self.project
                )));
            }
            let made =
                FileTarget::with_folders(&self.path).map_err(|error| file::refused(&self.path, error))?;
            // If it was set meanwhile, it is the same place.
            let _ = self.place.set(made);
        }
        Ok(())
    }

    /// Puts a file of these pieces in place, whole or not at all, and returns what the model now has seen.
    pub(crate) fn save(&self, pieces: &[&[u8]]) -> Result<SessionEffect, ToolFailure> {
        self.commit(pieces, None, &|| seen::hash_pieces(pieces))
    }

    /// Writes a file of these pieces, but not yet in its place, if it is so large that this can begin before it is known
    /// whether it may be done.
    pub(crate) fn stage(&self, pieces: &[&[u8]]) -> Result<Option<PreparedWrite<'_>>, ToolFailure> {
        (length(pieces) >= WORTH_A_THREAD).then(|| self.prepare(pieces)).transpose()
    }

    /// Ends what was begun; `hash` is that of the pieces.
    pub(crate) fn commit(
        &self,
        pieces: &[&[u8]],
        staged: Option<PreparedWrite<'_>>,
        hash: &(impl Fn() -> String + Sync),
    ) -> Result<SessionEffect, ToolFailure> {
        let put = || {
            let staged = staged.map_or_else(|| self.prepare(pieces), Ok)?;
            staged.commit().map_err(|error| file::refused(&self.path, error))
        };
        let (hash, put) = in_parallel(length(pieces), hash, put);
        put.map(|()| SessionEffect::FileSeen(FileVersion { path: self.path.clone(), hash }))
    }

    fn prepare(&self, pieces: &[&[u8]]) -> Result<PreparedWrite<'_>, ToolFailure> {
        self.make_folders()?;
        let place = self.place.get().ok_or_else(|| file::changed(&self.path))?;
        let held = self.held(place)?;
        place.prepare_over(held, pieces, Permissions::Keep).map_err(|error| file::refused(&self.path, error))
    }
}

fn length(pieces: &[&[u8]]) -> usize {
    pieces.iter().map(|piece| piece.len()).sum()
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

#[cfg(test)]
mod tests;
