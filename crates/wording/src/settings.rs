//! Where a setting or rule comes from, and what is said of a folder's trust.

use forelook_protocol::{FolderTrust, PermissionUpdate, RuleOrigin, RuleValue, SettingOrigin, TrustReport};

/// What is said to a command line that would change rules.
pub const RULES_ARE_TYPED: &str = "A prompt on the command line cannot change rules, because it may come from a script\n\
                                   Type it here, or use `--allowedTools` and `--disallowedTools`";

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
