//! A kind of subagent.

use forelook_protocol::{AgentInfo, Mode};
use forelook_tools::AgentListing;

/// What no subagent is given: it starts no others, and planning is begun by the main agent alone.
const DENIED_TOOLS: [&str; 2] = ["Agent", "EnterPlanMode"];

/// Longer names are no names; they stand in the list that every request carries.
const MAX_NAME: usize = 64;

/// A kind of subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDefinition {
    /// Its name, by which it is started.
    pub name: String,
    /// What it is good for and when to use it, for whoever might start it.
    pub description: String,
    /// What it is told of itself: its system text.
    pub prompt: String,
    /// The tools it may use.
    pub tools: ToolFilter,
    /// Of those, the ones it may not.
    pub disallowed_tools: Vec<String>,
    /// The model it asks.
    pub model: AgentModel,
    /// The mode it wants; it never gets a wider one than whoever started it.
    pub mode: Option<Mode>,
    /// Whether it can only read, whatever its parent may.
    pub read_only: bool,
    /// Whether the instruction files of the person and the project are part of its prompt.
    pub instructions: bool,
}

/// Which tools.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolFilter {
    /// All that there are.
    #[default]
    All,
    /// These, by name.
    Only(Vec<String>),
}

/// Which model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AgentModel {
    /// The session's.
    #[default]
    Inherit,
    /// The small fast one.
    Small,
    /// This one.
    Named(String),
}

impl AgentDefinition {
    /// What front ends show of it.
    pub(crate) fn info(&self) -> AgentInfo {
        AgentInfo { name: self.name.clone(), description: self.description.clone() }
    }

    /// Whether it is offered the tool of this name.
    pub fn allows_tool(&self, tool: &str) -> bool {
        let named = match &self.tools {
            ToolFilter::All => true,
            ToolFilter::Only(names) => names.iter().any(|name| name == tool),
        };
        named && !DENIED_TOOLS.contains(&tool) && !self.disallowed_tools.iter().any(|name| name == tool)
    }

    /// Whether it names such a tool among those it may use.
    pub(crate) fn names_any_tool(&self, such: impl Fn(&str) -> bool) -> bool {
        matches!(&self.tools, ToolFilter::Only(names) if names.iter().any(|name| such(name)))
    }

    /// What the `Agent` tool says of it.
    pub fn listing(&self) -> AgentListing {
        AgentListing {
            name: self.name.clone(),
            description: self.description.clone(),
            read_only: self.read_only,
        }
    }
}

/// A definition as it is written, before anything is checked. Both forms (Markdown and JSON) make one of these.
#[derive(Debug, Clone, Default)]
pub(super) struct RawDefinition {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) prompt: String,
    /// Nothing: all.
    pub(super) tools: Option<Vec<String>>,
    pub(super) disallowed_tools: Vec<String>,
    pub(super) model: Option<String>,
    pub(super) mode: Option<String>,
}

/// What is wrong with a definition: in which field, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub(super) struct DefinitionError {
    /// The field, as it is written.
    pub(super) field: &'static str,
    pub(super) what: String,
}

impl RawDefinition {
    /// The definition, if nothing is wrong with it.
    pub(super) fn check(self) -> Result<AgentDefinition, DefinitionError> {
        check_name(&self.name)?;
        let empty = |field, text: &str| match text.trim() {
            "" => Err(DefinitionError { field, what: format!("`{field}` is missing or empty") }),
            text => Ok(text.to_owned()),
        };
        let description = empty("description", &self.description)?;
        let prompt = empty("prompt", &self.prompt)?;
        check_tools("disallowedTools", &self.disallowed_tools)?;
        let tools = match self.tools {
            None => ToolFilter::All,
            Some(names) if names.iter().any(|name| name == "*") => ToolFilter::All,
            Some(names) => {
                check_tools("tools", &names)?;
                ToolFilter::Only(names)
            }
        };
        let model = match self.model.as_deref().map(str::trim) {
            None | Some("inherit") => AgentModel::Inherit,
            Some("") => return Err(DefinitionError { field: "model", what: "`model` is empty".to_owned() }),
            Some(name) => AgentModel::Named(name.to_owned()),
        };
        let mode =
            self.mode.as_deref().map(|name| name.trim().parse::<Mode>()).transpose().map_err(|unknown| {
                DefinitionError { field: "permissionMode", what: format!("`permissionMode`: {unknown}") }
            })?;
        let (name, disallowed_tools) = (self.name, self.disallowed_tools);
        // What it does is held by its mode and the rules, as with any agent; only our own are known to read alone.
        let (read_only, instructions) = (false, true);
        Ok(AgentDefinition {
            name,
            description,
            prompt,
            tools,
            disallowed_tools,
            model,
            mode,
            read_only,
            instructions,
        })
    }
}

