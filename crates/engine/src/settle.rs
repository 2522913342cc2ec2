//! From a call to what becomes of it: it is checked, hooks are heard, it is decided on, a person is asked.

use std::sync::Arc;
use std::time::Instant;

use forelook_protocol::{
    Action, Answer, Approval, Ask, Body, Confinement, Decided, Decision, Finished, HookSays, PlanAnswer,
    Reason, Rehearsal, Reviewed, Step, ToolCall, ToolResult, Verdict,
};
use forelook_tools::Tool;
use serde_json::Value;

use crate::call_hooks;
use crate::carry_out::Hands;
use crate::handle::{CallView, Given, NotRecorded, SessionHandle};
use crate::judgement::{judge, since};
use crate::repair::interrupted;

/// A call after it was looked at.
pub(crate) enum Prepared {
    /// It may run.
    Ready(Box<Ready>),
    /// It has its result already.
    Answered(Finished),
    /// The conversation that it belonged to is over.
    Gone,
}

pub(crate) struct Ready {
    pub(crate) call: ToolCall,
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) view: CallView,
    pub(crate) action: Action,
    pub(crate) answer: Option<Answer>,
    pub(crate) reviewed: Option<Reviewed>,
    pub(crate) rewritten: Option<Value>,
    /// It was let through for what it would do; nobody said yes to it.
    pub(crate) unasked: bool,
    /// What the kernel holds it to.
    pub(crate) within: Confinement,
}

/// Looks at one call: checks it, hears hooks, decides, asks.
pub(crate) async fn prepare(
    session: &SessionHandle,
    hands: &Hands,
    call: &ToolCall,
) -> Result<Prepared, NotRecorded> {
    if session.cancel.is_cancelled() {
        return Ok(Prepared::Answered(interrupted(call, false)));
    }
    let Some(tool) = hands.tools.get(&call.name) else {
        let known: Vec<&str> = hands.tools.specs().iter().map(|spec| spec.name.as_str()).collect();
        let text = format!("There is no tool `{}`. The tools are: {}.", call.name, known.join(", "));
        return Ok(invalid(call, text));
    };
    let began = Instant::now();
    let view = session.view().await?;
    if let Err(bad) = tool.action(&call.input, &view.place) {
        return Ok(invalid(call, bad.to_string()));
    }
    let heard = call_hooks::before(session, hands, &view, call).await;
    if let Some(why) = heard.stop {
        return Ok(denied(call, format!("A hook of the person's stopped the work: {why}")));
    }
    // The hook's input is judged and shown as if the model had sent it.
    let call = ToolCall { input: heard.input.clone().unwrap_or_else(|| call.input.clone()), ..call.clone() };
    let asked = Asked { call, tool, says: heard.says, rewritten: heard.input, began };
    settle(session, hands, asked).await
}

/// A call on its way to a decision.
struct Asked {
    call: ToolCall,
    tool: Arc<dyn Tool>,
    says: Option<HookSays>,
    /// The input that a hook put in place of the model's.
    rewritten: Option<Value>,
    began: Instant,
}

/// Decides, asks where a person must, and decides anew if the mode or the rules changed while they thought.
async fn settle(session: &SessionHandle, hands: &Hands, asked: Asked) -> Result<Prepared, NotRecorded> {
    loop {
        let view = session.view().await?;
        let action = match asked.tool.action(&asked.call.input, &view.place) {
            Ok(action) => action,
            Err(bad) => return Ok(invalid(&asked.call, bad.to_string())),
        };
        if let Some(reviewed) = view.reviewed.get(&asked.call.id).cloned() {
            // Answered before the program ended; only the result was missing.
            return Ok(after_review(asked, view, action, reviewed));
        }
        let decision = judge(&view, &asked.call.name, &action, asked.says.clone(), &hands.finder).await;
        session.record(vec![decided(&asked, &decision)]).await?;
        let reason = match decision {
            Decision::Allow(reason) => return Ok(ready(asked, view, action, None, &reason)),
            Decision::Deny(reason) => {
                call_hooks::denied(session, hands, &view, &asked.call, &reason).await;
                return Ok(denied(&asked.call, refusal(&reason, None)));
            }
            Decision::Ask(reason) | Decision::Judge(reason) => reason,
            Decision::Need(_) => {
                return Ok(invalid(&asked.call, "It could not be judged; try again".to_owned()));
            }
        };
        let Given { answer, fresh, reviewed } =
            hear_person(session, hands, &view, &asked, (&action, &reason)).await?;
        if let Some(reviewed) = reviewed {
            // Looked at anew: the answer changed what may be done, and maybe files.
            return Ok(after_review(asked, session.view().await?, action, reviewed));
        }
        let yes = matches!(answer, Answer::Allow { .. });
        if (yes && !fresh) || answer == Answer::Outdated {
            // The answer was given to another state of things: it is void, and everything is looked at again.
            continue;
        }
        return Ok(match answer {
            answer if yes || matches!(action, Action::AskPerson) => {
                ready(asked, view, action, Some(answer), &reason)
            }
            Answer::Interrupted => Prepared::Answered(interrupted(&asked.call, false)),
            answer => {
                call_hooks::denied(session, hands, &view, &asked.call, &reason).await;
                let text =
                    plan_refusal(&action, &answer, &view).unwrap_or_else(|| refusal(&reason, Some(&answer)));
                denied(&asked.call, text)
            }
        });
    }
}

