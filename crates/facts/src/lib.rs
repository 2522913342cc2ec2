//! Finds the facts that a decision needs: where links lead, what a folder's configuration could run, whether there is work
//! to lose. The decision itself reads no files: it names the missing facts, and a [`FactProbe`] looks them up.
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests make their own files and repositories"))]

pub mod git_config;
mod git_head;
mod project_git;
mod toolchain;

pub use git_head::{GitHead, git_head, git_root};
pub use project_git::ProjectGit;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use forelook_protocol::{AbsPath, ConfigKind, Fact, Facts, SandboxSupport};
use forelook_sandbox::{Child, ChildEnv, ChildEvent, Fence, Program, find_program_outside};

/// How long `git status` may take before the answer counts as "there may be work".
const STATUS_TIMEOUT: Duration = Duration::from_secs(3);

/// What the kernel enforces for a session, for code that looks but decides nothing.
pub trait KernelProbe: Send + Sync {
    /// A fence in which nothing can be changed, if one stands now.
    fn fence(&self) -> Option<Arc<Fence>>;

    /// What the kernel can enforce here, if that is known already.
    fn known_support(&self, overlay: bool) -> Option<SandboxSupport>;

    /// The same, found out if nobody did: that takes a few milliseconds.
    fn support(&self, overlay: bool) -> SandboxSupport;
}

/// Finds out facts.
#[derive(Clone)]
pub struct FactProbe {
    /// The environment of children.
    pub env: Arc<ChildEnv>,
    /// The person's home folder: configuration in it is the person's own.
    pub home: Option<AbsPath>,
    /// What the kernel enforces. While a fence stands, what is started to find out runs in it. Without this, decisions
    /// count on no fence.
    pub kernel: Option<Arc<dyn KernelProbe>>,
    /// The project's repository.
    pub git: Arc<ProjectGit>,
}

impl FactProbe {
    /// Finds out facts and adds them to `facts`. What cannot be found out counts as what is safe.
    pub async fn probe(&self, missing: impl IntoIterator<Item = Fact>, facts: &mut Facts) {
        for fact in missing {
            match fact {
                Fact::RealPath(path) => {
                    let real = forelook_disk::resolve(&path).unwrap_or_else(|_| path.clone());
                    facts.real.insert(path, real);
                }
                Fact::FolderConfig(kind, folder) => {
                    let hazard = hazard(kind, &folder, self.home.as_ref());
                    facts.config.insert((kind, folder), hazard);
                }
                Fact::Sandbox { overlay } => facts.sandbox = Some(self.support(overlay).await),
                Fact::GitRuns(folder) => {
                    let git = Arc::clone(&self.git);
                    let at = folder.clone();
                    let looked = tokio::task::spawn_blocking(move || git.objection(&at)).await;
                    let failed = |_| Some("Forelook could not find out what git would run".to_owned());
                    facts.git_runs.insert(folder, looked.unwrap_or_else(failed));
                }
                Fact::GovernsGit(path) => {
                    let (home, at) = (self.home.clone(), path.clone());
                    let look = move || {
                        let home = home.as_ref().map(|home| home.as_path().as_os_str());
                        git_config::governs(&at, home)
                    };
                    // What cannot be found out counts as what is asked about.
                    let governs = tokio::task::spawn_blocking(look).await.unwrap_or(true);
                    facts.governs_git.insert(path, governs);
                }
                Fact::Uncommitted(folder) => {
                    let dirty = self.uncommitted(&folder).await;
                    facts.uncommitted.insert(folder, dirty);
                }
            }
        }
    }

    /// Remembers what the project's repository runs, before anything can change that. Only the first call takes a moment.
    pub async fn remember_repository(&self) {
        if self.git.is_remembered() {
            return;
        }
        let git = Arc::clone(&self.git);
        // Whoever could not look will be told that everything changed.
        _ = tokio::task::spawn_blocking(move || git.remember()).await;
    }

    async fn support(&self, overlay: bool) -> SandboxSupport {
        let Some(kernel) = &self.kernel else { return SandboxSupport::default() };
        if let Some(known) = kernel.known_support(overlay) {
            return known;
        }
        let kernel = Arc::clone(kernel);
        // Whoever cannot be asked enforces nothing.
        tokio::task::spawn_blocking(move || kernel.support(overlay)).await.unwrap_or_default()
    }

    async fn uncommitted(&self, folder: &AbsPath) -> bool {
        // Looking must not run a stranger's filter; where there could be one, there may be work.
        if git_config::hazard(folder).is_some() {
            return true;
        }
        let mut env = (*self.env).clone();
        env.harden_git();
        let Some(git) = find_program_outside("git", &env, folder.as_path()) else { return true };
        let mut program = Program::new(git, env, folder.as_path()).arg("status").arg("--porcelain");
        // A secret that is masked there and was committed looks changed: then there may be work, which is what is safe.
        program.fence = self.kernel.as_ref().and_then(|kernel| kernel.fence());
        tokio::time::timeout(STATUS_TIMEOUT, prints_something(program, folder.as_path()))
            .await
            .unwrap_or(true)
    }
}

