//! Whether a call may run: decided by rules, and where these leave it open by a judge, a hook or a person (`ask.rs`).
//!
//! All of the latter may take their time. What they say holds only for the mode and the rules that they were asked under:
//! if these changed meanwhile, the call is decided on anew.

use std::sync::Arc;
use std::time::Instant;

use forelook_permissions::{model_hint, plan_gate};
use forelook_protocol::{
    Action, ChangePreview, Decision, DecisionStep, EndReason, HookDecision, ModeState, Reason, ToolCall,
};
use forelook_tools::{CallKind, ParsedCall, PreviewContext, RunnableCall};
use serde_json::Value;

use super::decide::{auto_allowed, decide_with_facts, decision_entry};
use super::parse::{IncomingCall, parse};
use super::ready::{Authorization, FollowUp, Permit, ReadyCall, Work};
use super::result::{denied, interrupted, invalid, refusal};
use super::{ToolRuntime, hooks, plan};
use crate::classifier::{ClassifierRequest, ClassifierVerdict};
use crate::handle::{CallFinish, CallView, PermitBasis, RecordError, SessionHandle};

/// What the model is told where a decision could not be reached.
pub(super) const UNDECIDED: &str = "Forelook could not check this call; try again";

/// Decides on one call, asks where somebody must be asked, and decides anew if things changed meanwhile. `view` is how
/// things stood last, and afterwards how they stand now.
pub(super) async fn authorize(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    parsed: IncomingCall,
    view: &mut Arc<CallView>,
) -> Result<Authorization, RecordError> {
    let IncomingCall { call, parsed, reviewed } = parsed;
    if session.cancel.is_cancelled() {
        return Ok(Authorization::refused(interrupted(&call, false).into()));
    }
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(text) => return Ok(Authorization::refused(invalid(&call, text))),
    };
    if let Some(answer) = reviewed {
        // Answered before the program ended; only the result was missing.
        return Ok(plan::reviewed(runtime, call, Arc::clone(view), answer));
    }
    let pending = UndecidedCall {
        call,
        parsed,
        hook_generation: None,
        hook_decision: None,
        rewritten: None,
        began: crate::clock::instant(),
    };
    let mut authorizer = Authorizer { session, runtime, view };
    let mut pending = pending;
    loop {
        // Hooks that came while somebody thought about the call are heard too.
        if pending.hook_generation != Some(runtime.hooks.generation()) {
            pending = match authorizer.run_pre_hooks(pending).await? {
                Ok(pending) => pending,
                Err(refused) => return Ok(refused),
            };
        }
        if let Some(authorized) = authorizer.attempt(&pending).await? {
            return Ok(authorized);
        }
        // What was said was said to another state of things: it is void, and everything is looked at again.
        authorizer.refresh().await?;
    }
}

/// A call on its way to a decision.
pub(super) struct UndecidedCall {
    pub(super) call: ToolCall,
    pub(super) parsed: ParsedCall,
    /// Which generation of the hooks was heard about it.
    hook_generation: Option<u64>,
    hook_decision: Option<HookDecision>,
    rewritten: Option<Value>,
    pub(super) began: Instant,
}

impl UndecidedCall {
    /// The same call with another input, which is looked at as if the model had sent it.
    pub(super) fn with_input(&self, runtime: &ToolRuntime, input: Value) -> Result<Self, Box<CallFinish>> {
        let call = ToolCall { input, ..self.call.clone() };
        match parse(runtime, &call.name, &call.input) {
            Ok(parsed) => {
                let (hook_decision, rewritten) = (self.hook_decision.clone(), Some(call.input.clone()));
                Ok(Self {
                    call,
                    parsed,
                    hook_generation: self.hook_generation,
                    hook_decision,
                    rewritten,
                    began: self.began,
                })
            }
            Err(text) => Err(Box::new(invalid(&call, text))),
        }
    }

