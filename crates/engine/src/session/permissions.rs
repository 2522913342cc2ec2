//! Changes of mode, of rules and of the model, and who is told of them.

use forelook_hooks::{Happening, HookEvent, Review};
use forelook_permissions::{Change, NotChanged, Turning, transition};
use forelook_protocol::{
    Body, Destination, Live, Mode, ModeSet, ModelSet, Notice, NoticeLevel, PermissionSet, PermissionUpdate,
    PlanAnswer, Refused, Reviewed, Reviewer,
};
use tokio_util::sync::CancellationToken;

use super::Session;
use crate::call::HookScene;
use crate::handle::NotRecorded;

impl Session {
    pub(super) async fn set_mode(&mut self, change: Change) -> Result<(), Refused> {
        match self.change_mode(change).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(not)) => Err(Refused::Mode(not.to_string())),
            Err(NotRecorded(message)) => Err(Refused::Journal(message)),
        }
    }

    /// Every change of mode goes through here: computed by one pure function, written as one entry.
    pub(super) async fn change_mode(
        &mut self,
        change: Change,
    ) -> Result<Result<(), NotChanged>, NotRecorded> {
        let changed = match transition(&self.state.standing, change, self.authority.conditions()) {
            Ok(changed) => changed,
            Err(not) => return Ok(Err(not)),
        };
        if changed.standing == self.state.standing {
            return Ok(Ok(()));
        }
        let (from, to) = (self.state.standing.mode(), changed.standing.mode());
        let why = changed.said.as_ref().map(|said| said.text.clone());
        let set = Body::Mode(ModeSet { standing: changed.standing, why: why.clone() });
        // The plan has its name before anybody is told that planning is on.
        let name = match Turning::between(from, to) {
            Turning::Begins => self.plan_name(),
            Turning::Ends | Turning::Stays => None,
        };
        self.record(name.into_iter().chain([set]).collect()).await?;
        self.authority.touch();
        if let Some(said) = changed.said {
            self.hub.live(Live::Notice(Notice { level: said.level, text: said.text }));
        }
        if from != to {
            self.tell_hooks(HookNews::Mode { from, to, why: why.unwrap_or_default() });
            self.mode_changed(from, to).await?;
        }
        Ok(Ok(()))
    }

    /// Takes up what the settings say since they were last looked at.
    pub(super) async fn settle_conditions(&mut self) -> Result<(), NotRecorded> {
        let Some(conditions) = self.authority.keeper().changed() else { return Ok(()) };
        if self.authority.set_conditions(conditions) {
            // Settling refuses nothing: it only makes of a mode what can be had.
            let _ = self.change_mode(Change::ConditionsChanged).await?;
        }
        Ok(())
    }

    /// Changes the permissions. What is to be saved is on the disk before anything follows from it.
    pub(super) async fn permit(&mut self, updates: Vec<PermissionUpdate>) -> Result<(), Refused> {
        // All or nothing: a change that cannot be made must not leave half of the answer in force.
        for update in &updates {
            self.authority.check(update).map_err(Refused::Permission)?;
            if let PermissionUpdate::SetMode { mode, destination: Destination::Session } = update {
                let possible =
                    transition(&self.state.standing, Change::To(*mode), self.authority.conditions());
                possible.map_err(|not| Refused::Mode(not.to_string()))?;
            }
        }
        for update in updates {
            if let PermissionUpdate::SetMode { mode, destination: Destination::Session } = update {
                self.set_mode(Change::To(mode)).await?;
                continue;
            }
            if !matches!(update.destination(), Destination::Session | Destination::CliArg) {
                let (keeper, saved) = (self.authority.keeper(), update.clone());
                let done = tokio::task::spawn_blocking(move || keeper.save(&saved)).await;
                done.unwrap_or_else(|crash| Err(crash.to_string())).map_err(Refused::Permission)?;
            }
            let body = Body::Permission(PermissionSet { update: update.clone() });
            self.record(vec![body]).await.map_err(|NotRecorded(message)| Refused::Journal(message))?;
            self.authority.apply(&update);
        }
        Ok(())
    }

    /// Runs hooks that only hear: beside the session, which waits for nobody.
    pub(super) fn tell_hooks(&mut self, news: HookNews) {
        let hooks = self.runtime.hooks.get();
        if !hooks.listen_to(news.event()) {
            return;
        }
        let Ok(view) = self.view(None) else { return };
        let hub = self.hub.clone();
        self.listeners.spawn(async move {
            let cancel = CancellationToken::new();
            let scene = HookScene { hooks: &hooks, view: &view, cancel: &cancel };
            let outcome = scene.run(news.happening()).await;
            for text in outcome.messages.into_iter().chain(outcome.problems) {
                hub.live(Live::Notice(Notice { level: NoticeLevel::Info, text }));
            }
        });
    }

    pub(super) async fn set_model(&mut self, model: String) -> Result<(), Refused> {
        let found = match self.config.models.find(&model) {
            Ok(choice) => choice.id,
            Err(why) => return Err(Refused::Model { model, why }),
        };
        let recorded = self.record(vec![Body::Model(ModelSet { model: found })]).await;
        // Another model has cached nothing: its requests may begin with the tools that there are now.
        self.forget_offer();
        recorded.map_err(|NotRecorded(message)| Refused::Journal(message))
    }
}

/// What hooks that only hear are told.
pub(super) enum HookNews {
    Mode { from: Mode, to: Mode, why: String },
    Waits(String),
    Reviewed(Box<Reviewed>),
    End,
}

impl HookNews {
    fn event(&self) -> HookEvent {
        match self {
            HookNews::Mode { .. } => HookEvent::ModeChanged,
            HookNews::Waits(_) => HookEvent::Notification,
            HookNews::Reviewed(_) => HookEvent::PlanReviewed,
            HookNews::End => HookEvent::SessionEnd,
        }
    }

    fn happening(&self) -> Happening<'_> {
        match self {
            HookNews::Mode { from, to, why } => Happening::ModeChanged { from: *from, to: *to, why },
            HookNews::Waits(message) => Happening::Notification { message, notification_type: None },
            HookNews::Reviewed(reviewed) => Happening::PlanReviewed {
                verdict: match reviewed.answer {
                    PlanAnswer::Approve(_) => Review::Approved,
                    _ => Review::Rejected,
                },
                plan: reviewed.plan.as_deref().unwrap_or_default(),
                plan_hash: &reviewed.shown,
                by: match reviewed.by {
                    Reviewer::Person => "person",
                    Reviewer::Lead => "lead",
                    Reviewer::Policy => "policy",
                    Reviewer::Command => "command",
                },
            },
            HookNews::End => Happening::SessionEnd { reason: "exit" },
        }
    }
}
