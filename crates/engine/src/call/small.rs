//! One question to the small model, for a tool.

use forelook_protocol::{EntryBody, ModelUsage, SmallModelAnswered};
use forelook_tools::{SmallModel, SmallModelReply, SmallModelRequest};
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::handle::{RecordError, SessionHandle};
use crate::model::{OneShot, SmallRoute, complete};

/// A call's way to the small model.
pub(super) struct SmallModelPort {
    pub(super) session: SessionHandle,
    pub(super) route: SmallRoute,
}

impl SmallModel for SmallModelPort {
    fn ask(&self, question: SmallModelRequest) -> BoxFuture<'_, Result<SmallModelReply, String>> {
        self.ask_model(question).boxed()
    }
}

impl SmallModelPort {
    /// Asks, and writes down what that took before anybody has the answer.
    async fn ask_model(&self, question: SmallModelRequest) -> Result<SmallModelReply, String> {
        let SmallModelRequest { call, system, text, cancel } = question;
        let not_recorded = |RecordError(message)| message;
        let sessions = self.session.view().await.map_err(not_recorded)?.model.clone();
        let (model, fallback) = self.route.find(&sessions)?;
        let done = complete(OneShot { model, fallback, system, text }, &cancel).await;
        let done = done.map_err(|why| why.to_string())?;
        let (usage, cost, model) = (done.usage, done.cost, done.model);
        let entry = SmallModelAnswered { call, model: model.clone(), usage, cost, took_ms: done.took_ms };
        self.session.spend(ModelUsage::new(usage, cost));
        self.session.record(vec![EntryBody::SmallModelAnswered(entry)]).await.map_err(not_recorded)?;
        match done.text.trim().is_empty() {
            true => Err(format!("`{model}` returned nothing")),
            false => Ok(SmallModelReply { text: done.text, model, usage, cost }),
        }
    }
}
