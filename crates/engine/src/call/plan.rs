//! Calls about the plan: their answers are put into words here, and no tool runs for them.

use std::sync::Arc;

use forelook_plan::outcome::no_plan;
use forelook_protocol::{
    Action, Approval, CallStatus, EndReason, HostAnswer, PlanAnswer, PlanReviewed, Rehearsal, ToolCall,
    ToolFinished, ToolOutcome,
};
use forelook_tools::{CallKind, answers};

use super::ToolRuntime;
use super::ready::{Authorization, FollowUp, Permit, ReadyCall, Work};
use crate::handle::{CallView, RecordError, ReviewAnswer, SessionHandle};

/// What was tried while planning. Read beside everything else: what builds leave behind may be a lot.
pub(crate) async fn read_rehearsal(runtime: &ToolRuntime) -> Option<Rehearsal> {
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
    let Some((outcome, status)) = review_words(runtime, &call, &answer) else {
        return Authorization::ConversationReset;
    };
    let ReviewAnswer { reviewed, problem, .. } = answer;
    let ready = ReadyCall {
        call,
        view,
        action: Action::ExitPlan,
        work: Work::Answered(Box::new(outcome), status),
        rewritten: None,
        hook_generation: runtime.hooks.generation(),
        permit: Permit::answered(),
    };
    Authorization::Ready(Box::new(ready), follow_up(&reviewed, problem.as_deref()))
}

/// The words of an answered review, and how its call stands; nothing if the conversation they would be said in is gone.
fn review_words(
    runtime: &ToolRuntime,
    call: &ToolCall,
    answer: &ReviewAnswer,
) -> Option<(ToolOutcome, CallStatus)> {
    let ReviewAnswer { reviewed, rehearsed, .. } = answer;
    let status = match &reviewed.answer {
        PlanAnswer::Approve(Approval { fresh_context: true, .. }) => return None,
        PlanAnswer::KeepPlanning { .. } => CallStatus::Denied,
        _ => CallStatus::Ran,
    };
    let outcome = answers::plan_reviewed(call.id.clone(), reviewed, rehearsed, &runtime.reader_tools());
    Some((outcome, status))
}

/// The result of a call whose review was answered, where no turn is there to give it.
pub(crate) fn reviewed_result(
    runtime: &ToolRuntime,
    call: &ToolCall,
    answer: &ReviewAnswer,
) -> Option<ToolFinished> {
    let (outcome, status) = review_words(runtime, call, answer)?;
    let ToolOutcome { result, effects, output } = outcome;
    Some(ToolFinished { result, status, effects, output })
}

/// Whether this answer to a review ends the turn; `problem`: why the plan file cannot be read.
fn follow_up(reviewed: &PlanReviewed, problem: Option<&str>) -> Option<FollowUp> {
    match &reviewed.answer {
        PlanAnswer::Park => Some(FollowUp::EndTurn(EndReason::Parked)),
        PlanAnswer::Abandon => Some(FollowUp::EndTurn(EndReason::Abandoned)),
        PlanAnswer::HandOver if reviewed.plan.is_none() => {
            Some(FollowUp::EndTurn(EndReason::NoPlan { message: no_plan(&reviewed.path, problem) }))
        }
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
            answers::plan_unreviewed(id, &nobody, path, view.policy.mode_state.is_planning())
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
