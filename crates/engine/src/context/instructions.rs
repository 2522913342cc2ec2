//! Instruction files: what the person and the project want the model to know.
//!
//! `AGENTS.md` of the home folder first, then one for each folder from the root of the project down to the
//! working folder; where a folder has none, its `CLAUDE.md`. `@path` in a file includes another
//! (`includes.rs`).

use std::fmt::Write;
use std::path::Path;

use forelook_disk::{Owners, ProjectFiles};
use forelook_facts::git_root;
use forelook_protocol::AbsPath;

use super::includes::IncludeReader;
use super::reminder;

/// Names of instruction files, best first.
const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// All instruction files of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Instructions {
    files: Vec<(AbsPath, String)>,
    /// What was left out and why, for the person.
    pub problems: Vec<String>,
}

impl Instructions {
    /// The files, each with how many bytes it has.
    pub(super) fn sizes(&self) -> impl Iterator<Item = (String, usize)> {
        self.files.iter().map(|(path, text)| (path.to_string(), text.len()))
    }

    /// Reads those of the person.
    pub fn add_own(&mut self, home: &AbsPath, files: &ProjectFiles) {
        self.add(home, files);
    }

    /// Reads those of a project, from its root down to the working folder.
    pub fn add_project(&mut self, root: &AbsPath, folder: &AbsPath, files: &ProjectFiles) {
        let mut folders: Vec<&Path> =
            folder.as_path().ancestors().take_while(|above| above.starts_with(root.as_path())).collect();
        folders.reverse();
        for each in folders {
            if let Ok(each) = AbsPath::new(each) {
                self.add(&each, files);
            }
        }
    }

    /// The first of a folder's files that can be used: one that another user planted does not hide the next.
    fn add(&mut self, folder: &AbsPath, files: &ProjectFiles) {
        let paths = NAMES.iter().map(|name| folder.join(name)).filter(|path| path.as_path().is_file());
        for path in paths {
            let mut reader = IncludeReader::new(files);
            let text = reader.read(&path);
            self.problems.append(&mut reader.problems);
            if let Some(text) = text {
                if !text.trim().is_empty() {
                    self.files.push((path, text));
                }
                return;
            }
        }
    }

