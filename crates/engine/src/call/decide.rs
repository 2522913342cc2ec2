//! Comes to a decision about a call: finds out the facts that it needs.

use std::time::Instant;

use forelook_facts::FactProbe;
use forelook_hooks::{HookAgent, HookContext, HookInput, HookOutcome, HookPayload, HookToolCall, Hooks};
use forelook_permissions::{MAX_FACT_ROUNDS, decide};
use forelook_protocol::{
    Action, Confinement, Decision, DecisionStep, Facts, HookDecision, PermissionDecided, Reason, ToolCall,
};
use tokio_util::sync::CancellationToken;

use crate::handle::CallView;

/// Decides about an action.
pub(crate) async fn decide_with_facts(
    view: &CallView,
    tool: &str,
    action: &Action,
    hook: Option<HookDecision>,
    probe: &FactProbe,
) -> Decision {
    // Before anything could change that: what a rule for git will be about.
    if view.policy.rules.allows_commands() {
        probe.remember_repository().await;
    }
    let mut facts = Facts { hook, ..Facts::default() };
    // Once more than it may ask. One that asks without end is a mistake, which must not hang a turn.
    for _ in 0..=MAX_FACT_ROUNDS {
        match decide(&view.policy, tool, action, &facts) {
            Decision::NeedFacts(missing) => probe.probe(missing, &mut facts).await,
            decision => {
                if changes_unasked(action, &decision) {
                    probe.git.note_unasked_change();
                }
                return decision;
            }
        }
    }
    tracing::error!(tool, ?action, "a decision asks for facts without end");
    Decision::Deny(Reason::new(DecisionStep::Fallback, "Could not determine what this would do"))
}

/// Whether a call may change files of the project although nobody is asked about it. What runs outside of fences by a rule
/// could do anything itself.
fn changes_unasked(action: &Action, decision: &Decision) -> bool {
    let Decision::Allow(reason) = decision else { return false };
    match action {
        Action::Edit { .. } => reason.step != DecisionStep::PlanGate,
        _ => reason.sandbox == Confinement::Workspace,
    }
}

/// A decision as it is written down.
pub(super) fn decision_entry(call: &ToolCall, decision: Decision, began: Instant) -> PermissionDecided {
    PermissionDecided { call: call.id.clone(), tool: call.name.clone(), decision, took_ms: elapsed_ms(began) }
}

/// Whether a call was let through for what it would do, and not because somebody said yes to it. A rule that allows a
/// fetch while planning is a yes.
pub(super) fn auto_allowed(reason: &Reason) -> bool {
    matches!(reason.step, DecisionStep::ReadOnly | DecisionStep::PlanGate | DecisionStep::AcceptEdits)
        && reason.rule.is_none()
}

/// What is the same for all hooks of a session.
pub(crate) struct HookRunner<'a> {
    pub(crate) hooks: &'a Hooks,
    pub(crate) view: &'a CallView,
    pub(crate) cancel: &'a CancellationToken,
}

impl HookRunner<'_> {
    /// Runs the hooks for something that happened.
    pub(crate) async fn run(&self, payload: HookPayload<'_>) -> HookOutcome {
        let context = HookContext {
            session_id: self.view.session,
            transcript_path: &self.view.transcript,
            cwd: &self.view.place.folder,
            permission_mode: self.view.mode(),
            agent: self.view.agent.as_ref().map(|(id, kind)| HookAgent { agent_id: id, agent_type: kind }),
        };
        self.hooks.run(HookInput { context, payload }, self.cancel.clone()).await
    }
}

/// A call as hooks are shown it.
pub(super) fn hook_tool_call(call: &ToolCall) -> HookToolCall<'_> {
    HookToolCall { tool_name: &call.name, tool_input: &call.input, tool_use_id: &call.id }
}

/// Milliseconds since then.
pub(crate) fn elapsed_ms(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}
