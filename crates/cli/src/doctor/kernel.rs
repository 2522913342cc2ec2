//! What the kernel grants, and what can therefore be held.

use std::io;

use forelook_sandbox::{AvailableLayers, KernelLayers, can_overlay};
use forelook_settings::env::FORELOOK_FENCE_LAYERS;
use forelook_settings::keys::SANDBOX_ENABLED;
use forelook_settings::{Env, SandboxSettings};

use super::check::{Check, CheckState};

const AREA: &str = "Kernel";

/// Layer by layer, then policy by policy. `at_home`: we are in the home folder, or above it.
pub(super) fn checks(env: &Env, wanted: Option<&SandboxSettings>, at_home: bool) -> Vec<Check> {
    let granted = KernelLayers::available();
    let mut checks = match elsewhere(std::env::consts::OS) {
        Some(check) => vec![check],
        None => layers(&granted, env.fence_layers),
    };
    // A home that is not there yet is on the same disk as the folder that it will be in, but that is not ours to try in.
    let layered = || if env.home.as_path().is_dir() { can_overlay(env.home.as_path()) } else { Ok(()) };
    let used = granted.limited_to(env.fence_layers);
    checks.extend(policies(&used, layered));
    checks.push(workspace(used.layers().is_some_and(|layers| layers.namespaces), wanted, at_home));
    checks
}

/// What is said where there is no fence at all.
fn elsewhere(system: &str) -> Option<Check> {
    let message = match system {
        "linux" => return None,
        "macos" => "No fence on macOS yet: its sandbox profile has never been tested on a Mac",
        "windows" => "No fence on Windows: commands are checked by their text only",
        _ => "No fence on this system: commands are checked by their text only",
    };
    Some(Check::new(AREA, "fence", CheckState::Warning, message))
}

/// What the kernel grants; what may not be used of it is said as that, and not as if it were missing.
fn layers(granted: &AvailableLayers, used: KernelLayers) -> Vec<Check> {
    let there = [granted.namespaces.is_ok(), granted.landlock.is_some(), granted.seccomp];
    let used = [used.namespaces, used.landlock, used.seccomp];
    let line = |(words, (there, used)): (String, (bool, bool))| {
        // Each line begins with the name of its layer.
        let (name, message) = words.split_once(": ").unwrap_or(("layer", &words));
        let name = name.to_lowercase();
        if there && !used {
            let message = format!("Available, but turned off by `{}`", FORELOOK_FENCE_LAYERS.name);
            return Check::new(AREA, name, CheckState::Warning, message)
                .advice("Unset it to use all available layers");
        }
        Check::new(AREA, name, if there { CheckState::Good } else { CheckState::Warning }, message)
    };
    granted.describe().into_iter().zip(there.into_iter().zip(used)).map(line).collect()
}

/// Those of planning.
fn policies(available: &AvailableLayers, layered: impl Fn() -> io::Result<()>) -> Vec<Check> {
    let namespaces = available.layers().map(|layers| layers.namespaces);
    let reading = match namespaces {
        Some(_) => Check::new(
            AREA,
            "reading",
            CheckState::Good,
            "Enforced: commands that run without asking because they only read cannot change anything",
        ),
        None => Check::new(
            AREA,
            "reading",
            CheckState::Warning,
            "Not enforced: Forelook asks about commands that depend on configuration in the folder, or that do not show \
             which files they read",
        ),
    };
    let planning = match namespaces {
        Some(_) => {
            Check::new(AREA, "planning", CheckState::Good, "Enforced: commands cannot change anything")
        }
        None => Check::new(
            AREA,
            "planning",
            CheckState::Warning,
            "Not enforced: commands are checked by their text only",
        )
        .advice("Forelook asks about unclear commands; if it cannot ask, it denies them"),
    };
    let rehearsals = match namespaces {
        Some(true) => match layered() {
            Ok(()) => Check::new(AREA, "rehearsals", CheckState::Good, "Enforced: changes go to an overlay"),
            Err(why) => Check::new(AREA, "rehearsals", CheckState::Warning, "Not available here")
                .advice(why.to_string()),
        },
        _ => Check::new(AREA, "rehearsals", CheckState::Warning, "Not available: requires namespaces"),
    };
    vec![reading, planning, rehearsals]
}

/// The fence of other modes.
fn workspace(can: bool, wanted: Option<&SandboxSettings>, at_home: bool) -> Check {
    let setting = SANDBOX_ENABLED.name;
    let check = |state, message: String| Check::new(AREA, "workspace", state, message);
    let enabled = wanted.and_then(|wanted| wanted.enabled);
    match (can, wanted.filter(|_| enabled == Some(true))) {
        (_, None) if enabled == Some(false) => {
            check(CheckState::Good, format!("Off: `{setting}` is `false`"))
        }
        (true, Some(_)) if at_home => {
            let message = format!("Not enforced in your home folder, although `{setting}` is on");
            check(CheckState::Warning, message)
                .advice("Forelook asks before running commands instead; start it in a project folder")
        }
        (true, Some(wanted)) => {
            let domains: Vec<&str> = wanted.network.iter().map(|layered| layered.value.as_str()).collect();
            let network = if domains.is_empty() { "none".to_owned() } else { domains.join(", ") };
            let message =
                format!("Enforced: commands can change only the working directories; network: {network}");
            check(CheckState::Good, message)
        }
        (true, None) if at_home => check(
            CheckState::Warning,
            "Not enforced in your home folder: too many files there control what runs later".to_owned(),
        )
        .advice("In `acceptEdits`, Forelook asks before running commands; start it in a project folder"),
        (true, None) => check(
            CheckState::Good,
            format!("Enforced in `acceptEdits`; `{setting}` turns it on for the other modes"),
        ),
        (false, Some(_)) => check(
            CheckState::Warning,
            format!("Not enforced, although `{setting}` is on: requires namespaces"),
        )
        .advice("Forelook asks before running commands instead"),
        (false, None) => check(CheckState::Warning, "Not available: requires namespaces".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_systems_hold_nothing_and_it_is_said() {
        assert_eq!(elsewhere("linux"), None);
        for (system, part) in
            [("macos", "never been tested"), ("windows", "checked by their text"), ("freebsd", "this system")]
        {
            let check = elsewhere(system).unwrap();
            assert!(check.state == CheckState::Warning && check.message.contains(part), "{check:?}");
        }
    }

    #[test]
    fn what_is_missing_is_named_with_its_reason() {
        let found = AvailableLayers { namespaces: Err("Refused".into()), landlock: None, seccomp: true };
        let states: Vec<(String, CheckState)> = layers(&found, KernelLayers::ALL)
            .into_iter()
            .chain(policies(&found, || Ok(())))
            .chain([workspace(false, None, false)])
            .map(|it| (it.name, it.state))
            .collect();
        let expected = [
            ("namespaces", CheckState::Warning),
            ("landlock", CheckState::Warning),
            ("seccomp", CheckState::Good),
            ("reading", CheckState::Warning),
            ("planning", CheckState::Warning),
            ("rehearsals", CheckState::Warning),
            ("workspace", CheckState::Warning),
        ];
        assert_eq!(states, expected.map(|(name, state)| (name.to_owned(), state)));
        assert_eq!(layers(&found, KernelLayers::ALL)[0].message, "no (Refused)");
    }
}
