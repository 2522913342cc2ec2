//! Subagents: each has a number, so that several at once stay readable. The numbers follow the order in which the main
//! agent called for them, not that in which they happened to begin.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use forelook_protocol::{AgentEnded, AgentId, AgentStarted, CallId, EndReason};

use crate::ink::{Ink, Row};
use crate::wire::agents::tokens;
use crate::wire::outgoing;
use forelook_wording::{counted, cut};

/// The subagents that were started.
#[derive(Default)]
pub(super) struct Agents {
    known: HashMap<AgentId, (usize, String)>,
    /// Calls whose agent has not begun, with its number.
    called_for: HashMap<CallId, usize>,
    /// Calls whose agent has begun.
    begun: HashMap<CallId, usize>,
    count: usize,
    /// Agents that have begun before one with a lower number did.
    early: BTreeMap<usize, Row>,
}

impl Agents {
    /// The main agent calls for one.
    pub(super) fn called_for(&mut self, call: &CallId) {
        let number = self.next();
        self.called_for.insert(call.clone(), number);
    }

    fn next(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    /// One begins. Returns what can be told now: those who were called for together are told of in that order.
    pub(super) fn started(&mut self, id: &AgentId, started: &AgentStarted) -> Vec<Row> {
        let number = self.called_for.remove(&started.call).unwrap_or_else(|| self.next());
        self.begun.insert(started.call.clone(), number);
        self.known.insert(id.clone(), (number, started.kind.clone()));
        let row = Row::new(Ink::Bold, format!("{}({}) #{number}", started.kind, started.description));
        self.early.insert(number, row);
        let next = self.called_for.values().min().copied().unwrap_or(usize::MAX);
        let later = self.early.split_off(&next);
        std::mem::replace(&mut self.early, later).into_values().collect()
    }

    /// Those who need not wait any longer to be told of, because something else is to be told.
    pub(super) fn early(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.early).into_values().collect()
    }

    /// The agent of this call will not begin any more, if it has not.
    pub(super) fn over(&mut self, call: &CallId) {
        self.called_for.remove(call);
    }

    /// What it is called beside others, such as `Explore #2`.
    pub(super) fn label(&self, id: &AgentId) -> String {
        match self.known.get(id) {
            Some((number, kind)) => format!("{kind} #{number}"),
            None => "a subagent".to_owned(),
        }
    }

    /// One of its calls.
    pub(super) fn called(&self, id: &AgentId, call: &str, failed: Option<&str>) -> Row {
        let lead = format!("  ⎿ {} ", self.number(id));
        match failed {
            Some(why) => Row::led(lead, Ink::Red, format!("{call}: {why}")),
            None => Row::led(lead, Ink::Dim, call),
        }
    }

    /// Its answer is asked for again.
    pub(super) fn again(&self, id: &AgentId, why: &str) -> Row {
        Row::led(format!("  ⎿ {} ", self.number(id)), Ink::Yellow, why)
    }

    pub(super) fn ended(&self, id: &AgentId, ended: &AgentEnded) -> Row {
        let figures = figures(ended);
        let lead = format!("  ⎿ {} ", self.number(id));
        match outgoing::explain(&ended.reason) {
            None => Row::led(lead, Ink::Green, format!("done: {figures}")),
            Some(why) if ended.reason == EndReason::Interrupted => {
                Row::led(lead, Ink::Yellow, format!("{} ({figures})", why.to_lowercase()))
            }
            Some(why) => {
                let why = why.lines().next().unwrap_or_default();
                Row::led(lead, Ink::Red, format!("{why} ({figures})"))
            }
        }
    }

    /// What the agent of this call reported, in a line: the rest is for its parent. Nothing if it never began.
    pub(super) fn reported(&mut self, call: &CallId, report: &str, width: usize) -> Option<Row> {
        let lead = format!("  ⎿ #{} ", self.begun.remove(call)?);
        let first = report.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let room = width.saturating_sub(lead.chars().count() + 1);
        Some(Row::led(lead, Ink::Dim, cut(first.trim(), room)))
    }

    fn number(&self, id: &AgentId) -> String {
        self.known.get(id).map_or_else(|| "#?".to_owned(), |(number, _)| format!("#{number}"))
    }
}

/// What it took. A model that counts no tokens has none to tell of.
fn figures(ended: &AgentEnded) -> String {
    let calls = Some(counted(u64::from(ended.calls), "call", "calls"));
    let tokens = Some(tokens(ended.usage)).filter(|&tokens| tokens > 0);
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
