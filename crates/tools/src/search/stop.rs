//! Work beside the runtime that ends when its call does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::context::ToolContext;
use crate::typed::{ToolFailure, blocking};

/// Whether to go on. Cheaper to ask than a cancellation token, which takes a lock: it is asked for every file.
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Do not go on.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Sets it when the call ends, whichever way: an interrupt, or a future that is dropped.
struct StopOnDrop(StopFlag);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Does work on another thread. An interrupt is answered at once; the work ends soon after.
pub(crate) async fn run_blocking<T: Send + 'static>(
    cx: &ToolContext,
    work: impl FnOnce(StopFlag) -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    let stop = StopFlag::default();
    let _ends = StopOnDrop(stop.clone());
    tokio::select! {
        done = blocking(move || work(stop)) => done,
        () = cx.cancel.cancelled() => Err(ToolFailure::interrupted()),
    }
}
