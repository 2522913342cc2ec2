//! Every sentence of a decision. Both the user and the model read a reason; what only the model can act on is in
//! `model_hint`.

use forelook_protocol::{AbsPath, Action, DecisionStep, Mode, Reason};

use crate::confine::OutsideReason;
use crate::policy::{AgentKind, PermissionPolicy};
use crate::rules::RuleEntry;

pub(crate) fn needs_person() -> String {
    "Only a person can answer this".to_owned()
}

pub(crate) fn reads() -> String {
    "Read-only".to_owned()
}

pub(crate) fn only_reads(action: &Action) -> String {
    match action {
        Action::Agent { .. } => "Each call the agent makes is checked separately".to_owned(),
        Action::EndShell { .. } => ends_own_shell(),
        _ => reads(),
    }
}

pub(crate) fn by_mode(mode: Mode) -> String {
    format!("Mode `{mode}` allows this")
}

pub(crate) fn judged() -> String {
    "The classifier decides".to_owned()
}

/// "deny rule `Bash(x)` (project settings)": the text of an origin begins with the behavior.
fn described(rule: &RuleEntry) -> String {
    rule.origin.to_string().replacen(' ', " rule ", 1)
}

pub(crate) fn deny_rule(rule: &RuleEntry) -> String {
    format!("The {} blocks this; no mode or other rule overrides it", described(rule))
}

pub(crate) fn ask_rule(rule: &RuleEntry) -> String {
    format!("The {} requires approval", described(rule))
}

pub(crate) fn allow_rule(rule: &RuleEntry) -> String {
    format!("The {} allows this", described(rule))
}

pub(crate) fn uncertain(rule: &RuleEntry) -> String {
    format!("The command does not show whether the {} applies", described(rule))
}

pub(crate) fn may_be_denied(rule: &RuleEntry) -> String {
    format!("The command does not show which files it touches, and the {} blocks some", described(rule))
}

pub(crate) fn hook(says: &str, why: &str) -> String {
    match why.trim() {
        "" => format!("A hook {says}"),
        why => format!("A hook {says}: {why}"),
    }
}

/// That a hook said no, and why.
pub fn denied_by_hook(why: &str) -> Reason {
    Reason::new(DecisionStep::DenyRule, hook("denied this", why))
}

pub(crate) fn ends_own_shell() -> String {
    "The agent started this shell itself".to_owned()
}

pub(crate) fn ends_other_shell(shell: &str, policy: &PermissionPolicy) -> String {
    let who = match policy.mode_state.is_planning() {
        true => "Plan mode allows no changes",
        false => "This agent is read-only",
    };
    format!("{who}: it can end only shells that run in its fence, and `{shell}` does not")
}

pub(crate) fn agent_inherits() -> String {
    "The subagent is in plan mode too and cannot change anything".to_owned()
}

pub(crate) fn plan_needs_review() -> String {
    "A plan needs approval".to_owned()
}

pub(crate) fn already_planning(agent: AgentKind) -> String {
    match agent {
        AgentKind::Main => "Plan mode is already on".to_owned(),
        AgentKind::Sub | AgentKind::ReadOnly => subagent_enters(),
    }
}

pub(crate) fn not_planning() -> String {
    "Plan mode is not on".to_owned()
}

pub(crate) fn subagent_leaves() -> String {
    "A subagent's plan needs no review".to_owned()
}

pub(crate) fn subagent_enters() -> String {
    "A subagent cannot enter plan mode".to_owned()
}

pub(crate) fn declared_read() -> String {
    "`plan.networkCommands` lists this as read-only".to_owned()
}

pub(crate) fn plan_file() -> String {
    "This is the plan file".to_owned()
}

pub(crate) fn only_the_plan(path: &AbsPath, plan: Option<&AbsPath>, policy: &PermissionPolicy) -> String {
    if policy.agent == AgentKind::ReadOnly && !policy.mode_state.is_planning() {
        return format!("Cannot change `{path}`: this agent is read-only");
    }
    match plan {
        Some(plan) => {
            format!("Cannot change `{path}` in plan mode; the only writable file is the plan, `{plan}`")
        }
        None => format!("Cannot change `{path}` in plan mode"),
    }
}

pub(crate) fn changes(why: &str, policy: &PermissionPolicy) -> String {
    let why = if why.is_empty() { "The command makes changes" } else { why };
    match policy.mode_state.is_planning() {
        true => format!("Plan mode allows no changes. {why}"),
        false => format!("This agent is read-only. {why}"),
    }
}

pub(crate) fn unknown_line(why: &str) -> String {
    format!("Cannot verify that the command is read-only. {why}")
}

pub(crate) fn held() -> String {
    "The kernel prevents it from changing anything".to_owned()
}

pub(crate) fn stays_inside() -> String {
    "The kernel confines it to the working directories".to_owned()
}

/// A person who approves it should know that nothing confines it then.
pub(crate) fn runs_outside(text: &str, outside_reason: OutsideReason) -> String {
    let why = match outside_reason {
        OutsideReason::Configured => "`sandbox.outside` lists it",
        OutsideReason::NeedsNetwork => "it needs the network, which the fence blocks",
        OutsideReason::ChangesRemote => "it changes something on another machine",
        OutsideReason::WritesGitFolder => "it writes to the `.git` folder, which the fence protects",
        OutsideReason::WritesElsewhere => "it writes outside the working directories",
        OutsideReason::ShowsMachine => "the fence hides what it shows",
    };
    format!("{text}. It would run outside the fence: {why}")
}

