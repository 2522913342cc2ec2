//! The person's hooks around a turn: when the session begins, when a prompt comes, when the model wants to stop.

use forelook_hooks::{Begin, Happening, HookEvent, Outcome};
use forelook_protocol::{Body, EndReason, HookSays, NoticeLevel, Reminder, ReminderKind};

use crate::handle::NotRecorded;
use crate::judgement::Listener;
use crate::turn::Turn;

/// How often a hook may send the model back to work in one turn. More is a hook that never agrees.
const SENT_BACK: u32 = 5;

/// The most that a hook may add to the conversation at once.
const MAX_CONTEXT: usize = 10_000;

/// Tells hooks that the session began, the first time.
pub(crate) async fn session_begins(turn: &Turn, begin: Begin) -> Result<(), NotRecorded> {
    match heard(turn, Happening::SessionStart { source: begin }).await? {
        Some(outcome) => remind(turn, outcome).await,
        None => Ok(()),
    }
}

/// Tells hooks that a subagent begins; an end if one of them stops it.
pub(crate) async fn agent_begins(turn: &Turn) -> Result<Option<EndReason>, NotRecorded> {
    let Some(outcome) = heard(turn, Happening::SubagentStart).await? else { return Ok(None) };
    match outcome.stop.clone() {
        Some(message) => Ok(Some(EndReason::Hook { message })),
        None => remind(turn, outcome).await.map(|()| None),
    }
}

/// Shows hooks the prompt; an end if one of them stops it.
pub(crate) async fn prompt_comes(turn: &Turn, prompt: &str) -> Result<Option<EndReason>, NotRecorded> {
    let Some(outcome) = heard(turn, Happening::UserPromptSubmit { prompt }).await? else { return Ok(None) };
    let stopped = outcome.stop.clone().or_else(|| match &outcome.says {
        Some(HookSays::Deny(why)) => Some(why.clone()),
        _ => None,
    });
    match stopped {
        Some(message) => Ok(Some(EndReason::Hook { message })),
        None => remind(turn, outcome).await.map(|()| None),
    }
}

/// Asks hooks whether the model may stop; tells it to go on if one of them says no.
pub(crate) async fn wants_to_stop(turn: &Turn, sent_back: &mut u32) -> Result<bool, NotRecorded> {
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
    if !turn.hands.hooks.listen_to(event(&happening)) {
        return Ok(None);
    }
    let view = turn.session.view().await?;
    let listener = Listener { hooks: &turn.hands.hooks, view: &view, cancel: &turn.session.cancel };
    let outcome = listener.hear(happening).await;
    tell(turn, &outcome);
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

fn tell(turn: &Turn, outcome: &Outcome) {
    for text in &outcome.messages {
        turn.session.tell(NoticeLevel::Info, text.clone());
    }
    for text in &outcome.problems {
        turn.session.tell(NoticeLevel::Warning, text.clone());
    }
}

async fn remind(turn: &Turn, outcome: Outcome) -> Result<(), NotRecorded> {
    record(turn, outcome.context).await
}

async fn record(turn: &Turn, texts: Vec<String>) -> Result<(), NotRecorded> {
    turn.session.record(texts.into_iter().map(reminder).collect()).await
}

/// What a hook adds to the conversation.
pub(crate) fn reminder(mut text: String) -> Body {
    if text.len() > MAX_CONTEXT {
        text.truncate(text.floor_char_boundary(MAX_CONTEXT));
        text.push_str("\n[the rest was left out]");
    }
    Body::Reminder(Reminder { kind: ReminderKind::Hook, text })
}
