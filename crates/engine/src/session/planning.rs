//! What planning begins and ends with: the fence stands, and what runs from before is asked about.

use std::sync::Arc;

use forelook_permissions::{PlanTransition, child_mode_state, plan_gate};
use forelook_protocol::{
    EntryBody, HostAnswer, HostAsk, HostRequest, Mode, QuestionOpened, Reminder, ReminderKind, RequestId,
    RunningShell,
};
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use super::Session;
use super::permissions::HookNotification;
use super::questions::notification_text;
use crate::config::SessionStart;
use crate::handle::RecordError;

/// What is known from before planning.
#[derive(Default)]
pub(super) struct PrePlanProcesses {
    /// Commands that go on, for the model's next request.
    kept_shells: Vec<RunningShell>,
    /// Whether the person has heard that nothing is held here.
    warned: bool,
    /// Held while an old rehearsal is thrown away.
    pub(super) discarding: Arc<Mutex<()>>,
}

impl Session {
    /// The mode is another one; whatever door it came through, this follows.
    pub(super) async fn on_mode_changed(&mut self, from: Mode, to: Mode) -> Result<(), RecordError> {
        match PlanTransition::between(from, to) {
            PlanTransition::Enters => {
                drop(self.pre_plan.discarding.lock().await);
                self.allow_rehearsals();
                self.raise_fence_ahead();
                self.ask_about_running().await
            }
            PlanTransition::Leaves => {
                self.allow_rehearsals();
                self.discard_unplanned_rehearsal().await;
                self.withdraw_review().await?;
                // Nothing is held any more, so there is nothing to ask: what runs goes on.
                self.close_running(HostAnswer::Outdated).await
            }
            PlanTransition::Unchanged => Ok(()),
        }
    }

    /// There are rehearsals while the session plans, and while an agent does that plans on its own.
    pub(super) fn allow_rehearsals(&self) {
        let allowed = plan_gate::allows_rehearsal(&self.state.mode_state) || self.has_planning_agent();
        self.runtime.fences.allow_rehearsals(allowed);
    }

    fn has_planning_agent(&self) -> bool {
        let session = self.state.mode_state;
        let mut agents = self.state.agents.values();
        agents.any(|agent| plan_gate::allows_rehearsal(&child_mode_state(session, agent.started.mode)))
    }

    /// An agent has ended: what it rehearsed goes with the last one that plans.
    pub(super) async fn agent_over(&mut self) {
        self.allow_rehearsals();
        self.discard_unplanned_rehearsal().await;
    }

    /// Throws away what was rehearsed, unless the session or an agent still plans: they share it.
    async fn discard_unplanned_rehearsal(&mut self) {
        if !plan_gate::allows_rehearsal(&self.state.mode_state) && !self.has_planning_agent() {
            self.discard_rehearsal().await;
        }
    }

    /// A session was loaded that was planning, or was not.
    pub(super) async fn resume_planning(&mut self, planned: bool) -> Result<(), RecordError> {
        self.sweep();
        self.allow_rehearsals();
        match (planned, self.state.mode_state.is_planning()) {
            (true, true) => {
                self.raise_fence_ahead();
                Ok(())
            }
            (false, true) => Ok(()),
            (_, false) => {
                if matches!(self.config.start, SessionStart::Resume(_)) {
                    self.discard_rehearsal().await;
                }
                Ok(())
            }
        }
    }

    /// Says, before the model is asked while planning, that nothing holds here; once.
    pub(super) fn warn_if_unsandboxed(&mut self) {
        if !self.state.mode_state.is_planning() || std::mem::replace(&mut self.pre_plan.warned, true) {
            return;
        }
        let report = self.runtime.fences.report(self.permission_state.workspace_scope());
        if !report.enforced {
            let why = report.layers.join("; ");
            self.warn(&format!(
                "The kernel enforces no sandbox here while planning. {why}\n\
                 Forelook asks you about every command whose text does not show that it only reads; `forelook doctor` \
                 shows what is missing"
            ));
        }
    }

