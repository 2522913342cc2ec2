//! The person's hooks around a turn: when the session begins, when a prompt comes, when the model wants to stop.

use forelook_hooks::{HookEvent, HookOutcome, HookPayload, SessionSource};
use forelook_protocol::{CompactTrigger, EndReason, EntryBody, HookDecision, NoticeLevel, PromptBlocked};

use super::Turn;
use crate::call::HookRunner;
use crate::call::hooks::{publish_messages, reminder};
use crate::handle::RecordError;

/// How often a hook may send the model back to work in one turn. More is a hook that never agrees.
const MAX_SENT_BACK: u32 = 5;

/// Tells hooks that the session began, the first time.
pub(super) async fn session_start(turn: &Turn, begin: SessionSource) -> Result<(), RecordError> {
    match run_hooks(turn, HookPayload::SessionStart { source: begin }).await? {
        Some(outcome) => remind(turn, outcome).await,
        None => Ok(()),
    }
}

/// Tells hooks that a subagent begins; an end if one of them stops it.
pub(super) async fn subagent_start(turn: &Turn) -> Result<Option<EndReason>, RecordError> {
    let Some(outcome) = run_hooks(turn, HookPayload::SubagentStart).await? else { return Ok(None) };
    match outcome.stop.clone() {
        Some(message) => Ok(Some(EndReason::Hook { message })),
        None => remind(turn, outcome).await.map(|()| None),
    }
}

/// Shows hooks the prompt; an end if one of them stops it.
pub(super) async fn prompt_submit(turn: &Turn, prompt: &str) -> Result<Option<EndReason>, RecordError> {
    let Some(outcome) = run_hooks(turn, HookPayload::UserPromptSubmit { prompt }).await? else {
        return Ok(None);
    };
    let stopped = outcome.stop.clone().or_else(|| match &outcome.decision {
        Some(HookDecision::Deny(why)) => Some(why.clone()),
        _ => None,
    });
    let Some(message) = stopped else { return remind(turn, outcome).await.map(|()| None) };
    // It stands in the conversation already; the model must not read it with the next one.
    let blocked = EntryBody::PromptBlocked(PromptBlocked { reason: message.clone() });
    turn.session.record(vec![blocked]).await?;
    Ok(Some(EndReason::Hook { message }))
}

/// Takes prompts that steer one by one: each is shown to hooks before the model reads it, and what it names stands right
/// behind it. Tells whether one was let through.
pub(super) async fn steer(turn: &Turn) -> Result<bool, RecordError> {
    let taken = take_one_by_one(turn).await?;
    taken.iter().flatten().for_each(|end| tell_blocked(turn, end));
    Ok(taken.iter().any(Option::is_none))
}

/// Takes the prompts that this turn begins with, the newest last; an end if a hook stops that one, or if it was taken back.
pub(super) async fn take_waiting(turn: &Turn) -> Result<Option<EndReason>, RecordError> {
    let mut taken = take_one_by_one(turn).await?;
    let newest = taken.pop().unwrap_or(Some(EndReason::Interrupted));
    taken.iter().flatten().for_each(|end| tell_blocked(turn, end));
    Ok(newest)
}

/// Takes prompts that steer; of each, the end that a hook wants.
async fn take_one_by_one(turn: &Turn) -> Result<Vec<Option<EndReason>>, RecordError> {
    let mut ends = Vec::new();
    loop {
        let Some(prompt) = turn.session.take_steering().await? else { return Ok(ends) };
        ends.push(super::take_prompt(turn, &prompt).await?);
    }
}

fn tell_blocked(turn: &Turn, end: &EndReason) {
    if let EndReason::Hook { message } = end {
        let text = format!("A hook blocked your prompt: {message}");
        turn.session.notify(NoticeLevel::Warning, text);
    }
}

/// Tells hooks that the conversation is about to be replaced by a summary; why not, if one of them says no.
pub(super) async fn pre_compact(
    turn: &Turn,
    trigger: CompactTrigger,
    focus: &str,
) -> Result<Option<String>, RecordError> {
    let payload = HookPayload::PreCompact { trigger, custom_instructions: focus };
    let Some(outcome) = run_hooks(turn, payload).await? else { return Ok(None) };
    let denied = match outcome.decision {
        Some(HookDecision::Deny(why)) => Some(why),
        _ => None,
    };
    Ok(outcome.stop.or(denied).map(|why| format!("a hook prevented it: {why}")))
}

/// Tells hooks that the conversation was replaced by a summary. What they add comes behind it.
pub(super) async fn post_compact(
    turn: &Turn,
    trigger: CompactTrigger,
    summary: &str,
) -> Result<(), RecordError> {
    match run_hooks(turn, HookPayload::PostCompact { trigger, compact_summary: summary }).await? {
        Some(outcome) => remind(turn, outcome).await,
        None => Ok(()),
    }
}

/// Asks hooks whether the model may stop; tells it to go on if one of them says no.
pub(super) async fn may_stop(turn: &Turn, sent_back: &mut u32) -> Result<bool, RecordError> {
    if *sent_back >= MAX_SENT_BACK {
        return Ok(true);
    }
    let stop_hook_active = *sent_back > 0;
    let payload = match turn.session.agent {
        Some(_) => HookPayload::SubagentStop { stop_hook_active },
        None => HookPayload::Stop { stop_hook_active },
    };
    let Some(outcome) = run_hooks(turn, payload).await? else { return Ok(true) };
    if outcome.stop.is_some() {
        return Ok(true);
    }
    let Some(HookDecision::Deny(why)) = outcome.decision else { return Ok(true) };
    *sent_back += 1;
    record(turn, vec![format!("A user hook says that the work is not done: {why}")]).await?;
    Ok(false)
}

/// What hooks said, if any listen.
async fn run_hooks(turn: &Turn, payload: HookPayload<'_>) -> Result<Option<HookOutcome>, RecordError> {
    let hooks = turn.runtime.hooks.get();
    if !hooks.has_hook_for(event(&payload)) {
        return Ok(None);
    }
    let view = turn.session.view().await?;
    let runner = HookRunner { hooks: &hooks, view: &view, cancel: &turn.session.cancel };
    let outcome = runner.run(payload).await;
    publish_messages(&turn.session, &outcome);
    Ok(Some(outcome))
}

fn event(payload: &HookPayload<'_>) -> HookEvent {
    match payload {
        HookPayload::SessionStart { .. } => HookEvent::SessionStart,
        HookPayload::UserPromptSubmit { .. } => HookEvent::UserPromptSubmit,
        HookPayload::SubagentStart => HookEvent::SubagentStart,
        HookPayload::SubagentStop { .. } => HookEvent::SubagentStop,
        HookPayload::PreCompact { .. } => HookEvent::PreCompact,
        HookPayload::PostCompact { .. } => HookEvent::PostCompact,
        _ => HookEvent::Stop,
    }
}

async fn remind(turn: &Turn, outcome: HookOutcome) -> Result<(), RecordError> {
    record(turn, outcome.context).await
}

async fn record(turn: &Turn, texts: Vec<String>) -> Result<(), RecordError> {
    turn.session.record(texts.into_iter().map(reminder).collect()).await
}
