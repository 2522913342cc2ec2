//! What is on its way: half an answer, running output. The record supersedes it; until then a front end that attaches is
//! told of it, so that it sees what the others see.

use forelook_protocol::{AgentId, AnswerEvent, CallId, EditorState, EntryBody, Event, LiveEvent};

use super::append;

/// How much of a call's running output is told again, in bytes.
const MAX_OUTPUT: usize = 64 * 1024;

#[derive(Default)]
pub(super) struct Backlog {
    live: Vec<LiveEvent>,
}

impl Backlog {
    /// Everything that a front end missed and that still counts.
    pub(super) fn events(&self) -> impl Iterator<Item = Event> + '_ {
        self.live.iter().cloned().map(Event::Live)
    }

    pub(super) fn add(&mut self, event: &Event) {
        match event {
            Event::Live(live) => self.live(live),
            Event::Recorded(entry) => match &entry.body {
                EntryBody::ModelAnswered(_) => self.forget_answer(entry.agent.as_ref()),
                EntryBody::ToolFinished(finished) => self.forget_call(&finished.result.call),
                EntryBody::UserShellEnded(ended) => self.forget_call(&ended.call),
                EntryBody::AgentEnded(_) => self.forget_answer(entry.agent.as_ref()),
                EntryBody::TurnEnded(_) => self.live.retain(|live| matches!(live, LiveEvent::PlanEditor(_))),
                _ => {}
            },
        }
    }

    fn live(&mut self, live: &LiveEvent) {
        match live {
            LiveEvent::Answer { agent, event: AnswerEvent::Started { .. } | AnswerEvent::Retrying(_) } => {
                self.forget_answer(agent.as_ref());
                self.live.push(live.clone());
            }
            LiveEvent::Answer { .. } => self.append(live),
            LiveEvent::Output { .. } => {
                self.append(live);
                self.live.iter_mut().for_each(cut);
            }
            LiveEvent::Progress { agent, call, .. } => {
                let same = |it: &LiveEvent| matches!(it, LiveEvent::Progress { agent: its, call: other, .. } if its == agent && other == call);
                self.live.retain(|it| !same(it));
                self.live.push(live.clone());
            }
            LiveEvent::PlanEditor(editor) => {
                self.live.retain(|it| !matches!(it, LiveEvent::PlanEditor(_)));
                if matches!(editor.state, EditorState::Opening { .. }) {
                    self.live.push(live.clone());
                }
            }
            // Open requests are in the snapshot. What a person should know was told to whoever was there.
            LiveEvent::Notice(_)
            | LiveEvent::JournalLost(_)
            | LiveEvent::Request(_)
            | LiveEvent::RequestClosed { .. }
            | LiveEvent::Unrecorded { .. }
            | LiveEvent::NotStarted { .. }
            | LiveEvent::Failed(_)
            | LiveEvent::Closed => {}
        }
    }

    /// Adds to the last piece of the same text, or as a new one: pieces of several agents come mixed.
    fn append(&mut self, live: &LiveEvent) {
        let of_same = |it: &LiveEvent| match (it, live) {
            (LiveEvent::Answer { agent, .. }, LiveEvent::Answer { agent: same, .. }) => agent == same,
            (LiveEvent::Output { call, .. }, LiveEvent::Output { call: same, .. }) => call == same,
            _ => false,
        };
        let last = self.live.iter_mut().rev().find(|it| of_same(it));
        if !last.is_some_and(|last| append(last, live)) {
            self.live.push(live.clone());
        }
    }

    fn forget_answer(&mut self, agent: Option<&AgentId>) {
        self.live
            .retain(|live| !matches!(live, LiveEvent::Answer { agent: its, .. } if its.as_ref() == agent));
    }

    fn forget_call(&mut self, call: &CallId) {
        self.live.retain(|live| match live {
            LiveEvent::Output { call: its, .. } | LiveEvent::Progress { call: its, .. } => its != call,
            _ => true,
        });
    }
}

/// Keeps the end of a long output.
fn cut(live: &mut LiveEvent) {
    if let LiveEvent::Output { text, .. } = live
        && text.len() > 2 * MAX_OUTPUT
    {
        let from = text.ceil_char_boundary(text.len() - MAX_OUTPUT);
        text.drain(..from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forelook_protocol::FrontEndId;

    use crate::hub::EventHub;

    fn piece(agent: Option<&str>, event: AnswerEvent) -> LiveEvent {
        LiveEvent::Answer { agent: agent.map(|id| AgentId(id.into())), event }
    }

    fn text(agent: Option<&str>, text: &str) -> LiveEvent {
        piece(agent, AnswerEvent::Text { text: text.into() })
    }

    fn output(call: &str, text: &str) -> LiveEvent {
        LiveEvent::Output { call: CallId(call.into()), text: text.into() }
    }

    async fn heard(hub: &EventHub) -> Vec<LiveEvent> {
        let mut events = hub.attach(FrontEndId(9));
        hub.live(LiveEvent::Closed);
        let mut heard = Vec::new();
        loop {
            match events.next().await {
                Event::Live(LiveEvent::Closed) => return heard,
                Event::Live(live) => heard.push(live),
                Event::Recorded(_) => {}
            }
        }
    }

    #[tokio::test]
    async fn whoever_comes_late_hears_what_is_on_its_way_in_few_pieces() {
        let hub = EventHub::default();
        let started = AnswerEvent::Started { id: "m".into(), model: "x".into() };
        for live in [
            text(None, "of an answer before"),
            piece(None, started.clone()),
            piece(None, AnswerEvent::TextStarted),
            text(None, "a"),
            text(Some("sub"), "s"),
            text(None, "b"),
            output("c1", "x"),
            output("c2", "y"),
            output("c1", "z"),
        ] {
            hub.live(live);
        }
        assert_eq!(
            heard(&hub).await,
            [
                piece(None, started),
                piece(None, AnswerEvent::TextStarted),
                text(None, "ab"),
                text(Some("sub"), "s"),
                output("c1", "xz"),
                output("c2", "y"),
            ]
        );
    }

    #[tokio::test]
    async fn long_output_keeps_its_end() {
        let hub = EventHub::default();
        for n in 0..40_000 {
            hub.live(output("c", &format!("{n} ")));
        }
        let [LiveEvent::Output { text, .. }] = &heard(&hub).await[..] else { panic!("more than one piece") };
        assert!(text.len() <= 2 * MAX_OUTPUT && text.ends_with("39999 "), "{}", text.len());
    }
}
