//! What requests are made of, and what calls are told of the session.

use std::sync::Arc;

use forelook_permissions::{AgentKind, child_mode_state, plan_gate};
use forelook_plan::{PlanFile, ReaderTools, ReminderContext, ReminderReader, due_reminders, reminder_text};
use forelook_protocol::{AgentId, EntryBody, Reminder};
use forelook_providers::{CacheTtl, Request};
use forelook_tools::CallLocation;

use super::permission_state::PolicySubject;
use super::{Session, Subagent};
use crate::classifier::AuthoredMessage;
use crate::handle::{
    AgentRun, CallFinish, CallStart, CallStartOutcome, CallView, PermitBasis, RecordError, RequestSnapshot,
    session_ended,
};
use crate::model::ResolvedModel;

/// Above this much context, a planning model with a smaller window than the main one's is not used.
const LONG_CONTEXT: u64 = 200_000;

impl Session {
    /// What the next request of this agent is made of, with what it must be reminded of, and with `steer` what the person
    /// said meanwhile.
    pub(super) async fn next_request(
        &mut self,
        agent: Option<&AgentRun>,
        steer: bool,
    ) -> Result<RequestSnapshot, RecordError> {
        self.refresh_conditions().await?;
        let names_files = steer && agent.is_none() && self.steering_names_files();
        if agent.is_none() {
            if steer && !names_files {
                self.take_steering(usize::MAX).await?;
            }
            self.remind_of_kept_shells().await?;
            self.warn_if_unsandboxed();
        }
        self.remind_of_ended_shells(agent.map(|run| &run.id)).await?;
        self.remind(agent).await?;
        let model = match agent {
            Some(run) => self.config.models.resolve(&run.model),
            None => self.model_now(),
        };
        let tools = self.request_tools(agent, model.as_ref().ok()).await?;
        let name = model.as_ref().map_or_else(|_| String::new(), |choice| choice.name.clone());
        let thread = self.state.thread(agent.map(|run| &run.id)).ok_or_else(session_ended)?;
        let messages = Arc::clone(thread.conversation.messages());
        let previous_body = Arc::clone(thread.conversation.previous_body());
        let system = agent.map_or_else(|| self.runtime.prompt.blocks(), |run| Arc::clone(&run.system));
        let request =
            Request { model: name, system, tools, messages, cache_ttl: CacheTtl::Short, previous_body };
        let context = self.context_estimate(agent, &request, model.as_ref().ok())?;
        let fallback = self.config.fallback.as_ref().map(|name| self.config.models.resolve(name));
        let view = self.view(agent.map(|run| &run.id))?;
        let fallback = fallback.and_then(Result::ok);
        let compact = self.due_compaction(agent, context)?;
        let steering_names_files = names_files;
        Ok(RequestSnapshot { request, model, fallback, view, compact, context, steering_names_files })
    }

    /// The main agent's model: while planning the one that plans, unless the conversation is too long for it.
    fn model_now(&self) -> Result<ResolvedModel, String> {
        let main = self.config.models.resolve(self.model());
        let planning = self.state.mode_state.is_planning();
        let Some(name) = self.config.planning.model.as_ref().filter(|_| planning) else { return main };
        let plans = match self.config.models.resolve(name) {
            Ok(plans) => plans,
            // Told when the session began; a session without it still plans.
            Err(_) => return main,
        };
        let long = self.state.main.context_tokens > LONG_CONTEXT;
        let window = |choice: &ResolvedModel| choice.facts.window.unwrap_or(LONG_CONTEXT);
        match &main {
            Ok(choice) if long && window(&plans) < window(choice) => main,
            _ => Ok(plans),
        }
    }

    /// Writes down what this agent must be reminded of now: an entry is a message of the conversation.
    async fn remind(&mut self, run: Option<&AgentRun>) -> Result<(), RecordError> {
        let agent = run.map(|run| &run.id);
        let policy_subject = self.policy_subject(agent)?;
        let quiet = !policy_subject.mode_state.is_planning()
            && !(agent.is_none()
                && (policy_subject.mode_state.exit_reminder_due
                    || policy_subject.mode_state.auto_exit_reminder_due));
        if quiet {
            return Ok(());
        }
        let path = policy_subject.plan_file.as_ref();
        let file = path.map_or(PlanFile::Missing, |path| self.config.planning.plans.look(path));
        let planning = policy_subject.mode_state.is_planning();
        let toolbox = run.map_or_else(|| self.runtime.tools.snapshot(), |run| run.tools.snapshot());
        let tools = ReaderTools::of(|name| toolbox.has(name));
        let now = ReminderContext {
            mode_state: &policy_subject.mode_state,
            path,
            file: &file,
            reader: run.map_or(ReminderReader::Main, |_| ReminderReader::Subagent { writes: tools.writes() }),
            rehearsals: planning && self.runtime.fences.capabilities().rehearsal,
        };
        let thread = self.state.thread(agent).ok_or_else(session_ended)?;
        let kinds = due_reminders(&thread.reminders, &now);
        let workflow = &self.config.planning.workflow;
        let reminders = kinds.into_iter().map(|kind| {
            let text = reminder_text(&kind, workflow, &tools);
            EntryBody::Reminder(Reminder { kind, text })
        });
        let reminders: Vec<EntryBody> = reminders.collect();
        self.record_for(agent.cloned(), reminders).await
    }