pub(crate) fn git_runs(what: String) -> String {
    format!("No rule covers what git would run here: {what}")
}

pub(crate) fn unknown_repository() -> String {
    "No rule covers git here: the repository is unknown until the command runs".to_owned()
}

pub(crate) fn rehearsed() -> String {
    "Runs on an overlay of the working directories; no real file changes".to_owned()
}

pub(crate) fn no_rehearsal() -> String {
    "Rehearsals are not available here: the kernel provides no overlay (see `forelook doctor`)".to_owned()
}

pub(crate) fn rehearses_outside_of_planning() -> String {
    "Rehearsals work only in plan mode".to_owned()
}

/// What the model can do instead of a call that was denied for this reason, as one sentence without the period. The user
/// never sees it.
pub fn model_hint(
    policy: &PermissionPolicy,
    action: &Action,
    reason: &Reason,
    can_rehearse: bool,
) -> Option<&'static str> {
    if !matches!(reason.step, DecisionStep::PlanGate | DecisionStep::NeedsPerson) {
        return None;
    }
    let planning = policy.mode_state.is_planning();
    match (action, policy.agent) {
        (Action::ExitPlan, _) => Some("If the user already approved a plan, implement it"),
        (Action::EnterPlan, AgentKind::Main) => Some("Continue planning"),
        (Action::EnterPlan, AgentKind::Sub | AgentKind::ReadOnly) => {
            Some("Say in your answer that the task needs a plan")
        }
        (Action::EndShell { .. }, AgentKind::Main) if planning => {
            Some("Leave it running, and say in the plan what should happen to it")
        }
        (Action::Rehearse { .. }, AgentKind::Main) if planning => Some("Say in the plan what to try"),
        (Action::Rehearse { .. }, _) if planning => Some("Say in your answer what to try"),
        (Action::Rehearse { .. }, AgentKind::ReadOnly) => None,
        (Action::Rehearse { .. }, _) => Some("Run it without a rehearsal"),
        (Action::Shell { .. }, _) if planning && can_rehearse => {
            Some("To see what it would do, send it with `rehearse: true`")
        }
        _ => None,
    }
}

pub(crate) fn powershell() -> String {
    "PowerShell commands are not analyzed yet, so this one may not be read-only".to_owned()
}

pub(crate) fn destructive_tool() -> String {
    "The tool's server marks it as destructive, and plan mode allows no changes".to_owned()
}

pub(crate) fn unknown_tool() -> String {
    "This tool is not marked read-only, and it runs outside the fence".to_owned()
}

pub(crate) fn fetches() -> String {
    "It only fetches, and a rule allows the host".to_owned()
}

pub(crate) fn fetch(host: &str) -> String {
    format!("Fetching from `{host}` needs approval")
}

pub(crate) fn root(path: &str) -> String {
    format!("Deletes or overwrites the critical path `{path}`")
}

pub(crate) fn own(path: &AbsPath) -> String {
    format!("`{path}` belongs to Forelook and controls what is allowed")
}

pub(crate) fn protected(path: &AbsPath) -> String {
    format!("`{path}` controls what runs later without approval")
}

pub(crate) fn secret(path: &AbsPath) -> String {
    format!("`{path}` usually contains secrets")
}

pub(crate) fn unnamed_secrets() -> String {
    "The command does not show which files it reads, and no fence hides secrets from it".to_owned()
}

pub(crate) fn unnamed_writes() -> String {
    "The command does not show which files it changes, and no fence protects those that control what runs later"
        .to_owned()
}

pub(crate) fn secrets_below(folder: &AbsPath) -> String {
    format!("Files in `{folder}` usually contain secrets")
}

pub(crate) fn secrets_elsewhere(folder: &AbsPath) -> String {
    format!("Files below `{folder}` may contain secrets that no fence hides")
}

pub(crate) fn discards(what: &str) -> String {
    format!("`{what}` discards work that git cannot restore")
}

pub(crate) fn wall_denied(text: &str) -> String {
    format!("{text}; mode `dontAsk` denies instead of asking")
}

pub(crate) fn fallback(action: &Action, why: Option<&str>) -> String {
    match (action, why) {
        (Action::Shell { .. }, Some(why)) => why.to_owned(),
        (Action::Shell { .. }, None) => "Running this command needs approval".to_owned(),
        (Action::Rehearse { .. }, _) => rehearses_outside_of_planning(),
        (Action::Read { file }, _) => format!("Reading `{}` needs approval", file.named),
        (Action::Edit { file }, _) => format!("Changing `{}` needs approval", file.named),
        (Action::Fetch { host }, _) => fetch(host),
        (Action::Mcp { server, tool, .. }, _) => {
            format!("Calling `{tool}` on `{server}` needs approval")
        }
        (Action::Agent { kind, .. }, _) => format!("Starting the agent `{kind}` needs approval"),
        (Action::Skill { name }, _) => format!("Using the skill `{name}` needs approval"),
        (Action::EndShell { shell, .. }, _) => format!("Ending `{shell}` needs approval"),
        (Action::AskPerson | Action::EnterPlan | Action::ExitPlan | Action::Internal, _) => needs_person(),
    }
}
