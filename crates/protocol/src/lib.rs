//! The words: what the parts of Forelook say to each other.
//!
//! Everything here is data. Nothing reads a file, a clock or the environment, so every crate may know
//! these types and a test can make any of them. What is *done* with the words stands elsewhere;
//! `docs/architecture.md` has the map.

mod action;
mod agent;
mod answer;
mod clock;
mod command;
mod confinement;
mod decision;
mod entry;
mod event;
mod front_end;
mod hook_event;
mod host_request;
mod host_services;
mod ids;
mod message;
mod mode;
mod model;
mod nearest;
mod path;
mod plan;
mod plan_command;
mod port;
mod prompt;
mod query;
mod refused;
mod rehearsal;
mod rule;
mod secret;
mod source;
mod standing;
mod text;
mod todo;
mod tool;
mod turn;
mod wire;

pub use action::{Action, FileRef, McpHint, Shell};
pub use agent::{AgentEnded, AgentStarted};
pub use answer::{AnswerEvent, FailureKind, ProviderFailure, Retry, StopReason, Usage};
pub use clock::{Clock, Ids};
pub use command::{Command, Implement};
pub use confinement::{Confinement, FenceReport, Holds, RunningShell};
pub use decision::{ConfigKind, Decision, Fact, Facts, HookSays, Reason, RuleOrigin, Step};
pub use entry::{
    Answered, Body, Decided, EndReason, Entry, EntryError, FORMAT, Finished, Header, ModeSet, ModelSet,
    Opened, PermissionSet, PromptAccepted, PromptBlocked, Queued, Reminder, ReminderKind, Replied,
    ShellEnded, ShellStarted, SmallAnswered, Started, ToolJoined, TurnEnded, Verdict,
};
pub use event::{EditorState, Event, Live, Notice, NoticeLevel, PlanEditor};
pub use front_end::{FrontEnd, FrontEndId, HostHook, QueuedPrompt, Snapshot};
pub use hook_event::{HookEvent, HookListed, UnknownEvent};
pub use host_request::{
    AnsweredBy, Choice, HostAnswer, HostAsk, HostRequest, PersonOption, PersonQuestion, RequestKind,
    RequestState,
};
pub use host_services::{EditorKind, HostServices, NoServices, SessionListed, TerminalLender, TerminalLoan};
pub use ids::{AgentId, BadId, CallId, EntryId, RequestId, SessionId};
pub use message::{AnswerBlock, Message, Part, ToolResult, UserBlock};
pub use mode::{Mode, UnknownMode};
pub use model::{Bill, Cost, ModelListed, Price, Spent};
pub use nearest::{nearest, nearest_few, nearest_within};
pub use path::{AbsPath, NotAbsolute};
pub use plan::{
    Approval, FileSnapshot, PLAN_KEY, PlanAnswer, PlanComment, PlanLength, PlanNamed, PlanRevision,
    PlanShown, PlanState, PlanSummary, Review, Reviewed, Reviewer,
};
pub use plan_command::{PlanCommand, PlanLine, PlanQuery};
pub use port::{Attached, Boxed, EventPort, SessionPort};
pub use prompt::{Delivery, Origin, Prompt};
pub use query::{Query, Reply, Status};
pub use refused::Refused;
pub use rehearsal::{FileChange, Rehearsal, RehearsalApplied, RehearsedFile};
pub use rule::{Behavior, Destination, PermissionUpdate, RuleValue};
pub use secret::Secret;
pub use source::Source;
pub use standing::{Interrupted, Judge, Standing};
pub use text::{capital, shorten};
pub use todo::{Todo, TodoStatus};
pub use tool::{Effect, Seen, ToolCall, ToolOutcome, ToolSpec};
pub use turn::{Accepted, TurnId, TurnStarted};
pub use wire::{ClientFrame, SessionFrame, WIRE_VERSION, WireVersion};
