//! Keeps the first few of many, in bounded memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A file that was found. The order of the fields is the order of results.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hit {
    /// When it was changed (seconds, nanoseconds), newest first; the same for all where time does not count.
    pub(crate) newest: Reverse<(i64, i64)>,
    pub(crate) path: PathBuf,
    /// Lines, or in multiline mode parts, that match.
    pub(crate) matches: u64,
}

/// The first hits of all that were pushed, and how many these were.
#[derive(Debug)]
pub(crate) struct TopHits {
    room: usize,
    /// The last one on top.
    kept: BinaryHeap<Hit>,
    files: u64,
    matches: u64,
}

impl TopHits {
    /// Keeps so many.
    pub(crate) fn new(room: usize) -> Self {
        Self { room, kept: BinaryHeap::new(), files: 0, matches: 0 }
    }

    pub(crate) fn push(&mut self, hit: Hit) {
        self.files += 1;
        self.matches += hit.matches;
        self.keep(hit);
    }

    fn keep(&mut self, hit: Hit) {
        if self.kept.len() < self.room {
            self.kept.push(hit);
        } else if let Some(mut last) = self.kept.peek_mut()
            && hit < *last
        {
            *last = hit;
        }
    }

    /// Hits in all.
    pub(crate) fn files(&self) -> u64 {
        self.files
    }

    /// Matches in all of them.
    pub(crate) fn matches(&self) -> u64 {
        self.matches
    }

    /// Whether this file is among those that were kept.
    pub(crate) fn has(&self, path: &Path) -> bool {
        self.kept.iter().any(|hit| hit.path == path)
    }

    /// Takes another worker's hits in.
    pub(crate) fn merge(&mut self, other: Self) {
        self.files += other.files;
        self.matches += other.matches;
        other.kept.into_iter().for_each(|hit| self.keep(hit));
    }

    /// Those that were kept, in order.
    pub(crate) fn into_sorted(self) -> Vec<Hit> {
        self.kept.into_sorted_vec()
    }

    /// Hits of a worker's own, without locks; they go into `all` when the worker ends.
    pub(crate) fn of_worker(all: &Mutex<Self>) -> WorkerHits<'_> {
        let room = all.lock().unwrap_or_else(PoisonError::into_inner).room;
        WorkerHits { all, best: Self::new(room) }
    }
}

/// A worker's own hits.
pub(crate) struct WorkerHits<'a> {
    all: &'a Mutex<TopHits>,
    best: TopHits,
}

impl WorkerHits<'_> {
    pub(crate) fn push(&mut self, hit: Hit) {
        self.best.push(hit);
    }
}

impl Drop for WorkerHits<'_> {
    fn drop(&mut self) {
        let own = std::mem::replace(&mut self.best, TopHits::new(0));
        self.all.lock().unwrap_or_else(PoisonError::into_inner).merge(own);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_beginning_of_the_sorted_list(
            hits in prop::collection::vec((0i64..20, "[a-c]{1,3}"), 0..60),
            room in 0usize..10,
            workers in 1usize..4,
        ) {
            let mut hits: Vec<Hit> = hits
                .into_iter()
                .map(|(time, name)| Hit { newest: Reverse((time, 0)), path: name.into(), matches: 2 })
                .collect();
            let all = Mutex::new(TopHits::new(room));
            for worker in 0..workers {
                let mut own = TopHits::of_worker(&all);
                hits.iter().skip(worker).step_by(workers).for_each(|hit| own.push(hit.clone()));
            }
            let best = all.into_inner().unwrap();
            prop_assert_eq!((best.files(), best.matches()), (hits.len() as u64, 2 * hits.len() as u64));
            hits.sort();
            hits.truncate(room);
            prop_assert_eq!(best.into_sorted(), hits);
        }
    }
}