/// Decides again about a call that could run a moment ago: planning has begun before it did. What was said for it then, by a
/// person or a hook, opens nothing now; and nobody is asked in the middle of a row of calls.
pub(crate) async fn again(
    session: &SessionHandle,
    hands: &Hands,
    ready: Ready,
) -> Result<Result<Ready, Finished>, NotRecorded> {
    let (began, view) = (Instant::now(), session.view().await?);
    let Ready { call, tool, action, answer, reviewed, rewritten, .. } = ready;
    let decision = judge(&view, &call.name, &action, None, &hands.finder).await;
    let asked = Asked { call, tool, says: None, rewritten, began };
    session.record(vec![decided(&asked, &decision)]).await?;
    let Asked { call, tool, rewritten, .. } = asked;
    Ok(match decision {
        Decision::Allow(reason) => {
            let (unasked, within) = (unasked(&reason), reason.within);
            Ok(Ready { call, tool, view, action, answer, reviewed, rewritten, unasked, within })
        }
        Decision::Deny(reason) | Decision::Ask(reason) | Decision::Judge(reason) => {
            Err(finished(&call, refusal(&reason, None), Verdict::Denied))
        }
        Decision::Need(_) => {
            Err(finished(&call, "It could not be judged; try again".to_owned(), Verdict::Invalid))
        }
    })
}

/// Asks whoever answers. A hook may answer in a person's place, but never for a plan, and never a question of the
/// model's: its no would read as the person's.
async fn hear_person(
    session: &SessionHandle,
    hands: &Hands,
    view: &CallView,
    asked: &Asked,
    (action, reason): (&Action, &Reason),
) -> Result<Given, NotRecorded> {
    let call = asked.call.id.clone();
    match action {
        Action::ExitPlan => {
            return session.ask_for_review(call, view.revision, rehearsal(hands).await).await;
        }
        Action::EnterPlan => return session.ask_to_plan(call, view.revision).await,
        Action::AskPerson => {
            return session.ask(call, ask(&asked.call, &*asked.tool, reason), view.revision).await;
        }
        _ => {}
    }
    match call_hooks::instead_of_asking(session, hands, view, &asked.call, reason).await {
        Some(answer) => {
            let fresh = session.view().await?.revision == view.revision;
            Ok(Given { fresh, ..Given::plain(answer) })
        }
        None => session.ask(call, ask(&asked.call, &*asked.tool, reason), view.revision).await,
    }
}

/// What was tried while planning. Read beside everything else: what builds leave behind may be a lot.
async fn rehearsal(hands: &Hands) -> Option<Rehearsal> {
    let fences = Arc::clone(&hands.fences);
    match tokio::task::spawn_blocking(move || fences.rehearsal()).await {
        Ok(rehearsal) => rehearsal,
        Err(crash) => {
            tracing::error!(%crash, "a rehearsal could not be read");
            None
        }
    }
}

/// What an answered review leads to: the tool says it in words, unless the conversation it would say it in is gone.
fn after_review(asked: Asked, view: CallView, action: Action, reviewed: Reviewed) -> Prepared {
    if let PlanAnswer::Approve(Approval { fresh_context: true, .. }) = &reviewed.answer {
        return Prepared::Gone;
    }
    let answer = Some(Answer::Plan(reviewed.answer.clone()));
    let Asked { call, tool, rewritten, .. } = asked;
    let (reviewed, unasked, within) = (Some(reviewed), false, Confinement::Off);
    let ready = Ready { call, tool, view, action, answer, reviewed, rewritten, unasked, within };
    Prepared::Ready(Box::new(ready))
}

