//! What the journal's entries mean.

use forelook_protocol::{
    AgentId, AnswerBlock, Answered, Body, EndReason, Entry, Finished, ReminderKind, Reviewed,
};

use crate::calls::Running;
use crate::{CallEnded, CallOutcome, Item, PromptSaid, SessionView, ToldAs, TurnResult, What, todos};

/// The tool that starts subagents.
const AGENT: &str = "Agent";

impl SessionView {
    pub(crate) fn recorded(&mut self, entry: &Entry, now: u64) {
        match (&entry.body, &entry.agent) {
            (Body::Started(started), agent) => self.calls.started(agent.as_ref(), started, now),
            (Body::Finished(finished), agent) => self.finished(agent.as_ref(), finished),
            (Body::Reply(replied), agent) => {
                self.result.replied(&replied.answer);
                if agent.is_none() {
                    self.shells.answered(replied);
                }
            }
            (body, None) => self.of_the_main_agent(body, now),
            (Body::AgentStarted(started), Some(id)) => {
                self.agents.started(id, started, (now, entry.time), &mut self.items);
            }
            (Body::AgentEnded(ended), Some(id)) => {
                self.agents.release(&mut self.items);
                self.agents.ended(id);
                self.calls.agent_ended(id);
                self.items.push(Item::AgentEnded { id: id.clone(), ended: ended.clone() });
            }
            (Body::Answer(answered), Some(id)) => {
                self.agents.answered(id, answered, entry.time);
                self.called(Some(id), &answered.blocks);
            }
            _ => {}
        }
    }

    fn of_the_main_agent(&mut self, body: &Body, now: u64) {
        match body {
            Body::TurnStarted(started) => {
                self.result = TurnResult::default();
                self.items.push(Item::TurnStarted(started.turn));
            }
            Body::Prompt(accepted) => self.items.push(Item::Prompt(PromptSaid::of(accepted))),
            Body::Answer(answered) => self.answered(answered),
            Body::ShellStarted(shell) => self.calls.own(shell.call.clone(), shell.command.clone(), now),
            Body::ShellEnded(shell) => {
                self.calls.own_ended(&shell.call);
                self.items.push(Item::Shell(shell.clone()));
            }
            Body::Question(opened) => self.shells.asked(&opened.question),
            Body::Reminder(reminder) => {
                if let ReminderKind::ShellEnded { shell } = &reminder.kind {
                    self.shells.ended(shell);
                }
            }
            Body::Review(reviewed) => self.reviewed(reviewed),
            Body::RehearsalApplied(applied) => self.items.push(Item::Applied(Box::new(applied.clone()))),
            Body::Mode(set) => self.mode_is(set.standing.mode()),
            Body::Model(set) => {
                self.model.clone_from(&set.model);
                self.items.push(Item::Model(set.model.clone()));
            }
            Body::TurnEnd(ended) => self.turn_ended(&ended.reason),
            _ => {}
        }
    }

    fn answered(&mut self, answered: &Answered) {
        std::mem::take(&mut self.answer).recorded(&answered.blocks, &mut self.items);
        self.result.answered(&answered.blocks);
        self.called(None, &answered.blocks);
    }

    fn called(&mut self, agent: Option<&AgentId>, blocks: &[AnswerBlock]) {
        for block in blocks {
            if let AnswerBlock::ToolUse(call) = block {
                if agent.is_none() && call.name == AGENT {
                    self.agents.called_for(&call.id);
                }
                self.calls.called(agent, call);
            }
        }
    }

    fn reviewed(&mut self, reviewed: &Reviewed) {
        self.told.extend(reviewed.call.clone());
        self.result.plan.clone_from(&reviewed.plan);
        self.items.push(Item::Plan(Box::new(reviewed.clone())));
        self.mode_is(reviewed.standing.mode());
    }

    fn finished(&mut self, agent: Option<&AgentId>, finished: &Finished) {
        let running = self.calls.finished(agent, &finished.result.call);
        let call = running.as_ref().and_then(Running::call);
        // An agent that nobody saw begin is not part of what is told of this turn.
        if agent.is_none_or(|id| self.agents.get(id).is_some()) {
            self.result.finished(finished.verdict, agent.is_none(), call);
        }
        let set = todos::set_by(&finished.effects).filter(|_| agent.is_none());
        if let Some(running) = running {
            self.call_ended(running, finished, set.is_some());
        }
        if let Some(todos) = set {
            self.items.extend(todos::told(&self.todos, todos));
            self.todos.clone_from(todos);
        }
    }

    fn call_ended(&mut self, running: Running, finished: &Finished, sets_todos: bool) {
        let Running { agent, what: What::Call(call), within, .. } = running else { return };
        self.agents.call_over(&call.id);
        self.agents.release(&mut self.items);
        let (verdict, result) = (finished.verdict, finished.result.clone());
        let outcome = CallOutcome::of(verdict, &result);
        let (mut told, mut started) = (ToldAs::Call, None);
        if agent.is_none() {
            if let Some(at) = self.told.iter().position(|told| *told == call.id) {
                self.told.remove(at);
                told = ToldAs::Before;
            } else {
                started = self.agents.reported(&call.id);
            }
            if sets_todos {
                told = ToldAs::Todos;
            }
            if told == ToldAs::Call && outcome == CallOutcome::Done {
                self.shells.called(&call, &result, within);
            }
        }
        let ended = CallEnded { agent, call, result, verdict, outcome, told, started };
        self.items.push(Item::Call(Box::new(ended)));
    }

    pub(crate) fn turn_ended(&mut self, reason: &EndReason) {
        let half_said = self.answer.is_half_said();
        std::mem::take(&mut self.answer).broke_off(&mut self.items);
        self.agents.release(&mut self.items);
        self.calls.turn_ended();
        self.agents.all_ended();
        self.told.clear();
        self.items.push(Item::TurnEnded { reason: reason.clone(), half_said });
    }
}
