//! Texts with places to fill in.

/// A text with each `{name}` replaced by its value, in one pass: braces in a value are left alone, so nothing that a
/// person or a model wrote is ever taken for a place.
pub(crate) fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim_end();
    while let Some(open) = rest.find('{') {
        let (before, from_open) = rest.split_at(open);
        out.push_str(before);
        let filled = values.iter().find_map(|(name, value)| {
            let after = from_open.strip_prefix('{')?.strip_prefix(name)?.strip_prefix('}')?;
            Some((value, after))
        });
        match filled {
            Some((value, after)) => {
                out.push_str(value);
                rest = after;
            }
            None => {
                out.push('{');
                rest = &from_open[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// A text as a block of Markdown that nothing inside it can close.
pub(crate) fn fenced(text: &str) -> String {
    let ticks = |line: &str| line.trim_start().bytes().take_while(|byte| *byte == b'`').count();
    let longest = text.lines().map(ticks).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}markdown\n{}\n{fence}", text.trim_end())
}

/// A text as a quotation in Markdown.
pub(crate) fn quoted(text: &str) -> String {
    let quote = |line: &str| if line.is_empty() { ">".to_owned() } else { format!("> {line}") };
    text.trim_matches('\n').trim_end().lines().map(quote).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_once() {
        for (text, expected) in [
            ("plain\n", "plain"),
            ("{a} and {b}", "{b} and 2"),
            ("{a}{a}", "{b}{b}"),
            ("{c} {} { {a", "{c} {} { {a"),
            ("{{b}}", "{2}"),
        ] {
            assert_eq!(fill(text, &[("a", "{b}"), ("b", "2")]), expected);
        }
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("a\n"), "```markdown\na\n```");
        assert_eq!(fenced("`a` and ````"), "```markdown\n`a` and ````\n```");
        assert_eq!(fenced("````\na\n````"), "`````markdown\n````\na\n````\n`````");
    }

    #[test]
    fn every_line_is_quoted() {
        assert_eq!(quoted("\n  a\n\nb\n"), ">   a\n>\n> b");
        assert_eq!(quoted(" \n"), "");
    }
}
