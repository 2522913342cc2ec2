//! The parts of a conversation as data, finished or still growing. A front end draws or ignores them.

use forelook_protocol::{
    AgentEnded, AgentId, AgentStarted, CallStatus, Compacted, EndReason, FilesAttached, Mode, Notice,
    PlanEditor, PlanReviewed, PromptAccepted, Reason, RehearsalApplied, Retry, Todo, ToolCall, ToolResult,
    TurnId, UserBlock, UserShellEnded,
};

use crate::CallOutcome;
use crate::question::ClosedQuestion;

/// Something that happened, in display order.
#[derive(Debug, Clone, PartialEq)]
pub enum ViewItem {
    /// A prompt was added to the conversation.
    Prompt(PromptText),
    /// The files that the last prompt named.
    Attached(FilesAttached),
    /// Text of the main agent's response, as it arrives.
    Text(TextUpdate),
    /// A complete block of its thinking, as far as the provider reveals it.
    Thinking(String),
    /// A call of any agent ended, or got a result without running.
    Call(Box<CallEnded>),
    /// The user's own shell command ended.
    Shell(UserShellEnded),
    /// A question was answered in another front end.
    AnsweredElsewhere(Box<ClosedQuestion>),
    /// A plan was answered.
    Plan(Box<PlanReviewed>),
    /// The rehearsal was applied.
    Applied(Box<RehearsalApplied>),
    /// A notice for the user.
    Notice(Notice),
    /// The state of the plan in the user's editor.
    Editor(Box<PlanEditor>),
    /// There is a new todo list.
    Todos(Vec<Todo>),
    /// All todos are done; this is how many.
    TodosDone(usize),
    /// A subagent started. Subagents that were called together come in that order, not in the order in which they
    /// started.
    AgentStarted {
        /// Its ID.
        id: AgentId,
        /// Its number, starting at 1.
        number: usize,
        /// Its description.
        started: AgentStarted,
    },
    /// A subagent ended.
    AgentEnded {
        /// Its ID.
        id: AgentId,
        /// How it ended.
        ended: AgentEnded,
    },
    /// A request is retried.
    Retry {
        /// The agent; `None` for the main agent.
        agent: Option<AgentId>,
        /// The reason and the delay.
        retry: Retry,
        /// Whether text of the response was passed on and is now void.
        void: bool,
    },
    /// The mode changed.
    Mode(Mode),
    /// The conversation was replaced by a summary.
    Compacted(Box<Compacted>),
    /// So many old results were removed from the conversation.
    ResultsCleared(usize),
    /// The session switched to another model.
    Model(String),
    /// A turn started.
    TurnStarted(TurnId),
    /// A turn ended.
    TurnEnded {
        /// Why it ended.
        reason: EndReason,
        /// Whether text was passed on of a response that was never completed.
        partial_text: bool,
    },
}

/// Text of a response. The parts are passed on as they arrived, so that the work for a long response is proportional to
/// its length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextUpdate {
    /// A block starts.
    Started,
    /// More text for the open block.
    Appended(String),
    /// The open block is complete.
    Ended,
    /// The open block is dropped: the part that is not final yet never will be.
    Dropped,
    /// A block that was missed while it streamed, or whose end was missed. An open block stays open.
    Whole(String),
}

/// The text of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptText {
    /// The text.
    pub words: String,
    /// The plan to implement, if the conversation starts with one.
    pub plan: Option<String>,
}

impl PromptText {
    pub(crate) fn of(accepted: &PromptAccepted) -> Self {
        Self { words: user_text(&accepted.content), plan: accepted.plan().map(str::to_owned) }
    }
}

/// A call and its result.
#[derive(Debug, Clone, PartialEq)]
pub struct CallEnded {
    /// The agent that made the call; `None` for the main agent.
    pub agent: Option<AgentId>,
    /// The call, with the input it ran with.
    pub call: ToolCall,
    /// The result for the model.
    pub result: ToolResult,
    /// The text for the user, if it differs from the result.
    pub person_text: Option<String>,
    /// Why it was not simply allowed, unless it was.
    pub reason: Option<Box<Reason>>,
    /// How it ended, as recorded by the session.
    pub verdict: CallStatus,
    /// How it ended, for display.
    pub outcome: CallOutcome,
    /// Whether something else is shown in its place.
    pub reported_as: ReportedAs,
    /// The number of the subagent it started, if any.
    pub started: Option<usize>,
}

impl CallEnded {
    /// The text for the user.
    pub fn text(&self) -> String {
        self.person_text.clone().unwrap_or_else(|| self.result.text())
    }
}

/// What is shown for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportedAs {
    /// The call itself.
    Call,
    /// The todos it set.
    Todos,
    /// Something that was already shown: a review, or an answer from the user.
    Before,
}

/// The text of a prompt, with `[image]` for each image.
pub fn user_text(content: &[UserBlock]) -> String {
    let words = content.iter().map(|block| match block {
        UserBlock::Text { text } => text.as_str(),
        UserBlock::Image { .. } => "[image]",
        UserBlock::ToolResult(_) => "",
    });
    words.collect::<Vec<_>>().join("\n")
}
