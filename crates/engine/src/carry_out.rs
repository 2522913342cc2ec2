//! Carries out the calls of one answer.
//!
//! Calls are prepared in order; each is then ready to run or already answered (a refusal is a result, not an
//! exception). Neighbours that may run together do. For each: decide, write the intent, do, write the outcome.

use std::sync::Arc;
use std::time::Duration;

use forelook_hooks::Hooks;
use forelook_permissions::{Hidden, Policy, decide, git_only_reads, is_protected};
use forelook_protocol::{
    AbsPath, Action, AnswerBlock, Answered, Body, CallId, Decision, EndReason, Facts, FileRef, Finished,
    Live, Mode, PlanAnswer, Reviewed, Started, StopReason, ToolCall, ToolOutcome, ToolResult, Verdict,
};
use forelook_tools::{
    ChildEnv, Fences, Finder, Ground, Guarded, Looking, Progress, Readable, Shells, ToolContext, Toolbox,
};
use futures::future::join_all;
use serde_json::Value;

use crate::ahead::Begun;
use crate::bounds::bounded;
use crate::call_hooks;
use crate::handle::{CallView, NotRecorded, SessionHandle};
use crate::repair::interrupted;
use crate::running::Running;
use crate::settle::{Prepared, Ready, again, prepare};
use crate::subagent::{AgentsAtWork, Door};

/// How long a tool may take to end after an interrupt before it is left behind. Tools end their children
/// within two seconds; this is for one that does not listen.
const GRACE: Duration = Duration::from_secs(5);

/// What calls are carried out with.
#[derive(Clone)]
pub(crate) struct Hands {
    pub(crate) tools: Toolbox,
    pub(crate) hooks: Arc<Hooks>,
    pub(crate) finder: Finder,
    pub(crate) env: Arc<ChildEnv>,
    pub(crate) scratch: AbsPath,
    pub(crate) crew: Arc<AgentsAtWork>,
    pub(crate) shells: Arc<Shells>,
    pub(crate) fences: Arc<Fences>,
}

/// What came of the calls of one answer.
#[derive(Default)]
pub(crate) struct Carried {
    /// The turn ends with this, because the review of a plan said so.
    pub(crate) end: Option<EndReason>,
    /// For each call in order: itself if it was refused, nothing if it ran.
    pub(crate) refused: Vec<Option<ToolCall>>,
}

/// What a review leads to besides its result.
enum After {
    /// The turn ends.
    End(EndReason),
    /// The conversation began anew: there is nothing left to answer.
    Anew,
}

/// Carries out all calls; returns when each has a result in the journal.
pub(crate) async fn carry_out(
    session: &SessionHandle,
    hands: &Arc<Hands>,
    calls: Vec<ToolCall>,
    begun: &Begun,
) -> Result<Carried, NotRecorded> {
    let mut carried = Carried::default();
    let mut rest = calls.as_slice();
    while !rest.is_empty() {
        let (batch, later) = rest.split_at(batch_len(hands, rest));
        rest = later;
        let (ready, after) = prepare_all(session, hands, batch, &mut carried).await?;
        let outcomes = join_all(ready.into_iter().map(|call| run(session, hands, *call, begun))).await;
        outcomes.into_iter().collect::<Result<(), NotRecorded>>()?;
        match after {
            None => {}
            Some(After::Anew) => break,
            // What was to follow was meant for a turn that goes on.
            Some(After::End(end)) => {
                carried.end = Some(end);
                session.record(rest.iter().map(|call| Body::Finished(not_any_more(call))).collect()).await?;
                break;
            }
        }
    }
    Ok(carried)
}

/// Prepares calls in order, until one of them ends the turn.
async fn prepare_all(
    session: &SessionHandle,
    hands: &Arc<Hands>,
    batch: &[ToolCall],
    carried: &mut Carried,
) -> Result<(Vec<Box<Ready>>, Option<After>), NotRecorded> {
    let (mut ready, mut after) = (Vec::new(), None);
    for call in batch {
        match &after {
            None => {}
            Some(After::Anew) => break,
            Some(After::End(_)) => {
                session.record(vec![Body::Finished(not_any_more(call))]).await?;
                continue;
            }
        }
        match prepare(session, hands, call).await? {
            Prepared::Gone => after = Some(After::Anew),
            Prepared::Ready(prepared) => {
                after = prepared.reviewed.as_ref().and_then(ends);
                let sent_back = prepared.reviewed.as_ref().is_some_and(is_sent_back);
                carried.refused.push(sent_back.then(|| call.clone()));
                ready.push(prepared);
            }
            Prepared::Answered(finished) => {
                carried.refused.push(Some(call.clone()));
                session.record(vec![Body::Finished(finished)]).await?;
            }
        }
    }
    Ok((ready, after))
}

/// Whether this answer to a review ends the turn.
fn ends(reviewed: &Reviewed) -> Option<After> {
    match &reviewed.answer {
        PlanAnswer::Park => Some(After::End(EndReason::Parked)),
        PlanAnswer::Abandon => Some(After::End(EndReason::Abandoned)),
        PlanAnswer::HandOver => {
            Some(After::End(EndReason::Planned { path: reviewed.path.clone(), hash: reviewed.shown.clone() }))
        }
        PlanAnswer::Approve(_) | PlanAnswer::KeepPlanning { .. } => None,
    }
}

