//! One failure, printed in one place.

use std::error::Error;
use std::io::Write;

/// Why the program could not do what it was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    chain: Vec<String>,
    hints: Vec<String>,
}

/// What kind of failure: decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The task failed.
    Task,
    /// The arguments, the settings or the environment are wrong.
    Usage,
}

impl Failure {
    /// A failure in words.
    pub(crate) fn new(kind: Kind, text: impl Into<String>) -> Self {
        Self { kind, chain: vec![text.into()], hints: Vec::new() }
    }

    /// The failure that an error is: its first line says what, further lines what to do, its sources why.
    pub(crate) fn of(kind: Kind, error: &dyn Error) -> Self {
        let mut failure = Self { kind, chain: Vec::new(), hints: Vec::new() };
        let mut next = Some(error);
        while let Some(error) = next {
            let text = error.to_string();
            let mut lines = text.lines();
            let what = lines.next().unwrap_or_default();
            // An error whose words include its source's words need not say them twice.
            if !failure.chain.iter().any(|said| said.contains(what)) {
                failure.chain.push(what.to_owned());
            }
            for hint in lines.filter(|hint| !hint.is_empty()) {
                if !failure.hints.iter().any(|said| said == hint) {
                    failure.hints.push(hint.to_owned());
                }
            }
            next = error.source();
        }
        failure
    }

    /// Adds what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The kind.
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// In words for a notice.
    pub(crate) fn text(&self) -> String {
        let hints: String = self.hints.iter().map(|hint| format!("\n{hint}")).collect();
        format!("{}{hints}", self.chain.join(": "))
    }

    /// Prints it for a person.
    pub(crate) fn print(&self, out: &mut dyn Write) {
        let mut chain = self.chain.iter();
        // If it cannot be printed there is no other way to tell.
        let _ = writeln!(out, "forelook: {}", chain.next().map_or("", String::as_str));
        for why in chain {
            let _ = writeln!(out, "  because: {why}");
        }
        for hint in &self.hints {
            let _ = writeln!(out, "  hint: {hint}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chain_and_hints() {
        #[derive(Debug, thiserror::Error)]
        #[error("Could not open `x`\nMake it first")]
        struct Outer(#[source] std::io::Error);
        let failure = Failure::of(Kind::Task, &Outer(std::io::Error::other("no luck"))).hint("Or give up");
        let mut out = Vec::new();
        failure.print(&mut out);
        let expected =
            "forelook: Could not open `x`\n  because: no luck\n  hint: Make it first\n  hint: Or give up\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
