//! One shell in the background.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use forelook_protocol::Confinement;
use forelook_sandbox::{Child, ChildEvent, ChildExit};
use regex::Regex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::GRACE;
use super::fence_watch::FenceWatch;
use crate::output::{Collector, UnreadOutput, shorten};

/// Bytes of a line that is not whole yet, for who waits for a text in it.
const MAX_PARTIAL: usize = 8 * 1024;
/// How a shell ended that was not to go on into the planning.
const STOPPED: &str = "stopped because planning started";
/// How one ended that the user ended.
const BY_USER: &str = "stopped by the user";
/// How one ended that could have read a secret.
const EXPOSED: &str = "stopped because a file with secrets, or one that a rule denies reading, was created or replaced while \
                       it ran; its last output is not shown";

/// A shell in the background.
#[derive(Debug)]
pub(crate) struct Shell {
    pub(crate) id: String,
    pub(crate) command: String,
    /// What the kernel holds it to.
    pub(crate) sandbox: Confinement,
    pub(crate) since: Instant,
    inner: Mutex<Inner>,
    /// It ended, or somebody's text came.
    changed: Notify,
    /// It should end.
    kill: CancellationToken,
}

struct Inner {
    output: Collector,
    state: ShellState,
    /// What it will be once it was asked to end.
    requested: ShellState,
    /// How long it ran, once it has ended.
    ran: Option<Duration>,
    /// Somebody was told of its end.
    reported: bool,
    waiters: Vec<Weak<OutputWaiter>>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner").field("state", &self.state).finish_non_exhaustive()
    }
}

/// Whether a shell runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShellState {
    Running,
    Ended(ChildExit),
    /// KillShell ended it.
    Killed,
    /// The user ended it.
    EndedByUser,
    /// It was ended because planning began.
    Stopped,
    /// It was ended because it could read a secret that its fence does not hide.
    Exposed,
}

impl ShellState {
    pub(crate) fn describe(self) -> String {
        match self {
            ShellState::Running => "running".to_owned(),
            ShellState::Ended(ending @ ChildExit::Exited(_)) => format!("ended, {ending}"),
            ShellState::Ended(ending) => ending.to_string(),
            ShellState::Killed => "killed".to_owned(),
            ShellState::EndedByUser => BY_USER.to_owned(),
            ShellState::Stopped => STOPPED.to_owned(),
            ShellState::Exposed => EXPOSED.to_owned(),
        }
    }
}

/// Somebody who waits for a text.
#[derive(Debug)]
pub(crate) struct OutputWaiter {
    pattern: Regex,
    progress: Mutex<WaitProgress>,
}

#[derive(Debug, Default)]
struct WaitProgress {
    /// The line that is not whole yet.
    partial: String,
    /// The line that it was in.
    line: Option<String>,
}

impl OutputWaiter {
    /// The line in which the text was, once it came.
    pub(crate) fn line(&self) -> Option<String> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).line.clone()
    }

    /// Looks at some more output; tells whether the text came with it.
    fn feed(&self, text: &str) -> bool {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.line.is_some() {
            return false;
        }
        let all = std::mem::take(&mut progress.partial) + text;
        progress.line = all.lines().find(|line| self.pattern.is_match(line)).map(ToOwned::to_owned);
        let last = all.rfind('\n').map_or(0, |at| at + 1);
        let begin = all.ceil_char_boundary(last.max(all.len().saturating_sub(MAX_PARTIAL)));
        progress.partial.push_str(&all[begin..]);
        progress.line.is_some()
    }
}

impl Shell {
    #[expect(clippy::disallowed_methods, reason = "how long a shell runs is measured from here")]
    pub(crate) fn new(id: String, command: &str, sandbox: Confinement, output: Collector) -> Self {
        let (state, requested, waiters) = (ShellState::Running, ShellState::Killed, Vec::new());
        let inner = Inner { output, state, requested, ran: None, reported: false, waiters };
        Self {
            id,
            command: command.to_owned(),
            sandbox,
            since: Instant::now(),
            inner: Mutex::new(inner),
            changed: Notify::new(),
            kill: CancellationToken::new(),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_running(&self) -> bool {
        self.inner().state == ShellState::Running
    }

    /// Asks it to end, and remembers why; [`Shell::ended`] waits for that. One that already ends keeps its reason.
    pub(crate) fn end(&self, why: ShellState) {
        if !self.kill.is_cancelled() {
            self.inner().requested = why;
        }
        self.kill.cancel();
    }

    /// Waits until it should end.
    pub(super) async fn kill_requested(&self) {
        self.kill.cancelled().await;
    }

    /// Whether it ends because it could read a secret.
    pub(super) fn is_exposed(&self) -> bool {
        self.inner().requested == ShellState::Exposed
    }

    /// Ends it since it could read a secret, whatever else it was asked to end for.
    pub(super) fn end_exposed(&self) {
        self.inner().requested = ShellState::Exposed;
        self.kill.cancel();
    }

    /// Waits for its end.
    pub(crate) async fn ended(&self) {
        self.until(|| !self.is_running()).await;
    }

    /// Waits for a text or the end.
    pub(crate) async fn wait_for_match(&self, waiter: &OutputWaiter) {
        self.until(|| waiter.line().is_some() || !self.is_running()).await;
    }

    async fn until(&self, done: impl Fn() -> bool) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // Before the look: a change in between would otherwise go unheard.
            changed.as_mut().enable();
            if done() {
                return;
            }
            changed.await;
        }
    }

