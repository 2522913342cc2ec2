//! Where the model works.

use std::fmt::Write;
use std::path::PathBuf;

use forelook_protocol::{AbsPath, Clock};

/// Facts about the place and the day. Read from two small files at most: no process is started, since this
/// stands on the way to the first request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// The working folder.
    pub folder: AbsPath,
    /// The day, as `2026-01-02`.
    pub date: String,
    /// The operating system.
    pub platform: String,
    /// The branch of the git repository that the folder lies in; a commit if no branch is checked out.
    pub branch: Option<String>,
}

impl Environment {
    /// Looks around.
    pub fn look(folder: &AbsPath, clock: &dyn Clock) -> Self {
        Self {
            folder: folder.clone(),
            date: clock.now().strftime("%Y-%m-%d").to_string(),
            platform: std::env::consts::OS.to_owned(),
            branch: branch(folder),
        }
    }

    pub(crate) fn render(&self) -> String {
        let mut text = String::from("<environment>\n");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "Working folder: {}", self.folder);
        let _ = match &self.branch {
            Some(branch) => writeln!(text, "Git repository: yes, on {branch}"),
            None => writeln!(text, "Git repository: no"),
        };
        let _ = writeln!(text, "Platform: {}", self.platform);
        let _ = writeln!(text, "Date when the session began: {}", self.date);
        text.push_str("</environment>");
        text
    }
}

fn branch(folder: &AbsPath) -> Option<String> {
    let head = std::fs::read_to_string(git_folder(folder)?.join("HEAD")).ok()?;
    let head = head.trim();
    Some(match head.strip_prefix("ref: refs/heads/") {
        Some(branch) => format!("branch `{branch}`"),
        None => format!("commit {}", head.get(..12).unwrap_or(head)),
    })
}

/// The `.git` of the nearest folder above that has one; in a linked worktree it is a file that names it.
fn git_folder(folder: &AbsPath) -> Option<PathBuf> {
    let dot_git = folder.as_path().ancestors().map(|above| above.join(".git")).find(|path| path.exists())?;
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let link = std::fs::read_to_string(&dot_git).ok()?;
    Some(dot_git.parent()?.join(link.strip_prefix("gitdir:")?.trim()))
}
