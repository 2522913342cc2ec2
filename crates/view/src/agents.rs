//! Subagents. Each has a number, so that several at once stay readable. The numbers follow the order in which the main
//! agent called them, not the order in which they happened to start.

use std::collections::{BTreeMap, HashMap};

use forelook_protocol::{AgentId, AgentStarted, AnswerBlock, CallId, ModelAnswered, Usage};
use forelook_wording::call_summary;
use jiff::Timestamp;

use crate::ViewItem;

/// The subagents that have started.
#[derive(Debug, Default)]
pub struct SubagentViews {
    all: Vec<SubagentView>,
    /// Calls whose subagent has not started yet, with its number.
    called_for: HashMap<CallId, usize>,
    count: usize,
    /// Subagents that started before one with a lower number did. They are not shown yet.
    held_back: BTreeMap<usize, ViewItem>,
}

/// A subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubagentView {
    /// Its ID.
    pub id: AgentId,
    /// Its number, starting at 1.
    pub number: usize,
    /// What it is, and the call that started it.
    pub started: AgentStarted,
    /// When it started, in milliseconds on the front end's clock.
    pub since: u64,
    /// The tokens it has used so far.
    pub usage: Usage,
    /// The number of calls it has made so far.
    pub calls: u32,
    /// How long it ran until its last response.
    pub took_ms: u64,
    /// Its latest call.
    pub newest: Option<NewestCall>,
    /// Whether it is running.
    pub at_work: bool,
    began: Timestamp,
    /// Whether the result of the call that started it has arrived.
    reported: bool,
}

/// A subagent's latest call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewestCall {
    /// The tool's name.
    pub tool: String,
    /// What it does, in one line.
    pub about: String,
}

impl SubagentView {
    fn answered(&mut self, answered: &ModelAnswered, time: Timestamp) {
        self.usage += answered.usage;
        self.took_ms = u64::try_from(time.duration_since(self.began).as_millis()).unwrap_or(0);
        for block in &answered.blocks {
            if let AnswerBlock::ToolUse(call) = block {
                self.calls = self.calls.saturating_add(1);
                self.newest = Some(NewestCall { tool: call.name.clone(), about: call_summary(&call.input) });
            }
        }
    }
}

impl SubagentViews {
    /// The running subagents, in the order in which they started.
    pub fn at_work(&self) -> impl Iterator<Item = &SubagentView> {
        self.all.iter().filter(|agent| agent.at_work)
    }

    /// A subagent that has started; it may have ended since.
    pub fn get(&self, id: &AgentId) -> Option<&SubagentView> {
        self.all.iter().rev().find(|agent| agent.id == *id)
    }

    /// The main agent called a subagent.
    pub(crate) fn called_for(&mut self, call: &CallId) {
        let number = self.next();
        self.called_for.insert(call.clone(), number);
    }

    fn next(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    /// A subagent started. Subagents that were called together are shown in that order.
    pub(crate) fn started(
        &mut self,
        id: &AgentId,
        started: &AgentStarted,
        (now, time): (u64, Timestamp),
        items: &mut Vec<ViewItem>,
    ) {
        let number = self.called_for.remove(&started.call).unwrap_or_else(|| self.next());
        self.all.push(SubagentView {
            id: id.clone(),
            number,
            started: started.clone(),
            since: now,
            usage: Usage::default(),
            calls: 0,
            took_ms: 0,
            newest: None,
            at_work: true,
            began: time,
            reported: false,
        });
        self.held_back
            .insert(number, ViewItem::AgentStarted { id: id.clone(), number, started: started.clone() });
        let next = self.called_for.values().min().copied().unwrap_or(usize::MAX);
        let later = self.held_back.split_off(&next);
        items.extend(std::mem::replace(&mut self.held_back, later).into_values());
    }

    /// Something else is about to be shown, so subagents that were held back are shown first.
    pub(crate) fn release(&mut self, items: &mut Vec<ViewItem>) {
        items.extend(std::mem::take(&mut self.held_back).into_values());
    }

    /// The call ended. If its subagent has not started by now, it never will.
    pub(crate) fn call_over(&mut self, call: &CallId) {
        self.called_for.remove(call);
    }

    /// The number of the subagent that this call started. Returned only once.
    pub(crate) fn reported(&mut self, call: &CallId) -> Option<usize> {
        let reports = |agent: &&mut SubagentView| agent.started.call == *call && !agent.reported;
        let agent = self.all.iter_mut().rev().find(reports)?;
        agent.reported = true;
        Some(agent.number)
    }

    pub(crate) fn answered(&mut self, id: &AgentId, answered: &ModelAnswered, time: Timestamp) {
        if let Some(agent) = self.all.iter_mut().find(|agent| agent.id == *id && agent.at_work) {
            agent.answered(answered, time);
        }
    }

    pub(crate) fn ended(&mut self, id: &AgentId) {
        self.all.iter_mut().filter(|agent| agent.id == *id).for_each(|agent| agent.at_work = false);
    }

    /// No subagent outlives its turn.
    pub(crate) fn all_ended(&mut self) {
        self.all.iter_mut().for_each(|agent| agent.at_work = false);
    }
}
