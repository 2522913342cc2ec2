//! What a turn holds of its session: a narrow way to the one task that owns state and journal.

use std::collections::HashMap;
use std::sync::Arc;

use forelook_permissions::Policy;
use forelook_protocol::{AbsPath, Answer, Ask, Body, CallId, Notice, NoticeLevel, SessionId};
use forelook_providers::Request;
use forelook_tools::Place;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::config::ModelChoice;
use crate::hub::Hub;
use crate::session::Message;

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
}

/// An answer, and whether mode and rules were still as they were when it was asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Given {
    pub(crate) answer: Answer,
    pub(crate) fresh: bool,
}

/// One view of everything that a request and the calls of its answer need.
pub(crate) struct Snapshot {
    pub(crate) request: Request,
    pub(crate) model: Result<ModelChoice, String>,
}

/// What a call needs to know of the session when it is prepared.
#[derive(Clone)]
pub(crate) struct CallView {
    pub(crate) session: SessionId,
    pub(crate) transcript: AbsPath,
    pub(crate) policy: Policy,
    /// Counts changes to mode and rules: an approval holds for the state it was given under.
    pub(crate) revision: u64,
    pub(crate) place: Place,
    pub(crate) seen: Arc<HashMap<AbsPath, String>>,
}

impl SessionHandle {
    /// Writes entries down; returns when they stand in the journal.
    pub(crate) async fn record(&self, bodies: Vec<Body>) -> Result<(), NotRecorded> {
        self.request(|reply| Message::Record(bodies, reply)).await?
    }

    /// Puts a question to whoever answers, and waits. An interrupt closes it.
    ///
    /// `revision` is the state of the permissions that led to the question: the answer is good for no other.
    pub(crate) async fn ask(&self, call: CallId, ask: Ask, revision: u64) -> Result<Given, NotRecorded> {
        let (id, answer) = self.request(|reply| Message::Ask { call, ask, revision, reply }).await??;
        tokio::select! {
            // An answer that is here counts: it stands in the journal already.
            biased;
            answer = answer => answer.map_err(|_| gone()),
            () = self.cancel.cancelled() => {
                self.request(|reply| Message::Withdraw(id, reply)).await??;
                Ok(Given { answer: Answer::Interrupted, fresh: true })
            }
        }
    }

    /// What the next request is made of.
    pub(crate) async fn snapshot(&self) -> Result<Snapshot, NotRecorded> {
        self.request(Message::Snapshot).await
    }

    /// Mode and places, read at the moment of a decision.
    pub(crate) async fn view(&self) -> Result<CallView, NotRecorded> {
        self.request(Message::View).await
    }

    /// Moves prompts that steer into the conversation; tells whether there were any.
    pub(crate) async fn take_steering(&self) -> Result<bool, NotRecorded> {
        self.request(Message::TakeSteering).await?
    }

    /// Ids for new calls, made new where they were used before.
    pub(crate) async fn fresh_ids(&self, given: Vec<CallId>) -> Result<Vec<CallId>, NotRecorded> {
        self.request(|reply| Message::FreshIds(given, reply)).await
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

fn gone() -> NotRecorded {
    NotRecorded("The session has ended".to_owned())
}
