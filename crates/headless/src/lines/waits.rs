//! Calls that take long, and when a line says so.

use std::collections::HashMap;

use forelook_protocol::{AgentId, CallId};

/// Nothing is said before.
const FIRST_MS: u64 = 5_000;
/// A line is said at least this often, while a call runs.
const LONGEST_MS: u64 = 60_000;

/// A call of the main agent's, or of a subagent's.
type Key = (Option<AgentId>, CallId);

/// When something was last said of each call that is running. Lines stay, so there are ever fewer of them: after 5, 10,
/// 20, 40 and 80 seconds, then every minute.
#[derive(Default)]
pub(super) struct Waits {
    said: HashMap<Key, u64>,
}

impl Waits {
    /// Whether a line is due now; it then counts as said.
    pub(super) fn due(&mut self, call: &Key, elapsed_ms: u64) -> bool {
        let next = self.said.get(call).map_or(FIRST_MS, |&last| (last * 2).min(last + LONGEST_MS));
        let due = elapsed_ms >= next;
        if due {
            self.said.insert(call.clone(), elapsed_ms);
        }
        due
    }

    /// The call has ended.
    pub(super) fn over(&mut self, call: &Key) {
        self.said.remove(call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ever_fewer_lines_and_one_a_minute_at_last() {
        let mut waits = Waits::default();
        let key = |call: &str| (None, CallId(call.into()));
        let said = |waits: &mut Waits, call: &str| -> Vec<u64> {
            (1..=300).filter(|second| waits.due(&key(call), second * 1000)).collect()
        };
        assert_eq!(said(&mut waits, "a"), [5, 10, 20, 40, 80, 140, 200, 260]);
        assert_eq!(said(&mut waits, "b")[..2], [5, 10], "each call by itself");
        waits.over(&key("a"));
        assert!(waits.due(&key("a"), 5_000), "an id that comes again begins anew");
    }
}
