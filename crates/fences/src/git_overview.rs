//! What git says about a folder, for the first request of a session: its status and its latest commits.
//!
//! A repository is untrusted, and nothing that it configures may run. If its configuration names a program, we do not look
//! at it. Otherwise git gets an environment in which such settings have no effect, runs in its own read-only fence without
//! network, and is killed if it writes too much. The caller sets the time limit: dropping the future kills git.

use std::io;
use std::sync::Arc;

use forelook_facts::git_config;
use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::{
    Child, ChildEnv, ChildEvent, ChildOutput, Fence, FencePolicy, OutputStream, Program, find_program_outside,
};
use tokio::task::spawn_blocking;

use crate::Fences;
use crate::compile;
use crate::environment::{self, EgressRoute};

/// How much is read of what one command writes.
const MAX_BYTES: usize = 16 * 1024;
/// Lines of the status that are kept.
const MAX_STATUS: usize = 30;
/// Commits that are kept.
const MAX_COMMITS: usize = 5;
/// Characters of a line that are kept.
const MAX_LINE: usize = 200;

/// Variables that would lead git to another repository than the folder's.
const ELSEWHERE: [&str; 7] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
];

const STATUS: &[&str] = &[
    "-c",
    "core.quotePath=false",
    "-c",
    "color.status=false",
    "status",
    "--short",
    "--no-branch",
    "--no-show-stash",
    "--no-column",
    "--untracked-files=normal",
    "--ignore-submodules=all",
];

const LOG: &[&str] = &[
    "--no-pager",
    "log",
    "--max-count=5",
    "--no-color",
    "--no-show-signature",
    "--no-mailmap",
    "--format=%s",
];

/// What git says of a folder. Every line is one line without control characters; it is still a stranger's text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitOverview {
    /// Lines of `git status --short`.
    pub status: Vec<String>,
    /// Whether there are more.
    pub more_status: bool,
    /// Subjects of the last commits, the newest first.
    pub commits: Vec<String>,
}

impl Fences {
    /// What git says of this folder; nothing where there is no repository, no git, no fence to run it in, or where the
    /// repository's configuration names a program.
    pub async fn git_overview(self: &Arc<Self>, env: &ChildEnv, folder: &AbsPath) -> Option<GitOverview> {
        let (fences, env, folder) = (Arc::clone(self), env.clone(), folder.clone());
        let probe = spawn_blocking(move || fences.git_probe(env, &folder)).await.ok()??;
        let (status, commits) = tokio::join!(probe.run(STATUS), probe.run(LOG));
        let (mut status, cut) = status?;
        let more_status = cut || status.len() > MAX_STATUS;
        status.truncate(MAX_STATUS);
        // A repository without a commit has no log.
        let mut commits = commits.map(|(commits, _)| commits).unwrap_or_default();
        commits.truncate(MAX_COMMITS);
        Some(GitOverview { status, more_status, commits })
    }

    /// All that git is started with. It reads files and raises a fence: not for the threads of the runtime.
    fn git_probe(&self, mut env: ChildEnv, folder: &AbsPath) -> Option<GitProbe> {
        let root = folder.as_path().ancestors().find(|above| above.join(".git").exists())?;
        let root = AbsPath::new(root).ok()?;
        if git_config::hazard(folder).is_some() {
            return None;
        }
        for name in ELSEWHERE {
            env.remove(name);
        }
        env.harden_git();
        git_config::neutralize(folder, &mut env);
        let git = find_program_outside("git", &env, root.as_path())?;
        let fence = self.bare_fence(&root).ok()?;
        if let Some(scratch) = fence.scratch() {
            environment::adapt(&mut env, Confinement::ReadOnly, scratch, None, EgressRoute::Offline);
        }
        let mut program = Program::new(git, env, folder.as_path());
        program.output = ChildOutput::Separate;
        program.fence = Some(Arc::clone(&fence));
        Some(GitProbe { program, fence: Some(fence) })
    }

    /// A read-only fence that masks nothing and that nobody else is given. A masked file would look changed, and looking
    /// for what is to be masked takes long in a large project. No program but git runs in it, and only names come out.
    fn bare_fence(&self, root: &AbsPath) -> io::Result<Arc<Fence>> {
        let Some(layers) = self.available().layers() else {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "the kernel enforces no sandbox here"));
        };
        let scratch = self.scratch_folder(layers)?;
        let policy = FencePolicy { scratch, ..compile::bare_policy(root) };
        Fence::raise(&policy, layers).map(Arc::new)
    }
}

/// Git, ready to be started.
struct GitProbe {
    program: Program,
    fence: Option<Arc<Fence>>,
}

impl GitProbe {
    /// The lines that git writes, and whether they were cut; nothing if it fails.
    async fn run(&self, args: &[&str]) -> Option<(Vec<String>, bool)> {
        let mut program = self.program.clone();
        program.args.extend(args.iter().map(Into::into));
        let mut child = Child::spawn(&program).ok()?;
        let mut bytes = Vec::new();
        loop {
            match child.next().await {
                ChildEvent::Output(chunk) if chunk.stream == OutputStream::Stdout => {
                    bytes.extend(chunk.bytes)
                }
                ChildEvent::Output(_) => {}
                ChildEvent::Ended(exit) if exit.is_success() => return Some((lines(&bytes), false)),
                ChildEvent::Ended(_) => return None,
            }
            if bytes.len() > MAX_BYTES {
                bytes.truncate(MAX_BYTES);
                // The last line may be half a name.
                let whole = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
                bytes.truncate(whole);
                return Some((lines(&bytes), true));
            }
        }
    }
}

impl Drop for GitProbe {
    fn drop(&mut self) {
        self.program.fence = None;
        let fence = self.fence.take();
        // The end of a fence waits for what runs inside, and we may be in a runtime.
        let _ = std::thread::Builder::new().name("fences".into()).spawn(move || drop(fence));
    }
}

fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    text.split('\n').filter(|line| !line.trim().is_empty()).map(|line| cut(line.chars().map(plain))).collect()
}

fn cut(mut characters: impl Iterator<Item = char>) -> String {
    let mut line: String = characters.by_ref().take(MAX_LINE).collect();
    if characters.next().is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests;
