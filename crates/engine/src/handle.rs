//! What a turn holds of its session: a narrow way to the one task that owns state and journal.
//!
//! What belongs together goes in one message: a decision travels with the question or the start that follows from it, and
//! an answer that says "written down" brings what the next step needs to know. A call that is simply let through costs
//! two messages, one before it runs and one after.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use forelook_permissions::PermissionPolicy;
use forelook_plan::RehearsalOutcome;
use forelook_protocol::{
    AbsPath, AgentId, AgentStarted, CallId, Command, CommandAccepted, CommandError, CompactTrigger, Cost,
    EntryBody, FrontEnd, FrontEndId, HostAnswer, HostAsk, Mentions, Mode, ModeState, ModelAnswered,
    ModelUsage, Notice, NoticeLevel, PermissionDecided, PlanReviewed, Query, Rehearsal, Reply, RequestId,
    SessionId, SessionSnapshot, ToolCall, ToolFinished, ToolStarted, Usage,
};
use forelook_providers::{Request, WireCached};
use forelook_tools::{CallLocation, SeenFiles, ToolRegistry};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::classifier::AuthoredMessage;
use crate::hub::{EventHub, EventStream};
use crate::model::ResolvedModel;
use crate::prefix::ToolPrefix;

/// The journal could not be written; whatever was to follow must not be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct RecordError(pub(crate) String);

/// The way to answer where the journal may fail.
pub(crate) type RecordReply<T> = oneshot::Sender<Result<T, RecordError>>;

/// The way to answer a command.
pub(crate) type CommandReply = oneshot::Sender<Result<CommandAccepted, CommandError>>;

/// What the session is told. Each variant carries the way to answer.
pub(crate) enum SessionMessage {
    Attach(FrontEnd, oneshot::Sender<(SessionSnapshot, EventStream)>),
    Detach(FrontEndId),
    Command(FrontEndId, Command, CommandReply),
    Query(Query, oneshot::Sender<Result<Reply, CommandError>>),
    Record {
        agent: Option<AgentId>,
        bodies: Vec<EntryBody>,
        reply: RecordReply<()>,
    },
    Request {
        agent: Option<Arc<AgentRun>>,
        steer: bool,
        reply: RecordReply<RequestSnapshot>,
    },
    Answered {
        agent: Option<AgentId>,
        answered: ModelAnswered,
        reply: RecordReply<RecordedAnswer>,
    },
    CallStart {
        agent: Option<AgentId>,
        begin: CallStart,
        reply: RecordReply<CallStartOutcome>,
    },
    CallFinish {
        agent: Option<AgentId>,
        finish: CallFinish,
        reply: RecordReply<Arc<CallView>>,
    },
    Ask {
        agent: Option<AgentId>,
        question: QuestionRequest,
        reply: RecordReply<PendingQuestion>,
    },
    Withdraw {
        question: RequestId,
        answer: HostAnswer,
        reply: RecordReply<()>,
    },
    /// The files to read again are in the reply, the newest last.
    Compacted {
        agent: Option<Arc<AgentRun>>,
        summary: Box<Summary>,
        reply: RecordReply<Vec<AbsPath>>,
    },
    View(Option<AgentId>, RecordReply<Arc<CallView>>),
    Conversation(Option<AgentId>, oneshot::Sender<Vec<AuthoredMessage>>),
    TakeSteering(RecordReply<Option<TakenPrompt>>),
    EnterPlan(RecordReply<Result<(), String>>),
    PlanEdited(RecordReply<()>),
    /// What was rehearsed, for a review that the person opens. Nobody waits for an answer.
    RehearsalRead(Option<Box<Rehearsal>>),
    BeginAgent {
        started: AgentStarted,
        prompt: String,
        /// What ends it.
        cancel: CancellationToken,
        reply: RecordReply<Result<AgentId, String>>,
    },
    AskHost {
        to: FrontEndId,
        call: Option<CallId>,
        ask: HostAsk,
        reply: oneshot::Sender<Option<PendingHostRequest>>,
    },
    WithdrawHost(RequestId),
}

