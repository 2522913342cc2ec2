//! Shells that run beside the conversation: started by one call, looked at by others, ended with the session. And the
//! variables that commands leave for later ones.

mod kept;
mod outside;
mod shell;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use forelook_protocol::Confinement;
use forelook_sandbox::{Child, ChildEnv, Killer};
use tokio::task::AbortHandle;

use crate::output::{Collector, shorten};
pub(crate) use kept::{Kept, Learnt};
use outside::Foreground;
pub(crate) use outside::Running;
pub(crate) use shell::{Shell, State};

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
pub struct Shells {
    all: Mutex<All>,
    /// Commands that a call is about to start, or waits for now.
    foreground: Mutex<Vec<Foreground>>,
    kept: Mutex<Kept>,
    /// What commands left for later ones that nobody was asked for, since the kernel held them to the working folders.
    /// Only commands that are held so find it: a program outside must not run by a PATH that nobody said yes to.
    kept_inside: Mutex<Kept>,
    /// How often planning has begun.
    epoch: AtomicU64,
}

#[derive(Debug, Default)]
struct All {
    /// How many there ever were.
    count: usize,
    held: Vec<Held>,
}

#[derive(Debug)]
struct Held {
    shell: Arc<Shell>,
    follower: AbortHandle,
    killer: Killer,
}

/// A shell that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellNews {
    /// Such as `shell_1`.
    pub id: String,
    /// Its command, shortened.
    pub command: String,
    /// How it ended, such as `exit code 1`.
    pub how: String,
}

/// A shell that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellListed {
    /// Such as `shell_1`.
    pub id: String,
    /// Its command, shortened.
    pub command: String,
    /// When it began.
    pub since: Instant,
    /// What the kernel holds it to.
    pub within: Confinement,
}

/// No more shells can run; why, for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoRoom(pub(crate) String);

impl Shells {
    /// The shells that ended since this was asked last, without those whose end a call has told already.
    pub fn news(&self) -> Vec<ShellNews> {
        let all = self.all();
        let news = all.held.iter().filter_map(|held| {
            let how = held.shell.untold_end()?;
            Some(ShellNews { id: held.shell.id.clone(), command: short(&held.shell), how })
        });
        news.collect()
    }

    /// The shells that run.
    pub fn running(&self) -> Vec<ShellListed> {
        let all = self.all();
        let running = all.held.iter().filter(|held| held.shell.is_running());
        running
            .map(|held| ShellListed {
                id: held.shell.id.clone(),
                command: short(&held.shell),
                since: held.shell.since,
                within: held.shell.within,
            })
            .collect()
    }

    /// Whether one more can be started.
    pub(crate) fn has_room(&self) -> Result<(), NoRoom> {
        self.all().has_room()
    }

    /// Takes a child that goes on in the background, held to `within`; gives its name. This must be called in a runtime.
    pub(crate) fn add(
        &self,
        command: &str,
        within: Confinement,
        child: Child,
        output: Collector,
    ) -> Result<String, NoRoom> {
        let mut all = self.all();
        all.has_room()?;
        all.forget_old();
        all.count += 1;
        let id = format!("shell_{}", all.count);
        let shell = Arc::new(Shell::new(id.clone(), command, within, output));
        let killer = child.killer();
        let follower = tokio::spawn(shell::follow(child, Arc::clone(&shell))).abort_handle();
        all.held.push(Held { shell, follower, killer });
        Ok(id)
    }

    /// The shell of this name; if there is none, what to say.
    pub(crate) fn get(&self, id: &str) -> Result<Arc<Shell>, String> {
        let all = self.all();
        let found = all.held.iter().find(|held| held.shell.id == id);
        found.map(|held| Arc::clone(&held.shell)).ok_or_else(|| all.unknown(id))
    }

    /// What commands left for later ones.
    pub(crate) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What only commands in the workspace fence find.
    pub(crate) fn kept_inside(&self) -> MutexGuard<'_, Kept> {
        self.kept_inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over what a command changed in its environment.
    pub(crate) fn learn(&self, start: &ChildEnv, end: &BTreeMap<OsString, OsString>) -> Learnt {
        self.kept().learn(start, end)
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl All {
    fn has_room(&self) -> Result<(), NoRoom> {
        let running: Vec<&Arc<Shell>> =
            self.held.iter().map(|held| &held.shell).filter(|shell| shell.is_running()).collect();
        if running.len() < MAX_RUNNING {
            return Ok(());
        }
        let list: String =
            running.iter().map(|shell| format!("\n- `{}`: {}", shell.id, short(shell))).collect();
        Err(NoRoom(format!(
            "{MAX_RUNNING} shells run in the background already; end one with KillShell first{list}"
        )))
    }

    /// Lets those go that ended first, if there are many.
    fn forget_old(&mut self) {
        let ended = self.held.iter().filter(|held| !held.shell.is_running()).count();
        let mut surplus = (ended + 1).saturating_sub(MAX_ENDED);
        self.held.retain(|held| {
            let goes = surplus > 0 && !held.shell.is_running();
            surplus -= usize::from(goes);
            !goes
        });
    }

    fn unknown(&self, id: &str) -> String {
        let id = shorten(id, 100);
        if self.held.is_empty() {
            return format!(
                "There is no shell `{id}`: none was started since the program began, and shells end with it\n\
                 Start the command again with Bash and `run_in_background`"
            );
        }
        let list: String = self.held.iter().map(|held| format!("\n- {}", held.shell.in_a_line())).collect();
        format!(
            "There is no shell `{id}`; one that was started before the program began anew has ended with it\nThese exist:{list}"
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

impl Drop for Shells {
    fn drop(&mut self) {
        let all = self.all.get_mut().unwrap_or_else(PoisonError::into_inner);
        for held in &all.held {
            // At once: the runtime may never come to drop the follower, which would do it too. That one reaps.
            held.killer.kill();
            held.follower.abort();
        }
    }
}

#[cfg(test)]
mod tests;
