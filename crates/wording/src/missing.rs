//! What is missing for a model: shortly beside it, and once in full.

use forelook_protocol::{ModelInfo, capitalize};

/// Between what is missing and what to do about it.
const MORE: &str = ": ";

/// What is missing for a model, without what to do about it.
pub fn missing_short(model: &ModelInfo) -> Option<&str> {
    let missing = model.missing.as_deref()?;
    Some(missing.split_once(MORE).map_or(missing, |(short, _)| short))
}

/// What is missing and what to do about it, once for all models that it is missing for.
pub fn missing_hints(models: &[ModelInfo]) -> Vec<String> {
    let mut hints: Vec<String> = Vec::new();
    for missing in models.iter().filter_map(|model| model.missing.as_deref()) {
        let hint = capitalize(missing);
        // What has no more to it than stands beside the model needs no second line.
        if missing.contains(MORE) && !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    hints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_do_is_said_once() {
        let model = |name: &str, missing: Option<&str>| ModelInfo {
            name: name.into(),
            title: String::new(),
            window: None,
            output: None,
            price: None,
            missing: missing.map(str::to_owned),
        };
        let no_key = Some("no key for A: set the variable `A`");
        let list =
            [model("a/1", no_key), model("a/2", no_key), model("b/1", None), model("c/1", Some("no key"))];
        assert_eq!(missing_hints(&list), ["No key for A: set the variable `A`"]);
        let short = list.each_ref().map(missing_short);
        assert_eq!(short, [Some("no key for A"), Some("no key for A"), None, Some("no key")]);
    }
}
