//! The agents that are always there.

use super::definition::{AgentDefinition, AgentModel, ToolFilter};

const EXPLORE: &str = include_str!("text/explore.md");
const PLAN: &str = include_str!("text/plan.md");
const GENERAL: &str = include_str!("text/general.md");

/// What agents that only read are not given. They are held by the permission layer whatever they are given; a tool that
/// is always refused would only cost them turns.
const WRITE_TOOLS: [&str; 4] = ["ExitPlanMode", "Edit", "Write", "NotebookEdit"];

/// The agents that are built in.
pub fn built_in_agents() -> Vec<AgentDefinition> {
    vec![
        AgentDefinition {
            model: AgentModel::Small,
            ..read_only_agent(
                "Explore",
                "Finds files, searches code, and answers questions about it, fast. Say what to find and how thorough \
                 to be: `quick` for one place, `medium` for a moderate search, `very thorough` for several names and \
                 locations. It returns absolute paths and what it found there.",
                EXPLORE,
            )
        },
        read_only_agent(
            "Plan",
            "Designs an implementation. Give it the requirements, everything known so far (files, code paths, \
             constraints), and the perspective to design from. It explores, compares options, and returns the steps, \
             plus the 3 to 5 files that matter most.",
            PLAN,
        ),
        AgentDefinition {
            name: "general-purpose".to_owned(),
            description:
                "Handles any other task with several steps, from research to code changes, with the tools \
                          that you have."
                    .to_owned(),
            prompt: GENERAL.trim_end().to_owned(),
            tools: ToolFilter::All,
            disallowed_tools: Vec::new(),
            model: AgentModel::Inherit,
            mode: None,
            read_only: false,
            instructions: true,
        },
    ]
}

fn read_only_agent(name: &str, description: &str, prompt: &str) -> AgentDefinition {
    AgentDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        prompt: prompt.trim_end().to_owned(),
        tools: ToolFilter::All,
        disallowed_tools: WRITE_TOOLS.map(str::to_owned).to_vec(),
        model: AgentModel::Inherit,
        mode: None,
        read_only: true,
        // They read what they need; everything else would only cost tokens.
        instructions: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOLS: [&str; 12] = [
        "Read",
        "Edit",
        "Write",
        "NotebookEdit",
        "Bash",
        "TodoWrite",
        "AskUserQuestion",
        "EnterPlanMode",
        "ExitPlanMode",
        "Agent",
        "ToolSearch",
        "Grep",
    ];

    #[test]
    fn the_table() {
        let table: Vec<String> = built_in_agents()
            .iter()
            .map(|kind| {
                let offered: Vec<&str> = TOOLS.into_iter().filter(|tool| kind.allows_tool(tool)).collect();
                format!(
                    "{} | {:?} | {:?} | reads only: {} | instructions: {} | {}",
                    kind.name,
                    kind.model,
                    kind.mode,
                    kind.read_only,
                    kind.instructions,
                    offered.join(" ")
                )
            })
            .collect();
        assert_eq!(
            table,
            [
                "Explore | Small | None | reads only: true | instructions: false | \
                 Read Bash TodoWrite AskUserQuestion ToolSearch Grep",
                "Plan | Inherit | None | reads only: true | instructions: false | \
                 Read Bash TodoWrite AskUserQuestion ToolSearch Grep",
                "general-purpose | Inherit | None | reads only: false | instructions: true | \
                 Read Edit Write NotebookEdit Bash TodoWrite AskUserQuestion ExitPlanMode ToolSearch Grep",
            ]
        );
    }

    /// Their texts are what a model reads; a change here is a change of that.
    #[test]
    fn what_each_is_told() {
        for kind in built_in_agents() {
            insta::assert_snapshot!(
                format!("agent_{}", kind.name.replace('-', "_").to_lowercase()),
                format!("{}\n\n---\n{}", kind.description, kind.prompt)
            );
        }
    }

    #[test]
    fn agents_that_only_read_are_told_what_that_means() {
        for kind in built_in_agents().iter().filter(|kind| kind.read_only) {
            for part in ["temporary", "redirection", "Change nothing"] {
                assert!(kind.prompt.contains(part), "{}: {part}", kind.name);
            }
        }
    }
}
