//! Agents that a program gives us: `--agents`, and the `agents` of the SDK's `initialize`.

use forelook_protocol::{Notice, NoticeLevel};
use serde_json::{Map, Value};

use super::definition::{AgentDefinition, DefinitionError, RawDefinition, unknown_fields};

/// Reads `{"name": {"description": …, "prompt": …, …}}`. An agent with a mistake in it is left out, with an error; a field
/// that is not known is passed over, with a warning.
pub fn agents_from_json(value: &Value) -> (Vec<AgentDefinition>, Vec<Notice>) {
    let (mut agents, mut notices) = (Vec::new(), Vec::new());
    let mut tell = |level, text| notices.push(Notice { level, text });
    let given = match value {
        Value::Null => return (agents, notices),
        Value::Object(given) => given,
        _ => {
            tell(
                NoticeLevel::Error,
                "The agents are not a JSON object and were ignored\n\
                 Use one field per agent, with its name as the key"
                    .to_owned(),
            );
            return (agents, notices);
        }
    };
    for (name, fields) in given {
        let read = match fields {
            Value::Object(fields) => raw(name, fields).and_then(|(raw, unknown)| {
                if !unknown.is_empty() {
                    tell(NoticeLevel::Warning, format!("Agent `{name}`: {}", unknown_fields(&unknown)));
                }
                raw.check()
            }),
            _ => Err(DefinitionError { field: "", what: "it is not a JSON object".to_owned() }),
        };
        match read {
            Ok(agent) => agents.push(agent),
            Err(mistake) => tell(NoticeLevel::Error, format!("Agent `{name}` was skipped: {mistake}")),
        }
    }
    (agents, notices)
}

/// The fields, and the names of those that are not known.
fn raw<'a>(
    name: &str,
    fields: &'a Map<String, Value>,
) -> Result<(RawDefinition, Vec<&'a str>), DefinitionError> {
    let mut raw = RawDefinition { name: name.to_owned(), ..RawDefinition::default() };
    let mut unknown = Vec::new();
    for (key, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        match key.as_str() {
            "description" => raw.description = text("description", value)?,
            "prompt" => raw.prompt = text("prompt", value)?,
            "tools" => raw.tools = Some(names("tools", value)?),
            "disallowedTools" => raw.disallowed_tools = names("disallowedTools", value)?,
            "model" => raw.model = Some(text("model", value)?),
            "permissionMode" => raw.mode = Some(text("permissionMode", value)?),
            other => unknown.push(other),
        }
    }
    Ok((raw, unknown))
}

fn text(field: &'static str, value: &Value) -> Result<String, DefinitionError> {
    value
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| DefinitionError { field, what: format!("`{field}` is not text") })
}

fn names(field: &'static str, value: &Value) -> Result<Vec<String>, DefinitionError> {
    let wrong = || DefinitionError { field, what: format!("`{field}` is not a list of names") };
    match value {
        Value::String(names) => Ok(split_names(names)),
        Value::Array(items) => items
            .iter()
            .map(|item| item.as_str().map(|name| name.trim().to_owned()).ok_or_else(wrong))
            .collect(),
        _ => Err(wrong()),
    }
}

/// Names with commas between them.
pub(super) fn split_names(names: &str) -> Vec<String> {
    names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use forelook_protocol::Mode;
    use serde_json::json;

    use super::super::definition::{AgentModel, ToolFilter};
    use super::*;

    #[test]
    fn all_fields() {
        let (agents, notices) = agents_from_json(&json!({
            "reviewer": {
                "description": "Reviews", "prompt": "You review.", "tools": ["Read", "Bash"],
                "disallowedTools": "Write, Edit", "model": "provider/name", "permissionMode": "plan",
            },
            "plain": {"description": "d", "prompt": "p", "model": "inherit", "tools": null},
        }));
        assert_eq!(notices, []);
        let expected = AgentDefinition {
            name: "reviewer".into(),
            description: "Reviews".into(),
            prompt: "You review.".into(),
            tools: ToolFilter::Only(vec!["Read".into(), "Bash".into()]),
            disallowed_tools: vec!["Write".into(), "Edit".into()],
            model: AgentModel::Named("provider/name".into()),
            mode: Some(Mode::Plan),
            read_only: false,
            instructions: true,
        };
        assert_eq!(agents[0], expected);
        assert_eq!((&agents[1].tools, &agents[1].model), (&ToolFilter::All, &AgentModel::Inherit));
    }

    #[test]
    fn what_is_wrong_is_left_out_and_told() {
        let (agents, notices) = agents_from_json(&json!({
            "a": {"description": "d"},
            "b": {"description": 3, "prompt": "p"},
            "c": "x",
            "d": {"description": "d", "prompt": "p", "tools": [1]},
            "e": {"description": "d", "prompt": "p", "permissionMode": "all"},
            "f": {"description": "d", "prompt": "p", "color": "red", "effort": "high"},
        }));
        assert_eq!(agents.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>(), ["f"]);
        let told: Vec<&str> = notices.iter().map(|notice| notice.text.as_str()).collect();
        for (part, text) in ["`prompt`", "`description` is not", "JSON object", "`tools`", "`all`", "`color`"]
            .into_iter()
            .zip(&told)
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(notices.iter().filter(|notice| notice.level == NoticeLevel::Error).count(), 5);
        assert_eq!(agents_from_json(&Value::Null), (Vec::new(), Vec::new()));
        assert_eq!(agents_from_json(&json!([])).1.len(), 1);
    }
}
