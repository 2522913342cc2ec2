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
mod hook_event;
mod ids;
mod message;
mod mode;
mod model;
mod path;
mod plan;
mod port;
mod question;
mod rehearsal;
mod rule;
mod secret;
mod source;
mod standing;
mod todo;
mod tool;

pub use action::{Action, FileRef, McpHint, Shell};
pub use agent::{AgentEnded, AgentStarted};
pub use answer::{AnswerEvent, FailureKind, ProviderFailure, Retry, StopReason, Usage};
pub use clock::{Clock, Ids};
pub use command::{Command, Delivery, Implement, Prompt, Query, Refused, Reply, Status};
pub use confinement::{Confinement, FenceReport, Holds, RunningShell};
pub use decision::{ConfigKind, Decision, Fact, Facts, HookSays, Reason, RuleOrigin, Step};
pub use entry::{
    Answered, Body, Decided, EndReason, Entry, EntryError, FORMAT, Finished, Header, ModeSet, ModelSet,
    Opened, PermissionSet, Queued, Reminder, ReminderKind, Replied, ShellEnded, ShellStarted, SmallAnswered,
    Started, Taken, TurnEnded, Verdict,
};
pub use event::{Event, Live, Notice, NoticeLevel};
pub use hook_event::{HookEvent, HookListed, UnknownEvent};
pub use ids::{AgentId, BadId, CallId, EntryId, QuestionId, SessionId};
pub use message::{AnswerBlock, Message, Part, ToolResult, UserBlock};
pub use mode::{Mode, UnknownMode};
pub use model::{Bill, Cost, ModelListed, Price, Spent};
pub use path::{AbsPath, NotAbsolute};
pub use plan::{
    Approval, FileSnapshot, PLAN_KEY, PlanAnswer, PlanComment, PlanLength, PlanNamed, PlanRevision,
    PlanShown, PlanState, PlanSummary, Review, Reviewed, Reviewer,
};
pub use port::{Boxed, EventPort, SessionPort};
pub use question::{Answer, Ask, Choice, PersonOption, PersonQuestion, Question};
pub use rehearsal::{FileChange, Rehearsal, RehearsalApplied, RehearsedFile};
pub use rule::{Behavior, Destination, PermissionUpdate, RuleValue};
pub use secret::Secret;
pub use source::Source;
pub use standing::{Judge, Phase, Standing};
pub use todo::{Todo, TodoStatus};
pub use tool::{Effect, Seen, ToolCall, ToolOutcome, ToolSpec};
