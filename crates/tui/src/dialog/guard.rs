//! Keeps keys from answering a question that was not there when they were typed.

/// How long nothing may have been typed before keys count.
const CALM_MS: u64 = 350;

/// Watches keys from the moment a question appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyGuard {
    /// Until when keys are not for the question; nothing once it has been calm.
    until: Option<u64>,
}

impl KeyGuard {
    /// A question appears now, in milliseconds.
    pub(crate) fn begin(now: u64) -> Self {
        Self { until: Some(now + CALM_MS) }
    }

    /// Whether a key that was typed now is for the question. In a burst that began before, each key prolongs it.
    pub(crate) fn allows(&mut self, now: u64) -> bool {
        match self.until {
            Some(until) if now < until => {
                self.until = Some(now + CALM_MS);
                false
            }
            _ => {
                self.until = None;
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_key_after_a_calm_counts() {
        let mut guard = KeyGuard::begin(1000);
        assert!(!guard.allows(1100));
        // 349 ms after the last key, in a burst that goes on.
        assert!(!guard.allows(1449));
        assert!(guard.allows(1449 + 350));
        assert!(guard.allows(1800));
    }
}