fn is_sent_back(reviewed: &Reviewed) -> bool {
    matches!(reviewed.answer, PlanAnswer::KeepPlanning { .. })
}

fn not_any_more(call: &ToolCall) -> Finished {
    Finished {
        result: ToolResult::error(call.id.clone(), "Not run: the turn ended with the review of the plan."),
        verdict: Verdict::Denied,
        effects: Vec::new(),
        output: None,
    }
}

/// How many of the next calls may run together: a row of concurrency-safe ones, or a single other.
fn batch_len(hands: &Hands, calls: &[ToolCall]) -> usize {
    let safe =
        |call: &&ToolCall| hands.tools.get(&call.name).is_some_and(|tool| tool.concurrency_safe(&call.input));
    calls.iter().take_while(safe).count().max(1)
}

async fn run(
    session: &SessionHandle,
    hands: &Arc<Hands>,
    ready: Ready,
    begun: &Begun,
) -> Result<(), NotRecorded> {
    if session.cancel.is_cancelled() {
        return session.record(vec![Body::Finished(interrupted(&ready.call, false))]).await;
    }
    let ready = match begin(session, hands, ready).await? {
        Ok(ready) => ready,
        Err(finished) => return session.record(vec![Body::Finished(finished)]).await,
    };
    let (call, view) = (ready.call.clone(), ready.view.clone());
    let (planned, sent_back) = (writes_plan(&ready), ready.reviewed.as_ref().is_some_and(is_sent_back));
    if planned {
        // What the person wrote there since is not lost by being overwritten.
        session.keep_plan().await?;
    }
    let mut running = begun.take(&ready).unwrap_or_else(|| Running::start(session, hands, ready));
    let outcome = tokio::select! {
        outcome = running.outcome(session) => outcome,
        () = overdue(session) => return session.record(vec![Body::Finished(interrupted(&call, true))]).await,
    };
    let ToolOutcome { result, effects, output } = match outcome {
        Ok(Some(outcome)) => outcome,
        Ok(None) => return session.record(vec![Body::Finished(interrupted(&call, false))]).await,
        Err(_) => crashed(&call).into(),
    };
    let verdict = match () {
        () if sent_back => Verdict::Denied,
        () if session.cancel.is_cancelled() => Verdict::Interrupted,
        () => Verdict::Ran,
    };
    let finished = Finished { result: bounded(result), verdict, effects, output };
    session.record(vec![Body::Finished(finished.clone())]).await?;
    if planned {
        session.keep_plan().await?;
    }
    call_hooks::after(session, hands, &view, &call, &finished).await
}

/// Writes down that the call begins. If planning began since it was decided on, it is decided on again first.
async fn begin(
    session: &SessionHandle,
    hands: &Arc<Hands>,
    mut ready: Ready,
) -> Result<Result<Ready, Finished>, NotRecorded> {
    loop {
        let started =
            Started { call: ready.call.id.clone(), input: ready.rewritten.clone(), within: ready.within };
        if session.begin(started, decided_in(&ready)).await? {
            return Ok(Ok(ready));
        }
        match again(session, hands, ready).await? {
            Ok(held) => ready = held,
            Err(finished) => return Ok(Err(finished)),
        }
    }
}

/// The mode that a call needs to begin in, or a wider one. What only reads, or only speaks with the person, may begin in
/// any: planning makes no difference to it, and an answer that was given is not lost.
fn decided_in(ready: &Ready) -> Mode {
    match &ready.action {
        Action::Read { .. } | Action::AskPerson | Action::EnterPlan | Action::ExitPlan | Action::Internal => {
            Mode::Plan
        }
        _ => ready.view.policy.standing.mode(),
    }
}

/// Whether the call writes the main agent's plan.
fn writes_plan(ready: &Ready) -> bool {
    let plan = ready.view.policy.plan_file.as_ref().filter(|_| ready.view.agent.is_none());
    matches!(&ready.action, Action::Edit { file } if Some(&file.real) == plan)
}

async fn overdue(session: &SessionHandle) {
    session.cancel.cancelled().await;
    tokio::time::sleep(GRACE).await;
}

pub(crate) fn context(session: &SessionHandle, hands: &Arc<Hands>, ready: &Ready) -> ToolContext {
    let (hub, call) = (session.hub.clone(), ready.call.id.clone());
    ToolContext {
        call: ready.call.id.clone(),
        action: ready.action.clone(),
        quiet_git: matches!(&ready.action, Action::Shell { command, .. } if git_only_reads(command)),
        unasked: ready.unasked,
        within: ready.within,
        epoch: ready.view.epoch,
        fences: Arc::clone(&hands.fences),
        ground: ground(ready.view.policy.clone()),
        readable: readable(&ready.view),
        shells: Arc::clone(&hands.shells),
        place: ready.view.place.clone(),
        seen: ready.view.seen.clone(),
        answer: ready.answer.clone(),
        reviewed: ready.reviewed.clone(),
        rehearsed: ready.view.rehearsed.clone(),
        plan_file: ready.view.policy.plan_file.clone(),
        planning: ready.view.policy.standing.mode() == Mode::Plan,
        subagent: ready.view.agent.is_some(),
        confined: confined(ready),
        host: Arc::new(Door { session: session.clone(), hands: Arc::clone(hands) }),
        env: Arc::clone(&hands.env),
        scratch: hands.scratch.clone(),
        cancel: session.cancel.clone(),
        output: Arc::new(move |text: &str| {
            hub.live(Live::Output { call: call.clone(), text: text.to_owned() })
        }),
        progress: Progress::default(),
    }
}

