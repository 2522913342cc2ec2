//! The trait of all tools, and what a call is given.

use std::sync::Arc;

use forelook_protocol::{AbsPath, Action, CallId, Confinement, ToolSpec};
use forelook_sandbox::ChildEnv;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::call::ParsedCall;
use crate::fences::{FenceSetup, Fences, Ground, Guarded, Looking};
use crate::progress::Progress;
use crate::seen::SeenFiles;
use crate::shells::Shells;
use crate::small_model::{NoSmallModel, SmallModel};

/// Something the model can do.
pub trait Tool: Send + Sync {
    /// What the model is told of it.
    fn spec(&self) -> &ToolSpec;

    /// What it is for, in words to search by, if its schema may be held back until it is found through `ToolSearch`.
    fn deferred(&self) -> Option<&str> {
        None
    }

    /// Understands the input of a call. The only place where an input is parsed.
    fn parse(self: Arc<Self>, input: &Value) -> Result<ParsedCall, BadInput>;
}

/// An input that cannot be carried out. The text is for the model: which field, and what to send.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadInput(pub String);

/// Where calls take place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The project's folder.
    pub project: AbsPath,
    /// Where shell commands run now, and what relative paths are relative to.
    pub folder: AbsPath,
}

/// Takes running output, for a screen. It may be called often and must not block.
pub type OutputSink = Arc<dyn Fn(&str) + Send + Sync>;

/// Whether a file may be read without asking anybody.
pub type Readable = Arc<dyn Fn(&AbsPath) -> bool + Send + Sync>;

/// What a call is given.
#[derive(Clone)]
pub struct ToolContext {
    /// The call.
    pub call: CallId,
    /// What was decided on.
    pub action: Action,
    /// Where it takes place.
    pub place: Place,
    /// Whether git in this call only reads, so that nothing of a repository's configuration need run.
    pub quiet_git: bool,
    /// Whether nobody said yes to the call, neither now nor with a rule: it was let through for what its text does. Then
    /// that text must mean what it says.
    pub unasked: bool,
    /// What the kernel holds the programs to that this call starts.
    pub within: Confinement,
    /// How often planning had begun when this was decided on ([`Shells::epoch`]).
    pub epoch: u64,
    /// What holds them.
    pub fences: Arc<Fences>,
    /// The ground they stand on.
    pub ground: Ground,
    /// Which files may be read: a search passes over the others, and says so.
    pub readable: Readable,
    /// Shells that run beside the conversation.
    pub shells: Arc<Shells>,
    /// Files the model has seen.
    pub seen: SeenFiles,
    /// Whether the session is planning.
    pub planning: bool,
    /// Whether the call is a subagent's.
    pub subagent: bool,
    /// The folder below which no link is followed when a file is edited: what was decided on is this very file, such as
    /// the plan's, and nothing that a link may have made of it since.
    pub confined: Option<AbsPath>,
    /// A model for small questions.
    pub small: Arc<dyn SmallModel>,
    /// The environment of children.
    pub env: Arc<ChildEnv>,
    /// A private folder of the session, for whole outputs.
    pub scratch: AbsPath,
    /// Cancelled when the turn is interrupted.
    pub cancel: CancellationToken,
    /// Running output goes here.
    pub output: OutputSink,
    /// How far the call is, for whoever watches.
    pub progress: Progress,
}

impl ToolContext {
    /// A call in this folder that belongs to no session: for tests and measurements. Everything may be read, nobody is
    /// asked, and nobody watches.
    pub fn alone(folder: &AbsPath, env: ChildEnv) -> Self {
        Self {
            call: CallId("call".into()),
            action: Action::Internal,
            place: Place { project: folder.clone(), folder: folder.clone() },
            quiet_git: false,
            unasked: false,
            within: Confinement::Off,
            epoch: 0,
            fences: Arc::new(Fences::new(FenceSetup::plain(&folder.join("scratch")))),
            ground: Ground {
                folders: vec![folder.clone()],
                home: None,
                guards: Arc::new(|_: &AbsPath| Guarded::No),
                looking: Looking::default(),
            },
            readable: Arc::new(|_| true),
            shells: Arc::default(),
            seen: SeenFiles::default(),
            planning: false,
            subagent: false,
            confined: None,
            small: Arc::new(NoSmallModel),
            env: Arc::new(env),
            scratch: folder.join("scratch"),
            cancel: CancellationToken::new(),
            output: Arc::new(|_: &str| {}),
            progress: Progress::default(),
        }
    }
}
