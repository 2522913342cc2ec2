//! A whole line: refusals first, then the parts, then the worst of them.

use super::walk::Walker;
use crate::guard;
use crate::syntax::{self, Dialect};
use crate::types::{Analysis, LinePart, Verdict};
use crate::words::vars::Vars;

/// How deep a line stands inside others (`bash -c`), and which shell reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Nesting {
    depth: u8,
    dialect: Dialect,
}

/// `bash -c "bash -c '…'"` beyond this is unknown.
const MAX_DEPTH: u8 = 3;

impl Nesting {
    pub(crate) fn top() -> Self {
        Self { depth: 0, dialect: Dialect::Bash }
    }

    pub(crate) fn inside(self, dialect: Dialect) -> Option<Self> {
        (self.depth < MAX_DEPTH).then_some(Self { depth: self.depth + 1, dialect })
    }
}

pub(crate) fn analyse(line: &str, nesting: Nesting) -> Analysis {
    if let Some(why) = guard::rejection_reason(line) {
        return not_understood(why);
    }
    let script = match syntax::read(line, nesting.dialect) {
        Ok(script) => script,
        Err(error) => return not_understood(error.0),
    };
    let vars = Vars::of(&script);
    let mut walker = Walker::new(&script, &vars, nesting);
    walker.script(&script);
    conclude(walker.parts)
}

fn not_understood(why: String) -> Analysis {
    Analysis { verdict: Verdict::Unknown, why, parts: Vec::new(), parsed: false }
}

/// The verdict of the worst part; the first of the worst explains it.
fn conclude(parts: Vec<LinePart>) -> Analysis {
    let verdict = parts.iter().map(|p| p.verdict).max().unwrap_or(Verdict::ReadOnly);
    let worst = parts.iter().find(|p| p.verdict == verdict && p.why.is_some());
    let why = worst.map_or(String::new(), |part| {
        let why = part.why.as_deref().unwrap_or("");
        if parts.len() > 1 && !part.text.is_empty() {
            format!("{why} (in `{}`)", shorten(&part.text))
        } else {
            why.to_owned()
        }
    });
    Analysis { verdict, why, parts, parsed: true }
}

/// A part's text may be a page long; a sentence needs its beginning.
fn shorten(text: &str) -> String {
    const LONGEST: usize = 80;
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() <= LONGEST && line.len() == text.len() {
        line.to_owned()
    } else {
        line.chars().take(LONGEST).chain(['…']).collect()
    }
}
