//! What is known about models: their limits and their prices.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Usage;

/// An amount of money, in billionths of a dollar: even a token of the cheapest model costs a whole number of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Cost(pub u64);

impl Cost {
    /// The amount in dollars, for display.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }
}

/// The price of one token, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Price {
    /// Input.
    pub input: Cost,
    /// Output.
    pub output: Cost,
    /// Cache read.
    pub cache_read: Cost,
    /// Cache write.
    pub cache_write: Cost,
}

impl Price {
    /// The cost of this usage.
    pub fn of(&self, usage: &Usage) -> Cost {
        let parts = [
            (usage.input_tokens, self.input),
            (usage.output_tokens, self.output),
            (usage.cache_read_input_tokens, self.cache_read),
            (usage.cache_creation_input_tokens, self.cache_write),
        ];
        Cost(parts.iter().fold(0, |sum, (tokens, each)| sum.saturating_add(tokens.saturating_mul(each.0))))
    }
}

/// The usage of one model, and what it cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelUsage {
    /// The tokens.
    pub usage: Usage,
    /// The cost.
    pub cost: TotalCost,
}

impl ModelUsage {
    /// The usage of one response; `cost` is `None` if the price is unknown.
    pub fn new(usage: Usage, cost: Option<Cost>) -> Self {
        let cost = match cost {
            Some(cost) => TotalCost::Exact(cost),
            // No usage costs nothing, whatever the price.
            None if usage == Usage::default() => TotalCost::default(),
            None => TotalCost::AtLeast(Cost::default()),
        };
        Self { usage, cost }
    }
}

impl std::ops::AddAssign for ModelUsage {
    fn add_assign(&mut self, other: Self) {
        self.usage += other.usage;
        self.cost += other.cost;
    }
}

/// A cost, as far as prices were known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TotalCost {
    /// The complete cost.
    Exact(Cost),
    /// Some of the usage had no known price; this is the cost of the rest.
    AtLeast(Cost),
}

impl TotalCost {
    /// The known part of the cost.
    pub fn known(self) -> Cost {
        match self {
            Self::Exact(cost) | Self::AtLeast(cost) => cost,
        }
    }
}

impl Default for TotalCost {
    fn default() -> Self {
        Self::Exact(Cost::default())
    }
}

impl std::ops::AddAssign for TotalCost {
    fn add_assign(&mut self, other: Self) {
        let mut sum = self.known();
        sum += other.known();
        *self = match (&self, other) {
            (Self::Exact(_), Self::Exact(_)) => Self::Exact(sum),
            _ => Self::AtLeast(sum),
        };
    }
}

/// A model that the user can choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelInfo {
    /// Its name, as `provider/name`.
    pub name: String,
    /// Its display name.
    pub title: String,
    /// Its context window, in tokens.
    pub window: Option<u64>,
    /// Its output limit, in tokens.
    pub output: Option<u64>,
    /// Its prices.
    pub price: Option<Price>,
    /// What is missing before it can be used; absent if nothing is.
    pub missing: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_token_has_its_price() {
        let price =
            Price { input: Cost(3000), output: Cost(15_000), cache_read: Cost(300), cache_write: Cost(3750) };
        let usage = Usage {
            input_tokens: 10,
            output_tokens: 100,
            cache_read_input_tokens: 1000,
            cache_creation_input_tokens: 2,
        };
        assert_eq!(price.of(&usage), Cost(30_000 + 1_500_000 + 300_000 + 7_500));
        assert_eq!(Cost(1_837_500).dollars(), 0.001_837_5);
        assert_eq!(price.of(&Usage { input_tokens: u64::MAX, ..usage }), Cost(u64::MAX));
    }

    #[test]
    fn a_price_that_is_not_known_is_not_a_price_of_nothing() {
        let spent = |cost, output_tokens| ModelUsage::new(Usage { output_tokens, ..Usage::default() }, cost);
        let mut sum = ModelUsage::default();
        for (cost, tokens, expected) in [
            (Some(Cost(5)), 1, TotalCost::Exact(Cost(5))),
            (Some(Cost(0)), 1, TotalCost::Exact(Cost(5))),
            (None, 0, TotalCost::Exact(Cost(5))),
            (None, 1, TotalCost::AtLeast(Cost(5))),
            (Some(Cost(2)), 1, TotalCost::AtLeast(Cost(7))),
        ] {
            sum += spent(cost, tokens);
            assert_eq!(sum.cost, expected);
        }
        assert_eq!(sum.usage.output_tokens, 4);
    }
}
