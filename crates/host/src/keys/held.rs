//! What a file or a command holds: one key, or several by provider.

use std::collections::BTreeMap;

use forelook_protocol::Secret;

use super::Alone;

/// Keys.
#[derive(Clone)]
pub(super) enum Held {
    /// One that stands alone.
    Alone(Secret),
    /// By provider.
    Each(BTreeMap<String, Secret>),
}

impl Held {
    /// Reads it. The error is in words that follow "it", and has nothing of the text in it.
    pub(super) fn read(text: &str) -> Result<Self, &'static str> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Err("is empty");
        }
        if text.starts_with('{') {
            // The parser's own words would repeat what stands there.
            return serde_json::from_str::<BTreeMap<String, Secret>>(text)
                .map(Self::Each)
                .map_err(|_| "is not JSON of the form {\"anthropic\": \"…\"}");
        }
        if text.lines().count() > 1 {
            return Err("has several lines where one key is wanted");
        }
        let key = text.strip_prefix("Bearer ").unwrap_or(text);
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("holds blanks or letters that no key has");
        }
        Ok(Self::Alone(Secret::new(text)))
    }

    /// The key of this provider.
    pub(super) fn of(&self, provider: &str, alone: Alone) -> Option<Secret> {
        match self {
            Held::Alone(key) => (alone == Alone::Ours).then(|| key.clone()),
            Held::Each(keys) => keys.get(provider).filter(|key| **key != Secret::new("")).cloned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_alone_or_several_by_provider() {
        for (text, provider, alone, expected) in [
            ("sk-1\n", "anthropic", Alone::Ours, Some("sk-1")),
            ("\u{feff} sk-1 \r\n", "anthropic", Alone::Ours, Some("sk-1")),
            ("Bearer t-1", "anthropic", Alone::Ours, Some("Bearer t-1")),
            ("sk-1", "openai", Alone::Anothers, None),
            (r#"{"openai": "sk-2", "groq": ""}"#, "openai", Alone::Anothers, Some("sk-2")),
            (r#"{"openai": "sk-2", "groq": ""}"#, "groq", Alone::Ours, None),
            (r#"{"openai": "sk-2"}"#, "anthropic", Alone::Ours, None),
        ] {
            let Ok(held) = Held::read(text) else { panic!("{text}") };
            assert_eq!(held.of(provider, alone), expected.map(Secret::new), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_without_the_text() {
        for text in ["", " \n", "sk-1\nsk-2", "sk 1", "sk-ü", "{\"a\": 5}", "{\"a\": \"sk-1\"", "{sk-1}"] {
            let Err(why) = Held::read(text) else { panic!("{text}") };
            assert!(!why.contains("sk"), "{why}");
        }
    }
}
