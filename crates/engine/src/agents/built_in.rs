//! The agents that are always there.

use super::definition::{AgentDefinition, AgentModel, ToolFilter};

const EXPLORE: &str = include_str!("text/explore.md");
const PLAN: &str = include_str!("text/plan.md");
const GENERAL: &str = include_str!("text/general.md");

/// What agents that only read are not given. They are held by the permission layer whatever they are given; a tool that
/// is always refused would only cost them turns.
const CHANGING: [&str; 4] = ["ExitPlanMode", "Edit", "Write", "NotebookEdit"];

/// The agents that are built in.
pub fn built_in() -> Vec<AgentDefinition> {
    vec![
        AgentDefinition {
            model: AgentModel::Small,
            ..reader(
                "Explore",
                "Finds files, searches code and answers questions about it, fast. Say what to find and how thorough to \
                 be: `quick` for one place, `medium` for a fair look around, `very thorough` for several names and \
                 corners. It returns absolute paths and what it found there.",
                EXPLORE,
            )
        },
        reader(
            "Plan",
            "Designs how to implement something. Give it the requirements, all that is known so far (files, code paths, \
             constraints) and the perspective to design from. It explores, weighs and returns steps, and the 3 to 5 \
             files that matter most.",
            PLAN,
        ),
        AgentDefinition {
            name: "general-purpose".to_owned(),
            description: "Takes on any other task of several steps, from research to changes in the code, with the tools \
                that you have."
                .to_owned(),
            prompt: GENERAL.trim_end().to_owned(),
            tools: ToolFilter::All,
            without: Vec::new(),
            model: AgentModel::Inherit,
            mode: None,
            read_only: false,
            instructions: true,
        },
    ]
}

fn reader(name: &str, description: &str, prompt: &str) -> AgentDefinition {
    AgentDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        prompt: prompt.trim_end().to_owned(),
        tools: ToolFilter::All,
        without: CHANGING.map(str::to_owned).to_vec(),
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
        let table: Vec<String> = built_in()
            .iter()
            .map(|kind| {
                let offered: Vec<&str> = TOOLS.into_iter().filter(|tool| kind.offers(tool)).collect();
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
        for kind in built_in() {
            insta::assert_snapshot!(
                format!("agent_{}", kind.name.replace('-', "_").to_lowercase()),
                format!("{}\n\n---\n{}", kind.description, kind.prompt)
            );
        }
    }

    #[test]
    fn agents_that_only_read_are_told_what_that_means() {
        for kind in built_in().iter().filter(|kind| kind.read_only) {
            for part in ["temporary", "redirection", "Change nothing"] {
                assert!(kind.prompt.contains(part), "{}: {part}", kind.name);
            }
        }
    }
}
