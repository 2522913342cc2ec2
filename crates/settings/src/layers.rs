//! Layers: what each source says, side by side, and which single value wins.
//!
//! Layers are never merged into one tree. A value always knows who gave it, in which file and on
//! which line, so that every answer to "why" can point there.

use forelook_protocol::{AbsPath, Source};

use crate::keys::Key;
use crate::values::Value;

/// A value, and where it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layered<T> {
    /// The value.
    pub value: T,
    /// Who said it.
    pub source: Source,
    /// The file, if it was said in one.
    pub file: Option<AbsPath>,
    /// The line, counted from one; nothing if it was said in one word on the command line.
    pub line: Option<usize>,
}

/// The single value that counts: the one whose source weighs most ([`Source::precedence`]). Among equals
/// the last one counts, so a later file of a folder corrects an earlier one.
pub fn highest_precedence<T>(values: impl IntoIterator<Item = Layered<T>>) -> Option<Layered<T>> {
    values.into_iter().max_by_key(|layered| layered.source.precedence())
}

/// What one file, or the text of `--settings`, says.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// Whose it is.
    pub source: Source,
    /// The file, if it is one.
    pub file: Option<AbsPath>,
    /// The keys it sets, each once.
    pub found: Vec<SettingEntry>,
}

/// A key with its value in one file.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingEntry {
    /// Which key.
    pub key: &'static Key,
    /// Its value.
    pub value: Value,
    /// The line of the key.
    pub line: usize,
}

impl Layer {
    /// What this layer says for a key.
    pub fn get(&self, key: &Key) -> Option<&SettingEntry> {
        self.found.iter().find(|found| found.key.name == key.name)
    }

    /// The same value with this layer's name on it.
    pub(crate) fn attributed<T>(&self, value: T, line: usize) -> Layered<T> {
        Layered { value, source: self.source, file: self.file.clone(), line: Some(line) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order that the specification gives, lightest first.
    const ORDER: [Source; 6] = [
        Source::UserSettings,
        Source::ProjectSettings,
        Source::LocalSettings,
        Source::FlagSettings,
        Source::CliArg,
        Source::PolicySettings,
    ];

    fn layered(source: Source, value: u32) -> Layered<u32> {
        Layered { value, source, file: None, line: None }
    }

    #[test]
    fn of_any_two_the_later_in_the_order_wins() {
        for (low, lighter) in ORDER.into_iter().enumerate() {
            for heavier in ORDER.into_iter().skip(low + 1) {
                for pair in
                    [[layered(lighter, 1), layered(heavier, 2)], [layered(heavier, 2), layered(lighter, 1)]]
                {
                    assert_eq!(highest_precedence(pair).map(|won| won.value), Some(2), "{lighter} {heavier}");
                }
            }
        }
    }

    #[test]
    fn among_equals_the_last_wins() {
        let both = [layered(Source::PolicySettings, 1), layered(Source::PolicySettings, 2)];
        assert_eq!(highest_precedence(both).map(|won| won.value), Some(2));
        assert_eq!(highest_precedence::<u32>([]), None);
    }
}
