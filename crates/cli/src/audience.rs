//! Who answers: the person at the terminal, the program that drives us, a policy, or nobody.

use forelook_headless::print::Asks;
use forelook_host::{Answerer, Failure, Kind, OnPlan};
use forelook_protocol::{Notice, NoticeLevel};

use crate::args::{InputFormat, OnPlanArg, OutputFormat, RunArgs};

/// Who answers what in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Audience {
    /// Whether there is a conversation, on the screen or in lines; else results are printed.
    pub(crate) lines: bool,
    /// Who answers questions.
    pub(crate) answerer: Answerer,
    /// Who answers for plans.
    pub(crate) reviewer: Answerer,
    /// What the program that drives us is asked.
    pub(crate) asks: Asks,
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
pub(crate) fn audience(args: &RunArgs) -> Result<Audience, Failure> {
    let both_ways =
        args.input_format == InputFormat::StreamJson && args.output_format == OutputFormat::StreamJson;
    let host = asks_host(args, both_ways)?;
    if !args.print && args.input_format == InputFormat::Text {
        return Ok(Audience {
            lines: true,
            answerer: Answerer::Person,
            reviewer: Answerer::Person,
            asks: Asks::Nobody,
            notice: args.on_plan.and_then(no_effect),
        });
    }
    let reviewer = match (args.on_plan, host) {
        (Some(OnPlanArg::Exit), _) | (None, false) => Answerer::Policy(OnPlan::Exit),
        (Some(OnPlanArg::Approve), _) => Answerer::Policy(OnPlan::Approve),
        (None, true) => Answerer::Person,
        (Some(OnPlanArg::Ask), _) if both_ways => Answerer::Person,
        (Some(OnPlanArg::Ask), _) => {
            return Err(Failure::new(Kind::Usage, "`--on-plan ask` has nobody to ask here")
                .hint("It needs --input-format stream-json and --output-format stream-json, with a program that answers")
                .hint("Use `--on-plan exit` to get the plan as the result, or `--on-plan approve` to have it implemented"));
        }
    };
    let (answerer, asks) = match (host, reviewer) {
        (true, Answerer::Person) => (Answerer::Person, Asks::Everything),
        (true, _) => (Answerer::Person, Asks::AllButReviews),
        (false, Answerer::Person) => (Answerer::Nobody, Asks::Plans),
        (false, _) => (Answerer::Nobody, Asks::Nobody),
    };
    Ok(Audience { lines: false, answerer, reviewer, asks, notice: None })
}

/// Whether all questions go to the program that drives us.
fn asks_host(args: &RunArgs, both_ways: bool) -> Result<bool, Failure> {
    match args.permission_prompt_tool.as_deref() {
        None => Ok(false),
        Some("stdio") if both_ways => Ok(true),
        Some("stdio") => Err(Failure::new(
            Kind::Usage,
            "`--permission-prompt-tool stdio` needs --input-format stream-json and --output-format stream-json",
        )
        .hint("Questions are lines of that stream, and so are the answers")),
        Some(other) => Err(Failure::new(
            Kind::Usage,
            format!("`--permission-prompt-tool {other}` is not there yet: this version asks no MCP tool"),
        )
        .hint("`stdio` asks whoever drives us over stream-json")),
    }
}

/// Who reads the flag would expect that no plan is ever put to them.
fn no_effect(on_plan: OnPlanArg) -> Option<Notice> {
    let word = match on_plan {
        OnPlanArg::Exit => "exit",
        OnPlanArg::Approve => "approve",
        OnPlanArg::Ask => return None,
    };
    let text =
        format!("`--on-plan {word}` has no effect in a conversation: plans are put to you\nIt is for `-p`");
    Some(Notice { level: NoticeLevel::Warning, text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parse;

    fn heard(line: &str) -> Result<Audience, ()> {
        let words = std::iter::once("forelook").chain(line.split_whitespace()).map(Into::into);
        audience(&parse(words.collect()).unwrap().args.run).map_err(drop)
    }

    #[test]
    fn the_table() {
        use Answerer::{Nobody, Person, Policy};
        let both = "--input-format stream-json --output-format stream-json";
        let tool = "--permission-prompt-tool stdio";
        for (line, expected) in [
            (String::new(), Ok((Person, Person, Asks::Nobody))),
            ("--on-plan approve".into(), Ok((Person, Person, Asks::Nobody))),
            ("-p x".into(), Ok((Nobody, Policy(OnPlan::Exit), Asks::Nobody))),
            ("-p x --on-plan exit".into(), Ok((Nobody, Policy(OnPlan::Exit), Asks::Nobody))),
            ("-p x --on-plan approve".into(), Ok((Nobody, Policy(OnPlan::Approve), Asks::Nobody))),
            ("-p x --on-plan ask".into(), Err(())),
            ("-p x --on-plan ask --output-format stream-json".into(), Err(())),
            (both.into(), Ok((Nobody, Policy(OnPlan::Exit), Asks::Nobody))),
            (format!("{both} --on-plan ask"), Ok((Nobody, Person, Asks::Plans))),
            (format!("{both} {tool}"), Ok((Person, Person, Asks::Everything))),
            (format!("{both} {tool} --on-plan ask"), Ok((Person, Person, Asks::Everything))),
            (
                format!("{both} {tool} --on-plan exit"),
                Ok((Person, Policy(OnPlan::Exit), Asks::AllButReviews)),
            ),
            (
                format!("{both} {tool} --on-plan approve"),
                Ok((Person, Policy(OnPlan::Approve), Asks::AllButReviews)),
            ),
            (tool.into(), Err(())),
            (format!("-p x {tool}"), Err(())),
            (format!("--input-format stream-json {tool}"), Err(())),
            (format!("{both} --permission-prompt-tool mcp__x__y"), Err(())),
        ] {
            let found = heard(&line).map(|heard| (heard.answerer, heard.reviewer, heard.asks));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn only_a_flag_that_would_mislead_is_told() {
        let told = |line: &str| heard(line).unwrap().notice.is_some();
        assert!(told("--on-plan approve") && told("--on-plan exit"));
        assert!(!told("--on-plan ask") && !told("") && !told("-p x --on-plan approve"));
    }
}
