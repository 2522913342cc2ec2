//! Every byte written: replace a file, append a line, hold a lock, stay inside a folder.
//!
//! What is written here is whole or absent: a process killed at any instant, or a disk that fills up,
//! leaves the old file or the new one, the old lines or one more. Everything is synchronous: each call
//! is a handful of system calls, and whoever has a runtime decides which thread waits for them.
//!
//! [`text_file`] is the way from a file's bytes to its text and back, without a byte lost.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the one crate that writes; the lint sends everybody else here"
)]

mod append;
mod bounded;
mod confine;
mod error;
mod file_target;
mod folder;
mod held_file;
mod kernel;
mod leftovers;
mod lock;
mod move_new;
mod open_up;
mod process_files;
mod project_files;
mod replace;
mod resolve;
mod spool;
pub mod text_file;

pub use append::{Appender, FileLocation, LineReader, LineStream, Syncer, TornTail};
pub use bounded::{
    FileStart, ReadError, open_real, open_regular, read_bounded, read_bounded_start, read_bounded_text,
    read_pieces,
};
pub use confine::{ConfinedDir, OpenMode, confine};
pub use error::DiskError;
pub use file_target::{FileTarget, Permissions, PreparedWrite};
pub use folder::{make_private, remove_file, remove_tree};
pub use held_file::HeldFile;
pub use leftovers::{SweepDepth, sweep_temporary};
pub use lock::{FileLock, LockError};
pub use move_new::move_new;
pub use open_up::open_up;
pub use process_files::shows_process;
pub use project_files::{ContentsCheck, Owners, ProjectFiles, ReadGuard, owner_of};
pub use replace::{copy_new, create_new, replace};
pub use resolve::{find_link, link_targets, resolve};
pub use spool::Spool;
