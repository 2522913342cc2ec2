//! One turn: ask the model, carry out what it wants, and again, until it stops.

mod compact;
mod hooks;
mod stats;
mod subagent;

use std::sync::Arc;

use forelook_hooks::Begin;
use forelook_protocol::{
    AnswerBlock, Body, EndReason, FailureKind, HookEvent, StopReason, TurnEnded, TurnId,
};

use crate::call::{PendingCall, Prefetch, Prefetched, ToolRuntime, carry_out};
use crate::handle::{NotRecorded, SessionHandle};
use crate::model::{ModelRoute, StreamOutcome, stream_answer};
use compact::Why;
pub(crate) use stats::TurnStats;
pub(crate) use subagent::Subagents;

/// How often the same call may be refused in a row before the turn ends.
const STUCK: u32 = 3;

/// How often a model may pause in one turn and be sent on.
const MOST_PAUSES: u32 = 20;

/// What a turn begins with.
pub(crate) enum TurnInput {
    /// The prompt is in the conversation; ask the model. Its words are for hooks.
    Prompt(String),
    /// Calls that waited for a person when the program ended; carry them out first.
    Resume(Vec<PendingCall>),
}

/// What one step leads to.
enum Next {
    Continue,
    /// The conversation must become shorter before the model can be asked again.
    Compact(Why),
    Stop(EndReason),
}

/// What a turn is made with.
pub(crate) struct Turn {
    pub(crate) session: SessionHandle,
    pub(crate) runtime: Arc<ToolRuntime>,
    pub(crate) max_turns: Option<u32>,
    /// Set in the first turn of a process: how the session began.
    pub(crate) greet: Option<Begin>,
}

impl Turn {
    /// Whether hooks are to be heard about what the person says meanwhile.
    fn hears_prompts(&self) -> bool {
        self.session.agent.is_none() && self.runtime.hooks.get().listen_to(HookEvent::UserPromptSubmit)
    }
}

/// Runs one turn to its end and writes that end down. `Err` carries the end that could not be written.
pub(crate) async fn run_turn(id: TurnId, turn: Turn, input: TurnInput) -> Result<(), EndReason> {
    let began = crate::clock::instant();
    let mut stats = TurnStats::default();
    let reason = match run(&turn, input, &mut stats).await {
        Ok(reason) => reason,
        Err(NotRecorded(message)) => EndReason::Internal { message },
    };
    stats.spent += turn.session.spent();
    let ended = TurnEnded {
        turn: id,
        reason: reason.clone(),
        answers: stats.answers,
        usage: stats.spent.usage,
        cost: stats.spent.cost.known(),
        took_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        model_ms: stats.model_ms,
    };
    turn.session.record(vec![Body::TurnEnd(ended)]).await.map_err(|_| reason)
}

/// Runs the one turn of a subagent. Its end is not a turn's end: whoever started it writes down how it went.
async fn run_agent(turn: &Turn, input: TurnInput, stats: &mut TurnStats) -> EndReason {
    let begun = hooks::agent_begins(turn).await;
    let reason = match begun {
        Ok(None) => run(turn, input, stats).await,
        Ok(Some(end)) => Ok(end),
        Err(failed) => Err(failed),
    };
    reason.unwrap_or_else(|NotRecorded(message)| EndReason::Internal { message })
}

async fn run(turn: &Turn, input: TurnInput, stats: &mut TurnStats) -> Result<EndReason, NotRecorded> {
    if let Some(begin) = turn.greet {
        hooks::session_begins(turn, begin).await?;
    }
    if let Some(end) = take_input(turn, input, stats).await? {
        return Ok(end);
    }
    loop {
        if turn.session.cancel.is_cancelled() {
            return Ok(EndReason::Interrupted);
        }
        if let Some(limit) = turn.max_turns.filter(|limit| stats.answers >= *limit) {
            return Ok(EndReason::MaxTurns { limit });
        }
        match step(turn, stats).await? {
            Next::Continue => {}
            Next::Compact(why) => match compact::compact(why) {
                Ok(()) => {}
                Err(end) => return Ok(end),
            },
            Next::Stop(EndReason::Done) if !hooks::wants_to_stop(turn, &mut stats.sent_back).await? => {}
            Next::Stop(reason) => return Ok(reason),
        }
    }
}

