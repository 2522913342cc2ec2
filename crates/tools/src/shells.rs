//! Shells that run beside the conversation: started by one call, looked at by others, ended with the session. And the
//! variables that commands leave for later ones.

mod env_changes;
mod fence_watch;
mod newest_lines;
mod pre_plan;
mod shell;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use forelook_protocol::{AgentId, BackgroundShell, Confinement, Task, TaskId, TaskState};
use forelook_sandbox::{Child, ChildEnv, KillHandle};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::output::{Collector, shorten};
pub(crate) use env_changes::{EnvChanges, EnvUpdate};
pub(crate) use fence_watch::FenceWatch;
pub use newest_lines::MAX_TASK_OUTPUT;
use newest_lines::NewestLines;
use pre_plan::ForegroundCommand;
pub(crate) use pre_plan::ForegroundGuard;
pub(crate) use shell::{Shell, ShellState};

/// Between the polite signal and the last one.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
/// The same after an interrupt. Somebody waits for it, perhaps with the program: all of it must be over within a second,
/// also where what is left of the output is taken after the last signal.
pub(crate) const INTERRUPT_GRACE: Duration = Duration::from_millis(500);
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
    /// One ended.
    changed: Arc<Notify>,
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
    /// The subagent that it belongs to; nothing for the main agent.
    agent: Option<AgentId>,
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

/// A command that goes on in the background.
pub(crate) struct NewShell<'a> {
    pub(crate) command: &'a str,
    /// What the kernel holds it to.
    pub(crate) sandbox: Confinement,
    /// The subagent that starts it.
    pub(crate) agent: Option<&'a AgentId>,
}

/// No more shells can run; why, for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TooManyShells(pub(crate) String);

impl ShellRegistry {
    /// The shells of this agent that ended since this was asked last, without those whose end a call has told already.
    pub fn take_exit_notices(&self, agent: Option<&AgentId>) -> Vec<ShellExitNotice> {
        let all = self.all();
        let news = all.of(agent).filter_map(|entry| {
            let how = entry.shell.take_exit_notice()?;
            Some(ShellExitNotice { id: entry.shell.id.clone(), command: short(&entry.shell), how })
        });
        news.collect()
    }

    /// Comes back when one has ended.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// How this shell ended, if it is not running.
    pub fn how_ended(&self, id: &str) -> Option<String> {
        match self.find(id).map(|shell| shell.state()) {
            Some(ShellState::Running) => None,
            Some(state) => Some(state.describe()),
            // One of a process before, or one that was forgotten since it ended.
            None => Some("ended".to_owned()),
        }
    }

    /// Numbers of shells go on after this one: in one conversation, no two have the same name.
    pub fn continue_after(&self, number: usize) {
        let mut all = self.all();
        all.count = all.count.max(number);
    }

    /// What an agent that has ended leaves running belongs to whoever started the agent: nobody else could look at it. In a
    /// line each.
    pub fn hand_over(&self, from: &AgentId, to: Option<&AgentId>) -> Vec<String> {
        let mut all = self.all();
        let mut running = Vec::new();
        for entry in all.entries.iter_mut().filter(|entry| entry.agent.as_ref() == Some(from)) {
            entry.agent = to.cloned();
            running.extend(entry.shell.is_running().then(|| entry.shell.summary_line()));
        }
        running
    }

    /// All shells that are known, for a person.
    pub fn tasks(&self) -> Vec<Task> {
        let all = self.all();
        let task = |ShellEntry { shell, agent, .. }: &ShellEntry| Task {
            id: TaskId::Shell(shell.id.clone()),
            about: short(shell),
            agent: agent.clone(),
            sandbox: shell.sandbox,
            state: match shell.state() {
                ShellState::Running => TaskState::Running,
                state => TaskState::Ended { how: state.describe() },
            },
            ran_ms: u64::try_from(shell.ran().as_millis()).unwrap_or(u64::MAX),
        };
        all.entries.iter().map(task).collect()
    }

