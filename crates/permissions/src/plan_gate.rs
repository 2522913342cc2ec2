//! What may be done in plan mode, and by agents that only read: the table, row by row.
//!
//! | action | here |
//! |---|---|
//! | Read, todo list, search for tools | allowed |
//! | AskUserQuestion | asks the person |
//! | Edit and Write on the own plan file | allowed |
//! | Edit and Write on anything else | denied, naming the plan file |
//! | a shell line that only reads | allowed |
//! | a shell line that changes something | denied, saying which part and why |
//! | a shell line that nobody can judge | allowed where the kernel lets it change nothing; else the classifier if it is on; else asked |
//! | …and whose unclear parts the person declared to be reads (`plan.networkCommands`) | allowed |
//! | a rehearsal, while planning | allowed where the kernel can keep a layer; else denied |
//! | foreign tools | allowed if read-only, denied if destructive, else asked |
//! | fetching | by its rules, else asked |
//! | skills | allowed: their text, not their grants |
//! | agents | allowed: they have this mode too |
//! | EnterPlanMode | denied: planning is on already, or a subagent asks |
//! | ExitPlanMode | asked; for a subagent it means nothing, and is allowed |
//!
//! Nothing opens what this table closes: no allow rule, no hook, no classifier, not `bypassPermissions` before planning.
//! The table's allow becomes an ask where an ask rule matches or a known secret would be read.
//!
//! Whoever else has to know what planning means asks here and keeps no list: the engine, about calls that were let through
//! before planning began or ended; whoever raises and ends fences.
//!
//! | action | planning makes a difference ([`is_indifferent`]) | a yes holds whatever comes ([`is_final`]) | where nobody plans ([`closed_outside`]) |
//! |---|---|---|---|
//! | Read, skills | no | | |
//! | todo list, search for tools | no | yes | |
//! | EnterPlanMode | yes | yes: it is what was asked | a subagent's is denied |
//! | ExitPlanMode, a rehearsal | yes | | denied |
//! | any other | yes | | |
//!
//! | held to | could change something ([`Confinement::can_change`]) | when planning begins ([`outside`]) | may begin ([`may_begin`]) |
//! |---|---|---|---|
//! | nothing, the working folders | yes | the person is asked what becomes of it | always |
//! | read-only, with or without the network | no | goes on; new ones get a new fence | always: agents that only read need no plan |
//! | a layer | no | there is none | while planning |

use forelook_protocol::{Action, Behavior, Confinement, Decision, McpHint, Reason, Shell, Standing, Step};
use forelook_shell::Verdict;

use crate::case::Case;
use crate::confine::only_declared_reads;
use crate::explain;
use crate::policy::{AgentKind, Policy};
use crate::walls;

/// What a line is held to here, if no row says otherwise. Its fence is raised when planning begins.
pub const HELD_TO: Confinement = Confinement::ReadOnly;

/// What may hold a command that could still change something when planning begins.
pub fn outside() -> impl Iterator<Item = Confinement> {
    Confinement::ALL.into_iter().filter(Confinement::can_change)
}

/// Whether the table holds: nothing may be changed by whoever asks.
pub fn only_looks(policy: &Policy) -> bool {
    policy.standing.is_planning() || policy.agent == AgentKind::ReadOnly
}

/// Whether planning makes no difference to this: it changes nothing, so it is let through in plan mode and elsewhere, or
/// asked for in both.
pub fn is_indifferent(action: &Action) -> bool {
    matches!(action, Action::Read { .. } | Action::Internal | Action::Skill { .. })
}

/// Whether a yes to this holds whatever becomes of mode and rules before it is carried out: nothing outside of the session
/// is touched, and planning that was agreed to may begin in any mode.
pub fn is_final(action: &Action) -> bool {
    matches!(action, Action::EnterPlan | Action::Internal)
}

/// Whether planning has begun since things stood so.
pub fn begun_since(then: &Standing, now: &Standing) -> bool {
    now.is_planning() && !then.is_planning()
}

/// Whether a yes that was given to this then still counts now. It was no yes to doing it while planning, unless that
/// makes no difference.
pub fn yes_counts(action: &Action, then: &Standing, now: &Standing) -> bool {
    is_indifferent(action) || !begun_since(then, now)
}

/// Whether anything is rehearsed.
pub fn rehearses(standing: &Standing) -> bool {
    standing.is_planning()
}

/// Whether something that is held so may begin: a layer is there while planning only. What was decided on while planning may
/// come late, and its layer would be shown beside the next plan.
pub fn may_begin(within: Confinement, standing: &Standing) -> bool {
    within != Confinement::Rehearsal || rehearses(standing)
}

