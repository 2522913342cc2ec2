//! What the model is told about planning: the words of every reminder.
//!
//! The texts are the files of `text/`; here they are put together and filled in. The marks around a reminder are
//! the engine's. What the two tools say is in `workflow/tools.rs`, what can be chosen in `workflow/choice.rs`.

mod choice;
pub(crate) mod fill;
mod reader_tools;
mod tools;

use forelook_protocol::{AbsPath, ReminderKind};

pub use choice::{Eagerness, LengthStyle, UnknownChoice};
use fill::{fenced, fill};
pub use reader_tools::ReaderTools;
pub use tools::{enter_declined, enter_description, enter_result, enter_unattended, exit_description};

/// How a plan is to be made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Workflow {
    /// The way to it.
    pub style: WorkflowStyle,
    /// How long it should be.
    pub length: LengthStyle,
    /// A skeleton in Markdown that it follows (`plan.template`).
    pub template: Option<String>,
}

/// The way to a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkflowStyle {
    /// Understand, design, review, write, ask for approval.
    FivePhases {
        /// Explore agents at most.
        explore: u8,
        /// Plan agents at most.
        design: u8,
    },
    /// In conversation with the person.
    Interview,
}

impl Default for WorkflowStyle {
    fn default() -> Self {
        // What settings give where nothing is said (`settings/src/planning.rs`).
        WorkflowStyle::FivePhases { explore: 3, design: 1 }
    }
}

/// The words of a reminder for a reader with these tools. Empty for one that is not about planning: the words of a hook and
/// of a shell are its own.
pub fn reminder_text(kind: &ReminderKind, workflow: &Workflow, tools: &ReaderTools) -> String {
    match kind {
        ReminderKind::Hook
        | ReminderKind::Todos { .. }
        | ReminderKind::SessionState
        | ReminderKind::EmptyAnswer
        | ReminderKind::ShellEnded { .. }
        | ReminderKind::PrePlanProcesses
        | ReminderKind::UserShell { .. }
        | ReminderKind::ToolsChanged { .. } => String::new(),
        ReminderKind::PlanMode { subagent: true, only_reads, rehearsals, path, exists, problem, .. } => {
            let file = (!only_reads).then(|| file(path, *exists, problem.as_deref(), tools));
            subagent(file, &rehearse(*rehearsals, tools))
        }
        ReminderKind::PlanMode { full: true, rehearsals, path, exists, problem, .. } => {
            let file = file(path, *exists, problem.as_deref(), tools);
            full(&file, &rehearse(*rehearsals, tools), workflow, tools)
        }
        ReminderKind::PlanMode { path, .. } => sparse(path, workflow.style, tools),
        ReminderKind::PlanModeReentry { path } => {
            let values = [("path", path.to_string()), ("leave", tools.leave().to_owned())];
            fill(include_str!("text/reentry.md"), &values.each_ref().map(|(name, it)| (*name, it.as_str())))
        }
        ReminderKind::PlanModeExit { path, exists } => exit(path, *exists),
        ReminderKind::PlanFileReference { path, contents } => fill(
            include_str!("text/file_reference.md"),
            &[("path", &path.to_string()), ("contents", &fenced(contents))],
        ),
        ReminderKind::AutoModeExit => fill(include_str!("text/auto_exit.md"), &[]),
        ReminderKind::ReadOnlyAgent => fill(include_str!("text/read_only.md"), &[]),
    }
}