/// What in a folder, or above it, could run code. Programs look from where they really are, so a link is followed first.
fn hazard(kind: ConfigKind, folder: &AbsPath, home: Option<&AbsPath>) -> Option<String> {
    let folder = &match forelook_disk::resolve(folder) {
        Ok(real) => real,
        Err(error) => return Some(error.to_string().lines().next().unwrap_or_default().to_owned()),
    };
    let home = home.map(|home| forelook_disk::resolve(home).unwrap_or_else(|_| home.clone()));
    let home = home.as_ref();
    match kind {
        ConfigKind::Git => git_config::hazard(folder),
        ConfigKind::Cargo => file_above(folder, home, &[".cargo/config.toml", ".cargo/config"])
            .or_else(|| toolchain::hazard(folder, home)),
        ConfigKind::Npm => {
            file_above(folder, home, &[".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "bunfig.toml"])
        }
        ConfigKind::Make => Some("A makefile can run commands while `make` reads it".to_owned()),
        // Nothing that these read from a folder runs code in the commands that the tables call read-only.
        ConfigKind::Go | ConfigKind::Python | ConfigKind::Docker | ConfigKind::Ripgrep => None,
    }
}

/// A configuration file in this folder or one above, the person's home folder left out: that one is their own.
fn file_above(folder: &AbsPath, home: Option<&AbsPath>, names: &[&str]) -> Option<String> {
    let above = folder.as_path().ancestors().filter(|above| home.is_none_or(|home| home.as_path() != *above));
    let found: Option<PathBuf> =
        above.flat_map(|above| names.iter().map(|name| above.join(name))).find(|path| path.exists());
    found.map(|path| format!("`{}` can change which programs run", path.display()))
}

async fn prints_something(program: Program, folder: &Path) -> bool {
    let Ok(mut child) = Child::spawn(&program) else { return true };
    let mut printed = false;
    loop {
        match child.next().await {
            ChildEvent::Output(chunk) => printed |= !chunk.bytes.is_empty(),
            ChildEvent::Ended(ending) if ending.is_success() => return printed,
            // Not a repository: nothing that git could throw away. Anything else: there may be work.
            ChildEvent::Ended(_) => return folder.ancestors().any(|above| above.join(".git").exists()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::process::Command;

    fn here() -> FactProbe {
        FactProbe {
            env: Arc::new(ChildEnv::from_process_without_secrets(std::env::vars_os())),
            home: None,
            kernel: None,
            git: ProjectGit::new(AbsPath::new("/").unwrap(), None, false),
        }
    }

    fn git(folder: &Path, args: &[&str]) {
        let identity =
            ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"];
        let done = Command::new("git").args(identity).args(args).current_dir(folder).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }

    #[test]
    fn a_toolchain_from_a_folder_can_run_anything() {
        let root = tempfile::tempdir().unwrap();
        let path = AbsPath::new(root.path().join("project")).unwrap();
        fs::create_dir_all(path.join("below")).unwrap();
        let file = path.join("rust-toolchain.toml");
        fs::write(&file, "[toolchain]\nchannel = \"stable\"\n").unwrap();
        assert_eq!(hazard(ConfigKind::Cargo, &path, None), None);
        fs::write(&file, "[toolchain]\npath = \"./tools\"\n").unwrap();
        assert!(hazard(ConfigKind::Cargo, &path, None).is_some());
        assert!(hazard(ConfigKind::Cargo, &path.join("below"), None).is_some());
        // A program that stands behind a link sees the folders above where it really is.
        std::os::unix::fs::symlink(path.join("below"), root.path().join("link")).unwrap();
        let link = AbsPath::new(root.path().join("link")).unwrap();
        assert!(hazard(ConfigKind::Cargo, &link, None).is_some());
    }

    #[tokio::test]
    async fn work_that_is_not_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = AbsPath::new(folder.path()).unwrap();
        assert!(!here().uncommitted(&path).await, "no repository");
        git(folder.path(), &["init", "-q"]);
        assert!(!here().uncommitted(&path).await, "empty");
        fs::write(folder.path().join("a"), "x").unwrap();
        assert!(here().uncommitted(&path).await, "a new file");
        git(folder.path(), &["add", "."]);
        git(folder.path(), &["commit", "-qm", "x"]);
        assert!(!here().uncommitted(&path).await, "clean");
    }

    #[tokio::test]
    async fn configuration_in_the_project_counts_and_the_persons_does_not() {
        let home = tempfile::tempdir().unwrap();
        let root = AbsPath::new(home.path()).unwrap();
        fs::create_dir_all(home.path().join(".cargo")).unwrap();
        fs::create_dir_all(home.path().join("p/.cargo")).unwrap();
        fs::write(home.path().join(".cargo/config.toml"), "").unwrap();
        let names = [".cargo/config.toml"];
        assert_eq!(file_above(&root.join("p"), Some(&root), &names), None);
        fs::write(home.path().join("p/.cargo/config.toml"), "").unwrap();
        assert!(file_above(&root.join("p"), Some(&root), &names).is_some());
    }
}