/// Why this is nothing to be done where the table does not hold: it belongs to planning.
pub(crate) fn closed_outside(action: &Action, agent: AgentKind) -> Option<String> {
    match (action, agent) {
        (Action::ExitPlan, _) => Some(explain::not_planning()),
        (Action::Rehearse { .. }, _) => Some(explain::rehearses_outside_of_planning()),
        (Action::EnterPlan, AgentKind::Sub | AgentKind::ReadOnly) => Some(explain::subagent_enters()),
        _ => None,
    }
}

/// The table's word; nothing if it does not hold here.
pub(crate) fn gate(case: &Case<'_>) -> Option<Decision> {
    if !only_looks(case.policy) {
        return None;
    }
    Some(match row(case) {
        Decision::Allow(reason) => stricter(case, reason),
        other => other,
    })
}

fn row(case: &Case<'_>) -> Decision {
    match case.action {
        Action::Read { .. } | Action::Internal | Action::Skill { .. } => allow(explain::reads()),
        Action::Agent { .. } => allow(explain::agent_inherits()),
        Action::AskPerson => ask(explain::needs_person()),
        Action::ExitPlan => match case.policy.agent {
            AgentKind::Main => ask(explain::plan_needs_review()),
            // It changes no mode: the agent hears that it may end.
            AgentKind::Sub | AgentKind::ReadOnly => allow(explain::subagent_leaves()),
        },
        Action::EnterPlan => deny(explain::already_planning(case.policy.agent)),
        Action::Edit { file } => match &case.policy.plan_file {
            // Both paths: a plan file that is a link to somewhere else is not the plan file.
            Some(plan) if file.named == *plan && file.real == *plan => allow(explain::plan_file()),
            plan => deny(explain::only_the_plan(&file.named, plan.as_ref(), case.policy)),
        },
        Action::Shell { shell: Shell::Bash, .. } => shell(case),
        Action::Shell { shell: Shell::PowerShell, .. } => unknown(case, explain::powershell()),
        Action::Rehearse { .. } => rehearsal(case),
        Action::Mcp { hint: McpHint::ReadOnly, .. } => allow(explain::reads()),
        Action::Mcp { hint: McpHint::Destructive, .. } => deny(explain::destructive_tool()),
        Action::Mcp { hint: McpHint::Unknown, .. } => ask(explain::unknown_tool()),
        Action::Fetch { host } => match case.covering_rule() {
            Some(rule) => Decision::Allow(Reason {
                rule: Some(Box::new(rule.origin.clone())),
                ..reason(explain::fetches())
            }),
            None => ask(explain::fetch(host)),
        },
    }
}

fn shell(case: &Case<'_>) -> Decision {
    let Some(line) = &case.line else { return deny(explain::changes("", case.policy)) };
    match line.verdict() {
        Verdict::ReadOnly => allow(explain::reads()),
        Verdict::Changes => deny(explain::changes(&line.why(), case.policy)),
        Verdict::Unknown if only_declared_reads(case, line) => allow(explain::declared_read()),
        Verdict::Unknown => unknown(case, explain::unknown_line(&line.why())),
    }
}

/// What the text does not tell, the kernel settles; where it cannot, somebody must.
fn unknown(case: &Case<'_>, text: String) -> Decision {
    match (case.policy.kernel.read_only, case.policy.standing.classifier_on()) {
        (true, _) => allow(explain::held()),
        (false, true) => Decision::Judge(reason(text)),
        (false, false) => ask(text),
    }
}

fn rehearsal(case: &Case<'_>) -> Decision {
    match (rehearses(&case.policy.standing), case.policy.kernel.rehearsal) {
        (true, true) => allow(explain::rehearsed()),
        (true, false) => deny(explain::no_rehearsal()),
        (false, _) => deny(explain::rehearses_outside_of_planning()),
    }
}

/// What turns the table's allow into an ask.
fn stricter(case: &Case<'_>, allowed: Reason) -> Decision {
    if let Some(rule) = case.any_rule(Behavior::Ask).or_else(|| case.uncertain_rule()) {
        let text = explain::ask_rule(rule);
        return Decision::Ask(Reason { rule: Some(Box::new(rule.origin.clone())), ..reason(text) });
    }
    match walls::secret(case) {
        Some(text) => ask(text),
        None => Decision::Allow(allowed),
    }
}

fn reason(text: String) -> Reason {
    Reason::new(Step::PlanGate, text)
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
