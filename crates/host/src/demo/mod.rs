//! The demo: a scripted model on a sample project, so that a newcomer without a key sees a whole session.
//!
//! The model is scripted and everything else is real: the files, the tools, the tests that fail and pass,
//! the question, the journal.

use forelook_disk::Permissions;
use forelook_protocol::{AbsPath, IdGenerator};

use crate::failure::{Failure, FailureClass};

/// The model of the demo.
pub(crate) const MODEL: &str = "scripted/demo";

/// The rule for the one command that the demo runs, and nothing else.
pub(crate) const COMMAND: &str = "Bash(sh tests/run.sh)";

/// What the scripted model says.
pub(crate) const SCRIPT: &str = include_str!("script.toml");

/// What the newcomer asks, if they do not say something else. The command is theirs too: so they see how to ask for a
/// plan, and an approval goes back to the mode from before.
pub const PROMPT: &str =
    "/plan When friends split a bill with pocket, sometimes a cent goes missing. Find out why and fix it.";

const FILES: [(&str, &str); 3] = [
    ("bin/pocket", include_str!("project/bin/pocket")),
    ("tests/run.sh", include_str!("project/tests/run.sh")),
    ("AGENTS.md", include_str!("project/AGENTS.md")),
];

/// Makes the sample project in a new folder.
pub fn make_project(ids: &dyn IdGenerator) -> Result<AbsPath, Failure> {
    let failed = |error: &dyn std::error::Error| {
        Failure::of(FailureClass::Task, error).hint("Set TMPDIR to a writable folder with free space")
    };
    // Short enough to be read in a path; the end of an id is the part that is drawn.
    let id = ids.next().simple().to_string();
    let name = format!("forelook-demo-{}", &id[id.len().saturating_sub(8)..]);
    let folder = AbsPath::new(std::env::temp_dir().join(name)).map_err(|error| failed(&error))?;
    for (path, text) in FILES {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            forelook_disk::make_private(&parent).map_err(|error| failed(&error))?;
        }
        forelook_disk::replace(&path, text.as_bytes(), Permissions::Keep).map_err(|error| failed(&error))?;
    }
    Ok(folder)
}
