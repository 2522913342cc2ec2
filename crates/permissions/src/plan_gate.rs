//! What plan mode and read-only agents allow: the table, row by row.
//!
//! | action | here |
//! |---|---|
//! | Read, todo list, tool search | allowed |
//! | AskUserQuestion | asks the user |
//! | Edit and Write on the agent's own plan file | allowed |
//! | Edit and Write on anything else | denied; the reason names the plan file |
//! | a read-only shell command | allowed; if the kernel enforces nothing, its text must tell all that it does |
//! | a shell command that makes changes | denied; the reason says which part and why |
//! | a shell command that analysis cannot judge | allowed if the kernel prevents all changes; else the classifier decides if it is on; else asked |
//! | …whose unclear parts the user declared to be reads (`plan.networkCommands`) | allowed |
//! | a rehearsal, while planning | allowed if the kernel supports overlays; else denied |
//! | tools of MCP servers | allowed if read-only, denied if destructive, else asked |
//! | fetching | as its rules say, else asked |
//! | skills | allowed: their text, not their permissions |
//! | agents | allowed: they get this mode too |
//! | ending a background shell | allowed if it was started under this table, in its fence ([`is_own_fence`]); else denied: ending a process is a change, and the user may have chosen to keep it |
//! | EnterPlanMode | denied: plan mode is already on, or a subagent asks |
//! | ExitPlanMode | asked; allowed for a subagent, where it has no effect |
//!
//! Nothing overrides a denial in this table: no allow rule, no hook, no classifier, no `bypassPermissions` before planning.
//! An allow becomes an ask if a hook asks, an ask rule matches or a known secret would be read.
//!
//! All other code that depends on planning asks this module and keeps no list of its own: the engine, about calls that were
//! allowed before planning started or ended, and the code that creates and removes fences.
//!
//! | action | depends on planning ([`is_mode_independent`] is its opposite) | approval holds in any mode ([`stays_authorized`]) | outside of planning ([`denied_outside_plan`]) |
//! |---|---|---|---|
//! | Read, skills | no | | |
//! | todo list, tool search | no | yes | |
//! | EnterPlanMode | yes | yes: it is what was approved | denied for a subagent |
//! | ExitPlanMode, a rehearsal | yes | | denied |
//! | any other | yes | | |
//!
//! | confined to | can change something ([`Confinement::can_change`]) | when planning starts ([`writable_confinements`]) | may start ([`may_start`]) |
//! |---|---|---|---|
//! | nothing, the working directories | yes | the user is asked whether to keep it running | always |
//! | read-only, with or without the network | no | keeps running; new ones get a new fence | always: read-only agents need no plan |
//! | an overlay | no | there is none yet | while planning |

use forelook_protocol::{
    Action, Behavior, Confinement, Decision, DecisionStep, HookDecision, McpHint, ModeState, Reason, Shell,
};
use forelook_shell::Verdict;

use crate::confine::only_declared_reads;
use crate::decision_input::DecisionInput;
use crate::explain;
use crate::policy::{AgentKind, PermissionPolicy};
use crate::walls;

/// What a command is confined to here, unless a row says otherwise. Its fence is created when planning starts.
pub const DEFAULT_CONFINEMENT: Confinement = Confinement::ReadOnly;

/// The confinements in which a running command could still change something when planning starts.
pub fn writable_confinements() -> impl Iterator<Item = Confinement> {
    Confinement::ALL.into_iter().filter(Confinement::can_change)
}

/// Whether only this table confines to this: what runs in it was started while planning, or by a read-only agent. A tool
/// names no shell but the calling agent's own, so these are the shells that it may end.
fn is_own_fence(confinement: Confinement) -> bool {
    matches!(confinement, Confinement::ReadOnly | Confinement::ReadOnlyOnline | Confinement::Rehearsal)
}

/// Whether the table applies: the calling agent may change nothing.
pub fn enforces_read_only(policy: &PermissionPolicy) -> bool {
    policy.mode_state.is_planning() || policy.agent == AgentKind::ReadOnly
}

/// Whether planning makes no difference to this action: it changes nothing, so the answer is the same in plan mode and in
/// other modes.
pub fn is_mode_independent(action: &Action) -> bool {
    matches!(action, Action::Read { .. } | Action::Internal | Action::Skill { .. })
}

/// Whether an approval of this stays valid even if mode or rules change before it runs: it touches nothing outside of the
/// session, and approved planning may start in any mode.
pub fn stays_authorized(action: &Action) -> bool {
    matches!(action, Action::EnterPlan | Action::Internal)
}

/// Whether planning has started between these two states.
pub fn plan_began_since(then: &ModeState, now: &ModeState) -> bool {
    now.is_planning() && !then.is_planning()
}

/// Whether an earlier approval is still valid. It was no approval to do this while planning, unless that makes no
/// difference.
pub fn approval_still_valid(action: &Action, then: &ModeState, now: &ModeState) -> bool {
    is_mode_independent(action) || !plan_began_since(then, now)
}

/// Whether rehearsals are possible in this mode.
pub fn allows_rehearsal(mode_state: &ModeState) -> bool {
    mode_state.is_planning()
}

/// Whether something with this confinement may start: there is an overlay only while planning. A call that was decided
/// while planning may come late, and its overlay would be shown next to the next plan.
pub fn may_start(confinement: Confinement, mode_state: &ModeState) -> bool {
    confinement != Confinement::Rehearsal || allows_rehearsal(mode_state)
}

