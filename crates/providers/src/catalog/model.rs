//! Models that are known.

use forelook_protocol::{Cost, Price};
use serde::Deserialize;

use super::{pieces, quoted, read};
use crate::{Capability, Effort, ModelFacts, Thinking};

const TEXT: &str = include_str!("../models.toml");
const MARK: &str = "[[model]]\n";

/// How much a model may think that must be told how much.
const BUDGET: u32 = 16_000;

/// A model that is known.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KnownModel {
    /// Its name, or the beginning of many names and a `*`.
    pub name: String,
    /// Whose it is; `*`: anybody may serve it.
    pub provider: String,
    /// What people call it.
    pub title: String,
    /// What people say for the newest of its kind.
    pub family: Option<String>,
    /// How many tokens it reads and writes together.
    pub window: Option<u64>,
    /// How many tokens it can write at once.
    pub output: Option<u64>,
    /// Dollars for a million tokens: read, written, read from the cache, written to the cache.
    price: Option<[f64; 4]>,
    images: Option<bool>,
    thinking: Option<ThinkingSupport>,
    effort: bool,
}

/// By what means a model can be made to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingSupport {
    /// It decides how much.
    Adaptive,
    /// It is told how much.
    Budget,
    /// By none.
    None,
}

impl ThinkingSupport {
    /// How the model is asked; `wanted` is the person's word, if there is one. Without one, only a model that decides by
    /// itself is asked: a budget costs on every question, the small ones too.
    pub fn thinking_for(self, wanted: Option<bool>) -> Thinking {
        match (self, wanted) {
            (ThinkingSupport::Adaptive, None | Some(true)) => Thinking::Adaptive,
            (ThinkingSupport::Budget, Some(true)) => Thinking::Budget(BUDGET),
            (ThinkingSupport::Adaptive | ThinkingSupport::Budget | ThinkingSupport::None, _) => {
                Thinking::Unspecified
            }
        }
    }
}

impl KnownModel {
    /// What is known of a provider's model: the longest name that fits. Of a model that somebody else serves only its
    /// abilities are known: windows and prices are the server's own.
    pub fn find(provider: &str, name: &str) -> Option<Self> {
        let bare = name.rsplit('/').next().unwrap_or(name).to_lowercase();
        let fitting = pieces(TEXT, MARK).filter_map(|piece| {
            let (known, whose) = (quoted(piece, "name")?, quoted(piece, "provider")?);
            let fits = if whose == provider { fits(known, name) } else { whose == "*" && fits(known, &bare) };
            fits.then_some((known.trim_end_matches('*').len(), !known.ends_with('*'), piece))
        });
        let (.., piece) = fitting.max_by_key(|(length, whole, _)| (*length, *whole))?;
        read(piece)
    }

    /// All models of a provider that have a name of their own.
    pub fn all_of(provider: &str) -> Vec<Self> {
        let own = pieces(TEXT, MARK).filter(|piece| {
            quoted(piece, "provider") == Some(provider)
                && quoted(piece, "name").is_some_and(|it| !it.ends_with('*'))
        });
        own.filter_map(read).collect()
    }

    /// The provider whose models are called like this.
    pub fn provider_of(name: &str) -> Option<&'static str> {
        let fitting = pieces(TEXT, MARK).find(|piece| {
            quoted(piece, "provider") != Some("*")
                && quoted(piece, "name").is_some_and(|known| fits(known, name))
        });
        fitting.and_then(|piece| quoted(piece, "provider"))
    }

    /// What it costs.
    pub fn price(&self) -> Option<Price> {
        let [input, output, cache_read, cache_write] = self.price?.map(per_million);
        Some(Price { input, output, cache_read, cache_write })
    }

    /// How it is asked. `thinking` and `effort` are what the person wants.
    pub fn facts(&self, thinking: Option<bool>, effort: Option<Effort>) -> ModelFacts {
        ModelFacts {
            window: self.window,
            output: self.output,
            price: self.price(),
            thinking: self.thinking.unwrap_or(ThinkingSupport::None).thinking_for(thinking),
            effort: effort.filter(|_| self.effort),
            images: if self.images == Some(false) { Capability::Absent } else { Capability::Assumed },
        }
    }
}

/// The newest model of a family, as `(provider, name)`.
pub fn newest(family: &str) -> Option<(&'static str, &'static str)> {
    let piece = pieces(TEXT, MARK).find(|piece| quoted(piece, "family") == Some(family))?;
    Some((quoted(piece, "provider")?, quoted(piece, "name")?))
}

/// Whether a name is this one, perhaps with a date behind it. A longer name is another model, of which nothing is known.
fn fits(known: &str, name: &str) -> bool {
    match known.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name.strip_prefix(known).is_some_and(is_date),
    }
}

/// `-20251001`, `-2026-04-23`, `@20251001`, `-latest`, and `-0`, which is how the first of a generation is also called.
fn is_date(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix(['-', '@']) else { return rest.is_empty() };
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    let only = rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    matches!(rest, "latest" | "0") || (only && digits == 8)
}

