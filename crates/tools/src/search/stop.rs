//! Work beside the runtime that ends when its call does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::context::ToolContext;
use crate::typed::{Failure, blocking};

/// Whether to go on. Cheaper to ask than a cancellation token, which takes a lock: it is asked for every file.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Do not go on.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Sets it when the call ends, whichever way: an interrupt, or a future that is dropped.
struct WhenDropped(Stop);

impl Drop for WhenDropped {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Does work on another thread. An interrupt is answered at once; the work ends soon after.
pub(crate) async fn beside<T: Send + 'static>(
    cx: &ToolContext,
    work: impl FnOnce(Stop) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let stop = Stop::default();
    let _ends = WhenDropped(stop.clone());
    tokio::select! {
        done = blocking(move || work(stop)) => done,
        () = cx.cancel.cancelled() => Err(Failure::interrupted()),
    }
}
