//! Problems with files that could still be read.

use std::path::PathBuf;

use forelook_protocol::{EntryId, SessionId};

/// A problem to report to the user. The rest of the file was read, and everything that was skipped stays in the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionProblem {
    /// The last line is cut off. It was probably being written when Forelook or the machine stopped.
    #[error(
        "The last line of `{}` is cut off after {bytes} bytes and was skipped\nRepeat what was in progress",
        path.display()
    )]
    TornLine {
        /// The journal.
        path: PathBuf,
        /// The number of bytes that were written.
        bytes: usize,
    },
    /// The end of the file is no line that was being written: there may have been others in its place.
    #[error(
        "{bytes} bytes at the end of `{}` are lost; more than the last line may be missing\nCompare it with a backup, and check what was done last",
        path.display()
    )]
    LostTail {
        /// The journal.
        path: PathBuf,
        /// The number of bytes.
        bytes: u64,
    },
    /// A journal that ends inside its first line, which an older session was looked for behind.
    #[error(
        "`{}` was passed over: it ends before its first line does\nIf there was a session in it, restore the file from a backup",
        path.display()
    )]
    NotBegun {
        /// The journal.
        path: PathBuf,
    },
    /// A line that cannot be read.
    #[error(
        "Line {line} of `{}` is invalid and was skipped: {why}\nIt stays in the file; correct it there, or continue without it",
        path.display()
    )]
    BadLine {
        /// The journal.
        path: PathBuf,
        /// The line number, starting at 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A second line with the same ID.
    #[error(
        "Line {line} of `{}` repeats the ID `{id}` of an earlier line and was skipped\nIt stays in the file; remove it if it was copied there by mistake",
        path.display()
    )]
    Duplicate {
        /// The journal.
        path: PathBuf,
        /// The line number, starting at 1.
        line: usize,
        /// The ID.
        id: EntryId,
    },
    /// More bad or duplicate lines, if there are too many to report each.
    #[error("{count} more lines of `{}` were skipped\nThe file may be damaged; compare it with a backup", path.display())]
    MoreLines {
        /// The journal.
        path: PathBuf,
        /// The number of lines.
        count: usize,
    },
    /// Lines of kinds that this version does not know.
    #[error(
        "`{}` has entries of unknown kinds, such as `{kind}` ({count} in total); they are kept\nUpdate Forelook to use them",
        path.display()
    )]
    UnknownKinds {
        /// The journal.
        path: PathBuf,
        /// The number of lines.
        count: usize,
        /// The first unknown kind.
        kind: String,
    },
    /// The file is named after one session, but its header names another.
    #[error(
        "`{}` was created as session `{session}`\nRename it back if you did not intend this",
        path.display()
    )]
    OtherSession {
        /// The journal.
        path: PathBuf,
        /// The session in the header.
        session: SessionId,
    },
    /// A file that was left out of a list.
    #[error("Skipped `{}`: {why}", path.display())]
    Skipped {
        /// The file or folder.
        path: PathBuf,
        /// The reason, and what to do about it.
        why: String,
    },
    /// A todo file that cannot be read.
    #[error(
        "Cannot read the todos in `{}`, so the list is empty: {why}\nThe next list replaces the file; correct it first if you need it",
        path.display()
    )]
    BadTodos {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}