/// What is told of fields that are not known.
pub(super) fn unknown_fields(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let rest = if names.len() == 1 { "is not supported and was" } else { "are not supported and were" };
    format!("{} {rest} ignored", quoted.join(", "))
}

fn check_name(name: &str) -> Result<(), DefinitionError> {
    let what = match name {
        "" => "`name` is missing or empty".to_owned(),
        name if name.chars().count() > MAX_NAME => {
            format!("`name` has more than {MAX_NAME} characters")
        }
        name if !name.chars().all(|c| c.is_alphanumeric() || "-_.:".contains(c)) => {
            "`name` may contain only letters, digits, `-`, `_`, `.`, and `:`".to_owned()
        }
        _ => return Ok(()),
    };
    Err(DefinitionError { field: "name", what })
}

/// A rule such as `Bash(git:*)` is not taken for the tool's name: what it was to hold back would be let through.
fn check_tools(field: &'static str, names: &[String]) -> Result<(), DefinitionError> {
    let plain =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
    match names.iter().find(|name| !plain(name)) {
        None => Ok(()),
        Some(name) => Err(DefinitionError {
            field,
            what: format!("`{field}` takes tool names, and `{name}` is not one (rules belong in settings)"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw() -> RawDefinition {
        RawDefinition {
            name: "a".into(),
            description: "d".into(),
            prompt: "p".into(),
            ..RawDefinition::default()
        }
    }

    #[test]
    fn nobody_gets_what_no_agent_has() {
        let tools = Some(vec!["Agent".into(), "EnterPlanMode".into(), "Read".into(), "Bash".into()]);
        let kind = RawDefinition { tools, disallowed_tools: vec!["Bash".into()], ..raw() }.check().unwrap();
        let offered: Vec<&str> = ["Read", "Bash", "Agent", "EnterPlanMode", "Write"]
            .into_iter()
            .filter(|tool| kind.allows_tool(tool))
            .collect();
        assert_eq!(offered, ["Read"]);
        let all = RawDefinition { tools: Some(vec!["*".into()]), ..raw() }.check().unwrap();
        assert!(all.allows_tool("Write") && all.allows_tool("ExitPlanMode") && !all.allows_tool("Agent"));
        let none = RawDefinition { tools: Some(Vec::new()), ..raw() }.check().unwrap();
        assert!(!none.allows_tool("Read"), "an empty list is no tools, not all of them");
    }

    #[test]
    fn mistakes_name_their_field() {
        for (bad, field, part) in [
            (RawDefinition { name: "".into(), ..raw() }, "name", "missing"),
            (RawDefinition { name: "a b".into(), ..raw() }, "name", "letters"),
            (RawDefinition { name: "a".repeat(65), ..raw() }, "name", "64"),
            (RawDefinition { description: " ".into(), ..raw() }, "description", "missing"),
            (RawDefinition { prompt: "\n".into(), ..raw() }, "prompt", "missing"),
            (RawDefinition { tools: Some(vec!["Bash(git:*)".into()]), ..raw() }, "tools", "Bash(git:*)"),
            (RawDefinition { disallowed_tools: vec!["".into()], ..raw() }, "disallowedTools", "is not one"),
            (RawDefinition { model: Some(" ".into()), ..raw() }, "model", "empty"),
            (RawDefinition { mode: Some("Plan".into()), ..raw() }, "permissionMode", "Did you mean `plan`"),
        ] {
            let mistake = bad.check().unwrap_err();
            assert_eq!(mistake.field, field, "{mistake}");
            assert!(mistake.what.contains(part), "{mistake}");
        }
    }
}
