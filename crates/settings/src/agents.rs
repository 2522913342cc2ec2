//! How agents run: how many at once, and on which model they explore.

use crate::keys::{self, INHERIT};
use crate::layers::Layer;
use crate::planning::as_small;
use crate::resolve::{resolve_single, text};

/// How many agents run at the same time if nobody says otherwise.
const PARALLEL: u8 = 10;

/// How agents run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSettings {
    /// How many may run at the same time, from 1 on.
    pub max_parallel: u8,
    /// The model of Explore agents.
    pub explore_model: ExploreModel,
}

/// The model of Explore agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExploreModel {
    /// The small one ([`crate::Settings::model_small`]).
    Small,
    /// The session's.
    Session,
    /// This one.
    Named(String),
}

pub(crate) fn agents(layers: &[Layer]) -> AgentSettings {
    let explore_model = match text(layers, &keys::EXPLORE_MODEL) {
        None => ExploreModel::Small,
        Some(layered) if layered.value.trim() == INHERIT => ExploreModel::Session,
        Some(layered) => ExploreModel::Named(layered.value),
    };
    let max_parallel =
        resolve_single(layers, &keys::MAX_PARALLEL, as_small).map_or(PARALLEL, |layered| layered.value);
    AgentSettings { max_parallel, explore_model }
}
