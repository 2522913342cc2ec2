//! Carries out the calls of one answer.
//!
//! Calls are prepared in order; each is then ready to run or already answered (a refusal is a result, not an
//! exception). Neighbours that may run together do. For each: decide, write the intent, do, write the outcome.

use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_hooks::Hooks;
use forelook_permissions::git_only_reads;
use forelook_protocol::{
    AbsPath, Action, Answer, AnswerBlock, Ask, Body, CallId, Decided, Decision, Finished, HookSays, Live,
    Part, Reason, Started, Step, ToolCall, ToolOutcome, ToolResult, Verdict,
};
use forelook_tools::{ChildEnv, Finder, Tool, ToolContext, Toolbox};
use futures::future::join_all;
use serde_json::Value;

use crate::call_hooks;
use crate::handle::{CallView, Given, NotRecorded, SessionHandle};
use crate::judgement::{judge, since};
use crate::repair::interrupted;

/// How long a tool may take to end after an interrupt before it is left behind. Tools end their children
/// within two seconds; this is for one that does not listen.
const GRACE: Duration = Duration::from_secs(5);

/// The most text of one result that the conversation takes, whatever the tool thinks. Tools have smaller
/// limits of their own; this one is for a tool that forgets.
const MAX_RESULT: usize = 400_000;

/// What calls are carried out with.
pub(crate) struct Hands {
    pub(crate) tools: Toolbox,
    pub(crate) hooks: Arc<Hooks>,
    pub(crate) finder: Finder,
    pub(crate) env: Arc<ChildEnv>,
    pub(crate) scratch: AbsPath,
}

/// A call after it was looked at.
enum Prepared {
    /// It may run.
    Ready(Box<Ready>),
    /// It has its result already.
    Answered(Finished),
}

struct Ready {
    call: ToolCall,
    tool: Arc<dyn Tool>,
    view: CallView,
    action: Action,
    answer: Option<Answer>,
    rewritten: Option<Value>,
}

/// Carries out all calls; returns when each has a result in the journal.
pub(crate) async fn carry_out(
    session: &SessionHandle,
    hands: &Hands,
    calls: Vec<ToolCall>,
) -> Result<(), NotRecorded> {
    let mut rest = calls.as_slice();
    while !rest.is_empty() {
        let (batch, later) = rest.split_at(batch_len(hands, rest));
        rest = later;
        let mut ready = Vec::new();
        for call in batch {
            match prepare(session, hands, call).await? {
                Prepared::Ready(call) => ready.push(call),
                Prepared::Answered(finished) => session.record(vec![Body::Finished(finished)]).await?,
            }
        }
        let outcomes = join_all(ready.into_iter().map(|call| run(session, hands, *call))).await;
        outcomes.into_iter().collect::<Result<(), NotRecorded>>()?;
    }
    Ok(())
}

/// How many of the next calls may run together: a row of concurrency-safe ones, or a single other.
fn batch_len(hands: &Hands, calls: &[ToolCall]) -> usize {
    let safe =
        |call: &&ToolCall| hands.tools.get(&call.name).is_some_and(|tool| tool.concurrency_safe(&call.input));
    calls.iter().take_while(safe).count().max(1)
}

async fn prepare(session: &SessionHandle, hands: &Hands, call: &ToolCall) -> Result<Prepared, NotRecorded> {
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
        let decision = judge(&view, &asked.call.name, &action, asked.says.clone(), &hands.finder).await;
        session.record(vec![decided(&asked, &decision)]).await?;
        let reason = match decision {
            Decision::Allow(_) => return Ok(ready(asked, view, action, None)),
            Decision::Deny(reason) => {
                call_hooks::denied(session, hands, &view, &asked.call, &reason).await;
                return Ok(denied(&asked.call, refusal(&reason, None)));
            }
            Decision::Ask(reason) | Decision::Judge(reason) => reason,
            Decision::Need(_) => {
                return Ok(invalid(&asked.call, "It could not be judged; try again".to_owned()));
            }
        };
        let by_hook = call_hooks::instead_of_asking(session, hands, &view, &asked.call, &reason).await;
        let Given { answer, fresh } = match by_hook {
            Some(answer) => Given { answer, fresh: session.view().await?.revision == view.revision },
            None => {
                let question = ask(&asked.call, &*asked.tool, &reason);
                session.ask(asked.call.id.clone(), question, view.revision).await?
            }
        };
        let yes = matches!(answer, Answer::Allow { .. });
        if yes && !fresh {
            // The yes was given to another state of things: it is void, and everything is looked at again.
            continue;
        }
        return Ok(match answer {
            answer if yes || matches!(action, Action::AskPerson) => ready(asked, view, action, Some(answer)),
            Answer::Interrupted => Prepared::Answered(interrupted(&asked.call, false)),
            answer => {
                call_hooks::denied(session, hands, &view, &asked.call, &reason).await;
                denied(&asked.call, refusal(&reason, Some(&answer)))
            }
        });
    }
}

fn ready(asked: Asked, view: CallView, action: Action, answer: Option<Answer>) -> Prepared {
    let Asked { call, tool, rewritten, .. } = asked;
    Prepared::Ready(Box::new(Ready { call, tool, view, action, answer, rewritten }))
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
    Prepared::Answered(Finished {
        result: ToolResult::error(call.id.clone(), text),
        verdict,
        effects: Vec::new(),
    })
}

