//! Where keys come from: a variable of the environment, a command, a file; the first that has one counts.
//!
//! What a command or a file holds is either one key alone or JSON with the keys of several providers. A key alone
//! belongs to one provider: it must not go to another because a project names that one's model.

mod file;
mod helper;
mod key_set;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use forelook_protocol::{BoxFuture, Secret};
use forelook_providers::{KeyRequest, KeySource};

pub(crate) use file::KeyFile;
pub(crate) use helper::KeyHelper;
use key_set::KeySet;

/// Whose a key is that stands alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SingleKeyOwner {
    /// This provider's.
    ThisProvider,
    /// Another's.
    OtherProvider,
}

/// One place for a key.
pub(crate) enum KeyLocation {
    /// A variable of the environment that is set.
    Variable { name: String, key: Secret },
    /// A command.
    Helper(Arc<KeyHelper>, SingleKeyOwner),
    /// A file.
    File(Arc<KeyFile>, SingleKeyOwner),
}

impl KeyLocation {
    async fn key(&self, provider: &str, which: KeyRequest) -> Result<Option<Secret>, String> {
        match self {
            KeyLocation::Variable { key, .. } => Ok(Some(key.clone())),
            KeyLocation::Helper(helper, owner) => Ok(helper.key_set(which).await?.of(provider, *owner)),
            KeyLocation::File(file, owner) => Ok(file.key_set(which)?.of(provider, *owner)),
        }
    }

    fn origin(&self) -> String {
        match self {
            KeyLocation::Variable { name, .. } => format!("the variable `{name}`"),
            KeyLocation::Helper(helper, _) => format!("the command in {}", helper.setting()),
            KeyLocation::File(file, _) => format!("the file `{}`", file.path()),
        }
    }
}

/// The key of one provider.
pub(crate) struct KeyChain {
    provider: String,
    locations: Vec<KeyLocation>,
    /// What is said if no place has one; nothing: none is needed.
    missing: Option<String>,
    /// Which place had it.
    from: AtomicUsize,
}

impl KeyChain {
    pub(crate) fn new(provider: &str, locations: Vec<KeyLocation>, missing: Option<String>) -> Self {
        Self { provider: provider.to_owned(), locations, missing, from: AtomicUsize::new(0) }
    }
}

impl KeySource for KeyChain {
    fn key(&self, which: KeyRequest) -> BoxFuture<'_, Result<Option<Secret>, String>> {
        Box::pin(async move {
            for (at, location) in self.locations.iter().enumerate() {
                if let Some(key) = location.key(&self.provider, which).await? {
                    self.from.store(at, Ordering::Relaxed);
                    return Ok(Some(key));
                }
            }
            self.missing.clone().map_or(Ok(None), Err)
        })
    }

    fn origin(&self) -> String {
        let location = self.locations.get(self.from.load(Ordering::Relaxed));
        location.map_or_else(
            || "the provider's `keyVariable`, `keyFile`, or `keyHelper`".to_owned(),
            KeyLocation::origin,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(key: &str) -> KeyLocation {
        KeyLocation::Variable { name: "A_KEY".to_owned(), key: Secret::new(key) }
    }

    #[tokio::test]
    async fn the_first_place_that_has_one_counts_and_is_named() {
        let file = |text: &str| Arc::new(KeyFile::of_text("/keys", text));
        for (provider, locations, expected, origin) in [
            ("anthropic", vec![], None, "the provider's `keyVariable`, `keyFile`, or `keyHelper`"),
            (
                "anthropic",
                vec![variable("a"), KeyLocation::File(file("b"), SingleKeyOwner::ThisProvider)],
                Some("a"),
                "the variable `A_KEY`",
            ),
            (
                "anthropic",
                vec![KeyLocation::File(file("b"), SingleKeyOwner::ThisProvider)],
                Some("b"),
                "the file `/keys`",
            ),
            // A key alone is not handed to somebody else.
            (
                "groq",
                vec![KeyLocation::File(file("b"), SingleKeyOwner::OtherProvider)],
                None,
                "the file `/keys`",
            ),
            (
                "groq",
                vec![KeyLocation::File(file(r#"{"groq": "g"}"#), SingleKeyOwner::OtherProvider)],
                Some("g"),
                "the file `/keys`",
            ),
            (
                "groq",
                vec![KeyLocation::File(file("b"), SingleKeyOwner::OtherProvider), variable("c")],
                Some("c"),
                "the variable `A_KEY`",
            ),
        ] {
            let keys = KeyChain::new(provider, locations, None);
            let key = keys.key(KeyRequest::Cached).await.unwrap();
            assert_eq!(key, expected.map(Secret::new));
            assert_eq!(keys.origin(), origin);
        }
        let none = KeyChain::new("groq", vec![], Some("there is none".to_owned()));
        assert_eq!(none.key(KeyRequest::Cached).await, Err("there is none".to_owned()));
    }
}
