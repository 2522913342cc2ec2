//! A subagent: a conversation of its own, in a turn that runs inside its parent's call.
//!
//! What it may do is decided call by call like everybody's, with its parent's mode or a narrower one
//! (`session/requests.rs`); here it is begun, waited for, and reported on.

use std::sync::Arc;

use forelook_plan::{PlanStore, non_blank_plan};
use forelook_protocol::{AbsPath, AgentEnded, AgentStarted, CallId, EndReason, EntryBody, Mode, NoticeLevel};
use forelook_tools::{AgentFailure, AgentReport, AgentTask, ToolRegistry, is_generic};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::Semaphore;

use super::{Turn, TurnInput, TurnStats, run_agent};
use crate::agents::{AgentDefinition, AgentModel};
use crate::call::{RunAgent, ToolRuntime, elapsed_ms};
use crate::config::Config;
use crate::context::OpenPrompt;
use crate::handle::{AgentRun, RecordError, SessionHandle, TakenPrompt};
use crate::prefix::ToolPrefix;

/// How many answers of its model a subagent may take. Nobody watches it as closely as a main turn.
const MAX_ANSWERS: u32 = 200;

/// Why an agent ended that the user ended alone: its caller goes on.
const ENDED_BY_USER: &str = "The user stopped it";

/// What subagents are made with.
pub(crate) struct Subagents {
    kinds: Vec<AgentDefinition>,
    slots: Semaphore,
    plans: PlanStore,
    prompt: Arc<OpenPrompt>,
}

impl Subagents {
    pub(crate) fn new(config: &Config, prompt: Arc<OpenPrompt>) -> Self {
        Self {
            kinds: config.agent_catalog.kinds.clone(),
            slots: Semaphore::new(config.agent_catalog.at_once.max(1)),
            plans: config.planning.plans.clone(),
            prompt,
        }
    }
}

impl RunAgent for Subagents {
    fn run_agent<'a>(
        &'a self,
        parent: &'a SessionHandle,
        runtime: &'a Arc<ToolRuntime>,
        call: CallId,
        task: AgentTask,
    ) -> BoxFuture<'a, Result<AgentReport, AgentFailure>> {
        AgentCaller { agents: self, session: parent, runtime, call }.run(task).boxed()
    }
}

/// A call that starts a subagent.
struct AgentCaller<'a> {
    agents: &'a Subagents,
    session: &'a SessionHandle,
    runtime: &'a Arc<ToolRuntime>,
    call: CallId,
}