    pub(super) fn ready(
        &self,
        view: &Arc<CallView>,
        action: Action,
        work: Work,
        permit: Permit,
    ) -> Authorization {
        let (call, view, rewritten) = (self.call.clone(), Arc::clone(view), self.rewritten.clone());
        let hook_generation = self.hook_generation.unwrap_or_default();
        Authorization::Ready(
            Box::new(ReadyCall { call, view, action, work, rewritten, hook_generation, permit }),
            None,
        )
    }

    fn work(&self, view: &CallView) -> Work {
        match &self.parsed.kind {
            CallKind::Tool(runnable) => Work::Tool(Arc::clone(runnable)),
            CallKind::Agent(task) => Work::Agent(task.clone()),
            kind => plan::work_without_approval(kind, &self.call, view),
        }
    }

    /// Let through for what it does.
    fn allowed(&self, view: &Arc<CallView>, action: Action, reason: Reason) -> Authorization {
        let permit = Permit {
            basis: PermitBasis::Decided { revision: view.revision },
            auto_allowed: auto_allowed(&reason),
            sandbox: reason.sandbox,
            decided: Some(decision_entry(&self.call, Decision::Allow(reason), self.began)),
        };
        self.ready(view, action, self.work(view), permit)
    }

    /// Let through because somebody said yes.
    pub(super) fn approved(
        &self,
        view: &Arc<CallView>,
        action: Action,
        reason: &Reason,
        approval: CallApproval,
    ) -> Authorization {
        let basis = match plan_gate::stays_authorized(&action) {
            true => PermitBasis::Always,
            false => PermitBasis::Approved { mode_state: approval.asked_in, revision: view.revision },
        };
        let work = match &self.parsed.kind {
            CallKind::EnterPlan => Work::EnterPlan,
            _ => self.work(view),
        };
        // A person's yes is in the answer to their question; a hook's is a decision of its own.
        let by_hook = || {
            let said = Reason {
                sandbox: reason.sandbox,
                ..Reason::new(DecisionStep::AllowRule, "A hook allowed it")
            };
            decision_entry(&self.call, Decision::Allow(said), self.began)
        };
        let decided = approval.by_hook.then(by_hook);
        let permit = Permit { basis, decided, auto_allowed: false, sandbox: reason.sandbox };
        self.ready(view, action, work, permit)
    }

    /// What a judge allowed is a decision of its own.
    fn classified(&self, view: &Arc<CallView>, action: Action, reason: Reason) -> Authorization {
        let permit = Permit {
            basis: PermitBasis::Approved { mode_state: view.policy.mode_state, revision: view.revision },
            auto_allowed: false,
            sandbox: reason.sandbox,
            decided: Some(decision_entry(&self.call, Decision::Allow(reason), self.began)),
        };
        self.ready(view, action, self.work(view), permit)
    }
}

/// A yes to a call.
#[derive(Clone, Copy)]
pub(super) struct CallApproval {
    /// The mode in which it was asked for.
    pub(super) asked_in: ModeState,
    /// A hook said it, and no person.
    pub(super) by_hook: bool,
}

/// Why somebody must say yes to a call, and what they should see of it.
pub(super) struct Doubt {
    pub(super) reason: Reason,
    /// What it would change in a file.
    pub(super) change: Option<ChangePreview>,
}

/// What a call is authorized with.
pub(super) struct Authorizer<'a> {
    pub(super) session: &'a SessionHandle,
    pub(super) runtime: &'a ToolRuntime,
    /// How things stand.
    pub(super) view: &'a mut Arc<CallView>,
}

