//! A repository of a stranger, and a person with a home who looks at it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use forelook_protocol::AbsPath;
use forelook_sandbox::ChildEnv;

/// A folder that is thrown away.
pub(super) struct World {
    folder: tempfile::TempDir,
}

/// Leaves a mark.
const EVIL: &str = "#!/bin/sh\necho \"$0 $*\" >>\"${0%/*}/mark\"\n";

/// A repository with a second branch that does not fit, a submodule, a tag, and files that every sort of driver is for.
const BUILD: &str = r#"
set -e
git init -q -b main other
cd other
echo other >o.txt; echo '*.txt filter=evil diff=evil' >.gitattributes; git add .; git commit -qm other
cd ..
git init -q -b main repo
cd repo
echo '*.txt filter=evil diff=evil merge=evil' >.gitattributes
echo one >a.txt; echo one >plain
git add .; git commit -qm one
git -c protocol.file.allow=always submodule --quiet add ../other sub
git commit -qm sub
git checkout -qb side; echo side >a.txt; git commit -qam side
git checkout -q main; echo two >a.txt; git commit -qam two
git tag -a -m tag v1
git remote add o ../other
echo stashed >plain; git stash -q
git init -q --bare embedded; cp -r embedded kept; rm -rf embedded; mv kept embedded
mkdir -p .git/info; echo embedded >>.git/info/exclude
# As long as before: only by reading it can be told that it changed.
echo six >a.txt
"#;

impl World {
    /// An empty one, with a person who has a name.
    pub(super) fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        world.file(
            "home/.gitconfig",
            b"[user]\n\tname = Me\n\temail = me@example.com\n[init]\n\tdefaultBranch = main\n\ttemplateDir =\n",
        );
        world
    }

    /// One with a repository in it, and a program that leaves a mark.
    pub(super) fn with_repository() -> Self {
        let world = Self::new();
        let evil = world.file("evil/evil", EVIL.as_bytes());
        std::fs::set_permissions(&evil, std::fs::Permissions::from_mode(0o755)).unwrap();
        let built = world.run(&world.loud(), BUILD);
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        world
    }

    /// The same world once more, in which the repository's configuration has these lines too. `$E` is the program.
    pub(super) fn hostile(&self, config: &str) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        let copied = Command::new("cp").arg("-a").arg(self.path(".")).arg(world.path(".")).status().unwrap();
        assert!(copied.success());
        world.append("repo/.git/config", config);
        world
    }

    pub(super) fn append(&self, file: &str, text: &str) {
        let text = text.replace("$E", &self.path("evil/evil").display().to_string());
        let before = std::fs::read(self.path(file)).unwrap_or_default();
        self.file(file, &[before, text.into_bytes()].concat());
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(super) fn file(&self, path: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The environment of somebody who takes no care.
    pub(super) fn loud(&self) -> ChildEnv {
        let mut env = ChildEnv::default();
        env.set("PATH", std::env::var_os("PATH").unwrap());
        env.set("HOME", self.path("home"));
        env.set("GIT_CONFIG_NOSYSTEM", "1");
        env.set("E", self.path("evil/evil"));
        env
    }

    /// The environment of a command in a fence.
    pub(super) fn quiet(&self) -> ChildEnv {
        let mut env = self.loud();
        env.harden_git();
        super::neutralize(&AbsPath::new(self.path("repo")).unwrap(), &mut env);
        env
    }

    /// Runs lines in the repository, or in the folder if there is none yet.
    pub(super) fn run(&self, env: &ChildEnv, lines: &str) -> Output {
        let repo = self.path("repo");
        let folder: &Path = if repo.exists() { &repo } else { self.folder.path() };
        let mut command = Command::new("sh");
        command.arg("-c").arg(lines).current_dir(folder).stdin(Stdio::null());
        command.env_clear().envs(env.iter()).output().unwrap()
    }

    /// What was run that should not have been.
    pub(super) fn marks(&self) -> Option<String> {
        std::fs::read_to_string(self.path("evil/mark")).ok()
    }
}
