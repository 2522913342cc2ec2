//! Brace expansion, for the plain forms: `a{b,c}d` and `{1..5}`, not nested.

/// A character of a word after quote removal, or a gap whose text is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Symbol {
    /// A character; quoted ones have no special meaning.
    Char(char, bool),
    /// One stretch of unknown text inside this word; `plain` if it does not begin with a dash, `contained` if it cannot lead
    /// out of the folder that stands before it.
    Gap { plain: bool, contained: bool, min_length: MinLength },
    /// Unknown text that may be split into any number of words.
    Split,
}

/// How little a gap can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MinLength {
    /// Some text.
    Text,
    /// The empty text.
    Empty,
    /// Not even a word, if nothing else stands in it: empty and unquoted.
    Nothing,
}

impl MinLength {
    /// Of a stretch that can be empty.
    pub(super) fn empty(quoted: bool) -> Self {
        if quoted { Self::Empty } else { Self::Nothing }
    }
}

/// More alternatives than this are treated as unknown.
const MAX_WORDS: usize = 64;

/// All words that a word stands for; `None` where it is too intricate to say.
pub(super) fn expand(word: Vec<Symbol>) -> Option<Vec<Vec<Symbol>>> {
    let mut done = vec![Vec::new()];
    let mut rest: &[Symbol] = &word;
    while let Some(open) = rest.iter().position(|s| *s == Symbol::Char('{', false)) {
        let (before, from) = rest.split_at(open);
        let inner = from.get(1..)?;
        let Some(close) = inner.iter().position(|s| *s == Symbol::Char('}', false)) else {
            // No closing brace: literal, unless a comma suggests that we misread something.
            return (!inner.contains(&Symbol::Char(',', false))).then(|| append(done, rest));
        };
        let (content, after) = inner.split_at(close);
        if content.contains(&Symbol::Char('{', false)) {
            return None;
        }
        done = append(done, before);
        done = match alternatives(content)? {
            Some(options) => product(&done, &options)?,
            None => append(done, from.get(..close + 2)?),
        };
        rest = after.get(1..)?;
    }
    Some(append(done, rest))
}

fn append(mut words: Vec<Vec<Symbol>>, tail: &[Symbol]) -> Vec<Vec<Symbol>> {
    for word in &mut words {
        word.extend_from_slice(tail);
    }
    words
}

fn product(words: &[Vec<Symbol>], options: &[Vec<Symbol>]) -> Option<Vec<Vec<Symbol>>> {
    if words.len().saturating_mul(options.len()) > MAX_WORDS {
        return None;
    }
    Some(
        words
            .iter()
            .flat_map(|w| options.iter().map(move |o| [w.as_slice(), o.as_slice()].concat()))
            .collect(),
    )
}

/// What stands between braces: `Some(None)` for a literal such as `{}`, `None` for what is not understood.
#[expect(clippy::option_option, reason = "not understood and not an expansion are different answers")]
fn alternatives(content: &[Symbol]) -> Option<Option<Vec<Vec<Symbol>>>> {
    if content.contains(&Symbol::Char(',', false)) {
        return Some(Some(
            content.split(|s| *s == Symbol::Char(',', false)).map(<[Symbol]>::to_vec).collect(),
        ));
    }
    let text: Option<String> =
        content.iter().map(|s| if let Symbol::Char(c, false) = s { Some(*c) } else { None }).collect();
    match text {
        Some(text) if text.contains("..") => sequence(&text).map(Some),
        _ if content.windows(2).any(|w| w == [Symbol::Char('.', false), Symbol::Char('.', false)]) => None,
        _ => Some(None),
    }
}

/// `1..5`; letters and steps are left to the "unknown" answer.
fn sequence(text: &str) -> Option<Vec<Vec<Symbol>>> {
    let (from, to) = text.split_once("..")?;
    let plain = |t: &str| {
        !t.is_empty()
            && t.len() < 6
            && t.bytes().all(|b| b.is_ascii_digit())
            && (t == "0" || !t.starts_with('0'))
    };
    if !plain(from) || !plain(to) {
        return None;
    }
    let (from, to): (usize, usize) = (from.parse().ok()?, to.parse().ok()?);
    let range: Vec<usize> = if from <= to { (from..=to).collect() } else { (to..=from).rev().collect() };
    (range.len() <= MAX_WORDS).then(|| {
        range.iter().map(|n| n.to_string().chars().map(|c| Symbol::Char(c, true)).collect()).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::{Symbol, expand};

    fn check(word: &str, expected: Option<&[&str]>) {
        let syms = word.chars().map(|c| Symbol::Char(c, false)).collect();
        let words = expand(syms).map(|all| {
            let text = |w: &Vec<Symbol>| {
                w.iter()
                    .filter_map(|s| if let Symbol::Char(c, _) = s { Some(*c) } else { None })
                    .collect::<String>()
            };
            all.iter().map(text).collect::<Vec<_>>()
        });
        assert_eq!(
            words.as_deref().map(|w| w.iter().map(String::as_str).collect::<Vec<_>>()).as_deref(),
            expected,
            "{word}"
        );
    }

    #[test]
    fn plain_forms_expand() {
        check("a{b,c}d", Some(&["abd", "acd"]));
        check("{a,b}{1,2}", Some(&["a1", "a2", "b1", "b2"]));
        check("{1..3}", Some(&["1", "2", "3"]));
        check("{3..1}x", Some(&["3x", "2x", "1x"]));
        check("{}", Some(&["{}"]));
        check("HEAD@{1}", Some(&["HEAD@{1}"]));
        check("{a", Some(&["{a"]));
    }

    #[test]
    fn the_rest_is_not_understood() {
        check("{a,{b,c}}", None);
        check("{a,b", None);
        check("{a..z}", None);
        check("{1..999}", None);
    }
}
