//! Subagents in lines: each has a number, so that several at once stay readable.

use std::time::Duration;

use forelook_protocol::{AgentEnded, AgentId, AgentStarted, EndReason};
use forelook_view::SessionView;
use forelook_wording::{counted, truncate};

use crate::style::{Row, TextStyle};
use crate::wire::outgoing;

/// What it is called beside others, such as `Explore #2`.
pub(super) fn label(view: &SessionView, id: &AgentId) -> String {
    match view.agents().get(id) {
        Some(agent) => format!("{} #{}", agent.started.kind, agent.number),
        None => "a subagent".to_owned(),
    }
}

/// One begins.
pub(super) fn started(number: usize, started: &AgentStarted) -> Row {
    Row::new(TextStyle::Bold, format!("{}({}) #{number}", started.kind, started.description))
}

/// One of its calls.
pub(super) fn called(view: &SessionView, id: &AgentId, call: &str, failed: Option<&str>) -> Row {
    match failed {
        Some(why) => Row::led(lead(view, id), TextStyle::Red, format!("{call}: {why}")),
        None => Row::led(lead(view, id), TextStyle::Dim, call),
    }
}

/// Its answer is asked for again.
pub(super) fn retrying(view: &SessionView, id: &AgentId, why: &str) -> Row {
    Row::led(lead(view, id), TextStyle::Yellow, why)
}

pub(super) fn ended(view: &SessionView, id: &AgentId, ended: &AgentEnded) -> Row {
    let (lead, figures) = (lead(view, id), figures(ended));
    match outgoing::explain(&ended.reason) {
        None => Row::led(lead, TextStyle::Green, format!("done: {figures}")),
        Some(why) if ended.reason == EndReason::Interrupted => {
            Row::led(lead, TextStyle::Yellow, format!("{} ({figures})", why.to_lowercase()))
        }
        Some(why) => {
            let why = why.lines().next().unwrap_or_default();
            Row::led(lead, TextStyle::Red, format!("{why} ({figures})"))
        }
    }
}

/// What the agent with this number reported, in a line: the rest is for its parent.
pub(super) fn reported(number: usize, report: &str, width: usize) -> Row {
    let lead = format!("  ⎿ #{number} ");
    let first = report.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let room = width.saturating_sub(lead.chars().count() + 1);
    Row::led(lead, TextStyle::Dim, truncate(first.trim(), room))
}

fn lead(view: &SessionView, id: &AgentId) -> String {
    let number = view.agents().get(id).map_or_else(|| "?".to_owned(), |agent| agent.number.to_string());
    format!("  ⎿ #{number} ")
}

/// What it took. A model that counts no tokens has none to tell of.
fn figures(ended: &AgentEnded) -> String {
    let calls = Some(counted(u64::from(ended.calls), "call", "calls"));
    let tokens = Some(ended.usage.total()).filter(|&tokens| tokens > 0);
    let tokens = tokens.map(|tokens| counted(tokens, "token", "tokens"));
    let took = Some(format!("{:.1} s", Duration::from_millis(ended.took_ms).as_secs_f64()));
    let all: Vec<String> = [calls, tokens, took].into_iter().flatten().collect();
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use forelook_protocol::Usage;

    #[test]
    fn tokens_are_left_out_where_none_were_counted() {
        let usage = Usage { input_tokens: 1_000, ..Usage::default() };
        for (usage, expected) in
            [(Usage::default(), "2 calls, 0.4 s"), (usage, "2 calls, 1,000 tokens, 0.4 s")]
        {
            let ended = AgentEnded { reason: EndReason::Done, usage, calls: 2, took_ms: 400 };
            assert_eq!(figures(&ended), expected);
        }
    }
}
