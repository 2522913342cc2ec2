//! A fuzzer of settings for a stable compiler: makes and breaks files with a seeded generator for a given time, and
//! loads them.
//!
//! `cargo run --release --example fuzz_settings -- --seconds 600 [--seed N] [--keep FOLDER]`. Reports, and at the end
//! fails for, every file that panics or takes longer than 200 ms three times in a row; that is no JSON with comments and
//! still counts, or is and does not; that, being broken and managed, does not stop; that gives an allow rule which stands
//! nowhere in it, or loses one that denies or asks; or that, as an untrusted project's, allows, runs or widens anything.

#![expect(clippy::disallowed_methods, reason = "it writes the files that it loads")]

#[path = "fuzz_settings/generate.rs"]
mod generate;
#[path = "fuzz_settings/oracle.rs"]
mod oracle;

use std::io::Error;
use std::process::ExitCode;
use std::time::Duration;

use forelook_permissions::Rule;
use forelook_protocol::{AbsPath, Behavior, Mode, NoticeLevel};
use forelook_settings::{LoadError, Places, Settings, Trust, load};
use forelook_testkit::fuzz::{self, Random, Target};
use oracle::Says;
use serde_json::Value;

const LIMIT: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    match World::new() {
        Ok(world) => fuzz::main(world),
        Err(error) => fuzz::refuse(&format!("No folder to write into: {error}")),
    }
}

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Person,
    Project,
    Managed,
}

impl Whose {
    const ALL: [Whose; 3] = [Whose::Person, Whose::Project, Whose::Managed];

    fn file(self) -> &'static str {
        match self {
            Whose::Person => "home/settings.json",
            Whose::Project => "project/.forelook/settings.json",
            Whose::Managed => "etc/managed-settings.json",
        }
    }
}

struct Input {
    whose: Whose,
    bytes: Vec<u8>,
}

/// A home and a project of their own.
struct World {
    folder: tempfile::TempDir,
    places: Places,
}

impl Target for World {
    type Input = Input;
    const INPUTS: &'static str = "files";
    const COUNTED: &'static str = "with rules";

    fn make(&mut self, random: &mut Random) -> Input {
        Input { whose: Whose::ALL[random.below(3)], bytes: generate::file(random) }
    }

    fn check(&mut self, input: &Input) -> Result<bool, String> {
        self.write(input).map_err(|error| format!("cannot be written ({error})"))?;
        check(self, input)
    }

    fn show(&self, Input { whose, bytes }: &Input) -> String {
        format!("{whose:?} {:?}", String::from_utf8_lossy(bytes))
    }
}

impl World {
    fn new() -> Result<Self, Error> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| AbsPath::new(folder.path().join(name)).map_err(Error::other);
        let places = Places {
            home: at("home")?,
            user_home: Some(at("person")?),
            project: at("project")?,
            working: at("project")?,
            flag: None,
            managed: at(Whose::Managed.file())?,
            setting_sources: None,
        };
        for name in ["home", "project/.forelook", "etc"] {
            std::fs::create_dir_all(folder.path().join(name))?;
        }
        Ok(Self { folder, places })
    }

    /// This file and no other.
    fn write(&self, input: &Input) -> Result<(), Error> {
        for other in Whose::ALL.into_iter().filter(|other| *other != input.whose) {
            let _ = std::fs::remove_file(self.folder.path().join(other.file()));
        }
        std::fs::write(self.folder.path().join(input.whose.file()), &input.bytes)
    }
}

/// Whether the file has rules, or what is wrong.
fn check(world: &World, Input { whose, bytes }: &Input) -> Result<bool, String> {
    let loaded = fuzz::timed("loading", LIMIT, || load(&world.places, Trust::NotYet))?;
    let says = oracle::read(bytes);
    let settings = match loaded {
        Ok(settings) => settings,
        Err(error) => return stopped(&error, *whose, &says).map(|()| false),
    };
    let broken = settings.problems.iter().find(|problem| problem.level == NoticeLevel::Error);
    match (&says, broken) {
        (Says::Broken, None) => return Err("it is broken, and nobody is told".to_owned()),
        (Says::Broken, Some(_)) if counts(&settings) => return Err("it is broken, and counts".to_owned()),
        (Says::Nothing | Says::Object(_), Some(problem)) if !too_deep(&problem.text) => {
            return Err(format!("it is sound, and refused ({})", problem.text));
        }
        _ => {}
    }
    if let (Says::Object(object), None) = (&says, broken) {
        allowed_stand_in_it(&settings, &object.texts)?;
        object.value.as_ref().map_or(Ok(()), |value| nothing_is_lost(&settings, value))?;
    }
    if *whose == Whose::Project {
        stranger(&settings)?;
    }
    Ok(!settings.rules.is_empty())
}

