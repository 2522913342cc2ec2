//! Names and ids as this wire takes them. Other providers allow more characters, and a conversation may have begun with
//! one of them.

use std::borrow::Cow;

/// The longest name of a tool.
const MAX_NAME_LENGTH: usize = 128;

/// A call's id. The same id always becomes the same one, so that a result still finds its call, and two that differ
/// stay different.
pub(super) fn id(id: &str) -> Cow<'_, str> {
    if !id.is_empty() && id.chars().all(allowed) {
        return Cow::Borrowed(id);
    }
    Cow::Owned(format!("{}_{:016x}", replaced(id), fingerprint(id)))
}

/// A tool's name.
pub(super) fn name(name: &str) -> Cow<'_, str> {
    if (1..=MAX_NAME_LENGTH).contains(&name.len()) && name.chars().all(allowed) {
        return Cow::Borrowed(name);
    }
    let mut short = replaced(name);
    // Only ASCII is left, so that it can be cut anywhere.
    short.truncate(MAX_NAME_LENGTH);
    Cow::Owned(if short.is_empty() { "_".to_owned() } else { short })
}

fn allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn replaced(text: &str) -> String {
    text.chars().map(|c| if allowed(c) { c } else { '_' }).collect()
}

/// FNV-1a: the same in every version of the program, which the hashes of the standard library do not promise.
fn fingerprint(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_stays_as_it_is() {
        assert_eq!(id("toolu_01-aZ"), "toolu_01-aZ");
        assert_eq!(name("mcp__files__read-all"), "mcp__files__read-all");
    }

    #[test]
    fn ids_stay_apart_and_stay_the_same() {
        assert_eq!(id("call:1"), id("call:1"));
        assert_ne!(id("call:1"), id("call.1"));
        for odd in ["", "call:1", "fc|x", "ä b"] {
            let mapped = id(odd);
            assert!(!mapped.is_empty() && mapped.chars().all(allowed), "{mapped}");
        }
    }

    #[test]
    fn names_are_short_enough() {
        assert_eq!(name("read file"), "read_file");
        assert_eq!(name(""), "_");
        assert_eq!(name(&"x".repeat(200)).len(), 128);
        assert_eq!(name(&"é".repeat(200)), "_".repeat(128));
    }
}
