//! What a turn holds of its session: a narrow way to the one task that owns state and journal.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use forelook_permissions::Policy;
use forelook_plan::Rehearsed;
use forelook_protocol::{
    AbsPath, AgentId, AgentStarted, Answer, Ask, Body, CallId, Mode, Notice, NoticeLevel, Rehearsal,
    Reviewed, SessionId, Spent, Started, ToolSpec,
};
use forelook_providers::{Kept, Request};
use forelook_tools::{Place, SeenFiles};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::config::ModelChoice;
use crate::hub::Hub;
use crate::session::{Asked, Message};

/// The journal could not be written; whatever was to follow must not be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NotRecorded(pub(crate) String);

/// A turn's way to its session.
#[derive(Clone)]
pub(crate) struct SessionHandle {
    pub(crate) messages: mpsc::Sender<Message>,
    pub(crate) hub: Hub,
    /// Fires when the turn is to end.
    pub(crate) cancel: CancellationToken,
    /// The subagent whose turn it is; nothing for the main agent.
    pub(crate) agent: Option<Arc<AgentRun>>,
    /// What the subagents of this turn have used.
    pub(crate) spent: Arc<Mutex<Spent>>,
}

/// A subagent at work: what every request of its begins with.
pub(crate) struct AgentRun {
    pub(crate) id: AgentId,
    pub(crate) kind: String,
    /// As `provider/name`.
    pub(crate) model: String,
    pub(crate) system: Arc<Kept<Vec<String>>>,
    pub(crate) specs: Arc<Kept<Vec<ToolSpec>>>,
}

/// An answer, and whether mode and rules were still as they were when it was asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Given {
    pub(crate) answer: Answer,
    pub(crate) fresh: bool,
    /// What was recorded of it, if it is the answer to a review.
    pub(crate) reviewed: Option<Reviewed>,
}

impl Given {
    /// An answer that has nothing to do with the state of the permissions.
    pub(crate) fn plain(answer: Answer) -> Self {
        Self { answer, fresh: true, reviewed: None }
    }
}

/// One view of everything that a request and the calls of its answer need.
pub(crate) struct Snapshot {
    pub(crate) request: Request,
    pub(crate) model: Result<ModelChoice, String>,
    /// Who is asked when that one has too much to do.
    pub(crate) fallback: Option<ModelChoice>,
}

/// What a call needs to know of the session when it is prepared.
#[derive(Clone)]
pub(crate) struct CallView {
    pub(crate) session: SessionId,
    pub(crate) transcript: AbsPath,
    pub(crate) policy: Policy,
    /// How often planning has begun.
    pub(crate) epoch: u64,
    /// Counts changes to mode and rules: an approval holds for the state it was given under.
    pub(crate) revision: u64,
    pub(crate) place: Place,
    pub(crate) seen: SeenFiles,
    /// Reviews whose answer stands in the journal, while their calls have no result yet.
    pub(crate) reviewed: HashMap<CallId, Reviewed>,
    /// What became of what was rehearsed for the last of them.
    pub(crate) rehearsed: Rehearsed,
    /// The subagent that calls, and its kind.
    pub(crate) agent: Option<(AgentId, String)>,
    /// The session's model, as `provider/name`.
    pub(crate) model: String,
}

impl SessionHandle {
    /// The same way, for a subagent's turn.
    pub(crate) fn of_agent(&self, run: AgentRun, cancel: CancellationToken) -> Self {
        Self { agent: Some(Arc::new(run)), cancel, ..self.clone() }
    }

    fn id(&self) -> Option<AgentId> {
        self.agent.as_ref().map(|run| run.id.clone())
    }

    /// Writes entries down; returns when they stand in the journal.
    pub(crate) async fn record(&self, bodies: Vec<Body>) -> Result<(), NotRecorded> {
        let agent = self.id();
        self.request(|reply| Message::Record { agent, bodies, reply }).await?
    }

    /// A call begins that was decided on in this mode; whether that still holds. If not nothing was written.
    pub(crate) async fn begin(&self, started: Started, mode: Mode) -> Result<bool, NotRecorded> {
        let agent = self.id();
        self.request(|reply| Message::Begin { agent, started, mode, reply }).await?
    }

