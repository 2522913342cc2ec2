//! Subagents: each has a number, so that several at once stay readable. The numbers follow the order in which the main
//! agent called for them, not that in which they happened to begin.

use std::collections::{BTreeMap, HashMap};

use forelook_protocol::{AgentId, AgentStarted, AnswerBlock, Answered, CallId, Usage};
use forelook_wording::call_about;
use jiff::Timestamp;

use crate::Item;

/// The subagents that have begun.
#[derive(Debug, Default)]
pub struct Agents {
    all: Vec<Agent>,
    /// Calls whose agent has not begun, with its number.
    called_for: HashMap<CallId, usize>,
    count: usize,
    /// Agents that have begun before one with a lower number did, and are not told of yet.
    held_back: BTreeMap<usize, Item>,
}

/// A subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Which.
    pub id: AgentId,
    /// Its number, from 1.
    pub number: usize,
    /// What it is, and the call that started it.
    pub started: AgentStarted,
    /// When it began, in milliseconds of the front end's clock.
    pub since: u64,
    /// Tokens that it took so far.
    pub usage: Usage,
    /// Calls that it made so far.
    pub calls: u32,
    /// How long it took until its last answer.
    pub took_ms: u64,
    /// Its newest call.
    pub newest: Option<NewestCall>,
    /// Whether it is at work.
    pub at_work: bool,
    began: Timestamp,
    /// Whether the result of the call that started it has come.
    reported: bool,
}

/// The newest call of an agent's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewestCall {
    /// The tool's name.
    pub tool: String,
    /// What it is about, in a line.
    pub about: String,
}

impl Agent {
    fn answered(&mut self, answered: &Answered, time: Timestamp) {
        self.usage += answered.usage;
        self.took_ms = u64::try_from(time.duration_since(self.began).as_millis()).unwrap_or(0);
        for block in &answered.blocks {
            if let AnswerBlock::ToolUse(call) = block {
                self.calls = self.calls.saturating_add(1);
                self.newest = Some(NewestCall { tool: call.name.clone(), about: call_about(&call.input) });
            }
        }
    }
}

impl Agents {
    /// Those that are at work, in the order in which they began.
    pub fn at_work(&self) -> impl Iterator<Item = &Agent> {
        self.all.iter().filter(|agent| agent.at_work)
    }

    /// One that has begun; it may have ended since.
    pub fn get(&self, id: &AgentId) -> Option<&Agent> {
        self.all.iter().rev().find(|agent| agent.id == *id)
    }

    /// The main agent calls for one.
    pub(crate) fn called_for(&mut self, call: &CallId) {
        let number = self.next();
        self.called_for.insert(call.clone(), number);
    }

    fn next(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    /// One begins. Those who were called for together are told of in that order.
    pub(crate) fn started(
        &mut self,
        id: &AgentId,
        started: &AgentStarted,
        (now, time): (u64, Timestamp),
        items: &mut Vec<Item>,
    ) {
        let number = self.called_for.remove(&started.call).unwrap_or_else(|| self.next());
        self.all.push(Agent {
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
            .insert(number, Item::AgentStarted { id: id.clone(), number, started: started.clone() });
        let next = self.called_for.values().min().copied().unwrap_or(usize::MAX);
        let later = self.held_back.split_off(&next);
        items.extend(std::mem::replace(&mut self.held_back, later).into_values());
    }

    /// Something else is to be told: those who were held back need not wait any longer.
    pub(crate) fn release(&mut self, items: &mut Vec<Item>) {
        items.extend(std::mem::take(&mut self.held_back).into_values());
    }

    /// The agent of this call will not begin any more, if it has not.
    pub(crate) fn call_over(&mut self, call: &CallId) {
        self.called_for.remove(call);
    }

    /// The number of the agent that this call started, once.
    pub(crate) fn reported(&mut self, call: &CallId) -> Option<usize> {
        let reports = |agent: &&mut Agent| agent.started.call == *call && !agent.reported;
        let agent = self.all.iter_mut().rev().find(reports)?;
        agent.reported = true;
        Some(agent.number)
    }

    pub(crate) fn answered(&mut self, id: &AgentId, answered: &Answered, time: Timestamp) {
        if let Some(agent) = self.all.iter_mut().find(|agent| agent.id == *id && agent.at_work) {
            agent.answered(answered, time);
        }
    }

    pub(crate) fn ended(&mut self, id: &AgentId) {
        self.all.iter_mut().filter(|agent| agent.id == *id).for_each(|agent| agent.at_work = false);
    }

    /// None outlives the turn that it was called for in.
    pub(crate) fn all_ended(&mut self) {
        self.all.iter_mut().for_each(|agent| agent.at_work = false);
    }
}
