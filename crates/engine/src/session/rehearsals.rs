//! What was rehearsed while planning: shown, made real after an approval, or thrown away.

use std::sync::Arc;

use forelook_permissions::{Policy, decide};
use forelook_protocol::{AbsPath, Action, Body, Decision, Facts, FileRef, RehearsalApplied, Step};
use tokio::task::spawn_blocking;

use super::Session;
use crate::config::Start;
use crate::handle::NotRecorded;

impl Session {
    /// Makes real what was approved to be, and writes down what came of it. That it was approved stands in the journal, so
    /// whoever is killed in between does it when the session is loaded.
    pub(super) async fn apply_rehearsal(&mut self) -> Result<(), NotRecorded> {
        let Some(hash) = self.state.rehearsal.to_apply.clone() else { return Ok(()) };
        let (fences, view, wanted) = (Arc::clone(&self.runtime.fences), self.view(None)?, hash.clone());
        // Waited for: nobody may see the new mode and the old files.
        let applied =
            spawn_blocking(move || fences.apply(&wanted, &|path| may_change(&view.policy, path))).await;
        let applied = applied.unwrap_or_else(|crash| RehearsalApplied {
            failed: vec![(self.state.folder.clone(), format!("It failed inside Forelook: {crash}"))],
            hash,
            ..RehearsalApplied::default()
        });
        for (path, why) in &applied.failed {
            self.warn(&format!("What was rehearsed for `{path}` was not done: {why}"));
        }
        self.record(vec![Body::RehearsalApplied(applied)]).await
    }

    /// After loading: finishes what a killed program began, and throws away what nobody plans with any more.
    pub(super) async fn rehearsal_again(&mut self) -> Result<(), NotRecorded> {
        match (&self.config.start, self.state.rehearsal.to_apply.clone()) {
            (_, None) => {}
            (Start::New(_) | Start::Resume(_), Some(_)) => self.apply_rehearsal().await?,
            // The layer is the other session's, and so is what is to be done with it.
            (Start::Fork(_), Some(hash)) => {
                let why = "It was approved in another session, which this one was forked from".to_owned();
                let failed = vec![(self.state.folder.clone(), why)];
                let applied = RehearsalApplied { hash, files: Vec::new(), failed };
                self.record(vec![Body::RehearsalApplied(applied)]).await?;
            }
        }
        Ok(())
    }

    /// Throws the layer away, beside the session: a build in it may have left a lot. Whoever plans again before that is done
    /// waits for it, or their new layer would go with the old one.
    pub(super) async fn discard_rehearsal(&mut self) {
        let fences = Arc::clone(&self.runtime.fences);
        if !fences.may_have_layer() {
            return;
        }
        let guard = Arc::clone(&self.before.discarding).lock_owned().await;
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
fn may_change(policy: &Policy, path: &AbsPath) -> Result<(), String> {
    let action = Action::Edit { file: FileRef::plain(path.clone()) };
    match decide(policy, "Edit", &action, &Facts::default()) {
        Decision::Deny(reason) if reason.step == Step::DenyRule => Err(reason.text),
        _ => Ok(()),
    }
}
