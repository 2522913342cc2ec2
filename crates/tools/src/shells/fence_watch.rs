//! Follows a shell in the background that a fence holds. From time to time we look at what it made and what it could read.
//!
//! A fence that only lets read hides the secrets of the moment when it was raised. So what a shell in it writes is kept back
//! until a look that began later finds no other secret. If there is one the shell is ended, and what was kept back is
//! never shown.

use std::sync::Arc;
use std::time::Duration;

use forelook_fences::{FenceLook, Launch};
use forelook_protocol::Confinement;
use forelook_sandbox::{Child, ChildEvent, ChildExit, Fence};
use tokio::time::{Instant, sleep_until};

use super::GRACE;
use super::shell::Shell;

/// Between two looks at a shell that writes nothing, and at one that does.
const QUIET: Duration = Duration::from_millis(500);
const BUSY: Duration = Duration::from_millis(100);
/// A look at a large project takes its time: at least so many times as much passes until the next.
const REST: u32 = 10;
/// So much is kept back at most.
const MAX_HELD: usize = 256 * 1024;

/// What a shell in the background is looked at by.
pub(crate) struct FenceWatch {
    launch: Launch,
    /// Held until after the last look: another may stand in its place by then.
    fence: Arc<Fence>,
}

impl FenceWatch {
    /// For a command in this fence; nothing if it need not be looked at.
    pub(crate) fn new(launch: &Launch, fence: Option<&Arc<Fence>>) -> Option<Self> {
        let fence = fence.filter(|_| launch.is_watched())?;
        Some(Self { launch: launch.clone(), fence: Arc::clone(fence) })
    }

    pub(super) async fn follow(self, child: Child, shell: Arc<Shell>) {
        let holds_back = self.launch.sandbox() != Confinement::Workspace;
        let follower = Follower { watch: self, shell, held: Vec::new(), holds_back, last: Duration::ZERO };
        follower.run(child).await;
    }
}

struct Follower {
    watch: FenceWatch,
    shell: Arc<Shell>,
    /// What is not shown yet.
    held: Vec<u8>,
    holds_back: bool,
    /// How long the last look took.
    last: Duration,
}

impl Follower {
    async fn run(mut self, mut child: Child) {
        let (mut asked, mut looked) = (false, Instant::now());
        loop {
            let pause = if self.held.is_empty() { QUIET } else { BUSY };
            tokio::select! {
                event = child.next() => match event {
                    ChildEvent::Output(chunk) if self.holds_back => self.held.extend(chunk.bytes),
                    ChildEvent::Output(chunk) => self.shell.push(&chunk.bytes),
                    ChildEvent::Ended(ending) => return self.end((!asked).then_some(ending)).await,
                },
                () = sleep_until(looked + pause.max(self.last * REST)), if self.held.len() < MAX_HELD => {
                    self.look().await;
                    looked = Instant::now();
                }
                () = self.shell.kill_requested(), if !asked => {
                    asked = true;
                    // Who could read a secret could send it somewhere.
                    child.terminate(if self.shell.is_exposed() { Duration::ZERO } else { GRACE });
                }
            }
            if self.held.len() >= MAX_HELD {
                self.look().await;
                looked = Instant::now();
            }
        }
    }

    /// Shows what was kept back, or ends the shell. Tells whether it may go on.
    async fn look(&mut self) -> bool {
        let began = Instant::now();
        let FenceLook { notes, exposes_secret } = self.watch.launch.look(&self.watch.fence).await;
        self.last = began.elapsed();
        for note in notes {
            self.shell.push(format!("\n{note}\n").as_bytes());
        }
        let held = std::mem::take(&mut self.held);
        match exposes_secret {
            true => self.shell.end_exposed(),
            false if held.is_empty() => {}
            false => self.shell.push(&held),
        }
        !exposes_secret
    }

    async fn end(mut self, ending: Option<ChildExit>) {
        // What it wrote after it was asked to end is not shown either.
        let may_show = !self.shell.is_exposed() && self.look().await;
        self.shell.finish(ending.filter(|_| may_show));
    }
}
