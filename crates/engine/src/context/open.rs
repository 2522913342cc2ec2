//! The system prompt of an open session: complete at its first request, and never changed after it.
//!
//! What git says of the folder is found out while the session opens. The first request waits a moment for it and goes
//! without it if it takes longer: a large repository or a hostile one must not hold up the conversation.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use forelook_fences::{Fences, GitOverview};
use forelook_protocol::ContextPartKind;
use forelook_providers::WireCached;
use forelook_tools::ToolServices;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::SystemPrompt;

/// How long git waits to be asked: until the first frame is drawn, or the first request wants to know. Its fence forks
/// this process, which holds up everybody who touches its memory meanwhile.
const START_DELAY: Duration = Duration::from_millis(50);

/// How long the first request waits for git.
const FIRST_REQUEST_WAIT: Duration = Duration::from_millis(300);

/// How long git may take while nobody waits.
const GIT_LIMIT: Duration = Duration::from_secs(5);

/// The system prompt of an open session.
pub(crate) struct OpenPrompt {
    prompt: SystemPrompt,
    git: Mutex<Option<PendingGit>>,
    settled: OnceLock<SettledPrompt>,
}

/// What every request begins with from the first one on.
struct SettledPrompt {
    prompt: SystemPrompt,
    blocks: Arc<WireCached<Vec<String>>>,
}

/// Git, being asked. Dropping it ends git.
struct PendingGit {
    task: JoinSet<Option<GitOverview>>,
    wanted: Arc<Notify>,
}

impl OpenPrompt {
    pub(crate) fn new(prompt: SystemPrompt) -> Self {
        Self { prompt, git: Mutex::default(), settled: OnceLock::new() }
    }

    /// Begins to ask git about the folder, beside everything else.
    pub(crate) fn ask_git(&self, fences: &Arc<Fences>, services: &ToolServices) {
        // Without a repository there is nothing to ask.
        if self.prompt.environment.branch.is_none() {
            return;
        }
        let wanted = Arc::new(Notify::new());
        let (fences, env, folder) =
            (Arc::clone(fences), Arc::clone(&services.env), self.prompt.environment.folder.clone());
        let (mut task, asked) = (JoinSet::new(), Arc::clone(&wanted));
        task.spawn(async move {
            let _ = timeout(START_DELAY, asked.notified()).await;
            timeout(GIT_LIMIT, fences.git_overview(&env, &folder)).await.ok().flatten()
        });
        *self.git.lock().unwrap_or_else(PoisonError::into_inner) = Some(PendingGit { task, wanted });
    }

    /// Waits until the prompt is complete, but not for long; called before every request. A turn waits, never the session.
    pub(crate) async fn settle(&self) {
        if self.settled.get().is_some() {
            return;
        }
        let pending = self.git.lock().unwrap_or_else(PoisonError::into_inner).take();
        let git = match pending {
            Some(PendingGit { mut task, wanted }) => {
                wanted.notify_one();
                let joined = timeout(FIRST_REQUEST_WAIT, task.join_next()).await;
                joined.ok().flatten().and_then(Result::ok).flatten()
            }
            None => None,
        };
        self.settled(git);
    }

    /// The blocks that requests of the main agent begin with.
    pub(crate) fn blocks(&self) -> Arc<WireCached<Vec<String>>> {
        Arc::clone(&self.settled(None).blocks)
    }

    /// How many bytes it is, part by part; without what git says, as long as that is not known.
    pub(crate) fn sizes(&self) -> Vec<(ContextPartKind, Option<String>, usize)> {
        self.settled.get().map_or(&self.prompt, |settled| &settled.prompt).sizes()
    }

    /// The same for a subagent.
    pub(crate) fn for_agent(&self, prompt: &str, instructions: bool) -> Vec<String> {
        self.settled(None).prompt.for_agent(prompt, instructions)
    }

    fn settled(&self, git: Option<GitOverview>) -> &SettledPrompt {
        self.settled.get_or_init(|| {
            let mut prompt = self.prompt.clone();
            prompt.environment.git = prompt.environment.git.or(git);
            let blocks = Arc::new(prompt.blocks().into());
            SettledPrompt { prompt, blocks }
        })
    }
}
