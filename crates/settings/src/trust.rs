//! What a settings file may not do.
//!
//! A project's own files (`.forelook/settings.json` and `.forelook/settings.local.json`; a clone can
//! bring both) are a stranger's text. In this order:
//!
//! 1. They never set the modes `auto` and `bypassPermissions`, trusted or not.
//! 2. Until the person trusts the folder, they set no mode wider than `default`, and their `env` does nothing: a
//!    variable can choose what runs.
//! 3. No file, whoever wrote it, hands a provider's key to a child process.

use std::ffi::OsStr;

use forelook_protocol::{Mode, Notice, NoticeLevel, Source};
use forelook_sandbox::is_secret_name;

use crate::file::Origin;
use crate::keys::{ENV, Value};
use crate::layers::{Found, Layer};
use crate::shown::shown;

/// Whether the person trusts the project's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Nobody has said so.
    NotYet,
    /// The person said so.
    Trusted,
}

/// Takes out of a layer what it may not say; the notices tell the person.
pub(crate) fn hold_back(layer: &mut Layer, origin: &Origin, trust: Trust) -> Vec<Notice> {
    let mut notices = Vec::new();
    let stranger = matches!(layer.source, Source::ProjectSettings | Source::LocalSettings);
    layer.found.retain(|found| {
        let refusal = stranger.then(|| refuse(found, origin, trust)).flatten();
        let keep = refusal.is_none();
        notices.extend(refusal);
        keep
    });
    for found in &mut layer.found {
        if let Value::Variables(variables) = &mut found.value {
            variables.retain(|variable| {
                let key = is_secret_name(OsStr::new(&variable.name));
                if key {
                    notices.push(warning(format!(
                        "Setting `{}.{}` in `{origin}:{}` is ignored: child processes never have keys\nRemove it",
                        ENV.name, shown(&variable.name), variable.line
                    )));
                }
                !key
            });
        }
    }
    notices
}

fn refuse(found: &Found, origin: &Origin, trust: Trust) -> Option<Notice> {
    let (name, line) = (found.key.name, found.line);
    match &found.value {
        Value::Mode(mode @ (Mode::Auto | Mode::BypassPermissions)) => Some(warning(format!(
            "Setting `{name}` in `{origin}:{line}` is ignored: a project may not choose the mode `{mode}`\n\
             Set it in your own settings or start with `--permission-mode {mode}`"
        ))),
        // A clone that says `acceptEdits` of itself would run its own commands unasked.
        Value::Mode(mode) if trust == Trust::NotYet && *mode > Mode::Default => Some(warning(format!(
            "Setting `{name}` in `{origin}:{line}` is ignored: this folder is not trusted, so it may not choose the mode `{mode}`\n\
             Set it in your own settings or start with `--permission-mode {mode}`"
        ))),
        Value::Variables(_) if trust == Trust::NotYet => Some(Notice {
            level: NoticeLevel::Info,
            text: format!(
                "Setting `{name}` in `{origin}:{line}` is ignored: this folder is not trusted\n\
                 Put the variables you want into your own settings"
            ),
        }),
        Value::Mode(_) | Value::Text(_) | Value::Variables(_) => None,
    }
}

fn warning(text: String) -> Notice {
    Notice { level: NoticeLevel::Warning, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Assignment, DEFAULT_MODE};

    fn kept(source: Source, value: Value, trust: Trust) -> (bool, usize) {
        let key = if matches!(value, Value::Mode(_)) { &DEFAULT_MODE } else { &ENV };
        let mut layer = Layer { source, file: None, found: vec![Found { key, value, line: 1 }] };
        let notices = hold_back(&mut layer, &Origin::Flag, trust);
        (!layer.found.is_empty(), notices.len())
    }

    #[test]
    fn a_project_never_widens_its_own_mode() {
        use Source::{FlagSettings, LocalSettings, PolicySettings, ProjectSettings, UserSettings};
        for source in [UserSettings, ProjectSettings, LocalSettings, FlagSettings, PolicySettings] {
            for mode in Mode::ALL {
                for trust in [Trust::NotYet, Trust::Trusted] {
                    let stranger = matches!(source, ProjectSettings | LocalSettings);
                    let too_wide =
                        mode > Mode::AcceptEdits || (trust == Trust::NotYet && mode > Mode::Default);
                    let refused = stranger && too_wide;
                    let expected = if refused { (false, 1) } else { (true, 0) };
                    assert_eq!(kept(source, Value::Mode(mode), trust), expected, "{source} {mode} {trust:?}");
                }
            }
        }
    }

    #[test]
    fn a_projects_variables_wait_for_trust() {
        for (source, trust, expected) in [
            (Source::UserSettings, Trust::NotYet, (true, 0)),
            (Source::FlagSettings, Trust::NotYet, (true, 0)),
            (Source::ProjectSettings, Trust::NotYet, (false, 1)),
            (Source::LocalSettings, Trust::NotYet, (false, 1)),
            (Source::ProjectSettings, Trust::Trusted, (true, 0)),
        ] {
            let value = Value::Variables(vec![Assignment { name: "A".into(), value: "1".into(), line: 1 }]);
            assert_eq!(kept(source, value, trust), expected, "{source} {trust:?}");
        }
    }

    #[test]
    fn nobody_hands_on_a_key() {
        let variable = |name: &str| Assignment { name: name.into(), value: "v".into(), line: 2 };
        let value = Value::Variables(vec![variable("OPENAI_API_KEY"), variable("B")]);
        let mut layer = Layer {
            source: Source::UserSettings,
            file: None,
            found: vec![Found { key: &ENV, value, line: 1 }],
        };
        let notices = hold_back(&mut layer, &Origin::Flag, Trust::Trusted);
        assert_eq!(notices.len(), 1);
        assert_eq!(layer.found[0].value, Value::Variables(vec![variable("B")]));
    }
}