async fn run(session: &SessionHandle, hands: &Hands, ready: Ready) -> Result<(), NotRecorded> {
    if session.cancel.is_cancelled() {
        return session.record(vec![Body::Finished(interrupted(&ready.call, false))]).await;
    }
    let started = Started { call: ready.call.id.clone(), input: ready.rewritten.clone() };
    session.record(vec![Body::Started(started)]).await?;
    let (call, view) = (ready.call.clone(), ready.view.clone());
    let context = context(session, hands, &ready);
    // A task of its own: calls that run together use several cores, and a tool that panics costs its own
    // result and nothing else.
    let tool = Arc::clone(&ready.tool);
    let mut task = Owned(tokio::spawn(begin(tool, ready.call.input, context)));
    let outcome = tokio::select! {
        outcome = &mut task.0 => outcome,
        () = overdue(session) => return session.record(vec![Body::Finished(interrupted(&call, true))]).await,
    };
    let ToolOutcome { result, effects } = match outcome {
        Ok(Some(outcome)) => outcome,
        Ok(None) => return session.record(vec![Body::Finished(interrupted(&call, false))]).await,
        Err(_) => crashed(&call).into(),
    };
    let verdict = if session.cancel.is_cancelled() { Verdict::Interrupted } else { Verdict::Ran };
    let finished = Finished { result: bounded(result), verdict, effects };
    session.record(vec![Body::Finished(finished.clone())]).await?;
    call_hooks::after(session, hands, &view, &call, &finished).await
}

/// Runs the tool, unless an interrupt came while the intent was being written: after one nothing is begun,
/// whether or not the tool itself looks.
async fn begin(tool: Arc<dyn Tool>, input: Value, context: ToolContext) -> Option<ToolOutcome> {
    if context.cancel.is_cancelled() {
        return None;
    }
    Some(tool.run(input, context).await)
}

async fn overdue(session: &SessionHandle) {
    session.cancel.cancelled().await;
    tokio::time::sleep(GRACE).await;
}

fn context(session: &SessionHandle, hands: &Hands, ready: &Ready) -> ToolContext {
    let (hub, call) = (session.hub.clone(), ready.call.id.clone());
    ToolContext {
        call: ready.call.id.clone(),
        action: ready.action.clone(),
        quiet_git: matches!(&ready.action, Action::Shell { command, .. } if git_only_reads(command)),
        place: ready.view.place.clone(),
        seen: Arc::clone(&ready.view.seen),
        answer: ready.answer.clone(),
        env: Arc::clone(&hands.env),
        scratch: hands.scratch.clone(),
        cancel: session.cancel.clone(),
        output: Arc::new(move |text: &str| {
            hub.live(Live::Output { call: call.clone(), text: text.to_owned() })
        }),
    }
}

/// A task that ends with its owner.
struct Owned<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn crashed(call: &ToolCall) -> ToolResult {
    let text = format!(
        "`{}` failed inside Forelook. It may have run in part; look before you repeat it.",
        call.name
    );
    ToolResult::error(call.id.clone(), text)
}

fn bounded(mut result: ToolResult) -> ToolResult {
    for part in &mut result.content {
        if let Part::Text { text } = part
            && text.len() > MAX_RESULT
        {
            let end = text.floor_char_boundary(MAX_RESULT);
            let left = text.len() - end;
            text.truncate(end);
            text.push_str(&format!("\n[{left} more bytes were left out]"));
        }
    }
    result
}

/// Gives calls whose id was used before a new one, so that every provider accepts the conversation.
/// Returns the new ids; these calls are not carried out, since a doubled id is more often a doubled call
/// than a new one.
pub(crate) async fn rename_doubles(
    session: &SessionHandle,
    blocks: &mut [AnswerBlock],
) -> Result<Vec<CallId>, NotRecorded> {
    let mut calls: Vec<&mut ToolCall> = blocks
        .iter_mut()
        .filter_map(|block| if let AnswerBlock::ToolUse(call) = block { Some(call) } else { None })
        .collect();
    if calls.is_empty() {
        return Ok(Vec::new());
    }
    let fresh = session.fresh_ids(calls.iter().map(|call| call.id.clone()).collect()).await?;
    let mut doubled = Vec::new();
    for (call, id) in calls.iter_mut().zip(fresh) {
        if call.id != id {
            doubled.push(id.clone());
            call.id = id;
        }
    }
    Ok(doubled)
}

/// Answers the calls that [`rename_doubles`] found.
pub(crate) async fn refuse_doubles(session: &SessionHandle, doubled: &[CallId]) -> Result<(), NotRecorded> {
    let text = "Not run: this call had the id of an earlier one, so it may be the same call sent twice. \
                If it is wanted, send it again with an id of its own.";
    let refused = doubled.iter().map(|id| {
        Body::Finished(Finished {
            result: ToolResult::error(id.clone(), text),
            verdict: Verdict::Invalid,
            effects: Vec::new(),
        })
    });
    session.record(refused.collect()).await
}
