//! A whole line: refusals first, then the parts, then the worst of them.

use super::folder::{Place, Untrusted};
use super::motion::Motions;
use super::severity;
use super::walk::Walker;
use crate::guard;
use crate::syntax::{self, Dialect};
use crate::table;
use crate::types::{Analysis, LinePart, Verdict, WorkingFolder};
use crate::words::vars::{Vars, matches_name};

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

    pub(crate) fn is_top(self) -> bool {
        self.depth == 0
    }

    pub(crate) fn inside(self, dialect: Dialect) -> Option<Self> {
        (self.depth < MAX_DEPTH).then_some(Self { depth: self.depth + 1, dialect })
    }
}

/// Where and how a line begins.
#[derive(Debug, Clone)]
pub(crate) struct LineStart {
    pub nesting: Nesting,
    pub place: Place,
    pub untrusted: Untrusted,
    /// Something may come in through its input.
    pub has_input: bool,
}

impl LineStart {
    /// A line that is given to the shell itself.
    pub(crate) fn top() -> Self {
        let place = Place::start(WorkingFolder::Start);
        Self { nesting: Nesting::top(), place, untrusted: Untrusted::default(), has_input: false }
    }
}

pub(crate) fn analyse(line: &str, start: LineStart) -> Analysis {
    if let Some(why) = guard::rejection_reason(line) {
        return not_understood(why);
    }
    let script = match syntax::read(line, start.nesting.dialect) {
        Ok(script) => script,
        Err(error) => return not_understood(error.0),
    };
    let mut vars = Vars::of(&script);
    if start.untrusted.home {
        vars.forget("HOME");
    }
    let motions = Motions::of(&script, &vars, line);
    let mut walker = Walker::new(&script, &vars, motions, start);
    walker.script(&script);
    let mut parts = walker.parts;
    judge_exports(&mut parts);
    conclude(parts)
}

fn not_understood(why: String) -> Analysis {
    Analysis { verdict: Verdict::Unknown, why, parts: Vec::new(), parsed: false }
}

/// A variable that no table calls dangerous may be exported where all else only reads. Where something does more, nobody
/// knows what the variable means to it, and a rule for that program does not speak for it.
fn judge_exports(parts: &mut [LinePart]) {
    if parts.iter().all(|part| part.command_verdict == Verdict::ReadOnly) {
        return;
    }
    let listed = |name: &str| table::variables().harmless.iter().any(|pattern| matches_name(pattern, name));
    for part in parts.iter_mut().filter(|part| part.command_verdict == Verdict::ReadOnly) {
        if let Some(name) = part.exported().into_iter().find(|name| !listed(name)).map(str::to_owned) {
            part.command_verdict = Verdict::Unknown;
            part.verdict = part.verdict.max(Verdict::Unknown);
            part.why.get_or_insert_with(|| format!("Setting `{name}` can change what commands do"));
        }
    }
}

/// The verdict of the strictest part; the worst reason explains it.
fn conclude(parts: Vec<LinePart>) -> Analysis {
    let verdict = parts.iter().map(|p| p.verdict).max().unwrap_or(Verdict::ReadOnly);
    let reasons = severity::reasons(parts.iter().map(|part| (part, part.why.as_deref())));
    Analysis { verdict, why: reasons.into_iter().next().unwrap_or_default(), parts, parsed: true }
}
