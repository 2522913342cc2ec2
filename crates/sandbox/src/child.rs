//! A running child and its session.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal as SignalStream, SignalKind, signal};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use crate::pipes::{OutputChunk, Pipes};
use crate::program::StartedProgram;
#[cfg(target_os = "linux")]
use crate::session_members::{self, Candidates};
use crate::spawn::{ReapOutcome, SessionLeader};
use crate::{ChildExit, ChildInput, Program};

/// After the leader's exit: how long the outputs may be silent while somebody still holds them.
const QUIET_PERIOD: Duration = Duration::from_millis(300);
/// After the leader's exit: how long somebody who goes on talking is listened to.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);
/// After SIGKILL: how long the kernel may take.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);
/// In less time, no machine starts so many processes that their numbers begin again twice.
const NUMBERS_REPEAT: Duration = Duration::from_secs(1);

/// After the end: how many times what is left in the pipes is read. Somebody out of our reach could
/// fill them for ever.
const LAST_READS: u8 = 64;

/// What a child did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChildEvent {
    /// It wrote something.
    Output(OutputChunk),
    /// It ended, and so did its session. Every later question gets the same answer.
    Ended(ChildExit),
}

/// A running child, the leader of a session of its own.
///
/// **The rule for the session**: it ends when the call ends. When the leader exits, what the others of the session still write
/// is taken for a short while (a `tee` behind the shell has its last line), then they are killed; a program that should live
/// on needs a call that says so. Dropping the handle kills the session at once. Who made another session (`setsid`) is left
/// alone: that is how the servers of build tools and the like begin, which are meant to live on and would be started anew by
/// every call. A process group is not enough: `timeout` and a shell with job control make groups of their own.
///
/// The leader is reaped last. Until then its number cannot be given to anybody else, so no signal can reach a stranger.
#[derive(Debug)]
pub struct Child {
    /// Until it is reaped.
    leader: Option<SessionLeader>,
    session: Session,
    kill_handle: KillHandle,
    pipes: Pipes,
    /// Tells of any child's exit; ours is then looked at. Unlike a wait it leaves the leader unreaped.
    exits: SignalStream,
    feeder: Option<JoinHandle<()>>,
    /// The search for what is left of the session, while it goes on.
    search: Option<JoinHandle<()>>,
    state: ChildState,
}

/// `Running → Draining → Closing → Ended`, or with [`Child::terminate`] `Running → Terminating → (Killed →) Closing → Ended`.
#[derive(Debug, Clone, Copy)]
enum ChildState {
    /// The leader runs.
    Running,
    /// The leader exited by itself; the rest of the output is taken.
    Draining { quiet_at: Instant, close_at: Instant },
    /// SIGTERM was sent.
    Terminating { kill_at: Instant },
    /// SIGKILL was sent.
    Killed { quiet_at: Instant, close_at: Instant },
    /// The whole session is killed, the leader not yet reaped; what is still in the pipes is taken.
    Closing { reads: u8 },
    /// All is done.
    Ended(ChildExit),
}

impl Child {
    /// Starts a program.
    pub fn spawn(program: &Program) -> io::Result<Self> {
        // Before the start: an exit in between would otherwise go unheard.
        let exits = signal(SignalKind::child())?;
        let StartedProgram { leader, pipes, input } = program.start()?;
        let session = Session { leader: leader.pid(), began: Instant::now() };
        let kill_handle = KillHandle(Arc::new(Mutex::new(Some(session))));
        let (leader, state) = (Some(leader), ChildState::Running);
        let mut child =
            Self { leader, session, kill_handle, pipes, exits, feeder: None, search: None, state };
        if let (Some(input), ChildInput::Bytes(bytes)) = (input, &program.input) {
            let stdin = ChildStdin::from_std(std::process::ChildStdin::from(OwnedFd::from(input)))?;
            child.feeder = Some(feed(stdin, bytes.clone()));
        }
        Ok(child)
    }

    /// The number of the leader, which is the session's too.
    pub fn id(&self) -> i32 {
        self.session.leader.as_raw_nonzero().get()
    }

    /// What kills it from elsewhere.
    pub fn kill_handle(&self) -> KillHandle {
        self.kill_handle.clone()
    }