    /// Looks for a text in all that comes from now on; also gives what nobody has looked at yet.
    pub(crate) fn watch_for(&self, pattern: Regex) -> (Arc<OutputWaiter>, UnreadOutput) {
        let mut inner = self.inner();
        let waiter = Arc::new(OutputWaiter { pattern, progress: Mutex::default() });
        inner.waiters.push(Arc::downgrade(&waiter));
        (waiter, inner.output.unread())
    }

    /// What came since the last look, and the state. Who is told of the end here is told once.
    pub(crate) fn read_new(&self) -> NewOutput {
        let mut inner = self.inner();
        let unread = inner.output.unread();
        let text = inner.output.take_new();
        inner.reported |= inner.state != ShellState::Running;
        NewOutput { text, unread, whole: inner.output.describe_output_file(), state: inner.state }
    }

    /// How it ended, if nobody was told yet; this tells.
    pub(crate) fn take_exit_notice(&self) -> Option<String> {
        let mut inner = self.inner();
        let how = match inner.state {
            ShellState::Ended(ending) => ending.to_string(),
            state @ (ShellState::Stopped | ShellState::Exposed | ShellState::EndedByUser) => state.describe(),
            ShellState::Running | ShellState::Killed => return None,
        };
        (!std::mem::replace(&mut inner.reported, true)).then_some(how)
    }

    pub(crate) fn state(&self) -> ShellState {
        self.inner().state
    }

    /// All it wrote, for a person: what the model has not looked at stays new.
    pub(super) fn everything(&self) -> UnreadOutput {
        self.inner().output.everything()
    }

    /// For how long it has run, or ran.
    pub(super) fn ran(&self) -> Duration {
        self.inner().ran.unwrap_or_else(|| self.since.elapsed())
    }

    /// For a list.
    pub(crate) fn summary_line(&self) -> String {
        let state = self.inner().state.describe();
        format!("`{}` ({state}): {}", self.id, shorten(&self.command, super::MAX_COMMAND))
    }

    /// How many bytes of output are held.
    #[cfg(test)]
    pub(crate) fn buffered_bytes(&self) -> usize {
        self.inner().output.buffered_bytes()
    }

    pub(super) fn push(&self, bytes: &[u8]) {
        let mut inner = self.inner();
        let text = inner.output.push(bytes);
        let mut matched = false;
        inner.waiters.retain(|waiter| {
            let waiter = waiter.upgrade();
            matched |= waiter.as_ref().is_some_and(|waiter| waiter.feed(&text));
            waiter.is_some()
        });
        drop(inner);
        if matched {
            self.changed.notify_waiters();
        }
    }

    /// `ending`: how it ended, unless it was asked to.
    pub(super) fn finish(&self, ending: Option<ChildExit>) {
        let mut inner = self.inner();
        inner.output.end();
        inner.state = ending.map_or(inner.requested, ShellState::Ended);
        inner.ran = Some(self.since.elapsed());
        drop(inner);
        self.changed.notify_waiters();
    }
}

/// What a shell wrote since the last look.
pub(crate) struct NewOutput {
    /// Bounded, for the model.
    pub(crate) text: String,
    /// All of it.
    pub(crate) unread: UnreadOutput,
    /// Where everything is, in words.
    pub(crate) whole: String,
    pub(crate) state: ShellState,
}

/// Follows a shell to its end.
pub(crate) async fn follow(child: Child, shell: Arc<Shell>, watch: Option<FenceWatch>) {
    match watch {
        Some(watch) => watch.follow(child, shell).await,
        None => follow_unwatched(child, shell).await,
    }
}

async fn follow_unwatched(mut child: Child, shell: Arc<Shell>) {
    let mut asked = false;
    loop {
        tokio::select! {
            event = child.next() => match event {
                ChildEvent::Output(chunk) => shell.push(&chunk.bytes),
                ChildEvent::Ended(ending) => {
                    shell.finish((!asked).then_some(ending));
                    return;
                }
            },
            () = shell.kill.cancelled(), if !asked => {
                asked = true;
                child.terminate(GRACE);
            }
        }
    }
}
