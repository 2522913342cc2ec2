//! What the kernel grants, and what can therefore be held.

use std::io;

use forelook_sandbox::{Available, Layers, can_layer};
use forelook_settings::env::FORELOOK_FENCE_LAYERS;
use forelook_settings::keys::SANDBOX_ENABLED;
use forelook_settings::{Env, SandboxSettings};

use super::check::{Check, State};

const AREA: &str = "Kernel";

/// Layer by layer, then policy by policy. `at_home`: we are in the home folder, or above it.
pub(super) fn checks(env: &Env, wanted: Option<&SandboxSettings>, at_home: bool) -> Vec<Check> {
    let granted = Layers::available();
    let mut checks = match elsewhere(std::env::consts::OS) {
        Some(check) => vec![check],
        None => layers(&granted, env.fence_layers),
    };
    // A home that is not there yet is on the same disk as the folder that it will be in, but that is not ours to try in.
    let layered = || if env.home.as_path().is_dir() { can_layer(env.home.as_path()) } else { Ok(()) };
    let used = granted.limited(env.fence_layers);
    checks.extend(policies(&used, layered));
    checks.push(workspace(used.layers().is_some_and(|layers| layers.namespaces), wanted, at_home));
    checks
}

/// What is said where there is no fence at all.
fn elsewhere(system: &str) -> Option<Check> {
    let says = match system {
        "linux" => return None,
        "macos" => "Nothing is held on macOS yet: there is a profile for it that was never tried on a Mac",
        "windows" => "Nothing is held on Windows: commands are judged by their text",
        _ => "Nothing is held on this system: commands are judged by their text",
    };
    Some(Check::new(AREA, "fence", State::Warning, says))
}

/// What the kernel grants; what may not be used of it is said as that, and not as if it were missing.
fn layers(granted: &Available, used: Layers) -> Vec<Check> {
    let there = [granted.namespaces.is_ok(), granted.landlock.is_some(), granted.seccomp];
    let used = [used.namespaces, used.landlock, used.seccomp];
    let line = |(words, (there, used)): (String, (bool, bool))| {
        // Each line begins with the name of its layer.
        let (name, says) = words.split_once(": ").unwrap_or(("layer", &words));
        let name = name.to_lowercase();
        if there && !used {
            let says = format!("There, and switched off by `{}`", FORELOOK_FENCE_LAYERS.name);
            return Check::new(AREA, name, State::Warning, says).advice("Unset it to use all that is there");
        }
        Check::new(AREA, name, if there { State::Good } else { State::Warning }, says)
    };
    granted.words().into_iter().zip(there.into_iter().zip(used)).map(line).collect()
}

/// Those of planning.
fn policies(available: &Available, layered: impl Fn() -> io::Result<()>) -> Vec<Check> {
    let namespaces = available.layers().map(|layers| layers.namespaces);
    let planning = match namespaces {
        Some(_) => Check::new(AREA, "planning", State::Good, "Held: whatever runs changes nothing"),
        None => {
            Check::new(AREA, "planning", State::Warning, "Not held: commands are judged by their text alone")
                .advice("What nobody can judge is asked for; with nobody to ask it is refused")
        }
    };
    let rehearsals = match namespaces {
        Some(true) => match layered() {
            Ok(()) => Check::new(AREA, "rehearsals", State::Good, "Held: changes go to a layer"),
            Err(why) => {
                Check::new(AREA, "rehearsals", State::Warning, "Not possible here").advice(why.to_string())
            }
        },
        _ => Check::new(AREA, "rehearsals", State::Warning, "Not possible: they need namespaces"),
    };
    vec![planning, rehearsals]
}

/// The fence of other modes.
fn workspace(can: bool, wanted: Option<&SandboxSettings>, at_home: bool) -> Check {
    let setting = SANDBOX_ENABLED.name;
    let check = |state, says: String| Check::new(AREA, "workspace", state, says);
    match (can, wanted.filter(|wanted| wanted.enabled)) {
        (true, Some(_)) if at_home => {
            let says = format!("Not held in your home folder, though `{setting}` wants it");
            check(State::Warning, says)
                .advice("Commands are asked for instead; start in the folder of a project")
        }
        (true, Some(wanted)) => {
            let domains: Vec<&str> = wanted.network.iter().map(|said| said.value.as_str()).collect();
            let network = if domains.is_empty() { "none".to_owned() } else { domains.join(", ") };
            let says = format!("Held: commands change the working folders and no others; network: {network}");
            check(State::Good, says)
        }
        (true, None) => check(State::Good, format!("Possible: `{setting}` switches it on")),
        (false, Some(_)) => {
            check(State::Warning, format!("Not held, though `{setting}` wants it: it needs namespaces"))
                .advice("Commands are asked for instead")
        }
        (false, None) => check(State::Warning, "Not possible: it needs namespaces".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_systems_hold_nothing_and_it_is_said() {
        assert_eq!(elsewhere("linux"), None);
        for (system, part) in
            [("macos", "never tried"), ("windows", "judged by their text"), ("freebsd", "this system")]
        {
            let check = elsewhere(system).unwrap();
            assert!(check.state == State::Warning && check.says.contains(part), "{check:?}");
        }
    }

    #[test]
    fn what_is_missing_is_named_with_its_reason() {
        let found = Available { namespaces: Err("Refused".into()), landlock: None, seccomp: true };
        let states: Vec<(String, State)> = layers(&found, Layers::ALL)
            .into_iter()
            .chain(policies(&found, || Ok(())))
            .chain([workspace(false, None, false)])
            .map(|it| (it.name, it.state))
            .collect();
        let expected = [
            ("namespaces", State::Warning),
            ("landlock", State::Warning),
            ("seccomp", State::Good),
            ("planning", State::Warning),
            ("rehearsals", State::Warning),
            ("workspace", State::Warning),
        ];
        assert_eq!(states, expected.map(|(name, state)| (name.to_owned(), state)));
        assert_eq!(layers(&found, Layers::ALL)[0].says, "no. Refused");
    }
}
