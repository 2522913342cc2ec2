//! Whether anything runs or is due, as far as a front end can know it.

use std::collections::HashSet;

use forelook_protocol::{Accepted, Body, Entry, EntryId, Event, Live, Snapshot, TurnId};

/// Turns that run or will, by what the session said of them: in its snapshot, in its answers to commands, in its
/// entries.
#[derive(Debug, Default)]
pub(crate) struct Work {
    running: Option<TurnId>,
    /// Prompts that wait: a turn follows each, or takes it in.
    queued: HashSet<EntryId>,
    /// The newest turn that the answer to a command named and whose beginning was not heard yet.
    promised: Option<TurnId>,
    /// The newest turn whose beginning was heard.
    begun: TurnId,
}

impl Work {
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        Self {
            running: snapshot.turn,
            queued: snapshot.queue.iter().map(|waiting| waiting.id).collect(),
            promised: None,
            begun: snapshot.turn.unwrap_or_default(),
        }
    }

    /// A command was accepted.
    pub(crate) fn accepted(&mut self, accepted: Accepted) {
        match accepted {
            Accepted::Turn(turn) if turn > self.begun => self.promised = self.promised.max(Some(turn)),
            // The prompt itself is an entry, which is heard, or was: it may even be taken by now.
            Accepted::Queued { behind, .. } => self.accepted(Accepted::Turn(behind)),
            Accepted::Turn(_) | Accepted::Nothing => {}
        }
    }

    /// Takes an event.
    pub(crate) fn hear(&mut self, event: &Event) {
        match event {
            // Subagents have no turns of their own.
            Event::Recorded(entry) if entry.agent.is_none() => self.entry(entry),
            Event::Live(Live::Unrecorded { turn, .. }) => self.ended(*turn),
            _ => {}
        }
    }

    fn entry(&mut self, entry: &Entry) {
        match &entry.body {
            Body::TurnStarted(started) => self.began(started.turn),
            Body::Queued(_) => _ = self.queued.insert(entry.id),
            Body::Prompt(prompt) => {
                if let Some(queued) = prompt.queued {
                    self.queued.remove(&queued);
                }
            }
            Body::TurnEnd(ended) => self.ended(ended.turn),
            _ => {}
        }
    }

    fn began(&mut self, turn: TurnId) {
        self.running = Some(turn);
        self.begun = self.begun.max(turn);
        self.promised = self.promised.filter(|&promised| promised > turn);
    }

    fn ended(&mut self, turn: TurnId) {
        self.running = self.running.filter(|&running| running > turn);
        self.promised = self.promised.filter(|&promised| promised > turn);
    }

    /// Whether nothing runs and nothing will.
    pub(crate) fn is_idle(&self) -> bool {
        self.due() == 0
    }

    /// How many turns are still to end.
    pub(crate) fn due(&self) -> usize {
        usize::from(self.running.is_some()) + usize::from(self.promised.is_some()) + self.queued.len()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::testing::{entry, snapshot, turn_ended, uuid};
    use forelook_protocol::{
        AgentId, Delivery, EndReason, Prompt, PromptAccepted, Queued, QueuedPrompt, TurnStarted, UserBlock,
    };

    /// Something that a front end learns.
    enum News {
        Answer(Accepted),
        Event(Event),
    }

    fn id(number: u64) -> EntryId {
        EntryId(uuid(number))
    }

    fn words() -> Vec<UserBlock> {
        vec![UserBlock::text("x")]
    }

    fn waiting() -> Prompt {
        Prompt::person(words(), Delivery::NextTurn)
    }

    fn recorded(entry: Entry) -> News {
        News::Event(Event::Recorded(Arc::new(entry)))
    }

    fn unrecorded(turn: u64) -> News {
        News::Event(Event::Live(Live::Unrecorded { turn: TurnId(turn), reason: EndReason::Done }))
    }

    fn promised(turn: u64) -> News {
        News::Answer(Accepted::Turn(TurnId(turn)))
    }

    fn told_to_wait(number: u64, behind: u64) -> News {
        News::Answer(Accepted::Queued { prompt: id(number), behind: TurnId(behind) })
    }

    fn starts(turn: u64) -> News {
        recorded(entry(90, Body::TurnStarted(TurnStarted { turn: TurnId(turn) })))
    }

    fn queued(number: u64) -> News {
        recorded(entry(number, Body::Queued(Queued { prompt: waiting() })))
    }

    fn prompt(queued: Option<u64>) -> News {
        let prompt = PromptAccepted { queued: queued.map(id), ..PromptAccepted::person(words()) };
        recorded(entry(91, Body::Prompt(prompt)))
    }

    fn ends(turn: u64) -> News {
        recorded(entry(92, Body::TurnEnd(turn_ended(TurnId(turn), EndReason::Done))))
    }

    /// How many turns are due after each piece of news.
    fn due(work: &mut Work, news: Vec<News>) -> Vec<usize> {
        let after = |news| {
            match news {
                News::Answer(accepted) => work.accepted(accepted),
                News::Event(event) => work.hear(&event),
            }
            work.due()
        };
        news.into_iter().map(after).collect()
    }

    #[test]
    fn what_is_due_after_each_piece_of_news() {
        for (what, news, expected) in [
            ("one turn", vec![promised(1), starts(1), prompt(None), ends(1)], vec![1, 1, 1, 0]),
            (
                "a promise that was kept before it was heard",
                vec![starts(1), promised(1), ends(1)],
                vec![1, 1, 0],
            ),
            ("an older promise", vec![starts(2), ends(2), promised(1)], vec![1, 0, 0]),
            ("no turn", vec![News::Answer(Accepted::Nothing)], vec![0]),
            (
                "one behind another",
                vec![starts(1), told_to_wait(5, 1), queued(5), ends(1), starts(2), prompt(Some(5)), ends(2)],
                vec![1, 1, 2, 1, 2, 1, 0],
            ),
            (
                "one that was taken before the answer came",
                vec![starts(1), queued(5), ends(1), starts(2), prompt(Some(5)), told_to_wait(5, 1), ends(2)],
                vec![1, 2, 1, 2, 1, 1, 0],
            ),
            (
                "one behind a turn that was not heard of",
                vec![told_to_wait(5, 1), starts(1), queued(5), ends(1)],
                vec![1, 1, 2, 1],
            ),
            (
                "one that the running turn takes in",
                vec![starts(1), queued(5), prompt(Some(5)), ends(1)],
                vec![1, 2, 1, 0],
            ),
            (
                "a turn that is promised while the end of the last one is not heard",
                vec![starts(1), promised(2), ends(1), starts(2), ends(2)],
                vec![1, 2, 1, 1, 0],
            ),
            ("an end that could not be written", vec![starts(1), unrecorded(1)], vec![1, 0]),
            ("a beginning that could not be written", vec![promised(1), unrecorded(1)], vec![1, 0]),
            ("somebody else's turn", vec![starts(1), ends(1)], vec![1, 0]),
        ] {
            assert_eq!(due(&mut Work::default(), news), expected, "{what}");
        }
    }

    #[test]
    fn what_ran_and_waited_before_is_due_too() {
        let mut snapshot = snapshot();
        snapshot.turn = Some(TurnId(4));
        snapshot.queue = vec![QueuedPrompt { id: id(5), prompt: waiting() }];
        let mut work = Work::of(&snapshot);
        assert_eq!(work.due(), 2);
        let news = vec![ends(4), starts(5), prompt(Some(5)), ends(5)];
        assert_eq!(due(&mut work, news), [1, 2, 1, 0]);
        assert!(work.is_idle());
    }

    #[test]
    fn subagents_have_no_turns() {
        let mut work = Work::default();
        let started = Body::TurnStarted(TurnStarted { turn: TurnId(1) });
        let entry = Entry { agent: Some(AgentId("a".into())), ..entry(1, started) };
        work.hear(&Event::Recorded(Arc::new(entry)));
        assert!(work.is_idle());
    }
}
