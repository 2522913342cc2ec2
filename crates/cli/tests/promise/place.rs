//! The place in which the hostile model works: a home, a project, the program's folder, and what they held at first.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use forelook_testkit::tree::Tree;
use forelook_testkit::{Lab, copy_program, unprivileged};
use serde_json::Value;
use tempfile::TempDir;

const FIXTURE: &str = include_str!("fixture.sh");
const BINARY: &str = env!("CARGO_BIN_EXE_forelook");
/// Only programs of the system: what a developer's own folders hold differs, and another user cannot read them.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What the settings of the person and of the trusted project allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// Nothing.
    Nothing,
    /// All that rules can allow.
    ByRules,
    /// Hooks say yes to every call and every question.
    ByHooks,
    /// Both.
    ByRulesAndHooks,
}

/// What a repository's configuration does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Git {
    /// Nothing special.
    Plain,
    /// It runs programs that Forelook can keep git from running.
    Sly,
    /// It runs programs wherever git lets it.
    Hostile,
}

/// What is special about a place.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    /// What rules and hooks allow. In plan mode this must not matter.
    pub(crate) allowed: Allowed,
    /// What the repository's configuration does.
    pub(crate) git: Git,
    /// Somebody who may not do everything runs the program.
    pub(crate) unprivileged: bool,
    /// The mode in the person's settings, which is for new sessions.
    pub(crate) mode: &'static str,
    /// More of the person's settings, as `"key": value,`.
    pub(crate) settings: &'static str,
    /// Where plans are, from the home folder.
    pub(crate) plans: &'static str,
    /// Layers that a fence is made of; all that the machine grants if this is empty.
    pub(crate) layers: &'static str,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            allowed: Allowed::ByRules,
            git: Git::Plain,
            unprivileged: false,
            mode: "default",
            settings: "",
            plans: "home/plans",
            layers: "",
        }
    }
}

impl Setup {
    /// Hooks allow everything, too. They are processes, and slow.
    pub(crate) fn generous() -> Self {
        Self { allowed: Allowed::ByRulesAndHooks, ..Self::default() }
    }

    /// Nothing is allowed that somebody has to be asked about.
    pub(crate) fn careful() -> Self {
        Self { allowed: Allowed::Nothing, ..Self::default() }
    }
}

/// A place.
pub(crate) struct Place {
    pub(crate) lab: Lab,
    pub(crate) setup: Setup,
    /// What the place held when it was made.
    pub(crate) before: Tree,
    /// What files outside begin with that attempts may make.
    pub(crate) probe: PathBuf,
    wrapper: Vec<String>,
    /// Scripts of the model, and a binary that anybody can run: outside of what is compared.
    beside: TempDir,
}

impl Place {
    /// Lays out a new place.
    pub(crate) fn new(setup: Setup) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let beside = tempfile::tempdir().unwrap();
        let mut lab = Lab::new(BINARY);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let probe = std::env::temp_dir().join(format!("promise-{}-{number}", std::process::id()));
        lay_out(&lab, &setup);
        let mut wrapper = Vec::new();
        if setup.unprivileged {
            let copy = beside.path().join("forelook");
            copy_program(BINARY.as_ref(), &copy);
            for folder in [beside.path(), &lab.root()] {
                fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
            }
            lab = lab.with_binary(copy);
            wrapper = unprivileged(&[&lab.root(), beside.path()]);
        }
        let before = Tree::of(&lab.root());
        Self { lab, setup, before, probe, wrapper, beside }
    }

    /// What is there now counts as what was there at first.
    pub(crate) fn begin_here(&mut self) {
        self.before = Tree::of(&self.lab.root());
    }

    /// The folder of plans.
    pub(crate) fn plans(&self) -> PathBuf {
        self.lab.root().join(self.setup.plans)
    }

    /// Writes a script of the model; returns the model's name.
    pub(crate) fn script(&self, name: &str, text: &str) -> String {
        let path = self.beside.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        format!("scripted/{}", path.display())
    }

    /// The program, with a real clock (so that a change can be held against the journal) and, unless `seed` is given, with
    /// real ids.
    pub(crate) fn command(&self, args: &[&str], seed: Option<u64>) -> Command {
        let mut command = self.lab.wrapped(&self.wrapper, args);
        for name in ["FORELOOK_TEST_CLOCK", "FORELOOK_TEST_IDS", "FORELOOK_TEST_REQUESTS"] {
            command.env_remove(name);
        }
        if let Some(seed) = seed {
            command.env("FORELOOK_TEST_IDS", seed.to_string());
        }
        // Whatever makes a file of its own choice makes it here, where it is seen.
        command.env("PATH", PATH).env("TMPDIR", self.lab.root().join("temp"));
        if !self.setup.layers.is_empty() {
            command.env("FORELOOK_FENCE_LAYERS", self.setup.layers);
        }
        command.stdin(Stdio::piped());
        command
    }

    /// The journals of this place's own sessions, oldest first.
    pub(crate) fn journals(&self) -> Vec<PathBuf> {
        let mut journals = self.lab.journals();
        journals.retain(|path| path.file_stem().is_some_and(|name| name != "decoy"));
        journals
    }

    /// The entries of the session that was written to last; none if there is no session yet.
    pub(crate) fn journal(&self) -> Vec<Value> {
        self.journals().last().map(|path| forelook_testkit::check::journal(path)).unwrap_or_default()
    }

    /// The file of the newest session's plan.
    pub(crate) fn plan(&self) -> PathBuf {
        let journal = self.journal();
        let named =
            journal.iter().rev().find(|entry| entry["kind"] == "plan_named").expect("a plan with a name");
        PathBuf::from(named["data"]["path"].as_str().unwrap())
    }

    /// The id of the newest session.
    pub(crate) fn session(&self) -> String {
        self.journals().last().unwrap().file_stem().unwrap().to_str().unwrap().to_owned()
    }

    /// Files outside that attempts made.
    pub(crate) fn strays(&self) -> Vec<PathBuf> {
        let (folder, name) =
            (self.probe.parent().unwrap(), self.probe.file_name().unwrap().to_str().unwrap());
        let entries = fs::read_dir(folder).unwrap().filter_map(Result::ok).map(|entry| entry.path());
        let ours =
            |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(&format!("{name}-"));
        entries.filter(ours).collect()
    }
}

impl Drop for Place {
    /// What a failed test let through does not stay behind.
    fn drop(&mut self) {
        for stray in self.strays() {
            let _ = if stray.is_dir() { fs::remove_dir_all(&stray) } else { fs::remove_file(&stray) };
        }
    }
}

fn lay_out(lab: &Lab, setup: &Setup) {
    let done = Command::new("bash")
        .args(["-c", FIXTURE])
        .env_clear()
        .envs([("PATH", Path::new(PATH)), ("HOME", &lab.root()), ("PROJECT", lab.project())])
        .env("FORELOOK_HOME", lab.home())
        .env("ALLOWED", (setup.allowed as u8).to_string())
        .env("HOSTILE_GIT", (setup.git as u8).to_string())
        .env("MODE", setup.mode)
        .env("SETTINGS", setup.settings)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
