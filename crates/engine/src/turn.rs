//! One turn: ask the model, carry out what it wants, and again, until it stops.

use std::sync::Arc;
use std::time::Instant;

use forelook_hooks::Begin;
use forelook_protocol::{
    AnswerBlock, Body, EndReason, FailureKind, ProviderFailure, Spent, StopReason, ToolCall, TurnEnded,
};
use serde_json::Value;

use crate::ahead::{Ahead, Begun};
use crate::carry_out::{self, Hands};
use crate::handle::{NotRecorded, SessionHandle};
use crate::stream::{Askable, Heard, Listeners, hear};
use crate::turn_hooks;

/// How often the same call may be refused in a row before the turn ends.
const STUCK: u32 = 3;

/// How often a model may pause in one turn and be sent on.
const MOST_PAUSES: u32 = 20;

/// What a turn begins with.
pub(crate) enum TurnInput {
    /// The prompt is in the conversation; ask the model. Its words are for hooks.
    Prompt(String),
    /// Calls that waited for a person when the program ended; carry them out first.
    Again(Vec<ToolCall>),
}

/// What one step leads to.
enum Next {
    Continue,
    Stop(EndReason),
}

/// What a turn is made with.
pub(crate) struct Turn {
    pub(crate) session: SessionHandle,
    pub(crate) hands: Arc<Hands>,
    pub(crate) max_turns: Option<u32>,
    /// Set in the first turn of a process: how the session began.
    pub(crate) greet: Option<Begin>,
}

/// What a turn has come to so far.
#[derive(Default)]
pub(crate) struct Tally {
    answers: u32,
    /// How often a hook sent the model back to work.
    sent_back: u32,
    /// Calls that were made.
    pub(crate) calls: u32,
    pub(crate) spent: Spent,
    model_ms: u64,
    /// How often the model paused in the middle of its answer.
    pauses: u32,
    /// The model had too much to do; for the rest of the turn its stand-in is asked.
    busy: bool,
    /// The last words.
    pub(crate) words: String,
    /// The call that was refused last, and how often in a row.
    refused: Option<(String, Value, u32)>,
}

/// Runs one turn to its end and writes that end down. `Err` carries the end that could not be written.
pub(crate) async fn run_turn(turn: Turn, input: TurnInput) -> Result<(), EndReason> {
    let began = Instant::now();
    let mut tally = Tally::default();
    let reason = match run(&turn, input, &mut tally).await {
        Ok(reason) => reason,
        Err(NotRecorded(message)) => EndReason::Internal { message },
    };
    tally.spent += turn.session.spent();
    let ended = TurnEnded {
        reason: reason.clone(),
        answers: tally.answers,
        usage: tally.spent.usage,
        cost: tally.spent.cost.known(),
        took_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        model_ms: tally.model_ms,
    };
    turn.session.record(vec![Body::TurnEnd(ended)]).await.map_err(|_| reason)
}

/// Runs the one turn of a subagent. Its end is not a turn's end: whoever started it writes down how it went.
pub(crate) async fn run_agent(turn: &Turn, input: TurnInput, tally: &mut Tally) -> EndReason {
    let begun = turn_hooks::agent_begins(turn).await;
    let reason = match begun {
        Ok(None) => run(turn, input, tally).await,
        Ok(Some(end)) => Ok(end),
        Err(failed) => Err(failed),
    };
    reason.unwrap_or_else(|NotRecorded(message)| EndReason::Internal { message })
}

async fn run(turn: &Turn, input: TurnInput, tally: &mut Tally) -> Result<EndReason, NotRecorded> {
    if let Some(begin) = turn.greet {
        turn_hooks::session_begins(turn, begin).await?;
    }
    match input {
        TurnInput::Again(calls) => {
            let carried = carry_out::carry_out(&turn.session, &turn.hands, calls, &Begun::default()).await?;
            if let Some(end) = carried.end {
                return Ok(end);
            }
            take_steering(turn, tally).await?;
        }
        TurnInput::Prompt(_) if turn.session.agent.is_some() => {}
        TurnInput::Prompt(words) => {
            if let Some(end) = turn_hooks::prompt_comes(turn, &words).await? {
                return Ok(end);
            }
        }
    }
    loop {
        if turn.session.cancel.is_cancelled() {
            return Ok(EndReason::Interrupted);
        }
        if let Some(limit) = used_up(turn, tally) {
            return Ok(EndReason::MaxTurns { limit });
        }
        match step(turn, tally).await? {
            Next::Continue => {}
            Next::Stop(EndReason::Done) if !turn_hooks::wants_to_stop(turn, &mut tally.sent_back).await? => {}
            Next::Stop(reason) => return Ok(reason),
        }
    }
}

