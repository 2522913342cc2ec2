//! Gathers one answer from the events of a stream, and tells front ends of it while it arrives.

use std::time::Instant;

use forelook_protocol::{
    AgentId, AnswerBlock, AnswerEvent, Answered, CallId, FailureKind, Live, ProviderFailure, StopReason,
    ToolCall, Usage,
};
use forelook_providers::{AnswerStream, Request};
use futures::StreamExt;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::config::ModelChoice;
use crate::hub::Hub;

/// What came of asking a model.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A whole answer.
    Whole(Answered),
    /// A person interrupted; the words that had arrived, if any.
    Cut(Option<Answered>),
    /// No answer. A half-received one is never carried out, nor kept.
    Failed(ProviderFailure),
}

/// Who hears an answer while it arrives.
#[derive(Clone, Copy)]
pub(crate) struct Listeners<'a> {
    pub(crate) hub: &'a Hub,
    /// Whose answer it is; nothing for the main agent.
    pub(crate) agent: Option<&'a AgentId>,
}

impl Listeners<'_> {
    fn tell(self, event: AnswerEvent) {
        self.hub.live(Live::Answer { agent: self.agent.cloned(), event });
    }
}

/// Asks the model and gathers what it says.
pub(crate) async fn hear(
    model: &ModelChoice,
    request: Request,
    listeners: Listeners<'_>,
    cancel: &CancellationToken,
) -> Heard {
    let began = Instant::now();
    let stream = model.provider.stream(request, cancel.clone());
    let mut gathered = Gathered::default();
    let mut heard = gather(stream, &mut gathered, listeners, cancel).await;
    if let Heard::Whole(answered) | Heard::Cut(Some(answered)) = &mut heard {
        answered.took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    }
    heard
}

async fn gather(
    mut stream: AnswerStream,
    gathered: &mut Gathered,
    listeners: Listeners<'_>,
    cancel: &CancellationToken,
) -> Heard {
    loop {
        let event = tokio::select! {
            biased;
            () = cancel.cancelled() => return Heard::Cut(gathered.cut()),
            event = stream.next() => event,
        };
        let Some(event) = event else {
            return if cancel.is_cancelled() {
                Heard::Cut(gathered.cut())
            } else {
                Heard::Failed(broke_off())
            };
        };
        match &event {
            AnswerEvent::Done { stop, usage } => {
                let answered = gathered.whole(*stop, *usage);
                listeners.tell(event);
                return Heard::Whole(answered);
            }
            AnswerEvent::Failed(failure) => return Heard::Failed(failure.clone()),
            _ => gathered.add(&event),
        }
        listeners.tell(event);
    }
}

fn broke_off() -> ProviderFailure {
    ProviderFailure {
        kind: FailureKind::Connection,
        message: "The model's answer broke off before it was complete".to_owned(),
        hint: Some("Send the prompt again; nothing of the answer was carried out".to_owned()),
    }
}

/// An answer as far as it has come.
#[derive(Debug, Default)]
struct Gathered {
    message: String,
    model: String,
    done: Vec<AnswerBlock>,
    open: Option<Open>,
}

#[derive(Debug)]
enum Open {
    Text(String),
    Thinking { text: String, signature: String },
    Call { id: CallId, name: String, json: String },
}

impl Gathered {
    fn add(&mut self, event: &AnswerEvent) {
        match (event, &mut self.open) {
            (AnswerEvent::Started { id, model }, _) => {
                (self.message, self.model) = (id.clone(), model.clone())
            }
            (AnswerEvent::TextStarted, _) => self.begin(Open::Text(String::new())),
            (AnswerEvent::ThinkingStarted, _) => {
                self.begin(Open::Thinking { text: String::new(), signature: String::new() });
            }
            (AnswerEvent::CallStarted { id, name }, _) => {
                self.begin(Open::Call { id: id.clone(), name: name.clone(), json: String::new() });
            }
            (AnswerEvent::Text { text: more }, Some(Open::Text(text)))
            | (AnswerEvent::Thinking { text: more }, Some(Open::Thinking { text, .. }))
            | (AnswerEvent::Input { json: more }, Some(Open::Call { json: text, .. }))
            | (AnswerEvent::Signature { signature: more }, Some(Open::Thinking { signature: text, .. })) => {
                text.push_str(more);
            }
            (AnswerEvent::BlockEnded, _) => self.end_block(),
            // A piece for a block that is not open: a provider's mistake that must not cost the answer.
            (AnswerEvent::Text { .. } | AnswerEvent::Thinking { .. } | AnswerEvent::Input { .. }, _)
            | (AnswerEvent::Signature { .. } | AnswerEvent::Done { .. } | AnswerEvent::Failed(_), _) => {
                tracing::warn!(?event, "an answer event out of place");
            }
        }
    }

    fn begin(&mut self, open: Open) {
        self.end_block();
        self.open = Some(open);
    }

    fn end_block(&mut self) {
        // No provider takes an empty text back.
        let open = self.open.take().filter(|open| !matches!(open, Open::Text(text) if text.is_empty()));
        self.done.extend(open.map(Open::into_block));
    }

    fn whole(&mut self, stop: StopReason, usage: Usage) -> Answered {
        self.end_block();
        self.answered(stop, usage)
    }

    /// What to keep of an interrupted answer: words. A call that was not carried out would need a result,
    /// and thinking without its end has no valid signature.
    fn cut(&mut self) -> Option<Answered> {
        self.end_block();
        self.done.retain(|block| matches!(block, AnswerBlock::Text { .. }));
        (!self.done.is_empty()).then(|| self.answered(StopReason::Interrupted, Usage::default()))
    }

    fn answered(&mut self, stop: StopReason, usage: Usage) -> Answered {
        Answered {
            message: std::mem::take(&mut self.message),
            model: std::mem::take(&mut self.model),
            blocks: std::mem::take(&mut self.done),
            stop,
            usage,
            took_ms: 0,
        }
    }
}

impl Open {
    fn into_block(self) -> AnswerBlock {
        match self {
            Open::Text(text) => AnswerBlock::Text { text },
            Open::Thinking { text, signature } => AnswerBlock::Thinking { thinking: text, signature },
            Open::Call { id, name, json } => AnswerBlock::ToolUse(ToolCall { id, name, input: parse(json) }),
        }
    }
}

/// No text at all is an empty input. What is no JSON is kept as a string: the tool's check refuses it in
/// words that quote it, and nothing the model sent is lost.
fn parse(json: String) -> Value {
    if json.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    serde_json::from_str(&json).unwrap_or(Value::String(json))
}