/// A question that was asked: its id, and where the answer will arrive.
pub(crate) type PendingQuestion = (RequestId, oneshot::Receiver<QuestionResponse>);

/// A request to a program that waits for its answer. When this is dropped before, the request is taken back: its hook ran
/// out of time, or the turn was interrupted.
pub(crate) struct PendingHostRequest {
    pub(crate) id: RequestId,
    pub(crate) answer: oneshot::Receiver<HostAnswer>,
    pub(crate) messages: mpsc::Sender<SessionMessage>,
}

impl Drop for PendingHostRequest {
    fn drop(&mut self) {
        // One that was answered is not known any more.
        send_detached(&self.messages, SessionMessage::WithdrawHost(self.id));
    }
}

/// One view of everything that a request and the first calls of its answer need.
pub(crate) struct RequestSnapshot {
    pub(crate) request: Request,
    pub(crate) model: Result<ResolvedModel, String>,
    /// Who is asked when that one has too much to do.
    pub(crate) fallback: Option<ResolvedModel>,
    pub(crate) view: Arc<CallView>,
    /// The conversation is to become shorter before this is sent.
    pub(crate) compact: Option<CompactRequest>,
    /// How many tokens this has, about, and at how many the conversation is to become shorter.
    pub(crate) context: ContextEstimate,
    /// Whether prompts that steer were left waiting because they name files, which the turn has to read.
    pub(crate) steering_names_files: bool,
}

/// A wish for a summary of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CompactRequest {
    pub(crate) trigger: CompactTrigger,
    /// What the person wants to be kept.
    pub(crate) focus: Option<String>,
}

/// How full a request makes the context window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContextEstimate {
    /// What the provider counted with the last answer; nothing if it did not, or if the conversation became shorter since.
    pub(crate) counted: u64,
    /// With what came since: about.
    pub(crate) tokens: u64,
    /// From where on the conversation is to become shorter, if that is known.
    pub(crate) limit: Option<u64>,
}

/// A summary, as it is to be written down.
pub(crate) struct Summary {
    pub(crate) request: CompactRequest,
    pub(crate) text: String,
    /// How many tokens the conversation had.
    pub(crate) tokens: u64,
    pub(crate) model: String,
    pub(crate) usage: Usage,
    pub(crate) cost: Option<Cost>,
    pub(crate) took_ms: u64,
    /// The model's context window.
    pub(crate) window: Option<u64>,
}

/// A prompt that was taken into the conversation.
#[derive(Debug, Clone)]
pub(crate) struct TakenPrompt {
    /// Its words, for hooks.
    pub(crate) words: String,
    /// The files that it names.
    pub(crate) mentions: Mentions,
}

impl From<String> for TakenPrompt {
    /// A prompt that names no files: one of an agent's.
    fn from(words: String) -> Self {
        Self { words, mentions: Mentions::default() }
    }
}

/// An answer that was written down.
pub(crate) struct RecordedAnswer {
    /// The calls that are to be carried out, with ids that no other call has.
    pub(crate) calls: Vec<ToolCall>,
    /// How many calls it had in all.
    pub(crate) total: usize,
    pub(crate) view: Arc<CallView>,
}

/// A call is about to run.
pub(crate) struct CallStart {
    /// The decision that lets it, if it is not written down yet.
    pub(crate) decided: Option<PermissionDecided>,
    pub(crate) started: ToolStarted,
    pub(crate) basis: PermitBasis,
    /// Whether it writes the plan: what the person wrote there since is kept first.
    pub(crate) writes_plan: bool,
}

/// What a call is let through by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PermitBasis {
    /// For what it does, under this state of the permissions.
    Decided {
        /// [`CallView::revision`].
        revision: u64,
    },
    /// Somebody said yes to it, in this mode.
    Approved {
        /// The mode, with what belonged to it.
        mode_state: ModeState,
        /// [`CallView::revision`] when the yes was heard.
        revision: u64,
    },
    /// Planning makes no difference to it: it only reads, or only speaks with the person.
    Always,
}

