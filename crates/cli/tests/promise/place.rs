//! The place in which the hostile model works: a home, a project, the program's folder, and what they held at first.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::process::Command;

use forelook_testkit::Lab;
use forelook_testkit::attack::{PATH, RunsAs, Stage};

use crate::trusted::trust;

const FIXTURE: &str = include_str!("fixture.sh");
const BINARY: &str = env!("CARGO_BIN_EXE_forelook");

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

/// A place: a stage with what is special about it.
pub(crate) struct Place {
    pub(crate) setup: Setup,
    stage: Stage,
}

impl Deref for Place {
    type Target = Stage;

    fn deref(&self) -> &Stage {
        &self.stage
    }
}

impl DerefMut for Place {
    fn deref_mut(&mut self) -> &mut Stage {
        &mut self.stage
    }
}

impl Place {
    /// Lays out a new place.
    pub(crate) fn new(setup: Setup) -> Self {
        let who = if setup.unprivileged { RunsAs::Unprivileged } else { RunsAs::Tester };
        let mut stage = Stage::new(BINARY.as_ref(), who, |lab, _| lay_out(lab, &setup));
        stage.layers = setup.layers;
        Self { setup, stage }
    }

    /// The folder of plans.
    pub(crate) fn plans(&self) -> PathBuf {
        self.lab.root().join(self.setup.plans)
    }

    /// The file of the newest session's plan.
    pub(crate) fn plan(&self) -> PathBuf {
        let journal = self.journal();
        let named =
            journal.iter().rev().find(|entry| entry["kind"] == "plan_named").expect("a plan with a name");
        PathBuf::from(named["data"]["path"].as_str().unwrap())
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
    if setup.allowed != Allowed::Nothing {
        trust(&lab.home(), lab.project(), None);
    }
}
