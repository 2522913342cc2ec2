//! What was rehearsed while planning: shown, made real after an approval, or thrown away.

use std::sync::Arc;

use forelook_permissions::{PermissionPolicy, decide};
use forelook_protocol::{
    AbsPath, Action, Decision, DecisionStep, EntryBody, Facts, FileRef, RehearsalApplied,
};
use tokio::task::spawn_blocking;

use super::Session;
use super::state::ApprovedRehearsal;
use crate::call::fence_inputs;
use crate::config::SessionStart;
use crate::handle::RecordError;

impl Session {
    /// Makes real what was approved to be, and writes down what came of it. That it was approved stands in the journal, so
    /// whoever is killed in between does it when the session is loaded.
    pub(super) async fn apply_rehearsal(&mut self) -> Result<(), RecordError> {
        let Some(approved) = self.state.rehearsal.to_apply.clone() else { return Ok(()) };
        let ApprovedRehearsal { hash, with_protected } = approved;
        let (fences, view, wanted) = (Arc::clone(&self.runtime.fences), self.view(None)?, hash.clone());
        // Waited for: nobody may see the new mode and the old files.
        let applied = spawn_blocking(move || {
            fences.apply(&wanted, with_protected, &|path| may_change(&view.policy, path))
        })
        .await;
        let applied = applied.unwrap_or_else(|crash| RehearsalApplied {
            failed: vec![(self.state.folder.clone(), format!("Failed inside Forelook: {crash}"))],
            hash,
            ..RehearsalApplied::default()
        });
        for (path, why) in &applied.failed {
            self.warn(&format!("The rehearsed change to `{path}` was not applied: {why}"));
        }
        let changed = applied.files.len();
        self.record(vec![EntryBody::RehearsalApplied(applied)]).await.map_err(|RecordError(why)| {
            RecordError(format!("{why}\nThe rehearsed changes to {changed} files were applied before that"))
        })
    }

    /// After loading: what was approved in another session is that session's to apply.
    pub(super) async fn resume_rehearsal(&mut self) -> Result<(), RecordError> {
        if let Ok(main) = self.policy_subject(None) {
            // What is protected is known before anybody looks at what was rehearsed.
            self.runtime.fences.remember(&fence_inputs(self.permission_state.policy(main)));
        }
        match &self.config.start {
            SessionStart::New(_) | SessionStart::Resume(_) => Ok(()),
            SessionStart::Fork(_) => {
                self.refuse_rehearsal("It was approved in the session that this one was forked from").await
            }
        }
    }

    /// Finishes what a killed program began. The user's new words may be "stop", so where there are some nothing is applied.
    pub(super) async fn finish_rehearsal(&mut self, has_new_words: bool) -> Result<(), RecordError> {
        if self.state.rehearsal.to_apply.is_none() {
            return Ok(());
        }
        match has_new_words {
            true => {
                self.warn(
                    "The rehearsed changes that you approved were not applied: Forelook ended before it could, and \
                     your new message comes first",
                );
                self.refuse_rehearsal(
                    "Forelook ended before it could, and the user's new message comes first",
                )
                .await?;
            }
            false => self.apply_rehearsal().await?,
        }
        if !self.state.mode_state.is_planning() {
            self.discard_rehearsal().await;
        }
        Ok(())
    }

    async fn refuse_rehearsal(&mut self, why: &str) -> Result<(), RecordError> {
        let Some(ApprovedRehearsal { hash, .. }) = self.state.rehearsal.to_apply.clone() else {
            return Ok(());
        };
        let failed = vec![(self.state.folder.clone(), why.to_owned())];
        let applied = RehearsalApplied { hash, files: Vec::new(), failed };
        self.record(vec![EntryBody::RehearsalApplied(applied)]).await
    }

    /// Throws the layer away, beside the session: a build in it may have left a lot. Whoever plans again before that is done
    /// waits for it, or their new layer would go with the old one.
    pub(super) async fn discard_rehearsal(&mut self) {
        let fences = Arc::clone(&self.runtime.fences);
        if !fences.may_have_overlay() || self.state.rehearsal.to_apply.is_some() {
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