    /// Asks what becomes of commands that run from before: nothing holds them. Only a yes keeps them.
    async fn ask_about_running(&mut self) -> Result<(), RecordError> {
        let shells = self.runtime.shells.begin_planning_epoch();
        if shells.is_empty() {
            // What hides from the list (a command that left its session) ends with its fence.
            self.end_workspace();
            return Ok(());
        }
        // No call waits for the answer, and so no turn does.
        let id = RequestId(self.config.ids.next());
        let question = HostRequest { id, call: None, agent: None, ask: HostAsk::Running { shells } };
        let responder = self.responder_for(&question.ask);
        let message = notification_text(&question.ask);
        self.record(vec![EntryBody::QuestionOpened(QuestionOpened { question })]).await?;
        match responder.waits() {
            true => {
                self.update_wait_deadline();
                self.notify_hooks(HookNotification::Waiting(message));
            }
            false => self.close_unanswered(id, HostAnswer::Nobody).await?,
        }
        Ok(())
    }

    fn end_workspace(&self) {
        if self.config.permissions.workspace.is_some() {
            let fences = Arc::clone(&self.runtime.fences);
            drop(spawn_blocking(move || {
                plan_gate::writable_confinements().for_each(|sandbox| fences.end(sandbox))
            }));
        }
    }

    fn open_running(&self) -> Option<RequestId> {
        let mut open = self.state.open.iter();
        open.find(|open| matches!(open.ask, HostAsk::Running { .. })).map(|open| open.id)
    }

    /// Closes the question about what runs, if it is open.
    pub(super) async fn close_running(&mut self, answer: HostAnswer) -> Result<(), RecordError> {
        match self.open_running() {
            Some(question) => self.close_unanswered(question, answer).await,
            None => Ok(()),
        }
    }

    /// What follows from the answer. Of what is stopped the model hears by itself: from the call that waited for it, or from
    /// its end.
    pub(super) fn running_answered(&mut self, answer: &HostAnswer) {
        let outside = self.runtime.shells.pre_plan_processes();
        match answer {
            HostAnswer::Outdated => return,
            // It ended by itself; what it left behind in its fence ends with that.
            _ if outside.is_empty() => return self.end_workspace(),
            HostAnswer::Allow { .. } => return self.pre_plan.kept_shells.extend(outside),
            HostAnswer::Nobody => self.warn(&format!(
                "Stopped because planning started and no one was available to keep it running:\n{}",
                list(&outside)
            )),
            _ => {}
        }
        let (shells, fences) = (Arc::clone(&self.runtime.shells), Arc::clone(&self.runtime.fences));
        // Beside the session: what does not listen to a polite word takes a moment to end.
        self.listeners.spawn(async move {
            shells.stop_pre_plan_processes().await;
            drop(spawn_blocking(move || {
                plan_gate::writable_confinements().for_each(|sandbox| fences.end(sandbox))
            }));
        });
    }

    /// Writes down, for the model, what goes on.
    pub(super) async fn remind_of_kept_shells(&mut self) -> Result<(), RecordError> {
        let kept_shells = std::mem::take(&mut self.pre_plan.kept_shells);
        if kept_shells.is_empty() {
            return Ok(());
        }
        let text = format!(
            "The user keeps these running while you plan. They started earlier, so nothing prevents them from \
             changing files: leave them alone.\n\
             {}",
            list(&kept_shells)
        );
        self.record(vec![EntryBody::Reminder(Reminder { kind: ReminderKind::PrePlanProcesses, text })]).await
    }

    /// What runs outside of the fence now, although planning is on.
    pub(super) fn shells_outside(&self) -> Vec<RunningShell> {
        match self.state.mode_state.is_planning() {
            true => self.runtime.shells.pre_plan_processes(),
            false => Vec::new(),
        }
    }
}

fn list(shells: &[RunningShell]) -> String {
    let line = |shell: &RunningShell| match &shell.id {
        Some(id) => format!("- `{id}`: {}", shell.command),
        None => format!("- {}", shell.command),
    };
    shells.iter().map(line).collect::<Vec<_>>().join("\n")
}
