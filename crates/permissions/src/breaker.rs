//! When auto mode is available: its gate, and the denial counters.

use serde::{Deserialize, Serialize};

/// After this many denials in a row, the user is asked again.
pub const MAX_CONSECUTIVE_DENIALS: u32 = 3;

/// After this many denials in a session, the user is asked again.
pub const MAX_TOTAL_DENIALS: u32 = 20;

/// What the gate depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateInputs {
    /// There is a classifier that can judge actions.
    pub model_can_judge: bool,
    /// No setting has `disableAutoMode`.
    pub enabled: bool,
    /// The kill switch is not set.
    pub breaker_closed: bool,
    /// The user has confirmed what auto mode means.
    pub opted_in: bool,
    /// What the classifier denied.
    pub denials: DenialCounts,
}

/// Why auto mode is not available.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum GateClosed {
    /// The kill switch.
    #[error("it was turned off for all users")]
    Breaker,
    /// A setting.
    #[error("it is disabled in the settings (`disableAutoMode`)")]
    Disabled,
    /// There is no classifier that can judge actions.
    #[error("this version has no classifier to check actions")]
    Model,
    /// Too many denials.
    #[error("the classifier denied too many actions; approve one, or use another mode")]
    Denials,
    /// Not confirmed.
    #[error("you have not confirmed it yet")]
    NotOptedIn,
}

impl GateInputs {
    /// Whether auto mode may be on. If there are several reasons, the strongest is reported.
    pub fn gate(&self) -> Result<(), GateClosed> {
        match self {
            GateInputs { breaker_closed: false, .. } => Err(GateClosed::Breaker),
            GateInputs { enabled: false, .. } => Err(GateClosed::Disabled),
            GateInputs { model_can_judge: false, .. } => Err(GateClosed::Model),
            GateInputs { denials, .. } if denials.exceeded() => Err(GateClosed::Denials),
            GateInputs { opted_in: false, .. } => Err(GateClosed::NotOptedIn),
            GateInputs { .. } => Ok(()),
        }
    }
}

/// What the classifier denied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DenialCounts {
    /// Without an approval in between.
    pub consecutive: u32,
    /// In the whole session.
    pub total: u32,
}

impl DenialCounts {
    /// After one more denial.
    #[must_use]
    pub fn denied(self) -> Self {
        Self { consecutive: self.consecutive.saturating_add(1), total: self.total.saturating_add(1) }
    }

    /// After the user's approval: the count in a row starts over.
    #[must_use]
    pub fn approved(self) -> Self {
        Self { consecutive: 0, ..self }
    }

    /// Whether the user must be asked again.
    pub fn exceeded(self) -> bool {
        self.consecutive >= MAX_CONSECUTIVE_DENIALS || self.total >= MAX_TOTAL_DENIALS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters() {
        let twice = DenialCounts::default().denied().denied();
        assert!(!twice.exceeded());
        assert!(twice.denied().exceeded());
        assert!(!twice.approved().denied().exceeded());
        let many = (0..19).fold(DenialCounts::default(), |count, _| count.denied().approved());
        assert!(!many.exceeded());
        assert!(many.denied().approved().exceeded());
    }

    #[test]
    fn any_one_closes_the_gate() {
        let open = GateInputs {
            model_can_judge: true,
            enabled: true,
            breaker_closed: true,
            opted_in: true,
            denials: DenialCounts::default(),
        };
        assert_eq!(open.gate(), Ok(()));
        for (inputs, why) in [
            (GateInputs { model_can_judge: false, ..open }, GateClosed::Model),
            (GateInputs { enabled: false, ..open }, GateClosed::Disabled),
            (GateInputs { breaker_closed: false, opted_in: false, ..open }, GateClosed::Breaker),
            (GateInputs { opted_in: false, ..open }, GateClosed::NotOptedIn),
            (GateInputs { denials: DenialCounts { consecutive: 3, total: 3 }, ..open }, GateClosed::Denials),
        ] {
            assert_eq!(inputs.gate(), Err(why));
        }
    }
}
