//! What Glob and Grep share: where a search begins, the walk through folders, what is kept and what is told.

mod display;
mod files;
mod globs;
mod ignore_files;
mod lines;
mod pattern;
mod root;
mod searcher;
mod stats;
mod stop;
mod top_hits;
mod walk;

#[cfg(test)]
pub(crate) mod testing;

pub(crate) use display::{PathDisplay, number, plural};
pub use files::project_files;
pub(crate) use globs::{Globs, is_plain};
pub(crate) use lines::{ContextLines, LineSink, ResultPage};
pub(crate) use pattern::matcher;
pub(crate) use root::SearchRoot;
pub(crate) use searcher::{CountMode, FileSearcher, SearchQuery, mtime};
pub(crate) use stats::SearchStats;
pub use stop::StopFlag;
pub(crate) use stop::run_blocking;
pub(crate) use top_hits::{Hit, TopHits};
pub(crate) use walk::{FileWalk, types};

/// Characters of one result, as with Bash.
pub(crate) const MAX_CHARS: usize = 30_000;
/// Entries of one result, if nothing else is asked for.
pub(crate) const DEFAULT_ENTRIES: usize = 250;
