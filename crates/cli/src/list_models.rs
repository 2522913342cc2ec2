//! `forelook models`: what can be asked, and what a key would open.

use std::process::ExitCode;

use forelook_host::{Failure, KnownModels, ModelSelection, RuleSpec, model_list, select_model};
use forelook_protocol::{Cost, ModelInfo};
use forelook_settings::Env;
use forelook_wording::{missing_hints, missing_short};
use serde_json::json;

use crate::out::{print_note, say};
use crate::run::here;

/// Prints the list.
pub(crate) fn run(env: &Env, as_json: bool) -> Result<ExitCode, Failure> {
    let folder = here()?;
    let settings_paths = forelook_host::settings_paths(env, &RuleSpec::default(), &folder)?;
    let settings = forelook_host::load(env, &settings_paths)?.settings;
    for notice in &settings.problems {
        print_note(&notice.text);
    }
    let (models, notices) = KnownModels::new(env, &settings.models, folder);
    for notice in notices {
        print_note(&notice.text);
    }
    let current = select_model(env, &settings).ok().flatten().map(ModelSelection::model);
    let current = current.map(|model| models.main(&model).map_or(model, |choice| choice.id));
    let list = model_list(&models, current.as_deref());
    if as_json {
        say!("{}", json!({"current": current, "models": list}));
        return Ok(ExitCode::SUCCESS);
    }
    for model in &list {
        let mark = if current.as_deref() == Some(&model.name) { '*' } else { ' ' };
        say!("{mark} {}", line(model));
    }
    let hints = missing_hints(&list);
    if !hints.is_empty() {
        say!("\n{}", hints.join("\n"));
    }
    Ok(ExitCode::SUCCESS)
}

fn line(model: &ModelInfo) -> String {
    let mut words = vec![format!("{:<34}", model.name)];
    words.push(format!("{:>6}", model.window.map(tokens).unwrap_or_default()));
    words.extend(model.price.map(|price| format!("{} / {}", dollars(price.input), dollars(price.output))));
    words.extend(missing_short(model).map(|missing| format!("({missing})")));
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
    // Cents, unless it is a round sum; a third digit where there is one.
    let text = text.strip_suffix('0').unwrap_or(&text);
    format!("${}", text.strip_suffix(".00").unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_stands_behind_the_model() {
        let model = ModelInfo {
            name: "a/1".into(),
            title: String::new(),
            window: None,
            output: None,
            price: None,
            missing: Some("no key for A: set the variable `A`".into()),
        };
        assert_eq!(line(&model).get(34..).map(str::trim), Some("(no key for A)"));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(["999", "200K", "1M", "1.1M"], [999, 200_000, 1_000_000, 1_050_000].map(tokens)[..]);
        assert_eq!(
            ["$0.10", "$15", "$3.75", "$0.005"],
            [100, 15_000, 3750, 5].map(|it| dollars(Cost(it)))[..]
        );
    }
}
