//! What the model reads before the conversation, block by block: a type a block.
//!
//! A block owns its whole text, its markers included, so that none can be opened and not closed. The blocks
//! are made once, for the first request of a session (`open.rs`), and never change in it: providers keep them in their
//! cache. What is not ours in them is escaped (`reminder.rs`).

mod base_prompt;
mod environment;
mod includes;
mod instructions;
mod open;
pub(crate) mod reminder;

pub use base_prompt::BasePrompt;
pub use environment::Environment;
pub use instructions::{Instructions, is_instruction_file, project_root};
pub(crate) use open::OpenPrompt;

use forelook_protocol::ContextPartKind;

/// The system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemPrompt {
    /// Who the model is here and how it works.
    pub base: BasePrompt,
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
        let base = match &self.base {
            BasePrompt::BuiltIn => self.base.render(),
            BasePrompt::Custom(words) => reminder::escape(words).into_owned(),
        };
        let append = self.append.as_deref().unwrap_or_default();
        let blocks =
            [base, reminder::escape(append).into_owned(), self.instructions(), self.environment.render()];
        blocks.into_iter().filter(|block| !block.is_empty()).collect()
    }

    /// The system prompt of a subagent: its own words in place of ours, what a reminder is, and the same place. One that
    /// only looks around does without the instruction files; they cost tokens and are about changing things.
    pub(crate) fn for_agent(&self, prompt: &str, instructions: bool) -> Vec<String> {
        let prompt = reminder::escape_blocks(prompt.trim());
        let instructions = if instructions { self.instructions() } else { String::new() };
        let blocks = [prompt, reminder::ABOUT.to_owned(), instructions, self.environment.render()];
        blocks.into_iter().filter(|block| !block.is_empty()).collect()
    }

    /// How many bytes it is, part by part.
    pub(crate) fn sizes(&self) -> Vec<(ContextPartKind, Option<String>, usize)> {
        let files: Vec<(String, usize)> = self.instructions.sizes().collect();
        let all: usize = self.blocks().iter().map(String::len).sum();
        let ours = all.saturating_sub(files.iter().map(|(_, bytes)| bytes).sum());
        let files = files.into_iter().map(|(name, bytes)| (ContextPartKind::Instructions, Some(name), bytes));
        std::iter::once((ContextPartKind::System, None, ours)).chain(files).collect()
    }

    fn instructions(&self) -> String {
        reminder::escape(&self.instructions.render()).into_owned()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make their own files")]
mod tests {
    use super::*;
    use forelook_disk::{Owners, ProjectFiles};
    use forelook_fences::GitOverview;
    use forelook_protocol::AbsPath;

    #[test]
    fn the_whole_system_prompt() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("AGENTS.md"), "Use tabs.\n").unwrap();
        let project = AbsPath::new(folder.path()).unwrap();
        let mut instructions = Instructions::default();
        let files = ProjectFiles::new(&project, Owners::of_process(None));
        instructions.add_project(&project, &project, &files);
        let prompt = SystemPrompt {
            base: BasePrompt::BuiltIn,
            environment: Environment {
                folder: AbsPath::new("/home/ada/pocket").unwrap(),
                date: "2026-01-02".into(),
                platform: "linux".into(),
                shell: Some("/bin/zsh".into()),
                branch: Some("branch `main`".into()),
                git: Some(GitOverview {
                    status: vec![" M src/main.rs".into(), "?? notes.txt".into()],
                    more_status: false,
                    commits: vec!["Add a parser".into(), "First commit".into()],
                }),
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
            base: BasePrompt::Custom(String::new()),
            environment: Environment {
                folder: AbsPath::new("/w").unwrap(),
                date: "2026-01-02".into(),
                platform: "linux".into(),
                shell: None,
                branch: None,
                git: None,
            },
            instructions: Instructions::default(),
            append: None,
        };
        assert_eq!(prompt.blocks().len(), 1);
    }
}
