//! The list of models that front ends offer: what can be asked, and what a key would open.

use forelook_protocol::ModelInfo;
use forelook_providers::ModelFacts;
use forelook_providers::catalog::KnownModel;

use crate::models::KnownModels;
use crate::ollama;

/// Which models a person may choose: first those that can be asked. `current` is among them in any case.
pub fn model_list(models: &KnownModels, current: Option<&str>) -> Vec<ModelInfo> {
    let mut list: Vec<ModelInfo> = Vec::new();
    for id in models.providers.ids() {
        match models.providers.find(id) {
            Ok(server) if id == ollama::ID => {
                let local = ollama::models(&server.base).unwrap_or_default();
                list.extend(local.into_iter().map(|name| one(models, id, &name, None)));
            }
            Ok(server) => {
                let known = KnownModel::all_of(id).into_iter();
                // Without a key only the newest of each kind: it is a hint, not a price list.
                let known = known.filter(|model| server.missing.is_none() || model.family.is_some());
                list.extend(known.map(|model| one(models, id, &model.name, server.missing.clone())));
            }
            Err(why) => {
                let known = KnownModel::all_of(id).into_iter().filter(|model| model.family.is_some());
                list.extend(known.map(|model| one(models, id, &model.name, Some(why.clone()))));
            }
        }
    }
    for name in models.configured_models().chain(current) {
        if let Some((id, bare)) =
            name.split_once('/').filter(|_| list.iter().all(|listed| listed.name != *name))
        {
            let missing = match models.providers.find(id) {
                _ if id == "scripted" => None,
                Ok(server) => server.missing,
                Err(why) => Some(why),
            };
            list.push(one(models, id, bare, missing));
        }
    }
    list.sort_by_key(|listed| listed.missing.is_some());
    list
}

fn one(models: &KnownModels, provider: &str, name: &str, missing: Option<String>) -> ModelInfo {
    let known = KnownModel::find(provider, name).filter(|known| !known.name.ends_with('*'));
    let ModelFacts { window, output, price, .. } = models.facts(provider, name);
    let title = known.map_or_else(|| name.to_owned(), |known| known.title);
    ModelInfo { name: format!("{provider}/{name}"), title, window, output, price, missing }
}
