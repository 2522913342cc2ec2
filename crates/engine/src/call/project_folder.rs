//! Whether the project folder is still the one that the session began in.
//!
//! The turn looks before every request, and not the session: a disk may hang, and the session waits for none.

use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex, PoisonError};

use forelook_protocol::{AbsPath, LiveEvent, Notice, NoticeLevel};

use crate::handle::SessionHandle;

/// The device of a folder and its number there; nothing where there is no folder.
type FolderIdentity = Option<(u64, u64)>;

/// The project folder, as it was when somebody last looked; at first, when the session was loaded.
#[derive(Debug)]
pub(crate) struct ProjectFolder {
    path: AbsPath,
    known: Mutex<FolderIdentity>,
}

impl ProjectFolder {
    pub(crate) fn new(path: AbsPath) -> Self {
        let known = Mutex::new(identity(&path));
        Self { path, known }
    }

    /// Says it when the project folder is gone, or is another one. Tools say the same to the model, but only when they meet
    /// it.
    pub(crate) async fn check(self: &Arc<Self>, session: &SessionHandle) {
        let (folder, hub) = (Arc::clone(self), session.hub.clone());
        // It says so itself: who is interrupted while a disk hangs hears of it all the same.
        let look = tokio::task::spawn_blocking(move || {
            if let Some(text) = folder.news() {
                hub.live(LiveEvent::Notice(Notice { level: NoticeLevel::Warning, text }));
            }
        });
        tokio::select! {
            _ = look => {}
            () = session.cancel.cancelled() => {}
        }
    }

    /// What became of it since this was last asked.
    fn news(&self) -> Option<String> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let now = identity(&self.path);
        let (before, folder) = (std::mem::replace(&mut *known, now), &self.path);
        match (before, now) {
            (Some(_), None) => Some(format!(
                "The project folder is gone: `{folder}` was moved or removed\n\
                 Forelook does not make it again. Put it back, or start Forelook where it is now"
            )),
            (Some(before), Some(now)) if before != now => Some(format!(
                "The project folder `{folder}` was replaced by another one\n\
                 Forelook goes on in the new one. If you did not intend that, interrupt it"
            )),
            _ => None,
        }
    }
}

fn identity(folder: &AbsPath) -> FolderIdentity {
    let found = std::fs::metadata(folder).ok().filter(std::fs::Metadata::is_dir)?;
    Some((found.dev(), found.ino()))
}
