//! Names of tools and ids of calls as a service takes them. Other services and models allow more, and a conversation may
//! have begun with one of them; what a service refuses once it refuses in every later request.

use std::borrow::Cow;

/// What a service takes. Letters are always allowed, digits, `_` and `-`.
pub(crate) struct NameRules {
    /// The longest name of a tool.
    max_name: usize,
    /// The longest id of a call, in bytes.
    max_id: usize,
    /// An id may have any other character too.
    any_id: bool,
}

pub(crate) const ANTHROPIC: NameRules = NameRules { max_name: 128, max_id: usize::MAX, any_id: false };
pub(crate) const RESPONSES: NameRules = NameRules { max_name: 64, max_id: 64, any_id: true };
pub(crate) const CHAT: NameRules = NameRules { max_name: 64, max_id: 40, any_id: true };

impl NameRules {
    /// A call's id. The same id always becomes the same one, so that a result still finds its call, and two that differ
    /// stay different.
    pub(crate) fn id<'a>(&self, id: &'a str) -> Cow<'a, str> {
        let fits = (1..=self.max_id).contains(&id.len());
        if fits && (self.any_id || id.chars().all(allowed)) {
            return Cow::Borrowed(id);
        }
        let fingerprint = format!("_{:016x}", fingerprint(id));
        let mut short = replaced(id);
        // Only ASCII is left, so that it can be cut anywhere.
        short.truncate(self.max_id - fingerprint.len());
        Cow::Owned(short + &fingerprint)
    }

    /// A tool's name.
    pub(crate) fn name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        if (1..=self.max_name).contains(&name.len()) && name.chars().all(allowed) {
            return Cow::Borrowed(name);
        }
        let mut short = replaced(name);
        short.truncate(self.max_name);
        Cow::Owned(if short.is_empty() { "_".to_owned() } else { short })
    }
}

/// Whether a gateway keeps something of its own in this id, and must have it back: LiteLLM puts the seal of Gemini's
/// thinking there, without which Gemini refuses the conversation.
pub(crate) fn is_gateway_id(id: &str) -> bool {
    id.contains("__thought__")
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
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    const ALL: [NameRules; 3] = [ANTHROPIC, RESPONSES, CHAT];

    #[test]
    fn what_is_allowed_stays_as_it_is() {
        for rules in ALL {
            assert_eq!(rules.id("toolu_01-aZ"), "toolu_01-aZ");
            assert_eq!(rules.name("mcp__files__read-all"), "mcp__files__read-all");
        }
        // Some models must have their own ids back.
        assert_eq!(CHAT.id("functions.Read:0"), "functions.Read:0");
        assert_eq!(ANTHROPIC.id("functions.Read:0"), "functions_Read_0_43b4d2ddcda932ee");
    }

    #[test]
    fn names_are_short_enough() {
        assert_eq!(CHAT.name("multi_tool_use.parallel"), "multi_tool_use_parallel");
        assert_eq!(ANTHROPIC.name("read file"), "read_file");
        assert_eq!(ANTHROPIC.name(&"x".repeat(200)).len(), 128);
        for rules in ALL {
            assert_eq!(rules.name(""), "_");
            assert_eq!(rules.name(&"é".repeat(200)), "_".repeat(rules.max_name));
        }
    }

    proptest! {
        #[test]
        fn every_name_and_id_is_taken_and_ids_stay_apart(
            texts in prop::collection::hash_set("[a:_é\u{1f600} .-]{0,3}|[ab]{36,70}", 0..20),
        ) {
            for rules in ALL {
                let ids: HashSet<String> = texts.iter().map(|id| rules.id(id).into_owned()).collect();
                prop_assert_eq!(ids.len(), texts.len());
                for (text, id) in texts.iter().flat_map(|text| ids.iter().map(move |id| (text, id))) {
                    prop_assert!((1..=rules.max_id).contains(&id.len()));
                    prop_assert!(rules.any_id || id.chars().all(allowed));
                    prop_assert_eq!(&rules.id(id), id);
                    let name = rules.name(text);
                    prop_assert!((1..=rules.max_name).contains(&name.len()) && name.chars().all(allowed));
                }
            }
        }
    }
}
