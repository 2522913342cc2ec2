//! Who the model is here and how it works.

/// The first block of the system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conduct {
    /// Our own words, `text/conduct.md`.
    Ours,
    /// Words from the command line in their place; may be empty.
    Replaced(String),
}

impl Conduct {
    pub(crate) fn render(&self) -> String {
        match self {
            Conduct::Ours => include_str!("text/conduct.md").trim_end().to_owned(),
            Conduct::Replaced(words) => words.clone(),
        }
    }
}
