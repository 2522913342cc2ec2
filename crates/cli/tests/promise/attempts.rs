//! The list of attempts.

use std::path::Path;

use forelook_testkit::attack::{ATTACK, Attempt};
use serde_json::Value;

use crate::place::Place;

const LIST: &str = include_str!("attempts.toml");

/// All attempts, as they are for this place.
pub(crate) fn all(place: &Place, plan: &Path) -> Vec<Attempt> {
    let table: toml::Table = LIST.parse().unwrap_or_else(|error| panic!("attempts.toml: {error}"));
    let list = table["attempts"].as_array().expect("a list of attempts");
    list.iter().map(|line| read(line, &|text| fill(text, place, plan))).collect()
}

fn read(line: &toml::Value, fill: &dyn Fn(&str) -> String) -> Attempt {
    let known = ["tool", "input", "raw", "alone"];
    let unknown = line.as_table().unwrap().keys().find(|key| !known.contains(&key.as_str()));
    assert_eq!(unknown, None, "in {line:?}");
    let input = match (line.get("input"), line.get("raw")) {
        (Some(input), None) => filled(serde_json::to_value(input).unwrap(), fill).to_string(),
        (None, Some(raw)) => fill(raw.as_str().unwrap()),
        _ => panic!("`input` or `raw`, one of them: {line:?}"),
    };
    let alone = line.get("alone").is_some_and(|alone| alone.as_bool().unwrap());
    let attempt = Attempt::raw(line["tool"].as_str().unwrap(), input);
    if alone { attempt.alone() } else { attempt }
}

fn filled(value: Value, fill: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(fill(&text)),
        Value::Array(parts) => parts.into_iter().map(|part| filled(part, fill)).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, part)| (key, filled(part, fill))).collect(),
        other => other,
    }
}

fn fill(text: &str, place: &Place, plan: &Path) -> String {
    let shown = |path: &Path| path.to_str().unwrap().to_owned();
    let slug = plan.file_stem().unwrap().to_str().unwrap();
    let mut text = text.to_owned();
    for (name, value) in [
        ("{project}", shown(place.lab.project())),
        ("{home}", shown(&place.lab.root())),
        ("{forelook_home}", shown(&place.lab.home())),
        ("{plans}", shown(plan.parent().unwrap())),
        ("{plan}", shown(plan)),
        ("{slug}", slug.to_owned()),
        ("{tmp}", shown(&place.probe)),
        ("{attack}", ATTACK.to_owned()),
        ("{long}", "x".repeat(50_000)),
        ("{deep}", "$(".repeat(300)),
        ("{peed}", ")".repeat(300)),
    ] {
        text = text.replace(name, &value);
    }
    text
}
