//! What is known of one model.

use forelook_protocol::Price;

/// What is known of one model. What is not known is left to the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelFacts {
    /// How many tokens it can read and write together.
    pub window: Option<u64>,
    /// How many tokens it can write at once.
    pub output: Option<u64>,
    /// What it costs.
    pub price: Option<Price>,
    /// How it is asked to think before it answers.
    pub thinking: Thinking,
    /// How hard it is asked to try.
    pub effort: Option<Effort>,
    /// Whether it can see pictures. Where it cannot, it is told that there was one.
    pub images: Capability,
}

/// How a model is asked to think.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Thinking {
    /// Nothing is said about it.
    #[default]
    Unspecified,
    /// As much as it finds good.
    Adaptive,
    /// Up to this many tokens.
    Budget(u32),
}

/// How hard a model is asked to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

impl Effort {
    /// As all wires spell it.
    pub fn name(self) -> &'static str {
        match self {
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
        }
    }
}

/// Whether a model can do something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Capability {
    /// It can, or nobody knows.
    #[default]
    Assumed,
    /// It cannot.
    Absent,
}
