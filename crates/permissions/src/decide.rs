//! One decision for every call. The first step that applies decides:
//!
//!  1. The input does not fit the tool's schema: an error for the model. (The engine checks this before it calls us.)
//!  2. A deny rule matches, or may match because the command does not show which files it touches, or a hook denies: deny.
//!  3. The mode is `plan`, or the agent is read-only: the table in `plan_gate.rs` decides, and no later step runs.
//!  4. A wall applies (`walls.rs`): ask or deny, as its table says.
//!  5. The tool needs a person: ask. No rule, mode, hook or classifier answers instead. If no answer is possible, because
//!     there is no plan to exit or a subagent wants to plan: deny.
//!  6. An ask rule matches or may match, or a hook asks: ask (in `dontAsk`: deny). Also if there is a deny rule and the
//!     command was not understood.
//!  7. `bypassPermissions`: allow.
//!  8. An allow rule that is in effect matches every part, or a hook allows: allow.
//!  9. `acceptEdits` or `auto`, and it is an edit inside the working directories: allow.
//! 10. It is read-only: allow. For a command, its text must show that, or the kernel makes sure of it. Or the kernel
//!     confines it to the working directories (`confine.rs`) and the mode is `default` or `acceptEdits`: allow.
//! 11. `auto`: the classifier decides.
//! 12. `dontAsk`: deny. Otherwise ask; if no one can answer, the engine turns that into a denial with the same reason.
//!
//! Every decision that lets a call run says what the kernel confines it to (`confine.rs`), also after approval.
//!
//! This module is pure. What the text does not show (where links lead, what a repository configures) it requests with
//! [`Decision::NeedFacts`].

use std::borrow::Cow;

use forelook_protocol::{
    Action, Behavior, Confinement, Decision, DecisionStep, Facts, HookDecision, Mode, Reason,
};

use crate::confine;
use crate::decision_input::DecisionInput;
use crate::explain;
use crate::line::{self, ResolvedLine};
use crate::plan_gate;
use crate::policy::PermissionPolicy;
use crate::rules::RuleEntry;
use crate::suggest;
use crate::walls;

/// How often at most a decision asks for facts before it is made: for those of its line, for the repositories that git would
/// run in (once more with the rules that it offers), and for what governs git. To ask more often would be a mistake.
pub const MAX_FACT_ROUNDS: usize = line::FACT_ROUNDS + 3;

/// Decides about one action of one tool.
pub fn decide(policy: &PermissionPolicy, tool: &str, action: &Action, facts: &Facts) -> Decision {
    let input = match DecisionInput::new(policy, tool, action, facts) {
        Ok(input) => input,
        Err(missing) => return Decision::NeedFacts(missing),
    };
    with_sandbox(&input, by_steps(&input).unwrap_or_else(|| fallback(&input)))
}

/// What the steps before the last one decide.
pub(crate) fn by_steps(input: &DecisionInput<'_>) -> Option<Decision> {
    STEPS.iter().find_map(|(_, step)| match step(input) {
        StepResult::Decides(decision) => Some(decision),
        StepResult::Passes(_) => None,
    })
}

/// The decision, with what the kernel confines the call to if it runs.
fn with_sandbox(input: &DecisionInput<'_>, mut decision: Decision) -> Decision {
    match &mut decision {
        Decision::Allow(reason) => reason.sandbox = confine::confinement(input),
        Decision::Ask(reason) | Decision::Classify(reason) => {
            reason.sandbox = confine::confinement(input);
            let also = input.line.iter().flat_map(|line| line.reasons_beside(&reason.text));
            reason.others = also.filter(|other| !reason.text.contains(other.as_str())).collect();
            if let Some(outside_reason) = confine::outside_reason(input) {
                reason.text = explain::runs_outside(&reason.text, outside_reason);
            }
        }
        Decision::Deny(_) | Decision::NeedFacts(_) => {}
    }
    decision
}

/// What every step found, for a user who wants to know why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Every step, in order, with what it found and what it would say.
    pub steps: Vec<(DecisionStep, String, Option<Decision>)>,
    /// The decision that counts: the first one.
    pub decision: Decision,
}

