//! Whether a call may run: decided by rules, and where these leave it open by a judge, a hook or a person (`ask.rs`).
//!
//! All of the latter may take their time. What they say holds only for the mode and the rules that they were asked under:
//! if these changed meanwhile, the call is decided on anew.

use std::sync::Arc;
use std::time::Instant;

use forelook_permissions::plan_gate;
use forelook_protocol::{Action, Decision, EndReason, HookSays, Reason, Standing, Step, ToolCall};
use forelook_tools::{CallKind, ParsedCall};
use serde_json::Value;

use super::decide::{auto_allowed, decide_with_facts, decided};
use super::parse::{Parsed, parse};
use super::ready::{After, Authorized, Permit, Ready, Work};
use super::result::{denied, interrupted, invalid, refusal};
use super::{ToolRuntime, hooks, plan};
use crate::handle::{Basis, CallView, Finish, NotRecorded, SessionHandle};
use crate::judge::{Case, Ruling};

/// What the model is told where a decision could not be reached.
pub(super) const UNDECIDED: &str = "It could not be judged; try again";

/// Decides on one call, asks where somebody must be asked, and decides anew if things changed meanwhile. `view` is how
/// things stood last, and afterwards how they stand now.
pub(super) async fn authorize(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    parsed: Parsed,
    view: &mut Arc<CallView>,
) -> Result<Authorized, NotRecorded> {
    let Parsed { call, parsed, reviewed } = parsed;
    if session.cancel.is_cancelled() {
        return Ok(Authorized::refused(interrupted(&call, false).into()));
    }
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(text) => return Ok(Authorized::refused(invalid(&call, text))),
    };
    if let Some(answer) = reviewed {
        // Answered before the program ended; only the result was missing.
        return Ok(plan::reviewed(runtime, call, Arc::clone(view), answer));
    }
    let pending =
        Undecided { call, parsed, heard: None, says: None, rewritten: None, began: crate::clock::instant() };
    let mut asker = Authorizer { session, runtime, view };
    let mut pending = pending;
    loop {
        // Hooks that came while somebody thought about the call are heard too.
        if pending.heard != Some(runtime.hooks.generation()) {
            pending = match asker.hear_hooks(pending).await? {
                Ok(pending) => pending,
                Err(refused) => return Ok(refused),
            };
        }
        if let Some(authorized) = asker.attempt(&pending).await? {
            return Ok(authorized);
        }
        // What was said was said to another state of things: it is void, and everything is looked at again.
        asker.refresh().await?;
    }
}

/// A call on its way to a decision.
pub(super) struct Undecided {
    pub(super) call: ToolCall,
    pub(super) parsed: ParsedCall,
    /// Which generation of the hooks was heard about it.
    heard: Option<u64>,
    says: Option<HookSays>,
    rewritten: Option<Value>,
    pub(super) began: Instant,
}