impl AgentCaller<'_> {
    async fn run(self, task: AgentTask) -> Result<AgentReport, AgentFailure> {
        let agents = self.agents;
        let kind = agents.kinds.iter().find(|kind| kind.name == task.kind);
        let kind = kind.ok_or_else(|| not_started(format!("There is no agent `{}`", task.kind)))?;
        let slot = tokio::select! {
            slot = agents.slots.acquire() => slot,
            () = self.session.cancel.cancelled() => {
                return Err(not_started("Interrupted before the agent started".to_owned()));
            }
        };
        let _slot = slot.map_err(|closed| not_started(closed.to_string()))?;
        let turn = self
            .begin(kind, &task)
            .await
            .map_err(|RecordError(message)| not_started(message))?
            .map_err(not_started)?;
        self.work(turn, task.prompt).await.map_err(|RecordError(message)| not_started(message))?
    }

    /// Writes down that the agent begins, and makes its turn.
    async fn begin(
        &self,
        kind: &AgentDefinition,
        task: &AgentTask,
    ) -> Result<Result<Turn, String>, RecordError> {
        let view = self.session.view().await?;
        let model = match self.model(kind, task.model.as_deref(), &view.model) {
            Ok(model) => model,
            Err(why) => return Ok(Err(why)),
        };
        let started = AgentStarted {
            call: self.call.clone(),
            kind: kind.name.clone(),
            description: task.description.clone(),
            model: model.clone(),
            mode: narrower(kind.mode, task.mode),
            read_only: kind.read_only,
        };
        let cancel = self.session.cancel.child_token();
        let id = match self.session.begin_agent(started, task.prompt.clone(), cancel.clone()).await? {
            Ok(id) => id,
            Err(why) => return Ok(Err(why)),
        };
        let tools = tools_of(&self.runtime.tools, kind);
        let run = AgentRun {
            id,
            kind: kind.name.clone(),
            model,
            system: Arc::new(self.agents.prompt.for_agent(&kind.prompt, kind.instructions).into()),
            prefix: ToolPrefix::new(tools.snapshot(), false, &[]),
            tools: tools.clone(),
        };
        Ok(Ok(Turn {
            session: self.session.for_agent(run, cancel),
            runtime: Arc::new(ToolRuntime {
                tools,
                policy_cache: Arc::default(),
                ..(**self.runtime).clone()
            }),
            max_turns: Some(MAX_ANSWERS),
            session_source: None,
        }))
    }

    /// The model that an agent of this kind asks: what its caller named, its own, or the session's.
    fn model(&self, kind: &AgentDefinition, named: Option<&str>, sessions: &str) -> Result<String, String> {
        let route = &self.runtime.small;
        let model = match (named, &kind.model) {
            (Some("inherit"), _) | (None, AgentModel::Inherit) => sessions.to_owned(),
            (Some(named), _) => named.to_owned(),
            (None, AgentModel::Small) => route.name(sessions).unwrap_or_else(|| sessions.to_owned()),
            (None, AgentModel::Named(model)) => model.clone(),
        };
        match route.models.resolve(&model) {
            Ok(_) => Ok(model),
            Err(why) => {
                Err(format!("Model `{model}` cannot be used: {why}. Leave `model` out to use `{sessions}`"))
            }
        }
    }

    /// Lets the agent work to its end, and writes that down.
    async fn work(
        &self,
        turn: Turn,
        prompt: String,
    ) -> Result<Result<AgentReport, AgentFailure>, RecordError> {
        let began = crate::clock::instant();
        let mut stats = TurnStats::default();
        let reason = run_agent(&turn, TurnInput::Prompt(TakenPrompt::from(prompt)), &mut stats).await;
        self.session.spend(stats.spent);
        let plan = self.plan_of(&turn).await;
        let took_ms = elapsed_ms(began);
        let ended =
            AgentEnded { reason: reason.clone(), usage: stats.spent.usage, calls: stats.calls, took_ms };
        turn.session.record(vec![EntryBody::AgentEnded(ended)]).await?;
        let Some(run) = &turn.session.agent else { return Err(crate::handle::session_ended()) };
        let shells = self.runtime.shells.hand_over(&run.id, self.session.id().as_ref());
        let report = AgentReport {
            agent: run.id.clone(),
            text: stats.words,
            usage: stats.spent.usage,
            calls: stats.calls,
            took_ms,
            plan,
            shells,
        };
        let by_user = turn.session.cancel.is_cancelled() && !self.session.cancel.is_cancelled();
        Ok(match failure(&reason) {
            None => Ok(report),
            // No news to the user; only the caller must hear of it.
            Some(_) if by_user => Err(AgentFailure { why: ENDED_BY_USER.to_owned(), report: Some(report) }),
            Some(why) => {
                self.session.notify(NoticeLevel::Warning, format!("Agent `{}`: {why}", run.kind));
                Err(AgentFailure { why, report: Some(report) })
            }
        })
    }
}

impl AgentCaller<'_> {
    /// The file of the agent's own plan, if it wrote one.
    async fn plan_of(&self, turn: &Turn) -> Option<AbsPath> {
        let view = turn.session.view().await.ok()?;
        let path = view.policy.plan_file.clone().filter(|_| view.policy.mode_state.is_planning())?;
        non_blank_plan(self.agents.plans.read(&path)).map(|_| path)
    }
}

/// The tools of an agent of this kind, of those that are there and of those that will join. Who names a tool that is not
/// ours may wait for it, and so needs the generic one; it opens nothing beyond the rest.
fn tools_of(tools: &ToolRegistry, kind: &AgentDefinition) -> ToolRegistry {
    let (all, kind) = (tools.snapshot(), kind.clone());
    let waits = kind.names_any_tool(|name| !all.is_builtin(name));
    tools.only(move |name| kind.allows_tool(name) || (waits && is_generic(name)))
}

fn not_started(why: String) -> AgentFailure {
    AgentFailure { why, report: None }
}

/// The narrower of what the kind wants and what its caller wants for it.
fn narrower(kind: Option<Mode>, asked: Option<Mode>) -> Option<Mode> {
    match (kind, asked) {
        (Some(kind), Some(asked)) => Some(kind.min(asked)),
        (one, other) => one.or(other),
    }
}

/// Why an agent did not come to its end, for its caller; nothing if it did.
fn failure(reason: &EndReason) -> Option<String> {
    match reason {
        EndReason::Done => None,
        EndReason::Refusal => Some("Its model, or the model's provider, declined to answer".to_owned()),
        EndReason::MaxTokens => Some("Its answer reached the output limit and was cut off".to_owned()),
        EndReason::Empty => Some("Its model answered with nothing".to_owned()),
        EndReason::Interrupted => Some("It was interrupted".to_owned()),
        EndReason::MaxTurns { limit } => Some(format!("It was stopped after {limit} answers")),
        EndReason::Provider { failure } => Some(format!("Its model did not answer: {}", failure.message)),
        EndReason::Hook { message } => Some(format!("A user hook stopped it: {message}")),
        EndReason::Stuck { message } | EndReason::Internal { message } => Some(message.clone()),
        EndReason::Planned { .. } | EndReason::NoPlan { .. } | EndReason::Parked | EndReason::Abandoned => {
            Some("It ended by submitting a plan".to_owned())
        }
    }
}