    /// What was written to [`Program::side`] so far; nothing if that was more than a mebibyte.
    pub fn side_output(&self) -> Option<&[u8]> {
        self.pipes.side_output()
    }

    /// What happens next. Dropping it half-way loses nothing.
    pub async fn next(&mut self) -> ChildEvent {
        loop {
            let now = Instant::now();
            match self.state {
                ChildState::Ended(exit) => return ChildEvent::Ended(exit),
                ChildState::Running if self.has_exited() => {
                    self.state =
                        ChildState::Draining { quiet_at: now + QUIET_PERIOD, close_at: now + DRAIN_TIMEOUT };
                }
                ChildState::Draining { quiet_at, close_at }
                    if self.pipes.are_closed() || now >= quiet_at.min(close_at) =>
                {
                    self.end_session();
                }
                ChildState::Terminating { .. } | ChildState::Killed { .. }
                    if self.pipes.are_closed() && self.has_exited() =>
                {
                    self.end_session();
                }
                ChildState::Terminating { kill_at } if now >= kill_at => {
                    // What was not found in time is looked for once more at the end.
                    drop(self.signal_session(&[Signal::KILL]));
                    self.state =
                        ChildState::Killed { quiet_at: now + QUIET_PERIOD, close_at: now + KILL_TIMEOUT };
                }
                // Whoever holds the output of a dead session has left it before.
                ChildState::Killed { quiet_at, .. } if now >= quiet_at && self.has_exited() => {
                    self.end_session()
                }
                ChildState::Killed { close_at, .. } if now >= close_at => self.end_session(),
                ChildState::Closing { .. } if self.search.is_some() => self.searched().await,
                ChildState::Closing { reads } => match self.pipes.read_now() {
                    Some(chunk) if reads > 0 => {
                        self.state = ChildState::Closing { reads: reads - 1 };
                        return ChildEvent::Output(chunk);
                    }
                    _ => self.reap(),
                },
                _ => {
                    if let Some(chunk) = self.wait().await {
                        return ChildEvent::Output(chunk);
                    }
                }
            }
        }
    }

    /// Waits for the end; what is written meanwhile is thrown away.
    pub async fn ended(&mut self) -> ChildExit {
        loop {
            if let ChildEvent::Ended(exit) = self.next().await {
                return exit;
            }
        }
    }

    /// Asks the session to end: SIGTERM now, SIGKILL when `grace` is over. Go on with [`Child::next`] for
    /// the last output and the end.
    pub fn terminate(&mut self, grace: Duration) {
        if matches!(self.state, ChildState::Running | ChildState::Draining { .. }) {
            // A stopped program would not hear it without the second one.
            drop(self.signal_session(&[Signal::TERM, Signal::CONT]));
            self.state = ChildState::Terminating { kill_at: Instant::now() + grace };
        }
    }

    /// Waits for output, an exit of any child, or the next point in time of the phase.
    async fn wait(&mut self) -> Option<OutputChunk> {
        let until = match self.state {
            ChildState::Running | ChildState::Closing { .. } | ChildState::Ended(_) => None,
            ChildState::Draining { quiet_at, close_at } => Some(quiet_at.min(close_at)),
            ChildState::Terminating { kill_at } => Some(kill_at),
            ChildState::Killed { quiet_at, .. } if Instant::now() < quiet_at => Some(quiet_at),
            ChildState::Killed { close_at, .. } => Some(close_at),
        };
        let chunk = tokio::select! {
            chunk = self.pipes.read(), if !self.pipes.is_done() => chunk,
            _ = self.exits.recv() => None,
            () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => None,
        };
        if let (Some(_), ChildState::Draining { quiet_at, .. }) = (&chunk, &mut self.state) {
            *quiet_at = Instant::now() + QUIET_PERIOD;
        }
        chunk
    }

    /// Waits for the end of the search. Should its thread fail, what is left lives on; we need not.
    async fn searched(&mut self) {
        if let Some(search) = &mut self.search {
            let _ = search.await;
        }
        self.search = None;
    }

    /// Whether the leader exited; it stays unreaped.
    fn has_exited(&self) -> bool {
        self.leader.as_ref().is_none_or(SessionLeader::has_exited)
    }

