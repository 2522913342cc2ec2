//! One decision for every call, in this order; the first step that speaks wins:
//!
//!  1. The input does not fit the tool's schema: an error to the model. (The engine has seen to it before it asks here.)
//!  2. A deny rule matches, or a hook denies: deny.
//!  3. The mode is `plan`, or the agent only reads: the table of `plan_gate.rs` decides, and nothing below is asked.
//!  4. A wall stands (`walls.rs`): ask or deny as it says.
//!  5. The tool needs a person: ask. No rule, mode, hook or classifier answers for one. Where nobody could answer, because
//!     there is no plan to leave or a subagent wants to plan: deny.
//!  6. An ask rule matches, or a hook asks: ask (in `dontAsk`: deny). Also where a deny or ask rule may match and the line does not tell.
//!  7. `bypassPermissions`: allow.
//!  8. An allow rule (that counts now) matches every part, or a hook allows: allow.
//!  9. `acceptEdits` and it is an edit or a simple file command inside the working folders; or `auto` and it is an edit
//!     there: allow.
//! 10. It only reads: allow. Or the kernel keeps it to the working folders (`confine.rs`) and the mode is `default` or
//!     `acceptEdits`: allow.
//! 11. `auto`: the classifier.
//! 12. `dontAsk`: deny. Otherwise ask; with nobody there the engine turns that into a denial with the same reason.
//!
//! Whatever is let through carries what the kernel holds it to (`confine.rs`), also after a person's yes.
//!
//! Pure: what the text does not tell (where links lead, what a repository's configuration says) is asked for with
//! [`Decision::Need`].

use std::borrow::Cow;

use forelook_protocol::{
    Action, Behavior, Confinement, Decision, Facts, HookSays, Mode, Reason, Shell, Step,
};
use forelook_shell::Verdict;

use crate::case::Case;
use crate::confine;
use crate::explain;
use crate::line::{PartView, Where};
use crate::plan_gate;
use crate::policy::Policy;
use crate::rules::RuleEntry;
use crate::walls;

/// Decides about one action of one tool.
pub fn decide(policy: &Policy, tool: &str, action: &Action, facts: &Facts) -> Decision {
    let case = match Case::new(policy, tool, action, facts) {
        Ok(case) => case,
        Err(missing) => return Decision::Need(missing),
    };
    let spoken = STEPS.iter().find_map(|(_, step)| match step(&case) {
        Found::Speaks(decision) => Some(decision),
        Found::Passes(_) => None,
    });
    within(&case, spoken.unwrap_or_else(|| rest(&case)))
}

/// The decision, with what the kernel holds it to if it comes to run.
fn within(case: &Case<'_>, mut decision: Decision) -> Decision {
    match &mut decision {
        Decision::Allow(reason) => reason.within = confine::confinement(case),
        Decision::Ask(reason) | Decision::Judge(reason) => {
            reason.within = confine::confinement(case);
            if let Some(leaving) = confine::leaving(case) {
                reason.text = explain::leaves(&reason.text, leaving);
            }
        }
        Decision::Deny(_) | Decision::Need(_) => {}
    }
    decision
}

/// What every step found, for a person who wants to know why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Every step, in order, with what it found and what it would say.
    pub steps: Vec<(Step, String, Option<Decision>)>,
    /// What counts: the first that speaks.
    pub decision: Decision,
}

/// Goes through all steps, also those after the one that decides.
pub fn explain_decision(
    policy: &Policy,
    tool: &str,
    action: &Action,
    facts: &Facts,
) -> Result<Explanation, Decision> {
    let case = Case::new(policy, tool, action, facts).map_err(Decision::Need)?;
    let mut steps = vec![(Step::Schema, "Fits".to_owned(), None)];
    for (step, look) in STEPS {
        steps.push(match look(&case) {
            Found::Speaks(decision) => (*step, text_of(&decision), Some(within(&case, decision))),
            Found::Passes(found) => (*step, found.into_owned(), None),
        });
    }
    let last = within(&case, rest(&case));
    steps.push((Step::Rest, text_of(&last), Some(last.clone())));
    let decision = steps.iter().find_map(|(_, _, decision)| decision.clone()).unwrap_or(last);
    Ok(Explanation { steps, decision })
}

