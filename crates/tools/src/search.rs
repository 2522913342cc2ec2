//! What Glob and Grep share: where a search begins, the walk through folders, what is kept and what is told.

mod best;
mod files;
mod globs;
mod lines;
mod look;
mod pattern;
mod root;
mod shown;
mod stop;
mod tally;
mod walk;

#[cfg(test)]
pub(crate) mod testing;

pub(crate) use best::{Best, Hit};
pub use files::project_files;
pub(crate) use globs::{Globs, is_plain};
pub(crate) use lines::{Context, Lines, Page};
pub(crate) use look::{Looker, Sought, Wanted, mtime};
pub(crate) use pattern::matcher;
pub(crate) use root::Root;
pub(crate) use shown::{Shown, number, plural};
pub use stop::Stop;
pub(crate) use stop::beside;
pub(crate) use tally::Tally;
pub(crate) use walk::{Sweep, types};

/// Characters of one result, as with Bash.
pub(crate) const MAX_CHARS: usize = 30_000;
/// Entries of one result, if nothing else is asked for.
pub(crate) const DEFAULT_ENTRIES: usize = 250;
