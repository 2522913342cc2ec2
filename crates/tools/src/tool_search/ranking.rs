//! Which tools fit a query, and how well.

/// Words that say nothing about what is looked for.
const STOP_WORDS: [&str; 22] = [
    "the", "and", "for", "with", "that", "this", "tool", "tools", "use", "to", "of", "in", "is", "my", "or",
    "an", "by", "it", "on", "at", "do", "me",
];

/// Bytes of a description that are searched: a server's may be of any length.
const MAX_TEXT: usize = 4000;

/// A search by words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Query {
    /// Any of these.
    wanted: Vec<String>,
    /// Words that the name must have.
    must: Vec<String>,
}

/// What is known of a tool, in words.
pub(super) struct Terms {
    /// The name in small letters.
    whole: String,
    name: Vec<String>,
    hint: Vec<String>,
    text: Vec<String>,
}

impl Query {
    /// Words; one with a `+` before it must be in the name.
    pub(super) fn parse(text: &str) -> Self {
        let (mut wanted, mut must) = (Vec::new(), Vec::new());
        for part in text.split_whitespace() {
            match part.strip_prefix('+') {
                // A name is asked for by all of its words.
                Some(part) => must.extend(words(part)),
                None => wanted.extend(words(part)),
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        Self { wanted, must }
    }
}

impl Terms {
    pub(super) fn new(name: &str, hint: &str, text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(MAX_TEXT)];
        Self { whole: name.to_lowercase(), name: words(name), hint: words(hint), text: words(text) }
    }

    /// How well it fits; nothing if it does not. A word of its name counts most, one of its hint more than one of its
    /// text.
    pub(super) fn score(&self, query: &Query) -> Option<u32> {
        if !query.must.iter().all(|word| self.names(word)) {
            return None;
        }
        let one = |word: &String| match () {
            () if *word == self.whole => 20,
            () if has(&self.name, word) => 10,
            () if has(&self.hint, word) => 4,
            () => u32::from(has(&self.text, word)),
        };
        let must = u32::try_from(query.must.len()).unwrap_or(u32::MAX).saturating_mul(10);
        let score = query.wanted.iter().map(one).sum::<u32>().saturating_add(must);
        (score > 0).then_some(score)
    }

    fn names(&self, word: &String) -> bool {
        *word == self.whole || has(&self.name, word)
    }
}

/// Whether a word is among these, or one that begins alike (`plan`, `planning`).
fn has(words: &[String], wanted: &str) -> bool {
    words.iter().any(|word| {
        let (short, long) =
            if word.len() < wanted.len() { (word.as_str(), wanted) } else { (wanted, word.as_str()) };
        short == long || (short.len() >= 4 && long.starts_with(short))
    })
}

/// The words of a text in small letters; those of a name such as `ExitPlanMode` one by one, and whole as well.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in text.split(|character: char| !character.is_alphanumeric()) {
        let mut before = false;
        let mut parts: Vec<String> = vec![String::new()];
        for character in run.chars() {
            if character.is_uppercase() && before {
                parts.push(String::new());
            }
            before = character.is_lowercase();
            if let Some(part) = parts.last_mut() {
                part.extend(character.to_lowercase());
            }
        }
        if parts.len() > 1 {
            words.push(parts.concat());
        }
        words.append(&mut parts);
    }
    words.retain(|word| word.chars().count() > 1 && !STOP_WORDS.contains(&word.as_str()));
    words.sort_unstable();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words() {
        for (text, expected) in [
            ("ExitPlanMode", &["exit", "exitplanmode", "mode", "plan"][..]),
            ("mcp__github__create_issue", &["create", "github", "issue", "mcp"]),
            ("Use the tool to list PRs, or a PR", &["list", "pr", "prs"]),
            ("Größe größe", &["größe"]),
            (" + - ", &[]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn the_best_is_what_is_named() {
        let issue = Terms::new("mcp__github__create_issue", "open bugs in a tracker", "Creates an issue.");
        let list = Terms::new("mcp__github__list_issues", "", "Lists what was reported, a bug or a wish.");
        let note = Terms::new("mcp__notes__create_note", "", "Creates a note in github style.");
        for (query, expected) in [
            ("create issue", [Some(20), Some(10), Some(10)]),
            ("+github create", [Some(20), Some(10), None]),
            ("+github +create", [Some(20), None, None]),
            ("+github", [Some(10), Some(10), None]),
            ("bugs", [Some(4), Some(0), None]),
            ("+mcp__notes create", [None, None, Some(30)]),
            ("+nothing create", [None, None, None]),
            ("github style", [Some(10), Some(10), Some(2)]),
            ("the tool", [None, None, None]),
        ] {
            let query = Query::parse(query);
            let scores = [&issue, &list, &note].map(|terms| terms.score(&query));
            let expected = expected.map(|score| score.filter(|&score| score > 0));
            assert_eq!(scores, expected, "{query:?}");
        }
    }
}