impl Undecided {
    /// The same call with another input, which is looked at as if the model had sent it.
    pub(super) fn with_input(&self, runtime: &ToolRuntime, input: Value) -> Result<Self, Box<Finish>> {
        let call = ToolCall { input, ..self.call.clone() };
        match parse(runtime, &call.name, &call.input) {
            Ok(parsed) => {
                let (says, rewritten) = (self.says.clone(), Some(call.input.clone()));
                Ok(Self { call, parsed, heard: self.heard, says, rewritten, began: self.began })
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
    ) -> Authorized {
        let (call, view, rewritten) = (self.call.clone(), Arc::clone(view), self.rewritten.clone());
        let heard = self.heard.unwrap_or_default();
        Authorized::Ready(Box::new(Ready { call, view, action, work, rewritten, heard, permit }), None)
    }

    fn work(&self, view: &CallView) -> Work {
        match &self.parsed.kind {
            CallKind::Tool(runnable) => Work::Tool(Arc::clone(runnable)),
            CallKind::Agent(task) => Work::Agent(task.clone()),
            kind => plan::unasked(kind, &self.call, view),
        }
    }

    /// Let through for what it does.
    fn allowed(&self, view: &Arc<CallView>, action: Action, reason: Reason) -> Authorized {
        let permit = Permit {
            basis: Basis::Decided { revision: view.revision },
            auto_allowed: auto_allowed(&reason),
            within: reason.within,
            decided: Some(decided(&self.call, Decision::Allow(reason), self.began)),
        };
        self.ready(view, action, self.work(view), permit)
    }

    /// Let through because somebody said yes.
    pub(super) fn approved(
        &self,
        view: &Arc<CallView>,
        action: Action,
        reason: &Reason,
        yes: Yes,
    ) -> Authorized {
        let basis = match plan_gate::is_final(&action) {
            true => Basis::Always,
            false => Basis::Approved { standing: yes.asked_in, revision: view.revision },
        };
        let work = match &self.parsed.kind {
            CallKind::EnterPlan => Work::EnterPlan,
            _ => self.work(view),
        };
        // A person's yes is in the answer to their question; a hook's is a decision of its own.
        let by_hook = || {
            let said = Reason { within: reason.within, ..Reason::new(Step::AllowRule, "A hook allowed it") };
            decided(&self.call, Decision::Allow(said), self.began)
        };
        let decided = yes.by_hook.then(by_hook);
        let permit = Permit { basis, decided, auto_allowed: false, within: reason.within };
        self.ready(view, action, work, permit)
    }

    /// What a judge allowed is a decision of its own.
    fn judged(&self, view: &Arc<CallView>, action: Action, reason: Reason) -> Authorized {
        let permit = Permit {
            basis: Basis::Approved { standing: view.policy.standing, revision: view.revision },
            auto_allowed: false,
            within: reason.within,
            decided: Some(decided(&self.call, Decision::Allow(reason), self.began)),
        };
        self.ready(view, action, self.work(view), permit)
    }
}

/// A yes to a call.
#[derive(Clone, Copy)]
pub(super) struct Yes {
    /// The mode in which it was asked for.
    pub(super) asked_in: Standing,
    /// A hook said it, and no person.
    pub(super) by_hook: bool,
}

/// What a call is authorized with.
pub(super) struct Authorizer<'a> {
    pub(super) session: &'a SessionHandle,
    pub(super) runtime: &'a ToolRuntime,
    /// How things stand.
    pub(super) view: &'a mut Arc<CallView>,
}

impl Authorizer<'_> {
    pub(super) async fn refresh(&mut self) -> Result<(), NotRecorded> {
        *self.view = self.session.view().await?;
        Ok(())
    }

    /// `PreToolUse`. The hook's input is decided on and shown as if the model had sent it.
    async fn hear_hooks(&mut self, pending: Undecided) -> Result<Result<Undecided, Authorized>, NotRecorded> {
        if let Err(bad) = pending.parsed.action(&self.view.place) {
            return Ok(Err(Authorized::refused(invalid(&pending.call, bad.to_string()))));
        }
        let pending = Undecided { heard: Some(self.runtime.hooks.generation()), ..pending };
        let heard = hooks::before(self.session, self.runtime, self.view, &pending.call).await;
        let Some(heard) = heard else { return Ok(Ok(pending)) };
        self.session.record(heard.context.into_iter().map(hooks::reminder).collect()).await?;
        if let Some(message) = heard.stop {
            let text = format!("A hook of the person's stopped the work: {message}");
            let finish = Box::new(denied(&pending.call, text, None));
            return Ok(Err(Authorized::Refused(finish, Some(After::End(EndReason::Hook { message })))));
        }
        self.refresh().await?;
        let pending = Undecided { says: heard.says, ..pending };
        Ok(match heard.input {
            None => Ok(pending),
            Some(input) => {
                pending.with_input(self.runtime, input).map_err(|it| Authorized::Refused(it, None))
            }
        })
    }

    /// One look at the call; nothing if what came of it is void.
    async fn attempt(&mut self, pending: &Undecided) -> Result<Option<Authorized>, NotRecorded> {
        let action = match pending.parsed.action(&self.view.place) {
            Ok(action) => action,
            Err(bad) => return Ok(Some(Authorized::refused(invalid(&pending.call, bad.to_string())))),
        };
        let decision = match self.decide(self.view, pending, &action).await {
            Decision::Judge(reason) => match self.judged(pending, &action, reason).await? {
                Some(decision) => decision,
                None => return Ok(None),
            },
            decision => decision,
        };
        Ok(Some(match decision {
            Decision::Allow(reason) if reason.step == Step::Classifier => {
                pending.judged(self.view, action, reason)
            }
            Decision::Allow(reason) => pending.allowed(self.view, action, reason),
            Decision::Deny(reason) => self.refused(pending, reason).await,
            Decision::Ask(reason) | Decision::Judge(reason) => {
                return self.ask(pending, action, reason).await;
            }
            Decision::Need(_) => Authorized::refused(invalid(&pending.call, UNDECIDED.to_owned())),
        }))
    }

