//! Whether anything runs in a fence, or ran there since somebody looked last.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::Fence;

/// What is known of the programs in a fence.
#[derive(Debug, Default)]
pub(super) struct Activity {
    /// Whether one began since the last look.
    began: AtomicBool,
    /// Those that we started and have not reaped.
    leaders: AtomicUsize,
    /// The first process inside. What outlives whoever started it becomes its child.
    pub(super) init: Option<Pid>,
}

/// The fence of one program that we start, until it is reaped.
#[derive(Debug)]
pub(crate) struct FenceUse(Option<Arc<Fence>>);

impl FenceUse {
    pub(super) fn begin(fence: &Arc<Fence>) -> Self {
        fence.activity.leaders.fetch_add(1, Ordering::SeqCst);
        fence.activity.began.store(true, Ordering::SeqCst);
        Self(Some(Arc::clone(fence)))
    }

    /// The program was reaped; the fence that it ran in.
    pub(crate) fn end(mut self) -> Option<Arc<Fence>> {
        self.take()
    }

    fn take(&mut self) -> Option<Arc<Fence>> {
        let fence = self.0.take()?;
        fence.activity.leaders.fetch_sub(1, Ordering::SeqCst);
        Some(fence)
    }
}

impl Drop for FenceUse {
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl Fence {
    /// Whether any program ran inside since this was asked last, or still runs. What cannot be found out counts as running.
    pub fn take_activity(&self) -> bool {
        // In this order: a program that begins meanwhile is seen by this look or by the next.
        let began = self.activity.began.swap(false, Ordering::SeqCst);
        let runs = self.is_occupied();
        if runs {
            self.activity.began.store(true, Ordering::SeqCst);
        }
        began || runs
    }

    /// Whether something runs inside now.
    pub fn is_occupied(&self) -> bool {
        self.activity.leaders.load(Ordering::SeqCst) > 0 || (!self.has_ended() && self.has_orphans())
    }

    /// Whether its supervisor is gone, and with it all that ran inside.
    pub(super) fn has_ended(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        !matches!(waitid(WaitId::Pid(self.supervisor), look), Ok(None))
    }

    /// Whether something runs inside that outlived the program which started it.
    fn has_orphans(&self) -> bool {
        let Some(init) = self.activity.init else { return true };
        let init = init.as_raw_nonzero();
        // Without this file (a kernel without it, or a hidden `/proc`) nobody can tell.
        std::fs::read(format!("/proc/{init}/task/{init}/children"))
            .map_or(true, |children| !children.is_empty())
    }
}
