//! Time and ids: the real ones, and fixed ones for tests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

use forelook_protocol::{Clock, IdGenerator};
use jiff::Timestamp;
use uuid::Uuid;

/// The clock of the machine.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everybody else is given")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// The present instant, for what is measured: how long an answer took, how old a list is. Nothing is decided by it.
#[expect(clippy::disallowed_methods, reason = "this is where the engine measures from")]
pub(crate) fn instant() -> Instant {
    Instant::now()
}

/// A clock that stands still.
#[derive(Debug)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// A new id. The library panics where the clock is before 1970, as that of a machine with an empty battery may be. Ids are of
/// 1970 there, and new all the same.
#[expect(clippy::disallowed_methods, reason = "this is the source of ids that everybody else is given")]
fn id_at(now: SystemTime) -> Uuid {
    match now.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(_) => Uuid::now_v7(),
        Err(_) => Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, 0, 0)),
    }
}

/// Ids that are new everywhere (UUID version 7: they sort by time).
#[derive(Debug, Default)]
pub struct SystemIds;

impl IdGenerator for SystemIds {
    #[expect(clippy::disallowed_methods, reason = "this is the source of ids that everybody else is given")]
    fn next(&self) -> Uuid {
        id_at(SystemTime::now())
    }
}

/// Ids that are the same in every run with the same seed: `…seed-…counter`.
#[derive(Debug)]
pub struct SeededIds {
    seed: u64,
    next: AtomicU64,
}

impl SeededIds {
    /// Ids that begin with this seed. A test gives each process another one.
    pub fn new(seed: u64) -> Self {
        Self { seed, next: AtomicU64::new(1) }
    }
}

impl IdGenerator for SeededIds {
    fn next(&self) -> Uuid {
        let count = self.next.fetch_add(1, Ordering::Relaxed);
        // Version 7 and its variant, so that whoever checks the form is content.
        Uuid::from_u64_pair((self.seed << 16) | 0x7000, (0b10 << 62) | count)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_before_1970_still_gives_new_ids() {
        let before = SystemTime::UNIX_EPOCH - Duration::from_secs(86_400);
        assert_ne!(id_at(before), id_at(before));
        assert_eq!(id_at(before).get_version_num(), 7);
    }
}
