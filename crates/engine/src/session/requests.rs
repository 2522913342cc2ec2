//! What requests are made of, and what calls are told of the session.

use std::sync::Arc;

use forelook_permissions::{AgentKind, narrowed, plan_gate};
use forelook_plan::{Now, due, text};
use forelook_protocol::{AgentId, Body, Reminder};
use forelook_providers::{Remember, Request};
use forelook_tools::Place;

use super::authority::Asker;
use super::{Session, Subagent};
use crate::handle::{
    AgentRun, Basis, Begin, BeginOutcome, CallView, Finish, NotRecorded, RequestSnapshot, gone,
};
use crate::judge::Projected;
use crate::model::ModelChoice;

/// Above this much context, a planning model with a smaller window than the main one's is not used.
const LONG_CONTEXT: u64 = 200_000;

impl Session {
    /// What the next request of this agent is made of, with what it must be reminded of, and with `steer` what the person
    /// said meanwhile.
    pub(super) async fn next_request(
        &mut self,
        agent: Option<&AgentRun>,
        steer: bool,
    ) -> Result<RequestSnapshot, NotRecorded> {
        self.settle_conditions().await?;
        if agent.is_none() {
            if steer {
                self.take_steering(usize::MAX).await?;
            }
            self.tell_of_shells().await?;
            self.tell_of_running().await?;
            self.tell_what_holds();
        }
        self.remind(agent.map(|run| &run.id)).await?;
        let model = match agent {
            Some(run) => self.config.models.find(&run.model),
            None => self.model_now(),
        };
        let tools = self.offered(agent, model.as_ref().ok()).await?;
        let name = model.as_ref().map_or_else(|_| String::new(), |choice| choice.name.clone());
        let thread = self.state.thread(agent.map(|run| &run.id)).ok_or_else(gone)?;
        let messages = Arc::clone(thread.conversation.messages());
        let former = Arc::clone(thread.conversation.former());
        let system = Arc::clone(agent.map_or(&self.system, |run| &run.system));
        let request = Request { model: name, system, tools, messages, remember: Remember::Shortly, former };
        let fallback = self.config.fallback.as_ref().map(|name| self.config.models.find(name));
        let view = self.view(agent.map(|run| &run.id))?;
        Ok(RequestSnapshot { request, model, fallback: fallback.and_then(Result::ok), view })
    }

    /// The main agent's model: while planning the one that plans, unless the conversation is too long for it.
    fn model_now(&self) -> Result<ModelChoice, String> {
        let main = self.config.models.find(self.model());
        let planning = self.state.standing.is_planning();
        let Some(name) = self.config.planning.model.as_ref().filter(|_| planning) else { return main };
        let plans = match self.config.models.find(name) {
            Ok(plans) => plans,
            // Told when the session began; a session without it still plans.
            Err(_) => return main,
        };
        let long = self.state.main.context_tokens > LONG_CONTEXT;
        let window = |choice: &ModelChoice| choice.facts.window.unwrap_or(LONG_CONTEXT);
        match &main {
            Ok(choice) if long && window(&plans) < window(choice) => main,
            _ => Ok(plans),
        }
    }

    /// Writes down what this agent must be reminded of now: an entry is a message of the conversation.
    async fn remind(&mut self, agent: Option<&AgentId>) -> Result<(), NotRecorded> {
        let asker = self.asker(agent)?;
        let quiet = !asker.standing.is_planning()
            && !(agent.is_none()
                && (asker.standing.exit_reminder_due || asker.standing.auto_exit_reminder_due));
        if quiet {
            return Ok(());
        }
        let exists = asker.plan_file.as_ref().is_some_and(|path| self.config.planning.plans.exists(path));
        let now = Now {
            standing: &asker.standing,
            path: asker.plan_file.as_ref(),
            exists,
            subagent: agent.is_some(),
        };
        let thread = self.state.thread(agent).ok_or_else(gone)?;
        let kinds = due(&thread.reminded, &now);
        let workflow = &self.config.planning.workflow;
        let reminders = kinds.into_iter().map(|kind| {
            let text = text(&kind, workflow);
            Body::Reminder(Reminder { kind, text })
        });
        let reminders: Vec<Body> = reminders.collect();
        self.record_for(agent.cloned(), reminders).await
    }