impl Authorizer<'_> {
    pub(super) async fn refresh(&mut self) -> Result<(), RecordError> {
        *self.view = self.session.view().await?;
        Ok(())
    }

    /// `PreToolUse`. The hook's input is decided on and shown as if the model had sent it.
    async fn run_pre_hooks(
        &mut self,
        pending: UndecidedCall,
    ) -> Result<Result<UndecidedCall, Authorization>, RecordError> {
        if let Err(bad) = pending.parsed.action(&self.view.place) {
            return Ok(Err(Authorization::refused(invalid(&pending.call, bad.to_string()))));
        }
        let pending = UndecidedCall { hook_generation: Some(self.runtime.hooks.generation()), ..pending };
        let verdict = hooks::pre_tool_use(self.session, self.runtime, self.view, &pending.call).await;
        let Some(verdict) = verdict else { return Ok(Ok(pending)) };
        self.session.record(verdict.context.into_iter().map(hooks::reminder).collect()).await?;
        if let Some(message) = verdict.stop {
            let text = format!("A user hook stopped the work: {message}");
            let finish = Box::new(denied(&pending.call, text, None));
            return Ok(Err(Authorization::Refused(
                finish,
                Some(FollowUp::EndTurn(EndReason::Hook { message })),
            )));
        }
        self.refresh().await?;
        let pending = UndecidedCall { hook_decision: verdict.decision, ..pending };
        Ok(match verdict.input {
            None => Ok(pending),
            Some(input) => {
                pending.with_input(self.runtime, input).map_err(|it| Authorization::Refused(it, None))
            }
        })
    }

    /// One look at the call; nothing if what came of it is void.
    async fn attempt(&mut self, pending: &UndecidedCall) -> Result<Option<Authorization>, RecordError> {
        let action = match pending.parsed.action(&self.view.place) {
            Ok(action) => action,
            Err(bad) => return Ok(Some(Authorization::refused(invalid(&pending.call, bad.to_string())))),
        };
        let decision = self.decide(self.view, pending, &action).await;
        // Nobody is asked about a call that is bound to fail. Only here, behind every rule and wall that denies: a look at a
        // file says something of it.
        let change = match (&decision, &pending.parsed.kind) {
            (Decision::Ask(_) | Decision::Classify(_), CallKind::Tool(runnable)) => {
                match self.preview(pending, runnable, &action).await {
                    Ok(change) => change,
                    Err(finish) => return Ok(Some(Authorization::Refused(finish, None))),
                }
            }
            _ => None,
        };
        let decision = match decision {
            Decision::Classify(reason) => match self.classified(pending, &action, reason).await? {
                Some(decision) => decision,
                None => return Ok(None),
            },
            decision => decision,
        };
        Ok(Some(match decision {
            Decision::Allow(reason) if reason.step == DecisionStep::Classifier => {
                pending.classified(self.view, action, reason)
            }
            Decision::Allow(reason) => pending.allowed(self.view, action, reason),
            Decision::Deny(reason) => self.refused(pending, &action, reason).await,
            Decision::Ask(reason) | Decision::Classify(reason) => {
                return self.ask(pending, action, Doubt { reason, change }).await;
            }
            Decision::NeedFacts(_) => Authorization::refused(invalid(&pending.call, UNDECIDED.to_owned())),
        }))
    }

    /// What it would change in a file, or the error that it is bound to end with. The file may be on a disk that hangs.
    async fn preview(
        &self,
        pending: &UndecidedCall,
        runnable: &Arc<dyn RunnableCall>,
        action: &Action,
    ) -> Result<Option<ChangePreview>, Box<CallFinish>> {
        let cx = PreviewContext {
            call: pending.call.id.clone(),
            action: action.clone(),
            place: self.view.place.clone(),
            seen: self.view.seen.clone(),
        };
        let look = Arc::clone(runnable).preview(cx);
        tokio::select! {
            found = look => found.map_err(|text| Box::new(invalid(&pending.call, text))),
            () = self.session.cancel.cancelled() => Err(Box::new(interrupted(&pending.call, false).into())),
        }
    }

    pub(super) async fn decide(&self, view: &CallView, pending: &UndecidedCall, action: &Action) -> Decision {
        let (tool, hook_decision) = (&pending.call.name, pending.hook_decision.clone());
        decide_with_facts(view, tool, action, hook_decision, &self.runtime.facts).await
    }

    /// What a judge decides; nothing if mode or rules changed while it thought. Where nobody judges, a person is asked.
    async fn classified(
        &mut self,
        pending: &UndecidedCall,
        action: &Action,
        reason: Reason,
    ) -> Result<Option<Decision>, RecordError> {
        let Some(classifier) = &self.runtime.classifier else { return Ok(Some(Decision::Ask(reason))) };
        let request = ClassifierRequest {
            call: pending.call.clone(),
            action: action.clone(),
            reason: reason.clone(),
            conversation: self.session.conversation().await?,
        };
        let verdict = classifier.classify(request, self.session.cancel.clone()).await;
        let before = self.view.revision;
        self.refresh().await?;
        if before != self.view.revision {
            return Ok(None);
        }
        let reason = |text| Reason { step: DecisionStep::Classifier, text, ..reason };
        Ok(Some(match verdict {
            ClassifierVerdict::Allow(why) => Decision::Allow(reason(why)),
            ClassifierVerdict::Deny(why) => Decision::Deny(reason(why)),
            ClassifierVerdict::Ask(why) => Decision::Ask(reason(why)),
        }))
    }

    /// Refused by a decision.
    pub(super) async fn refused(
        &self,
        pending: &UndecidedCall,
        action: &Action,
        reason: Reason,
    ) -> Authorization {
        hooks::permission_denied(self.session, self.runtime, self.view, &pending.call, &reason).await;
        let hint = model_hint(&self.view.policy, action, &reason, can_rehearse(self.runtime, self.view));
        let text = refusal(&reason, hint);
        let decision = decision_entry(&pending.call, Decision::Deny(reason), pending.began);
        Authorization::refused(denied(&pending.call, text, Some(decision)))
    }
}

