//! One turn: ask the model, carry out what it wants, and again, until it stops.

mod compact;
mod hooks;
mod stats;
mod subagent;

use std::sync::Arc;

use forelook_hooks::SessionSource;
use forelook_protocol::{
    AnswerBlock, EndReason, EntryBody, FailureKind, HookEvent, NoticeLevel, Reminder, ReminderKind,
    StopReason, TurnEnded, TurnId,
};

use crate::call::{PendingCall, Prefetch, Prefetched, ToolRuntime, attach, run_calls};
use crate::context::reminder::is_invisible;
use crate::handle::{CompactRequest, RecordError, SessionHandle, TakenPrompt};
use crate::model::{ModelRoute, StreamOutcome, stream_answer};
use compact::CompactReason;
pub(crate) use stats::TurnStats;
pub(crate) use subagent::Subagents;

/// How often the same call may be refused in a row before the turn ends.
const MAX_REPEATED_REFUSALS: u32 = 3;

/// How often a model may pause in one turn and be sent on.
const MAX_PAUSES: u32 = 20;

/// What a turn begins with.
pub(crate) enum TurnInput {
    /// The prompt is in the conversation; ask the model.
    Prompt(TakenPrompt),
    /// Prompts wait, of which the last begins this turn; take them into the conversation first.
    Waiting,
    /// Calls that waited for a person when the program ended; carry them out first.
    Resume(Vec<PendingCall>),
    /// Only a summary is wanted.
    Compact(CompactRequest),
}

/// What one step leads to.
enum StepOutcome {
    Continue,
    /// The conversation must become shorter before the model can be asked again.
    Compact(CompactReason),
    Stop(EndReason),
}

/// What a turn is made with.
pub(crate) struct Turn {
    pub(crate) session: SessionHandle,
    pub(crate) runtime: Arc<ToolRuntime>,
    pub(crate) max_turns: Option<u32>,
    /// Set in the first turn of a process: how the session began.
    pub(crate) session_source: Option<SessionSource>,
}

impl Turn {
    /// Whether hooks are to be heard about what the person says meanwhile.
    fn has_prompt_hooks(&self) -> bool {
        self.session.agent.is_none() && self.runtime.hooks.get().has_hook_for(HookEvent::UserPromptSubmit)
    }
}

