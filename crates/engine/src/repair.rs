//! What a killed session left unfinished, and how it is made whole when it is loaded.
//!
//! A call that waited for a person is asked again where a person is there. Any other unfinished call gets a
//! result that says it was interrupted, so that the conversation is one that a provider accepts.

use forelook_protocol::{
    Answer, Body, EndReason, Finished, Replied, ToolCall, ToolResult, TurnEnded, Usage, Verdict,
};

use crate::config::Answerer;
use crate::state::State;

/// What to write before anything else, and what is left to do.
#[derive(Debug)]
pub(crate) struct Repair {
    /// Entries that close what was open.
    pub(crate) bodies: Vec<Body>,
    /// Calls to decide anew: they waited for a person when the program ended.
    pub(crate) again: Vec<ToolCall>,
}

/// Looks at a state as it was loaded.
pub(crate) fn repair(state: &State, answerer: Answerer) -> Repair {
    let mut bodies: Vec<Body> = state
        .open
        .iter()
        .map(|question| Body::Reply(Replied { question: question.id, answer: Answer::Interrupted }))
        .collect();
    let mut again = Vec::new();
    for (call, started) in state.conversation.unfinished() {
        let waited = state.open.iter().any(|question| question.call == call.id);
        if waited && !started && answerer == Answerer::Person {
            again.push(call.clone());
        } else {
            bodies.push(Body::Finished(interrupted(call, started)));
        }
    }
    if state.turn_open && again.is_empty() {
        bodies.push(ended(EndReason::Interrupted));
    }
    Repair { bodies, again }
}

/// What closes everything that a turn of this process left open when it broke off, its own end excepted.
pub(crate) fn loose_ends(state: &State) -> Vec<Body> {
    let mut bodies = repair(state, Answerer::Nobody).bodies;
    bodies.retain(|body| !matches!(body, Body::TurnEnd(_)));
    bodies
}

/// The end of a turn that could not write its own.
pub(crate) fn ended(reason: EndReason) -> Body {
    let usage = Usage::default();
    Body::TurnEnd(TurnEnded { reason, answers: 0, usage, took_ms: 0, model_ms: 0 })
}

/// The result of a call that was cut short.
pub(crate) fn interrupted(call: &ToolCall, started: bool) -> Finished {
    let text = if started {
        "Interrupted. The call had begun and may have run in part or in full; look before you repeat it."
    } else {
        "Interrupted before it ran. Nothing was done."
    };
    Finished {
        result: ToolResult::error(call.id.clone(), text),
        verdict: Verdict::Interrupted,
        effects: Vec::new(),
    }
}
