//! Handles live events.

use forelook_protocol::{AnswerEvent, LiveEvent};

use crate::{SessionView, ViewItem};

impl SessionView {
    pub(crate) fn live(&mut self, live: &LiveEvent, now: u64) {
        match live {
            LiveEvent::Answer { agent: None, event } => self.answer.piece(event, now, &mut self.items),
            LiveEvent::Answer { agent: Some(agent), event: AnswerEvent::Retrying(retry) } => {
                self.agents.release(&mut self.items);
                // Subagents report only to their parents, so none of their text was passed on.
                self.items.push(ViewItem::Retry {
                    agent: Some(agent.clone()),
                    retry: retry.clone(),
                    void: false,
                });
            }
            LiveEvent::Output { call, text } => {
                if let Some(running) = self.calls.get_mut(None, call) {
                    running.append_output(text);
                }
            }
            LiveEvent::Progress { agent, call, elapsed_ms, note } => {
                if let Some(running) = self.calls.get_mut(agent.as_ref(), call) {
                    running.elapsed_ms = *elapsed_ms;
                    running.note.clone_from(note);
                }
            }
            LiveEvent::Notice(notice) | LiveEvent::JournalLost(notice) | LiveEvent::Failed(notice) => {
                self.items.push(ViewItem::Notice(notice.clone()))
            }
            LiveEvent::PlanEditor(editor) => self.items.push(ViewItem::Editor(Box::new(editor.clone()))),
            LiveEvent::Unrecorded { reason, .. } => self.turn_ended(reason),
            LiveEvent::Answer { .. }
            | LiveEvent::Request(_)
            | LiveEvent::RequestClosed { .. }
            // A notice says so too.
            | LiveEvent::NotStarted { .. }
            | LiveEvent::Closed => {}
        }
    }
}
