//! Calls about the plan: their answers are put into words here, and no tool runs for them.

use std::sync::Arc;

use forelook_protocol::{
    Action, Approval, CallStatus, EndReason, HostAnswer, PlanAnswer, PlanReviewed, Rehearsal, ToolCall,
    ToolOutcome,
};
use forelook_tools::{CallKind, answers};

use super::ToolRuntime;
use super::ready::{Authorization, FollowUp, Permit, ReadyCall, Work};
use crate::handle::{CallView, RecordError, ReviewAnswer, SessionHandle};

/// The tool that gives work to agents.
const AGENT_TOOL: &str = "Agent";

/// What was tried while planning. Read beside everything else: what builds leave behind may be a lot.
pub(super) async fn rehearsal(runtime: &ToolRuntime) -> Option<Rehearsal> {
    let fences = Arc::clone(&runtime.fences);
    match tokio::task::spawn_blocking(move || fences.rehearsal()).await {
        Ok(rehearsal) => rehearsal,
        Err(crash) => {
            tracing::error!(%crash, "a rehearsal could not be read");
            None
        }
    }
}

/// What an answered review leads to: its words, unless the conversation they would be said in is gone.
pub(super) fn reviewed(
    runtime: &ToolRuntime,
    call: ToolCall,
    view: Arc<CallView>,
    answer: ReviewAnswer,
) -> Authorization {
    let ReviewAnswer { reviewed, rehearsed } = answer;
    if let PlanAnswer::Approve(Approval { fresh_context: true, .. }) = &reviewed.answer {
        return Authorization::ConversationReset;
    }
    let has_agents = runtime.tools.snapshot().has(AGENT_TOOL);
    let outcome = answers::plan_reviewed(call.id.clone(), &reviewed, &rehearsed, has_agents);
    let status = match reviewed.answer {
        PlanAnswer::KeepPlanning { .. } => CallStatus::Denied,
        _ => CallStatus::Ran,
    };
    let ready = ReadyCall {
        call,
        view,
        action: Action::ExitPlan,
        work: Work::Answered(Box::new(outcome), status),
        rewritten: None,
        hook_generation: runtime.hooks.generation(),
        permit: Permit::answered(),
    };
    Authorization::Ready(Box::new(ready), follow_up(&reviewed))
}

/// Whether this answer to a review ends the turn.
fn follow_up(reviewed: &PlanReviewed) -> Option<FollowUp> {
    match &reviewed.answer {
        PlanAnswer::Park => Some(FollowUp::EndTurn(EndReason::Parked)),
        PlanAnswer::Abandon => Some(FollowUp::EndTurn(EndReason::Abandoned)),
        PlanAnswer::HandOver => Some(FollowUp::EndTurn(EndReason::Planned {
            path: reviewed.path.clone(),
            hash: reviewed.shown.clone(),
        })),
        PlanAnswer::Approve(_) | PlanAnswer::KeepPlanning { .. } => None,
    }
}

/// What is left of a call that needs a person's word where none was needed: a subagent's plan is for whoever started it,
/// and nothing else counts as agreed.
pub(super) fn work_without_approval(kind: &CallKind, call: &ToolCall, view: &CallView) -> Work {
    let id = call.id.clone();
    let nobody = HostAnswer::Outdated;
    let outcome = match kind {
        CallKind::ExitPlan if view.agent.is_some() => return Work::SubagentPlan,
        CallKind::EnterPlan if view.agent.is_some() => answers::plan_refused_to_subagent(id),
        CallKind::EnterPlan => answers::plan_declined(id, &nobody),
        CallKind::Ask(questions) => answers::question_answered(id, questions, &nobody),
        CallKind::ExitPlan | CallKind::Tool(_) | CallKind::Agent(_) => {
            let path = view.policy.plan_file.as_ref().unwrap_or(&view.place.folder);
            answers::plan_unreviewed(id, &nobody, path)
        }
    };
    Work::Answered(Box::new(outcome), CallStatus::Ran)
}

/// Planning begins.
pub(super) async fn enter(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    call: &ToolCall,
) -> Result<ToolOutcome, RecordError> {
    Ok(match session.enter_plan().await? {
        Ok(()) => answers::plan_entered(call.id.clone(), &runtime.workflow),
        Err(why) => answers::plan_not_entered(call.id.clone(), &why),
    })
}
