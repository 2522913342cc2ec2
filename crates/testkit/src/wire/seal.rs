//! What proves that thinking is the server's own: made from the thinking, so that no memory is needed to check it.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

/// How the id of an item ends that reasoning came before. OpenAI refuses it without that reasoning.
pub(super) const AFTER_REASONING: &str = "_reasoned";

/// The seal of a piece of thinking.
pub(super) fn of(thinking: &str) -> String {
    // FNV-1a: enough to notice that a byte has changed.
    let hash = thinking
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("sealed+{hash:016x}/{}==", thinking.len())
}

/// Whether a piece of thinking came back as it went out.
pub(super) fn check(thinking: &str, seal: &str) -> Result<(), String> {
    let expected = of(thinking);
    if seal == expected {
        return Ok(());
    }
    Err(format!("thinking came back changed: {thinking:?} has the seal `{seal}`, it should be `{expected}`"))
}

/// Which seals must come back, by model and call: an answer with calls in it may not lose its thinking.
#[derive(Debug, Default)]
pub(super) struct ExpectedSeals(Mutex<HashMap<CallKey, HashSet<Vec<String>>>>);

/// A model and the id of a call of its.
type CallKey = (String, String);

impl ExpectedSeals {
    /// An answer of this model had these seals and calls.
    pub(super) fn record(&self, model: &str, seals: &[String], calls: &[String]) {
        let mut expected_seals = self.0.lock().unwrap();
        for call in calls {
            expected_seals.entry((model.to_owned(), call.clone())).or_default().insert(seals.to_vec());
        }
    }

    /// Whether an answer that came back still has the seals that it went out with.
    pub(super) fn check(&self, model: &str, seals: &[String], calls: &[String]) -> Result<(), String> {
        let expected_seals = self.0.lock().unwrap();
        for call in calls {
            let known = expected_seals.get(&(model.to_owned(), call.clone()));
            if known.is_some_and(|known| !known.contains(seals)) {
                return Err(format!(
                    "the answer with the call `{call}` came back with the seals {seals:?}, it had {known:?}"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_thought_is_noticed() {
        let seal = of("Hm.");
        assert_eq!(check("Hm.", &seal), Ok(()));
        assert!(check("Hm", &seal).is_err());
        assert!(check("Hm.", &of("Hn.")).is_err());
    }

    #[test]
    fn a_lost_thought_is_noticed() {
        let expected_seals = ExpectedSeals::default();
        let (seals, calls) = (vec![of("Hm.")], vec!["c1".to_owned()]);
        expected_seals.record("m", &seals, &calls);
        assert_eq!(expected_seals.check("m", &seals, &calls), Ok(()));
        assert!(expected_seals.check("m", &[], &calls).is_err());
        assert_eq!(expected_seals.check("another", &[], &calls), Ok(()), "it never had that thought");
    }
}
