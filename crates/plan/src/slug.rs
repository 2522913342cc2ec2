//! Names of plans: `calm-weaving-otter`, out of three lists of words that anyone can say aloud.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use forelook_protocol::{IdGenerator, to_hex};

/// A word a line, sorted; a test keeps them short, plain and different.
const ADJECTIVES: &str = include_str!("words/adjectives.txt");
const VERBS: &str = include_str!("words/verbs.txt");
const NOUNS: &str = include_str!("words/nouns.txt");

/// Longer than any name that is drawn, and short enough that what is added to it stays a file name.
const MAX_LENGTH: usize = 100;
/// What stands between a plan's name and an agent's in the name of the agent's plan.
pub(crate) const AGENT: &str = "-agent-";
/// How much of an agent's id stands in a file name.
const MAX_ID: usize = 64;
const MAX_DRAWS: usize = 10;

/// Whether this can be the name of a plan. Names come back from journals and become parts of paths, so nothing but
/// lower-case letters, digits and single dashes is one; nor is the name of an agent's plan.
pub fn is_slug(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.len() <= MAX_LENGTH
        && text.split('-').all(|word| !word.is_empty() && word.bytes().all(plain))
        && !text.contains(AGENT)
}

/// Whether this is a name as they are drawn here: three words of the lists, and maybe a suffix.
pub(crate) fn is_generated(text: &str) -> bool {
    let mut parts = text.split('-');
    let known = [ADJECTIVES, VERBS, NOUNS]
        .iter()
        .all(|list| parts.next().is_some_and(|word| list.lines().any(|known| known == word)));
    known && parts.next().is_none_or(is_hex) && parts.next().is_none()
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A name that is not taken. After ten that are, one gets a suffix; should even that be taken, a suffix as long as
/// the id, which was never used before.
pub(crate) fn generate(ids: &dyn IdGenerator, is_taken: impl Fn(&str) -> bool) -> String {
    for _ in 0..MAX_DRAWS {
        let (name, _) = words(ids);
        if !is_taken(&name) {
            return name;
        }
    }
    let (name, suffix) = words(ids);
    let short = format!("{name}-{}", to_hex(&suffix[..4]));
    if !is_taken(&short) {
        return short;
    }
    let (name, suffix) = words(ids);
    format!("{name}-{}", to_hex(&suffix))
}

/// Three words, and what is left of the id they were drawn from. The id is hashed: one that only counts up gives
/// other words each time too.
fn words(ids: &dyn IdGenerator) -> (String, [u8; 16]) {
    let digest: [u8; 32] = Sha256::digest(ids.next().as_bytes()).into();
    let (drawn, rest) = digest.split_at(16);
    let word = |list: &'static str, starts: &[u16], at: usize| {
        let number =
            drawn[at..].iter().take(4).fold(0_usize, |number, byte| number << 8 | usize::from(*byte));
        let start = starts.get(number % starts.len().max(1)).copied().unwrap_or_default();
        list.get(usize::from(start)..).and_then(|rest| rest.lines().next()).unwrap_or("plan")
    };
    let name = format!(
        "{}-{}-{}",
        word(ADJECTIVES, const { &starts::<{ length(ADJECTIVES) }>(ADJECTIVES).0 }, 0),
        word(VERBS, const { &starts::<{ length(VERBS) }>(VERBS).0 }, 4),
        word(NOUNS, const { &starts::<{ length(NOUNS) }>(NOUNS).0 }, 8)
    );
    (name, std::array::from_fn(|at| rest[at]))
}

/// How many words a list has, counted when the program is built, and so are their places: drawing a name stands in the
/// way of entering plan mode.
const fn length(list: &str) -> usize {
    starts::<0>(list).1
}

/// Where the first words of a list begin, and how many it has.
const fn starts<const WORDS: usize>(list: &str) -> ([u16; WORDS], usize) {
    let (bytes, mut starts, mut count) = (list.as_bytes(), [0; WORDS], 0);
    let (mut at, mut start) = (0, 0);
    while at < bytes.len() {
        if bytes[at] == b'\n' {
            if count < WORDS {
                starts[count] = start;
            }
            count += 1;
            start = at as u16 + 1;
        }
        at += 1;
    }
    (starts, count)
}

