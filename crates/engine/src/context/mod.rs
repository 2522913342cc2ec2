//! What the model reads before the conversation, block by block: a type a block.
//!
//! A block owns its whole text, its markers included, so that none can be opened and not closed. The blocks
//! are made once when a session opens and never change in it: providers keep them in their cache.

mod conduct;
mod environment;
mod includes;
mod instructions;

pub use conduct::Conduct;
pub use environment::Environment;
pub use instructions::{Instructions, project_root};

/// The system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemPrompt {
    /// Who the model is here and how it works.
    pub conduct: Conduct,
    /// Where it works.
    pub environment: Environment,
    /// What the person and the project want it to know.
    pub instructions: Instructions,
    /// More words from the command line.
    pub append: Option<String>,
}

impl SystemPrompt {
    /// All blocks that say something, in order: what changes least often comes first.
    pub(crate) fn blocks(&self) -> Vec<String> {
        let blocks = [
            self.conduct.render(),
            self.append.clone().unwrap_or_default(),
            self.instructions.render(),
            self.environment.render(),
        ];
        blocks.into_iter().filter(|block| !block.is_empty()).collect()
    }

    /// The system prompt of a subagent: its own words in place of ours, and the same place. One that only looks around
    /// does without the instruction files; they cost tokens and are about changing things.
    pub(crate) fn for_agent(&self, prompt: &str, instructions: bool) -> Vec<String> {
        let instructions = if instructions { self.instructions.render() } else { String::new() };
        let blocks = [prompt.trim().to_owned(), instructions, self.environment.render()];
        blocks.into_iter().filter(|block| !block.is_empty()).collect()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make their own files")]
mod tests {
    use super::*;
    use forelook_protocol::AbsPath;

    #[test]
    fn the_whole_system_prompt() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("AGENTS.md"), "Use tabs.\n").unwrap();
        let project = AbsPath::new(folder.path()).unwrap();
        let instructions = Instructions::load(None, &project);
        let prompt = SystemPrompt {
            conduct: Conduct::Ours,
            environment: Environment {
                folder: AbsPath::new("/home/ada/pocket").unwrap(),
                date: "2026-01-02".into(),
                platform: "linux".into(),
                branch: Some("main".into()),
            },
            instructions,
            append: Some("Answer in verse.".into()),
        };
        let text = prompt.blocks().join("\n\n----\n\n").replace(&project.to_string(), "[project]");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn empty_blocks_are_not_sent() {
        let prompt = SystemPrompt {
            conduct: Conduct::Replaced(String::new()),
            environment: Environment {
                folder: AbsPath::new("/w").unwrap(),
                date: "2026-01-02".into(),
                platform: "linux".into(),
                branch: None,
            },
            instructions: Instructions::default(),
            append: None,
        };
        assert_eq!(prompt.blocks().len(), 1);
    }
}
