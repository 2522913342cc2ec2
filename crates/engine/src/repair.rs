//! What a killed session left unfinished, and how it is made whole when it is loaded.
//!
//! A call that waited for a person is asked again where a person is there. Any other unfinished call gets a
//! result that says it was interrupted, so that the conversation is one that a provider accepts.

use forelook_protocol::{
    AgentEnded, AgentId, Answer, Ask, Body, Cost, EndReason, Finished, Replied, ShellEnded, ShellStarted,
    ToolCall, ToolResult, TurnEnded, Usage, Verdict,
};

use crate::config::{Answerer, Config};
use crate::state::State;

/// What to write before anything else, and what is left to do.
#[derive(Debug, Default)]
pub(crate) struct Repair {
    /// Subagents that will not go on: only their parent's call is known to the conversation.
    pub(crate) ended: Vec<AgentId>,
    /// Entries that close what was open.
    pub(crate) bodies: Vec<Body>,
    /// Calls to decide anew: they waited for a person when the program ended.
    pub(crate) again: Vec<ToolCall>,
}

/// Looks at a state as it was loaded.
pub(crate) fn repair(state: &State, config: &Config) -> Repair {
    let mut repair = whole(state, |ask| match ask {
        Ask::Review(_) => config.reviewer != Answerer::Nobody,
        Ask::EnterPlan { .. } => config.reviewer.waits(),
        Ask::Permission { .. } | Ask::Choose { .. } => config.answerer.waits(),
        // What ran has ended with the program.
        Ask::Running { .. } => false,
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

fn whole(state: &State, answers: impl Fn(&Ask) -> bool) -> Repair {
    let mut bodies: Vec<Body> = state
        .open
        .iter()
        .map(|question| Body::Reply(Replied { question: question.id, answer: Answer::Interrupted }))
        .collect();
    let mut again = Vec::new();
    for (call, started) in state.main.conversation.unfinished() {
        let waited = state.open.iter().any(|it| it.agent.is_none() && it.call == call.id && answers(&it.ask));
        // The answer to a review stands in the journal: what it came to can still be said.
        let reviewed = state.reviewed.contains_key(&call.id);
        if (waited || reviewed) && !started {
            again.push(call.clone());
        } else {
            bodies.push(Body::Finished(interrupted(call, started)));
        }
    }
    if state.turn_open && again.is_empty() {
        bodies.push(ended(EndReason::Interrupted));
    }
    Repair { ended: state.agents.keys().cloned().collect(), bodies, again }
}

/// What closes everything that a turn of this process left open when it broke off, its own end excepted.
pub(crate) fn loose_ends(state: &State) -> Vec<Body> {
    // What runs from before planning is asked about beside all turns.
    let beside = |id| state.open.iter().any(|it| it.id == id && matches!(it.ask, Ask::Running { .. }));
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
pub(crate) fn never_ended() -> AgentEnded {
    AgentEnded { reason: EndReason::Interrupted, usage: Usage::default(), calls: 0, took_ms: 0 }
}

/// The end of a turn that could not write its own.
pub(crate) fn ended(reason: EndReason) -> Body {
    let usage = Usage::default();
    Body::TurnEnd(TurnEnded { reason, answers: 0, usage, cost: Cost::default(), took_ms: 0, model_ms: 0 })
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
        output: None,
    }
}