/// What comes before the model is asked; an end, if it ends the turn.
async fn take_input(
    turn: &Turn,
    input: TurnInput,
    stats: &mut TurnStats,
) -> Result<Option<EndReason>, NotRecorded> {
    match input {
        TurnInput::Resume(calls) => {
            let view = turn.session.view().await?;
            stats.under_way = true;
            let nothing = Prefetched::default();
            Ok(carry_out(&turn.session, &turn.runtime, calls, view, &nothing).await?.end)
        }
        TurnInput::Prompt(_) if turn.session.agent.is_some() => Ok(None),
        TurnInput::Prompt(words) => hooks::prompt_comes(turn, &words).await,
    }
}

async fn step(turn: &Turn, stats: &mut TurnStats) -> Result<Next, NotRecorded> {
    let session = &turn.session;
    let mut steer = std::mem::replace(&mut stats.under_way, true);
    if steer && turn.hears_prompts() {
        hooks::steer(turn).await?;
        steer = false;
    }
    let snapshot = session.next_request(steer).await?;
    let model = match snapshot.model {
        Ok(model) => model,
        Err(message) => return Ok(Next::Stop(EndReason::Internal { message })),
    };
    let route = ModelRoute { model, fallback: snapshot.fallback, on_fallback: &mut stats.on_fallback };
    let mut prefetch = Prefetch::new(session, &turn.runtime, snapshot.view);
    let answered = match stream_answer(route, snapshot.request, &mut prefetch, &session.cancel).await {
        StreamOutcome::Whole(answered) => answered,
        StreamOutcome::Cut(kept) => {
            session.record(kept.into_iter().map(Body::Answer).collect()).await?;
            return Ok(Next::Stop(EndReason::Interrupted));
        }
        StreamOutcome::Failed(failure) if failure.kind == FailureKind::ContextOverflow => {
            return Ok(Next::Compact(Why::Refused(failure)));
        }
        StreamOutcome::Failed(failure) => return Ok(Next::Stop(EndReason::Provider { failure })),
    };
    stats.count(&answered);
    let stop = answered.stop;
    let taken = session.answered(answered).await?;
    let has_calls = taken.total > 0;
    let calls = taken.calls.into_iter().map(PendingCall::from).collect();
    let carried = carry_out(session, &turn.runtime, calls, taken.view, &prefetch.finish()).await?;
    if session.cancel.is_cancelled() {
        return Ok(Next::Stop(EndReason::Interrupted));
    }
    if let Some(end) = carried.end.or_else(|| stuck(carried.refused)) {
        return Ok(Next::Stop(end));
    }
    let paused = stop == StopReason::Paused && stats.pause() <= MOST_PAUSES;
    // Prompts that steer are in the next request. They need not be asked for where there is one anyway.
    let goes_on = has_calls || paused || steered(turn, stats).await?;
    Ok(next(stop, goes_on))
}

/// The same refused call again and again is a model that will not find out by itself.
fn stuck(refused: Option<(String, u32)>) -> Option<EndReason> {
    let (name, count) = refused.filter(|(_, count)| *count >= STUCK)?;
    let message = format!(
        "The model tried the same call of `{name}` {count} times although it is refused; say how to go on"
    );
    Some(EndReason::Stuck { message })
}

/// Takes prompts that steer into the conversation, where this turn will still answer them. Otherwise they
/// keep waiting, for a turn of their own.
async fn steered(turn: &Turn, stats: &TurnStats) -> Result<bool, NotRecorded> {
    let used_up = turn.max_turns.is_some_and(|limit| stats.answers >= limit);
    // What the person says is for the main agent.
    if turn.session.cancel.is_cancelled() || used_up || turn.session.agent.is_some() {
        return Ok(false);
    }
    match turn.hears_prompts() {
        true => hooks::steer(turn).await,
        false => Ok(!turn.session.take_steering(usize::MAX).await?.is_empty()),
    }
}

fn next(stop: StopReason, more: bool) -> Next {
    match stop {
        _ if more => Next::Continue,
        StopReason::EndTurn | StopReason::ToolUse | StopReason::Paused => Next::Stop(EndReason::Done),
        StopReason::WindowFull => Next::Compact(Why::Full),
        StopReason::MaxTokens => Next::Stop(EndReason::MaxTokens),
        StopReason::Refusal => Next::Stop(EndReason::Refusal),
        StopReason::Interrupted => Next::Stop(EndReason::Interrupted),
    }
}

/// All words of an answer; nothing if it has none.
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
