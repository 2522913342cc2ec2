//! A running child and its process group.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::signal::unix::{Signal as SignalStream, SignalKind, signal};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use crate::pipes::{Chunk, Pipes};
use crate::program::Started;
use crate::spawn::{Leader, Reaped};
use crate::{Ending, Input, Program};

/// After the leader's exit: how long the outputs may be silent while somebody still holds them.
const QUIET: Duration = Duration::from_millis(300);
/// After the leader's exit: how long somebody who goes on talking is listened to.
const LINGER: Duration = Duration::from_secs(1);
/// After SIGKILL: how long the kernel may take.
const STUCK: Duration = Duration::from_secs(2);

/// After the end: how many times what is left in the pipes is read. Somebody out of the group's reach could
/// fill them for ever.
const LAST_READS: u8 = 64;

/// What a child did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// It wrote something.
    Output(Chunk),
    /// It ended, and so did its group. Every later question gets the same answer.
    Ended(Ending),
}

/// A running child, the leader of a process group of its own; of a session too, if we have a terminal.
///
/// **The rule for the group**: it ends when the call ends. When the leader exits, what the others of the
/// group still write is taken for a short while (a `tee` behind the shell has its last line), then they
/// are killed; a program that should live on needs a call that says so. Dropping the handle kills the
/// group at once. Who made a session of its own (`setsid`) is out of the group and is left alone: that is how the servers
/// of build tools and the like begin, which are meant to live on and would be started anew by every call.
///
/// The leader is reaped last. Until then its number cannot be given to anybody else, so no signal to
/// the group can reach a stranger.
#[derive(Debug)]
pub struct Child {
    /// Until it is reaped.
    leader: Option<Leader>,
    group: Pid,
    killer: Killer,
    pipes: Pipes,
    /// Tells of any child's exit; ours is then looked at. Unlike a wait it leaves the leader unreaped.
    exits: SignalStream,
    feeder: Option<JoinHandle<()>>,
    phase: Phase,
}

/// `Running → Leaving → Over → Ended`, or with [`Child::terminate`] `Running → Asked → (Killed →) Over → Ended`.
#[derive(Debug, Clone, Copy)]
enum Phase {
    /// The leader runs.
    Running,
    /// The leader exited by itself; the rest of the output is taken.
    Leaving { quiet_at: Instant, over_at: Instant },
    /// SIGTERM was sent.
    Asked { kill_at: Instant },
    /// SIGKILL was sent.
    Killed { quiet_at: Instant, over_at: Instant },
    /// The whole group is killed, the leader not yet reaped; what is still in the pipes is taken.
    Over { reads: u8 },
    /// All is done.
    Ended(Ending),
}

impl Child {
    /// Starts a program.
    pub fn spawn(program: &Program) -> io::Result<Self> {
        // Before the start: an exit in between would otherwise go unheard.
        let exits = signal(SignalKind::child())?;
        let Started { leader, pipes, input } = program.start()?;
        let group = leader.pid();
        let killer = Killer(Arc::new(Mutex::new(Some(group))));
        let (leader, feeder, phase) = (Some(leader), None, Phase::Running);
        let mut child = Self { leader, group, killer, pipes, exits, feeder, phase };
        if let (Some(input), Input::Bytes(bytes)) = (input, &program.input) {
            let stdin = ChildStdin::from_std(std::process::ChildStdin::from(OwnedFd::from(input)))?;
            child.feeder = Some(feed(stdin, bytes.clone()));
        }
        Ok(child)
    }

    /// The number of the leader, which is the group's too.
    pub fn id(&self) -> i32 {
        self.group.as_raw_nonzero().get()
    }

    /// What kills it from elsewhere.
    pub fn killer(&self) -> Killer {
        self.killer.clone()
    }

    /// What was written to [`Program::side`] so far; nothing if that was more than a mebibyte.
    pub fn beside(&self) -> Option<&[u8]> {
        self.pipes.beside()
    }

    /// What happens next. Dropping it half-way loses nothing.
    pub async fn next(&mut self) -> Event {
        loop {
            let now = Instant::now();
            match self.phase {
                Phase::Ended(ending) => return Event::Ended(ending),
                Phase::Running if self.has_exited() => {
                    self.phase = Phase::Leaving { quiet_at: now + QUIET, over_at: now + LINGER };
                }
                Phase::Leaving { quiet_at, over_at }
                    if self.pipes.are_closed() || now >= quiet_at.min(over_at) =>
                {
                    self.end_group();
                }
                Phase::Asked { .. } | Phase::Killed { .. }
                    if self.pipes.are_closed() && self.has_exited() =>
                {
                    self.end_group();
                }
                Phase::Asked { kill_at } if now >= kill_at => {
                    self.signal_group(Signal::KILL);
                    self.phase = Phase::Killed { quiet_at: now + QUIET, over_at: now + STUCK };
                }
                // Whoever holds the output of a dead group has left it before.
                Phase::Killed { quiet_at, .. } if now >= quiet_at && self.has_exited() => self.end_group(),
                Phase::Killed { over_at, .. } if now >= over_at => self.end_group(),
                Phase::Over { reads } => match self.pipes.read_now() {
                    Some(chunk) if reads > 0 => {
                        self.phase = Phase::Over { reads: reads - 1 };
                        return Event::Output(chunk);
                    }
                    _ => self.reap(),
                },
                _ => {
                    if let Some(chunk) = self.wait().await {
                        return Event::Output(chunk);
                    }
                }
            }
        }
    }

