//! What is wrong with a file that could be read all the same.

use std::path::PathBuf;

use forelook_protocol::{EntryId, SessionId};

/// Something to tell a person. The rest of the file was read, and what is passed over stays in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The last line broke off; it was being written when the program or the machine stopped.
    #[error(
        "The last line of `{}` broke off after {bytes} bytes and was left out\nNothing that was shown as done is missing; repeat what was under way",
        path.display()
    )]
    Torn {
        /// The journal.
        path: PathBuf,
        /// How much there was of it.
        bytes: usize,
    },
    /// A line that cannot be read.
    #[error(
        "Line {line} of `{}` cannot be read and was passed over: {why}\nIt stays in the file; correct it there, or go on without it",
        path.display()
    )]
    Line {
        /// The journal.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A second line with the same id.
    #[error(
        "Line {line} of `{}` has the id `{id}` of an earlier line and was passed over\nIt stays in the file; remove it if it was copied there by mistake",
        path.display()
    )]
    Duplicate {
        /// The journal.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// The id.
        id: EntryId,
    },
    /// Further lines of either sort, when there are too many to tell each.
    #[error("More lines of `{}` were passed over: {count}\nIt may not be a journal any more; compare it with a copy", path.display())]
    MoreLines {
        /// The journal.
        path: PathBuf,
        /// How many.
        count: usize,
    },
    /// Lines of kinds that this version does not know.
    #[error(
        "`{}` has lines of kinds that this version does not know ({count}, such as `{kind}`); they are kept\nUpdate Forelook to use them",
        path.display()
    )]
    UnknownKinds {
        /// The journal.
        path: PathBuf,
        /// How many lines.
        count: usize,
        /// The first of these kinds.
        kind: String,
    },
    /// The file of one session says it is another's.
    #[error(
        "`{}` was begun as session `{session}`\nRename it back if that was not meant",
        path.display()
    )]
    OtherSession {
        /// The journal.
        path: PathBuf,
        /// Whose it says it is.
        session: SessionId,
    },
    /// A file that was left out of a list.
    #[error("`{}` was left out: {why}", path.display())]
    LeftOut {
        /// The file or folder.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
    /// A list of todos that is none.
    #[error(
        "The todos in `{}` cannot be read and count as empty: {why}\nThe next list written replaces the file; correct it before if it matters",
        path.display()
    )]
    Todos {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}
