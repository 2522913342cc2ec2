//! `forelook models`, and the list that front ends offer: what can be asked, and what a key would open.

use std::process::ExitCode;

use forelook_protocol::{Cost, ModelListed};
use forelook_providers::ModelFacts;
use forelook_providers::catalogue::KnownModel;
use forelook_settings::Env;
use serde_json::json;

use crate::args::RuleArgs;
use crate::authority;
use crate::choose;
use crate::failure::Failure;
use crate::models::KnownModels;
use crate::ollama;
use crate::out::say;
use crate::run::here;

/// Which models a person may choose: first those that can be asked. `current` is among them in any case.
pub(crate) fn listed(models: &KnownModels, current: Option<&str>) -> Vec<ModelListed> {
    let mut list: Vec<ModelListed> = Vec::new();
    for id in models.servers.ids() {
        match models.servers.find(id) {
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
    for name in models.said_known().chain(current) {
        if let Some((id, bare)) =
            name.split_once('/').filter(|_| list.iter().all(|listed| listed.name != *name))
        {
            let missing = match models.servers.find(id) {
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

fn one(models: &KnownModels, provider: &str, name: &str, missing: Option<String>) -> ModelListed {
    let known = KnownModel::find(provider, name).filter(|known| !known.name.ends_with('*'));
    let ModelFacts { window, output, price, .. } = models.facts(provider, name);
    let title = known.map_or_else(|| name.to_owned(), |known| known.title);
    ModelListed { name: format!("{provider}/{name}"), title, window, output, price, missing }
}

/// Prints the list.
#[expect(clippy::print_stderr, reason = "problems belong beside the list, not into it")]
pub(crate) fn run(env: &Env, as_json: bool) -> Result<ExitCode, Failure> {
    let folder = here()?;
    let places = authority::places(env, &RuleArgs::default(), &folder)?;
    let settings = authority::load(env, &places)?.settings;
    for notice in &settings.problems {
        eprintln!("{}", notice.text);
    }
    let (models, notices) = KnownModels::new(env, &settings.models, folder);
    for notice in notices {
        eprintln!("{}", notice.text);
    }
    let named = env.model.clone().or_else(|| settings.model.map(|said| said.value));
    let current = match named {
        Some(model) => Some(model),
        None => choose::found(&models.servers).ok().flatten().map(choose::Choice::model),
    };
    let current = current.map(|model| models.main(&model).map_or(model, |choice| choice.id));
    let list = listed(&models, current.as_deref());
    if as_json {
        say!("{}", json!({"current": current, "models": list}));
        return Ok(ExitCode::SUCCESS);
    }
    for model in &list {
        let mark = if current.as_deref() == Some(&model.name) { '*' } else { ' ' };
        say!("{mark} {}", line(model));
    }
    Ok(ExitCode::SUCCESS)
}

fn line(model: &ModelListed) -> String {
    let mut words = vec![format!("{:<34}", model.name)];
    words.push(format!("{:>6}", model.window.map(tokens).unwrap_or_default()));
    words.extend(model.price.map(|price| format!("{} / {}", dollars(price.input), dollars(price.output))));
    words.extend(model.missing.as_ref().map(|missing| format!("({missing})")));
    words.join("  ").trim_end().to_owned()
}

/// `200K`, `1M`.
fn tokens(count: u64) -> String {
    match count {
        0..1000 => count.to_string(),
        1000..1_000_000 => format!("{}K", count / 1000),
        _ => format!("{:.1}M", count as f64 / 1e6).replace(".0M", "M"),
    }
}

/// What a million of tokens costs.
fn dollars(each: Cost) -> String {
    let text = format!("{:.3}", each.0 as f64 / 1000.0);
    format!("${}", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(["999", "200K", "1M", "1.1M"], [999, 200_000, 1_000_000, 1_050_000].map(tokens)[..]);
        assert_eq!(
            ["$0.1", "$15", "$3.75", "$0.005"],
            [100, 15_000, 3750, 5].map(|it| dollars(Cost(it)))[..]
        );
    }
}