    /// Mode and places, as they are at this moment.
    pub(super) fn view(&self, agent: Option<&AgentId>) -> Result<Arc<CallView>, NotRecorded> {
        let thread = self.state.thread(agent).ok_or_else(gone)?;
        let asker = self.asker(agent)?;
        Ok(Arc::new(CallView {
            session: self.state.session,
            transcript: self.journal.path().clone(),
            policy: self.authority.held(asker, &self.runtime.fences),
            epoch: self.runtime.shells.epoch(),
            revision: self.authority.revision,
            place: Place { project: self.state.folder.clone(), folder: thread.shell_folder.clone() },
            seen: thread.seen.clone(),
            agent: self.subagent(agent).map(|(id, agent)| (id.clone(), agent.started.kind.clone())),
            model: self.model().to_owned(),
            refused: thread.refused.as_ref().map(|it| (it.call.name.clone(), it.count)),
            entries: self.state.entries,
        }))
    }

    /// What was said so far, and by whom.
    pub(super) fn projection(&self, agent: Option<&AgentId>) -> Vec<Projected> {
        self.state.thread(agent).map(|thread| thread.conversation.projection()).unwrap_or_default()
    }

    /// Writes down that a call begins, unless what it was let through by no longer holds: then it is to be decided on
    /// again. Here and not in the turn, since only here nothing can come in between.
    pub(super) async fn begin_call(
        &mut self,
        agent: Option<AgentId>,
        begin: Begin,
    ) -> Result<BeginOutcome, NotRecorded> {
        let Begin { decided, started, basis, writes_plan } = begin;
        let standing = self.asker(agent.as_ref())?.standing;
        let holds = match basis {
            Basis::Always => true,
            Basis::Decided { revision } | Basis::Approved { revision, .. } => {
                revision == self.authority.revision
            }
        };
        if !holds || !plan_gate::may_begin(started.within, &standing) {
            return Ok(BeginOutcome::Stale(self.view(agent.as_ref())?));
        }
        if writes_plan {
            // What the person wrote there since is not lost by being overwritten.
            self.keep_plan().await?;
        }
        let bodies = decided.map(Body::Decision).into_iter().chain([Body::Started(started)]);
        self.record_for(agent, bodies.collect()).await?;
        Ok(BeginOutcome::Started)
    }

    /// Writes down what came of a call; how things stand then.
    pub(super) async fn finish_call(
        &mut self,
        agent: Option<AgentId>,
        finish: Finish,
    ) -> Result<Arc<CallView>, NotRecorded> {
        let Finish { decided, finished, writes_plan } = finish;
        let bodies = decided.map(Body::Decision).into_iter().chain([Body::Finished(finished)]);
        self.record_for(agent.clone(), bodies.collect()).await?;
        if writes_plan {
            self.keep_plan().await?;
        }
        self.view(agent.as_ref())
    }

    fn subagent<'a>(&'a self, agent: Option<&'a AgentId>) -> Option<(&'a AgentId, &'a Subagent)> {
        let id = agent?;
        self.state.agents.get(id).map(|agent| (id, agent))
    }

    /// Who asks: for a subagent its parent's mode or a narrower one, and a plan file of its own.
    pub(super) fn asker(&self, agent: Option<&AgentId>) -> Result<Asker, NotRecorded> {
        let standing = self.state.standing;
        let named = self.state.plan.named.as_ref();
        let Some(id) = agent else {
            let plan_file = named.map(|named| named.path.clone());
            return Ok(Asker { standing, kind: AgentKind::Main, plan_file });
        };
        let (_, subagent) = self.subagent(agent).ok_or_else(gone)?;
        let kind = if subagent.started.read_only { AgentKind::ReadOnly } else { AgentKind::Sub };
        let plan_file = named.map(|named| self.config.planning.plans.agent_path(&named.slug, id));
        Ok(Asker { standing: narrowed(standing, subagent.started.mode), kind, plan_file })
    }
}
