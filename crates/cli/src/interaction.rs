//! Who answers: the person at the terminal, the program that drives us, a policy, or nobody.

use forelook_headless::print::HostQuestions;
use forelook_host::{Failure, FailureClass, PlanPolicy, Responder};
use forelook_protocol::{Notice, NoticeLevel};

use crate::args::{InputFormat, OnPlanArg, RunArgs};

/// Who answers what in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Interaction {
    /// Whether there is a conversation, on the screen or in lines; else results are printed.
    pub(crate) lines: bool,
    /// Who answers questions.
    pub(crate) responder: Responder,
    /// Who answers for plans.
    pub(crate) reviewer: Responder,
    /// What the program that drives us is asked.
    pub(crate) asks: HostQuestions,
    /// A flag that will not do what it seems to.
    pub(crate) notice: Option<Notice>,
}

/// Finds out who answers.
///
/// | | questions | plans |
/// |---|---|---|
/// | a conversation | the person | the person |
/// | `-p`, `stream-json` | nobody | `--on-plan`: `exit` and `approve` are policies, `ask` asks whoever drives us |
/// | …with `--permission-prompt-tool stdio` | whoever drives us | the same, unless `--on-plan` is a policy |
pub(crate) fn interaction(args: &RunArgs) -> Result<Interaction, Failure> {
    args.check_needs()?;
    let host = asks_host(args)?;
    if !args.print && args.input_format == InputFormat::Text {
        return Ok(Interaction {
            lines: true,
            responder: Responder::Person,
            reviewer: Responder::Person,
            asks: HostQuestions::Nobody,
            notice: args.on_plan.and_then(no_effect),
        });
    }
    let reviewer = match (args.on_plan, host) {
        (Some(OnPlanArg::Exit), _) | (None, false) => Responder::Policy(PlanPolicy::Exit),
        (Some(OnPlanArg::Approve), _) => Responder::Policy(PlanPolicy::Approve),
        (None, true) => Responder::Person,
        (Some(OnPlanArg::Ask), _) if args.is_driven() => Responder::Person,
        (Some(OnPlanArg::Ask), _) => {
            return Err(Failure::new(FailureClass::Usage, "`--on-plan ask` needs a program to ask")
                .hint("It needs --input-format stream-json, --output-format stream-json, and a program that answers")
                .hint("Use `--on-plan exit` to get the plan as the result, or `--on-plan approve` to implement it"));
        }
    };
    let (responder, asks) = match (host, reviewer) {
        (true, Responder::Person) => (Responder::Person, HostQuestions::Everything),
        (true, _) => (Responder::Person, HostQuestions::AllButReviews),
        (false, Responder::Person) => (Responder::Nobody, HostQuestions::Plans),
        (false, _) => (Responder::Nobody, HostQuestions::Nobody),
    };
    Ok(Interaction { lines: false, responder, reviewer, asks, notice: None })
}

/// Whether all questions go to the program that drives us.
fn asks_host(args: &RunArgs) -> Result<bool, Failure> {
    match args.permission_prompt_tool.as_deref() {
        None => Ok(false),
        Some("stdio") => Ok(true),
        Some(other) => Err(Failure::new(
            FailureClass::Usage,
            format!("`--permission-prompt-tool {other}` is not supported: MCP tools cannot answer permission requests yet"),
        )
        .hint("Use `stdio` to ask the program that drives stream-json")),
    }
}

/// Who reads the flag would expect that no plan is ever put to them.
fn no_effect(on_plan: OnPlanArg) -> Option<Notice> {
    let word = match on_plan {
        OnPlanArg::Exit => "exit",
        OnPlanArg::Approve => "approve",
        OnPlanArg::Ask => return None,
    };
    let text = format!(
        "`--on-plan {word}` has no effect in an interactive session: you review plans yourself\nUse it with `-p`"
    );
    Some(Notice { level: NoticeLevel::Warning, text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parse;

    fn parse_interaction(line: &str) -> Result<Interaction, ()> {
        let words = std::iter::once("forelook").chain(line.split_whitespace()).map(Into::into);
        interaction(&parse(words.collect()).unwrap().args.run).map_err(drop)
    }

    #[test]
    fn the_table() {
        use Responder::{Nobody, Person, Policy};
        let both = "--input-format stream-json --output-format stream-json";
        let tool = "--permission-prompt-tool stdio";
        for (line, expected) in [
            (String::new(), Ok((Person, Person, HostQuestions::Nobody))),
            ("--on-plan approve".into(), Ok((Person, Person, HostQuestions::Nobody))),
            ("-p x".into(), Ok((Nobody, Policy(PlanPolicy::Exit), HostQuestions::Nobody))),
            ("-p x --on-plan exit".into(), Ok((Nobody, Policy(PlanPolicy::Exit), HostQuestions::Nobody))),
            (
                "-p x --on-plan approve".into(),
                Ok((Nobody, Policy(PlanPolicy::Approve), HostQuestions::Nobody)),
            ),
            ("-p x --on-plan ask".into(), Err(())),
            ("-p x --on-plan ask --output-format stream-json".into(), Err(())),
            (both.into(), Ok((Nobody, Policy(PlanPolicy::Exit), HostQuestions::Nobody))),
            (format!("{both} --on-plan ask"), Ok((Nobody, Person, HostQuestions::Plans))),
            (format!("{both} {tool}"), Ok((Person, Person, HostQuestions::Everything))),
            (format!("{both} {tool} --on-plan ask"), Ok((Person, Person, HostQuestions::Everything))),
            (
                format!("{both} {tool} --on-plan exit"),
                Ok((Person, Policy(PlanPolicy::Exit), HostQuestions::AllButReviews)),
            ),
            (
                format!("{both} {tool} --on-plan approve"),
                Ok((Person, Policy(PlanPolicy::Approve), HostQuestions::AllButReviews)),
            ),
            (tool.into(), Err(())),
            (format!("-p x {tool}"), Err(())),
            (format!("--input-format stream-json {tool}"), Err(())),
            (format!("{both} --permission-prompt-tool mcp__x__y"), Err(())),
        ] {
            let found = parse_interaction(&line)
                .map(|interaction| (interaction.responder, interaction.reviewer, interaction.asks));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn only_a_flag_that_would_mislead_is_told() {
        let told = |line: &str| parse_interaction(line).unwrap().notice.is_some();
        assert!(told("--on-plan approve") && told("--on-plan exit"));
        assert!(!told("--on-plan ask") && !told("") && !told("-p x --on-plan approve"));
    }
}
