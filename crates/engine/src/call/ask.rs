//! A call that somebody must say yes to: a hook may, where nothing but the lack of a rule asks; else a person.

use std::sync::Arc;

use forelook_permissions::plan_gate::begun_since;
use forelook_protocol::{Action, Body, Decided, Decision, HostAnswer, HostAsk, Reason, Verdict};
use forelook_tools::{CallKind, answers};

use super::authorize::{Authorizer, UNDECIDED, Undecided, Yes};
use super::decide::decided;
use super::ready::{Authorized, Permit, Work};
use super::result::{denied, interrupted, invalid, refusal};
use super::{hooks, plan};
use crate::handle::{Asking, CallView, Finish, NotRecorded, Response, Subject};

impl Authorizer<'_> {
    /// Puts the call to whoever answers for it; nothing if the answer is void.
    pub(super) async fn ask(
        &mut self,
        call: &Undecided,
        action: Action,
        reason: Reason,
    ) -> Result<Option<Authorized>, NotRecorded> {
        let response = self.put(call, &reason).await?;
        let asked_in = self.view.policy.standing;
        self.refresh().await?;
        let (answer, fresh, yes) = match response {
            Response::Reviewed(answer) => {
                let (call, view) = (call.call.clone(), Arc::clone(self.view));
                return Ok(Some(plan::reviewed(self.runtime, call, view, *answer)));
            }
            Response::Answer { answer, fresh } => (answer, fresh, Yes { asked_in, by_hook: false }),
            Response::Hook { answer, fresh } => (answer, fresh, Yes { asked_in, by_hook: true }),
        };
        Ok(match answer {
            HostAnswer::Outdated => None,
            HostAnswer::Allow { .. } if !fresh => None,
            HostAnswer::Interrupted => Some(Authorized::refused(interrupted(&call.call, false).into())),
            // The model's own questions have their answer, whatever it is.
            answer if let CallKind::Ask(questions) = &call.parsed.kind => {
                let outcome = answers::question_answered(call.call.id.clone(), questions, &answer);
                let work = Work::Answered(Box::new(outcome), Verdict::Ran);
                Some(call.ready(self.view, action, work, Permit::answered()))
            }
            HostAnswer::Allow { input: Some(input), .. } if input != call.call.input => {
                match call.with_input(self.runtime, input) {
                    Ok(changed) => self.approve(&changed, yes).await,
                    Err(finish) => Some(Authorized::Refused(finish, None)),
                }
            }
            HostAnswer::Allow { .. } => self.approve(call, yes).await,
            answer => {
                hooks::denied(self.session, self.runtime, self.view, &call.call, &reason).await;
                Some(Authorized::refused(not_approved(call, self.view, &reason, &answer)))
            }
        })
    }

    /// Somebody said yes to this call, perhaps with another input than the one they were shown, perhaps with a change of
    /// rules. So it is checked and decided on anew, in the mode in which it was asked for: what is denied stays denied, what
    /// would be asked has its answer. Nothing if planning has begun with the answer: then the yes was to something else.
    async fn approve(&self, call: &Undecided, yes: Yes) -> Option<Authorized> {
        if begun_since(&yes.asked_in, &self.view.policy.standing) {
            return None;
        }
        let action = match call.parsed.action(&self.view.place) {
            Ok(action) => action,
            Err(bad) => return Some(Authorized::refused(invalid(&call.call, bad.to_string()))),
        };
        let view = self.view.in_mode_of(yes.asked_in);
        match self.decide(&view, call, &action).await {
            Decision::Deny(reason) => Some(self.refused(call, reason).await),
            Decision::Allow(reason) | Decision::Ask(reason) | Decision::Judge(reason) => {
                Some(call.approved(self.view, action, &reason, yes))
            }
            Decision::Need(_) => Some(Authorized::refused(invalid(&call.call, UNDECIDED.to_owned()))),
        }
    }

    /// Asks, and waits for the answer.
    async fn put(&self, pending: &Undecided, reason: &Reason) -> Result<Response, NotRecorded> {
        let call = &pending.call;
        let decision = decided(call, Decision::Ask(reason.clone()), pending.began);
        let subject = match &pending.parsed.kind {
            CallKind::Tool(_) | CallKind::Agent(_) => {
                if let Some(answer) = self.hook_answers(pending, reason).await {
                    return self.answered_by_hook(decision, answer).await;
                }
                let (tool, input) = (call.name.clone(), call.input.clone());
                Subject::Plain(HostAsk::Permission { tool, input, reason: reason.clone() })
            }
            // A hook never answers for a plan, and never a question of the model's: its no would read as the person's.
            CallKind::Ask(questions) => Subject::Plain(HostAsk::Choose { questions: questions.clone() }),
            CallKind::EnterPlan => Subject::EnterPlan,
            CallKind::ExitPlan => Subject::Review(plan::rehearsal(self.runtime).await.map(Box::new)),
        };
        let (call, revision) = (call.id.clone(), self.view.revision);
        self.session.ask(Asking { call, decided: Some(decision), subject, revision }).await
    }

    async fn hook_answers(&self, pending: &Undecided, reason: &Reason) -> Option<HostAnswer> {
        hooks::instead_of_asking(self.session, self.runtime, self.view, &pending.call, reason).await
    }

    async fn answered_by_hook(&self, decision: Decided, answer: HostAnswer) -> Result<Response, NotRecorded> {
        self.session.record(vec![Body::Decision(decision)]).await?;
        let fresh = self.session.view().await?.revision == self.view.revision;
        Ok(Response::Hook { answer, fresh })
    }
}

/// Refused by whoever was asked.
fn not_approved(pending: &Undecided, view: &CallView, reason: &Reason, answer: &HostAnswer) -> Finish {
    let call = &pending.call;
    let text = match pending.parsed.kind {
        CallKind::EnterPlan => answers::plan_declined(call.id.clone(), answer).result.text(),
        CallKind::ExitPlan => {
            let path = view.policy.plan_file.as_ref().unwrap_or(&view.place.folder);
            answers::plan_unreviewed(call.id.clone(), answer, path).result.text()
        }
        _ => refusal(reason, Some(answer)),
    };
    denied(call, text, None)
}
