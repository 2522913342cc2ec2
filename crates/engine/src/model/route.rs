//! Which model is asked, and which one in its place while it has too much to do.

use std::sync::Arc;

use forelook_protocol::ModelInfo;
use forelook_providers::{ModelFacts, Provider};

/// Finds providers by the names of models.
pub trait ModelCatalog: Send + Sync {
    /// The provider of `provider/name`, or why there is none.
    fn resolve(&self, model: &str) -> Result<ResolvedModel, String>;

    /// The small, fast model of the provider of this model, if it is known to have one.
    fn small_model(&self, _model: &str) -> Option<String> {
        None
    }

    /// Which models a person may choose.
    fn list(&self) -> Vec<ModelInfo> {
        Vec::new()
    }
}

/// A model that can be asked.
#[derive(Clone)]
pub struct ResolvedModel {
    /// As `provider/name`.
    pub id: String,
    /// The name as the provider knows it.
    pub name: String,
    /// Who to ask.
    pub provider: Arc<dyn Provider>,
    /// What is known of it.
    pub facts: ModelFacts,
}

/// The model to ask, with its fallback.
pub(crate) struct ModelRoute<'a> {
    pub(crate) model: ResolvedModel,
    /// Who is asked when that one has too much to do.
    pub(crate) fallback: Option<ResolvedModel>,
    /// Whether it has: for as long as the caller keeps this.
    pub(crate) on_fallback: &'a mut bool,
}

impl ModelRoute<'_> {
    /// Who is asked now.
    pub(super) fn current(&self) -> &ResolvedModel {
        self.fallback.as_ref().filter(|_| *self.on_fallback).unwrap_or(&self.model)
    }

    /// Who could be asked instead.
    pub(super) fn alternative(&self) -> Option<&ResolvedModel> {
        self.fallback.as_ref().filter(|_| !*self.on_fallback)
    }
}

/// Which model answers small questions.
#[derive(Clone)]
pub(crate) struct SmallRoute {
    pub(crate) models: Arc<dyn ModelCatalog>,
    /// The one that the settings name.
    pub(crate) small: Option<String>,
}

impl SmallRoute {
    /// The small model beside the session's: the one that the settings name, or else its provider's; nothing if neither is
    /// there.
    pub(crate) fn name(&self, sessions: &str) -> Option<String> {
        self.small.clone().or_else(|| self.models.small_model(sessions))
    }

    /// The small model, with the session's in its place while it has too much to do, or where there is none.
    pub(crate) fn find(&self, sessions: &str) -> Result<(ResolvedModel, Option<ResolvedModel>), String> {
        let main = self.models.resolve(sessions);
        let (model, fallback) = match self.name(sessions).map(|small| self.models.resolve(&small)) {
            Some(Ok(small)) => (small, main.ok()),
            Some(Err(_)) | None => (main?, None),
        };
        let fallback = fallback.filter(|main| main.id != model.id);
        Ok((model, fallback))
    }
}