/// Decides again about a call that could run a moment ago: mode or rules changed before it did. A yes to it still counts
/// where it would be asked for again, unless planning has begun since. Nobody is asked in the middle of a row of calls.
pub(super) async fn reauthorize(
    runtime: &ToolRuntime,
    ready: ReadyCall,
    view: Arc<CallView>,
) -> Result<ReadyCall, Box<CallFinish>> {
    let began = crate::clock::instant();
    if ready.hook_generation != runtime.hooks.generation() {
        let text = "Not run: a hook was added while this call was waiting. Send it again.".to_owned();
        return Err(Box::new(denied(&ready.call, text, None)));
    }
    let approved = still_approved(&ready, &view);
    let asked = approved.map(|mode_state| view.with_mode_state(mode_state));
    let asked = asked.as_ref().unwrap_or(&view);
    let decision = decide_with_facts(asked, &ready.call.name, &ready.action, None, &runtime.facts).await;
    let text = match &decision {
        Decision::Allow(reason) => {
            let permit = Permit {
                auto_allowed: auto_allowed(reason),
                sandbox: reason.sandbox,
                basis: PermitBasis::Decided { revision: view.revision },
                decided: Some(decision_entry(&ready.call, decision.clone(), began)),
            };
            return Ok(ReadyCall { permit, view, ..ready });
        }
        Decision::NeedFacts(_) => return Err(Box::new(invalid(&ready.call, UNDECIDED.to_owned()))),
        Decision::Ask(_) | Decision::Classify(_) if let Some(mode_state) = approved => {
            let basis = PermitBasis::Approved { mode_state, revision: view.revision };
            return Ok(ReadyCall { permit: Permit { basis, ..ready.permit }, view, ..ready });
        }
        Decision::Deny(reason) => {
            let can_rehearse = can_rehearse(runtime, asked);
            refusal(reason, model_hint(&asked.policy, &ready.action, reason, can_rehearse))
        }
        Decision::Ask(reason) | Decision::Classify(reason) => refusal(reason, None),
    };
    Err(Box::new(denied(&ready.call, text, Some(decision_entry(&ready.call, decision, began)))))
}

/// Whether the model can rehearse what it may not do. Tried only while planning: it takes a look at the disk.
fn can_rehearse(runtime: &ToolRuntime, view: &CallView) -> bool {
    plan_gate::allows_rehearsal(&view.policy.mode_state) && runtime.fences.capabilities().rehearsal
}

/// The mode in which somebody said yes to the call, if that yes still counts.
fn still_approved(ready: &ReadyCall, view: &CallView) -> Option<ModeState> {
    let PermitBasis::Approved { mode_state, .. } = ready.permit.basis else { return None };
    plan_gate::approval_still_valid(&ready.action, &mode_state, &view.policy.mode_state).then_some(mode_state)
}
