//! Gathers one answer from the events of a stream, and tells front ends of it while it arrives. An attempt that fails
//! is made again where that may help; nothing of it is kept.

use std::time::{Duration, Instant};

use forelook_protocol::{
    AgentId, AnswerBlock, AnswerEvent, Answered, CallId, Live, ProviderFailure, Retry, StopReason, ToolCall,
    Usage,
};
use forelook_providers::{AnswerStream, Request, broke_off};
use futures::{FutureExt, StreamExt};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::ahead::Ahead;
use crate::config::ModelChoice;
use crate::hub::Hub;
use crate::retry::{ATTEMPTS, After, after, chance};

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

/// Who can be asked.
pub(crate) struct Askable<'a> {
    pub(crate) model: ModelChoice,
    /// Who is asked when that one has too much to do.
    pub(crate) fallback: Option<ModelChoice>,
    /// Whether it has: for the rest of the turn.
    pub(crate) busy: &'a mut bool,
}

impl Askable<'_> {
    /// Who is asked now.
    fn now(&self) -> &ModelChoice {
        self.fallback.as_ref().filter(|_| *self.busy).unwrap_or(&self.model)
    }

    /// Who could be asked instead.
    fn stand_in(&self) -> Option<&ModelChoice> {
        self.fallback.as_ref().filter(|_| !*self.busy)
    }
}

/// Asks the model and gathers what it says, as often as it takes.
pub(crate) async fn hear(
    askable: Askable<'_>,
    request: Request,
    listeners: Listeners<'_>,
    ahead: &mut Ahead<'_>,
    cancel: &CancellationToken,
) -> Heard {
    let began = Instant::now();
    let mut attempt = 1;
    let mut heard = loop {
        let model = askable.now();
        let asked = Request { model: model.name.clone(), ..request.clone() };
        let stream = model.provider.stream(asked, cancel.clone());
        let failure = match Gathered::default().gather(stream, listeners, ahead, cancel).await {
            Heard::Failed(failure) => failure,
            heard => break heard,
        };
        ahead.discard();
        attempt += 1;
        let stand_in = askable.stand_in();
        let (wait, instead) = match after(&failure, attempt - 1, stand_in.is_some(), chance()) {
            After::GiveUp => break Heard::Failed(tried(failure, attempt - 1)),
            After::Wait(wait) => (wait, None),
            After::Fallback => (Duration::ZERO, stand_in.map(|choice| choice.id.clone())),
        };
        *askable.busy |= instead.is_some();
        tracing::warn!(%failure, attempt, ?wait, ?instead, "asking again");
        listeners.tell(AnswerEvent::Again(Retry {
            failure,
            attempt,
            of: ATTEMPTS,
            wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            fallback: instead,
        }));
        tokio::select! {
            () = cancel.cancelled() => break Heard::Cut(None),
            () = tokio::time::sleep(wait) => {}
        }
    };
    if let Heard::Whole(answered) | Heard::Cut(Some(answered)) = &mut heard {
        answered.took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        answered.cost = askable.now().facts.price.map(|price| price.of(&answered.usage));
    }
    heard
}

/// The failure that the turn ends with; a person who waited is told for how many attempts.
fn tried(failure: ProviderFailure, attempts: u32) -> ProviderFailure {
    match attempts {
        0 | 1 => failure,
        _ => {
            let message = format!("{} ({attempts} attempts)", failure.message);
            ProviderFailure { message, ..failure }
        }
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
    async fn gather(
        mut self,
        mut stream: AnswerStream,
        listeners: Listeners<'_>,
        ahead: &mut Ahead<'_>,
        cancel: &CancellationToken,
    ) -> Heard {
        let mut looked_at = 0;
        loop {
            let event = match stream.next().now_or_never() {
                Some(_) if cancel.is_cancelled() => None,
                Some(event) => event,
                None => {
                    // Nothing more has arrived yet: time to read ahead. An answer that is here in full is quicker
                    // carried out than read ahead for.
                    for block in self.done.iter().skip(std::mem::replace(&mut looked_at, self.done.len())) {
                        if let AnswerBlock::ToolUse(call) = block {
                            ahead.begin(call).await;
                        }
                    }
                    tokio::select! {
                        biased;
                        () = cancel.cancelled() => None,
                        event = stream.next() => event,
                    }
                }
            };
            let Some(event) = event else {
                return if cancel.is_cancelled() {
                    Heard::Cut(self.cut())
                } else {
                    Heard::Failed(broke_off())
                };
            };
            match &event {
                AnswerEvent::Done { stop, usage } => {
                    let answered = self.whole(*stop, *usage);
                    listeners.tell(event);
                    return Heard::Whole(answered);
                }
                AnswerEvent::Failed(failure) => return Heard::Failed(failure.clone()),
                _ => self.add(&event),
            }
            listeners.tell(event);
        }
    }

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
            (AnswerEvent::Sealed { by, item }, _) => {
                self.end_block();
                self.done.push(AnswerBlock::Sealed { by: by.clone(), item: item.clone() });
            }
            // A piece for a block that is not open: a provider's mistake that must not cost the answer.
            (AnswerEvent::Text { .. } | AnswerEvent::Thinking { .. } | AnswerEvent::Input { .. }, _)
            | (AnswerEvent::Signature { .. } | AnswerEvent::Again(_), _)
            | (AnswerEvent::Done { .. } | AnswerEvent::Failed(_), _) => {
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
            cost: None,
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
