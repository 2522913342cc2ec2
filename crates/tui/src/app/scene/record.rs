//! What the journal's entries mean for what is under way.

use forelook_protocol::{
    AnswerBlock, Answered, Body, Effect, EndReason, Entry, Finished, ReminderKind, ShellEnded, UserBlock,
};

use super::agents::Agent;
use super::running::{Running, What};
use super::{Scene, ended, todos};
use crate::cells::{Cell, Outcome};
use crate::markdown::Look;

impl Scene {
    /// Something that stands in the journal.
    pub(crate) fn recorded(&mut self, entry: &Entry, look: Look, now: u64) {
        match &entry.agent {
            None => self.of_the_main_agent(&entry.body, look, now),
            Some(id) => match &entry.body {
                Body::AgentStarted(started) => self.agents.push(Agent::new(id, started, now)),
                Body::AgentEnded(_) => self.agents.retain(|it| it.id != *id),
                Body::Answer(answered) => {
                    if let Some(agent) = self.agents.iter_mut().find(|it| it.id == *id) {
                        agent.answered(&answered.blocks);
                    }
                }
                _ => {}
            },
        }
    }

    fn of_the_main_agent(&mut self, body: &Body, look: Look, now: u64) {
        match body {
            Body::TurnStarted(_) => (self.turn_since, self.written) = (Some(now), 0),
            Body::Prompt(taken) => {
                if taken.queued.is_some() {
                    self.queued.pop_front();
                }
                // A plan that a conversation begins with was shown when it was approved.
                let words = match taken.plan() {
                    Some(plan) => format!("Carry out the plan: {}", forelook_wording::title(plan)),
                    None => words_of(&taken.content),
                };
                self.finished.push(Cell::Prompt(words));
            }
            Body::Queued(queued) => self.queued.push_back(words_of(&queued.prompt.content)),
            Body::Answer(answered) => self.answered(answered, look),
            Body::Started(started) => {
                if let Some(running) = self.running(&started.call) {
                    (running.since, running.within) = (Some(now), started.within);
                    if let (What::Call(call), Some(input)) = (&mut running.what, &started.input) {
                        call.input.clone_from(input);
                    }
                }
            }
            Body::Finished(finished) => self.finish(finished, look),
            Body::ShellStarted(shell) => {
                self.calls.push_back(Running::shell(shell.call.clone(), shell.command.clone(), now));
            }
            Body::ShellEnded(shell) => self.shell_ended(shell),
            Body::Question(opened) => self.asked(&opened.question),
            Body::Reply(replied) => self.shells.answered(replied),
            Body::Reminder(reminder) => {
                if let ReminderKind::ShellEnded { shell } = &reminder.kind {
                    self.shells.ended(shell);
                }
            }
            Body::Review(reviewed) => {
                self.told.extend(reviewed.call.clone());
                self.finished.push(Cell::Plan(Box::new(reviewed.clone())));
            }
            Body::RehearsalApplied(applied) => {
                self.finished.push(Cell::Applied(Box::new(applied.clone())));
            }
            Body::TurnEnd(ended) => self.turn_ended(&ended.reason, look),
            _ => {}
        }
    }

    fn answered(&mut self, answered: &Answered, look: Look) {
        let inner = Look { width: look.width.saturating_sub(2), ..look };
        let answer = std::mem::take(&mut self.answer);
        self.finished.extend(answer.recorded(&answered.blocks, inner));
        self.written += answered.usage.output_tokens;
        for block in &answered.blocks {
            if let AnswerBlock::ToolUse(call) = block {
                self.calls.push_back(Running::waits(call.clone()));
            }
        }
    }

    fn finish(&mut self, finished: &Finished, look: Look) {
        let before = std::mem::take(&mut self.todos);
        let set = finished.effects.iter().rev().find_map(|effect| match effect {
            Effect::SetTodos { todos } => Some(todos.clone()),
            _ => None,
        });
        let id = &finished.result.call;
        let running =
            self.calls.iter().position(|it| it.what.id() == id).and_then(|at| self.calls.remove(at));
        let outcome = Outcome::of(finished.verdict, &finished.result);
        if let Some(todos) = set {
            self.todos = todos;
            self.tell_todos(&before, look);
            return;
        }
        self.todos = before;
        let Some(Running { what: What::Call(call), within, .. }) = running else { return };
        if let Some(told) = self.told.iter().position(|it| it == id) {
            self.told.remove(told);
            return;
        }
        if outcome == Outcome::Done {
            self.shells.called(&call, &finished.result, within);
        }
        self.finished.push(Cell::Call { call, result: finished.result.clone(), outcome });
    }

    /// A new list is shown once; how it goes on is seen below, and its end is told.
    fn tell_todos(&mut self, before: &[forelook_protocol::Todo], look: Look) {
        let (done, all) = todos::count(&self.todos);
        if !todos::is_same_list(before, &self.todos) && all > 0 {
            let title = ratatui_core::text::Line::styled("● Todos", look.theme.heading);
            let rows = std::iter::once(title).chain(todos::list(&self.todos, look)).collect();
            self.finished.push(Cell::Rows(rows));
        } else if done == all && all > 0 {
            let text = format!(
                "☑ All {} done",
                forelook_wording::counted(u64::try_from(all).unwrap_or(0), "todo", "todos")
            );
            self.finished.push(Cell::Rows(vec![ratatui_core::text::Line::styled(text, look.theme.good)]));
        }
    }

    fn shell_ended(&mut self, shell: &ShellEnded) {
        self.calls.retain(|it| *it.what.id() != shell.call);
        self.finished.push(Cell::Shell(shell.clone()));
    }

    pub(super) fn turn_ended(&mut self, reason: &EndReason, look: Look) {
        self.turn_since = None;
        // An answer that broke off is in no record; what was seen of it stays.
        let inner = Look { width: look.width.saturating_sub(2), ..look };
        let answer = std::mem::take(&mut self.answer);
        self.finished.extend(answer.recorded(&[], inner));
        // Lines of the person's own go on; calls of the turn are over with it.
        self.calls.retain(Running::is_own);
        self.agents.clear();
        self.told.clear();
        self.finished.extend(ended::notice(reason).map(Cell::Notice));
    }
}

/// What a person said, in words.
pub(crate) fn words_of(content: &[UserBlock]) -> String {
    let words = content.iter().map(|block| match block {
        UserBlock::Text { text } => text.as_str(),
        UserBlock::Image { .. } => "[a picture]",
        UserBlock::ToolResult(_) => "",
    });
    words.collect::<Vec<_>>().join("\n")
}