/// Runs all steps, including those after the one that decides.
pub fn explain_decision(
    policy: &PermissionPolicy,
    tool: &str,
    action: &Action,
    facts: &Facts,
) -> Result<Explanation, Decision> {
    let input = DecisionInput::new(policy, tool, action, facts).map_err(Decision::NeedFacts)?;
    let mut steps = vec![(DecisionStep::Schema, "Valid".to_owned(), None)];
    for (step, run) in STEPS {
        steps.push(match run(&input) {
            StepResult::Decides(missing @ Decision::NeedFacts(_)) => return Err(missing),
            StepResult::Decides(decision) => {
                (*step, text_of(&decision), Some(with_sandbox(&input, decision)))
            }
            StepResult::Passes(found) => (*step, found.into_owned(), None),
        });
    }
    let last = with_sandbox(&input, fallback(&input));
    if let Decision::NeedFacts(_) = last {
        return Err(last);
    }
    steps.push((DecisionStep::Fallback, text_of(&last), Some(last.clone())));
    let decision = steps.iter().find_map(|(_, _, decision)| decision.clone()).unwrap_or(last);
    Ok(Explanation { steps, decision })
}

fn text_of(decision: &Decision) -> String {
    match decision {
        Decision::Allow(reason)
        | Decision::Ask(reason)
        | Decision::Deny(reason)
        | Decision::Classify(reason) => reason.text.clone(),
        Decision::NeedFacts(_) => String::new(),
    }
}