/// Dollars for a million tokens as billionths of a dollar for one.
fn per_million(dollars: f64) -> Cost {
    Cost((dollars * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Whole {
        model: Vec<KnownModel>,
    }

    fn whole() -> Vec<KnownModel> {
        toml::from_str::<Whole>(TEXT).unwrap().model
    }

    #[test]
    fn the_whole_file_is_what_its_pieces_are() {
        let whole = whole();
        let pieces: Vec<KnownModel> = pieces(TEXT, MARK).map(|piece| read(piece).unwrap()).collect();
        assert_eq!(pieces, whole);
        for (at, model) in whole.iter().enumerate() {
            let name = &model.name;
            assert!(whole[..at].iter().all(|before| before.name != *name), "{name} stands twice");
            assert!(!model.title.is_empty() && !name.is_empty(), "{name}");
            assert!(
                model.provider == "*" || super::super::KnownProvider::find(&model.provider).is_some(),
                "{name}"
            );
            if let (Some(window), Some(output)) = (model.window, model.output) {
                assert!((1_000..=2_000_000).contains(&window) && (1_000..window).contains(&output), "{name}");
            }
            if let Some([input, output, cache_read, cache_write]) = model.price {
                assert!(input > 0.0 && output > input && output < 200.0, "{name}");
                assert!(cache_read > 0.0 && cache_read < input && cache_write >= input, "{name}");
            }
            if name.ends_with('*') {
                assert!(model.price.is_none() && model.window.is_none() && model.family.is_none(), "{name}");
            } else {
                assert_eq!(KnownModel::find(&model.provider, name).as_ref(), Some(model));
            }
        }
    }

    #[test]
    fn the_longest_name_that_fits_is_found() {
        for (provider, name, expected) in [
            ("anthropic", "claude-sonnet-4-5-20250929", Some("claude-sonnet-4-5")),
            ("anthropic", "claude-sonnet-4-20250514", Some("claude-sonnet-4")),
            ("anthropic", "claude-opus-4-0", Some("claude-opus-4")),
            ("anthropic", "claude-opus-4-9", Some("claude-*")),
            ("anthropic", "claude-haiku-4-5@20251001", Some("claude-haiku-4-5")),
            ("anthropic", "claude-3-7-sonnet-latest", Some("claude-3-7-sonnet")),
            ("anthropic", "gpt-5", None),
            ("openai", "gpt-5.4-mini-2026-03-17", Some("gpt-5.4-mini")),
            ("openai", "gpt-5.4-nano", Some("gpt-*")),
            ("openai", "gpt-5-2025-08-07", Some("gpt-5")),
            ("ollama", "gpt-oss:20b", Some("gpt-oss*")),
            ("together", "meta-llama/Llama-3.3-70B-Instruct-Turbo", Some("llama-3.3*")),
            ("ollama", "claude-sonnet-5", None),
            ("openrouter", "anthropic/claude-sonnet-5", None),
            ("anthropic", "", None),
        ] {
            let found = KnownModel::find(provider, name).map(|found| found.name);
            assert_eq!(found.as_deref(), expected, "{provider}/{name}");
        }
        assert_eq!(KnownModel::provider_of("claude-new-9"), Some("anthropic"));
        assert_eq!(KnownModel::provider_of("gpt-5.2"), Some("openai"));
        assert_eq!(KnownModel::provider_of("qwen3-coder"), None);
    }

    #[test]
    fn dollars_for_a_million_are_billionths_for_one() {
        let model = KnownModel::find("anthropic", "claude-haiku-5-5").unwrap();
        let price =
            Price { input: Cost(100), output: Cost(500), cache_read: Cost(10), cache_write: Cost(125) };
        assert_eq!(model.price(), Some(price));
    }

    #[test]
    fn a_model_is_asked_for_what_it_can() {
        let thinking = |name: &str, wanted| {
            KnownModel::find("anthropic", name).unwrap().facts(wanted, Some(Effort::High)).thinking
        };
        assert_eq!(thinking("claude-sonnet-5", None), Thinking::Adaptive);
        assert_eq!(thinking("claude-sonnet-5", Some(false)), Thinking::Unspecified);
        assert_eq!(thinking("claude-haiku-4-5", None), Thinking::Unspecified);
        assert_eq!(thinking("claude-haiku-4-5", Some(true)), Thinking::Budget(BUDGET));
        assert_eq!(thinking("claude-3-haiku", Some(true)), Thinking::Unspecified);
        let effort =
            |name: &str| KnownModel::find("openai", name).unwrap().facts(None, Some(Effort::Low)).effort;
        assert_eq!((effort("gpt-5"), effort("gpt-4.1")), (Some(Effort::Low), None));
        assert_eq!(
            KnownModel::find("ollama", "gpt-oss").unwrap().facts(None, None).images,
            Capability::Absent
        );
    }

    #[test]
    fn a_family_has_a_newest_member() {
        for (family, expected) in [
            ("sonnet", Some(("anthropic", "claude-sonnet-5-5"))),
            ("opus", Some(("anthropic", "claude-opus-5-5"))),
            ("haiku", Some(("anthropic", "claude-haiku-5-5"))),
            ("gpt", Some(("openai", "gpt-6.1-sol"))),
            ("tabby", None),
        ] {
            assert_eq!(newest(family), expected);
        }
    }
}