    /// Puts a question to whoever answers, and waits. An interrupt closes it.
    ///
    /// `revision` is the state of the permissions that led to the question: the answer is good for no other.
    pub(crate) async fn ask(&self, call: CallId, ask: Ask, revision: u64) -> Result<Given, NotRecorded> {
        let agent = self.id();
        let asked = self.request(|reply| Message::Ask { agent, call, ask, revision, reply }).await??;
        self.answer(asked).await
    }

    /// Asks whether the model may begin to plan.
    pub(crate) async fn ask_to_plan(&self, call: CallId, revision: u64) -> Result<Given, NotRecorded> {
        let asked = self.request(|reply| Message::AskToPlan { call, revision, reply }).await??;
        self.answer(asked).await
    }

    /// Puts the plan, as it is now, to whoever reviews it.
    pub(crate) async fn ask_for_review(
        &self,
        call: CallId,
        revision: u64,
        rehearsal: Option<Rehearsal>,
    ) -> Result<Given, NotRecorded> {
        let rehearsal = rehearsal.map(Box::new);
        let asked =
            self.request(|reply| Message::AskForReview { call, revision, rehearsal, reply }).await??;
        self.answer(asked).await
    }

    async fn answer(&self, (id, answer): Asked) -> Result<Given, NotRecorded> {
        tokio::select! {
            // An answer that is here counts: it stands in the journal already.
            biased;
            answer = answer => answer.map_err(|_| gone()),
            () = self.cancel.cancelled() => {
                self.request(|reply| Message::Withdraw(id, reply)).await??;
                Ok(Given::plain(Answer::Interrupted))
            }
        }
    }

    /// What the next request is made of; what the model must be reminded of is in it.
    pub(crate) async fn snapshot(&self) -> Result<Snapshot, NotRecorded> {
        let agent = self.agent.clone();
        self.request(|reply| Message::Snapshot(agent, reply)).await?
    }

    /// Mode and places, read at the moment of a decision.
    pub(crate) async fn view(&self) -> Result<CallView, NotRecorded> {
        let agent = self.id();
        self.request(|reply| Message::View(agent, reply)).await?
    }

    /// Moves prompts that steer into the conversation; tells whether there were any.
    pub(crate) async fn take_steering(&self) -> Result<bool, NotRecorded> {
        self.request(Message::TakeSteering).await?
    }

    /// Ids for new calls, made new where they were used before.
    pub(crate) async fn fresh_ids(&self, given: Vec<CallId>) -> Result<Vec<CallId>, NotRecorded> {
        let agent = self.id();
        self.request(|reply| Message::FreshIds(agent, given, reply)).await
    }

    /// Plan mode begins; the inner error is for the model.
    pub(crate) async fn enter_plan(&self) -> Result<Result<(), String>, NotRecorded> {
        self.request(Message::EnterPlan).await?
    }

    /// The plan file was written: keeps the revision.
    pub(crate) async fn keep_plan(&self) -> Result<(), NotRecorded> {
        self.request(Message::KeepPlan).await?
    }

    /// A subagent begins; the inner error is for the model.
    pub(crate) async fn begin_agent(
        &self,
        started: AgentStarted,
        prompt: String,
    ) -> Result<Result<AgentId, String>, NotRecorded> {
        self.request(|reply| Message::BeginAgent { started, prompt, reply }).await?
    }

    /// A subagent cost this.
    pub(crate) fn spend(&self, spent: Spent) {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += spent;
    }

    /// What the subagents of this turn have cost.
    pub(crate) fn spent(&self) -> Spent {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the person something.
    pub(crate) fn tell(&self, level: NoticeLevel, text: String) {
        self.hub.live(forelook_protocol::Live::Notice(Notice { level, text }));
    }

    async fn request<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<T>) -> Message,
    ) -> Result<T, NotRecorded> {
        let (reply, answer) = oneshot::channel();
        self.messages.send(message(reply)).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())
    }
}

pub(crate) fn gone() -> NotRecorded {
    NotRecorded("The session has ended".to_owned())
}
