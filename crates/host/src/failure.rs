//! Why something could not be done, in words for a person: what, why, and what to do about it.

use std::error::Error;

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub struct Failure {
    kind: FailureClass,
    chain: Vec<String>,
    hints: Vec<String>,
}

/// What kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureClass {
    /// The task failed.
    Task,
    /// What was asked for, the settings or the environment are wrong.
    Usage,
}

impl Failure {
    /// A failure in words.
    pub fn new(kind: FailureClass, text: impl Into<String>) -> Self {
        Self { kind, chain: vec![text.into()], hints: Vec::new() }
    }

    /// The failure that an error is: its first line says what, further lines what to do, its sources why.
    pub fn of(kind: FailureClass, error: &dyn Error) -> Self {
        let mut failure = Self { kind, chain: Vec::new(), hints: Vec::new() };
        let mut next = Some(error);
        while let Some(error) = next {
            let text = error.to_string();
            let mut lines = text.lines();
            let what = lines.next().unwrap_or_default();
            // An error whose words include its source's words need not say them twice.
            if !failure.chain.iter().any(|layered| layered.contains(what)) {
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
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The kind.
    pub fn kind(&self) -> FailureClass {
        self.kind
    }

    /// What went wrong, and after it why.
    pub fn chain(&self) -> &[String] {
        &self.chain
    }

    /// What to do about it.
    pub fn hints(&self) -> &[String] {
        &self.hints
    }

    /// In words for a notice.
    pub fn text(&self) -> String {
        let hints: String = self.hints.iter().map(|hint| format!("\n{hint}")).collect();
        format!("{}{hints}", self.chain.join(": "))
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
        let failure =
            Failure::of(FailureClass::Task, &Outer(std::io::Error::other("no luck"))).hint("Or give up");
        assert_eq!(failure.chain(), ["Could not open `x`", "no luck"]);
        assert_eq!(failure.hints(), ["Make it first", "Or give up"]);
        assert_eq!(failure.to_string(), "Could not open `x`: no luck\nMake it first\nOr give up");
    }
}
