//! What is on its way: half an answer, running output. The record supersedes it; until then a front end that attaches is
//! told of it, so that it sees what the others see.

use forelook_protocol::{AgentId, AnswerEvent, Body, CallId, EditorState, Event, Live};

use super::append;

/// How much of a call's running output is told again, in bytes.
const MAX_OUTPUT: usize = 64 * 1024;

#[derive(Default)]
pub(super) struct Backlog {
    live: Vec<Live>,
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
                Body::Answer(_) => self.forget_answer(entry.agent.as_ref()),
                Body::Finished(finished) => self.forget_call(&finished.result.call),
                Body::ShellEnded(ended) => self.forget_call(&ended.call),
                Body::AgentEnded(_) => self.forget_answer(entry.agent.as_ref()),
                Body::TurnEnd(_) => self.live.retain(|live| matches!(live, Live::PlanEditor(_))),
                _ => {}
            },
        }
    }

    fn live(&mut self, live: &Live) {
        match live {
            Live::Answer { agent, event: AnswerEvent::Started { .. } | AnswerEvent::Again(_) } => {
                self.forget_answer(agent.as_ref());
                self.live.push(live.clone());
            }
            Live::Answer { .. } => self.append(live),
            Live::Output { .. } => {
                self.append(live);
                self.live.iter_mut().for_each(cut);
            }
            Live::Progress { agent, call, .. } => {
                let same = |it: &Live| matches!(it, Live::Progress { agent: its, call: other, .. } if its == agent && other == call);
                self.live.retain(|it| !same(it));
                self.live.push(live.clone());
            }
            Live::PlanEditor(editor) => {
                self.live.retain(|it| !matches!(it, Live::PlanEditor(_)));
                if matches!(editor.state, EditorState::Opening { .. }) {
                    self.live.push(live.clone());
                }
            }
            // Open requests are in the snapshot. What a person should know was told to whoever was there.
            Live::Notice(_)
            | Live::Request(_)
            | Live::RequestClosed { .. }
            | Live::Unrecorded { .. }
            | Live::Closed => {}
        }
    }

    /// Adds to the last piece of the same text, or as a new one: pieces of several agents come mixed.
    fn append(&mut self, live: &Live) {
        let of_same = |it: &Live| match (it, live) {
            (Live::Answer { agent, .. }, Live::Answer { agent: same, .. }) => agent == same,
            (Live::Output { call, .. }, Live::Output { call: same, .. }) => call == same,
            _ => false,
        };
        let last = self.live.iter_mut().rev().find(|it| of_same(it));
        if !last.is_some_and(|last| append(last, live)) {
            self.live.push(live.clone());
        }
    }

    fn forget_answer(&mut self, agent: Option<&AgentId>) {
        self.live.retain(|live| !matches!(live, Live::Answer { agent: its, .. } if its.as_ref() == agent));
    }

    fn forget_call(&mut self, call: &CallId) {
        self.live.retain(|live| match live {
            Live::Output { call: its, .. } | Live::Progress { call: its, .. } => its != call,
            _ => true,
        });
    }
}

/// Keeps the end of a long output.
fn cut(live: &mut Live) {
    if let Live::Output { text, .. } = live
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

    use crate::hub::Hub;

    fn piece(agent: Option<&str>, event: AnswerEvent) -> Live {
        Live::Answer { agent: agent.map(|id| AgentId(id.into())), event }
    }

    fn text(agent: Option<&str>, text: &str) -> Live {
        piece(agent, AnswerEvent::Text { text: text.into() })
    }

    fn output(call: &str, text: &str) -> Live {
        Live::Output { call: CallId(call.into()), text: text.into() }
    }

    async fn heard(hub: &Hub) -> Vec<Live> {
        let mut events = hub.attach(FrontEndId(9));
        hub.live(Live::Closed);
        let mut heard = Vec::new();
        loop {
            match events.next().await {
                Event::Live(Live::Closed) => return heard,
                Event::Live(live) => heard.push(live),
                Event::Recorded(_) => {}
            }
        }
    }

    #[tokio::test]
    async fn whoever_comes_late_hears_what_is_on_its_way_in_few_pieces() {
        let hub = Hub::default();
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
        let hub = Hub::default();
        for n in 0..40_000 {
            hub.live(output("c", &format!("{n} ")));
        }
        let [Live::Output { text, .. }] = &heard(&hub).await[..] else { panic!("more than one piece") };
        assert!(text.len() <= 2 * MAX_OUTPUT && text.ends_with("39999 "), "{}", text.len());
    }
}
