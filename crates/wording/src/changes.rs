//! What a session changed in files, in words.

use forelook_protocol::AbsPath;

/// Commands ran beside the changes that are shown: those may not be all.
pub const COMMANDS_RAN: &str = "Commands ran too; what they changed is not shown here";

/// What is said where no tool changed a file.
pub fn no_changes(commands_ran: bool) -> &'static str {
    match commands_ran {
        true => "No file was edited in this session. Commands ran; what they changed is not shown here",
        false => "No file was changed in this session",
    }
}

/// A file was changed, and there is nothing to compare it with.
pub fn unknown_change(path: &AbsPath) -> String {
    format!("{path} changed, but what it was before is not known")
}
