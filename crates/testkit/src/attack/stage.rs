//! The home and the project in which a hostile model works, and what they held at first.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;
use tempfile::TempDir;

use crate::tree::Tree;
use crate::{Lab, copy_program, unprivileged};

/// Only programs of the system: what a developer's own folders hold differs, and another user cannot read them.
pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A place for one session or a few.
pub struct Stage {
    /// Where everything is.
    pub lab: Lab,
    /// What it held when it was set.
    pub before: Tree,
    /// What files outside begin with that attempts may make.
    pub probe: PathBuf,
    /// Layers that a fence is made of; all that the machine grants if this is empty.
    pub layers: &'static str,
    /// Where programs are found.
    pub path: String,
    wrapper: Vec<String>,
    /// Scripts of the model, and a binary that anybody can run: outside of what is compared.
    beside: TempDir,
}

/// Who runs the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunsAs {
    /// Whoever runs the tests.
    Tester,
    /// Somebody who may not do everything.
    Unprivileged,
}

impl Stage {
    /// Sets a new one; `lay_out` fills its home, and is told what files outside begin with.
    pub fn new(binary: &Path, who: RunsAs, lay_out: impl FnOnce(&Lab, &Path)) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let beside = tempfile::tempdir().unwrap();
        let mut lab = Lab::new(binary);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let probe = std::env::temp_dir().join(format!("probe-{}-{number}", std::process::id()));
        lay_out(&lab, &probe);
        let mut wrapper = Vec::new();
        if who == RunsAs::Unprivileged {
            let copy = beside.path().join("forelook");
            copy_program(binary, &copy);
            for folder in [beside.path(), &lab.root()] {
                fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
            }
            lab = lab.with_binary(copy);
            wrapper = unprivileged(&[&lab.root(), beside.path()]);
        }
        let before = Tree::of(&lab.root());
        Self { lab, before, probe, layers: "", path: PATH.to_owned(), wrapper, beside }
    }

    /// What is there now counts as what was there at first.
    pub fn begin_here(&mut self) {
        self.before = Tree::of(&self.lab.root());
    }

    /// Writes a script of the model; returns the model's name.
    pub fn script(&self, name: &str, text: &str) -> String {
        let path = self.beside.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        format!("scripted/{}", path.display())
    }

    /// The program, with a real clock (so that a change can be held against the journal) and, unless `seed` is given, with
    /// real ids.
    pub fn command(&self, args: &[&str], seed: Option<u64>) -> Command {
        let mut command = self.lab.wrapped(&self.wrapper, args);
        for name in ["FORELOOK_TEST_CLOCK", "FORELOOK_TEST_IDS", "FORELOOK_TEST_REQUESTS"] {
            command.env_remove(name);
        }
        if let Some(seed) = seed {
            command.env("FORELOOK_TEST_IDS", seed.to_string());
        }
        // Whatever makes a file of its own choice makes it here, where it is seen.
        command.env("PATH", &self.path).env("TMPDIR", self.lab.root().join("temp"));
        if !self.layers.is_empty() {
            command.env("FORELOOK_FENCE_LAYERS", self.layers);
        }
        command.stdin(Stdio::piped());
        command
    }

    /// The journals of this stage's own sessions, oldest first.
    pub fn journals(&self) -> Vec<PathBuf> {
        let mut journals = self.lab.journals();
        journals.retain(|path| path.file_stem().is_some_and(|name| name != "decoy"));
        journals
    }

    /// The entries of the session that was written to last; none if there is no session yet.
    pub fn journal(&self) -> Vec<Value> {
        self.journals().last().map(|path| crate::check::journal(path)).unwrap_or_default()
    }

    /// The id of the newest session.
    pub fn session(&self) -> String {
        self.journals().last().unwrap().file_stem().unwrap().to_str().unwrap().to_owned()
    }

    /// Files outside that attempts made.
    pub fn strays(&self) -> Vec<PathBuf> {
        let (folder, name) =
            (self.probe.parent().unwrap(), self.probe.file_name().unwrap().to_str().unwrap());
        let entries = fs::read_dir(folder).unwrap().filter_map(Result::ok).map(|entry| entry.path());
        let ours =
            |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(&format!("{name}-"));
        entries.filter(ours).collect()
    }
}

impl Drop for Stage {
    /// What a failed test let through does not stay behind.
    fn drop(&mut self) {
        for stray in self.strays() {
            let _ = if stray.is_dir() { fs::remove_dir_all(&stray) } else { fs::remove_file(&stray) };
        }
    }
}