    pub(super) async fn decide(&self, view: &CallView, pending: &Undecided, action: &Action) -> Decision {
        let (tool, says) = (&pending.call.name, pending.says.clone());
        decide_with_facts(view, tool, action, says, &self.runtime.facts).await
    }

    /// What a judge decides; nothing if mode or rules changed while it thought. Where nobody judges, a person is asked.
    async fn judged(
        &mut self,
        pending: &Undecided,
        action: &Action,
        reason: Reason,
    ) -> Result<Option<Decision>, NotRecorded> {
        let Some(judge) = &self.runtime.judge else { return Ok(Some(Decision::Ask(reason))) };
        let case = Case {
            call: pending.call.clone(),
            action: action.clone(),
            reason: reason.clone(),
            conversation: self.session.conversation().await?,
        };
        let ruling = judge.judge(case, self.session.cancel.clone()).await;
        let before = self.view.revision;
        self.refresh().await?;
        if before != self.view.revision {
            return Ok(None);
        }
        let reason = |text| Reason { step: Step::Classifier, text, ..reason };
        Ok(Some(match ruling {
            Ruling::Allow(why) => Decision::Allow(reason(why)),
            Ruling::Deny(why) => Decision::Deny(reason(why)),
            Ruling::Ask(why) => Decision::Ask(reason(why)),
        }))
    }

    /// Refused by a decision.
    pub(super) async fn refused(&self, pending: &Undecided, reason: Reason) -> Authorized {
        hooks::denied(self.session, self.runtime, self.view, &pending.call, &reason).await;
        let text = refusal(&reason, None);
        let decision = decided(&pending.call, Decision::Deny(reason), pending.began);
        Authorized::refused(denied(&pending.call, text, Some(decision)))
    }
}

/// Decides again about a call that could run a moment ago: mode or rules changed before it did. A yes to it still counts
/// where it would be asked for again, unless planning has begun since. Nobody is asked in the middle of a row of calls.
pub(super) async fn reauthorize(
    runtime: &ToolRuntime,
    ready: Ready,
    view: Arc<CallView>,
) -> Result<Ready, Box<Finish>> {
    let began = crate::clock::instant();
    if ready.heard != runtime.hooks.generation() {
        let text = "Not run: a hook was added while this call waited. Send it again.".to_owned();
        return Err(Box::new(denied(&ready.call, text, None)));
    }
    let approved = still_approved(&ready, &view);
    let asked = approved.map(|standing| view.in_mode_of(standing));
    let asked = asked.as_ref().unwrap_or(&view);
    let decision = decide_with_facts(asked, &ready.call.name, &ready.action, None, &runtime.facts).await;
    let text = match &decision {
        Decision::Allow(reason) => {
            let permit = Permit {
                auto_allowed: auto_allowed(reason),
                within: reason.within,
                basis: Basis::Decided { revision: view.revision },
                decided: Some(decided(&ready.call, decision.clone(), began)),
            };
            return Ok(Ready { permit, view, ..ready });
        }
        Decision::Need(_) => return Err(Box::new(invalid(&ready.call, UNDECIDED.to_owned()))),
        Decision::Ask(_) | Decision::Judge(_) if let Some(standing) = approved => {
            let basis = Basis::Approved { standing, revision: view.revision };
            return Ok(Ready { permit: Permit { basis, ..ready.permit }, view, ..ready });
        }
        Decision::Deny(reason) | Decision::Ask(reason) | Decision::Judge(reason) => refusal(reason, None),
    };
    Err(Box::new(denied(&ready.call, text, Some(decided(&ready.call, decision, began)))))
}

/// The mode in which somebody said yes to the call, if that yes still counts.
fn still_approved(ready: &Ready, view: &CallView) -> Option<Standing> {
    let Basis::Approved { standing, .. } = ready.permit.basis else { return None };
    plan_gate::yes_counts(&ready.action, &standing, &view.policy.standing).then_some(standing)
}
