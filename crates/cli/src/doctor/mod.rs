//! `forelook doctor`: what works on this machine, what does not, and what to do about it.

mod check;
mod kernel;
mod models;
mod programs;
mod settings;
mod terminal;

use std::process::ExitCode;

use forelook_host::{Failure, RuleSpec};
use forelook_permissions::includes_home;
use forelook_settings::Env;
use serde_json::json;

use crate::out::say;
use crate::run::here;
use check::{Check, CheckState};

/// Looks at everything and says what it found. Nothing is changed and no model is asked anything.
pub(crate) fn run(env: &Env, as_json: bool) -> Result<ExitCode, Failure> {
    let checks = all(env)?;
    let works = checks.iter().all(|check| check.state != CheckState::Bad);
    match as_json {
        true => {
            let checks: Vec<_> = checks.iter().map(Check::object).collect();
            say!("{}", json!({ "version": env!("CARGO_PKG_VERSION"), "works": works, "checks": checks }));
        }
        false => print(&checks, works),
    }
    Ok(if works { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn all(env: &Env) -> Result<Vec<Check>, Failure> {
    let folder = here()?;
    let settings_paths = forelook_host::settings_paths(env, &RuleSpec::default(), &folder)?;
    let loaded = forelook_host::load(env, &settings_paths);
    let settings = loaded.as_ref().ok().map(|loaded| &loaded.settings);
    let at_home = includes_home(&[folder], env.user_home.as_ref());
    let mut checks = kernel::checks(env, settings.map(|settings| &settings.sandbox), at_home);
    checks.extend(settings.map(|settings| models::checks(env, settings)).unwrap_or_default());
    checks.extend(terminal::checks(env));
    checks.extend(programs::checks(env, settings));
    checks.extend(settings::checks(env, &settings_paths, &loaded));
    Ok(checks)
}

fn print(checks: &[Check], works: bool) {
    say!("forelook {}", env!("CARGO_PKG_VERSION"));
    let wide = checks.iter().map(|check| check.name.chars().count()).max().unwrap_or(0);
    let mut area = "";
    for check in checks {
        if check.area != area {
            area = check.area;
            say!("\n{area}");
        }
        say!("  {:<2}  {:<wide$}  {}", check.state.mark(), check.name, check.message);
        for line in check.advice.iter().flat_map(|advice| advice.lines()) {
            say!("      {:<wide$}  {line}", "");
        }
    }
    let count = |state| checks.iter().filter(|check| check.state == state).count();
    let (warnings, bad) = (count(CheckState::Warning), count(CheckState::Bad));
    say!("\n{}", sum(warnings, bad, works));
}

fn sum(warnings: usize, bad: usize, works: bool) -> String {
    let things = |count: usize, thing: &str| format!("{count} {thing}{}", if count == 1 { "" } else { "s" });
    match (works, warnings) {
        (true, 0) => "No problems found.".to_owned(),
        (true, warnings) => format!("Forelook works, with {} (!).", things(warnings, "warning")),
        (false, warnings) => {
            let (errors, warnings) = (things(bad, "error"), things(warnings, "warning"));
            format!("Forelook does not work here: {errors} (x), {warnings} (!).")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_counts_in_words() {
        for (warnings, bad, expected) in [
            (0, 0, "No problems found."),
            (1, 0, "Forelook works, with 1 warning (!)."),
            (0, 1, "Forelook does not work here: 1 error (x), 0 warnings (!)."),
            (2, 2, "Forelook does not work here: 2 errors (x), 2 warnings (!)."),
        ] {
            assert_eq!(sum(warnings, bad, bad == 0), expected);
        }
    }
}