fn text_of(decision: &Decision) -> String {
    match decision {
        Decision::Allow(reason)
        | Decision::Ask(reason)
        | Decision::Deny(reason)
        | Decision::Judge(reason) => reason.text.clone(),
        Decision::Need(_) => String::new(),
    }
}

/// What a step says.
enum Found {
    /// This is the decision.
    Speaks(Decision),
    /// Nothing, because of this.
    Passes(Cow<'static, str>),
}

fn passes(text: &'static str) -> Found {
    Found::Passes(Cow::Borrowed(text))
}

type Look = fn(&Case<'_>) -> Found;

/// The steps between the schema and the rest, in order.
const STEPS: &[(Step, Look)] = &[
    (Step::DenyRule, deny_rule),
    (Step::PlanGate, plan),
    (Step::Wall, wall),
    (Step::NeedsPerson, needs_person),
    (Step::AskRule, ask_rule),
    (Step::Bypass, bypass),
    (Step::AllowRule, allow_rule),
    (Step::AcceptEdits, accept_edits),
    (Step::ReadOnly, read_only),
    (Step::Classifier, classifier),
];

fn reason(step: Step, text: String) -> Reason {
    Reason::new(step, text)
}

fn by_rule(step: Step, rule: &RuleEntry, text: String) -> Reason {
    Reason { rule: Some(Box::new(rule.origin.clone())), ..Reason::new(step, text) }
}

fn deny_rule(case: &Case<'_>) -> Found {
    if let Some(HookSays::Deny(why)) = &case.facts.hook {
        return Found::Speaks(Decision::Deny(reason(Step::DenyRule, explain::hook("denies", why))));
    }
    match case.any_rule(Behavior::Deny) {
        Some(rule) => Found::Speaks(Decision::Deny(by_rule(Step::DenyRule, rule, explain::deny_rule(rule)))),
        None => passes("No deny rule matches any part of it"),
    }
}

fn plan(case: &Case<'_>) -> Found {
    match plan_gate::gate(case) {
        Some(decision) => Found::Speaks(decision),
        None => passes("Not planning, and the agent may do more than read"),
    }
}

fn wall(case: &Case<'_>) -> Found {
    match walls::wall(case) {
        Some(decision) => Found::Speaks(decision),
        None => passes("No wall stands in the way"),
    }
}

fn needs_person(case: &Case<'_>) -> Found {
    if let Some(text) = plan_gate::closed_outside(case.action, case.policy.agent) {
        return Found::Speaks(Decision::Deny(reason(Step::NeedsPerson, text)));
    }
    match case.action {
        Action::AskPerson | Action::EnterPlan => {
            Found::Speaks(Decision::Ask(reason(Step::NeedsPerson, explain::needs_person())))
        }
        _ => passes("It needs no person"),
    }
}

fn ask_rule(case: &Case<'_>) -> Found {
    let found = if let Some(HookSays::Ask(why)) = &case.facts.hook {
        reason(Step::AskRule, explain::hook("asks", why))
    } else if let Some(rule) = case.any_rule(Behavior::Ask) {
        by_rule(Step::AskRule, rule, explain::ask_rule(rule))
    } else if let Some(rule) = case.uncertain_rule() {
        by_rule(Step::AskRule, rule, explain::uncertain(rule))
    } else {
        return passes("No ask rule matches any part of it");
    };
    Found::Speaks(match case.policy.standing.mode() {
        // What would ask is denied there.
        Mode::DontAsk => Decision::Deny(found),
        _ => Decision::Ask(found),
    })
}

fn bypass(case: &Case<'_>) -> Found {
    match case.policy.standing.mode() {
        mode @ Mode::BypassPermissions => {
            Found::Speaks(Decision::Allow(reason(Step::Bypass, explain::by_mode(mode))))
        }
        mode => Found::Passes(Cow::Owned(format!("The mode is `{mode}`"))),
    }
}

fn allow_rule(case: &Case<'_>) -> Found {
    if let Some(rule) = case.covering_rule() {
        return Found::Speaks(Decision::Allow(by_rule(Step::AllowRule, rule, explain::allow_rule(rule))));
    }
    match &case.facts.hook {
        Some(HookSays::Allow(why)) => {
            Found::Speaks(Decision::Allow(reason(Step::AllowRule, explain::hook("allows", why))))
        }
        _ => passes("No allow rule that counts covers all of it"),
    }
}

fn accept_edits(case: &Case<'_>) -> Found {
    let mode = case.policy.standing.mode();
    let accepted = match (case.action, mode) {
        (Action::Edit { file }, Mode::AcceptEdits | Mode::Auto) => case.edits_are_accepted(file),
        (Action::Shell { shell: Shell::Bash, .. }, Mode::AcceptEdits) => is_simple_line(case),
        _ => return passes("Edits are not accepted in this mode, or it is none"),
    };
    match accepted {
        true => Found::Speaks(Decision::Allow(reason(Step::AcceptEdits, explain::by_mode(mode)))),
        false => passes("It is no edit or simple file command inside the working folders"),
    }
}

/// Something is written, and every part only reads or is a simple file command with all that it writes inside the working folders.
fn is_simple_line(case: &Case<'_>) -> bool {
    let Some(line) = case.line.as_ref().filter(|line| line.analysis.parsed) else { return false };
    let inside = |place: &Where| matches!(place, Where::File(file) if case.edits_are_accepted(file));
    // What only reads is the next step's.
    line.verdict() != Verdict::ReadOnly
        && line.both().all(|(part, view)| {
            let command = view.command_verdict == Verdict::ReadOnly
                || (part.simple_file_command && !view.writes.is_empty() && view.writes.iter().all(inside));
            command && view.redirected.iter().all(inside)
        })
}

fn read_only(case: &Case<'_>) -> Found {
    let mode = case.policy.standing.mode();
    let reads = match case.action {
        action if plan_gate::is_indifferent(action) => true,
        Action::Agent { read_only, .. } => *read_only || mode != Mode::Auto,
        Action::Shell { .. } if stays_inside(case) => {
            return Found::Speaks(Decision::Allow(reason(Step::ReadOnly, explain::stays_inside())));
        }
        Action::Shell { .. } => {
            case.line.as_ref().is_some_and(|line| line.analysis.parsed && line.parts.iter().all(is_read_only))
        }
        _ => false,
    };
    match (reads, &case.line) {
        (true, _) => Found::Speaks(Decision::Allow(reason(Step::ReadOnly, explain::only_reads(case.action)))),
        (false, Some(line)) => Found::Passes(Cow::Owned(line.why())),
        (false, None) => passes("It does more than read"),
    }
}

/// Whether the kernel keeps a line to the working folders, in a mode where that is enough.
fn stays_inside(case: &Case<'_>) -> bool {
    let enough = matches!(case.policy.standing.mode(), Mode::Default | Mode::AcceptEdits);
    enough && confine::confinement(case) == Confinement::Workspace
}

fn is_read_only(part: &PartView) -> bool {
    part.verdict == Verdict::ReadOnly
}

fn classifier(case: &Case<'_>) -> Found {
    match case.policy.standing.mode() {
        Mode::Auto => Found::Speaks(Decision::Judge(reason(Step::Classifier, explain::judged()))),
        _ => passes("The mode is not `auto`"),
    }
}

fn rest(case: &Case<'_>) -> Decision {
    let why = case.line.as_ref().map(|line| line.why()).filter(|why| !why.is_empty());
    let would_allow = explain::suggestion(case);
    let text = explain::rest(case.action, why.as_deref());
    let reason = Reason { would_allow, ..Reason::new(Step::Rest, text) };
    match case.policy.standing.mode() {
        Mode::DontAsk => Decision::Deny(reason),
        _ => Decision::Ask(reason),
    }
}