    /// Waits for the end; what is written meanwhile is thrown away.
    pub async fn ended(&mut self) -> Ending {
        loop {
            if let Event::Ended(ending) = self.next().await {
                return ending;
            }
        }
    }

    /// Asks the group to end: SIGTERM now, SIGKILL when `grace` is over. Go on with [`Child::next`] for
    /// the last output and the end.
    pub fn terminate(&mut self, grace: Duration) {
        if matches!(self.phase, Phase::Running | Phase::Leaving { .. }) {
            self.signal_group(Signal::TERM);
            // A stopped program would not hear it.
            self.signal_group(Signal::CONT);
            self.phase = Phase::Asked { kill_at: Instant::now() + grace };
        }
    }

    /// Waits for output, an exit of any child, or the next point in time of the phase.
    async fn wait(&mut self) -> Option<Chunk> {
        let until = match self.phase {
            Phase::Running | Phase::Over { .. } | Phase::Ended(_) => None,
            Phase::Leaving { quiet_at, over_at } => Some(quiet_at.min(over_at)),
            Phase::Asked { kill_at } => Some(kill_at),
            Phase::Killed { quiet_at, .. } if Instant::now() < quiet_at => Some(quiet_at),
            Phase::Killed { over_at, .. } => Some(over_at),
        };
        let chunk = tokio::select! {
            chunk = self.pipes.read(), if !self.pipes.is_done() => chunk,
            _ = self.exits.recv() => None,
            () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => None,
        };
        if let (Some(_), Phase::Leaving { quiet_at, .. }) = (&chunk, &mut self.phase) {
            *quiet_at = Instant::now() + QUIET;
        }
        chunk
    }

    /// Whether the leader exited; it stays unreaped.
    fn has_exited(&self) -> bool {
        self.leader.as_ref().is_none_or(Leader::has_exited)
    }

    /// Kills what is left of the group.
    fn end_group(&mut self) {
        self.signal_group(Signal::KILL);
        self.phase = Phase::Over { reads: LAST_READS };
    }

    /// Takes the leader's status.
    fn reap(&mut self) {
        // Held while the number becomes free, so that nobody signals its next owner.
        let mut target = self.killer.0.lock().unwrap_or_else(PoisonError::into_inner);
        let reaped = self.leader.as_ref().map_or(Reaped::Gone, Leader::reap);
        if reaped != Reaped::NotYet {
            *target = None;
            drop(target);
            self.leader.take().into_iter().for_each(Leader::let_go);
        }
        self.phase = Phase::Ended(match reaped {
            Reaped::Ended(ending) => ending,
            // Not dead yet (`drop` leaves it to a thread to wait on), or somebody else took the status.
            Reaped::NotYet | Reaped::Gone => Ending::Unknown,
        });
    }

    fn signal_group(&self, signal: Signal) {
        if self.leader.is_some() {
            // It fails when nobody is left or none of them is ours to signal; neither can be helped.
            let _ = kill_process_group(self.group, signal);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(feeder) = self.feeder.take() {
            feeder.abort();
        }
        self.signal_group(Signal::KILL);
        self.killer.let_go();
        if let Some(leader) = self.leader.take() {
            // Dying takes a moment, and `drop` may neither block nor be sure of a runtime. A thread that
            // waits leaves no zombie; should none start, init takes it when we end.
            let wait = move || leader.wait();
            let _ = std::thread::Builder::new().name("reap".into()).spawn(wait);
        }
    }
}

/// Kills a child and its group from elsewhere, at once. When the child is over it does nothing.
#[derive(Debug, Clone)]
pub struct Killer(Arc<Mutex<Option<Pid>>>);

impl Killer {
    /// Sends SIGKILL to the group.
    pub fn kill(&self) {
        if let Some(group) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    fn let_go(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Writes all of it, in a task: a child that reads slowly or never must not hold its output up.
fn feed(mut stdin: ChildStdin, bytes: Vec<u8>) -> JoinHandle<()> {
    tokio::spawn(async move {
        // A child may close its input early; that is its right.
        let _ = stdin.write_all(&bytes).await;
    })
}

#[cfg(test)]
mod tests;
