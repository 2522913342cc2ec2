//! `forelook doctor`: what works on this machine, what does not, and what to do about it.

mod check;
mod kernel;
mod models;
mod programs;
mod said;
mod terminal;

use std::process::ExitCode;

use forelook_host::{Failure, RuleSpec};
use forelook_permissions::works_at_home;
use forelook_settings::Env;
use serde_json::json;

use crate::out::say;
use crate::run::here;
use check::{Check, State};

/// Looks at everything and says what it found. Nothing is changed and no model is asked anything.
pub(crate) fn run(env: &Env, as_json: bool) -> Result<ExitCode, Failure> {
    let checks = all(env)?;
    let works = checks.iter().all(|check| check.state != State::Bad);
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
    let places = forelook_host::places(env, &RuleSpec::default(), &folder)?;
    let loaded = forelook_host::load(env, &places);
    let settings = loaded.as_ref().ok().map(|loaded| &loaded.settings);
    let at_home = works_at_home(&[folder], env.user_home.as_ref());
    let mut checks = kernel::checks(env, settings.map(|settings| &settings.sandbox), at_home);
    checks.extend(settings.map(|settings| models::checks(env, settings)).unwrap_or_default());
    checks.extend(terminal::checks(env));
    checks.extend(programs::checks(env));
    checks.extend(said::checks(env, &places, &loaded));
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
        say!("  {:<2}  {:<wide$}  {}", check.state.mark(), check.name, check.says);
        for line in check.advice.iter().flat_map(|advice| advice.lines()) {
            say!("      {:<wide$}  {line}", "");
        }
    }
    let count = |state| checks.iter().filter(|check| check.state == state).count();
    let (warnings, bad) = (count(State::Warning), count(State::Bad));
    say!("\n{}", sum(warnings, bad, works));
}

fn sum(warnings: usize, bad: usize, works: bool) -> String {
    let things = |count: usize, thing: &str| format!("{count} {thing}{}", if count == 1 { "" } else { "s" });
    match (works, warnings) {
        (true, 0) => "All is well.".to_owned(),
        (true, warnings) => format!("Forelook works; {} (!).", things(warnings, "warning")),
        (false, warnings) => {
            let keeps = if bad == 1 { "keeps" } else { "keep" };
            let what = things(bad, "thing");
            format!("{what} {keeps} Forelook from working (x); {} (!).", things(warnings, "warning"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_counts_in_words() {
        for (warnings, bad, expected) in [
            (0, 0, "All is well."),
            (1, 0, "Forelook works; 1 warning (!)."),
            (0, 1, "1 thing keeps Forelook from working (x); 0 warnings (!)."),
            (2, 2, "2 things keep Forelook from working (x); 2 warnings (!)."),
        ] {
            assert_eq!(sum(warnings, bad, bad == 0), expected);
        }
    }
}
