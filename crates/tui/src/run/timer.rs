//! Where the loop has its time from: the one place in this crate that looks at a clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_protocol::Clock;

use crate::app::Now;

/// Two clocks: one that only goes on, for what is drawn when, and the one on the wall.
pub(crate) struct Timer {
    began: Instant,
    wall: Arc<dyn Clock>,
}

impl Timer {
    /// The program begins now.
    pub(crate) fn start(wall: Arc<dyn Clock>) -> Self {
        Self { began: instant(), wall }
    }

    /// What the program is told.
    pub(crate) fn now(&self) -> Now {
        Now { ms: milliseconds(self.began), wall: self.wall.now() }
    }

    /// What the loop waits by.
    pub(crate) fn instant(&self) -> Instant {
        instant()
    }

    /// The instant so many milliseconds after the start.
    pub(crate) fn at(&self, ms: u64) -> Instant {
        self.began + Duration::from_millis(ms)
    }
}

/// The present instant.
#[expect(
    clippy::disallowed_methods,
    reason = "this is where the loop looks at the clock, for the program and itself"
)]
pub(crate) fn instant() -> Instant {
    Instant::now()
}

/// How many milliseconds have passed.
pub(crate) fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