async fn step(turn: &Turn, tally: &mut Tally) -> Result<Next, NotRecorded> {
    let session = &turn.session;
    let snapshot = session.snapshot().await?;
    let model = match snapshot.model {
        Ok(model) => model,
        Err(message) => return Ok(Next::Stop(EndReason::Internal { message })),
    };
    let askable = Askable { model, fallback: snapshot.fallback, busy: &mut tally.busy };
    let listeners = Listeners { hub: &session.hub, agent: session.agent.as_ref().map(|run| &run.id) };
    let mut ahead = Ahead::new(session, &turn.hands);
    let heard = hear(askable, snapshot.request, listeners, &mut ahead, &session.cancel).await;
    let mut answered = match heard {
        Heard::Whole(answered) => answered,
        Heard::Cut(kept) => {
            session.record(kept.into_iter().map(Body::Answer).collect()).await?;
            return Ok(Next::Stop(EndReason::Interrupted));
        }
        Heard::Failed(failure) => return Ok(Next::Stop(EndReason::Provider { failure })),
    };
    tally.answers += 1;
    tally.spent += Spent::on(answered.usage, answered.cost);
    tally.model_ms += answered.took_ms;
    let void = carry_out::void_calls(session, &mut answered).await?;
    let calls = calls_of(&answered.blocks);
    tally.calls += u32::try_from(calls.len()).unwrap_or(u32::MAX);
    if let Some(words) = words_of(&answered.blocks) {
        tally.words = words;
    }
    let stop = answered.stop;
    session.record(vec![Body::Answer(answered)]).await?;
    let has_calls = !calls.is_empty();
    let calls: Vec<ToolCall> =
        calls.into_iter().filter(|call| void.iter().all(|(id, _)| *id != call.id)).collect();
    carry_out::refuse(session, void).await?;
    let carried = carry_out::carry_out(session, &turn.hands, calls, &ahead.into_begun()).await?;
    if session.cancel.is_cancelled() {
        return Ok(Next::Stop(EndReason::Interrupted));
    }
    if let Some(end) = carried.end.or_else(|| tally.stuck(carried.refused)) {
        return Ok(Next::Stop(end));
    }
    let steered = take_steering(turn, tally).await?;
    if stop == StopReason::Paused {
        tally.pauses += 1;
    }
    Ok(next(stop, has_calls || steered || (stop == StopReason::Paused && tally.pauses <= MOST_PAUSES)))
}

impl Tally {
    /// Notes which calls were refused, in order, with nothing for those that ran. The same refused call again and again
    /// is a model that will not find out by itself.
    fn stuck(&mut self, refused: Vec<Option<ToolCall>>) -> Option<EndReason> {
        for call in refused {
            let Some(ToolCall { name, input, .. }) = call else {
                self.refused = None;
                continue;
            };
            let before = match &self.refused {
                Some((tool, same, count)) if *tool == name && *same == input => *count,
                _ => 0,
            };
            self.refused = Some((name, input, before + 1));
        }
        let (name, _, count) = self.refused.as_ref()?;
        (*count >= STUCK).then(|| EndReason::Stuck {
            message: format!(
                "The model tried the same call of `{name}` {count} times although it is refused; say how to go on"
            ),
        })
    }
}

/// The limit on answers, if it is reached.
fn used_up(turn: &Turn, tally: &Tally) -> Option<u32> {
    turn.max_turns.filter(|limit| tally.answers >= *limit)
}

/// Takes prompts that steer into the conversation, where this turn will still answer them. Otherwise they
/// keep waiting, for a turn of their own.
async fn take_steering(turn: &Turn, tally: &Tally) -> Result<bool, NotRecorded> {
    // What the person says is for the main agent.
    let done = turn.session.cancel.is_cancelled() || used_up(turn, tally).is_some();
    if done || turn.session.agent.is_some() {
        return Ok(false);
    }
    turn.session.take_steering().await
}

fn next(stop: StopReason, more: bool) -> Next {
    match stop {
        _ if more => Next::Continue,
        StopReason::EndTurn | StopReason::ToolUse | StopReason::Paused => Next::Stop(EndReason::Done),
        StopReason::WindowFull => Next::Stop(EndReason::Provider { failure: window_full() }),
        StopReason::MaxTokens => Next::Stop(EndReason::MaxTokens),
        StopReason::Refusal => Next::Stop(EndReason::Refusal),
        StopReason::Interrupted => Next::Stop(EndReason::Interrupted),
    }
}

fn window_full() -> ProviderFailure {
    ProviderFailure::new(
        FailureKind::ContextOverflow,
        "The conversation has filled all that the model can read at once",
    )
    .hint("Begin a new session, or continue this one with a model that can read more")
}

fn words_of(blocks: &[AnswerBlock]) -> Option<String> {
    let words: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            AnswerBlock::Text { text } => Some(text.as_str()),
            AnswerBlock::Thinking { .. } | AnswerBlock::Sealed { .. } | AnswerBlock::ToolUse(_) => None,
        })
        .collect();
    (!words.is_empty()).then(|| words.join("\n"))
}

fn calls_of(blocks: &[AnswerBlock]) -> Vec<ToolCall> {
    blocks
        .iter()
        .filter_map(|block| match block {
            AnswerBlock::ToolUse(call) => Some(call.clone()),
            AnswerBlock::Text { .. } | AnswerBlock::Thinking { .. } | AnswerBlock::Sealed { .. } => None,
        })
        .collect()
}
