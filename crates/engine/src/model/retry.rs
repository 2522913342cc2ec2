//! Whether a request that failed is sent again, to whom, and after how long.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use forelook_protocol::{FailureKind, ProviderFailure};

/// How often an answer is asked for before the turn ends.
pub(crate) const ATTEMPTS: u32 = 10;

/// After this many attempts in vain a busy model's fallback is asked, if there is one.
const BEFORE_FALLBACK: u32 = 3;

const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// A server that wants longer than this is not waited for: a person may have better things to do, and is told.
const MOST_PATIENCE: Duration = Duration::from_mins(10);

/// What follows a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// The same model is asked again, after this time.
    Wait(Duration),
    /// The fallback is asked, at once.
    Fallback,
    /// Nobody is asked.
    GiveUp,
}

/// What follows when attempt number `attempt` failed. `chance` is any number; waits are spread by it, so that a
/// thousand programs that failed together do not come back together.
pub(crate) fn after(failure: &ProviderFailure, attempt: u32, has_fallback: bool, chance: u64) -> After {
    if !failure.kind.passes() || attempt >= ATTEMPTS {
        return After::GiveUp;
    }
    let busy = matches!(failure.kind, FailureKind::Overloaded | FailureKind::RateLimited);
    if has_fallback && busy && attempt >= BEFORE_FALLBACK {
        return After::Fallback;
    }
    match failure.retry_after_ms.map(Duration::from_millis) {
        Some(asked) if asked > MOST_PATIENCE => After::GiveUp,
        // Never earlier than it was asked for.
        Some(asked) => After::Wait(asked + asked.mul_f64(spread(chance) / 10.0)),
        None => {
            let doubled = FIRST_WAIT.saturating_mul(1 << attempt.saturating_sub(1).min(16));
            After::Wait(doubled.min(LONGEST_WAIT).mul_f64(0.75 + spread(chance) / 2.0))
        }
    }
}

/// From 0 to 1.
fn spread(chance: u64) -> f64 {
    (chance % 1024) as f64 / 1023.0
}

/// Any number. The standard library's random state is what there is without another dependency; ids are not drawn for
/// it, since a test counts them.
pub(crate) fn chance() -> u64 {
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
        let wait = |attempt, chance| match after(&failure(FailureKind::Server), attempt, false, chance) {
            After::Wait(time) => time.as_millis(),
            other => panic!("{other:?}"),
        };
        assert_eq!((wait(1, 0), wait(1, 1023)), (375, 625));
        assert_eq!((wait(2, 0), wait(3, 0), wait(9, 0)), (750, 1500, 22_500));
    }

    #[test]
    fn the_server_says_how_long_and_is_never_asked_earlier() {
        let asked = |ms| ProviderFailure { retry_after_ms: Some(ms), ..failure(FailureKind::RateLimited) };
        for chance in [0, 500, 1023] {
            let After::Wait(time) = after(&asked(4000), 1, false, chance) else { panic!() };
            assert!((4000..=4400).contains(&time.as_millis()), "{time:?}");
        }
        assert_eq!(after(&asked(3_600_000), 1, false, 0), After::GiveUp);
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
            assert_eq!(after(&failure(kind), 1, true, 0), After::GiveUp);
        }
        assert_eq!(after(&failure(FailureKind::Server), ATTEMPTS, true, 0), After::GiveUp);
    }

    #[test]
    fn a_fallback_is_for_busy_models_only() {
        assert_eq!(after(&failure(FailureKind::Overloaded), 3, true, 0), After::Fallback);
        assert!(matches!(after(&failure(FailureKind::Overloaded), 2, true, 0), After::Wait(_)));
        assert!(matches!(after(&failure(FailureKind::Overloaded), 3, false, 0), After::Wait(_)));
        assert!(matches!(after(&failure(FailureKind::Connection), 5, true, 0), After::Wait(_)));
    }
}
