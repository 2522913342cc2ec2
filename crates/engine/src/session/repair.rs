//! What a killed session left unfinished, and how it is made whole when it is loaded.
//!
//! A call that waited for a person is asked again where a person is there. Any other unfinished call gets a
//! result that says it was interrupted, so that the conversation is one that a provider accepts.

use forelook_protocol::{
    AgentEnded, AgentId, Body, Cost, EndReason, HostAnswer, HostAsk, HostRequest, Replied, ShellEnded,
    ShellStarted, ToolCall, TurnEnded, TurnId, Usage,
};

use super::state::State;
use crate::call::interrupted;
use crate::config::{Answerer, Config};

/// What to write before anything else, and what is left to do.
#[derive(Debug, Default)]
pub(super) struct Repair {
    /// Subagents that will not go on: only their parent's call is known to the conversation.
    pub(super) ended: Vec<AgentId>,
    /// Entries that close what was open.
    pub(super) bodies: Vec<Body>,
    /// Calls to decide anew: they waited for a person when the program ended.
    pub(super) again: Vec<ToolCall>,
}

/// Looks at a state as it was loaded.
pub(super) fn repair(state: &State, config: &Config) -> Repair {
    let mut repair = whole(state, |ask| match ask {
        HostAsk::Review(_) => config.reviewer != Answerer::Nobody,
        HostAsk::EnterPlan { .. } => config.reviewer.waits(),
        HostAsk::Permission { .. } | HostAsk::Choose { .. } => config.answerer.waits(),
        // What ran has ended with the program; and what a program was asked is never written down.
        _ => false,
    });
    repair.bodies.extend(state.lines.running.iter().map(cut_short));
    repair
}

/// A line of the person's own that ran when the program ended.
fn cut_short(line: &ShellStarted) -> Body {
    Body::ShellEnded(ShellEnded {
        call: line.call.clone(),
        command: line.command.clone(),
        output: String::new(),
        failed: Some("interrupted; it may have run in part or in full".to_owned()),
        folder: None,
    })
}

fn whole(state: &State, answers: impl Fn(&HostAsk) -> bool) -> Repair {
    let mut bodies: Vec<Body> = state
        .open
        .iter()
        .map(|question| Body::Reply(Replied::by_session(question.id, HostAnswer::Interrupted)))
        .collect();
    let mut again = Vec::new();
    for (call, started) in state.main.conversation.unfinished() {
        let of_call = |it: &HostRequest| it.agent.is_none() && it.call.as_ref() == Some(&call.id);
        let waited = state.open.iter().any(|it| of_call(it) && answers(&it.ask));
        // The answer to a review stands in the journal: what it came to can still be said.
        let reviewed = state.reviewed.contains_key(&call.id);
        if (waited || reviewed) && !started {
            again.push(call.clone());
        } else {
            bodies.push(Body::Finished(interrupted(call, started)));
        }
    }
    if let Some(turn) = state.turn.filter(|_| again.is_empty()) {
        bodies.push(ended(turn, EndReason::Interrupted));
    }
    Repair { ended: state.agents.keys().cloned().collect(), bodies, again }
}

/// What closes everything that a turn of this process left open when it broke off, its own end excepted.
pub(super) fn loose_ends(state: &State) -> Vec<Body> {
    // What runs from before planning is asked about beside all turns.
    let beside = |id| state.open.iter().any(|it| it.id == id && matches!(it.ask, HostAsk::Running { .. }));
    let mut bodies = nothing_again(state);
    bodies.retain(|body| match body {
        Body::TurnEnd(_) => false,
        Body::Reply(replied) => !beside(replied.question),
        _ => true,
    });
    bodies
}

fn nothing_again(state: &State) -> Vec<Body> {
    let Repair { mut bodies, again, .. } = whole(state, |_| false);
    bodies.extend(again.iter().map(|call| Body::Finished(interrupted(call, false))));
    bodies
}

/// The end of a subagent that was not there to see its own.
pub(super) fn never_ended() -> AgentEnded {
    AgentEnded { reason: EndReason::Interrupted, usage: Usage::default(), calls: 0, took_ms: 0 }
}

/// The end of a turn that could not write its own.
pub(super) fn ended(turn: TurnId, reason: EndReason) -> Body {
    let usage = Usage::default();
    Body::TurnEnd(TurnEnded {
        turn,
        reason,
        answers: 0,
        usage,
        cost: Cost::default(),
        took_ms: 0,
        model_ms: 0,
    })
}
