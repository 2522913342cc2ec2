//! Handles journal entries.

use forelook_protocol::{
    AgentId, AnswerBlock, EndReason, Entry, EntryBody, ModelAnswered, Origin, PlanReviewed, Reason,
    ToolFinished,
};

use crate::calls::ActiveCall;
use crate::{
    ActiveCallKind, CallEnded, CallOutcome, PromptText, ReportedAs, SessionView, TurnResult, ViewItem, todos,
};

/// The tool that starts subagents.
const AGENT: &str = "Agent";

/// What is known of a call that ended beside its result.
struct ForPerson {
    /// Whether the todos that it set are shown in its place.
    sets_todos: bool,
    person_text: Option<String>,
    reason: Option<Box<Reason>>,
}

impl SessionView {
    pub(crate) fn recorded(&mut self, entry: &Entry, now: u64) {
        self.person_texts.read(entry);
        match (&entry.body, &entry.agent) {
            (EntryBody::ToolStarted(started), agent) => self.calls.started(agent.as_ref(), started, now),
            (EntryBody::ToolFinished(finished), agent) => self.finished(agent.as_ref(), finished),
            (EntryBody::QuestionClosed(replied), _) => self.result.replied(&replied.answer),
            (body, None) => self.on_main_agent_entry(body, now),
            (EntryBody::AgentStarted(started), Some(id)) => {
                self.agents.started(id, started, (now, entry.time), &mut self.items);
            }
            (EntryBody::AgentEnded(ended), Some(id)) => {
                self.agents.release(&mut self.items);
                self.agents.ended(id);
                self.calls.agent_ended(id);
                self.items.push(ViewItem::AgentEnded { id: id.clone(), ended: ended.clone() });
            }
            (EntryBody::ModelAnswered(answered), Some(id)) => {
                self.agents.answered(id, answered, entry.time);
                self.called(Some(id), &answered.blocks);
            }
            _ => {}
        }
    }

    fn on_main_agent_entry(&mut self, body: &EntryBody, now: u64) {
        match body {
            EntryBody::TurnStarted(started) => {
                self.result = TurnResult::default();
                self.items.push(ViewItem::TurnStarted(started.turn));
            }
            // The answer to the review says it already.
            EntryBody::PromptAccepted(accepted) if accepted.origin == Origin::Review => {}
            EntryBody::PromptAccepted(accepted) => {
                self.items.push(ViewItem::Prompt(PromptText::of(accepted)))
            }
            // Nobody named them now.
            EntryBody::FilesAttached(attached) if !attached.reason.is_prompt() => {}
            EntryBody::FilesAttached(attached) => self.items.push(ViewItem::Attached(attached.clone())),
            EntryBody::ModelAnswered(answered) => self.answered(answered),
            EntryBody::UserShellStarted(shell) => {
                self.calls.user_shell_started(shell.call.clone(), shell.command.clone(), now)
            }
            EntryBody::UserShellEnded(shell) => {
                self.calls.user_shell_ended(&shell.call);
                self.items.push(ViewItem::Shell(shell.clone()));
            }
            EntryBody::ShellEnded(ended) => self.shells.ended(&ended.shell),
            EntryBody::PlanReviewed(reviewed) => self.reviewed(reviewed),
            EntryBody::RehearsalApplied(applied) => {
                self.items.push(ViewItem::Applied(Box::new(applied.clone())))
            }
            EntryBody::ModeChanged(set) => self.set_mode(set.mode_state.mode()),
            EntryBody::ModelChanged(set) => {
                self.model.clone_from(&set.model);
                self.items.push(ViewItem::Model(set.model.clone()));
            }
            EntryBody::Compacted(compacted) => {
                self.items.push(ViewItem::Compacted(Box::new(compacted.clone())))
            }
            EntryBody::ResultsCleared(cleared) => {
                self.items.push(ViewItem::ResultsCleared(cleared.results.len()))
            }
            EntryBody::TurnEnded(ended) => self.turn_ended(&ended.reason),
            _ => {}
        }
    }

    fn answered(&mut self, answered: &ModelAnswered) {
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

    fn reviewed(&mut self, reviewed: &PlanReviewed) {
        self.suppressed_calls.extend(reviewed.call.clone());
        self.result.plan.clone_from(&reviewed.plan);
        self.items.push(ViewItem::Plan(Box::new(reviewed.clone())));
        self.set_mode(reviewed.mode_state.mode());
    }

    fn finished(&mut self, agent: Option<&AgentId>, finished: &ToolFinished) {
        let running = self.calls.finished(agent, &finished.result.call);
        self.shells.started_by(&finished.effects);
        let call = running.as_ref().and_then(ActiveCall::call);
        let reason = self.person_texts.take_reason(agent, &finished.result.call).map(Box::new);
        let person_text = self.person_texts.take(agent, call, finished);
        // A subagent whose start was not seen is not part of this turn's result.
        if agent.is_none_or(|id| self.agents.get(id).is_some()) {
            self.result.finished(finished.status, agent.is_none(), call);
        }
        let set = todos::todos_set_by(&finished.effects).filter(|_| agent.is_none());
        if let Some(running) = running {
            self.call_ended(running, finished, ForPerson { sets_todos: set.is_some(), person_text, reason });
        }
        if let Some(todos) = set {
            self.items.extend(todos::update_item(&self.todos, todos));
            self.todos.clone_from(todos);
        }
    }

    fn call_ended(
        &mut self,
        running: ActiveCall,
        finished: &ToolFinished,
        ForPerson { sets_todos, person_text, reason }: ForPerson,
    ) {
        let ActiveCall { agent, kind: ActiveCallKind::Call(call), .. } = running else { return };
        self.agents.call_over(&call.id);
        self.agents.release(&mut self.items);
        let (verdict, result) = (finished.status, finished.result.clone());
        let outcome = CallOutcome::of(verdict, &result);
        let (mut reported_as, mut started) = (ReportedAs::Call, None);
        if agent.is_none() {
            if let Some(at) = self.suppressed_calls.iter().position(|id| *id == call.id) {
                self.suppressed_calls.remove(at);
                reported_as = ReportedAs::Before;
            } else {
                started = self.agents.reported(&call.id);
            }
            if sets_todos {
                reported_as = ReportedAs::Todos;
            }
        }
        let ended =
            CallEnded { agent, call, result, person_text, reason, verdict, outcome, reported_as, started };
        self.items.push(ViewItem::Call(Box::new(ended)));
    }

    pub(crate) fn turn_ended(&mut self, reason: &EndReason) {
        let partial_text = self.answer.has_partial_text();
        std::mem::take(&mut self.answer).abandoned(&mut self.items);
        self.agents.release(&mut self.items);
        self.calls.turn_ended();
        self.agents.all_ended();
        self.suppressed_calls.clear();
        self.items.push(ViewItem::TurnEnded { reason: reason.clone(), partial_text });
    }
}