    /// The end of what this shell wrote, for a person. This may read a file.
    pub fn output(&self, id: &str) -> Option<io::Result<String>> {
        let everything = self.find(id)?.everything();
        let mut newest = NewestLines::default();
        let read = everything.lines(|line| {
            newest.push(line);
            ControlFlow::Continue(())
        });
        Some(read.map(|()| newest.into_text()))
    }

    /// Ends a shell for a person; false if it is not running.
    pub fn end_for_user(&self, id: &str) -> bool {
        let running = self.find(id).filter(|shell| shell.is_running());
        running.inspect(|shell| shell.end(ShellState::EndedByUser)).is_some()
    }

    /// Whether this agent can start one more.
    pub(crate) fn check_capacity(&self, agent: Option<&AgentId>) -> Result<(), TooManyShells> {
        self.all().check_capacity(agent)
    }

    /// Takes a child that goes on in the background, looked at by `watch`; what is to be told of it. This must be called in
    /// a runtime.
    pub(crate) fn add(
        &self,
        NewShell { command, sandbox, agent }: NewShell<'_>,
        (child, watch): (Child, Option<FenceWatch>),
        output: Collector,
    ) -> Result<BackgroundShell, TooManyShells> {
        let mut all = self.all();
        all.check_capacity(agent)?;
        all.forget_old();
        all.count += 1;
        let id = format!("shell_{}", all.count);
        let shell = Arc::new(Shell::new(id.clone(), command, sandbox, output));
        let started = BackgroundShell { id, command: short(&shell), sandbox };
        let (kill_handle, changed) = (child.kill_handle(), Arc::clone(&self.changed));
        let followed = shell::follow(child, Arc::clone(&shell), watch);
        let follower = tokio::spawn(async move {
            followed.await;
            changed.notify_one();
        });
        let (agent, follower) = (agent.cloned(), follower.abort_handle());
        all.entries.push(ShellEntry { shell, agent, follower, kill_handle });
        Ok(started)
    }

    /// The agent's shell of this name; if it has none, what to say.
    pub(crate) fn get(&self, id: &str, agent: Option<&AgentId>) -> Result<Arc<Shell>, String> {
        let all = self.all();
        let found = all.of(agent).find(|entry| entry.shell.id == id);
        found.map(|entry| Arc::clone(&entry.shell)).ok_or_else(|| all.unknown(id, agent))
    }

    /// Anybody's shell of this name.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Shell>> {
        let all = self.all();
        all.entries.iter().find(|entry| entry.shell.id == id).map(|entry| Arc::clone(&entry.shell))
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
    /// The shells of this agent.
    fn of(&self, agent: Option<&AgentId>) -> impl Iterator<Item = &ShellEntry> {
        self.entries.iter().filter(move |entry| entry.agent.as_ref() == agent)
    }

    fn check_capacity(&self, agent: Option<&AgentId>) -> Result<(), TooManyShells> {
        let running = self.entries.iter().filter(|entry| entry.shell.is_running()).count();
        if running < MAX_RUNNING {
            return Ok(());
        }
        let own = self.of(agent).map(|entry| &entry.shell).filter(|shell| shell.is_running());
        let list: String = own.map(|shell| format!("\n- `{}`: {}", shell.id, short(shell))).collect();
        let what_to_do = match list.is_empty() {
            true => "none of them is yours, so wait until one ends",
            false => "stop one with KillShell first",
        };
        Err(TooManyShells(format!("{MAX_RUNNING} background shells are already running; {what_to_do}{list}")))
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

    fn unknown(&self, id: &str, agent: Option<&AgentId>) -> String {
        let id = shorten(id, 100);
        let list: String =
            self.of(agent).map(|entry| format!("\n- {}", entry.shell.summary_line())).collect();
        if list.is_empty() {
            return format!(
                "You have no shell `{id}`: you started none since Forelook started, and shells end when Forelook exits\n\
                 Start the command again with Bash and `run_in_background`"
            );
        }
        format!(
            "You have no shell `{id}`; one that was started before Forelook restarted has ended\n\
             These are yours:{list}"
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
