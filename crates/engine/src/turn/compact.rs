//! Makes a conversation shorter that fills the model's window, or that the person wants to be shorter.
//!
//! Old large results go first: each can be had again. If that is not enough, the model writes a summary. It is asked with
//! the same request as ever and one more message, so that the provider's cache serves it. A conversation that is too long for
//! that, or a model that calls tools in place of writing, gets the conversation as text, shortened until it fits.
//! A summary that fails leaves the conversation as it was.

mod old_results;
mod transcript;

use std::sync::Arc;

use forelook_protocol::{
    CompactTrigger, EndReason, EntryBody, FailureKind, Message, ModelAnswered, ModelUsage, NoticeLevel,
    ProviderFailure, ResultsCleared, UserBlock,
};
use forelook_providers::{PreviousBody, Request, WireCached};

use super::{Turn, TurnStats, hooks, words_of};
use crate::call::attach_again;
use crate::handle::{CompactRequest, RecordError, RequestSnapshot, Summary};
use crate::model::{ModelRoute, NullObserver, StreamOutcome, stream_answer};
use old_results::old_results;
use transcript::transcript;

/// Why the conversation must become shorter.
pub(super) enum CompactReason {
    /// It is to, before it is sent.
    Due(CompactRequest),
    /// The model filled its window while it answered.
    Full,
    /// The provider refused a request that is longer than the window.
    Refused(ProviderFailure),
}

/// What came of it.
enum Compaction {
    /// The conversation is shorter.
    Shorter,
    /// It is as it was, because of this.
    Unchanged(String),
    Interrupted,
}

/// How often the text of a conversation is cut in half before the model is given up.
const MAX_CUTS: u32 = 5;

/// Makes the conversation shorter; how the turn ends, if that cannot be done and it cannot go on without.
pub(super) async fn compact(
    turn: &Turn,
    why: CompactReason,
    stats: &mut TurnStats,
) -> Result<Option<EndReason>, RecordError> {
    let (request, failure) = match why {
        CompactReason::Due(request) => (request, None),
        CompactReason::Full => (overflow(), Some(window_full())),
        CompactReason::Refused(failure) => (overflow(), Some(failure)),
    };
    // It has just become shorter, and that was not enough.
    let again = failure.is_some() && stats.compacted_at.is_some_and(|at| stats.answers <= at + 1);
    let manual = request.trigger == CompactTrigger::Manual;
    let outcome = match again {
        true => Compaction::Unchanged("what must stay in it fills the window".to_owned()),
        false => make_shorter(turn, request, stats).await?,
    };
    let end = match (outcome, failure) {
        (Compaction::Interrupted, _) => Some(EndReason::Interrupted),
        (Compaction::Shorter, _) => {
            stats.compacted_at = Some(stats.answers);
            None
        }
        (Compaction::Unchanged(why), Some(failure)) => {
            let next = failure.hint.clone().unwrap_or_default();
            let failure =
                failure.hint(format!("Forelook could not make the conversation shorter: {why}\n{next}"));
            Some(EndReason::Provider { failure })
        }
        (Compaction::Unchanged(why), None) => {
            // One failed attempt a turn is enough: the next would cost as much and fail as well.
            stats.compaction_failed = true;
            let next = if manual { "try again later" } else { "`/compact` tries again" };
            let text = format!(
                "The conversation was not summarized: {why}\nIt stays as it was; {next}, and `/clear` starts a new one"
            );
            turn.session.notify(NoticeLevel::Warning, text);
            None
        }
    };
    Ok(end)
}

/// Whether a request is to wait until the conversation is shorter. Where only an estimate says so, the provider is asked to
/// count first.
pub(super) async fn due(
    turn: &Turn,
    snapshot: &RequestSnapshot,
    stats: &TurnStats,
) -> Option<CompactRequest> {
    let request = snapshot.compact.clone()?;
    if request.trigger == CompactTrigger::Manual {
        return Some(request);
    }
    let (context, limit) = (snapshot.context, snapshot.context.limit?);
    if stats.compaction_failed || stats.compacted_at.is_some_and(|at| stats.answers <= at) {
        return None;
    }
    if context.counted < limit
        && let Ok(model) = &snapshot.model
    {
        let counting = model.provider.count_tokens(snapshot.request.clone());
        let counted = tokio::select! {
            counted = counting => counted,
            () = turn.session.cancel.cancelled() => return None,
        };
        if matches!(counted, Ok(Some(counted)) if counted < limit) {
            return None;
        }
    }
    Some(request)
}

fn overflow() -> CompactRequest {
    CompactRequest { trigger: CompactTrigger::Overflow, focus: None }
}

fn window_full() -> ProviderFailure {
    ProviderFailure::new(
        FailureKind::ContextOverflow,
        "The conversation has filled the model's context window",
    )
    .hint("Start a new session, or continue this one with a model that has a larger context window")
}

