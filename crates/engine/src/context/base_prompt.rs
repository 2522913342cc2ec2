//! Who the model is here and how it works.

use super::reminder;

/// The first block of the system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BasePrompt {
    /// Our own words, `text/base_prompt.md`.
    BuiltIn,
    /// Words from the command line in their place; may be empty.
    Custom(String),
}

impl BasePrompt {
    pub(crate) fn render(&self) -> String {
        match self {
            BasePrompt::BuiltIn => {
                format!("{}\n\n{}", include_str!("text/base_prompt.md").trim_end(), reminder::ABOUT)
            }
            BasePrompt::Custom(words) => words.clone(),
        }
    }
}
