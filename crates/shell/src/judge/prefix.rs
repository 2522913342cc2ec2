//! The beginning of a command that says what it is: what a rule for the next such command fixes.

use super::finding::Finding;
use super::options;
use crate::table::{self, CommandEffect, CommandSpec};
use crate::types::{LinePart, Word};

/// The words of a command that say what it is, as written: `git commit`, `npm run build`, `cargo test`. Nothing where the
/// tables do not know, or where a rule that leaves the rest open would be for everything.
#[must_use]
pub fn rule_prefix(part: &LinePart) -> Option<String> {
    let program = part.program()?;
    let args = part.words.get(1..)?;
    let count = 1 + leading(program, table::command(program)?, args)?;
    let words = part.words.get(..count)?;
    let texts: Option<Vec<&str>> = words.iter().map(plain).collect();
    texts.map(|texts| texts.join(" "))
}

/// How many of the arguments belong to it.
fn leading(name: &str, spec: &CommandSpec, args: &[Word]) -> Option<usize> {
    if spec.does == CommandEffect::Sends {
        return None;
    }
    if spec.sub.is_empty() {
        let is_exact = args.first().and_then(plain).is_some_and(|word| is_exact(spec, word));
        return spec.rule_operands.get("").filter(|_| !is_exact).and_then(|count| operands(args, *count));
    }
    let at = options::scan(name, spec, args, &mut Finding::read_only()).first_operand?;
    let (word, rest) = (plain(args.get(at)?)?, args.get(at + 1..)?);
    if is_exact(spec, word) {
        return None;
    }
    let more = match (spec.rule_operands.get(word), spec.sub.get(word)) {
        (Some(count), _) => operands(rest, *count)?,
        // What leaves the machine does not come back: a rule for it leaves nothing open.
        (None, Some(sub)) if sub.sub.is_empty() => (sub.does != CommandEffect::Sends).then_some(0)?,
        (None, sub) => leading(&format!("{name} {word}"), sub?, rest)?,
    };
    Some(at + 1 + more)
}

fn is_exact(spec: &CommandSpec, word: &str) -> bool {
    spec.exact_rules.iter().any(|exact| exact == word)
}

/// So many operands right at the beginning.
fn operands(args: &[Word], count: usize) -> Option<usize> {
    let first = args.get(..count)?;
    first.iter().all(|word| plain(word).is_some_and(|text| !text.starts_with('-'))).then_some(count)
}

/// A word that says the same in a rule.
fn plain(word: &Word) -> Option<&str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./@:+".contains(c);
    word.literal().filter(|text| *text == word.text && !text.is_empty() && text.chars().all(is_plain))
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_command_is() {
        for (line, expected) in [
            ("git commit -m 'a b'", Some("git commit")),
            ("git -C sub commit -m x", Some("git -C sub commit")),
            ("npm test -- --watch", Some("npm test")),
            ("npm run build -- --prod", Some("npm run build")),
            ("npm run", None),
            ("npm exec x", None),
            ("pnpm run lint", Some("pnpm run lint")),
            ("yarn build", Some("yarn build")),
            ("yarn run build", None),
            ("cargo build --release", Some("cargo build")),
            ("cargo test name", Some("cargo test")),
            ("make test", Some("make test")),
            ("make -j4 test", None),
            ("pytest -q tests", Some("pytest")),
            ("timeout 60 cargo test", Some("cargo test")),
            ("go run .", None),
            ("git push origin main", None),
            ("npm publish", None),
            ("cargo publish -p x", None),
            ("yarn publish", None),
            ("git config user.name x", None),
            ("git \"$x\"", None),
            ("git c'ommi't", None),
            ("rm -rf build", None),
            ("./deploy.sh prod", None),
            ("python3 x.py", None),
            ("docker run alpine", None),
            ("frobnicate all", None),
        ] {
            let analysis = crate::analyse(line);
            let part = analysis.parts.last().unwrap();
            assert_eq!(super::rule_prefix(part).as_deref(), expected, "{line}");
        }
    }
}