/// Runs one turn to its end and writes that end down. `Err` carries the end that could not be written.
pub(crate) async fn run_turn(id: TurnId, turn: Turn, input: TurnInput) -> Result<(), EndReason> {
    let began = crate::clock::instant();
    let mut stats = TurnStats::default();
    let reason = match run(&turn, input, &mut stats).await {
        Ok(reason) => reason,
        Err(RecordError(message)) => EndReason::Internal { message },
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
    turn.session.record(vec![EntryBody::TurnEnded(ended)]).await.map_err(|_| reason)
}

/// Runs the one turn of a subagent. Its end is not a turn's end: whoever started it writes down how it went.
async fn run_agent(turn: &Turn, input: TurnInput, stats: &mut TurnStats) -> EndReason {
    let begun = hooks::subagent_start(turn).await;
    let reason = match begun {
        Ok(None) => run(turn, input, stats).await,
        Ok(Some(end)) => Ok(end),
        Err(failed) => Err(failed),
    };
    reason.unwrap_or_else(|RecordError(message)| EndReason::Internal { message })
}

async fn run(turn: &Turn, input: TurnInput, stats: &mut TurnStats) -> Result<EndReason, RecordError> {
    if let Some(begin) = turn.session_source {
        hooks::session_start(turn, begin).await?;
    }
    if let Some(end) = take_input(turn, input, stats).await? {
        return Ok(end);
    }
    turn.runtime.prompt.settle().await;
    loop {
        if turn.session.cancel.is_cancelled() {
            return Ok(EndReason::Interrupted);
        }
        if let Some(limit) = turn.max_turns.filter(|limit| stats.answers >= *limit) {
            return Ok(EndReason::MaxTurns { limit });
        }
        let outcome = step(turn, stats).await?;
        if let Some(text) = stats.many_calls().filter(|_| turn.session.agent.is_none()) {
            turn.session.notify(NoticeLevel::Warning, text);
        }
        match outcome {
            StepOutcome::Continue => {}
            StepOutcome::Compact(why) => {
                if let Some(end) = compact::compact(turn, why, stats).await? {
                    return Ok(end);
                }
            }
            StepOutcome::Stop(EndReason::Done) if !hooks::may_stop(turn, &mut stats.sent_back).await? => {}
            StepOutcome::Stop(reason) => return Ok(reason),
        }
    }
}

/// What comes before the model is asked; an end, if it ends the turn.
async fn take_input(
    turn: &Turn,
    input: TurnInput,
    stats: &mut TurnStats,
) -> Result<Option<EndReason>, RecordError> {
    match input {
        TurnInput::Resume(calls) => {
            let view = turn.session.view().await?;
            stats.under_way = true;
            let nothing = Prefetched::default();
            Ok(run_calls(&turn.session, &turn.runtime, calls, view, &nothing).await?.end)
        }
        TurnInput::Waiting => hooks::take_waiting(turn).await,
        TurnInput::Compact(request) => {
            turn.runtime.prompt.settle().await;
            let end = compact::compact(turn, CompactReason::Due(request), stats).await?;
            Ok(Some(end.unwrap_or(EndReason::Done)))
        }
        TurnInput::Prompt(_) if turn.session.agent.is_some() => Ok(None),
        TurnInput::Prompt(taken) => take_prompt(turn, &taken).await,
    }
}

/// A prompt that stands in the conversation: hooks hear of it, and what it names is attached. An end, if a hook ends the turn.
async fn take_prompt(turn: &Turn, taken: &TakenPrompt) -> Result<Option<EndReason>, RecordError> {
    let end = hooks::prompt_submit(turn, &taken.words).await?;
    if end.is_none() {
        attach(&turn.session, &turn.runtime, &taken.mentions).await?;
    }
    Ok(end)
}

async fn step(turn: &Turn, stats: &mut TurnStats) -> Result<StepOutcome, RecordError> {
    let session = &turn.session;
    turn.runtime.folder.check(session).await;
    let mut steer = std::mem::replace(&mut stats.under_way, true);
    if steer && turn.has_prompt_hooks() {
        hooks::steer(turn).await?;
        steer = false;
    }
    let mut snapshot = session.next_request(steer).await?;
    if snapshot.steering_names_files {
        // They are read here, where one may wait for a disk.
        hooks::steer(turn).await?;
        let compact = snapshot.compact.take();
        snapshot = session.next_request(false).await?;
        snapshot.compact = compact.or(snapshot.compact);
    }
    if let Some(request) = compact::due(turn, &snapshot, stats).await {
        return Ok(StepOutcome::Compact(CompactReason::Due(request)));
    }
    let model = match snapshot.model {
        Ok(model) => model,
        Err(message) => return Ok(StepOutcome::Stop(EndReason::Internal { message })),
    };
    let route = ModelRoute { model, fallback: snapshot.fallback, on_fallback: &mut stats.on_fallback };
    let mut prefetch = Prefetch::new(session, &turn.runtime, snapshot.view);
    let answered = match stream_answer(route, snapshot.request, &mut prefetch, &session.cancel).await {
        StreamOutcome::Complete(answered) => answered,
        StreamOutcome::Interrupted(kept) => {
            session.record(kept.into_iter().map(EntryBody::ModelAnswered).collect()).await?;
            return Ok(StepOutcome::Stop(EndReason::Interrupted));
        }
        StreamOutcome::Failed(failure) if failure.kind == FailureKind::ContextOverflow => {
            return Ok(StepOutcome::Compact(CompactReason::Refused(failure)));
        }
        StreamOutcome::Failed(failure) => return Ok(StepOutcome::Stop(EndReason::Provider { failure })),
    };
    stats.count(&answered);
    let (stop, says_nothing) = (answered.stop, says_nothing(&answered.blocks));
    let recorded = session.answered(answered).await?;
    // None of the calls of a declined answer ran, and the model is not asked to go on from them.
    let has_calls = recorded.total > 0 && stop != StopReason::Refusal;
    let calls = recorded.calls.into_iter().map(PendingCall::from).collect();
    let outcome = run_calls(session, &turn.runtime, calls, recorded.view, &prefetch.finish()).await?;
    if session.cancel.is_cancelled() {
        return Ok(StepOutcome::Stop(EndReason::Interrupted));
    }
    if let Some(end) = outcome.end.or_else(|| stuck(outcome.refused)) {
        return Ok(StepOutcome::Stop(end));
    }
    let paused = stop == StopReason::Paused;
    if paused && stats.pause() > MAX_PAUSES {
        return Ok(StepOutcome::Stop(only_pauses()));
    }
    // Prompts that steer are in the next request. They need not be asked for where there is one anyway.
    let goes_on = has_calls || paused || steered(turn, stats).await?;
    match next(stop, goes_on) {
        StepOutcome::Stop(EndReason::Done | EndReason::MaxTokens) if says_nothing => {
            ask_again(turn, stop, stats).await
        }
        outcome => Ok(outcome),
    }
}

/// An answer with nothing in it is no answer. The model is asked once more, and told so: without a word it would often
/// answer the same again.
async fn ask_again(turn: &Turn, stop: StopReason, stats: &mut TurnStats) -> Result<StepOutcome, RecordError> {
    if std::mem::replace(&mut stats.asked_again, true) {
        let cut = stop == StopReason::MaxTokens;
        return Ok(StepOutcome::Stop(if cut { EndReason::MaxTokens } else { EndReason::Empty }));
    }
    let text = match stop {
        StopReason::MaxTokens => include_str!("text/cut_while_thinking.md"),
        _ => include_str!("text/empty_answer.md"),
    };
    let reminder = Reminder { kind: ReminderKind::EmptyAnswer, text: text.trim_end().to_owned() };
    turn.session.record(vec![EntryBody::Reminder(reminder)]).await?;
    Ok(StepOutcome::Continue)
}

/// The same refused call again and again is a model that will not find out by itself.
fn stuck(refused: Option<(String, u32)>) -> Option<EndReason> {
    let (name, count) = refused.filter(|(_, count)| *count >= MAX_REPEATED_REFUSALS)?;
    let message = format!(
        "The model tried the same `{name}` call {count} times although it was denied; tell it how to continue"
    );
    Some(EndReason::Stuck { message })
}

/// A model that asks to be sent on, and never comes to an end.
fn only_pauses() -> EndReason {
    let message = format!(
        "The model paused {MAX_PAUSES} times in this turn and did not finish; send another prompt to let it continue"
    );
    EndReason::Stuck { message }
}

/// Takes prompts that steer into the conversation, where this turn will still answer them. Otherwise they
/// keep waiting, for a turn of their own.
async fn steered(turn: &Turn, stats: &TurnStats) -> Result<bool, RecordError> {
    let used_up = turn.max_turns.is_some_and(|limit| stats.answers >= limit);
    // What the person says is for the main agent.
    if turn.session.cancel.is_cancelled() || used_up || turn.session.agent.is_some() {
        return Ok(false);
    }
    hooks::steer(turn).await
}

fn next(stop: StopReason, more: bool) -> StepOutcome {
    match stop {
        _ if more => StepOutcome::Continue,
        StopReason::EndTurn | StopReason::ToolUse | StopReason::Paused => StepOutcome::Stop(EndReason::Done),
        StopReason::WindowFull => StepOutcome::Compact(CompactReason::Full),
        StopReason::MaxTokens => StepOutcome::Stop(EndReason::MaxTokens),
        StopReason::Refusal => StepOutcome::Stop(EndReason::Refusal),
        StopReason::Interrupted => StepOutcome::Stop(EndReason::Interrupted),
    }
}

/// Whether an answer has no words that can be seen. What it thought nobody was told.
fn says_nothing(blocks: &[AnswerBlock]) -> bool {
    let is_blank = |character: char| character.is_whitespace() || is_invisible(character);
    words_of(blocks).is_none_or(|words| words.chars().all(is_blank))
}

/// All words of an answer; nothing if it has none.
fn words_of(blocks: &[AnswerBlock]) -> Option<String> {
    let words: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            AnswerBlock::Text { text } => Some(text.as_str()),
            AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } | AnswerBlock::ToolUse(_) => None,
        })
        .collect();
    (!words.is_empty()).then(|| words.join("\n"))
}
