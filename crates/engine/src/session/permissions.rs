//! Changes of mode, of rules and of the model, and who is told of them.

use forelook_hooks::{HookEvent, HookPayload, PlanVerdict};
use forelook_permissions::{ModeTrigger, PlanTransition, TransitionError, transition};
use forelook_plan::plan_hash;
use forelook_protocol::{
    CommandError, Destination, EntryBody, LiveEvent, Mode, ModeChanged, ModelChanged, Notice, NoticeLevel,
    PermissionUpdate, PermissionsChanged, PlanAnswer, PlanReviewed, Reviewer,
};
use tokio_util::sync::CancellationToken;

use super::Session;
use crate::call::HookRunner;
use crate::handle::RecordError;

impl Session {
    pub(super) async fn set_mode(&mut self, change: ModeTrigger) -> Result<(), CommandError> {
        match self.change_mode(change).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(not)) => Err(CommandError::Mode(not.to_string())),
            Err(RecordError(message)) => Err(CommandError::Journal(message)),
        }
    }

    /// Every change of mode goes through here: computed by one pure function, written as one entry.
    pub(super) async fn change_mode(
        &mut self,
        change: ModeTrigger,
    ) -> Result<Result<(), TransitionError>, RecordError> {
        let changed = match transition(&self.state.mode_state, change, self.permission_state.conditions()) {
            Ok(changed) => changed,
            Err(not) => return Ok(Err(not)),
        };
        if changed.mode_state == self.state.mode_state {
            return Ok(Ok(()));
        }
        let (from, to) = (self.state.mode_state.mode(), changed.mode_state.mode());
        let why = changed.notice.as_ref().map(|notice| notice.text.clone());
        let set = EntryBody::ModeChanged(ModeChanged { mode_state: changed.mode_state, why: why.clone() });
        // The plan has its name before anybody is told that planning is on.
        let name = match PlanTransition::between(from, to) {
            PlanTransition::Enters => self.next_plan_name(),
            PlanTransition::Leaves | PlanTransition::Unchanged => None,
        };
        self.record(name.into_iter().chain([set]).collect()).await?;
        self.permission_state.bump_revision();
        if let Some(notice) = changed.notice {
            self.hub.live(LiveEvent::Notice(Notice { level: notice.level, text: notice.text }));
        }
        if from != to {
            self.notify_hooks(HookNotification::Mode { from, to, why: why.unwrap_or_default() });
            self.on_mode_changed(from, to).await?;
        }
        Ok(Ok(()))
    }

    /// Takes up what the settings say since they were last looked at.
    pub(super) async fn refresh_conditions(&mut self) -> Result<(), RecordError> {
        let Some(conditions) = self.permission_state.policy_store().changed() else { return Ok(()) };
        if self.permission_state.set_conditions(conditions) {
            // Settling refuses nothing: it only makes of a mode what can be had.
            let _ = self.change_mode(ModeTrigger::ConditionsChanged).await?;
        }
        Ok(())
    }

    /// Changes the permissions. What is to be saved is on the disk before anything follows from it.
    pub(super) async fn apply_updates(&mut self, updates: Vec<PermissionUpdate>) -> Result<(), CommandError> {
        // All or nothing: a change that cannot be made must not leave half of the answer in force.
        for update in &updates {
            self.permission_state.check(update).map_err(CommandError::Permission)?;
            if let PermissionUpdate::SetMode { mode, destination: Destination::Session } = update {
                let possible = transition(
                    &self.state.mode_state,
                    ModeTrigger::To(*mode),
                    self.permission_state.conditions(),
                );
                possible.map_err(|not| CommandError::Mode(not.to_string()))?;
            }
        }
        for update in updates {
            if let PermissionUpdate::SetMode { mode, destination: Destination::Session } = update {
                self.set_mode(ModeTrigger::To(mode)).await?;
                continue;
            }
            if !matches!(update.destination(), Destination::Session | Destination::CliArg) {
                let (policy_store, saved) = (self.permission_state.policy_store(), update.clone());
                let done = tokio::task::spawn_blocking(move || policy_store.save(&saved)).await;
                done.unwrap_or_else(|crash| Err(crash.to_string())).map_err(CommandError::Permission)?;
            }
            let body = EntryBody::PermissionsChanged(PermissionsChanged { update: update.clone() });
            self.record(vec![body]).await.map_err(|RecordError(message)| CommandError::Journal(message))?;
            self.permission_state.apply(&update);
            // There may be other files to hide.
            self.runtime.fences.mark_stale();
        }
        Ok(())
    }

    /// Runs hooks that only hear: beside the session, which waits for nobody.
    pub(super) fn notify_hooks(&mut self, notification: HookNotification) {
        let hooks = self.runtime.hooks.get();
        if !hooks.has_hook_for(notification.event()) {
            return;
        }
        let Ok(view) = self.view(None) else { return };
        let hub = self.hub.clone();
        self.listeners.spawn(async move {
            let cancel = CancellationToken::new();
            let runner = HookRunner { hooks: &hooks, view: &view, cancel: &cancel };
            let outcome = runner.run(notification.payload()).await;
            for text in outcome.messages.into_iter().chain(outcome.problems) {
                hub.live(LiveEvent::Notice(Notice { level: NoticeLevel::Info, text }));
            }
        });
    }

    pub(super) async fn set_model(&mut self, model: String) -> Result<(), CommandError> {
        let found = match self.config.models.resolve(&model) {
            Ok(choice) => choice.id,
            Err(why) => return Err(CommandError::Model { model, why }),
        };
        let recorded = self.record(vec![EntryBody::ModelChanged(ModelChanged { model: found })]).await;
        // Another model has cached nothing: its requests may begin with the tools that there are now.
        self.reset_tool_prefixes();
        recorded.map_err(|RecordError(message)| CommandError::Journal(message))
    }
}

