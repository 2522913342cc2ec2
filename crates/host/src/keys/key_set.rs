//! What a file or a command holds: one key, or several by provider.

use std::collections::BTreeMap;

use forelook_protocol::Secret;

use super::SingleKeyOwner;

/// Keys.
#[derive(Clone)]
pub(super) enum KeySet {
    /// One that stands alone.
    Single(Secret),
    /// By provider.
    PerProvider(BTreeMap<String, Secret>),
}

impl KeySet {
    /// Reads it. The error is in words that follow "it", and has nothing of the text in it.
    pub(super) fn read(text: &str) -> Result<Self, &'static str> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Err("is empty");
        }
        if text.starts_with('{') {
            // The parser's own words would repeat what stands there.
            return serde_json::from_str::<BTreeMap<String, Secret>>(text)
                .map(Self::PerProvider)
                .map_err(|_| "is not JSON of the form {\"anthropic\": \"…\"}");
        }
        if text.lines().count() > 1 {
            return Err("has several lines instead of one key");
        }
        let key = text.strip_prefix("Bearer ").unwrap_or(text);
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("contains spaces or characters that are not valid in a key");
        }
        Ok(Self::Single(Secret::new(text)))
    }

    /// The key of this provider.
    pub(super) fn of(&self, provider: &str, owner: SingleKeyOwner) -> Option<Secret> {
        match self {
            KeySet::Single(key) => (owner == SingleKeyOwner::ThisProvider).then(|| key.clone()),
            KeySet::PerProvider(keys) => keys.get(provider).filter(|key| **key != Secret::new("")).cloned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_alone_or_several_by_provider() {
        for (text, provider, owner, expected) in [
            ("sk-1\n", "anthropic", SingleKeyOwner::ThisProvider, Some("sk-1")),
            ("\u{feff} sk-1 \r\n", "anthropic", SingleKeyOwner::ThisProvider, Some("sk-1")),
            ("Bearer t-1", "anthropic", SingleKeyOwner::ThisProvider, Some("Bearer t-1")),
            ("sk-1", "openai", SingleKeyOwner::OtherProvider, None),
            (r#"{"openai": "sk-2", "groq": ""}"#, "openai", SingleKeyOwner::OtherProvider, Some("sk-2")),
            (r#"{"openai": "sk-2", "groq": ""}"#, "groq", SingleKeyOwner::ThisProvider, None),
            (r#"{"openai": "sk-2"}"#, "anthropic", SingleKeyOwner::ThisProvider, None),
        ] {
            let Ok(key_set) = KeySet::read(text) else { panic!("{text}") };
            assert_eq!(key_set.of(provider, owner), expected.map(Secret::new), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_without_the_text() {
        for text in ["", " \n", "sk-1\nsk-2", "sk 1", "sk-ü", "{\"a\": 5}", "{\"a\": \"sk-1\"", "{sk-1}"] {
            let Err(why) = KeySet::read(text) else { panic!("{text}") };
            assert!(!why.contains("sk"), "{why}");
        }
    }
}
