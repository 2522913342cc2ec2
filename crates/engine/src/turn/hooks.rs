//! The person's hooks around a turn: when the session begins, when a prompt comes, when the model wants to stop.

use forelook_hooks::{Begin, Happening, HookEvent, Outcome};
use forelook_protocol::{Body, EndReason, HookSays, NoticeLevel, PromptBlocked};

use super::Turn;
use crate::call::HookScene;
use crate::call::hooks::{reminder, tell};
use crate::handle::NotRecorded;

/// How often a hook may send the model back to work in one turn. More is a hook that never agrees.
const SENT_BACK: u32 = 5;

/// Tells hooks that the session began, the first time.
pub(super) async fn session_begins(turn: &Turn, begin: Begin) -> Result<(), NotRecorded> {
    match heard(turn, Happening::SessionStart { source: begin }).await? {
        Some(outcome) => remind(turn, outcome).await,
        None => Ok(()),
    }
}

/// Tells hooks that a subagent begins; an end if one of them stops it.
pub(super) async fn agent_begins(turn: &Turn) -> Result<Option<EndReason>, NotRecorded> {
    let Some(outcome) = heard(turn, Happening::SubagentStart).await? else { return Ok(None) };
    match outcome.stop.clone() {
        Some(message) => Ok(Some(EndReason::Hook { message })),
        None => remind(turn, outcome).await.map(|()| None),
    }
}

/// Shows hooks the prompt; an end if one of them stops it.
pub(super) async fn prompt_comes(turn: &Turn, prompt: &str) -> Result<Option<EndReason>, NotRecorded> {
    let Some(outcome) = heard(turn, Happening::UserPromptSubmit { prompt }).await? else { return Ok(None) };
    let stopped = outcome.stop.clone().or_else(|| match &outcome.says {
        Some(HookSays::Deny(why)) => Some(why.clone()),
        _ => None,
    });
    let Some(message) = stopped else { return remind(turn, outcome).await.map(|()| None) };
    // It stands in the conversation already; the model must not read it with the next one.
    let blocked = Body::PromptBlocked(PromptBlocked { reason: message.clone() });
    turn.session.record(vec![blocked]).await?;
    Ok(Some(EndReason::Hook { message }))
}

/// Takes prompts that steer one by one, and shows each to hooks before the model reads it. Tells whether one was let
/// through.
pub(super) async fn steer(turn: &Turn) -> Result<bool, NotRecorded> {
    let mut steered = false;
    loop {
        let taken = turn.session.take_steering(1).await?;
        let Some(words) = taken.first() else { return Ok(steered) };
        match prompt_comes(turn, words).await? {
            None => steered = true,
            Some(EndReason::Hook { message }) => {
                let text = format!("A hook kept your prompt from the model: {message}");
                turn.session.tell(NoticeLevel::Warning, text);
            }
            Some(_) => {}
        }
    }
}

/// Asks hooks whether the model may stop; tells it to go on if one of them says no.
pub(super) async fn wants_to_stop(turn: &Turn, sent_back: &mut u32) -> Result<bool, NotRecorded> {
    if *sent_back >= SENT_BACK {
        return Ok(true);
    }
    let stop_hook_active = *sent_back > 0;
    let happening = match turn.session.agent {
        Some(_) => Happening::SubagentStop { stop_hook_active },
        None => Happening::Stop { stop_hook_active },
    };
    let Some(outcome) = heard(turn, happening).await? else { return Ok(true) };
    if outcome.stop.is_some() {
        return Ok(true);
    }
    let Some(HookSays::Deny(why)) = outcome.says else { return Ok(true) };
    *sent_back += 1;
    record(turn, vec![format!("A hook of the person's says that the work is not done: {why}")]).await?;
    Ok(false)
}

/// What hooks said, if any listen.
async fn heard(turn: &Turn, happening: Happening<'_>) -> Result<Option<Outcome>, NotRecorded> {
    let hooks = turn.runtime.hooks.get();
    if !hooks.listen_to(event(&happening)) {
        return Ok(None);
    }
    let view = turn.session.view().await?;
    let scene = HookScene { hooks: &hooks, view: &view, cancel: &turn.session.cancel };
    let outcome = scene.run(happening).await;
    tell(&turn.session, &outcome);
    Ok(Some(outcome))
}

fn event(happening: &Happening<'_>) -> HookEvent {
    match happening {
        Happening::SessionStart { .. } => HookEvent::SessionStart,
        Happening::UserPromptSubmit { .. } => HookEvent::UserPromptSubmit,
        Happening::SubagentStart => HookEvent::SubagentStart,
        Happening::SubagentStop { .. } => HookEvent::SubagentStop,
        _ => HookEvent::Stop,
    }
}

async fn remind(turn: &Turn, outcome: Outcome) -> Result<(), NotRecorded> {
    record(turn, outcome.context).await
}

async fn record(turn: &Turn, texts: Vec<String>) -> Result<(), NotRecorded> {
    turn.session.record(texts.into_iter().map(reminder).collect()).await
}