    /// Kills what is left of the session. The leader is not reaped before all of it was looked for.
    fn end_session(&mut self) {
        self.search = self.signal_session(&[Signal::KILL]);
        self.state = ChildState::Closing { reads: LAST_READS };
    }

    /// Takes the leader's status.
    fn reap(&mut self) {
        // Held while the number becomes free, so that nobody signals its next owner.
        let mut target = self.kill_handle.0.lock().unwrap_or_else(PoisonError::into_inner);
        let reaped = self.leader.as_ref().map_or(ReapOutcome::Gone, SessionLeader::reap);
        if reaped != ReapOutcome::NotYet {
            *target = None;
            drop(target);
            self.leader.take().into_iter().for_each(SessionLeader::release);
        }
        self.state = ChildState::Ended(match reaped {
            ReapOutcome::Ended(exit) => exit,
            // Not dead yet (`drop` leaves it to a thread to wait on), or somebody else took the status.
            ReapOutcome::NotYet | ReapOutcome::Gone => ChildExit::Unknown,
        });
    }

    /// Signals everybody in the session. A search through all processes of the machine goes on elsewhere: it takes longer than
    /// a thread of the runtime may be held.
    fn signal_session(&self, signals: &'static [Signal]) -> Option<JoinHandle<()>> {
        self.leader.as_ref()?;
        signals.iter().for_each(|signal| self.session.signal_group(*signal));
        let kill_handle = self.kill_handle.clone();
        match Handle::try_current() {
            Ok(runtime) if self.session.is_long_to_search() => {
                Some(runtime.spawn_blocking(move || kill_handle.signal_others(signals)))
            }
            _ => {
                kill_handle.signal_others(signals);
                None
            }
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(feeder) = self.feeder.take() {
            feeder.abort();
        }
        if self.leader.is_some() {
            // Here and now: nobody waits for a search that is left behind, and the leader is reaped next.
            self.session.signal(Signal::KILL);
        }
        self.kill_handle.disarm();
        if let Some(leader) = self.leader.take() {
            // Dying takes a moment, and `drop` may neither block nor be sure of a runtime. A thread that
            // waits leaves no zombie; should none start, init takes it when we end.
            let wait = move || leader.wait();
            let _ = std::thread::Builder::new().name("reap".into()).spawn(wait);
        }
    }
}

/// What a child began, while its leader is not reaped.
#[derive(Debug, Clone, Copy)]
struct Session {
    leader: Pid,
    began: Instant,
}

impl Session {
    /// Signals everybody in it.
    fn signal(self, signal: Signal) {
        self.signal_group(signal);
        self.signal_others(signal);
    }

    /// Signals those in the leader's own group.
    fn signal_group(self, signal: Signal) {
        // It fails when nobody is left or none of them is ours to signal; neither can be helped.
        let _ = kill_process_group(self.leader, signal);
    }

    /// Signals those in other groups.
    #[cfg(target_os = "linux")]
    fn signal_others(self, signal: Signal) {
        let candidates = if self.is_long_to_search() { Candidates::All } else { Candidates::AfterLeader };
        session_members::signal(self.leader.as_raw_nonzero().get(), signal.as_raw(), candidates);
    }

    /// Nothing tells who they are.
    #[cfg(not(target_os = "linux"))]
    fn signal_others(self, _: Signal) {}

    /// Whether all processes of the machine must be looked at to find those in other groups.
    fn is_long_to_search(self) -> bool {
        cfg!(target_os = "linux") && self.began.elapsed() >= NUMBERS_REPEAT
    }
}

/// Kills a child and its session from elsewhere, at once. When the child is over it does nothing.
#[derive(Debug, Clone)]
pub struct KillHandle(Arc<Mutex<Option<Session>>>);

impl KillHandle {
    /// Sends SIGKILL to the session.
    pub fn kill(&self) {
        if let Some(session) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            session.signal(Signal::KILL);
        }
    }

    /// Sends these to those of the session who are in other groups than the leader. The leader is not reaped meanwhile.
    fn signal_others(&self, signals: &[Signal]) {
        if let Some(session) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            signals.iter().for_each(|signal| session.signal_others(*signal));
        }
    }

    fn disarm(&self) {
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