/// What the model reads when nobody said yes to planning, or to the plan.
fn plan_refusal(action: &Action, answer: &Answer, view: &CallView) -> Option<String> {
    let path = || view.policy.plan_file.clone().unwrap_or_else(|| view.place.folder.clone());
    match (action, answer) {
        (Action::EnterPlan, Answer::Nobody) => Some(forelook_plan::enter_nobody()),
        (Action::EnterPlan, Answer::Deny { message }) => {
            Some(forelook_plan::enter_declined(message.as_deref()))
        }
        (Action::EnterPlan, _) => Some(forelook_plan::enter_declined(None)),
        (Action::ExitPlan, Answer::Nobody) => Some(forelook_plan::outcome::nobody(&path())),
        (Action::ExitPlan, _) => Some(forelook_plan::outcome::unanswered(&path())),
        _ => None,
    }
}

/// A call that may run, where `reason` says; after a person's yes, or because it changes nothing.
fn ready(asked: Asked, view: CallView, action: Action, answer: Option<Answer>, reason: &Reason) -> Prepared {
    let Asked { call, tool, rewritten, .. } = asked;
    let unasked = answer.is_none() && unasked(reason);
    let (reviewed, within) = (None, reason.within);
    let ready = Ready { call, tool, view, action, answer, reviewed, rewritten, unasked, within };
    Prepared::Ready(Box::new(ready))
}

/// Whether a call was let through for what it would do, and not because somebody said yes to it. A rule that allows a
/// fetch while planning is a yes.
pub(crate) fn unasked(reason: &Reason) -> bool {
    matches!(reason.step, Step::ReadOnly | Step::PlanGate | Step::AcceptEdits) && reason.rule.is_none()
}

fn decided(asked: &Asked, decision: &Decision) -> Body {
    Body::Decision(Decided {
        call: asked.call.id.clone(),
        tool: asked.call.name.clone(),
        decision: decision.clone(),
        took_ms: since(asked.began),
    })
}

fn ask(call: &ToolCall, tool: &dyn Tool, reason: &Reason) -> Ask {
    match tool.questions(&call.input) {
        Some(questions) => Ask::Choose { questions },
        None => {
            Ask::Permission { tool: call.name.clone(), input: call.input.clone(), reason: reason.clone() }
        }
    }
}

/// What the model reads when a call is refused.
fn refusal(reason: &Reason, answer: Option<&Answer>) -> String {
    match answer {
        Some(Answer::Deny { message: Some(words) }) => format!("The person said no to this call: {words}"),
        Some(Answer::Nobody) => format!(
            "Not run: nobody is here to say yes to it. {}. Do what can be done without it, and say what is left.{}",
            reason.text,
            how_to_allow(reason)
        ),
        Some(_) => {
            "The person said no to this call. Do not try it another way; ask what they want.".to_owned()
        }
        None => format!("Not run. {}.{}", reason.text, how_to_allow(reason)),
    }
}

/// What the person could do to let it through, where something can be done.
fn how_to_allow(reason: &Reason) -> String {
    let rule = reason.would_allow.as_ref().map(|rule| format!("the rule `{rule}` (`--allowedTools`)"));
    match (rule, reason.step) {
        (Some(rule), Step::Rest) => {
            format!(" A person can allow it with {rule}, or with another `--permission-mode`.")
        }
        (None, Step::Rest) => " A person can allow it with another `--permission-mode`.".to_owned(),
        _ => String::new(),
    }
}

fn invalid(call: &ToolCall, text: String) -> Prepared {
    answered(call, text, Verdict::Invalid)
}

fn denied(call: &ToolCall, text: String) -> Prepared {
    answered(call, text, Verdict::Denied)
}

fn answered(call: &ToolCall, text: String, verdict: Verdict) -> Prepared {
    Prepared::Answered(finished(call, text, verdict))
}

fn finished(call: &ToolCall, text: String, verdict: Verdict) -> Finished {
    let result = ToolResult::error(call.id.clone(), text);
    Finished { result, verdict, effects: Vec::new(), output: None }
}