/// Why this is denied where the table does not apply: it belongs to planning.
pub(crate) fn denied_outside_plan(action: &Action, agent: AgentKind) -> Option<String> {
    match (action, agent) {
        (Action::ExitPlan, _) => Some(explain::not_planning()),
        (Action::Rehearse { .. }, _) => Some(explain::rehearses_outside_of_planning()),
        (Action::EnterPlan, AgentKind::Sub | AgentKind::ReadOnly) => Some(explain::subagent_enters()),
        _ => None,
    }
}

/// What the table decides; `None` if it does not apply.
pub(crate) fn gate(input: &DecisionInput<'_>) -> Option<Decision> {
    if !enforces_read_only(input.policy) {
        return None;
    }
    Some(match row(input) {
        Decision::Allow(reason) => stricter(input, reason),
        other => other,
    })
}

fn row(input: &DecisionInput<'_>) -> Decision {
    match input.action {
        Action::Read { .. } | Action::Internal | Action::Skill { .. } => allow(explain::reads()),
        Action::Agent { .. } => allow(explain::agent_inherits()),
        Action::EndShell { sandbox, .. } if is_own_fence(*sandbox) => allow(explain::ends_own_shell()),
        Action::EndShell { shell, .. } => deny(explain::ends_other_shell(shell, input.policy)),
        Action::AskPerson => ask(explain::needs_person()),
        Action::ExitPlan => match input.policy.agent {
            AgentKind::Main => ask(explain::plan_needs_review()),
            // It changes no mode: the agent hears that it may end.
            AgentKind::Sub | AgentKind::ReadOnly => allow(explain::subagent_leaves()),
        },
        Action::EnterPlan => deny(explain::already_planning(input.policy.agent)),
        Action::Edit { file } => match &input.policy.plan_file {
            // Both paths: a plan file that is a link to somewhere else is not the plan file.
            Some(plan) if file.named == *plan && file.real == *plan => allow(explain::plan_file()),
            plan => deny(explain::only_the_plan(&file.named, plan.as_ref(), input.policy)),
        },
        Action::Shell { shell: Shell::Bash, .. } => shell(input),
        Action::Shell { shell: Shell::PowerShell, .. } => unknown(input, explain::powershell()),
        Action::Rehearse { .. } => rehearsal(input),
        Action::Mcp { hint: McpHint::ReadOnly, .. } => allow(explain::reads()),
        Action::Mcp { hint: McpHint::Destructive, .. } => deny(explain::destructive_tool()),
        Action::Mcp { hint: McpHint::Unknown, .. } => ask(explain::unknown_tool()),
        Action::Fetch { host } => match input.covering_rule() {
            Some(rule) => Decision::Allow(Reason {
                rule: Some(Box::new(rule.origin.clone())),
                ..reason(explain::fetches())
            }),
            None => ask(explain::fetch(host)),
        },
    }
}

fn shell(input: &DecisionInput<'_>) -> Decision {
    let Some(line) = &input.line else { return deny(explain::changes("", input.policy)) };
    match line.verdict() {
        Verdict::ReadOnly => allow(explain::reads()),
        Verdict::Changes => deny(explain::changes(&line.why_changes(), input.policy)),
        Verdict::Unknown if only_declared_reads(input, line) => allow(explain::declared_read()),
        Verdict::Unknown => unknown(input, explain::unknown_line(&line.why())),
    }
}

/// What analysis cannot judge: the kernel prevents changes; if it cannot, the classifier or the user decides.
fn unknown(input: &DecisionInput<'_>, text: String) -> Decision {
    match (input.kernel.read_only, input.policy.mode_state.classifier_on()) {
        (true, _) => allow(explain::held()),
        (false, true) => Decision::Classify(reason(text)),
        (false, false) => ask(text),
    }
}

fn rehearsal(input: &DecisionInput<'_>) -> Decision {
    match (allows_rehearsal(&input.policy.mode_state), input.kernel.rehearsal) {
        (true, true) => allow(explain::rehearsed()),
        (true, false) => deny(explain::no_rehearsal()),
        (false, _) => deny(explain::rehearses_outside_of_planning()),
    }
}

/// Turns the table's allow into an ask where something stricter applies.
fn stricter(input: &DecisionInput<'_>, allowed: Reason) -> Decision {
    if let Some(HookDecision::Ask(why)) = &input.facts.hook {
        return ask(explain::hook("requires approval", why));
    }
    if let Some(rule) = input.any_rule(Behavior::Ask).or_else(|| input.uncertain_ask_rule()) {
        let text = explain::ask_rule(rule);
        return Decision::Ask(Reason { rule: Some(Box::new(rule.origin.clone())), ..reason(text) });
    }
    match walls::named_secret(input) {
        Some(text) => ask(text),
        None => Decision::Allow(allowed),
    }
}

fn reason(text: String) -> Reason {
    Reason::new(DecisionStep::PlanGate, text)
}

fn allow(text: String) -> Decision {
    Decision::Allow(reason(text))
}

fn ask(text: String) -> Decision {
    Decision::Ask(reason(text))
}

fn deny(text: String) -> Decision {
    Decision::Deny(reason(text))
}
