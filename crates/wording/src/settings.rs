//! Where a setting or rule comes from, and what is said of a folder's trust.

use forelook_protocol::{
    FolderTrust, PermissionUpdate, RuleOrigin, RuleValue, SettingInfo, SettingOrigin, TrustReport,
};

/// What is said to a command line that would change rules.
pub const RULES_ARE_TYPED: &str = "A prompt on the command line cannot change rules, because it may come from a script\n\
                                   Type it here, or use `--allowedTools` and `--disallowedTools`";

/// The settings whose keys contain all of these words, in any order; without words, all of them.
pub fn matching_settings<'settings>(
    settings: &'settings [SettingInfo],
    words: &str,
) -> Vec<&'settings SettingInfo> {
    let words = words.to_lowercase();
    let contains_all = |setting: &&SettingInfo| {
        let key = setting.key.to_lowercase();
        words.split_whitespace().all(|word| key.contains(word))
    };
    settings.iter().filter(contains_all).collect()
}

/// That no key contains all of these words.
pub fn no_matching_setting(words: &str) -> String {
    let words: Vec<String> = words.split_whitespace().map(|word| format!("`{word}`")).collect();
    format!("No setting contains {}\n`/config` shows all of them", words.join(" and "))
}

/// Where a setting comes from.
pub fn setting_origin(origin: &SettingOrigin) -> String {
    match origin {
        SettingOrigin::Default => "default".to_owned(),
        SettingOrigin::Settings { source, file: Some(file), line } => format!("{source}, {file}:{line}"),
        SettingOrigin::Settings { source, file: None, .. } => source.to_string(),
        SettingOrigin::Variable { name } => format!("variable {name}"),
        SettingOrigin::Flag { name } => name.clone(),
        SettingOrigin::Found => "found by Forelook".to_owned(),
    }
}

/// Where a rule stands.
pub fn rule_place(rule: &RuleOrigin) -> String {
    match (&rule.file, rule.line) {
        (Some(file), Some(line)) => format!("{}, {file}:{line}", rule.source),
        (Some(file), None) => format!("{}, {file}", rule.source),
        (None, _) => rule.source.to_string(),
    }
}

/// Whether a folder is trusted, in a sentence.
pub fn trust_words(report: &TrustReport) -> &'static str {
    match report.state {
        FolderTrust::NotNeeded => "Nothing in this folder needs your trust",
        FolderTrust::NotYet => "You have not trusted this folder, so this has no effect:",
        FolderTrust::Trusted => "You trust this folder, with:",
        FolderTrust::Changed { .. } => "This folder changed since you trusted it, so this has no effect:",
        FolderTrust::Impossible { .. } => "Forelook cannot check this folder, so nobody can trust it:",
    }
}

/// What a change of the permissions does, in a few words.
pub fn permission_change(update: &PermissionUpdate) -> String {
    let named = |rules: &[RuleValue]| rules.iter().map(RuleValue::to_string).collect::<Vec<_>>().join(", ");
    match update {
        PermissionUpdate::AddRules { rules, behavior, destination } => {
            format!("Rules added: {behavior} {} ({})", named(rules), destination.source())
        }
        PermissionUpdate::ReplaceRules { rules, behavior, destination } => {
            format!("Rules replaced: {behavior} {} ({})", named(rules), destination.source())
        }
        PermissionUpdate::RemoveRules { rules, behavior, destination } => {
            format!("Rules removed: {behavior} {} ({})", named(rules), destination.source())
        }
        PermissionUpdate::SetMode { mode, .. } => format!("Mode: {mode}"),
        PermissionUpdate::AddDirectories { directories, .. } => {
            format!("Working directories added: {}", directories.join(", "))
        }
        PermissionUpdate::RemoveDirectories { directories, .. } => {
            format!("Working directories removed: {}", directories.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_matches_if_all_words_are_in_its_key() {
        let keys = [
            "model.main",
            "permissions.allow",
            "permissions.defaultMode",
            "permissions.disableBypassPermissionsMode",
        ];
        let settings = keys.map(|key| SettingInfo {
            key: key.to_owned(),
            value: "main".to_owned(),
            origin: SettingOrigin::Default,
            counts: true,
        });
        for (words, expected) in [
            ("", &keys[..]),
            ("MODE", &[keys[0], keys[2], keys[3]]),
            ("permissions mode", &keys[2..]),
            ("  mode\tpermissions ", &keys[2..]),
            ("permissions.def", &keys[2..3]),
            ("permissions main", &[]),
        ] {
            let found: Vec<&str> =
                matching_settings(&settings, words).iter().map(|it| it.key.as_str()).collect();
            assert_eq!(found, expected, "{words:?}");
        }
        assert_eq!(
            no_matching_setting("permissions  main"),
            "No setting contains `permissions` and `main`\n`/config` shows all of them"
        );
    }
}
