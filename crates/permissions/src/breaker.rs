//! When auto mode may be on: the gate, and the counters of denials.

use serde::{Deserialize, Serialize};

/// So many denials in a row, and a person is asked again.
pub const DENIALS_IN_A_ROW: u32 = 3;

/// So many denials in a session, and a person is asked again.
pub const DENIALS_IN_ALL: u32 = 20;

/// What the gate depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateInputs {
    /// The model can judge.
    pub model_can_judge: bool,
    /// No setting has `disableAutoMode`.
    pub enabled: bool,
    /// The kill switch has not been thrown.
    pub breaker_closed: bool,
    /// The person has once confirmed what auto mode means.
    pub opted_in: bool,
    /// What the classifier denied.
    pub denials: Denials,
}

/// Why auto mode cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum GateClosed {
    /// The kill switch.
    #[error("auto mode was switched off for everybody")]
    Breaker,
    /// A setting.
    #[error("the settings switch auto mode off (`disableAutoMode`)")]
    Disabled,
    /// The model.
    #[error("the model cannot judge actions")]
    Model,
    /// Too many denials.
    #[error("too many actions were denied; approve one, or work in another mode")]
    Denials,
    /// Not confirmed.
    #[error("nobody has confirmed yet what auto mode means")]
    NotOptedIn,
}

impl GateInputs {
    /// Whether auto mode may be on. Of several reasons the one that weighs most is told.
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
pub struct Denials {
    /// Without an approval in between.
    pub in_a_row: u32,
    /// In the whole session.
    pub in_all: u32,
}

impl Denials {
    /// After one more denial.
    #[must_use]
    pub fn denied(self) -> Self {
        Self { in_a_row: self.in_a_row.saturating_add(1), in_all: self.in_all.saturating_add(1) }
    }

    /// After a person's approval: the row begins anew.
    #[must_use]
    pub fn approved(self) -> Self {
        Self { in_a_row: 0, ..self }
    }

    /// Whether a person must be asked again.
    pub fn exceeded(self) -> bool {
        self.in_a_row >= DENIALS_IN_A_ROW || self.in_all >= DENIALS_IN_ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters() {
        let twice = Denials::default().denied().denied();
        assert!(!twice.exceeded());
        assert!(twice.denied().exceeded());
        assert!(!twice.approved().denied().exceeded());
        let many = (0..19).fold(Denials::default(), |count, _| count.denied().approved());
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
            denials: Denials::default(),
        };
        assert_eq!(open.gate(), Ok(()));
        for (inputs, why) in [
            (GateInputs { model_can_judge: false, ..open }, GateClosed::Model),
            (GateInputs { enabled: false, ..open }, GateClosed::Disabled),
            (GateInputs { breaker_closed: false, opted_in: false, ..open }, GateClosed::Breaker),
            (GateInputs { opted_in: false, ..open }, GateClosed::NotOptedIn),
            (GateInputs { denials: Denials { in_a_row: 3, in_all: 3 }, ..open }, GateClosed::Denials),
        ] {
            assert_eq!(inputs.gate(), Err(why));
        }
    }
}
