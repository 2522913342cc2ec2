//! Commands that could still change something when planning begins: those that nothing holds, and those that are held to
//! the working folders. They are listed for the person, and stopped or kept.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use forelook_protocol::{Confinement, RunningShell};
use tokio_util::sync::CancellationToken;

use super::{GRACE, MAX_COMMAND, Shell, ShellRegistry, ShellState, one_line, short};
use crate::output::shorten;

/// How long to wait for commands that were asked to end. They are killed after [`GRACE`]; what lives on then waits for
/// the kernel, and nobody should wait with it.
const STOP_TIMEOUT: Duration = GRACE.saturating_add(Duration::from_secs(3));

/// A command that a call is about to start, or waits for.
#[derive(Debug)]
pub(super) struct ForegroundCommand {
    command: String,
    sandbox: Confinement,
    /// It should end, since planning began.
    stop: CancellationToken,
    /// It is no longer waited for.
    done: CancellationToken,
}

/// Held by the call from before it starts anything until it no longer waits for its command.
#[derive(Debug)]
pub(crate) struct ForegroundGuard {
    stop: CancellationToken,
    done: CancellationToken,
}

impl ForegroundGuard {
    /// Comes back when the command should end, since planning began.
    pub(crate) async fn stopped(&self) {
        self.stop.cancelled().await;
    }

    /// Whether the command should end, or not begin at all.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }
}

impl Drop for ForegroundGuard {
    fn drop(&mut self) {
        self.done.cancel();
    }
}

impl ShellRegistry {
    /// All that run and could change something: shells in the background, and commands that calls wait for.
    pub fn pre_plan_processes(&self) -> Vec<RunningShell> {
        let shells = self.unconfined();
        let shells =
            shells.iter().map(|shell| RunningShell { id: Some(shell.id.clone()), command: short(shell) });
        let foreground = self.foreground();
        let calls = foreground.iter().filter(|it| it.sandbox.can_change());
        let calls = calls.map(|it| RunningShell { id: None, command: it.command.clone() });
        shells.chain(calls).collect()
    }

    /// Stops all of them, since planning began, and waits shortly for their end. A call that waited for one hears why.
    pub async fn stop_pre_plan_processes(&self) {
        let mut calls = Vec::new();
        for call in self.foreground().iter().filter(|it| it.sandbox.can_change()) {
            call.stop.cancel();
            calls.push(call.done.clone());
        }
        let shells = self.unconfined();
        shells.iter().for_each(|shell| shell.end(ShellState::Stopped));
        let calls_done = async {
            for call in &calls {
                call.cancelled().await;
            }
        };
        let _ = tokio::time::timeout(STOP_TIMEOUT, async { tokio::join!(calls_done, ended(&shells)) }).await;
    }

    /// Stops the shells of these names, since planning began, and waits shortly for their end.
    pub async fn stop(&self, ids: &[String]) {
        let shells: Vec<_> = ids.iter().filter_map(|id| self.find(id)).collect();
        shells.iter().for_each(|shell| shell.end(ShellState::Stopped));
        let _ = tokio::time::timeout(STOP_TIMEOUT, ended(&shells)).await;
    }

    /// A call is about to run this command. It must be told before anything is started: planning may begin at any moment,
    /// and what nobody knows of would run on unheld.
    ///
    /// `epoch` is from when it was decided on: if planning has begun since, it is stopped before it starts. Whoever began
    /// to plan could not have listed it.
    pub(crate) fn begin(&self, command: &str, sandbox: Confinement, epoch: u64) -> ForegroundGuard {
        let (stop, done) = (CancellationToken::new(), CancellationToken::new());
        let command = shorten(&one_line(command), MAX_COMMAND);
        let mut foreground = self.foreground();
        if sandbox.can_change() && epoch != self.epoch() {
            stop.cancel();
        }
        foreground.push(ForegroundCommand { command, sandbox, stop: stop.clone(), done: done.clone() });
        ForegroundGuard { stop, done }
    }

    /// How often planning has begun.
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Planning begins: from now on nothing starts that was decided on before. All that runs and could change something.
    pub fn begin_planning_epoch(&self) -> Vec<RunningShell> {
        {
            let _foreground = self.foreground();
            self.epoch.fetch_add(1, Ordering::AcqRel);
        }
        self.pre_plan_processes()
    }

    /// Whether something runs that could change files.
    pub fn may_change_files(&self) -> bool {
        !self.unconfined().is_empty()
    }

    fn unconfined(&self) -> Vec<Arc<Shell>> {
        let all = self.all();
        let shells = all.entries.iter().map(|entry| &entry.shell);
        shells.filter(|shell| shell.sandbox.can_change() && shell.is_running()).map(Arc::clone).collect()
    }

    /// The commands that are waited for now.
    fn foreground(&self) -> MutexGuard<'_, Vec<ForegroundCommand>> {
        let mut all = self.foreground.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|it| !it.done.is_cancelled());
        all
    }
}

async fn ended(shells: &[Arc<Shell>]) {
    for shell in shells {
        shell.ended().await;
    }
}
