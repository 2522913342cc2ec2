//! The agents that can be started: built in, from files, and from the command line.

use forelook_disk::ProjectFiles;
use forelook_engine::{
    AgentCatalog, AgentDefinition, AgentModel, ModelCatalog, ProjectAgents, agents_from_json,
    built_in_agents, load_agents, merge_agents,
};
use forelook_protocol::Notice;
use forelook_settings::{Env, ExploreModel, Settings, SettingsPaths, Trust};

use crate::failure::{Failure, FailureClass};
use crate::planning::{usable, value};

/// The agent whose model the settings name.
const EXPLORE: &str = "Explore";

/// Agents given on the command line, with what is wrong with them.
pub(crate) fn from_flag(text: Option<&str>) -> Result<(Vec<AgentDefinition>, Vec<Notice>), Failure> {
    let Some(text) = text else { return Ok(Default::default()) };
    let value = serde_json::from_str(text).map_err(|error| {
        Failure::new(FailureClass::Usage, format!("The value of `--agents` is not valid JSON: {error}"))
            .hint(r#"Give an object: --agents '{"reviewer": {"description": "…", "prompt": "…"}}'"#)
    })?;
    Ok(agents_from_json(&value))
}

/// Where agents come from.
pub(crate) struct AgentSources<'a> {
    pub(crate) env: &'a Env,
    pub(crate) settings_paths: &'a SettingsPaths,
    pub(crate) trust: Trust,
    pub(crate) files: &'a ProjectFiles,
    pub(crate) settings: &'a Settings,
    pub(crate) models: &'a dyn ModelCatalog,
}

impl AgentSources<'_> {
    /// All of them; those of the command line win.
    pub(crate) fn catalog(&self, given: Vec<AgentDefinition>) -> (AgentCatalog, Vec<Notice>) {
        let theirs = ProjectAgents {
            project: &self.settings_paths.project,
            files: self.files,
            trusted: matches!(self.trust, Trust::Trusted),
        };
        let (own, mut notices) = load_agents(Some(&self.env.home), theirs);
        let small = usable(value(&self.settings.model_small), "`model.small`", self.models, &mut notices);
        let explore = self.explore_model(&mut notices);
        let mut ours = built_in_agents();
        for kind in ours.iter_mut().filter(|kind| kind.name == EXPLORE) {
            kind.model = explore.clone();
        }
        let catalog = AgentCatalog {
            kinds: merge_agents([ours, own, given]),
            at_once: usize::from(self.settings.agents.max_parallel),
            small,
        };
        (catalog, notices)
    }

    fn explore_model(&self, notices: &mut Vec<Notice>) -> AgentModel {
        match &self.settings.agents.explore_model {
            ExploreModel::Small => AgentModel::Small,
            ExploreModel::Session => AgentModel::Inherit,
            ExploreModel::Named(model) => {
                let named = usable(Some(model), "`agents.exploreModel`", self.models, notices);
                named.map_or(AgentModel::Inherit, AgentModel::Named)
            }
        }
    }
}
