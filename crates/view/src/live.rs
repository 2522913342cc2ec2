//! What is on its way.

use forelook_protocol::{AnswerEvent, Live};

use crate::{Item, SessionView};

impl SessionView {
    pub(crate) fn live(&mut self, live: &Live, now: u64) {
        match live {
            Live::Answer { agent: None, event } => self.answer.piece(event, now, &mut self.items),
            Live::Answer { agent: Some(agent), event: AnswerEvent::Again(retry) } => {
                self.agents.release(&mut self.items);
                // Agents speak to their parents: none of their words were handed on.
                self.items.push(Item::Retry {
                    agent: Some(agent.clone()),
                    retry: retry.clone(),
                    void: false,
                });
            }
            Live::Output { call, text } => {
                if let Some(running) = self.calls.get_mut(None, call) {
                    running.take_output(text);
                }
            }
            Live::Progress { agent, call, elapsed_ms, note } => {
                if let Some(running) = self.calls.get_mut(agent.as_ref(), call) {
                    running.elapsed_ms = *elapsed_ms;
                    running.note.clone_from(note);
                }
            }
            Live::Notice(notice) => self.items.push(Item::Notice(notice.clone())),
            Live::PlanEditor(editor) => self.items.push(Item::Editor(Box::new(editor.clone()))),
            Live::Unrecorded { reason, .. } => self.turn_ended(reason),
            Live::Answer { .. } | Live::Request(_) | Live::RequestClosed { .. } | Live::Closed => {}
        }
    }
}
