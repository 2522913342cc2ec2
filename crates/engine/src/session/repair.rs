//! What a killed session left unfinished, and how it is made whole when it is loaded.
//!
//! A call that waited for a person is asked again where a person is there. Any other unfinished call gets a
//! result that says it was interrupted, so that the conversation is one that a provider accepts.

use forelook_protocol::{
    AgentEnded, AgentId, Cost, EndReason, EntryBody, HostAnswer, HostAsk, HostRequest, QuestionClosed,
    ToolCall, TurnEnded, TurnId, Usage, UserShellEnded, UserShellStarted,
};

use super::reviewing::is_own_review;
use super::shell_exits::lost_shells;
use super::state::SessionState;
use crate::call::interrupted;
use crate::config::{Config, Responder};

/// What to write before anything else, and what is left to do.
#[derive(Debug, Default)]
pub(super) struct Repair {
    /// Subagents that will not go on: only their parent's call is known to the conversation.
    pub(super) ended: Vec<AgentId>,
    /// Entries that close what was open.
    pub(super) bodies: Vec<EntryBody>,
    /// Calls to decide anew: they waited for a person when the program ended.
    pub(super) retry: Vec<ToolCall>,
}

/// Looks at a state as it was loaded.
pub(super) fn repair(state: &SessionState, config: &Config) -> Repair {
    let mut repair = repair_with(state, |ask| match ask {
        HostAsk::Review(_) => config.reviewer != Responder::Nobody,
        HostAsk::EnterPlan { .. } => config.reviewer.waits(),
        HostAsk::Permission { .. } | HostAsk::Choose { .. } => config.responder.waits(),
        // What ran has ended with the program; and what a program was asked is never written down.
        _ => false,
    });
    repair.bodies.extend(state.user_shell.running.iter().map(interrupted_shell));
    repair.bodies.extend(lost_shells(state, config.start));
    repair
}

/// A line of the person's own that ran when the program ended.
fn interrupted_shell(line: &UserShellStarted) -> EntryBody {
    EntryBody::UserShellEnded(UserShellEnded {
        call: line.call.clone(),
        command: line.command.clone(),
        output: String::new(),
        failed: Some("interrupted; it may have run partly or completely".to_owned()),
        folder: None,
    })
}

fn repair_with(state: &SessionState, answers: impl Fn(&HostAsk) -> bool) -> Repair {
    let mut bodies: Vec<EntryBody> = state
        .open
        .iter()
        .map(|question| {
            EntryBody::QuestionClosed(QuestionClosed::by_session(question.id, HostAnswer::Interrupted))
        })
        .collect();
    let mut retry = Vec::new();
    for (call, started) in state.main.conversation.unfinished() {
        let of_call = |it: &HostRequest| it.agent.is_none() && it.call.as_ref() == Some(&call.id);
        let waited = state.open.iter().any(|it| of_call(it) && answers(&it.ask));
        // The answer to a review stands in the journal: what it came to can still be said.
        let reviewed = state.reviewed.contains_key(&call.id);
        if (waited || reviewed) && !started {
            retry.push(call.clone());
        } else {
            bodies.push(EntryBody::ToolFinished(interrupted(call, started)));
        }
    }
    if let Some(turn) = state.turn.filter(|_| retry.is_empty()) {
        bodies.push(turn_end_entry(turn, EndReason::Interrupted));
    }
    Repair { ended: state.agents.keys().cloned().collect(), bodies, retry }
}

/// What closes everything that a turn of this process left open when it broke off, its own end excepted.
pub(super) fn closing_entries(state: &SessionState) -> Vec<EntryBody> {
    // What runs from before planning is asked about beside all turns.
    // So is a review that the person opened.
    let is_beside = |it: &HostRequest| matches!(it.ask, HostAsk::Running { .. }) || is_own_review(it);
    let beside = |id| state.open.iter().any(|it| it.id == id && is_beside(it));
    let mut bodies = close_all(state);
    bodies.retain(|body| match body {
        EntryBody::TurnEnded(_) => false,
        EntryBody::QuestionClosed(replied) => !beside(replied.question),
        _ => true,
    });
    bodies
}

fn close_all(state: &SessionState) -> Vec<EntryBody> {
    let Repair { mut bodies, retry, .. } = repair_with(state, |_| false);
    bodies.extend(retry.iter().map(|call| EntryBody::ToolFinished(interrupted(call, false))));
    bodies
}

/// The end of a subagent that was not there to see its own.
pub(super) fn interrupted_agent() -> AgentEnded {
    AgentEnded { reason: EndReason::Interrupted, usage: Usage::default(), calls: 0, took_ms: 0 }
}

/// The end of a turn that could not write its own.
pub(super) fn turn_end_entry(turn: TurnId, reason: EndReason) -> EntryBody {
    let usage = Usage::default();
    EntryBody::TurnEnded(TurnEnded {
        turn,
        reason,
        answers: 0,
        usage,
        cost: Cost::default(),
        took_ms: 0,
        model_ms: 0,
    })
}
