//! What is known of models: what they can read, and what they cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Usage;

/// Money, in billionths of a dollar: a token of the cheapest model still costs a whole number of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Cost(pub u64);

impl Cost {
    /// As dollars, for whoever shows it.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }
}

/// What one token costs, by what is done with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Price {
    /// Read.
    pub input: Cost,
    /// Written.
    pub output: Cost,
    /// Read from the provider's cache.
    pub cache_read: Cost,
    /// Read, and written to the provider's cache.
    pub cache_write: Cost,
}

impl Price {
    /// What this much costs.
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

/// What one model has been used for, and at what cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spent {
    /// Tokens.
    pub usage: Usage,
    /// What they cost.
    pub cost: Bill,
}

impl Spent {
    /// What one answer took; `cost` is nothing where the price is not known.
    pub fn on(usage: Usage, cost: Option<Cost>) -> Self {
        let cost = match cost {
            Some(cost) => Bill::Whole(cost),
            // Nothing costs nothing, whatever the price.
            None if usage == Usage::default() => Bill::default(),
            None => Bill::AtLeast(Cost::default()),
        };
        Self { usage, cost }
    }
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.usage += other.usage;
        self.cost += other.cost;
    }
}

/// What something cost, as far as prices were known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bill {
    /// All of it.
    Whole(Cost),
    /// Some of it had no known price; this is the sum of the rest.
    AtLeast(Cost),
}

impl Bill {
    /// What is known of it.
    pub fn known(self) -> Cost {
        match self {
            Self::Whole(cost) | Self::AtLeast(cost) => cost,
        }
    }
}

impl Default for Bill {
    fn default() -> Self {
        Self::Whole(Cost::default())
    }
}

impl std::ops::AddAssign for Bill {
    fn add_assign(&mut self, other: Self) {
        let mut sum = self.known();
        sum += other.known();
        *self = match (&self, other) {
            (Self::Whole(_), Self::Whole(_)) => Self::Whole(sum),
            _ => Self::AtLeast(sum),
        };
    }
}

/// A model that a person may choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelListed {
    /// As `provider/name`.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// How many tokens it can read.
    pub window: Option<u64>,
    /// How many tokens it can write at once.
    pub output: Option<u64>,
    /// What it costs.
    pub price: Option<Price>,
    /// Whether it can be asked as things are; why not, if not.
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
        let spent = |cost, output_tokens| Spent::on(Usage { output_tokens, ..Usage::default() }, cost);
        let mut sum = Spent::default();
        for (cost, tokens, expected) in [
            (Some(Cost(5)), 1, Bill::Whole(Cost(5))),
            (Some(Cost(0)), 1, Bill::Whole(Cost(5))),
            (None, 0, Bill::Whole(Cost(5))),
            (None, 1, Bill::AtLeast(Cost(5))),
            (Some(Cost(2)), 1, Bill::AtLeast(Cost(7))),
        ] {
            sum += spent(cost, tokens);
            assert_eq!(sum.cost, expected);
        }
        assert_eq!(sum.usage.output_tokens, 4);
    }
}