/// Whether a call may begin.
pub(crate) enum CallStartOutcome {
    /// It is written down that it begins.
    Started,
    /// What it was let through by no longer holds; nothing was written. This is how things stand.
    Stale(Arc<CallView>),
}

/// A call is over.
pub(crate) struct CallFinish {
    /// The decision that it was answered with, if it is not written down yet.
    pub(crate) decided: Option<PermissionDecided>,
    pub(crate) finished: ToolFinished,
    /// Whether it wrote the plan: the revision is kept.
    pub(crate) writes_plan: bool,
}

/// A question for whoever answers.
pub(crate) struct QuestionRequest {
    pub(crate) call: CallId,
    /// The decision that led to it, if it is not written down yet.
    pub(crate) decided: Option<PermissionDecided>,
    pub(crate) subject: QuestionSubject,
    /// The state of the permissions that led to it: a yes is good for no other.
    pub(crate) revision: u64,
}

/// What is asked about. The session knows the plan; a call does not.
pub(crate) enum QuestionSubject {
    Plain(HostAsk),
    EnterPlan,
    Review(Option<Box<Rehearsal>>),
}

/// An answer on its way to the call that waits for it.
#[derive(Debug, Clone)]
pub(crate) enum QuestionResponse {
    /// To a question.
    Answer {
        answer: HostAnswer,
        /// Whether mode and rules were still as they were when it was asked for.
        fresh: bool,
    },
    /// To a question that a hook answered in a person's place.
    Hook {
        answer: HostAnswer,
        /// As above.
        fresh: bool,
    },
    /// To a review: what was written down of it.
    Reviewed(Box<ReviewAnswer>),
}

/// How a review was answered, and what became of what had been rehearsed for it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReviewAnswer {
    pub(crate) reviewed: PlanReviewed,
    pub(crate) rehearsed: RehearsalOutcome,
    /// Why the plan could not be read, if that was so.
    pub(crate) problem: Option<String>,
}

impl QuestionResponse {
    /// An answer that has nothing to do with the state of the permissions.
    pub(crate) fn plain(answer: HostAnswer) -> Self {
        QuestionResponse::Answer { answer, fresh: true }
    }
}

/// What a call needs to know of the session when it is decided on.
#[derive(Clone)]
pub(crate) struct CallView {
    pub(crate) session: SessionId,
    pub(crate) transcript: AbsPath,
    pub(crate) policy: PermissionPolicy,
    /// How often planning has begun.
    pub(crate) epoch: u64,
    /// Counts changes to mode and rules: an approval holds for the state it was given under.
    pub(crate) revision: u64,
    pub(crate) place: CallLocation,
    pub(crate) seen: SeenFiles,
    /// The subagent that calls, and its kind.
    pub(crate) agent: Option<(AgentId, String)>,
    /// The session's model, as `provider/name`.
    pub(crate) model: String,
    /// The call that was refused last, and how often in a row.
    pub(crate) refused: Option<(String, u32)>,
    /// Files whose first state is in the journal.
    pub(crate) changed_files: Arc<BTreeSet<AbsPath>>,
    /// How many entries the state was made of: of two views the larger one is the newer.
    pub(crate) entries: u64,
}

impl CallView {
    /// The mode of whoever calls.
    pub(crate) fn mode(&self) -> Mode {
        self.policy.mode_state.mode()
    }

    /// The same as if this were the mode: a yes is final for its call, whatever mode came with it.
    pub(crate) fn with_mode_state(&self, mode_state: ModeState) -> Self {
        Self { policy: PermissionPolicy { mode_state, ..self.policy.clone() }, ..self.clone() }
    }

    /// Whether this is the main agent's plan.
    pub(crate) fn is_plan_file(&self, path: &AbsPath) -> bool {
        self.agent.is_none() && self.policy.plan_file.as_ref() == Some(path)
    }
}

/// A subagent at work: what every request of its begins with.
pub(crate) struct AgentRun {
    pub(crate) id: AgentId,
    pub(crate) kind: String,
    /// As `provider/name`.
    pub(crate) model: String,
    pub(crate) system: Arc<WireCached<Vec<String>>>,
    /// The tools that it has, now and later.
    pub(crate) tools: ToolRegistry,
    /// The tools that its requests begin with.
    pub(crate) prefix: ToolPrefix,
}

