//! Retries: whether a failed request is sent again, to which model, and after what backoff.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use forelook_protocol::{FailureKind, ProviderFailure};

/// How many attempts a request gets before the turn ends.
pub(crate) const MAX_ATTEMPTS: u32 = 10;

/// After this many failed attempts at a busy model, its fallback is tried, if it has one.
const BEFORE_FALLBACK: u32 = 3;

const FIRST_BACKOFF: Duration = Duration::from_millis(500);
const MAX_BACKOFF: Duration = Duration::from_secs(30);

/// If a server asks for a longer wait than this, the turn ends and says so: you may have better things to do.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(10);

/// What follows a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetryDecision {
    /// Try the same model again after this time.
    Backoff(Duration),
    /// Try the fallback at once.
    Fallback,
    /// Do not try again.
    GiveUp,
}

/// Decides what follows when attempt number `attempt` failed. `jitter_seed` is any number; it spreads the backoffs, so
/// that a thousand programs that failed together do not come back together.
pub(crate) fn retry_decision(
    failure: &ProviderFailure,
    attempt: u32,
    has_fallback: bool,
    jitter_seed: u64,
) -> RetryDecision {
    if !failure.kind.is_transient() || attempt >= MAX_ATTEMPTS {
        return RetryDecision::GiveUp;
    }
    let busy = matches!(failure.kind, FailureKind::Overloaded | FailureKind::RateLimited);
    if has_fallback && busy && attempt >= BEFORE_FALLBACK {
        return RetryDecision::Fallback;
    }
    match failure.retry_after_ms.map(Duration::from_millis) {
        Some(asked) if asked > MAX_RETRY_AFTER => RetryDecision::GiveUp,
        // Never earlier than the server asked for.
        Some(asked) => RetryDecision::Backoff(asked + asked.mul_f64(jitter(jitter_seed) / 10.0)),
        None => {
            let doubled = FIRST_BACKOFF.saturating_mul(1 << attempt.saturating_sub(1).min(16));
            RetryDecision::Backoff(doubled.min(MAX_BACKOFF).mul_f64(0.75 + jitter(jitter_seed) / 2.0))
        }
    }
}

/// From 0 to 1.
fn jitter(jitter_seed: u64) -> f64 {
    (jitter_seed % 1024) as f64 / 1023.0
}

/// Any number. The standard library's random state is what there is without another dependency; ids are not drawn for
/// it, since a test counts them.
pub(crate) fn jitter_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(kind: FailureKind) -> ProviderFailure {
        ProviderFailure::new(kind, "no")
    }

    #[test]
    fn waits_double_up_to_a_limit_and_are_spread() {
        let wait = |attempt, jitter_seed| match retry_decision(
            &failure(FailureKind::Server),
            attempt,
            false,
            jitter_seed,
        ) {
            RetryDecision::Backoff(time) => time.as_millis(),
            other => panic!("{other:?}"),
        };
        assert_eq!((wait(1, 0), wait(1, 1023)), (375, 625));
        assert_eq!((wait(2, 0), wait(3, 0), wait(9, 0)), (750, 1500, 22_500));
    }

    #[test]
    fn the_server_says_how_long_and_is_never_asked_earlier() {
        let asked = |ms| ProviderFailure { retry_after_ms: Some(ms), ..failure(FailureKind::RateLimited) };
        for jitter_seed in [0, 500, 1023] {
            let RetryDecision::Backoff(time) = retry_decision(&asked(4000), 1, false, jitter_seed) else {
                panic!()
            };
            assert!((4000..=4400).contains(&time.as_millis()), "{time:?}");
        }
        assert_eq!(retry_decision(&asked(3_600_000), 1, false, 0), RetryDecision::GiveUp);
    }

    #[test]
    fn what_does_not_pass_is_not_tried_again() {
        for kind in [
            FailureKind::Authentication,
            FailureKind::BadRequest,
            FailureKind::Garbled,
            FailureKind::ContextOverflow,
            FailureKind::ScriptEnded,
        ] {
            assert_eq!(retry_decision(&failure(kind), 1, true, 0), RetryDecision::GiveUp);
        }
        assert_eq!(
            retry_decision(&failure(FailureKind::Server), MAX_ATTEMPTS, true, 0),
            RetryDecision::GiveUp
        );
    }

    #[test]
    fn a_fallback_is_for_busy_models_only() {
        assert_eq!(retry_decision(&failure(FailureKind::Overloaded), 3, true, 0), RetryDecision::Fallback);
        assert!(matches!(
            retry_decision(&failure(FailureKind::Overloaded), 2, true, 0),
            RetryDecision::Backoff(_)
        ));
        assert!(matches!(
            retry_decision(&failure(FailureKind::Overloaded), 3, false, 0),
            RetryDecision::Backoff(_)
        ));
        assert!(matches!(
            retry_decision(&failure(FailureKind::Connection), 5, true, 0),
            RetryDecision::Backoff(_)
        ));
    }
}