async fn make_shorter(
    turn: &Turn,
    request: CompactRequest,
    stats: &mut TurnStats,
) -> Result<Compaction, RecordError> {
    let focus = request.focus.clone().unwrap_or_default();
    if let Some(why) = hooks::pre_compact(turn, request.trigger, &focus).await? {
        return Ok(Compaction::Unchanged(why));
    }
    let mut snapshot = turn.session.next_request(false).await?;
    if request.trigger != CompactTrigger::Manual {
        let cleared = old_results(&snapshot.request.messages);
        let saved = cleared.saved_tokens;
        if !cleared.results.is_empty() {
            let entry = ResultsCleared { results: cleared.results };
            turn.session.record(vec![EntryBody::ResultsCleared(entry)]).await?;
            let enough = |limit| snapshot.context.tokens.saturating_sub(saved) < limit / 10 * 9;
            if request.trigger == CompactTrigger::Auto && snapshot.context.limit.is_some_and(enough) {
                return Ok(Compaction::Shorter);
            }
            snapshot = turn.session.next_request(false).await?;
        }
    }
    let summary = match summarize(turn, snapshot, request, stats).await {
        Ok(summary) => summary,
        Err(SummaryError::Interrupted) => return Ok(Compaction::Interrupted),
        Err(SummaryError::Failed(why)) => return Ok(Compaction::Unchanged(why)),
    };
    stats.spent += ModelUsage::new(summary.usage, summary.cost);
    let (trigger, text, window) = (summary.request.trigger, summary.text.clone(), summary.window);
    let files = turn.session.compacted(summary).await?;
    attach_again(&turn.session, &turn.runtime, files, window).await?;
    hooks::post_compact(turn, trigger, &text).await?;
    Ok(Compaction::Shorter)
}

/// Why there is no summary.
enum SummaryError {
    Interrupted,
    Failed(String),
}

/// Asks for a summary, first with the conversation as it is, then with as much of its text as the model takes.
async fn summarize(
    turn: &Turn,
    snapshot: RequestSnapshot,
    request: CompactRequest,
    stats: &mut TurnStats,
) -> Result<Summary, SummaryError> {
    let RequestSnapshot { request: asked, model, fallback, context, .. } = snapshot;
    let model = model.map_err(SummaryError::Failed)?;
    let window = model.facts.window;
    let question = question(request.focus.as_deref());
    let messages = Arc::clone(&asked.messages);
    let mut ask = asked.clone();
    Arc::make_mut(&mut ask.messages).push(message(question.clone()));
    let mut room =
        window.map(|window| window.saturating_mul(2)).and_then(|bytes| usize::try_from(bytes).ok());
    for cut in 0..=MAX_CUTS {
        let route = ModelRoute {
            model: model.clone(),
            fallback: fallback.clone(),
            on_fallback: &mut stats.on_fallback,
        };
        // Nobody watches: it is no part of the conversation until it is complete.
        let why = match stream_answer(route, ask, &mut NullObserver, &turn.session.cancel).await {
            StreamOutcome::Interrupted(_) => return Err(SummaryError::Interrupted),
            StreamOutcome::Failed(failure) if failure.kind == FailureKind::ContextOverflow => {
                failure.to_string()
            }
            StreamOutcome::Failed(failure) => return Err(SummaryError::Failed(failure.to_string())),
            StreamOutcome::Complete(answered) => match summary_text(&answered) {
                Some(text) => {
                    let ModelAnswered { model, usage, cost, took_ms, .. } = answered;
                    let tokens = context.tokens;
                    return Ok(Summary { request, text, tokens, model, usage, cost, took_ms, window });
                }
                None => {
                    stats.spent += ModelUsage::new(answered.usage, answered.cost);
                    "the model did not write a summary".to_owned()
                }
            },
        };
        if cut == MAX_CUTS {
            return Err(SummaryError::Failed(why));
        }
        let (text, cut_to) = transcript(&messages, room);
        room = Some(cut_to / 2);
        ask = Request {
            tools: Arc::new(WireCached::new(Vec::new())),
            messages: Arc::new(vec![message(format!("{text}\n\n{question}"))]),
            previous_body: Arc::new(PreviousBody::default()),
            ..asked.clone()
        };
    }
    Err(SummaryError::Failed("the conversation is too long for the model".to_owned()))
}

fn question(focus: Option<&str>) -> String {
    let text = include_str!("text/summarize.md").trim_end();
    match focus {
        Some(focus) => format!("{text}\n\nThe user wants the summary to keep this above all: {focus}"),
        None => text.to_owned(),
    }
}

fn message(text: String) -> Arc<WireCached<Message>> {
    Arc::new(WireCached::new(Message::User(vec![UserBlock::text(text)])))
}

fn summary_text(answered: &ModelAnswered) -> Option<String> {
    let words = words_of(&answered.blocks)?;
    (!super::says_nothing(&answered.blocks)).then(|| words.trim().to_owned())
}
