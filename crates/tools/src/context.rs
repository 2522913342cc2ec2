//! What a call is given, beside what its tool was made with.

use std::sync::Arc;

use forelook_fences::{FenceInputs, FenceSetup, Fences, GuardSearch, Launch, LaunchOptions, PathGuard};
use forelook_protocol::{AbsPath, Action, CallId};
use tokio_util::sync::CancellationToken;

use crate::progress::OutputSink;
use crate::seen::SeenFiles;
use crate::small_model::{NoSmallModel, SmallModel};
use crate::tool::CallLocation;

/// What a call is given.
///
/// A tool sees no mode, no rule and nobody's yes: this crate does not depend on the one that decides (the table of crates
/// in `docs/architecture.md` is checked), and no field here can say any of it. What follows from a decision arrives as what
/// it means for the call: which files, and how programs are started.
#[derive(Clone)]
pub struct ToolContext {
    /// The call.
    pub call: CallId,
    /// What was decided on.
    pub action: Action,
    /// Where it takes place.
    pub place: CallLocation,
    /// Which files it may touch.
    pub files: FileAccess,
    /// How it starts programs.
    pub launch: Launch,
    /// A model for small questions. It belongs to the call: what it costs is written down in the conversation that asked.
    pub small: Arc<dyn SmallModel>,
    /// Cancelled when the turn is interrupted.
    pub cancel: CancellationToken,
    /// What it tells while it runs.
    pub output: OutputSink,
}

/// Which files a call may touch.
#[derive(Clone)]
pub struct FileAccess {
    /// Files the model has seen in this conversation: only those may be changed.
    pub seen: SeenFiles,
    /// Which files may be read: a search passes over the others, and says so.
    pub readable: Arc<dyn PathFilter>,
}

/// Tells files apart. A search asks for each that it finds, on many threads.
pub trait PathFilter: Send + Sync {
    /// Whether this file is one of those.
    fn admits(&self, path: &AbsPath) -> bool;
}

/// Every file.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllFiles;

impl PathFilter for AllFiles {
    fn admits(&self, _: &AbsPath) -> bool {
        true
    }
}

impl ToolContext {
    /// A call in this folder that belongs to no conversation: a person's own line, tests and measurements. Everything may
    /// be read, nothing holds what it starts, and nobody watches.
    pub fn alone(folder: &AbsPath) -> Self {
        let inputs = FenceInputs {
            folders: vec![folder.clone()],
            home: None,
            guards: Arc::new(|_: &AbsPath| PathGuard::Unguarded),
            search: GuardSearch::default(),
        };
        let fences = Fences::new(FenceSetup::plain(&folder.join("scratch")));
        Self {
            call: CallId("call".into()),
            action: Action::Internal,
            place: CallLocation { project: folder.clone(), folder: folder.clone(), agent: None },
            files: FileAccess { seen: SeenFiles::default(), readable: Arc::new(AllFiles) },
            launch: Launch::new(Arc::new(fences), Arc::new(inputs), LaunchOptions::PLAIN),
            small: Arc::new(NoSmallModel),
            cancel: CancellationToken::new(),
            output: OutputSink::default(),
        }
    }
}
