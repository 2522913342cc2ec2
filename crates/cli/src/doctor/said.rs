//! What the person said: the folder for it, the settings, and whether this folder is trusted.

use std::path::Path;

use forelook_host::{Failure, Loaded};
use forelook_protocol::{NoticeLevel, Source};
use forelook_settings::{Env, Layer, Places, Settings, Trust};
use rustix::fs::{Access, access};

use super::check::{Check, State};

const AREA: &str = "Settings";

/// The folder, the files, what is wrong with them, and trust.
pub(super) fn checks(env: &Env, places: &Places, loaded: &Result<Loaded, Failure>) -> Vec<Check> {
    let mut checks = vec![home(env.home.as_path())];
    match loaded {
        Err(failure) => checks.push(Check::new(AREA, "settings", State::Bad, failure.text())),
        Ok(Loaded { settings, trust, .. }) => {
            checks.extend(settings.layers.iter().map(file));
            checks.extend(problems(settings));
            checks.push(trusted(places, *trust, settings));
        }
    }
    checks
}

/// Whether sessions can be kept. Nothing is written to find out.
fn home(home: &Path) -> Check {
    // What is not there is made below what is.
    let nearest = home.ancestors().find(|folder| folder.exists()).unwrap_or(home);
    let says = home.display().to_string();
    let can = nearest.is_dir() && access(nearest, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    match can {
        true if nearest == home => Check::new(AREA, "home", State::Good, says),
        true => Check::new(AREA, "home", State::Good, format!("{says}, made when it is needed")),
        false => Check::new(AREA, "home", State::Bad, format!("{says} cannot be written to"))
            .advice("Sessions are kept there. Make it writable, or name another folder in `FORELOOK_HOME`"),
    }
}

fn file(layer: &Layer) -> Check {
    let name = match layer.source {
        Source::UserSettings => "yours",
        Source::ProjectSettings => "project's",
        Source::LocalSettings => "local",
        Source::PolicySettings => "managed",
        Source::FlagSettings | Source::CliArg | Source::Command | Source::Session => "this run's",
    };
    let says = layer.file.as_ref().map(ToString::to_string).unwrap_or_default();
    Check::new(AREA, name, State::Good, says)
}

/// What waits for trust is no mistake, and is said there.
fn problems(settings: &Settings) -> Vec<Check> {
    let wrong = settings.problems.iter().filter(|notice| notice.level != NoticeLevel::Info);
    let check = |text: &str| {
        let (says, advice) = text.split_once('\n').unwrap_or((text, ""));
        let check = Check::new(AREA, "problem", State::Warning, says);
        if advice.is_empty() { check } else { check.advice(advice) }
    };
    wrong.map(|notice| check(&notice.text)).collect()
}

fn trusted(places: &Places, trust: Trust, settings: &Settings) -> Check {
    let folder = &places.project;
    match (trust, settings.waiting.words()) {
        (Trust::Trusted, _) => Check::new(AREA, "trust", State::Good, format!("{folder} is trusted")),
        (Trust::NotYet, None) => Check::new(
            AREA,
            "trust",
            State::Good,
            format!("{folder} is not trusted, and nothing waits for it"),
        ),
        (Trust::NotYet, Some(what)) => Check::new(
            AREA,
            "trust",
            State::Warning,
            format!("{folder} is not trusted, so not in force: {what}"),
        )
        .advice("Start `forelook` there to be asked, if you know who wrote its settings"),
    }
}
