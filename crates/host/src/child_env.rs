//! The environments of all programs that we start, whoever they run for: in one place, so that none gets a key.

use forelook_sandbox::ChildEnv;
use forelook_settings::{Env, ModelSettings, Settings};

use crate::provider_registry::ProviderRegistry;

/// The environment of the person's own programs (editor, status line, `keyHelper`): as theirs is, without keys.
pub(crate) fn user_env(env: &Env, models: &ModelSettings) -> ChildEnv {
    let mut own = ChildEnv::without_secrets(env.all().iter().cloned());
    forget_keys(&mut own, models);
    own
}

/// The environment of what runs without a terminal and is not configured: probes of the machine.
pub fn probe_env(env: &Env, models: &ModelSettings) -> ChildEnv {
    let mut child = ChildEnv::from_process_without_secrets(env.all().iter().cloned());
    forget_keys(&mut child, models);
    child
}

/// The environment of a session's commands and hooks, with what the settings set.
pub(crate) fn session_env(env: &Env, settings: &Settings) -> ChildEnv {
    let mut child = probe_env(env, &settings.models);
    // Without these, npm writes a log and looks for updates even where it is only asked what is installed.
    for (name, value) in [("npm_config_logs_max", "0"), ("npm_config_update_notifier", "false")] {
        if child.get(name).is_none() {
            child.set(name, value);
        }
    }
    for (name, configured) in &settings.env {
        child.set(name, &configured.value);
    }
    child
}

/// Takes out keys under names of the person's own.
fn forget_keys(child: &mut ChildEnv, models: &ModelSettings) {
    for name in ProviderRegistry::own_variables(models) {
        child.forget(name);
    }
}

#[cfg(test)]
mod tests {
    use forelook_settings::{SettingsPaths, Trust, load};

    use super::*;
    use crate::authority::settings_paths;
    use crate::spec::RuleSpec;

    /// A key under a name of the person's own, and a copy of it.
    #[test]
    fn no_program_gets_a_key_whatever_its_variable_is_called() {
        let home = tempfile::tempdir().unwrap();
        let folder = forelook_protocol::AbsPath::new(home.path()).unwrap();
        let env = Env::from_pairs([
            ("FORELOOK_HOME", home.path().to_str().unwrap()),
            ("CORP_LLM", "corp-secret-key"),
            ("COPY", "corp-secret-key"),
            ("KEPT", "1"),
        ])
        .unwrap();
        let provider = r#"{"model": {"providers": {"corp": {"keyVariable": "CORP_LLM", "wire": "openai-chat",
            "baseUrl": "https://corp.example"}}}}"#;
        let paths = settings_paths(&env, &RuleSpec::default(), &folder).unwrap();
        let paths = SettingsPaths { flag: Some(provider.into()), ..paths };
        let user = home.path().join("settings.json");
        forelook_disk::replace(&user, provider.as_bytes(), forelook_disk::Permissions::Private).unwrap();
        let settings = load(&SettingsPaths { flag: None, ..paths }, Trust::NotYet).unwrap();
        assert_eq!(ProviderRegistry::own_variables(&settings.models).collect::<Vec<_>>(), ["CORP_LLM"]);
        let all = [
            user_env(&env, &settings.models),
            probe_env(&env, &settings.models),
            session_env(&env, &settings),
        ];
        for child in all {
            assert!(child.iter().all(|(_, value)| value != "corp-secret-key"), "{child:?}");
            assert!(child.get("KEPT").is_some());
        }
    }
}