/// What hooks that only hear are told.
pub(super) enum HookNotification {
    Mode {
        from: Mode,
        to: Mode,
        why: String,
    },
    Waiting(String),
    /// A review, with the hash of exactly the plan that it has.
    Reviewed(Box<PlanReviewed>, String),
    End,
}

impl HookNotification {
    /// A review was answered.
    pub(super) fn reviewed(reviewed: PlanReviewed) -> Self {
        // Not what was shown: the reviewer may have edited that, and hooks are sent what counts now.
        let hash = plan_hash(reviewed.plan.as_deref().unwrap_or_default());
        HookNotification::Reviewed(Box::new(reviewed), hash)
    }

    fn event(&self) -> HookEvent {
        match self {
            HookNotification::Mode { .. } => HookEvent::ModeChanged,
            HookNotification::Waiting(_) => HookEvent::Notification,
            HookNotification::Reviewed(..) => HookEvent::PlanReviewed,
            HookNotification::End => HookEvent::SessionEnd,
        }
    }

    fn payload(&self) -> HookPayload<'_> {
        match self {
            HookNotification::Mode { from, to, why } => {
                HookPayload::ModeChanged { from: *from, to: *to, why }
            }
            HookNotification::Waiting(message) => {
                HookPayload::Notification { message, notification_type: None }
            }
            HookNotification::Reviewed(reviewed, hash) => HookPayload::PlanReviewed {
                verdict: match reviewed.answer {
                    PlanAnswer::Approve(_) => PlanVerdict::Approved,
                    PlanAnswer::KeepPlanning { .. } => PlanVerdict::Rejected,
                    PlanAnswer::Park => PlanVerdict::Parked,
                    PlanAnswer::Abandon => PlanVerdict::Abandoned,
                    PlanAnswer::HandOver => PlanVerdict::HandedOver,
                },
                plan: reviewed.plan.as_deref().unwrap_or_default(),
                plan_hash: hash,
                by: match reviewed.by {
                    Reviewer::Person => "person",
                    Reviewer::Lead => "lead",
                    Reviewer::Policy => "policy",
                    Reviewer::Command => "command",
                },
            },
            HookNotification::End => HookPayload::SessionEnd { reason: "exit" },
        }
    }
}
