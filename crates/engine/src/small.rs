//! One question to the small model, for a tool: no tools, no memory, nobody listens while it speaks.

use std::sync::Arc;

use forelook_protocol::{AnswerBlock, Body, Message, SmallAnswered, Spent, UserBlock};
use forelook_providers::{Former, Kept, Remember, Request};
use forelook_tools::{SmallAnswer, SmallQuestion, Toolbox};

use crate::ahead::Ahead;
use crate::carry_out::Hands;
use crate::handle::NotRecorded;
use crate::hub::Hub;
use crate::stream::{Askable, Heard, Listeners, hear};
use crate::subagent::Door;

impl Door {
    /// Asks, and writes down what that took before anybody has the answer.
    pub(crate) async fn ask_small_model(&self, question: SmallQuestion) -> Result<SmallAnswer, String> {
        let SmallQuestion { call, system, text, cancel } = question;
        let not_recorded = |NotRecorded(message)| message;
        let session = self.session.view().await.map_err(not_recorded)?.model;
        let (model, fallback) = self.hands.crew.small_model(&session)?;
        let request = Request {
            model: model.name.clone(),
            system: Arc::new(vec![system].into()),
            tools: Arc::new(Kept::new(Vec::new())),
            messages: Arc::new(vec![Arc::new(Kept::new(Message::User(vec![UserBlock::Text { text }])))]),
            remember: Remember::Shortly,
            former: Arc::new(Former::default()),
        };
        // Whatever it calls is not there, and so nothing is read ahead either.
        let hands = Arc::new(Hands { tools: Toolbox::new(Vec::new()), ..(*self.hands).clone() });
        let mut ahead = Ahead::new(&self.session, &hands);
        let nobody = Listeners { hub: &Hub::default(), agent: None };
        let askable = Askable { model, fallback, busy: &mut false };
        let answered = match hear(askable, request, nobody, &mut ahead, &cancel).await {
            Heard::Whole(answered) => answered,
            Heard::Cut(_) => return Err("interrupted".to_owned()),
            Heard::Failed(failure) => return Err(failure.message),
        };
        let (usage, cost) = (answered.usage, answered.cost);
        let model = answered.model;
        let entry = SmallAnswered { call, model: model.clone(), usage, cost, took_ms: answered.took_ms };
        self.session.spend(Spent::on(usage, cost));
        self.session.record(vec![Body::SmallAnswer(entry)]).await.map_err(not_recorded)?;
        let words = answered.blocks.into_iter().filter_map(|block| match block {
            AnswerBlock::Text { text } => Some(text),
            AnswerBlock::Thinking { .. } | AnswerBlock::Sealed { .. } | AnswerBlock::ToolUse(_) => None,
        });
        let text = words.collect::<Vec<_>>().join("\n");
        match text.trim().is_empty() {
            true => Err(format!("`{model}` said nothing")),
            false => Ok(SmallAnswer { text, model, usage, cost }),
        }
    }
}
