//! One writer at a time: reading a file, changing it and writing it back must not lose what another
//! session writes meanwhile.

use std::time::Duration;

use forelook_disk::{FileLock, LockError, make_private};
use forelook_protocol::AbsPath;

/// A write takes a few milliseconds; somebody who needs longer than all of these tries hangs.
const ATTEMPTS: usize = 200;
const RETRY_DELAY: Duration = Duration::from_millis(10);

/// Waits until nobody else writes settings. One lock for all files, in the program's folder: none is left
/// lying around in a project.
pub(crate) fn lock_settings(home: &AbsPath) -> Result<FileLock, LockError> {
    make_private(home)?;
    let path = home.join("settings.lock");
    for _ in 1..ATTEMPTS {
        match FileLock::acquire(path.as_path()) {
            Err(LockError::Held { .. }) => std::thread::sleep(RETRY_DELAY),
            done => return done,
        }
    }
    FileLock::acquire(path.as_path())
}
