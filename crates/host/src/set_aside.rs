//! What commands made under protected names and Forelook moved out of the project.

use forelook_protocol::{AbsPath, SetAsideFile};

pub use forelook_fences::restore_set_aside as restore;

/// Where it is kept, in Forelook's home folder: a folder for each session.
pub(crate) const FOLDER: &str = "set-aside";

/// All of it that was not brought back, of all sessions.
pub fn list(home: &AbsPath) -> Vec<SetAsideFile> {
    forelook_fences::list_set_aside(&home.join(FOLDER))
}
