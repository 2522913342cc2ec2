//! What is known of models: what they can read, and what they cost.

use serde::{Deserialize, Serialize};

use crate::Usage;

/// Money, in billionths of a dollar: a token of the cheapest model still costs a whole number of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens.
    pub usage: Usage,
    /// What they cost, as far as the price was known.
    pub cost: Cost,
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.usage += other.usage;
        self.cost += other.cost;
    }
}

/// A model that a person may choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
}