/// Which files a search may look into: those that Read could be let through for without a question.
fn readable(view: &CallView) -> Readable {
    let policy = view.policy.clone();
    Arc::new(move |path: &AbsPath| {
        let action = Action::Read { file: FileRef::plain(path.clone()) };
        matches!(decide(&policy, "Read", &action, &Facts::default()), Decision::Allow(_))
    })
}

/// What fences around this call stand on.
pub(crate) fn ground(policy: Policy) -> Ground {
    let policy = Arc::new(policy);
    let (named, placed) = (Arc::clone(&policy), Arc::clone(&policy));
    let places = Arc::new(move || placed.guarded_places());
    Ground {
        folders: policy.folders.clone(),
        home: policy.user_home.clone(),
        looking: Looking { names: Arc::new(move |name| named.may_guard(name)), places },
        guards: Arc::new(move |path: &AbsPath| {
            let home = policy.user_home.as_ref();
            let held = is_protected(path, home) || path.is_inside(&policy.own.home);
            match (policy.hides(path), held) {
                (Hidden::Credentials, _) => Guarded::Credentials,
                (Hidden::Yes, true) => Guarded::Both,
                (Hidden::Yes, false) => Guarded::Masked,
                (Hidden::No, true) => Guarded::Held,
                (Hidden::No, false) => Guarded::No,
            }
        }),
    }
}

/// A plan file is written as the very file it is: nothing that a link could have made of it since it was decided on.
fn confined(ready: &Ready) -> Option<AbsPath> {
    let plan = ready.view.policy.plan_file.as_ref()?;
    match &ready.action {
        Action::Edit { file } if file.real == *plan => plan.parent(),
        _ => None,
    }
}

fn crashed(call: &ToolCall) -> ToolResult {
    let text = format!(
        "`{}` failed inside Forelook. It may have run in part; look before you repeat it.",
        call.name
    );
    ToolResult::error(call.id.clone(), text)
}

/// Calls of an answer that are not to be carried out, and what the model is told instead.
///
/// Every call gets an id that no other has, so that every provider accepts the conversation: small servers count calls
/// anew in each answer. The same call twice in one answer is a call sent twice, and the last call of an answer that was
/// cut off at its limit may be half a call.
pub(crate) async fn void_calls(
    session: &SessionHandle,
    answered: &mut Answered,
) -> Result<Vec<(CallId, &'static str)>, NotRecorded> {
    let cut = answered.stop == StopReason::MaxTokens;
    let mut calls: Vec<&mut ToolCall> = answered
        .blocks
        .iter_mut()
        .filter_map(|block| if let AnswerBlock::ToolUse(call) = block { Some(call) } else { None })
        .collect();
    if calls.is_empty() {
        return Ok(Vec::new());
    }
    let twice: Vec<usize> =
        (1..calls.len()).filter(|at| calls.iter().take(*at).any(|before| **before == *calls[*at])).collect();
    let fresh = session.fresh_ids(calls.iter().map(|call| call.id.clone()).collect()).await?;
    for (call, id) in calls.iter_mut().zip(fresh) {
        call.id = id;
    }
    let mut void: Vec<_> = twice.into_iter().map(|at| (calls[at].id.clone(), SENT_TWICE)).collect();
    // What was cut off is no JSON, unless nothing of it had come.
    let is_half = |input: &Value| input.is_string() || input.as_object().is_some_and(|it| it.is_empty());
    let half = calls.last().filter(|last| cut && is_half(&last.input));
    void.extend(half.map(|last| (last.id.clone(), CUT_OFF)));
    Ok(void)
}

const SENT_TWICE: &str = "Not run: the same call with the same id stands in this answer before. \
                          If it is wanted twice, send it again with an id of its own.";

const CUT_OFF: &str = "Not run: your answer reached the limit on its length in the middle of this call. \
                       Do it in smaller steps: write a large file in parts, or edit it piece by piece.";

/// Answers the calls that [`void_calls`] found.
pub(crate) async fn refuse(
    session: &SessionHandle,
    void: Vec<(CallId, &'static str)>,
) -> Result<(), NotRecorded> {
    let refused = void.into_iter().map(|(id, text)| {
        Body::Finished(Finished {
            result: ToolResult::error(id, text),
            verdict: Verdict::Invalid,
            effects: Vec::new(),
            output: None,
        })
    });
    session.record(refused.collect()).await
}
