//! Commands that could still change something when planning begins: those that nothing holds, and those that are held to
//! the working folders. They are listed for the person, and stopped or kept.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use forelook_protocol::{Confinement, RunningShell};
use tokio_util::sync::CancellationToken;

use super::{GRACE, MAX_COMMAND, Shell, Shells, one_line, short};
use crate::output::shorten;

/// How long to wait for commands that were asked to end. They are killed after [`GRACE`]; what lives on then waits for
/// the kernel, and nobody should wait with it.
const PATIENCE: Duration = GRACE.saturating_add(Duration::from_secs(3));

/// A command that a call is about to start, or waits for.
#[derive(Debug)]
pub(super) struct Foreground {
    command: String,
    within: Confinement,
    /// It should end, since planning began.
    stop: CancellationToken,
    /// It is no longer waited for.
    over: CancellationToken,
}

/// Held by the call from before it starts anything until it no longer waits for its command.
#[derive(Debug)]
pub(crate) struct Running {
    stop: CancellationToken,
    over: CancellationToken,
}

impl Running {
    /// Comes back when the command should end, since planning began.
    pub(crate) async fn stopped(&self) {
        self.stop.cancelled().await;
    }

    /// Whether the command should end, or not begin at all.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

impl Shells {
    /// All that run and could change something: shells in the background, and commands that calls wait for.
    pub fn begun_outside(&self) -> Vec<RunningShell> {
        let shells = self.outside();
        let shells =
            shells.iter().map(|shell| RunningShell { id: Some(shell.id.clone()), command: short(shell) });
        let foreground = self.foreground();
        let calls = foreground.iter().filter(|it| it.within.can_change());
        let calls = calls.map(|it| RunningShell { id: None, command: it.command.clone() });
        shells.chain(calls).collect()
    }

    /// Stops all of them, since planning began, and waits shortly for their end. A call that waited for one hears why.
    pub async fn stop_outside(&self) {
        let mut calls = Vec::new();
        for call in self.foreground().iter().filter(|it| it.within.can_change()) {
            call.stop.cancel();
            calls.push(call.over.clone());
        }
        let shells = self.outside();
        shells.iter().for_each(|shell| shell.stop());
        let calls_over = async {
            for call in &calls {
                call.cancelled().await;
            }
        };
        let _ = tokio::time::timeout(PATIENCE, async { tokio::join!(calls_over, ended(&shells)) }).await;
    }

    /// Stops the shells of these names, since planning began, and waits shortly for their end.
    pub async fn stop(&self, ids: &[String]) {
        let shells: Vec<_> = ids.iter().filter_map(|id| self.get(id).ok()).collect();
        shells.iter().for_each(|shell| shell.stop());
        let _ = tokio::time::timeout(PATIENCE, ended(&shells)).await;
    }

    /// A call is about to run this command. It must be told before anything is started: planning may begin at any moment,
    /// and what nobody knows of would run on unheld.
    ///
    /// `epoch` is from when it was decided on: if planning has begun since, it is stopped before it starts. Whoever began
    /// to plan could not have listed it.
    pub(crate) fn begin(&self, command: &str, within: Confinement, epoch: u64) -> Running {
        let (stop, over) = (CancellationToken::new(), CancellationToken::new());
        let command = shorten(&one_line(command), MAX_COMMAND);
        let mut foreground = self.foreground();
        if within.can_change() && epoch != self.epoch() {
            stop.cancel();
        }
        foreground.push(Foreground { command, within, stop: stop.clone(), over: over.clone() });
        Running { stop, over }
    }

    /// How often planning has begun.
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Planning begins: from now on nothing starts that was decided on before. All that runs and could change something.
    pub fn planning_begins(&self) -> Vec<RunningShell> {
        {
            let _foreground = self.foreground();
            self.epoch.fetch_add(1, Ordering::AcqRel);
        }
        self.begun_outside()
    }

    fn outside(&self) -> Vec<Arc<Shell>> {
        let all = self.all();
        let shells = all.held.iter().map(|held| &held.shell);
        shells.filter(|shell| shell.within.can_change() && shell.is_running()).map(Arc::clone).collect()
    }

    /// The commands that are waited for now.
    fn foreground(&self) -> MutexGuard<'_, Vec<Foreground>> {
        let mut all = self.foreground.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|it| !it.over.is_cancelled());
        all
    }
}

async fn ended(shells: &[Arc<Shell>]) {
    for shell in shells {
        shell.ended().await;
    }
}
