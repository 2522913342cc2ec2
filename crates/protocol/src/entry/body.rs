//! What each kind of entry records.

use std::sync::Arc;

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeStruct;
use serde_json::value::RawValue;

use super::{
    Compacted, ModeChanged, ModelAnswered, ModelChanged, PermissionDecided, PermissionsChanged,
    PromptAccepted, PromptBlocked, PromptQueued, PromptsWithdrawn, QuestionClosed, QuestionOpened, Reminder,
    ResultsCleared, SessionHeader, SmallModelAnswered, ToolFinished, ToolStarted, TurnEnded, UserShellEnded,
    UserShellStarted,
};
use crate::{
    AgentEnded, AgentStarted, FileBefore, FileSnapshot, FilesAttached, PlanNamed, PlanReviewed,
    RehearsalApplied, ReviewDrafted, ShellEnded, TurnStarted,
};

macro_rules! entry_bodies {
    ($($(#[$doc:meta])* $variant:ident($data:ty) = $kind:literal,)*) => {
        /// What an entry records.
        #[derive(Debug, Clone)]
        pub enum EntryBody {
            $($(#[$doc])* $variant($data),)*
            /// A kind that this version does not know. It is kept and ignored.
            Unknown {
                /// The kind.
                kind: String,
                /// The data, as written in the file.
                data: Arc<RawValue>,
            },
        }

        impl EntryBody {
            /// The kind, as written in the file.
            pub fn kind(&self) -> &str {
                match self {
                    $(EntryBody::$variant(_) => $kind,)*
                    EntryBody::Unknown { kind, .. } => kind,
                }
            }

            pub(super) fn parse(kind: &str, data: &RawValue) -> Result<Self, serde_json::Error> {
                Ok(match kind {
                    $($kind => EntryBody::$variant(serde_json::from_str(data.get())?),)*
                    _ => EntryBody::Unknown { kind: kind.to_owned(), data: Arc::from(data.to_owned()) },
                })
            }

            pub(super) fn serialize_data<S: SerializeStruct>(&self, line: &mut S) -> Result<(), S::Error> {
                match self {
                    $(EntryBody::$variant(data) => line.serialize_field("data", data),)*
                    EntryBody::Unknown { data, .. } => line.serialize_field("data", &**data),
                }
            }

            /// For each kind: the properties of its line besides id, parent, time, and agent.
            pub(super) fn schemas(generator: &mut SchemaGenerator) -> Vec<Schema> {
                vec![$({
                    let data = generator.subschema_for::<$data>();
                    json_schema!({
                        "properties": { "kind": { "const": $kind }, "data": data },
                        "required": ["kind", "data"],
                    })
                },)*]
            }
        }
    };
}

entry_bodies! {
    /// The first line: identifies the session.
    SessionHeader(SessionHeader) = "session_header",
    /// A turn of the main agent started.
    TurnStarted(TurnStarted) = "turn_started",
    /// A prompt arrived during a turn and was queued.
    PromptQueued(PromptQueued) = "prompt_queued",
    /// Queued prompts were taken back.
    PromptsWithdrawn(PromptsWithdrawn) = "prompts_withdrawn",
    /// A prompt was added to the conversation.
    PromptAccepted(PromptAccepted) = "prompt_accepted",
    /// A hook blocked the last prompt; the model never sees it.
    PromptBlocked(PromptBlocked) = "prompt_blocked",
    /// The files that the last prompt named were read for the model.
    FilesAttached(FilesAttached) = "files_attached",
    /// The model responded.
    ModelAnswered(ModelAnswered) = "model_answered",
    /// Forelook decided whether a call may run.
    PermissionDecided(PermissionDecided) = "permission_decided",
    /// A call is about to run.
    ToolStarted(ToolStarted) = "tool_started",
    /// A call is about to change a file for the first time in the session; what the file was.
    FileBefore(FileBefore) = "file_before",
    /// A call ended, or got a result without running.
    ToolFinished(ToolFinished) = "tool_finished",
    /// The small model answered a question for a call.
    SmallModelAnswered(SmallModelAnswered) = "small_model_answered",
    /// The user's own shell command is about to run.
    UserShellStarted(UserShellStarted) = "user_shell_started",
    /// The user's own shell command ended.
    UserShellEnded(UserShellEnded) = "user_shell_ended",
    /// A background shell ended. What started it is an effect of a call.
    ShellEnded(ShellEnded) = "shell_ended",
    /// A question is waiting for the user.
    QuestionOpened(QuestionOpened) = "question_opened",
    /// A question was closed.
    QuestionClosed(QuestionClosed) = "question_closed",
    /// The reviewer of a plan wrote something and has not sent it yet.
    ReviewDrafted(ReviewDrafted) = "review_drafted",
    /// A plan was reviewed. This one entry closes the question and sets the mode.
    PlanReviewed(PlanReviewed) = "plan_reviewed",
    /// The rehearsed changes were applied to the real files, with the user's approval.
    RehearsalApplied(RehearsalApplied) = "rehearsal_applied",
    /// The plan got a name and a file.
    PlanNamed(PlanNamed) = "plan_named",
    /// A snapshot of a file was saved.
    FileSnapshot(FileSnapshot) = "file_snapshot",
    /// A subagent started. The entry belongs to the subagent.
    AgentStarted(AgentStarted) = "agent_started",
    /// A subagent ended.
    AgentEnded(AgentEnded) = "agent_ended",
    /// The mode changed.
    ModeChanged(ModeChanged) = "mode_changed",
    /// The permissions of this session changed.
    PermissionsChanged(PermissionsChanged) = "permissions_changed",
    /// A text for the model that comes from neither the user nor a tool.
    Reminder(Reminder) = "reminder",
    /// Old results of calls were replaced by notes.
    ResultsCleared(ResultsCleared) = "results_cleared",
    /// The conversation was replaced by a summary.
    Compacted(Compacted) = "compacted",
    /// The session switched to another model.
    ModelChanged(ModelChanged) = "model_changed",
    /// A turn ended.
    TurnEnded(TurnEnded) = "turn_ended",
}

impl EntryBody {
    /// Whether the line must be synced to disk before it is reported, so that not even a power failure can undo it. All
    /// other lines survive a killed process right away, and a power failure after 200 ms.
    pub fn must_reach_disk(&self) -> bool {
        match self {
            EntryBody::QuestionClosed(_)
            | EntryBody::PlanReviewed(_)
            | EntryBody::RehearsalApplied(_)
            | EntryBody::FileSnapshot(_)
            | EntryBody::ModeChanged(_)
            | EntryBody::PermissionsChanged(_)
            | EntryBody::Compacted(_)
            | EntryBody::TurnEnded(_) => true,
            EntryBody::SessionHeader(_)
            | EntryBody::TurnStarted(_)
            | EntryBody::PromptQueued(_)
            | EntryBody::PromptsWithdrawn(_)
            | EntryBody::PromptAccepted(_)
            | EntryBody::PromptBlocked(_)
            | EntryBody::FilesAttached(_)
            | EntryBody::ModelAnswered(_)
            | EntryBody::PermissionDecided(_)
            | EntryBody::ToolStarted(_)
            | EntryBody::FileBefore(_)
            | EntryBody::ToolFinished(_)
            | EntryBody::SmallModelAnswered(_)
            | EntryBody::UserShellStarted(_)
            | EntryBody::UserShellEnded(_)
            | EntryBody::ShellEnded(_)
            | EntryBody::QuestionOpened(_)
            | EntryBody::ReviewDrafted(_)
            | EntryBody::PlanNamed(_)
            | EntryBody::AgentStarted(_)
            | EntryBody::AgentEnded(_)
            | EntryBody::ModelChanged(_)
            | EntryBody::ResultsCleared(_)
            | EntryBody::Reminder(_)
            | EntryBody::Unknown { .. } => false,
        }
    }
}
