//! Shells that run beside the conversation: started by one call, looked at by others, ended with the session. And the
//! variables that commands leave for later ones.

mod env_changes;
mod fence_watch;
mod pre_plan;
mod shell;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use forelook_protocol::Confinement;
use forelook_sandbox::{Child, ChildEnv, KillHandle};
use tokio::task::AbortHandle;

use crate::output::{Collector, shorten};
pub(crate) use env_changes::{EnvChanges, EnvUpdate};
pub(crate) use fence_watch::FenceWatch;
use pre_plan::ForegroundCommand;
pub(crate) use pre_plan::ForegroundGuard;
pub(crate) use shell::{Shell, ShellState};

/// Between the polite signal and the last one.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
/// Shells that run at once.
const MAX_RUNNING: usize = 16;
/// Shells that ended and can still be looked at.
const MAX_ENDED: usize = 32;
/// Characters of a command in a list.
const MAX_COMMAND: usize = 200;

/// The shells of one session. All that still run are ended when this is dropped.
#[derive(Debug, Default)]
pub struct ShellRegistry {
    all: Mutex<ShellTable>,
    /// Commands that a call is about to start, or waits for now.
    foreground: Mutex<Vec<ForegroundCommand>>,
    env_changes: Mutex<EnvChanges>,
    /// What commands left for later ones that nobody was asked for, since the kernel held them to the working folders.
    /// Only commands that are held so find it: a program outside must not run by a PATH that nobody said yes to.
    fenced_env_changes: Mutex<EnvChanges>,
    /// How often planning has begun.
    epoch: AtomicU64,
}

#[derive(Debug, Default)]
struct ShellTable {
    /// How many there ever were.
    count: usize,
    entries: Vec<ShellEntry>,
}

#[derive(Debug)]
struct ShellEntry {
    shell: Arc<Shell>,
    follower: AbortHandle,
    kill_handle: KillHandle,
}

/// A shell that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellExitNotice {
    /// Such as `shell_1`.
    pub id: String,
    /// Its command, shortened.
    pub command: String,
    /// How it ended, such as `exit code 1`.
    pub how: String,
}

/// A shell that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellInfo {
    /// Such as `shell_1`.
    pub id: String,
    /// Its command, shortened.
    pub command: String,
    /// When it began.
    pub since: Instant,
    /// What the kernel holds it to.
    pub sandbox: Confinement,
}

/// No more shells can run; why, for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TooManyShells(pub(crate) String);

impl ShellRegistry {
    /// The shells that ended since this was asked last, without those whose end a call has told already.
    pub fn take_exit_notices(&self) -> Vec<ShellExitNotice> {
        let all = self.all();
        let news = all.entries.iter().filter_map(|entry| {
            let how = entry.shell.take_exit_notice()?;
            Some(ShellExitNotice { id: entry.shell.id.clone(), command: short(&entry.shell), how })
        });
        news.collect()
    }

    /// The shells that run.
    pub fn running(&self) -> Vec<ShellInfo> {
        let all = self.all();
        let running = all.entries.iter().filter(|entry| entry.shell.is_running());
        running
            .map(|entry| ShellInfo {
                id: entry.shell.id.clone(),
                command: short(&entry.shell),
                since: entry.shell.since,
                sandbox: entry.shell.sandbox,
            })
            .collect()
    }

    /// Whether one more can be started.
    pub(crate) fn check_capacity(&self) -> Result<(), TooManyShells> {
        self.all().check_capacity()
    }

    /// Takes a child that goes on in the background, held to `sandbox` and looked at by `watch`; gives its name. This must be called in a runtime.
    pub(crate) fn add(
        &self,
        command: &str,
        sandbox: Confinement,
        (child, watch): (Child, Option<FenceWatch>),
        output: Collector,
    ) -> Result<String, TooManyShells> {
        let mut all = self.all();
        all.check_capacity()?;
        all.forget_old();
        all.count += 1;
        let id = format!("shell_{}", all.count);
        let shell = Arc::new(Shell::new(id.clone(), command, sandbox, output));
        let kill_handle = child.kill_handle();
        let follower = tokio::spawn(shell::follow(child, Arc::clone(&shell), watch)).abort_handle();
        all.entries.push(ShellEntry { shell, follower, kill_handle });
        Ok(id)
    }

    /// The shell of this name; if there is none, what to say.
    pub(crate) fn get(&self, id: &str) -> Result<Arc<Shell>, String> {
        let all = self.all();
        let found = all.entries.iter().find(|entry| entry.shell.id == id);
        found.map(|entry| Arc::clone(&entry.shell)).ok_or_else(|| all.unknown(id))
    }

    /// What commands left for later ones.
    pub(crate) fn env_changes(&self) -> MutexGuard<'_, EnvChanges> {
        self.env_changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What only commands in the workspace fence find.
    pub(crate) fn fenced_env_changes(&self) -> MutexGuard<'_, EnvChanges> {
        self.fenced_env_changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over what a command changed in its environment.
    pub(crate) fn record_env(&self, start: &ChildEnv, end: &BTreeMap<OsString, OsString>) -> EnvUpdate {
        self.env_changes().record_env(start, end)
    }

    fn all(&self) -> MutexGuard<'_, ShellTable> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShellTable {
    fn check_capacity(&self) -> Result<(), TooManyShells> {
        let running: Vec<&Arc<Shell>> =
            self.entries.iter().map(|entry| &entry.shell).filter(|shell| shell.is_running()).collect();
        if running.len() < MAX_RUNNING {
            return Ok(());
        }
        let list: String =
            running.iter().map(|shell| format!("\n- `{}`: {}", shell.id, short(shell))).collect();
        Err(TooManyShells(format!(
            "{MAX_RUNNING} background shells are already running; stop one with KillShell first{list}"
        )))
    }

    /// Lets those go that ended first, if there are many.
    fn forget_old(&mut self) {
        let ended = self.entries.iter().filter(|entry| !entry.shell.is_running()).count();
        let mut surplus = (ended + 1).saturating_sub(MAX_ENDED);
        self.entries.retain(|entry| {
            let goes = surplus > 0 && !entry.shell.is_running();
            surplus -= usize::from(goes);
            !goes
        });
    }

    fn unknown(&self, id: &str) -> String {
        let id = shorten(id, 100);
        if self.entries.is_empty() {
            return format!(
                "There is no shell `{id}`: none was started since Forelook started, and shells end when Forelook \
                 exits\n\
                 Start the command again with Bash and `run_in_background`"
            );
        }
        let list: String =
            self.entries.iter().map(|entry| format!("\n- {}", entry.shell.summary_line())).collect();
        format!(
            "There is no shell `{id}`; one that was started before Forelook restarted has ended\n\
             These exist:{list}"
        )
    }
}

fn short(shell: &Shell) -> String {
    shorten(&one_line(&shell.command), MAX_COMMAND)
}

/// On one line, whatever it was written on.
fn one_line(command: &str) -> String {
    command.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Drop for ShellRegistry {
    fn drop(&mut self) {
        let all = self.all.get_mut().unwrap_or_else(PoisonError::into_inner);
        for entry in &all.entries {
            // At once: the runtime may never come to drop the follower, which would do it too. That one reaps.
            entry.kill_handle.kill();
            entry.follower.abort();
        }
    }
}

#[cfg(test)]
mod tests;
