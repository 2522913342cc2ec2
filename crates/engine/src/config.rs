//! What a session is opened with: everything resolved, nothing left to read from the environment.

use std::sync::Arc;
use std::time::Duration;

use forelook_fences::FenceSetup;
use forelook_hooks::Hooks;
use forelook_permissions::{
    ModeConditions, ProgramFiles, RuleEntry, ShellPattern, Strictness, WorkspacePolicy,
};
use forelook_plan::{PlanStore, Workflow};
use forelook_protocol::{
    AbsPath, Clock, HostServices, IdGenerator, Mode, Notice, PermissionUpdate, SessionId,
};
use forelook_sessions::SessionStore;
use forelook_tools::{ToolRegistry, ToolServices};

use crate::agents::AgentDefinition;
use crate::classifier::Classifier;
use crate::context::SystemPrompt;
use crate::model::ModelCatalog;

/// Everything a session needs.
pub struct Config {
    /// A new session, or one from before.
    pub start: SessionStart,
    /// The folder it works in.
    pub folder: AbsPath,
    /// Where journals and todos are.
    pub store: SessionStore,
    /// What the kernel's fences are made of.
    pub fences: FenceSetup,
    /// What may be done.
    pub permissions: PermissionConfig,
    /// The person's hooks.
    pub hooks: Arc<Hooks>,
    /// The mode to begin with; nothing: the one the session had, or `default`.
    pub mode: Option<Mode>,
    /// The model to begin with, as `provider/name`.
    pub model: String,
    /// Whether the model was named for this run: then it wins over the one that a resumed session had.
    pub model_named: bool,
    /// Who is asked while the model has too much to do, as `provider/name`.
    pub fallback: Option<String>,
    /// Finds the provider of a model.
    pub models: Arc<dyn ModelCatalog>,
    /// The tools on offer, now and later.
    pub tools: ToolRegistry,
    /// What they were made with: the session looks after the same shells that its tools start.
    pub tool_services: ToolServices,
    /// What the model is told before anything else.
    pub system: SystemPrompt,
    /// How many answers a turn may take.
    pub max_turns: Option<u32>,
    /// How it plans.
    pub planning: PlanningConfig,
    /// When its conversation is made shorter.
    pub compaction: CompactionConfig,
    /// The agents that can be started.
    pub agent_catalog: AgentCatalog,
    /// The person's machine: opens files for them.
    pub services: Arc<dyn HostServices>,
    /// Who answers questions.
    pub responder: Responder,
    /// Who answers for plans.
    pub reviewer: Responder,
    /// How long a question waits while no front end is attached that could answer it; then nobody has.
    pub question_wait: Duration,
    /// Who judges what rules leave open, if anybody does.
    pub classifier: Option<Arc<dyn Classifier>>,
    /// What the person should hear first, through whichever front end attaches first.
    pub startup_notices: Vec<Notice>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdGenerator>,
}

/// Which session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionStart {
    /// A new one; with this id, if one is given.
    New(Option<SessionId>),
    /// This one, from where it was.
    Resume(SessionId),
    /// A new one that begins with the history of this one.
    Fork(SessionId),
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Responder {
    /// A person, through a front end.
    Person,
    /// The lead of the team, through its mailbox. A front end that goes away takes no lead with it.
    Lead,
    /// What was said beforehand. Only plans are answered so.
    Policy(PlanPolicy),
    /// Nobody: a question is closed at once, and never with a yes.
    Nobody,
}

impl Responder {
    /// Whether somebody may answer later, so that a question stays open.
    pub(crate) fn waits(self) -> bool {
        matches!(self, Responder::Person | Responder::Lead)
    }
}

/// What is done with a plan where nobody is there to read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanPolicy {
    /// The plan is the result, and the turn ends.
    Exit,
    /// It counts as approved: a script said so.
    Approve,
}

/// How a session plans.
#[derive(Debug, Clone)]
pub struct PlanningConfig {
    /// Where plans are.
    pub plans: PlanStore,
    /// What the model is told to do.
    pub workflow: Workflow,
    /// The model that plans, if it is another one.
    pub model: Option<String>,
}

/// When a conversation is made shorter by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionConfig {
    /// Whether it is at all. Where it is not, a conversation that fills the window still is: without that it could not go on.
    pub auto: bool,
    /// At how many percent of the model's context window.
    pub threshold: u8,
}

impl Default for CompactionConfig {
    fn default() -> Self {
        // What settings give where nothing is said (`settings/src/keys/compaction.rs`).
        Self { auto: true, threshold: 80 }
    }
}

impl CompactionConfig {
    /// At how many tokens, with a window of this size; nothing if it is never done by itself.
    pub(crate) fn limit(self, window: Option<u64>) -> Option<u64> {
        let window = window.filter(|_| self.auto)?;
        Some(window / 100 * u64::from(self.threshold) + window % 100 * u64::from(self.threshold) / 100)
    }
}

/// The agents of a session.
#[derive(Debug, Clone)]
pub struct AgentCatalog {
    /// All kinds, by name.
    pub kinds: Vec<AgentDefinition>,
    /// How many may work at the same time; more wait.
    pub at_once: usize,
    /// The small fast model, if there is one.
    pub small: Option<String>,
}

/// What a session is given of the permission system.
#[derive(Clone)]
pub struct PermissionConfig {
    /// Rules of settings and of the command line.
    pub rules: Vec<RuleEntry>,
    /// Working folders beside the project's own.
    pub folders: Vec<AbsPath>,
    /// The person's home folder.
    pub user_home: Option<AbsPath>,
    /// Whether the person trusts the folder with what it brings: then its repository is theirs.
    pub trusted: bool,
    /// The program's own files.
    pub own: ProgramFiles,
    /// Which modes are available.
    pub conditions: ModeConditions,
    /// Which allow rules the classifier passes over.
    pub strictness: Strictness,
    /// Commands that the person declared to be reads that need the network.
    pub network_commands: Vec<ShellPattern>,
    /// How far commands may reach in modes other than plan, where the person wants the kernel to hold that.
    pub workspace: Option<WorkspacePolicy>,
    /// Saves what is to outlive the session.
    pub policy_store: Arc<dyn PolicyStore>,
}

/// Saves changes to the permissions in settings files. `host` implements it: the engine knows no settings.
pub trait PolicyStore: Send + Sync {
    /// Saves one change. When this returns it is on the disk; `Err` says why it is not.
    fn save(&self, update: &PermissionUpdate) -> Result<(), String>;

    /// Which modes are available, if the settings have changed since the last call. Called before every request,
    /// so it must be cheap when nothing changed.
    fn changed(&self) -> Option<ModeConditions> {
        None
    }
}
