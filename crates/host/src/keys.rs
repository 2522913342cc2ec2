//! Where keys come from: a variable of the environment, a command, a file; the first that has one counts.
//!
//! What a command or a file holds is either one key alone or JSON with the keys of several providers. A key alone
//! belongs to one provider: it must not go to another because a project names that one's model.

mod file;
mod held;
mod helper;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use forelook_protocol::{Boxed, Secret};
use forelook_providers::{KeySource, WhichKey};

pub(crate) use file::KeyFile;
use held::Held;
pub(crate) use helper::Helper;

/// Whose a key is that stands alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alone {
    /// This provider's.
    Ours,
    /// Another's.
    Anothers,
}

/// One place for a key.
pub(crate) enum Place {
    /// A variable of the environment that is set.
    Variable { name: String, key: Secret },
    /// A command.
    Helper(Arc<Helper>, Alone),
    /// A file.
    File(Arc<KeyFile>, Alone),
}

impl Place {
    async fn key(&self, provider: &str, which: WhichKey) -> Result<Option<Secret>, String> {
        match self {
            Place::Variable { key, .. } => Ok(Some(key.clone())),
            Place::Helper(helper, alone) => Ok(helper.held(which).await?.of(provider, *alone)),
            Place::File(file, alone) => Ok(file.held(which)?.of(provider, *alone)),
        }
    }

    fn origin(&self) -> String {
        match self {
            Place::Variable { name, .. } => format!("the variable `{name}`"),
            Place::Helper(helper, _) => format!("the command of {}", helper.setting()),
            Place::File(file, _) => format!("the file `{}`", file.path()),
        }
    }
}

/// The key of one provider.
pub(crate) struct Keys {
    provider: String,
    places: Vec<Place>,
    /// What is said if no place has one; nothing: none is needed.
    missing: Option<String>,
    /// Which place had it.
    from: AtomicUsize,
}

impl Keys {
    pub(crate) fn new(provider: &str, places: Vec<Place>, missing: Option<String>) -> Self {
        Self { provider: provider.to_owned(), places, missing, from: AtomicUsize::new(0) }
    }
}

impl KeySource for Keys {
    fn key(&self, which: WhichKey) -> Boxed<'_, Result<Option<Secret>, String>> {
        Box::pin(async move {
            for (at, place) in self.places.iter().enumerate() {
                if let Some(key) = place.key(&self.provider, which).await? {
                    self.from.store(at, Ordering::Relaxed);
                    return Ok(Some(key));
                }
            }
            self.missing.clone().map_or(Ok(None), Err)
        })
    }

    fn origin(&self) -> String {
        let place = self.places.get(self.from.load(Ordering::Relaxed));
        place.map_or_else(|| "nowhere: no key is set".to_owned(), Place::origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(key: &str) -> Place {
        Place::Variable { name: "A_KEY".to_owned(), key: Secret::new(key) }
    }

    #[tokio::test]
    async fn the_first_place_that_has_one_counts_and_is_named() {
        let file = |text: &str| Arc::new(KeyFile::of_text("/keys", text));
        for (provider, places, expected, origin) in [
            ("anthropic", vec![], None, "nowhere: no key is set"),
            (
                "anthropic",
                vec![variable("a"), Place::File(file("b"), Alone::Ours)],
                Some("a"),
                "the variable `A_KEY`",
            ),
            ("anthropic", vec![Place::File(file("b"), Alone::Ours)], Some("b"), "the file `/keys`"),
            // A key alone is not handed to somebody else.
            ("groq", vec![Place::File(file("b"), Alone::Anothers)], None, "the file `/keys`"),
            (
                "groq",
                vec![Place::File(file(r#"{"groq": "g"}"#), Alone::Anothers)],
                Some("g"),
                "the file `/keys`",
            ),
            (
                "groq",
                vec![Place::File(file("b"), Alone::Anothers), variable("c")],
                Some("c"),
                "the variable `A_KEY`",
            ),
        ] {
            let keys = Keys::new(provider, places, None);
            let key = keys.key(WhichKey::Known).await.unwrap();
            assert_eq!(key, expected.map(Secret::new));
            assert_eq!(keys.origin(), origin);
        }
        let none = Keys::new("groq", vec![], Some("there is none".to_owned()));
        assert_eq!(none.key(WhichKey::Known).await, Err("there is none".to_owned()));
    }
}
