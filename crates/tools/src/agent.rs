//! `Agent`: hands a task to a subagent with a conversation of its own.

use std::borrow::Cow;
use std::fmt::Write;

use forelook_protocol::{AbsPath, AgentId, CallId, Mode, ToolOutcome, Usage, nearest};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::call::CallKind;
use crate::output::shorten;
use crate::tool::BadInput;
use crate::typed::{EngineTool, ToolFailure, ToolMetadata, ToolSuccess};

const MAX_DESCRIPTION: usize = 200;
const MAX_PROMPT: usize = 200_000;
/// What of an agent's last message is passed on.
const MAX_MESSAGE: usize = 100_000;
/// What of an agent's own description stands in the list: it may be a stranger's, and every request carries it.
const MAX_WHEN: usize = 1000;
/// Fields of this tool that models may know from elsewhere, and that do nothing yet.
const NOT_BUILT: [&str; 4] = ["run_in_background", "name", "team_name", "isolation"];

/// An agent that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentListing {
    /// Its name.
    pub name: String,
    /// What it is good for, and when to use it.
    pub description: String,
    /// Whether it can only read, whatever its caller may.
    pub read_only: bool,
}

/// What a subagent is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentTask {
    /// Which agent, such as `Explore`; one of those that were listed.
    pub kind: String,
    /// Whether that one can only read, as the list says.
    pub read_only: bool,
    /// The task in a few words, for the person who watches.
    pub description: String,
    /// The whole task.
    pub prompt: String,
    /// Another model than the agent's own.
    pub model: Option<String>,
    /// The mode that was asked for. The session never gives a wider one than the caller's.
    pub mode: Option<Mode>,
}

/// What a subagent came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentReport {
    /// The agent.
    pub agent: AgentId,
    /// Its last message.
    pub text: String,
    /// Tokens.
    pub usage: Usage,
    /// Calls that it made.
    pub calls: u32,
    /// Milliseconds it took.
    pub took_ms: u64,
    /// The background shells that it left running, in a line each. They are its caller's now.
    pub shells: Vec<String>,
    /// The file with the plan that it wrote, if it did.
    pub plan: Option<AbsPath>,
}

/// A subagent that did not come to its end, or never began.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct AgentFailure {
    /// For the model: why, and what to do about it.
    pub why: String,
    /// How far it came; nothing if it never began.
    pub report: Option<AgentReport>,
}

/// Starts subagents.
pub(crate) struct Agent {
    kinds: Vec<AgentListing>,
}

/// What the agent is to do.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The task in three to five words, shown to the user.
    description: String,
    /// The complete task. The agent sees nothing of this conversation, so include everything it needs to know.
    prompt: String,
    /// Which agent to start.
    subagent_type: String,
    /// A model to use instead of the agent's own.
    #[serde(default)]
    model: Option<String>,
    /// The permission mode it works in. It never gets more permissions than you have.
    #[serde(default)]
    #[schemars(extend("enum" = Mode::ALL.map(Mode::name)))]
    mode: Option<String>,
}

impl Agent {
    pub(crate) fn new(kinds: Vec<AgentListing>) -> Self {
        Self { kinds }
    }

    fn kind(&self, name: &str) -> Result<&AgentListing, BadInput> {
        self.kinds.iter().find(|kind| kind.name == name).ok_or_else(|| {
            let names = || self.kinds.iter().map(|kind| kind.name.as_str());
            let meant = nearest(name, names()).map(|meant| format!("; did you mean `{meant}`?"));
            let all: Vec<String> = names().map(|name| format!("`{name}`")).collect();
            BadInput(format!(
                "There is no agent `{}`{}\n`subagent_type` must be one of {}",
                shorten(name, 100),
                meant.unwrap_or_default(),
                all.join(", ")
            ))
        })
    }
}

impl ToolMetadata for Agent {
    type Input = Input;
    const NAME: &'static str = "Agent";
    const CONCURRENCY_SAFE: bool = true;