/// The name as part of a file name. What is no name, as a spoilt journal may have it, becomes a hash, so that a path
/// made with it is of nobody else's file.
pub(crate) fn stem(slug: &str) -> Cow<'_, str> {
    match is_slug(slug) {
        true => Cow::Borrowed(slug),
        false => Cow::Owned(format!("unnamed.{}", to_hex(&Sha256::digest(slug)[..8]))),
    }
}

/// The text as part of a file name: as it is if it is plain, else what is plain of it and a hash, so that two
/// different texts never share a name.
pub(crate) fn file_part(text: &str) -> String {
    let plain = |char: &char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_');
    let kept: String = text.chars().filter(plain).take(MAX_ID).collect();
    match kept == text && !kept.is_empty() {
        true => kept,
        false => format!("{kept}.{}", to_hex(&Sha256::digest(text)[..4])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::SequentialIds;
    use proptest::prelude::*;
    use std::cell::RefCell;
    use std::collections::HashSet;

    #[test]
    fn the_lists_are_long_and_plain() {
        let mut all = HashSet::new();
        for list in [ADJECTIVES, VERBS, NOUNS] {
            assert!(list.lines().count() > 200);
            assert!(list.lines().is_sorted());
            for word in list.lines() {
                assert!(all.insert(word), "`{word}` twice");
                assert!((3..=10).contains(&word.len()), "{word}");
                assert!(word.bytes().all(|byte| byte.is_ascii_lowercase()), "{word}");
            }
        }
        assert!(VERBS.lines().all(|verb| verb.ends_with("ing")));
        // It would make the names of agents' plans.
        assert!(!all.contains("agent"));
        let names: usize = [ADJECTIVES, VERBS, NOUNS].iter().map(|list| list.lines().count()).product();
        assert!(names > 8_000_000, "{names}");
    }

    #[test]
    fn names_vary_and_are_names() {
        let ids = SequentialIds::default();
        let names: HashSet<String> = (0..1000).map(|_| generate(&ids, |_| false)).collect();
        assert!(names.len() > 995, "{} different names", names.len());
        for name in &names {
            assert!(is_slug(name) && is_generated(name), "{name}");
        }
        let first: HashSet<&str> = names.iter().filter_map(|name| name.split('-').next()).collect();
        assert!(first.len() > 200, "{} different adjectives", first.len());
    }

    #[test]
    fn ten_draws_then_a_suffix_then_a_long_one() {
        let asked = RefCell::new(Vec::new());
        let no_end_of_collisions = |name: &str| {
            asked.borrow_mut().push(name.to_owned());
            true
        };
        let last = generate(&SequentialIds::default(), no_end_of_collisions);
        let asked = asked.into_inner();
        let parts = |name: &String| name.split('-').map(str::len).collect::<Vec<_>>();
        assert_eq!(asked.len(), 11);
        assert!(asked[..10].iter().all(|name| parts(name).len() == 3), "{asked:?}");
        assert_eq!(parts(&asked[10])[3], 8);
        assert_eq!(parts(&last)[3], 32);
        assert!(is_slug(&last) && is_generated(&last) && is_generated(&asked[10]), "{last}");
        assert_eq!(generate(&SequentialIds::default(), |name| name.split('-').count() == 3), asked[10]);
    }

    #[test]
    fn what_is_a_name() {
        for name in ["calm-weaving-otter", "a", "plan-2", "calm-weaving-otter-0a1b2c3d"] {
            assert!(is_slug(name), "{name}");
        }
        let long = "a".repeat(101);
        for name in [
            "",
            "-a",
            "a-",
            "a--b",
            "..",
            "a..b",
            "../a",
            "a/b",
            "/a",
            "A",
            "a.md",
            "a b",
            "a\n",
            "a\0",
            "ä",
            "calm-weaving-otter-agent-1",
            &long,
        ] {
            assert!(!is_slug(name), "{name}");
        }
        for name in ["a", "calm-weaving", "otter-weaving-calm", "calm-weaving-otter-", "calm-weaving-otter-x"]
        {
            assert!(!is_generated(name), "{name}");
        }
    }

    proptest! {
        #[test]
        fn a_file_part_is_one_name_and_no_others(one in ".{0,80}", other in ".{0,80}") {
            let part = file_part(&one);
            prop_assert!(!part.is_empty() && part.len() < 80 && !part.contains(['/', '\0', '\n']));
            prop_assert!(!part.contains(".."));
            prop_assert_eq!(part == file_part(&other), one == other);
        }
    }
}
