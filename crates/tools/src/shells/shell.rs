//! One shell in the background.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use forelook_protocol::Confinement;
use forelook_sandbox::{Child, Ending, Event};
use regex::Regex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::GRACE;
use crate::output::{Collector, Unseen, shorten};

/// Bytes of a line that is not whole yet, for who waits for a text in it.
const MAX_PARTIAL: usize = 8 * 1024;
/// How a shell ended that was not to go on into the planning.
const STOPPED: &str = "stopped, since planning began";

/// A shell in the background.
#[derive(Debug)]
pub(crate) struct Shell {
    pub(crate) id: String,
    pub(crate) command: String,
    /// What the kernel holds it to.
    pub(crate) within: Confinement,
    pub(crate) since: Instant,
    inner: Mutex<Inner>,
    /// It ended, or somebody's text came.
    changed: Notify,
    /// It should end.
    kill: CancellationToken,
}

struct Inner {
    output: Collector,
    state: State,
    /// What it will be once it was asked to end.
    asked: State,
    /// Somebody was told of its end.
    told: bool,
    waiting: Vec<Weak<Waiting>>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner").field("state", &self.state).finish_non_exhaustive()
    }
}

/// Whether a shell runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    Ended(Ending),
    /// KillShell ended it.
    Killed,
    /// It was ended because planning began.
    Stopped,
}

impl State {
    pub(crate) fn words(self) -> String {
        match self {
            State::Running => "running".to_owned(),
            State::Ended(ending @ Ending::Exited(_)) => format!("ended, {ending}"),
            State::Ended(ending) => ending.to_string(),
            State::Killed => "killed".to_owned(),
            State::Stopped => STOPPED.to_owned(),
        }
    }
}

/// Somebody who waits for a text.
#[derive(Debug)]
pub(crate) struct Waiting {
    pattern: Regex,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// The line that is not whole yet.
    partial: String,
    /// The line that it was in.
    line: Option<String>,
}

impl Waiting {
    /// The line in which the text was, once it came.
    pub(crate) fn line(&self) -> Option<String> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).line.clone()
    }

    /// Looks at some more output; tells whether the text came with it.
    fn look(&self, text: &str) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.line.is_some() {
            return false;
        }
        let all = std::mem::take(&mut seen.partial) + text;
        seen.line = all.lines().find(|line| self.pattern.is_match(line)).map(ToOwned::to_owned);
        let last = all.rfind('\n').map_or(0, |at| at + 1);
        let begin = all.ceil_char_boundary(last.max(all.len().saturating_sub(MAX_PARTIAL)));
        seen.partial.push_str(&all[begin..]);
        seen.line.is_some()
    }
}

impl Shell {
    #[expect(clippy::disallowed_methods, reason = "how long a shell runs is measured from here")]
    pub(crate) fn new(id: String, command: &str, within: Confinement, output: Collector) -> Self {
        let (state, asked, waiting) = (State::Running, State::Killed, Vec::new());
        let inner = Inner { output, state, asked, told: false, waiting };
        Self {
            id,
            command: command.to_owned(),
            within,
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
        self.inner().state == State::Running
    }

    /// Asks it to end; [`Shell::ended`] waits for that.
    pub(crate) fn end(&self) {
        self.kill.cancel();
    }

    /// The same, since planning began: then its end is news.
    pub(crate) fn stop(&self) {
        self.inner().asked = State::Stopped;
        self.kill.cancel();
    }

    /// Waits for its end.
    pub(crate) async fn ended(&self) {
        self.until(|| !self.is_running()).await;
    }

    /// Waits for a text or the end.
    pub(crate) async fn came(&self, waiting: &Waiting) {
        self.until(|| waiting.line().is_some() || !self.is_running()).await;
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
    pub(crate) fn wait_for(&self, pattern: Regex) -> (Arc<Waiting>, Unseen) {
        let mut inner = self.inner();
        let waiting = Arc::new(Waiting { pattern, seen: Mutex::default() });
        inner.waiting.push(Arc::downgrade(&waiting));
        (waiting, inner.output.unseen())
    }

    /// What came since the last look, and the state. Who is told of the end here is told once.
    pub(crate) fn look(&self) -> Look {
        let mut inner = self.inner();
        let unseen = inner.output.unseen();
        let text = inner.output.look();
        inner.told |= inner.state != State::Running;
        Look { text, unseen, whole: inner.output.where_the_whole_is(), state: inner.state }
    }

    /// How it ended, if nobody was told yet; this tells.
    pub(crate) fn untold_end(&self) -> Option<String> {
        let mut inner = self.inner();
        let how = match inner.state {
            State::Ended(ending) => ending.to_string(),
            State::Stopped => STOPPED.to_owned(),
            State::Running | State::Killed => return None,
        };
        (!std::mem::replace(&mut inner.told, true)).then_some(how)
    }

    /// For a list.
    pub(crate) fn in_a_line(&self) -> String {
        let state = self.inner().state.words();
        format!("`{}` ({state}): {}", self.id, shorten(&self.command, super::MAX_COMMAND))
    }

    /// How many bytes of output are held.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.inner().output.held()
    }

    fn push(&self, bytes: &[u8]) {
        let mut inner = self.inner();
        let text = inner.output.push(bytes);
        let mut came = false;
        inner.waiting.retain(|waiting| {
            let waiting = waiting.upgrade();
            came |= waiting.as_ref().is_some_and(|waiting| waiting.look(&text));
            waiting.is_some()
        });
        drop(inner);
        if came {
            self.changed.notify_waiters();
        }
    }

    /// `ending`: how it ended, unless it was asked to.
    fn over(&self, ending: Option<Ending>) {
        let mut inner = self.inner();
        inner.output.end();
        inner.state = ending.map_or(inner.asked, State::Ended);
        drop(inner);
        self.changed.notify_waiters();
    }
}

/// What a shell wrote since the last look.
pub(crate) struct Look {
    /// Bounded, for the model.
    pub(crate) text: String,
    /// All of it.
    pub(crate) unseen: Unseen,
    /// Where everything is, in words.
    pub(crate) whole: String,
    pub(crate) state: State,
}

/// Follows a shell to its end.
pub(crate) async fn follow(mut child: Child, shell: Arc<Shell>) {
    let mut asked = false;
    loop {
        tokio::select! {
            event = child.next() => match event {
                Event::Output(chunk) => shell.push(&chunk.bytes),
                Event::Ended(ending) => {
                    shell.over((!asked).then_some(ending));
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
