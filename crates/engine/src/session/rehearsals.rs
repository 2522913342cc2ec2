//! What was rehearsed while planning: shown, made real after an approval, or thrown away.

use std::sync::Arc;

use forelook_permissions::{PermissionPolicy, decide};
use forelook_protocol::{
    AbsPath, Action, Decision, DecisionStep, EntryBody, Facts, FileRef, RehearsalApplied,
};
use tokio::task::spawn_blocking;

use super::Session;
use crate::config::SessionStart;
use crate::handle::RecordError;

impl Session {
    /// Makes real what was approved to be, and writes down what came of it. That it was approved stands in the journal, so
    /// whoever is killed in between does it when the session is loaded.
    pub(super) async fn apply_rehearsal(&mut self) -> Result<(), RecordError> {
        let Some(hash) = self.state.rehearsal.to_apply.clone() else { return Ok(()) };
        let (fences, view, wanted) = (Arc::clone(&self.runtime.fences), self.view(None)?, hash.clone());
        // Waited for: nobody may see the new mode and the old files.
        let applied =
            spawn_blocking(move || fences.apply(&wanted, &|path| may_change(&view.policy, path))).await;
        let applied = applied.unwrap_or_else(|crash| RehearsalApplied {
            failed: vec![(self.state.folder.clone(), format!("Failed inside Forelook: {crash}"))],
            hash,
            ..RehearsalApplied::default()
        });
        for (path, why) in &applied.failed {
            self.warn(&format!("The rehearsed change to `{path}` was not applied: {why}"));
        }
        self.record(vec![EntryBody::RehearsalApplied(applied)]).await
    }

    /// After loading: finishes what a killed program began, and throws away what nobody plans with any more.
    pub(super) async fn resume_rehearsal(&mut self) -> Result<(), RecordError> {
        match (&self.config.start, self.state.rehearsal.to_apply.clone()) {
            (_, None) => {}
            (SessionStart::New(_) | SessionStart::Resume(_), Some(_)) => self.apply_rehearsal().await?,
            // The layer is the other session's, and so is what is to be done with it.
            (SessionStart::Fork(_), Some(hash)) => {
                let why = "It was approved in the session that this one was forked from".to_owned();
                let failed = vec![(self.state.folder.clone(), why)];
                let applied = RehearsalApplied { hash, files: Vec::new(), failed };
                self.record(vec![EntryBody::RehearsalApplied(applied)]).await?;
            }
        }
        Ok(())
    }

    /// Throws the layer away, beside the session: a build in it may have left a lot. Whoever plans again before that is done
    /// waits for it, or their new layer would go with the old one.
    pub(super) async fn discard_rehearsal(&mut self) {
        let fences = Arc::clone(&self.runtime.fences);
        if !fences.may_have_overlay() {
            return;
        }
        let guard = Arc::clone(&self.pre_plan.discarding).lock_owned().await;
        self.listeners.spawn(async move {
            if let Err(crash) = spawn_blocking(move || fences.discard()).await {
                tracing::error!(%crash, "a rehearsal could not be thrown away");
            }
            drop(guard);
        });
    }
}

/// Whether a file that was rehearsed may be changed. The person said yes to exactly this change; only a rule that forbids
/// it says more than they did.
fn may_change(policy: &PermissionPolicy, path: &AbsPath) -> Result<(), String> {
    let action = Action::Edit { file: FileRef::plain(path.clone()) };
    match decide(policy, "Edit", &action, &Facts::default()) {
        Decision::Deny(reason) if reason.step == DecisionStep::DenyRule => Err(reason.text),
        _ => Ok(()),
    }
}
