//! Which turns are still to end, as far as a front end can know it.

use std::time::Duration;

use forelook_protocol::{Body, Query, Reply, SessionPort, Status};

/// How often, and how long, the session is asked again while it says that more is running than we know of. A turn
/// whose end we heard of may still be cleaning up; and one may follow that nobody here sent, with an entry to come.
const AGAIN_AFTER: Duration = Duration::from_millis(2);
const AGAIN: usize = 250;

/// Counts turns by what the journal says of them, never by what was sent: whether `/plan words` begins a turn is the
/// session's to decide.
///
/// After a command nothing is certain until everything was heard that the session had told by then. So it goes
/// `Settled` → [`Turns::sent`] → `Asking` → (the session answers) → `Hearing` → (nothing more to hear) → `Settled`.
#[derive(Debug)]
pub(crate) struct Turns {
    due: usize,
    taken: usize,
    inside: bool,
    /// Nothing was sent from here yet: every prompt that is heard of was in the session's own count already.
    first: bool,
    settling: Settling,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Settling {
    Settled,
    Asking,
    Hearing,
}

/// What an entry meant.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// A turn begins.
    Begins,
    /// The turn is over.
    Ends,
    /// It belongs to the turn that is running.
    Inside,
    /// It belongs to no turn: a loaded session is made whole.
    Outside,
}

impl Turns {
    pub(crate) fn new(status: &Status) -> Self {
        Self { due: status.turns_due, taken: 0, inside: false, first: true, settling: Settling::Asking }
    }

    /// A command was taken that may begin a turn. Nothing may be sent before all is settled for the first time.
    pub(crate) fn sent(&mut self) {
        self.first = false;
        self.settling = Settling::Asking;
    }

    /// Takes an entry of the main agent's.
    pub(crate) fn hear(&mut self, body: &Body) -> Heard {
        match body {
            Body::Queued(_) => self.take(),
            // It waited for a turn of its own, and was let into this one.
            Body::Prompt(prompt) if self.inside && prompt.queued.is_some() => {
                self.due = self.due.saturating_sub(1).max(1)
            }
            // The conversation begins anew in the middle of a turn.
            Body::Prompt(_) if self.inside => {}
            Body::Prompt(prompt) => {
                if prompt.queued.is_none() {
                    self.take();
                }
                return self.begin();
            }
            // A turn that was interrupted by the end of the program goes on without a new prompt.
            Body::Decision(_) | Body::Question(_) | Body::Started(_) | Body::Answer(_)
                if !self.inside && self.due > 0 =>
            {
                return self.begin();
            }
            Body::TurnEnd(_) if self.inside => return self.end(),
            _ => {}
        }
        if self.inside { Heard::Inside } else { Heard::Outside }
    }

    /// A turn ended without an entry.
    pub(crate) fn end(&mut self) -> Heard {
        self.inside = false;
        self.due = self.due.saturating_sub(1);
        self.settling = Settling::Asking;
        Heard::Ends
    }

    fn take(&mut self) {
        if self.first {
            return;
        }
        self.due += 1;
        self.taken += 1;
    }

    fn begin(&mut self) -> Heard {
        self.inside = true;
        // It may have been over before we first asked.
        self.due = self.due.max(1);
        Heard::Begins
    }

    /// Whether nothing is running and nothing will.
    pub(crate) fn idle(&self) -> bool {
        self.due == 0 && self.settled()
    }

    /// Whether everything was heard that followed from the last command.
    pub(crate) fn settled(&self) -> bool {
        self.settling == Settling::Settled
    }

    /// Whether a turn is running.
    pub(crate) fn inside(&self) -> bool {
        self.inside
    }

    /// How many prompts were taken so far.
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    /// Done when [`Turns::settle`] may be called. Wait for this last of all, after events: that nothing else was
    /// ready is what it tells.
    pub(crate) fn step<'a>(&self, session: &'a dyn SessionPort) -> impl Future<Output = ()> + use<'a> {
        let (settling, due) = (self.settling, self.due);
        async move {
            match settling {
                Settling::Settled => std::future::pending().await,
                Settling::Asking => quiet(session, due).await,
                Settling::Hearing => {}
            }
        }
    }

    /// One step further. True once, when all is settled.
    pub(crate) fn settle(&mut self) -> bool {
        self.settling = match self.settling {
            Settling::Asking => Settling::Hearing,
            Settling::Hearing | Settling::Settled => Settling::Settled,
        };
        self.settled()
    }
}

/// Waits until the session runs no more than `known` turns.
async fn quiet(session: &dyn SessionPort, known: usize) {
    for _ in 0..AGAIN {
        match session.query(Query::Status).await {
            Ok(Reply::Status(status)) if status.turns_due > known => tokio::time::sleep(AGAIN_AFTER).await,
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forelook_protocol::{
        Cost, Delivery, EndReason, EntryId, Prompt, Queued, Taken, TurnEnded, Usage, UserBlock,
    };

    fn prompt(queued: bool) -> Body {
        let queued = queued.then(|| EntryId(crate::testing::uuid(1)));
        Body::Prompt(Taken { content: vec![UserBlock::text("x")], queued, plan: None })
    }

    fn queued() -> Body {
        let prompt = Prompt { content: vec![UserBlock::text("x")], delivery: Delivery::Steer };
        Body::Queued(Queued { prompt })
    }

    fn end() -> Body {
        let (reason, usage, cost) = (EndReason::Done, Usage::default(), Cost::default());
        Body::TurnEnd(TurnEnded { reason, answers: 1, usage, cost, took_ms: 0, model_ms: 0 })
    }

    /// What is due after each entry, beginning with so many turns.
    fn due(first: bool, begun: usize, entries: &[Body]) -> Vec<usize> {
        let mut turns = Turns { due: begun, taken: 0, inside: false, first, settling: Settling::Settled };
        let after = |body| {
            turns.hear(body);
            turns.due
        };
        entries.iter().map(after).collect()
    }

    #[test]
    fn turns_are_counted_by_their_entries() {
        for (what, first, begun, entries, expected) in [
            ("one", false, 0, vec![prompt(false), end()], vec![1, 0]),
            ("two", false, 0, vec![prompt(false), queued(), end(), prompt(true), end()], vec![1, 2, 1, 1, 0]),
            ("steered", false, 0, vec![prompt(false), queued(), prompt(true), end()], vec![1, 2, 1, 0]),
            ("begun anew", false, 0, vec![prompt(false), prompt(false), end()], vec![1, 1, 0]),
            ("begun before us", true, 1, vec![prompt(false), end()], vec![1, 0]),
            ("over before us", true, 0, vec![prompt(false), end()], vec![1, 0]),
            ("an end that makes an old session whole", true, 0, vec![end()], vec![0]),
        ] {
            assert_eq!(due(first, begun, &entries), expected, "{what}");
        }
    }
}
