//! What a session's settings are and where each comes from: files, the environment, and the command line together.

use forelook_protocol::{Behavior, FolderTrust, SettingInfo, SettingOrigin, TrustReport};
use forelook_settings::{Env, PowerItem, PowerKind, Settings, TrustState, effective, keys};

use crate::authority::LoadedSettings;
use crate::model_selection::ModelSelection;
use crate::prepared_session::PreparedSession;
use crate::spec::SessionSpec;

impl PreparedSession {
    /// Every setting with where it comes from.
    pub(crate) fn settings_report(&self) -> Vec<SettingInfo> {
        let mut report = effective(self.settings());
        let overrides = overrides(self.host.env(), &self.spec, self.settings(), self.model.as_ref());
        overrides.into_iter().for_each(|over| over.put_into(&mut report));
        report
    }

    /// What the user trusts in the folder.
    pub(crate) fn trust_report(&self) -> TrustReport {
        let LoadedSettings { trust_state, contents, .. } = &self.loaded;
        let state = match trust_state {
            TrustState::Impossible(reasons) => FolderTrust::Impossible { reasons: reasons.clone() },
            _ if !contents.needs_trust() => FolderTrust::NotNeeded,
            TrustState::Trusted => FolderTrust::Trusted,
            TrustState::Changed(differences) => FolderTrust::Changed { differences: differences.clone() },
            TrustState::NotYet | TrustState::Unrecorded => FolderTrust::NotYet,
        };
        let items = contents.items().filter(|item| item.kind != PowerKind::Obstacle);
        let folder = self.settings_paths.project.clone();
        TrustReport { folder, state, contents: items.map(PowerItem::words).collect() }
    }
}

/// What becomes of what files say beside a value from elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// It does not count.
    Replaces,
    /// It counts too.
    AddsUp,
    /// It alone counts: a policy lets nothing else.
    Ignored,
}

impl Weight {
    /// Of rules of the command line.
    fn of_rules(settings: &Settings, behavior: Behavior) -> Self {
        if settings.flag_rules_count(behavior) { Self::AddsUp } else { Self::Ignored }
    }
}

/// A value that settings files do not have the last word on.
struct Override {
    key: &'static str,
    value: String,
    origin: SettingOrigin,
    weight: Weight,
}

impl Override {
    /// What counts comes first.
    fn put_into(self, report: &mut Vec<SettingInfo>) {
        let Self { key, value, origin, weight } = self;
        let is_here = |row: &SettingInfo| row.key == key;
        let first = report.iter().position(is_here).unwrap_or(report.len());
        let behind = report.iter().rposition(is_here).map_or(report.len(), |last| last + 1);
        let counts = weight != Weight::Ignored;
        let row = SettingInfo { key: key.to_owned(), value, origin, counts };
        if !counts {
            return report.insert(behind, row);
        }
        report.retain(|row| !is_here(row) || row.origin != SettingOrigin::Default);
        if weight == Weight::Replaces {
            report.iter_mut().filter(|row| is_here(row)).for_each(|row| row.counts = false);
        }
        report.insert(first, row);
    }
}

fn overrides(
    env: &Env,
    spec: &SessionSpec,
    settings: &Settings,
    model: Option<&ModelSelection>,
) -> Vec<Override> {
    use Weight::{AddsUp, Replaces};
    let flag = |name: &str| SettingOrigin::Flag { name: name.to_owned() };
    let variable = |name: &str| SettingOrigin::Variable { name: name.to_owned() };
    let mut overrides = Vec::new();
    let mut put = |key: &'static keys::Key, value: Option<String>, origin, weight| {
        let value = value.filter(|value| !value.is_empty());
        overrides.extend(value.map(|value| Override { key: key.name, value, origin, weight }));
    };
    let (allowed, denied) =
        (Weight::of_rules(settings, Behavior::Allow), Weight::of_rules(settings, Behavior::Deny));
    let found = model.map(|model| model.name().to_owned());
    match (&spec.model, &env.model, &settings.model) {
        (Some(named), ..) => put(&keys::MODEL_MAIN, Some(named.clone()), flag("--model"), Replaces),
        (None, Some(named), _) => {
            put(&keys::MODEL_MAIN, Some(named.clone()), variable("FORELOOK_MODEL"), Replaces);
        }
        (None, None, Some(_)) => {}
        (None, None, None) => put(&keys::MODEL_MAIN, found, SettingOrigin::Found, Replaces),
    }
    put(&keys::MODEL_FALLBACK, spec.fallback_model.clone(), flag("--fallback-model"), Replaces);
    put(&keys::DEFAULT_MODE, spec.mode.map(|mode| mode.to_string()), flag("--permission-mode"), Replaces);
    put(&keys::MODEL_MAX_ANSWERS, spec.max_turns.map(|most| most.to_string()), flag("--max-turns"), Replaces);
    put(&keys::ALLOW, Some(spec.rules.allowed.join(", ")), flag("--allowedTools"), allowed);
    put(&keys::DENY, Some(spec.rules.denied.join(", ")), flag("--disallowedTools"), denied);
    put(&keys::ADDITIONAL_DIRECTORIES, Some(spec.rules.folders.join(", ")), flag("--add-dir"), AddsUp);
    let plan = &env.plan;
    let count = |count: Option<u8>| count.map(|count| count.to_string());
    put(
        &keys::EXPLORE_AGENTS,
        count(plan.explore_agents),
        variable("FORELOOK_PLAN_EXPLORE_AGENT_COUNT"),
        Replaces,
    );
    put(&keys::PLAN_AGENTS, count(plan.plan_agents), variable("FORELOOK_PLAN_AGENT_COUNT"), Replaces);
    let interview = plan.interview.map(|on| on.to_string());
    put(&keys::PLAN_INTERVIEW, interview, variable("FORELOOK_PLAN_MODE_INTERVIEW_PHASE"), Replaces);
    overrides
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: &str, counts: bool) -> SettingInfo {
        let key = "a.list".to_owned();
        SettingInfo { key, value: value.to_owned(), origin: SettingOrigin::Found, counts }
    }

    #[test]
    fn what_counts_comes_first_and_what_does_not_comes_last() {
        for (weight, expected) in [
            (Weight::Replaces, vec![("new", true), ("first", false), ("second", false)]),
            (Weight::AddsUp, vec![("new", true), ("first", true), ("second", false)]),
            (Weight::Ignored, vec![("first", true), ("second", false), ("new", false)]),
        ] {
            let mut report = vec![row("first", true), row("second", false)];
            let origin = SettingOrigin::Flag { name: "--new".to_owned() };
            Override { key: "a.list", value: "new".to_owned(), origin, weight }.put_into(&mut report);
            let shown: Vec<(&str, bool)> =
                report.iter().map(|row| (row.value.as_str(), row.counts)).collect();
            assert_eq!(shown, expected, "{weight:?}");
        }
    }

    #[test]
    fn a_default_stays_only_beside_what_does_not_count() {
        for (weight, expected) in [(Weight::AddsUp, 1), (Weight::Ignored, 2)] {
            let mut report = vec![SettingInfo { origin: SettingOrigin::Default, ..row("none", true) }];
            let origin = SettingOrigin::Found;
            Override { key: "a.list", value: "new".to_owned(), origin, weight }.put_into(&mut report);
            assert_eq!(report.len(), expected, "{weight:?}");
        }
    }
}
