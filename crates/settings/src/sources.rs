//! Which settings files are read (`--setting-sources`).

use forelook_protocol::{Source, nearest};

use crate::sanitize::sanitized;

const NAMES: [(&str, Source); 3] =
    [("user", Source::UserSettings), ("project", Source::ProjectSettings), ("local", Source::LocalSettings)];

/// A word in `--setting-sources` that names none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Unknown settings source `{word}`\n{hint}")]
pub struct UnknownSource {
    word: String,
    hint: String,
}

/// Reads the value of `--setting-sources`: `user`, `project` and `local`, separated by commas. An empty one means none
/// of them, which is what hosts send that bring all settings themselves.
pub fn parse_setting_sources(text: &str) -> Result<Vec<Source>, UnknownSource> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(source).collect()
}

fn source(word: &str) -> Result<Source, UnknownSource> {
    NAMES.iter().find(|(name, _)| *name == word).map(|(_, source)| *source).ok_or_else(|| {
        let near = nearest(word, NAMES.map(|(name, _)| name));
        let hint = near.map_or_else(
            || "Use `user`, `project`, and `local`".to_owned(),
            |near| format!("Did you mean `{near}`?"),
        );
        UnknownSource { word: sanitized(word), hint }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sources_or_are_named() {
        use Source::{LocalSettings, ProjectSettings, UserSettings};
        for (text, expected) in [
            ("user,project,local", Ok(vec![UserSettings, ProjectSettings, LocalSettings])),
            (" local , user", Ok(vec![LocalSettings, UserSettings])),
            ("", Ok(vec![])),
            ("users", Err("Unknown settings source `users`\nDid you mean `user`?")),
            (
                "user managed",
                Err("Unknown settings source `user managed`\nUse `user`, `project`, and `local`"),
            ),
        ] {
            let found = parse_setting_sources(text).map_err(|error| error.to_string());
            assert_eq!(
                found.as_deref().map_err(String::as_str),
                expected.as_deref().map_err(|text| *text),
                "{text}"
            );
        }
    }
}