/// What a subagent is told; `file` is its plan file, if it has a tool to write one with.
fn subagent(file: Option<String>, rehearse: &str) -> String {
    let except = if file.is_some() { " but your own plan file" } else { "" };
    let file = file.map(|file| fill(include_str!("text/subagent_file.md"), &[("file", &file)]));
    let values = [("except", except), ("rehearse", rehearse)];
    let parts = [
        Some(fill(include_str!("text/subagent.md"), &values)),
        file,
        Some(fill(include_str!("text/subagent_end.md"), &[])),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// How to try something, where that is possible.
fn rehearse(possible: bool, tools: &ReaderTools) -> String {
    match tools.rehearse().filter(|_| possible) {
        Some(with) => format!(" {}", fill(include_str!("text/rehearse.md"), &[("tools", with)])),
        None => String::new(),
    }
}

/// The whole workflow, between what is forbidden and how a turn ends.
fn full(file: &str, rehearse: &str, workflow: &Workflow, tools: &ReaderTools) -> String {
    let values = [("file", file), ("rehearse", rehearse)];
    let constraint = fill(include_str!("text/constraint.md"), &values);
    let style = match workflow.style {
        WorkflowStyle::FivePhases { explore, design } => {
            five_phases(explore, design, &final_plan(workflow), tools)
        }
        WorkflowStyle::Interview => {
            let plan = final_plan(workflow);
            let values = [("final", &*plan), ("question", tools.question()), ("submit", tools.submit())];
            fill(include_str!("text/interview.md"), &values)
        }
    };
    [constraint, style, tools.closing()].join("\n\n")
}

fn five_phases(explore: u8, design: u8, final_plan: &str, tools: &ReaderTools) -> String {
    let explore = match explore {
        _ if !tools.agents => "Do all searches yourself.".to_owned(),
        0 | 1 => fill(include_str!("text/explore_one.md"), &[]),
        more => fill(include_str!("text/explore_many.md"), &[("count", &more.to_string())]),
    };
    let design = match design {
        _ if !tools.agents => "Make the design yourself.".to_owned(),
        0 | 1 => fill(include_str!("text/design_one.md"), &[]),
        more => fill(include_str!("text/design_many.md"), &[("count", &more.to_string())]),
    };
    let named = if tools.agents { ", especially those that the agents named" } else { "" };
    let values = [
        ("explore", explore.as_str()),
        ("design", &design),
        ("final", final_plan),
        ("named", named),
        ("ask_now", tools.ask_now()),
        ("ask_open", tools.ask_open()),
        ("submit", tools.submit()),
    ];
    fill(include_str!("text/five_phases.md"), &values)
}

/// What the plan file holds in the end.
fn final_plan(workflow: &Workflow) -> String {
    let length = match workflow.length {
        LengthStyle::Control => include_str!("text/length_control.md"),
        LengthStyle::Trim => include_str!("text/length_trim.md"),
        LengthStyle::Cut => include_str!("text/length_cut.md"),
        LengthStyle::Cap => include_str!("text/length_cap.md"),
    };
    let length = fill(length, &[]);
    match workflow.template.as_deref().map(str::trim) {
        None | Some("") => length,
        Some(template) => {
            let skeleton = fill(include_str!("text/skeleton.md"), &[("template", &fenced(template))]);
            [length, skeleton].join("\n\n")
        }
    }
}

fn sparse(path: &AbsPath, style: WorkflowStyle, tools: &ReaderTools) -> String {
    let style = match style {
        WorkflowStyle::FivePhases { .. } => "five phases",
        WorkflowStyle::Interview => "interview",
    };
    let values = [("path", &*path.to_string()), ("style", style), ("end", tools.end())];
    fill(include_str!("text/sparse.md"), &values)
}

fn exit(path: &AbsPath, exists: bool) -> String {
    let over = fill(include_str!("text/exit.md"), &[]);
    if !exists {
        return over;
    }
    let plan = fill(include_str!("text/exit_plan.md"), &[("path", &path.to_string())]);
    [over, plan].join(" ")
}

/// What to do with the plan file: it is there, or not, or cannot be read.
fn file(path: &AbsPath, exists: bool, problem: Option<&str>, tools: &ReaderTools) -> String {
    let text = match (exists, problem) {
        (true, _) => include_str!("text/file_exists.md"),
        (false, None) => include_str!("text/file_new.md"),
        (false, Some(_)) => include_str!("text/file_unreadable.md"),
    };
    // One sentence of it: what a person is to do about it is not for the model.
    let why = problem.and_then(|why| why.lines().next()).unwrap_or_default();
    let path = path.to_string();
    let create = tools.create(&path);
    let values = [
        ("path", path.as_str()),
        ("why", why),
        ("revise", tools.revise()),
        ("create", &create),
        ("replace", tools.replace()),
    ];
    fill(text, &values)
}

#[cfg(test)]
mod tests;