    pub(crate) fn render(&self) -> String {
        if self.files.is_empty() {
            return String::new();
        }
        let mut text = String::from(
            "The user and the project provide these instructions. If two of them conflict, the later one is closer \
             to the work and wins; what the user says in the conversation overrides all of them.\n",
        );
        for (path, contents) in &self.files {
            let (path, contents) = (attribute(path), reminder::escape_blocks(contents.trim_end()));
            // Writing to a string cannot fail.
            let _ = write!(text, "\n<instructions path=\"{path}\">\n{contents}\n</instructions>\n");
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// A path that stays in its quotes, on its line.
fn attribute(path: &AbsPath) -> String {
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    let text: String = path.to_string().chars().map(plain).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Whether a file of this name holds instructions.
pub fn is_instruction_file(path: &AbsPath) -> bool {
    path.as_path().file_name().is_some_and(|name| NAMES.iter().any(|one| *one == name))
}

/// The nearest folder above with a `.git` that is believed ([`git_root`]), or the folder itself.
pub fn project_root(folder: &AbsPath, owners: &Owners) -> AbsPath {
    git_root(folder, owners).unwrap_or_else(|| folder.clone())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make their own files")]
mod tests {
    use super::*;
    use std::fs;

    struct Tree(tempfile::TempDir);

    impl Tree {
        fn new(files: &[(&str, &str)]) -> Self {
            let tree = Self(tempfile::tempdir().unwrap());
            for (path, text) in files {
                let path = tree.0.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            tree
        }
        fn at(&self, path: &str) -> AbsPath {
            AbsPath::new(self.0.path().canonicalize().unwrap().join(path)).unwrap()
        }
        fn rendered(&self, folder: &str) -> String {
            let mut loaded = Instructions::default();
            loaded.add_own(&self.at("home"), &ProjectFiles::new(&self.at("home"), Owners::Anyone));
            let project = self.project(folder);
            loaded.files.extend(project.files);
            loaded.render()
        }
        fn project(&self, folder: &str) -> Instructions {
            let folder = self.at(folder);
            let owners = Owners::of_process(None);
            let root = project_root(&folder, &owners);
            let mut loaded = Instructions::default();
            loaded.add_project(&root, &folder, &ProjectFiles::new(&root, owners));
            loaded
        }
    }

    #[test]
    fn home_first_then_from_the_root_down() {
        let tree = Tree::new(&[
            ("home/AGENTS.md", "HOME"),
            ("AGENTS.md", "ABOVE THE PROJECT"),
            ("p/.git/HEAD", "ref: refs/heads/main"),
            ("p/AGENTS.md", "ROOT"),
            ("p/CLAUDE.md", "NOT READ"),
            ("p/a/CLAUDE.md", "MIDDLE"),
            ("p/a/b/AGENTS.md", "HERE"),
        ]);
        let text = tree.rendered("p/a/b");
        let at = |word: &str| text.find(word).unwrap_or_else(|| panic!("{word} is missing in {text}"));
        assert!(at("HOME") < at("ROOT") && at("ROOT") < at("MIDDLE") && at("MIDDLE") < at("HERE"));
        assert!(!text.contains("NOT READ") && !text.contains("ABOVE"));
    }

    #[test]
    fn includes_are_read_once_and_stay_in_the_project() {
        let tree = Tree::new(&[
            ("secret.txt", "TOP SECRET"),
            ("p/.git/HEAD", "x"),
            (
                "p/AGENTS.md",
                "See @docs/style.md and `@not/code.md`.\n```\n@not/fenced.md\n```\n@../secret.txt\nme@example.com\n",
            ),
            ("p/docs/style.md", "STYLE @../AGENTS.md @more.md"),
            ("p/docs/more.md", "MORE"),
        ]);
        std::os::unix::fs::symlink(tree.at("secret.txt"), tree.at("p/link.md")).unwrap();
        let loaded = tree.project("p");
        let text = loaded.render();
        assert!(text.contains("STYLE") && text.contains("MORE"), "{text}");
        assert!(!text.contains("TOP SECRET"), "{text}");
        assert!(loaded.problems.iter().any(|problem| problem.contains("outside")), "{:?}", loaded.problems);
        fs::write(tree.at("p/AGENTS.md"), "@link.md").unwrap();
        assert!(!tree.project("p").render().contains("TOP SECRET"));
    }

    #[test]
    fn a_huge_file_is_cut_and_said_so() {
        let tree = Tree::new(&[("p/AGENTS.md", &"x".repeat(1 << 20))]);
        let loaded = tree.project("p");
        assert!(loaded.render().len() < 100_000);
        assert!(
            loaded.problems.iter().any(|problem| problem.contains("longer than")),
            "{:?}",
            loaded.problems
        );
    }

    /// Nothing here waits: a test that hangs is one that failed.
    #[test]
    fn pipes_devices_and_endless_includes_hold_nobody_up() {
        let many: String = (0..100).map(|n| format!("@{n}.md ")).collect();
        let tree = Tree::new(&[("p/AGENTS.md", "@pipe.md @zero.md"), ("q/AGENTS.md", &many)]);
        let pipe = |path: &str| {
            let made = std::process::Command::new("mkfifo").arg(tree.at(path).as_path()).status();
            assert!(made.unwrap().success());
        };
        pipe("p/pipe.md");
        std::os::unix::fs::symlink("/dev/zero", tree.at("p/zero.md")).unwrap();
        assert!(tree.rendered("p").contains("@pipe.md"));
        fs::remove_file(tree.at("p/AGENTS.md")).unwrap();
        pipe("p/AGENTS.md");
        std::os::unix::fs::symlink("/dev/zero", tree.at("p/CLAUDE.md")).unwrap();
        assert_eq!(tree.rendered("p"), "");
        for n in 0..100 {
            fs::write(tree.at(&format!("q/{n}.md")), "x".repeat(60_000)).unwrap();
        }
        let loaded = tree.project("q");
        assert!(loaded.render().len() < 1_100_000);
        assert!(loaded.problems.iter().any(|problem| problem.contains("with its includes")));
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        let tree = Tree::new(&[("p/x", "")]);
        fs::write(tree.at("p/AGENTS.md"), b"ok \xff\xfe").unwrap();
        assert!(tree.rendered("p").contains("ok"));
    }
}
