//! Whether the project folder is still the one that the session began in.

use std::os::unix::fs::MetadataExt as _;

use forelook_protocol::AbsPath;

use super::Session;

/// The project folder, as it was when the session was loaded.
#[derive(Debug, Default)]
pub(super) struct FolderIdentity {
    /// Its device and its number there.
    known: Option<(u64, u64)>,
}

/// What became of it.
#[derive(Debug, PartialEq, Eq)]
enum FolderChange {
    Gone,
    Replaced,
}

impl FolderIdentity {
    pub(super) fn of(folder: &AbsPath) -> Self {
        Self { known: identity(folder) }
    }

    /// What became of it since this was last asked.
    fn change(&mut self, folder: &AbsPath) -> Option<FolderChange> {
        let now = identity(folder);
        let before = std::mem::replace(&mut self.known, now);
        match (before, now) {
            (Some(_), None) => Some(FolderChange::Gone),
            (Some(before), Some(now)) if before != now => Some(FolderChange::Replaced),
            _ => None,
        }
    }
}

fn identity(folder: &AbsPath) -> Option<(u64, u64)> {
    let found = std::fs::metadata(folder).ok().filter(std::fs::Metadata::is_dir)?;
    Some((found.dev(), found.ino()))
}

impl Session {
    /// Says it when the project folder is gone, or is another one. Tools say the same to the model, but only when they meet
    /// it.
    pub(super) fn check_folder(&mut self) {
        let folder = self.state.folder.clone();
        let text = match self.folder_identity.change(&folder) {
            None => return,
            Some(FolderChange::Gone) => format!(
                "The project folder is gone: `{folder}` was moved or removed\n\
                 Forelook does not make it again. Put it back, or start Forelook where it is now"
            ),
            Some(FolderChange::Replaced) => format!(
                "The project folder `{folder}` was replaced by another one\n\
                 Forelook goes on in the new one. If you did not intend that, interrupt it"
            ),
        };
        self.warn(&text);
    }
}
