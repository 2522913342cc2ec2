//! The kinds of subagents: what each is told, what it may use, and when it is the right one.
//!
//! Built in are three (`built_in.rs`); a person and a project add their own in Markdown (`custom.rs`), a program that
//! drives us in JSON (`json.rs`). [`merge_agents`] puts them together.

mod built_in;
mod custom;
mod definition;
mod front_matter;
mod json;

pub use built_in::built_in_agents;
pub use custom::{ProjectAgents, load};
pub use definition::{AgentDefinition, AgentModel, ToolFilter};
pub use json::agents_from_json;

/// All kinds, by name: of two with one name that of the later layer counts, in the place of the earlier, so that the list
/// which models read keeps its order.
pub fn merge_agents(layers: impl IntoIterator<Item = Vec<AgentDefinition>>) -> Vec<AgentDefinition> {
    let mut all: Vec<AgentDefinition> = Vec::new();
    for definition in layers.into_iter().flatten() {
        match all.iter_mut().find(|known| known.name == definition.name) {
            Some(known) => *known = definition,
            None => all.push(definition),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_layer_wins_by_name_and_keeps_the_place() {
        let (own, _) = agents_from_json(&serde_json::json!({
            "Plan": {"description": "ours", "prompt": "p"},
            "reviewer": {"description": "d", "prompt": "p"},
        }));
        let all = merge_agents([built_in_agents(), own]);
        let names: Vec<&str> = all.iter().map(|kind| kind.name.as_str()).collect();
        assert_eq!(names, ["Explore", "Plan", "general-purpose", "reviewer"]);
        assert_eq!(all[1].description, "ours");
        assert!(!all[1].read_only, "nothing of the one that was replaced is left");
    }
}
