//! The protocol: the types that the parts of Forelook use to talk to each other.
//!
//! Everything here is data. Nothing reads a file, a clock, or the environment, so any crate can use these types and a
//! test can create any value. The code that acts on them is elsewhere; see the map in `docs/architecture.md`.

mod action;
mod agent;
mod answer;
mod attachment;
mod change_preview;
mod clock;
mod command;
mod command_error;
mod confinement;
mod decision;
mod entry;
mod event;
mod fence_hint;
mod front_end;
mod hex;
mod hook_event;
mod host_request;
mod host_services;
mod ids;
mod message;
mod mode;
mod mode_state;
mod model;
mod nearest;
mod path;
mod permission_command;
mod plan;
mod plan_command;
mod port;
mod prompt;
mod query;
mod rehearsal;
mod rule;
mod secret;
mod session_changes;
mod settings_report;
mod source;
mod stop_signal;
mod surrogates;
mod task;
mod text;
mod todo;
mod tool;
mod trust_question;
mod turn;
mod wire;

pub use action::{Action, FileRef, McpHint, Shell};
pub use agent::{AgentEnded, AgentStarted};
pub use answer::{AnswerEvent, FailureKind, ProviderFailure, Retry, StopReason, Usage};
pub use attachment::{AttachOutcome, AttachReason, AttachedFile, FilesAttached, Mentions};
pub use change_preview::ChangePreview;
pub use clock::{Clock, IdGenerator};
pub use command::{Command, ImplementPlan};
pub use command_error::CommandError;
pub use confinement::{Confinement, FenceReport, RunningShell, SandboxSupport};
pub use decision::{
    ConfigKind, Decision, DecisionStep, Fact, Facts, HookDecision, Reason, RuleOrigin, SuggestedRule,
};
pub use entry::{
    AddedTool, CallStatus, ClearedResult, CompactTrigger, Compacted, EndReason, Entry, EntryBody, EntryError,
    FORMAT, KeptPrompt, ModeChanged, ModelAnswered, ModelChanged, PermissionDecided, PermissionsChanged,
    PromptAccepted, PromptBlocked, PromptQueued, PromptsWithdrawn, QuestionClosed, QuestionOpened, Reminder,
    ReminderKind, ResultsCleared, SessionHeader, SmallModelAnswered, ToolFinished, ToolStarted, TurnEnded,
    UserShellEnded, UserShellStarted,
};
pub use event::{EditorState, Event, LiveEvent, Notice, NoticeLevel, PlanEditor};
pub use fence_hint::{FenceHint, without_fence_hints};
pub use front_end::{FrontEnd, FrontEndId, HostHook, QueuedPrompt, SessionSnapshot};
pub use hex::to_hex;
pub use hook_event::{HookEvent, HookInfo, UnknownEvent};
pub use host_request::{
    AnsweredBy, HostAnswer, HostAsk, HostRequest, PersonOption, PersonQuestion, QuestionAnswer, RequestKind,
    RequestState,
};
pub use host_services::{
    EditorInfo, HostServices, NoServices, PastPrompt, SessionInfo, TerminalLender, TerminalLoan,
};
pub use ids::{AgentId, CallId, EntryId, InvalidId, RequestId, SessionId};
pub use message::{AnswerBlock, Message, ResultBlock, ToolResult, UserBlock};
pub use mode::{Mode, UnknownMode};
pub use mode_state::{ClassifierInPlan, ModeState, PrePlanState};
pub use model::{Cost, ModelInfo, ModelUsage, Price, TotalCost};
pub use nearest::{nearest, nearest_few, nearest_within};
pub use path::{AbsPath, NotAbsolute};
pub use permission_command::{PERMISSIONS_USAGE, PermissionsCommand, RuleRemoval, already_there};
pub use plan::{
    Approval, CommentState, DraftComment, FileSnapshot, PLAN_KEY, PlanAnswer, PlanComment, PlanLength,
    PlanNamed, PlanReply, PlanReview, PlanReviewed, PlanRevision, PlanState, PlanSummary, ReviewDraft,
    ReviewDrafted, Reviewer, UnavailableMode,
};
pub use plan_command::{PlanCommand, PlanQuery, PlanSlashCommand};
pub use port::{BoxFuture, EventPort, SessionConnection, SessionPort};
pub use prompt::{Delivery, Origin, Prompt};
pub use query::{
    AgentInfo, ContextPart, ContextPartKind, ContextUsage, Query, Reply, RuleCheck, SetAsideFile, Status,
};
pub use rehearsal::{FileChange, Rehearsal, RehearsalApplied, RehearsedFile};
pub use rule::{Behavior, Destination, PermissionUpdate, RuleValue};
pub use secret::Secret;
pub use session_changes::{ContentBefore, FileBefore, SessionChanges};
pub use settings_report::{FolderTrust, SettingInfo, SettingOrigin, TrustReport};
pub use source::Source;
pub use stop_signal::StopSignal;
pub use surrogates::without_lone_surrogates;
pub use task::{BackgroundShell, ShellEnded, Task, TaskId, TaskState};
pub use text::{capitalize, end_of, shorten, shorten_middle};
pub use todo::{Todo, TodoStatus};
pub use tool::{FileVersion, SessionEffect, ToolCall, ToolOutcome, ToolSpec};
pub use trust_question::TrustQuestion;
pub use turn::{CommandAccepted, TurnId, TurnStarted};
pub use wire::{ClientFrame, SessionFrame, WIRE_VERSION, WireVersion};
