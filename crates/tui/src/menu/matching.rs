//! Compares what is typed with very many paths. It takes longer than a key may, so that it runs beside the loop; whoever
//! is overtaken by a newer question gives up.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// So many are found at most: nobody looks further.
const MOST: usize = 64;
/// As many look at once at most, each at so many at least.
const MAX_WORKERS: usize = 4;
const PIECE: usize = 4096;
/// After so many paths it looks whether it was overtaken.
const CANCEL_CHECK_EVERY: usize = 1024;

/// A path that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) path: String,
    /// Which of its letters are those that were typed.
    pub(crate) letters: Vec<usize>,
}

/// A path with how well it fits; of equals the shortest is the best.
type Scored<'a> = (Reverse<u32>, usize, &'a str);

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MatchRequest {
    pub(crate) paths: Arc<Paths>,
    pub(crate) words: String,
    pub(crate) ticket: Ticket,
}

/// Files, and the folders that they are in.
#[derive(Debug)]
pub(crate) struct Paths {
    files: Arc<[String]>,
    /// Found when they are first needed, beside the loop.
    folders: OnceLock<Vec<String>>,
}

/// Which question it is, and which is the newest.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    pub(crate) number: u64,
    newest: Arc<AtomicU64>,
}

impl PartialEq for Ticket {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Ticket {
    pub(super) fn next(newest: &Arc<AtomicU64>) -> Self {
        let number = newest.fetch_add(1, Ordering::Relaxed) + 1;
        Self { number, newest: Arc::clone(newest) }
    }

    fn is_superseded(&self) -> bool {
        self.newest.load(Ordering::Relaxed) != self.number
    }
}

impl PartialEq for Paths {
    fn eq(&self, other: &Self) -> bool {
        self.files == other.files
    }
}

impl Paths {
    pub(super) fn new(files: Arc<[String]>) -> Self {
        Self { files, folders: OnceLock::new() }
    }

    fn folders(&self) -> &[String] {
        self.folders.get_or_init(|| folders(&self.files))
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.folders().iter().chain(self.files.iter()).map(String::as_str)
    }

    /// Pieces for so many hands, none too small to be worth a hand.
    fn pieces(&self, workers: usize) -> impl Iterator<Item = &[String]> {
        let length = (self.files.len() + self.folders().len()).div_ceil(workers).max(PIECE);
        self.folders().chunks(length).chain(self.files.chunks(length))
    }
}

/// Whether it can stand in a text.
fn is_writable(path: &str) -> bool {
    !path.bytes().any(|byte| byte.is_ascii_control())
}

fn folders(files: &[String]) -> Vec<String> {
    let mut seen = HashSet::new();
    for file in files {
        // Whoever has this folder has those above it.
        let mut rest = file.as_str();
        while let Some(slash) = rest.trim_end_matches('/').rfind('/') {
            rest = &file[..=slash];
            if !seen.insert(rest) {
                break;
            }
        }
    }
    let known: HashSet<&str> = files.iter().map(String::as_str).filter(|file| file.ends_with('/')).collect();
    seen.into_iter().filter(|folder| !known.contains(folder)).map(str::to_owned).collect()
}

impl MatchRequest {
    /// The best first; nothing if nobody waits for it any more.
    pub(crate) fn best(&self) -> Vec<Match> {
        if self.words.is_empty() {
            return self.top();
        }
        let pattern = Pattern::new(&self.words, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
        let workers =
            std::thread::available_parallelism().map_or(1, |workers| workers.get().min(MAX_WORKERS));
        let mut found: Vec<Scored<'_>> = std::thread::scope(|scope| {
            let pattern = &pattern;
            let ctx = |piece| scope.spawn(move || self.scored(piece, pattern));
            let workers: Vec<_> = self.paths.pieces(workers).map(ctx).collect();
            workers.into_iter().flat_map(|hand| hand.join().unwrap_or_default()).collect()
        });
        found.sort_unstable();
        found.truncate(MOST);
        let (mut matcher, mut letters) = (Matcher::new(Config::DEFAULT.match_paths()), Vec::new());
        let matched = |path: &str| {
            let mut at = Vec::new();
            pattern.indices(Utf32Str::new(path, &mut letters), &mut matcher, &mut at);
            at.sort_unstable();
            at.dedup();
            Match { path: path.to_owned(), letters: at.into_iter().map(|at| at as usize).collect() }
        };
        found.into_iter().map(|(.., path)| path).map(matched).collect()
    }

    /// The best of a piece, in no order.
    fn scored<'a>(&self, piece: &'a [String], pattern: &Pattern) -> Vec<Scored<'a>> {
        let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
        let (mut found, mut letters) = (Vec::new(), Vec::new());
        for (at, path) in piece.iter().enumerate() {
            if at % CANCEL_CHECK_EVERY == 0 && self.ticket.is_superseded() {
                return Vec::new();
            }
            let score = pattern.score(Utf32Str::new(path, &mut letters), &mut matcher);
            if let Some(score) = score.filter(|_| is_writable(path)) {
                found.push((Reverse(score), path.len(), path.as_str()));
            }
        }
        if found.len() > MOST {
            found.select_nth_unstable(MOST);
            found.truncate(MOST);
        }
        found
    }

    /// What is not in a folder, folders first.
    fn top(&self) -> Vec<Match> {
        let is_top = |path: &&str| !path.trim_end_matches('/').contains('/') && is_writable(path);
        let mut found: Vec<&str> = self.paths.all().filter(is_top).collect();
        found.sort_unstable_by_key(|path| (!path.ends_with('/'), *path));
        found.truncate(MOST);
        found.into_iter().map(|path| Match { path: path.to_owned(), letters: Vec::new() }).collect()
    }
}
