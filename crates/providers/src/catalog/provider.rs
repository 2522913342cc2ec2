//! Providers that are known.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::{pieces, quoted, read};
use crate::WireFormat;

const TEXT: &str = include_str!("../providers.toml");
const MARK: &str = "[[provider]]\n";

/// A provider that is known.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownProvider {
    /// What stands before the slash.
    pub id: String,
    /// What people call it.
    pub title: String,
    /// How it is spoken to.
    #[serde(deserialize_with = "named")]
    pub wire_format: WireFormat,
    /// Its base address.
    pub base: String,
    /// Variables that may hold its key, the first one first; none: it needs no key.
    #[serde(default)]
    pub keys: Vec<String>,
    /// The one of these whose value is a token, and goes with the word `Bearer`.
    #[serde(default)]
    pub token: Option<String>,
    /// The variable that moves its base address.
    #[serde(default)]
    pub address: Option<String>,
    /// The name of its small, fast model.
    #[serde(default)]
    pub small: Option<String>,
    /// It runs on the person's own machine.
    #[serde(default)]
    pub local: bool,
}

impl KnownProvider {
    /// The provider with this id.
    pub fn find(id: &str) -> Option<Self> {
        pieces(TEXT, MARK).find(|piece| quoted(piece, "id") == Some(id)).and_then(read)
    }

    /// The ids of all of them.
    pub fn ids() -> impl Iterator<Item = &'static str> {
        pieces(TEXT, MARK).filter_map(|piece| quoted(piece, "id"))
    }
}

/// The form of wire with this name.
pub fn wire_format(name: &str) -> Option<WireFormat> {
    [WireFormat::Anthropic, WireFormat::Responses, WireFormat::Chat]
        .into_iter()
        .find(|wire_format| wire_format.name() == name)
}

fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<WireFormat, D::Error> {
    wire_format(&String::deserialize(deserializer)?)
        .ok_or_else(|| D::Error::custom("there is no such wire format"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Whole {
        provider: Vec<KnownProvider>,
    }

    #[test]
    fn the_whole_file_is_what_its_pieces_are() {
        let whole: Whole = toml::from_str(TEXT).unwrap();
        let found: Vec<_> = KnownProvider::ids().map(|id| KnownProvider::find(id).unwrap()).collect();
        assert_eq!(found, whole.provider);
        for provider in found {
            let safe = provider.base.starts_with("https://") && !provider.keys.is_empty();
            let near = provider.base.starts_with("http://127.0.0.1:") && provider.keys.is_empty();
            assert!(if provider.local { near } else { safe }, "{}", provider.id);
            assert!(!provider.base.ends_with('/'), "{}", provider.id);
            assert!(provider.token.is_none_or(|token| provider.keys.contains(&token)));
        }
        assert_eq!(KnownProvider::find("nobody"), None);
    }
}
