//! What the person said: the folder for it, the settings, and whether this folder is trusted.

use std::path::Path;

use forelook_host::{Failure, LoadedSettings};
use forelook_protocol::{NoticeLevel, Source};
use forelook_settings::{Env, Layer, Settings, SettingsPaths, Trust};
use rustix::fs::{Access, access};

use super::check::{Check, CheckState};

const AREA: &str = "Settings";

/// The folder, the files, what is wrong with them, and trust.
pub(super) fn checks(
    env: &Env,
    settings_paths: &SettingsPaths,
    loaded: &Result<LoadedSettings, Failure>,
) -> Vec<Check> {
    let mut checks = vec![home(env.home.as_path())];
    match loaded {
        Err(failure) => checks.push(Check::new(AREA, "settings", CheckState::Bad, failure.text())),
        Ok(LoadedSettings { settings, trust, .. }) => {
            checks.extend(settings.layers.iter().map(file));
            checks.extend(problems(settings));
            checks.push(trusted(settings_paths, *trust, settings));
        }
    }
    checks
}

/// Whether sessions can be kept. Nothing is written to find out.
fn home(home: &Path) -> Check {
    // What is not there is made below what is.
    let nearest = home.ancestors().find(|folder| folder.exists()).unwrap_or(home);
    let message = home.display().to_string();
    let can = nearest.is_dir() && access(nearest, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    match can {
        true if nearest == home => Check::new(AREA, "home", CheckState::Good, message),
        true => Check::new(AREA, "home", CheckState::Good, format!("{message}, created when needed")),
        false => Check::new(AREA, "home", CheckState::Bad, format!("{message} is not writable"))
            .advice("Sessions are saved there. Make it writable, or set `FORELOOK_HOME` to another folder"),
    }
}

fn file(layer: &Layer) -> Check {
    let name = match layer.source {
        Source::UserSettings => "user",
        Source::ProjectSettings => "project",
        Source::LocalSettings => "local",
        Source::PolicySettings => "managed",
        Source::FlagSettings | Source::CliArg | Source::Command | Source::Session => "this run",
    };
    let message = layer.file.as_ref().map(ToString::to_string).unwrap_or_default();
    Check::new(AREA, name, CheckState::Good, message)
}

/// What waits for trust is no mistake, and is said there.
fn problems(settings: &Settings) -> Vec<Check> {
    let wrong = settings.problems.iter().filter(|notice| notice.level != NoticeLevel::Info);
    let check = |text: &str| {
        let (message, advice) = text.split_once('\n').unwrap_or((text, ""));
        let check = Check::new(AREA, "problem", CheckState::Warning, message);
        if advice.is_empty() { check } else { check.advice(advice) }
    };
    wrong.map(|notice| check(&notice.text)).collect()
}

fn trusted(settings_paths: &SettingsPaths, trust: Trust, settings: &Settings) -> Check {
    let folder = &settings_paths.project;
    match (trust, settings.pending_trust.words()) {
        (Trust::Trusted, _) => Check::new(AREA, "trust", CheckState::Good, format!("{folder} is trusted")),
        (Trust::NotYet, None) => Check::new(
            AREA,
            "trust",
            CheckState::Good,
            format!("{folder} is not trusted; nothing here needs trust"),
        ),
        (Trust::NotYet, Some(what)) => Check::new(
            AREA,
            "trust",
            CheckState::Warning,
            format!("{folder} is not trusted; ignored: {what}"),
        )
        .advice("If you trust its settings, start `forelook` there and confirm"),
    }
}