/// Only a broken file of the administrator may stop the program.
fn stopped(error: &LoadError, whose: Whose, says: &Says) -> Result<(), String> {
    match (error, whose, says) {
        (LoadError::Managed(_), Whose::Managed, Says::Broken) => Ok(()),
        (LoadError::Managed(why), Whose::Managed, _) if too_deep(why) => Ok(()),
        _ => Err(format!("stops ({error})")),
    }
}

/// `serde_json` has no limit where it only looks for the end of a value.
fn too_deep(problem: &str) -> bool {
    problem.contains("nesting depth")
}

fn counts(settings: &Settings) -> bool {
    !(settings.layers.is_empty()
        && settings.rules.is_empty()
        && settings.hooks.is_empty()
        && settings.env.is_empty()
        && settings.default_mode.is_none())
}

fn allowed_stand_in_it(settings: &Settings, texts: &[String]) -> Result<(), String> {
    let mut allowed = settings.rules.iter().filter(|entry| entry.origin.behavior == Behavior::Allow);
    match allowed.find(|entry| !texts.iter().any(|text| text.trim() == entry.rule.text)) {
        Some(entry) => Err(format!("it allows `{}`, which does not stand in it", entry.rule.text)),
        None => Ok(()),
    }
}

/// What denies or asks is there as it is written; or it cannot be read, which is said, and its tool is asked about.
fn nothing_is_lost(settings: &Settings, value: &Value) -> Result<(), String> {
    for behavior in [Behavior::Ask, Behavior::Deny] {
        let list = value.get("permissions").and_then(|section| section.get(behavior.to_string()));
        for item in list.and_then(Value::as_array).into_iter().flatten() {
            let text = item.as_str().or_else(|| item.get("rule")?.as_str()).unwrap_or_default().trim();
            let lost = match Rule::parse(text) {
                Ok(_) => !holds(settings, behavior, text),
                Err(_) if names_a_tool(text) => !holds(settings, Behavior::Ask, text),
                Err(_) => settings.problems.is_empty(),
            };
            if lost {
                return Err(format!("{behavior} {item} is lost"));
            }
        }
    }
    Ok(())
}

fn names_a_tool(rule: &str) -> bool {
    let tool = rule.split('(').next().unwrap_or_default().trim();
    ["Agent", "Bash", "Edit", "Read", "TodoWrite", "WebFetch"].contains(&tool)
}

fn holds(settings: &Settings, behavior: Behavior, rule: &str) -> bool {
    settings.rules.iter().any(|entry| entry.origin.behavior == behavior && entry.rule.text == rule)
}

/// What an untrusted project must not do.
fn stranger(settings: &Settings) -> Result<(), String> {
    let allows = settings.rules.iter().any(|entry| entry.origin.behavior == Behavior::Allow);
    let mode = settings.default_mode.as_ref().map(|mode| mode.value);
    let widens = matches!(mode, Some(Mode::AcceptEdits | Mode::Auto | Mode::BypassPermissions));
    let cycles =
        settings.mode_cycle.iter().flatten().any(|mode| matches!(mode, Mode::Auto | Mode::BypassPermissions));
    for (broken, what) in [
        (allows, "allows something"),
        (widens, "widens the mode"),
        (cycles, "puts a wide mode into the cycle"),
        (!settings.hooks.is_empty(), "has a hook"),
        (!settings.env.is_empty(), "sets a variable"),
        (!settings.additional_directories.is_empty(), "adds a folder"),
    ] {
        if broken {
            return Err(format!("an untrusted project {what}"));
        }
    }
    Ok(())
}
