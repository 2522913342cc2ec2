//! What holds while planning: settings, environment and defaults in one.

use forelook_permissions::ShellPattern;
use forelook_protocol::{AbsPath, Notice, NoticeLevel, Source};

use crate::env::Env;
use crate::keys::{self, EAGERNESS, Key, LENGTHS, PLAN_TEMPLATE};
use crate::layers::{Layer, Layered, highest_precedence};
use crate::resolve::{Settings, resolve_single};
use crate::roots::Roots;
use crate::sanitize::{sanitized_path, sanitized_sentence};
use crate::values::Value;

/// How many Explore agents there may be if nobody says otherwise.
const EXPLORERS: u8 = 3;

/// What holds while planning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanSettings {
    /// How many Explore agents may look around at once, 1 to 10.
    pub explore_agents: u8,
    /// How many Plan agents may design at once, 1 to 10.
    pub plan_agents: u8,
    /// The plan is made in conversation.
    pub interview: bool,
    /// How short plans are: one of [`LENGTHS`]. Texts are not written here, so this is only a name.
    pub length: &'static str,
    /// When the model proposes to plan: one of [`EAGERNESS`].
    pub eagerness: &'static str,
    /// The folder for plans ([`Settings::plans_directory`]).
    pub directory: Option<Layered<String>>,
    /// The skeleton of a plan ([`Settings::plan_template`]).
    pub template: Option<Layered<AbsPath>>,
    /// Commands that may use the network.
    pub network_commands: Vec<ShellPattern>,
    /// What the person pays with.
    pub subscription: Option<Subscription>,
}

/// What the person pays with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subscription {
    /// `pro`
    Pro,
    /// `max_5x`
    Max5x,
    /// `max_20x`
    Max20x,
    /// `team`
    Team,
    /// `enterprise`
    Enterprise,
}

impl Subscription {
    /// Every one.
    pub const ALL: [Self; 5] = [Self::Pro, Self::Max5x, Self::Max20x, Self::Team, Self::Enterprise];

    /// Their names, in the same order.
    pub const NAMES: &'static [&'static str] = &["pro", "max_5x", "max_20x", "team", "enterprise"];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().zip(Self::NAMES).find(|(_, known)| **known == name).map(|(found, _)| found)
    }

    /// How many Plan agents there may be if nobody says otherwise.
    fn planners(subscription: Option<Self>) -> u8 {
        match subscription {
            None | Some(Self::Pro | Self::Max5x) => 1,
            Some(Self::Max20x | Self::Team | Self::Enterprise) => 3,
        }
    }
}

/// What holds while planning, with what of the environment is ignored. The environment wins over settings.
pub fn planning(settings: &Settings, env: &Env) -> (PlanSettings, Vec<Notice>) {
    let layers = &settings.layers;
    let count = |key: &Key| resolve_single(layers, key, as_small).map(|layered| layered.value);
    let word = |key: &Key| resolve_single(layers, key, Value::as_word).map(|layered| layered.value);
    let subscription = word(&keys::SUBSCRIPTION).and_then(Subscription::named);
    let interview =
        resolve_single(layers, &keys::PLAN_INTERVIEW, Value::as_switch).map(|layered| layered.value);
    let planning = PlanSettings {
        explore_agents: env.plan.explore_agents.or(count(&keys::EXPLORE_AGENTS)).unwrap_or(EXPLORERS),
        plan_agents: env
            .plan
            .plan_agents
            .or(count(&keys::PLAN_AGENTS))
            .unwrap_or(Subscription::planners(subscription)),
        interview: env.plan.interview.or(interview).unwrap_or(false),
        length: word(&keys::PLAN_LENGTH).unwrap_or(LENGTHS[0]),
        eagerness: word(&keys::PLAN_EAGERNESS).unwrap_or(EAGERNESS[0]),
        directory: settings.plans_directory.clone(),
        template: settings.plan_template.clone(),
        network_commands: settings.network_commands.iter().map(|layered| layered.value.clone()).collect(),
        subscription,
    };
    (planning, env.plan.ignored.clone())
}

/// The number, where it is one of agents: its key keeps it small.
pub(crate) fn as_small(value: &Value) -> Option<u8> {
    value.as_count().and_then(|count| u8::try_from(count).ok())
}

/// Commands that may use the network, of all files.
pub(crate) fn network_commands(layers: &[Layer]) -> Vec<Layered<ShellPattern>> {
    let of_layer = |layer: &Layer| {
        let found = layer.get(&keys::NETWORK_COMMANDS).and_then(|found| found.value.as_commands());
        let signed =
            found.unwrap_or_default().iter().map(|item| layer.attributed(item.pattern.clone(), item.line));
        signed.collect::<Vec<_>>()
    };
    layers.iter().flat_map(of_layer).collect()
}

/// The skeleton of a plan, and those that do not count.
///
/// Its text goes to the model: a project that could name any file would send `~/.ssh` there.
pub(crate) fn template(layers: &[Layer], roots: &Roots) -> (Option<Layered<AbsPath>>, Vec<Notice>) {
    let (mut named, mut notices) = (Vec::new(), Vec::new());
    for layer in layers {
        let Some(found) = layer.get(&PLAN_TEMPLATE) else { continue };
        let stranger = matches!(layer.source, Source::ProjectSettings | Source::LocalSettings);
        let path = found.value.as_text().and_then(|text| roots.in_project(text.trim()));
        let why = match path.map(forelook_disk::resolve) {
            Some(Ok(path)) if !stranger || roots.has(&path) => {
                named.push(layer.attributed(path, found.line));
                continue;
            }
            Some(Ok(_)) => {
                "a project can only name a file inside the project\nSet it in your user settings".to_owned()
            }
            Some(Err(error)) => sanitized_sentence(&error.to_string()),
            None => "it names a file in your home folder, but `HOME` is not set\nSet `HOME`".to_owned(),
        };
        let (name, line) = (PLAN_TEMPLATE.name, found.line);
        let place = layer.file.as_ref().map_or_else(|| "--settings".to_owned(), sanitized_path);
        let text = format!("Setting `{name}` in `{place}:{line}` was ignored: {why}");
        notices.push(Notice { level: NoticeLevel::Warning, text });
    }
    (highest_precedence(named), notices)
}