/// A turn's way to its session.
#[derive(Clone)]
pub(crate) struct SessionHandle {
    pub(crate) messages: mpsc::Sender<SessionMessage>,
    pub(crate) hub: EventHub,
    /// Fires when the turn is to end.
    pub(crate) cancel: CancellationToken,
    /// The subagent whose turn it is; nothing for the main agent.
    pub(crate) agent: Option<Arc<AgentRun>>,
    /// What the subagents of this turn have used.
    pub(crate) spent: Arc<Mutex<ModelUsage>>,
    /// [`CallView::revision`], as it is now.
    pub(crate) revision: watch::Receiver<u64>,
}

impl SessionHandle {
    /// The same way, for a subagent's turn.
    pub(crate) fn for_agent(&self, run: AgentRun, cancel: CancellationToken) -> Self {
        Self { agent: Some(Arc::new(run)), cancel, ..self.clone() }
    }

    /// The subagent; nothing for the main agent.
    pub(crate) fn id(&self) -> Option<AgentId> {
        self.agent.as_ref().map(|run| run.id.clone())
    }

    /// Writes entries down; returns when they stand in the journal.
    pub(crate) async fn record(&self, bodies: Vec<EntryBody>) -> Result<(), RecordError> {
        if bodies.is_empty() {
            return Ok(());
        }
        let agent = self.id();
        self.request(|reply| SessionMessage::Record { agent, bodies, reply }).await?
    }

    /// What the next request is made of: what the model must be reminded of is in it, and with `steer` so are prompts
    /// that came meanwhile.
    pub(crate) async fn next_request(&self, steer: bool) -> Result<RequestSnapshot, RecordError> {
        let agent = self.agent.clone();
        self.request(|reply| SessionMessage::Request { agent, steer, reply }).await?
    }

    /// Writes a summary down, with what comes back behind it; the files to read again.
    pub(crate) async fn compacted(&self, summary: Summary) -> Result<Vec<AbsPath>, RecordError> {
        let (agent, summary) = (self.agent.clone(), Box::new(summary));
        self.request(|reply| SessionMessage::Compacted { agent, summary, reply }).await?
    }

    /// Writes an answer down.
    pub(crate) async fn answered(&self, answered: ModelAnswered) -> Result<RecordedAnswer, RecordError> {
        let agent = self.id();
        self.request(|reply| SessionMessage::Answered { agent, answered, reply }).await?
    }

    /// A call begins, if what it was let through by still holds.
    pub(crate) async fn begin(&self, begin: CallStart) -> Result<CallStartOutcome, RecordError> {
        let agent = self.id();
        self.request(|reply| SessionMessage::CallStart { agent, begin, reply }).await?
    }

    /// A call is over; how things stand then.
    pub(crate) async fn finish(&self, finish: CallFinish) -> Result<Arc<CallView>, RecordError> {
        let agent = self.id();
        self.request(|reply| SessionMessage::CallFinish { agent, finish, reply }).await?
    }

