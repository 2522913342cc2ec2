//! What is finished, or goes on in the conversation, as data: a front end draws it, or passes over it.

use forelook_protocol::{
    AgentEnded, AgentId, AgentStarted, EndReason, Mode, Notice, PlanEditor, PromptAccepted, RehearsalApplied,
    Retry, Reviewed, ShellEnded, Todo, ToolCall, ToolResult, TurnId, UserBlock, Verdict,
};

use crate::CallOutcome;
use crate::question::Closed;

/// Something that happened, in the order in which it is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A prompt reached the conversation.
    Prompt(PromptSaid),
    /// Words of the main agent's answer, as they come.
    Words(Words),
    /// A whole block of its thinking, as far as the provider shows it.
    Thinking(String),
    /// A call of any agent's ended, or was answered without running.
    Call(Box<CallEnded>),
    /// A line of the person's own ended.
    Shell(ShellEnded),
    /// A question was answered in another front end.
    AnsweredElsewhere(Box<Closed>),
    /// A plan was answered.
    Plan(Box<Reviewed>),
    /// What was rehearsed has been applied.
    Applied(Box<RehearsalApplied>),
    /// Something to know.
    Notice(Notice),
    /// How far the person's editor is with the plan.
    Editor(Box<PlanEditor>),
    /// There is a new list of todos.
    Todos(Vec<Todo>),
    /// All of so many todos are done.
    TodosDone(usize),
    /// A subagent began. Those that were called for together come in that order, not in that of their beginning.
    AgentStarted {
        /// Which.
        id: AgentId,
        /// Its number, from 1.
        number: usize,
        /// What it is.
        started: AgentStarted,
    },
    /// A subagent has ended.
    AgentEnded {
        /// Which.
        id: AgentId,
        /// How.
        ended: AgentEnded,
    },
    /// An answer is asked for again.
    Retry {
        /// Whose; nothing for the main agent.
        agent: Option<AgentId>,
        /// Why, and when.
        retry: Retry,
        /// Whether words of the answer were handed on, which are void now.
        void: bool,
    },
    /// The mode is another one now.
    Mode(Mode),
    /// Another model is asked from now on.
    Model(String),
    /// A turn began.
    TurnStarted(TurnId),
    /// A turn ended.
    TurnEnded {
        /// Why.
        reason: EndReason,
        /// Whether words of an answer were handed on that was never completed.
        half_said: bool,
    },
}

/// Words of an answer. Pieces are handed on as they came, so that a long answer costs no more than its length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Words {
    /// A block begins.
    Begun,
    /// More of the block that is open.
    More(String),
    /// The open block is complete.
    Ended,
    /// The open block is dropped: what is not final of it never will be.
    Dropped,
    /// A block that was not heard while it came, or not to its end. One that is open stays open.
    Whole(String),
}

/// A prompt, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSaid {
    /// What was said.
    pub words: String,
    /// The plan that is to be carried out, where the conversation begins with one.
    pub plan: Option<String>,
}

impl PromptSaid {
    pub(crate) fn of(accepted: &PromptAccepted) -> Self {
        Self { words: words_of(&accepted.content), plan: accepted.plan().map(str::to_owned) }
    }
}

/// A call and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallEnded {
    /// Whose call; nothing for the main agent.
    pub agent: Option<AgentId>,
    /// The call, with the input that it ran with.
    pub call: ToolCall,
    /// What the model is told.
    pub result: ToolResult,
    /// How it ended, as the session says.
    pub verdict: Verdict,
    /// How it ended, as people say.
    pub outcome: CallOutcome,
    /// Whether something else tells of it.
    pub told: ToldAs,
    /// The number of the agent that it started, if one began.
    pub started: Option<usize>,
}

/// What tells of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToldAs {
    /// The call itself.
    Call,
    /// The todos that it set.
    Todos,
    /// Something that was told before: a review, or an answer of the person's.
    Before,
}

/// What a person said, in words.
pub fn words_of(content: &[UserBlock]) -> String {
    let words = content.iter().map(|block| match block {
        UserBlock::Text { text } => text.as_str(),
        UserBlock::Image { .. } => "[a picture]",
        UserBlock::ToolResult(_) => "",
    });
    words.collect::<Vec<_>>().join("\n")
}