/// The result of a step.
enum StepResult {
    /// This is the decision.
    Decides(Decision),
    /// The step does not apply, for this reason.
    Passes(Cow<'static, str>),
}

fn passes(text: &'static str) -> StepResult {
    StepResult::Passes(Cow::Borrowed(text))
}

type StepFn = fn(&DecisionInput<'_>) -> StepResult;

/// The steps between the schema and the rest, in order.
const STEPS: &[(DecisionStep, StepFn)] = &[
    (DecisionStep::DenyRule, deny_rule),
    (DecisionStep::PlanGate, plan),
    (DecisionStep::Wall, wall),
    (DecisionStep::NeedsPerson, needs_person),
    (DecisionStep::AskRule, ask_rule),
    (DecisionStep::Bypass, bypass),
    (DecisionStep::AllowRule, allow_rule),
    (DecisionStep::AcceptEdits, accept_edits),
    (DecisionStep::ReadOnly, read_only),
    (DecisionStep::Classifier, classifier),
];

fn reason(step: DecisionStep, text: String) -> Reason {
    Reason::new(step, text)
}

fn by_rule(step: DecisionStep, rule: &RuleEntry, text: String) -> Reason {
    Reason { rule: Some(Box::new(rule.origin.clone())), ..Reason::new(step, text) }
}

fn deny_rule(input: &DecisionInput<'_>) -> StepResult {
    if let Some(HookDecision::Deny(why)) = &input.facts.hook {
        return StepResult::Decides(Decision::Deny(explain::denied_by_hook(why)));
    }
    let denied = |rule: &RuleEntry, text| {
        StepResult::Decides(Decision::Deny(by_rule(DecisionStep::DenyRule, rule, text)))
    };
    if let Some(rule) = input.any_rule(Behavior::Deny) {
        return denied(rule, explain::deny_rule(rule));
    }
    match input.unnamed_file_rule(Behavior::Deny) {
        Some(rule) => denied(rule, explain::may_be_denied(rule)),
        None => passes("No deny rule matches"),
    }
}

fn plan(input: &DecisionInput<'_>) -> StepResult {
    match plan_gate::gate(input) {
        Some(decision) => StepResult::Decides(decision),
        None => passes("Not in plan mode, and the agent is not read-only"),
    }
}

fn wall(input: &DecisionInput<'_>) -> StepResult {
    match walls::wall(input) {
        Some(decision) => StepResult::Decides(decision),
        None => passes("No wall applies"),
    }
}

fn needs_person(input: &DecisionInput<'_>) -> StepResult {
    if let Some(text) = plan_gate::denied_outside_plan(input.action, input.policy.agent) {
        return StepResult::Decides(Decision::Deny(reason(DecisionStep::NeedsPerson, text)));
    }
    match input.action {
        Action::AskPerson | Action::EnterPlan => {
            StepResult::Decides(Decision::Ask(reason(DecisionStep::NeedsPerson, explain::needs_person())))
        }
        _ => passes("Does not need your answer"),
    }
}

fn ask_rule(input: &DecisionInput<'_>) -> StepResult {
    let found = if let Some(HookDecision::Ask(why)) = &input.facts.hook {
        reason(DecisionStep::AskRule, explain::hook("requires approval", why))
    } else if let Some(rule) = input.any_rule(Behavior::Ask) {
        by_rule(DecisionStep::AskRule, rule, explain::ask_rule(rule))
    } else if let Some(rule) = input.uncertain_ask_rule() {
        by_rule(DecisionStep::AskRule, rule, explain::uncertain(rule))
    } else {
        return passes("No ask rule matches");
    };
    StepResult::Decides(match input.policy.mode_state.mode() {
        // What would ask is denied there.
        Mode::DontAsk => Decision::Deny(found),
        _ => Decision::Ask(found),
    })
}

fn bypass(input: &DecisionInput<'_>) -> StepResult {
    match input.policy.mode_state.mode() {
        mode @ Mode::BypassPermissions => {
            StepResult::Decides(Decision::Allow(reason(DecisionStep::Bypass, explain::by_mode(mode))))
        }
        mode => StepResult::Passes(Cow::Owned(format!("The mode is `{mode}`"))),
    }
}

fn allow_rule(input: &DecisionInput<'_>) -> StepResult {
    if let Some(rule) = input.covering_rule() {
        return StepResult::Decides(Decision::Allow(by_rule(
            DecisionStep::AllowRule,
            rule,
            explain::allow_rule(rule),
        )));
    }
    let strange = input.strange_repository();
    match (&input.facts.hook, strange) {
        (Some(HookDecision::Allow(why)), None) => StepResult::Decides(Decision::Allow(reason(
            DecisionStep::AllowRule,
            explain::hook("allowed this", why),
        ))),
        (_, Some(strange)) => StepResult::Passes(Cow::Owned(strange)),
        _ => passes("No allow rule in effect covers all of it"),
    }
}

fn accept_edits(input: &DecisionInput<'_>) -> StepResult {
    let mode = input.policy.mode_state.mode();
    let accepted = match (input.action, mode) {
        (Action::Edit { file }, Mode::AcceptEdits | Mode::Auto) => input.edits_are_accepted(file),
        _ => return passes("This mode does not accept edits, or this is not an edit"),
    };
    match accepted {
        true => {
            StepResult::Decides(Decision::Allow(reason(DecisionStep::AcceptEdits, explain::by_mode(mode))))
        }
        false => passes("Not an edit in the working directories"),
    }
}

fn read_only(input: &DecisionInput<'_>) -> StepResult {
    let mode = input.policy.mode_state.mode();
    let reads = match input.action {
        action if plan_gate::is_mode_independent(action) => true,
        Action::Agent { read_only, .. } => *read_only || mode != Mode::Auto,
        Action::Shell { .. } => reads_only(input),
        // Whoever may start something may end it.
        Action::EndShell { .. } => true,
        _ => false,
    };
    match (reads, &input.line) {
        (true, _) => StepResult::Decides(Decision::Allow(reason(
            DecisionStep::ReadOnly,
            explain::only_reads(input.action),
        ))),
        (false, _) if stays_inside(input) => {
            StepResult::Decides(Decision::Allow(reason(DecisionStep::ReadOnly, explain::stays_inside())))
        }
        (false, Some(line)) => StepResult::Passes(Cow::Owned(line.why())),
        (false, None) => passes("Not read-only"),
    }
}

/// Whether a command only reads, and the kernel makes sure of that wherever it can.
fn reads_only(input: &DecisionInput<'_>) -> bool {
    let held = || !input.kernel.read_only || confine::confinement(input) == Confinement::Inspect;
    input.line.as_ref().is_some_and(ResolvedLine::is_read_only) && held()
}

/// Whether the kernel confines a command to the working directories, in a mode where that is enough.
fn stays_inside(input: &DecisionInput<'_>) -> bool {
    let enough = matches!(input.policy.mode_state.mode(), Mode::Default | Mode::AcceptEdits);
    enough && confine::confinement(input) == Confinement::Workspace
}

fn classifier(input: &DecisionInput<'_>) -> StepResult {
    match input.policy.mode_state.mode() {
        Mode::Auto => {
            StepResult::Decides(Decision::Classify(reason(DecisionStep::Classifier, explain::judged())))
        }
        _ => passes("The mode is not `auto`"),
    }
}

fn fallback(input: &DecisionInput<'_>) -> Decision {
    let strange = input.strange_repository();
    let why = strange.or_else(|| input.line.as_ref().map(|line| line.why()).filter(|why| !why.is_empty()));
    let text = explain::fallback(input.action, why.as_deref());
    let suggested_rules = match suggest::rules(input) {
        Ok(rules) => rules,
        Err(missing) => return Decision::NeedFacts(missing),
    };
    let reason = Reason {
        suggested_rules,
        suggested_mode: suggest::mode(input),
        ..Reason::new(DecisionStep::Fallback, text)
    };
    match input.policy.mode_state.mode() {
        Mode::DontAsk => Decision::Deny(reason),
        _ => Decision::Ask(reason),
    }
}
