//! A call that somebody must say yes to: a hook may, where nothing but the lack of a rule asks; else a person.

use std::sync::Arc;

use forelook_permissions::denied_by_hook;
use forelook_permissions::plan_gate::plan_began_since;
use forelook_protocol::{
    Action, CallStatus, Decision, EntryBody, HostAnswer, HostAsk, PermissionDecided, Reason,
};
use forelook_tools::{CallKind, answers};

use super::authorize::{Authorizer, CallApproval, Doubt, UNDECIDED, UndecidedCall};
use super::decide::decision_entry;
use super::ready::{Authorization, Permit, Work};
use super::result::{denied, interrupted, invalid, unapproved};
use super::{hooks, plan};
use crate::handle::{
    CallFinish, CallView, QuestionRequest, QuestionResponse, QuestionSubject, RecordError, Waited,
};

impl Authorizer<'_> {
    /// Puts the call to whoever answers for it; nothing if the answer is void.
    pub(super) async fn ask(
        &mut self,
        call: &UndecidedCall,
        action: Action,
        doubt: Doubt,
    ) -> Result<Option<Authorization>, RecordError> {
        let response = self.open_question(call, &action, &doubt).await?;
        let reason = doubt.reason;
        let asked_in = self.view.policy.mode_state;
        self.refresh().await?;
        let (answer, fresh, approval) = match response {
            QuestionResponse::Reviewed(answer) => {
                let (call, view) = (call.call.clone(), Arc::clone(self.view));
                return Ok(Some(plan::reviewed(self.runtime, call, view, *answer)));
            }
            QuestionResponse::Answer { answer, fresh } => {
                (answer, fresh, CallApproval { asked_in, by_hook: false })
            }
            QuestionResponse::Hook { answer, fresh } => {
                (answer, fresh, CallApproval { asked_in, by_hook: true })
            }
        };
        Ok(match answer {
            HostAnswer::Outdated => None,
            HostAnswer::Allow { .. } if !fresh => None,
            HostAnswer::Interrupted => Some(Authorization::refused(interrupted(&call.call, false).into())),
            // The model's own questions have their answer, whatever it is.
            answer if let CallKind::Ask(questions) = &call.parsed.kind => {
                let outcome = answers::question_answered(call.call.id.clone(), questions, &answer);
                let work = Work::Answered(Box::new(outcome), CallStatus::Ran);
                Some(call.ready(self.view, action, work, Permit::answered()))
            }
            HostAnswer::Allow { input: Some(input), .. } if input != call.call.input => {
                match call.with_input(self.runtime, input) {
                    Ok(changed) => self.approve(&changed, approval).await,
                    Err(finish) => Some(Authorization::Refused(finish, None)),
                }
            }
            HostAnswer::Allow { .. } => self.approve(call, approval).await,
            answer => {
                hooks::permission_denied(self.session, self.runtime, self.view, &call.call, &reason).await;
                Some(Authorization::refused(not_approved(call, self.view, &reason, &answer)))
            }
        })
    }

    /// Somebody said yes to this call, perhaps with another input than the one they were shown, perhaps with a change of
    /// rules. So it is checked and decided on anew, in the mode in which it was asked for: what is denied stays denied, what
    /// would be asked has its answer. Nothing if planning has begun with the answer: then the yes was to something else.
    async fn approve(&self, call: &UndecidedCall, approval: CallApproval) -> Option<Authorization> {
        if plan_began_since(&approval.asked_in, &self.view.policy.mode_state) {
            return None;
        }
        let action = match call.parsed.action(&self.view.place) {
            Ok(action) => action,
            Err(bad) => return Some(Authorization::refused(invalid(&call.call, bad.to_string()))),
        };
        let view = self.view.with_mode_state(approval.asked_in);
        match self.decide(&view, call, &action).await {
            Decision::Deny(reason) => Some(self.refused(call, &action, reason).await),
            Decision::Allow(reason) | Decision::Ask(reason) | Decision::Classify(reason) => {
                Some(call.approved(self.view, action, &reason, approval))
            }
            Decision::NeedFacts(_) => Some(Authorization::refused(invalid(&call.call, UNDECIDED.to_owned()))),
        }
    }

    /// Asks, and waits for the answer.
    async fn open_question(
        &self,
        pending: &UndecidedCall,
        action: &Action,
        doubt: &Doubt,
    ) -> Result<QuestionResponse, RecordError> {
        let (call, reason) = (&pending.call, &doubt.reason);
        let decision = decision_entry(call, Decision::Ask(reason.clone()), pending.began);
        let subject = match &pending.parsed.kind {
            CallKind::Tool(_) | CallKind::Agent(_) => {
                if let Some(answer) = self.hook_answers(pending, reason).await {
                    return self.answered_by_hook(decision, answer).await;
                }
                let (tool, input) = (call.name.clone(), call.input.clone());
                let change = doubt.change.clone().map(Box::new);
                QuestionSubject::Plain(HostAsk::Permission { tool, input, reason: reason.clone(), change })
            }
            // A hook never answers for a plan, and never a question of the model's: its no would read as the person's.
            CallKind::Ask(questions) => {
                QuestionSubject::Plain(HostAsk::Choose { questions: questions.clone() })
            }
            CallKind::EnterPlan => QuestionSubject::EnterPlan,
            CallKind::ExitPlan => {
                QuestionSubject::Review(plan::read_rehearsal(self.runtime).await.map(Box::new))
            }
        };
        let (call, revision) = (call.id.clone(), self.view.revision);
        let request = QuestionRequest { call, decided: Some(decision), subject, revision };
        let mut asked = self.session.ask(request).await?;
        loop {
            match asked.wait().await? {
                Waited::Answered(response) => return Ok(response),
                Waited::PolicyChanged if self.is_still_asked(pending, action).await? => {}
                // Now the mode or a rule answers it.
                Waited::PolicyChanged => return asked.outdated().await,
            }
        }
    }

    /// Whether somebody must still be asked about a call: mode or rules changed since they were.
    async fn is_still_asked(&self, pending: &UndecidedCall, action: &Action) -> Result<bool, RecordError> {
        if let CallKind::Ask(_) | CallKind::ExitPlan = &pending.parsed.kind {
            return Ok(true);
        }
        let view = self.session.view().await?;
        Ok(match self.decide(&view, pending, action).await {
            Decision::Ask(_) | Decision::NeedFacts(_) => true,
            Decision::Classify(_) => self.runtime.classifier.is_none(),
            Decision::Allow(_) | Decision::Deny(_) => false,
        })
    }

    async fn hook_answers(&self, pending: &UndecidedCall, reason: &Reason) -> Option<HostAnswer> {
        hooks::permission_request(self.session, self.runtime, self.view, &pending.call, reason).await
    }

    /// A hook's no is the decision, so that whoever reads the journal knows whose it was.
    async fn answered_by_hook(
        &self,
        asked: PermissionDecided,
        answer: HostAnswer,
    ) -> Result<QuestionResponse, RecordError> {
        let decision = match &answer {
            HostAnswer::Deny { message } => {
                let reason = denied_by_hook(message.as_deref().unwrap_or_default());
                PermissionDecided { decision: Decision::Deny(reason), ..asked }
            }
            _ => asked,
        };
        self.session.record(vec![EntryBody::PermissionDecided(decision)]).await?;
        let fresh = self.session.view().await?.revision == self.view.revision;
        Ok(QuestionResponse::Hook { answer, fresh })
    }
}

/// Refused by whoever was asked.
fn not_approved(
    pending: &UndecidedCall,
    view: &CallView,
    reason: &Reason,
    answer: &HostAnswer,
) -> CallFinish {
    let call = &pending.call;
    let text = match pending.parsed.kind {
        CallKind::EnterPlan => answers::plan_declined(call.id.clone(), answer).result.text(),
        CallKind::ExitPlan => {
            let path = view.policy.plan_file.as_ref().unwrap_or(&view.place.folder);
            let planning = view.policy.mode_state.is_planning();
            answers::plan_unreviewed(call.id.clone(), answer, path, planning).result.text()
        }
        _ => unapproved(reason, answer),
    };
    denied(call, text, None)
}