    /// Puts a question to whoever answers.
    pub(crate) async fn ask(&self, question: QuestionRequest) -> Result<AskedQuestion<'_>, RecordError> {
        let (agent, asked_under) = (self.id(), question.revision);
        let (id, answer) = self.request(|reply| SessionMessage::Ask { agent, question, reply }).await??;
        Ok(AskedQuestion { session: self, id, answer, revision: self.revision.clone(), known: asked_under })
    }

    /// How things stand for this agent.
    pub(crate) async fn view(&self) -> Result<Arc<CallView>, RecordError> {
        let agent = self.id();
        self.request(|reply| SessionMessage::View(agent, reply)).await?
    }

    /// What was said so far, for somebody who judges a call by it.
    pub(crate) async fn conversation(&self) -> Result<Vec<AuthoredMessage>, RecordError> {
        let agent = self.id();
        self.request(|reply| SessionMessage::Conversation(agent, reply)).await
    }

    /// Moves the next prompt that steers into the conversation, if there is one.
    pub(crate) async fn take_steering(&self) -> Result<Option<TakenPrompt>, RecordError> {
        self.request(SessionMessage::TakeSteering).await?
    }

    /// Plan mode begins; the inner error is for the model.
    pub(crate) async fn enter_plan(&self) -> Result<Result<(), String>, RecordError> {
        self.request(SessionMessage::EnterPlan).await?
    }

    /// A subagent begins; the inner error is for the model.
    pub(crate) async fn begin_agent(
        &self,
        started: AgentStarted,
        prompt: String,
        cancel: CancellationToken,
    ) -> Result<Result<AgentId, String>, RecordError> {
        self.request(|reply| SessionMessage::BeginAgent { started, prompt, cancel, reply }).await?
    }

    /// A subagent cost this.
    pub(crate) fn spend(&self, spent: ModelUsage) {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += spent;
    }

    /// What the subagents of this turn have cost.
    pub(crate) fn spent(&self) -> ModelUsage {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the person something.
    pub(crate) fn notify(&self, level: NoticeLevel, text: String) {
        self.hub.live(forelook_protocol::LiveEvent::Notice(Notice { level, text }));
    }

    async fn request<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<T>) -> SessionMessage,
    ) -> Result<T, RecordError> {
        tracing::trace!(target: "forelook::engine::round_trip", "a turn asks its session");
        let (reply, answer) = oneshot::channel();
        self.messages.send(message(reply)).await.map_err(|_| session_ended())?;
        answer.await.map_err(|_| session_ended())
    }
}

/// A question that was put to whoever answers.
pub(crate) struct AskedQuestion<'a> {
    session: &'a SessionHandle,
    id: RequestId,
    answer: oneshot::Receiver<QuestionResponse>,
    revision: watch::Receiver<u64>,
    /// The revision under which it is known to be still a question.
    known: u64,
}

/// What waiting for an answer came to.
pub(crate) enum Waited {
    /// This is the answer.
    Answered(QuestionResponse),
    /// Mode or rules changed: it may not be a question any more.
    PolicyChanged,
}

impl AskedQuestion<'_> {
    /// Waits for the answer, or until mode or rules change. An interrupt closes the question.
    pub(crate) async fn wait(&mut self) -> Result<Waited, RecordError> {
        let (known, revision) = (self.known, &mut self.revision);
        // What it is now is copied: nothing of the session is held while somebody else waits.
        let changed = async { revision.wait_for(|now| *now != known).await.map(|now| *now) };
        tokio::select! {
            // An answer that is here counts: it stands in the journal already.
            biased;
            answer = &mut self.answer => answer.map(Waited::Answered).map_err(|_| session_ended()),
            () = self.session.cancel.cancelled() => {
                self.withdraw(HostAnswer::Interrupted).await?;
                Ok(Waited::Answered(QuestionResponse::plain(HostAnswer::Interrupted)))
            }
            now = changed => {
                self.known = now.map_err(|_| session_ended())?;
                Ok(Waited::PolicyChanged)
            }
        }
    }

    /// Closes the question, since there is nothing left to answer. An answer that came first counts.
    pub(crate) async fn outdated(self) -> Result<QuestionResponse, RecordError> {
        self.withdraw(HostAnswer::Outdated).await?;
        self.answer.await.map_err(|_| session_ended())
    }

    async fn withdraw(&self, answer: HostAnswer) -> Result<(), RecordError> {
        let question = self.id;
        self.session.request(|reply| SessionMessage::Withdraw { question, answer, reply }).await?
    }
}

/// Sends a message from where nobody can wait.
pub(crate) fn send_detached(messages: &mpsc::Sender<SessionMessage>, message: SessionMessage) {
    let Err(TrySendError::Full(message)) = messages.try_send(message) else { return };
    // The session is busy; it must hear this all the same.
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        let messages = messages.clone();
        runtime.spawn(async move { messages.send(message).await.is_ok() });
    }
}

pub(crate) fn session_ended() -> RecordError {
    RecordError("The session has ended".to_owned())
}