    /// Mode and places, as they are at this moment.
    pub(super) fn view(&self, agent: Option<&AgentId>) -> Result<Arc<CallView>, RecordError> {
        let thread = self.state.thread(agent).ok_or_else(session_ended)?;
        let policy_subject = self.policy_subject(agent)?;
        Ok(Arc::new(CallView {
            session: self.state.session,
            transcript: self.journal.path().clone(),
            policy: self.permission_state.policy(policy_subject),
            epoch: self.runtime.shells.epoch(),
            revision: self.permission_state.revision(),
            place: CallLocation {
                project: self.state.folder.clone(),
                folder: thread.shell_folder.clone(),
                agent: agent.cloned(),
            },
            seen: thread.seen.clone(),
            agent: self.subagent(agent).map(|(id, agent)| (id.clone(), agent.started.kind.clone())),
            model: self.model().to_owned(),
            refused: thread.refused.as_ref().map(|it| (it.call.name.clone(), it.count)),
            changed_files: Arc::clone(&self.state.changed_files),
            entries: self.state.entries,
        }))
    }

    /// What was said so far, and by whom.
    pub(super) fn authored_messages(&self, agent: Option<&AgentId>) -> Vec<AuthoredMessage> {
        self.state.thread(agent).map(|thread| thread.conversation.authored_messages()).unwrap_or_default()
    }

    /// Writes down that a call begins, unless what it was let through by no longer holds: then it is to be decided on
    /// again. Here and not in the turn, since only here nothing can come in between.
    pub(super) async fn begin_call(
        &mut self,
        agent: Option<AgentId>,
        begin: CallStart,
    ) -> Result<CallStartOutcome, RecordError> {
        let CallStart { decided, started, basis, writes_plan } = begin;
        let mode_state = self.policy_subject(agent.as_ref())?.mode_state;
        let holds = match basis {
            PermitBasis::Always => true,
            PermitBasis::Decided { revision } | PermitBasis::Approved { revision, .. } => {
                revision == self.permission_state.revision()
            }
        };
        if !holds || !plan_gate::may_start(started.sandbox, &mode_state) {
            return Ok(CallStartOutcome::Stale(self.view(agent.as_ref())?));
        }
        if writes_plan {
            // What the person wrote there since is not lost by being overwritten.
            self.save_plan_revision().await?;
        }
        let bodies =
            decided.map(EntryBody::PermissionDecided).into_iter().chain([EntryBody::ToolStarted(started)]);
        self.record_for(agent, bodies.collect()).await?;
        Ok(CallStartOutcome::Started)
    }

    /// Writes down what came of a call; how things stand then.
    pub(super) async fn finish_call(
        &mut self,
        agent: Option<AgentId>,
        finish: CallFinish,
    ) -> Result<Arc<CallView>, RecordError> {
        let CallFinish { decided, finished, writes_plan } = finish;
        let bodies =
            decided.map(EntryBody::PermissionDecided).into_iter().chain([EntryBody::ToolFinished(finished)]);
        self.record_for(agent.clone(), bodies.collect()).await?;
        // One that ended before it was written down that it runs.
        self.record_ended_shells().await?;
        if writes_plan {
            self.save_plan_revision().await?;
        }
        self.view(agent.as_ref())
    }

    fn subagent<'a>(&'a self, agent: Option<&'a AgentId>) -> Option<(&'a AgentId, &'a Subagent)> {
        let id = agent?;
        self.state.agents.get(id).map(|agent| (id, agent))
    }

    /// Who asks: for a subagent its parent's mode or a narrower one, and a plan file of its own.
    pub(super) fn policy_subject(&self, agent: Option<&AgentId>) -> Result<PolicySubject, RecordError> {
        let mode_state = self.state.mode_state;
        let named = self.state.plan.named.as_ref();
        let Some(id) = agent else {
            let plan_file = named.map(|named| named.path.clone());
            return Ok(PolicySubject { mode_state, kind: AgentKind::Main, plan_file });
        };
        let (_, subagent) = self.subagent(agent).ok_or_else(session_ended)?;
        let kind = if subagent.started.read_only { AgentKind::ReadOnly } else { AgentKind::Sub };
        let plan_file = named.map(|named| self.config.planning.plans.agent_path(&named.slug, id));
        Ok(PolicySubject { mode_state: child_mode_state(mode_state, subagent.started.mode), kind, plan_file })
    }
}
