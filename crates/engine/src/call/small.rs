//! One question to the small model, for a tool.

use forelook_protocol::{Body, SmallAnswered, Spent};
use forelook_tools::{SmallAnswer, SmallModel, SmallQuestion};
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::handle::{NotRecorded, SessionHandle};
use crate::model::{OneShot, SmallRoute, complete};

/// A call's way to the small model.
pub(super) struct SmallModelPort {
    pub(super) session: SessionHandle,
    pub(super) route: SmallRoute,
}

impl SmallModel for SmallModelPort {
    fn ask(&self, question: SmallQuestion) -> BoxFuture<'_, Result<SmallAnswer, String>> {
        self.ask_model(question).boxed()
    }
}

impl SmallModelPort {
    /// Asks, and writes down what that took before anybody has the answer.
    async fn ask_model(&self, question: SmallQuestion) -> Result<SmallAnswer, String> {
        let SmallQuestion { call, system, text, cancel } = question;
        let not_recorded = |NotRecorded(message)| message;
        let sessions = self.session.view().await.map_err(not_recorded)?.model.clone();
        let (model, fallback) = self.route.find(&sessions)?;
        let done = complete(OneShot { model, fallback, system, text }, &cancel).await;
        let done = done.map_err(|why| why.to_string())?;
        let (usage, cost, model) = (done.usage, done.cost, done.model);
        let entry = SmallAnswered { call, model: model.clone(), usage, cost, took_ms: done.took_ms };
        self.session.spend(Spent::on(usage, cost));
        self.session.record(vec![Body::SmallAnswer(entry)]).await.map_err(not_recorded)?;
        match done.text.trim().is_empty() {
            true => Err(format!("`{model}` said nothing")),
            false => Ok(SmallAnswer { text: done.text, model, usage, cost }),
        }
    }
}
