//! A stage for one group of attempts in one mode, with some layers of the fence.

use std::fs;
use std::ops::{Deref, DerefMut};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use forelook_testkit::Lab;
use forelook_testkit::attack::{PATH, RunsAs, Stage};
use serde_json::json;

use crate::attempt::Try;
use crate::{folders, links, planted, programs, reads, rules, tools, writes};

const FIXTURE: &str = include_str!("fixture.sh");
const BINARY: &str = env!("CARGO_BIN_EXE_forelook");

/// Attempts that need the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// Folders whose configuration runs programs, in the project.
    Folders,
    /// The project is such a folder.
    Here,
    /// Files that are not to be read.
    Reads,
    /// Rules that allow programs, and what options of theirs do.
    Rules,
    /// Files that are not to be edited.
    Writes,
    /// Links out of the project.
    Links,
    /// Names that decide what runs later.
    Planted,
}

impl Group {
    /// Every group.
    pub(crate) const ALL: [Self; 7] =
        [Self::Reads, Self::Folders, Self::Links, Self::Writes, Self::Rules, Self::Here, Self::Planted];

    /// Its name in names of tests.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Folders => "folders",
            Self::Here => "here",
            Self::Reads => "reads",
            Self::Rules => "rules",
            Self::Writes => "writes",
            Self::Links => "links",
            Self::Planted => "planted",
        }
    }

    /// Its attempts.
    pub(crate) fn tries(self) -> Vec<Try> {
        match self {
            Self::Folders => [folders::all(), programs::all()].concat(),
            Self::Here => folders::here(),
            Self::Reads => reads::all(),
            Self::Rules => rules::all(),
            Self::Writes => writes::all(),
            Self::Links => links::all(),
            Self::Planted => planted::all(),
        }
    }

    fn allow(self) -> &'static [&'static str] {
        match self {
            Self::Rules => rules::ALLOW,
            Self::Writes => writes::ALLOW,
            _ => &[],
        }
    }
}

/// What a session is like.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup {
    pub(crate) group: Group,
    pub(crate) mode: &'static str,
    /// Layers that a fence is made of; all that the machine grants if this is empty.
    pub(crate) layers: &'static str,
    pub(crate) who: RunsAs,
    /// The home folder is a working folder too. It lies where scratch is in a fence, and would not be seen otherwise.
    pub(crate) sees_home: bool,
    /// How many other names are in the root of the project.
    pub(crate) flood: &'static str,
}

impl Setup {
    /// A session in `default`, with everything that the machine grants.
    pub(crate) fn new(group: Group) -> Self {
        Self { group, mode: "default", layers: "", who: RunsAs::Tester, sees_home: false, flood: "0" }
    }
}

/// A stage with what is special about it.
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
        let mut stage = Stage::new(BINARY.as_ref(), setup.who, |lab, probe| lay_out(lab, probe, setup));
        stage.layers = setup.layers;
        if setup.group == Group::Folders {
            // The first entry is relative: it leads into whatever folder a line goes to.
            stage.path = format!("relative:{}/.cargo/bin:{PATH}", stage.lab.root().display());
        }
        Self { setup, stage }
    }

    /// A text of an attempt, as it is here.
    pub(crate) fn fill(&self, text: &str, at: usize) -> String {
        text.replace("@HOME@", &self.lab.root().display().to_string())
            .replace("@PROBE@", &self.probe.display().to_string())
            .replace("@N@", &at.to_string())
    }

    /// Whether nothing may happen to this path, from the home folder.
    pub(crate) fn guards(&self, path: &Path) -> bool {
        let names: Vec<String> = path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        let name = |at: usize| names.get(at).map_or("", String::as_str);
        if names.iter().any(|name| name.starts_with("mark-")) {
            return true;
        }
        // What programs keep for themselves, whoever starts them.
        if matches!(name(0), ".cargo" | ".rustup" | ".npm" | ".cache" | "temp") {
            return false;
        }
        let is_ordinary = name(0) == "project" && !matches!(name(1), ".git" | ".forelook");
        match self.setup.group {
            Group::Writes => name(1) == "locked" || name(1).starts_with("unlocked"),
            Group::Planted => name(0) == "project" && planted::is_planted(&names),
            // Its rules allow programs that write.
            Group::Rules => !is_ordinary,
            // What is made inside and stays there is an edit.
            _ if self.setup.mode == "acceptEdits" => !is_ordinary,
            _ => true,
        }
    }
}

fn lay_out(lab: &Lab, probe: &Path, setup: Setup) {
    let outside = format!("{}-outside", probe.display());
    fs::create_dir_all(&outside).unwrap();
    // For whoever runs the program.
    fs::set_permissions(&outside, fs::Permissions::from_mode(0o777)).unwrap();
    let flag = |group: Group| if setup.group == group { "1" } else { "0" };
    let done = Command::new("bash")
        .args(["-c", FIXTURE])
        .env_clear()
        .envs([("PATH", Path::new(PATH)), ("HOME", &lab.root()), ("PROJECT", lab.project())])
        .env("FORELOOK_HOME", lab.home())
        .env("OUTSIDE", outside)
        .env("LOCKED", if setup.group == Group::Writes { "300" } else { "0" })
        .env("FLOOD", setup.flood)
        .env("CLONES", flag(Group::Folders))
        .env("HOSTILE_HERE", flag(Group::Here))
        .env("EXTERNAL_DIFF", flag(Group::Rules))
        .env("TOOLS", if setup.group == Group::Folders { tools::folder() } else { String::new() })
        .output()
        .unwrap();
    assert!(done.status.success(), "fixture.sh: {}", String::from_utf8_lossy(&done.stderr));
    let settings = json!({"permissions": {
        "allow": setup.group.allow(),
        "deny": ["Read(./private/**)", "Edit(./locked/**)"],
    }});
    fs::write(lab.home().join("settings.json"), settings.to_string()).unwrap();
}
