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
use forelook_settings::{LoadError, Settings, SettingsPaths, Trust, load};
use forelook_testkit::fuzz::{self, Random, Target};
use oracle::OracleReading;
use serde_json::Value;

const LIMIT: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    match FuzzWorld::new() {
        Ok(world) => fuzz::main(world),
        Err(error) => fuzz::refuse(&format!("No folder to write into: {error}")),
    }
}

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileOwner {
    Person,
    Project,
    Managed,
}

impl FileOwner {
    const ALL: [FileOwner; 3] = [FileOwner::Person, FileOwner::Project, FileOwner::Managed];

    fn file(self) -> &'static str {
        match self {
            FileOwner::Person => "home/settings.json",
            FileOwner::Project => "project/.forelook/settings.json",
            FileOwner::Managed => "etc/managed-settings.json",
        }
    }
}

struct Input {
    owner: FileOwner,
    bytes: Vec<u8>,
}

/// A home and a project of their own.
struct FuzzWorld {
    folder: tempfile::TempDir,
    settings_paths: SettingsPaths,
}

impl Target for FuzzWorld {
    type Input = Input;
    const INPUTS: &'static str = "files";
    const COUNTED: &'static str = "with rules";

    fn make(&mut self, random: &mut Random) -> Input {
        Input { owner: FileOwner::ALL[random.below(3)], bytes: generate::file(random) }
    }

    fn check(&mut self, input: &Input) -> Result<bool, String> {
        self.write(input).map_err(|error| format!("cannot be written ({error})"))?;
        check(self, input)
    }

    fn show(&self, Input { owner, bytes }: &Input) -> String {
        format!("{owner:?} {:?}", String::from_utf8_lossy(bytes))
    }
}

impl FuzzWorld {
    fn new() -> Result<Self, Error> {
        let folder = tempfile::tempdir()?;
        let at = |name: &str| AbsPath::new(folder.path().join(name)).map_err(Error::other);
        let settings_paths = SettingsPaths {
            home: at("home")?,
            user_home: Some(at("person")?),
            project: at("project")?,
            working: at("project")?,
            flag: None,
            managed: at(FileOwner::Managed.file())?,
            setting_sources: None,
            owners: forelook_disk::Owners::of_process(None),
        };
        for name in ["home", "project/.forelook", "etc"] {
            std::fs::create_dir_all(folder.path().join(name))?;
        }
        Ok(Self { folder, settings_paths })
    }

    /// This file and no other.
    fn write(&self, input: &Input) -> Result<(), Error> {
        for other in FileOwner::ALL.into_iter().filter(|other| *other != input.owner) {
            let _ = std::fs::remove_file(self.folder.path().join(other.file()));
        }
        std::fs::write(self.folder.path().join(input.owner.file()), &input.bytes)
    }
}

/// Whether the file has rules, or what is wrong.
fn check(world: &FuzzWorld, Input { owner, bytes }: &Input) -> Result<bool, String> {
    let loaded = fuzz::timed("loading", LIMIT, || load(&world.settings_paths, Trust::NotYet))?;
    let expected = oracle::read(bytes);
    let settings = match loaded {
        Ok(settings) => settings,
        Err(error) => return stopped(&error, *owner, &expected).map(|()| false),
    };
    let broken = settings.problems.iter().find(|problem| problem.level == NoticeLevel::Error);
    match (&expected, broken) {
        (OracleReading::Broken, None) => return Err("it is broken, and nobody is told".to_owned()),
        (OracleReading::Broken, Some(_)) if counts(&settings) => {
            return Err("it is broken, and counts".to_owned());
        }
        (OracleReading::Nothing | OracleReading::Object(_), Some(problem))
            if !beyond_limits(&problem.text) =>
        {
            return Err(format!("it is sound, and refused ({})", problem.text));
        }
        _ => {}
    }
    if let (OracleReading::Object(object), None) = (&expected, broken) {
        allowed_stand_in_it(&settings, &object.texts)?;
        object.value.as_ref().map_or(Ok(()), |value| nothing_is_lost(&settings, value))?;
    }
    if *owner == FileOwner::Project {
        stranger(&settings)?;
    }
    Ok(!settings.rules.is_empty())
}

/// Only a broken file of the administrator may stop the program.
fn stopped(error: &LoadError, owner: FileOwner, expected: &OracleReading) -> Result<(), String> {
    match (error, owner, expected) {
        (LoadError::Managed(_), FileOwner::Managed, OracleReading::Broken) => Ok(()),
        (LoadError::Managed(why), FileOwner::Managed, _) if beyond_limits(why) => Ok(()),
        _ => Err(format!("stops ({error})")),
    }
}

/// The oracle knows no limits: `serde_json` has none where it only looks for the end of a value, and reads any length.
fn beyond_limits(problem: &str) -> bool {
    problem.contains("nesting depth") || problem.contains("larger than 4 MiB")
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
