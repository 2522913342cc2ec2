//! What a session's settings are and where each comes from: files, the environment, and the command line together.

use forelook_protocol::{FolderTrust, SettingInfo, SettingOrigin, TrustReport};
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

/// A value that settings files do not have the last word on.
struct Override {
    key: &'static str,
    value: String,
    origin: SettingOrigin,
    /// Whether it stands beside what files say, and does not take its place.
    adds_up: bool,
}

impl Override {
    fn put_into(self, report: &mut Vec<SettingInfo>) {
        let Self { key, value, origin, adds_up } = self;
        let at = report.iter().position(|row| row.key == key).unwrap_or(report.len());
        report.retain(|row| row.key != key || row.origin != SettingOrigin::Default);
        if !adds_up {
            report.iter_mut().filter(|row| row.key == key).for_each(|row| row.counts = false);
        }
        report.insert(at, SettingInfo { key: key.to_owned(), value, origin, counts: true });
    }
}

fn overrides(
    env: &Env,
    spec: &SessionSpec,
    settings: &Settings,
    model: Option<&ModelSelection>,
) -> Vec<Override> {
    let flag = |name: &str| SettingOrigin::Flag { name: name.to_owned() };
    let variable = |name: &str| SettingOrigin::Variable { name: name.to_owned() };
    let mut overrides = Vec::new();
    let mut put = |key: &'static keys::Key, value: Option<String>, origin, adds_up| {
        let value = value.filter(|value| !value.is_empty());
        overrides.extend(value.map(|value| Override { key: key.name, value, origin, adds_up }));
    };
    let found = model.map(|model| model.name().to_owned());
    match (&spec.model, &env.model, &settings.model) {
        (Some(named), ..) => put(&keys::MODEL_MAIN, Some(named.clone()), flag("--model"), false),
        (None, Some(named), _) => {
            put(&keys::MODEL_MAIN, Some(named.clone()), variable("FORELOOK_MODEL"), false);
        }
        (None, None, Some(_)) => {}
        (None, None, None) => put(&keys::MODEL_MAIN, found, SettingOrigin::Found, false),
    }
    put(&keys::MODEL_FALLBACK, spec.fallback_model.clone(), flag("--fallback-model"), false);
    put(&keys::DEFAULT_MODE, spec.mode.map(|mode| mode.to_string()), flag("--permission-mode"), false);
    put(&keys::MODEL_MAX_ANSWERS, spec.max_turns.map(|most| most.to_string()), flag("--max-turns"), false);
    put(&keys::ALLOW, Some(spec.rules.allowed.join(", ")), flag("--allowedTools"), true);
    put(&keys::DENY, Some(spec.rules.denied.join(", ")), flag("--disallowedTools"), true);
    put(&keys::ADDITIONAL_DIRECTORIES, Some(spec.rules.folders.join(", ")), flag("--add-dir"), true);
    let plan = &env.plan;
    let count = |count: Option<u8>| count.map(|count| count.to_string());
    put(
        &keys::EXPLORE_AGENTS,
        count(plan.explore_agents),
        variable("FORELOOK_PLAN_EXPLORE_AGENT_COUNT"),
        false,
    );
    put(&keys::PLAN_AGENTS, count(plan.plan_agents), variable("FORELOOK_PLAN_AGENT_COUNT"), false);
    let interview = plan.interview.map(|on| on.to_string());
    put(&keys::PLAN_INTERVIEW, interview, variable("FORELOOK_PLAN_MODE_INTERVIEW_PHASE"), false);
    overrides
}