    fn description(&self) -> Cow<'static, str> {
        let mut text = String::from(
            "Starts a subagent that works on its own in a separate conversation and returns its last message. Use it \
             to search several places at once, or to keep long searches out of this conversation. For one known \
             file, or a search that takes one or two calls, use the other tools directly.\n\
             - Several calls in one message run in parallel.\n\
             - The subagent sees only `prompt`: include the goal, what you already know, and what to report.\n\
             - The user does not see its message: tell them what matters.\n\
             - Its report is unverified: check the places it names before you rely on them.\n\
             \n\
             Available agents:\n",
        );
        for kind in &self.kinds {
            let only_reads = if kind.read_only { " (read-only)" } else { "" };
            let when = kind.description.split_whitespace().collect::<Vec<_>>().join(" ");
            let _ = writeln!(text, "- `{}`{only_reads}: {}", kind.name, shorten(&when, MAX_WHEN));
        }
        text.trim_end().to_owned().into()
    }

    fn check_fields(&self, input: &Map<String, Value>) -> Result<(), BadInput> {
        match NOT_BUILT.into_iter().find(|field| input.contains_key(*field)) {
            None => Ok(()),
            Some(field) => Err(BadInput(format!(
                "`{field}` is not supported: agents run in the foreground, without a name or a team, in this \
                 directory, and the call returns when the agent is done\n\
                 Leave `{field}` out"
            ))),
        }
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        let fields =
            [("description", &input.description, MAX_DESCRIPTION), ("prompt", &input.prompt, MAX_PROMPT)];
        for (field, text, max) in fields {
            if text.trim().is_empty() || text.chars().count() > max {
                return Err(BadInput(format!("`{field}` must have 1 to {max} characters")));
            }
        }
        if input.model.as_ref().is_some_and(|model| model.trim().is_empty()) {
            return Err(BadInput("`model` is empty: leave it out to use the agent's own model".to_owned()));
        }
        Ok(())
    }
}

impl EngineTool for Agent {
    fn call(&self, input: Input) -> Result<CallKind, BadInput> {
        let mode = |name: String| name.parse().map_err(|unknown| BadInput(format!("`mode`: {unknown}")));
        let mode: Option<Mode> = input.mode.map(mode).transpose()?;
        let kind = self.kind(&input.subagent_type)?;
        Ok(CallKind::Agent(AgentTask {
            kind: kind.name.clone(),
            read_only: kind.read_only,
            description: input.description,
            prompt: input.prompt,
            model: input.model,
            mode,
        }))
    }
}

/// What the agent of this kind came to.
pub fn reported(call: CallId, kind: &str, ended: &Result<AgentReport, AgentFailure>) -> ToolOutcome {
    match ended {
        Ok(report) => done(kind, report).outcome(call),
        Err(failure) => failed(kind, failure).outcome(call),
    }
}

fn done(kind: &str, report: &AgentReport) -> ToolSuccess {
    let said = match report.text.trim() {
        "" => "The agent finished without a message".to_owned(),
        text => shorten(text, MAX_MESSAGE),
    };
    let (shells, plan, cost) = (left_running(report), plan(report), cost(kind, report));
    ToolSuccess::new(format!("{said}{shells}\n\n{plan}{cost}")).output(fields(kind, report))
}

fn failed(kind: &str, failure: &AgentFailure) -> ToolFailure {
    let mut text = format!("Agent `{kind}` did not finish: {}", failure.why);
    let Some(report) = &failure.report else { return ToolFailure::new(text) };
    match report.text.trim() {
        "" => text.push_str("\n\nIt had not said anything yet"),
        said => {
            let _ = write!(
                text,
                "\n\nIts last message, which may be incomplete:\n{}",
                shorten(said, MAX_MESSAGE)
            );
        }
    }
    text.push_str(&left_running(report));
    let _ = write!(text, "\n\n{}{}", plan(report), cost(kind, report));
    ToolFailure::new(text).output(Some(fields(kind, report)))
}

/// The shells that it started and that still run: from now on they are its caller's.
fn left_running(report: &AgentReport) -> String {
    if report.shells.is_empty() {
        return String::new();
    }
    let list: String = report.shells.iter().map(|shell| format!("\n- {shell}")).collect();
    format!("\n\nBackground shells that it left running are yours now:{list}")
}

/// Where its plan is. Nobody has approved it.
fn plan(report: &AgentReport) -> String {
    let path = report.plan.as_ref();
    path.map_or_else(String::new, |path| format!("Its plan is in `{path}`; it is not approved\n\n"))
}

/// What it cost, in a line.
fn cost(kind: &str, report: &AgentReport) -> String {
    let usage = &report.usage;
    let read = usage.input();
    let calls = if report.calls == 1 { "call" } else { "calls" };
    let (seconds, tenths) = (report.took_ms / 1000, report.took_ms % 1000 / 100);
    format!(
        "[{kind}: {read} input tokens, {} output tokens, {} {calls}, {seconds}.{tenths} s]",
        usage.output_tokens, report.calls
    )
}

fn fields(kind: &str, report: &AgentReport) -> Value {
    json!({
        "agent_id": report.agent,
        "kind": kind,
        "usage": report.usage,
        "calls": report.calls,
        "duration_ms": report.took_ms,
        "plan_file_path": report.plan,
    })
}

#[cfg(test)]
mod tests;
