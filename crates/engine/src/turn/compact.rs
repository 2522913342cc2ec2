//! Where a conversation that fills the model's window is made shorter.
//!
//! Nothing makes it shorter yet: the turn ends with the reason, and says what a person can do.

use forelook_protocol::{EndReason, FailureKind, ProviderFailure};

/// Why the conversation must become shorter.
pub(super) enum CompactReason {
    /// The model filled its window while it answered.
    Full,
    /// The provider refused a request that is longer than the window.
    Refused(ProviderFailure),
}

/// Makes the conversation shorter; how the turn ends, if that cannot be done.
pub(super) fn compact(why: CompactReason) -> Result<(), EndReason> {
    let failure = match why {
        CompactReason::Refused(failure) => failure,
        CompactReason::Full => ProviderFailure::new(
            FailureKind::ContextOverflow,
            "The conversation has filled the model's context window",
        )
        .hint("Start a new session, or continue this one with a model that has a larger context window"),
    };
    Err(EndReason::Provider { failure })
}
