//! What a session has of its settings while it lasts: rules are saved into them, and a change to them is noticed.

use std::sync::{Mutex, PoisonError};

use forelook_engine::PolicyStore;
use forelook_permissions::ModeConditions;
use forelook_protocol::PermissionUpdate;
use forelook_settings::{SettingsPaths, fingerprint};

use crate::authority::{Bypass, LoadedSettings, conditions};

/// The settings files of a session.
pub(crate) struct SettingsPolicyStore {
    settings_paths: SettingsPaths,
    bypass: Bypass,
    /// As they were read last.
    last: Mutex<LoadedSettings>,
}

impl SettingsPolicyStore {
    pub(crate) fn new(settings_paths: SettingsPaths, loaded: LoadedSettings, bypass: Bypass) -> Self {
        Self { settings_paths, bypass, last: Mutex::new(loaded) }
    }
}

impl PolicyStore for SettingsPolicyStore {
    fn save(&self, update: &PermissionUpdate) -> Result<(), String> {
        forelook_settings::save(update, &self.settings_paths).map(drop).map_err(|error| error.to_string())
    }

    /// Only what the conditions of modes depend on is taken over: rules and hooks stay as the session was started with.
    fn changed(&self) -> Option<ModeConditions> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = fingerprint(&self.settings_paths);
        if now == last.fingerprint {
            return None;
        }
        // Remembered whatever comes of it: the same broken file is not read again before every request.
        last.fingerprint = now;
        let believing = SettingsPaths { owners: last.owners.clone(), ..self.settings_paths.clone() };
        let settings = match forelook_settings::reload(&believing, last.trust, &last.settings) {
            Ok(settings) => settings,
            Err(error) => {
                tracing::warn!(%error, "cannot use the changed settings; keeping the previous ones");
                return None;
            }
        };
        let before = conditions(self.bypass, &last.settings);
        last.settings = settings;
        Some(conditions(self.bypass, &last.settings)).filter(|after| *after != before)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out their files by hand")]
mod tests {
    use forelook_protocol::AbsPath;
    use forelook_settings::Env;

    use super::*;
    use crate::authority;
    use crate::spec::{RuleSpec, SessionSpec};

    #[test]
    fn a_change_is_told_once() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("home");
        let folder = AbsPath::new(root.path().join("project")).unwrap();
        for path in [&home, &folder.as_path().to_path_buf()] {
            std::fs::create_dir(path).unwrap();
        }
        let env = Env::from_pairs([("FORELOOK_HOME", home.to_str().unwrap())]).unwrap();
        let settings_paths = authority::settings_paths(&env, &RuleSpec::default(), &folder).unwrap();
        let loaded = authority::load(&env, &settings_paths).unwrap();
        let policy_store =
            SettingsPolicyStore::new(settings_paths, loaded, Bypass::of(&env, &SessionSpec::new(folder)));
        assert_eq!(policy_store.changed(), None);
        let file = home.join("settings.json");
        let write = |text: &str| std::fs::write(&file, text).unwrap();

        write(r#"{"useAutoModeDuringPlan": false}"#);
        assert_eq!(policy_store.changed().map(|now| now.auto_during_plan), Some(false));
        assert_eq!(policy_store.changed(), None);

        write(r#"{"useAutoModeDuringPlan": false, "model": {"main": "scripted/x"}}"#);
        assert_eq!(policy_store.changed(), None, "nothing that modes depend on");

        write("{ half saved");
        assert_eq!(policy_store.changed(), None, "a broken file changes nothing");

        std::fs::remove_file(&file).unwrap();
        assert_eq!(policy_store.changed().map(|now| now.auto_during_plan), Some(true));
    }
}
