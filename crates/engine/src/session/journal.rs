//! Writing entries down: written, folded, told, in this order.

use std::sync::Arc;

use forelook_protocol::{AgentId, Body, Effect, Entry, EntryId, Event, Live, Notice, NoticeLevel};
use tokio::time::Instant;

use super::{SYNC_WITHIN, Session};
use crate::handle::NotRecorded;

impl Session {
    /// Writes entries of the main agent's.
    pub(super) async fn record(&mut self, bodies: Vec<Body>) -> Result<(), NotRecorded> {
        self.record_for(None, bodies).await
    }

    /// Writes entries, folds them, tells of them: in this order, one by one.
    pub(super) async fn record_for(
        &mut self,
        agent: Option<AgentId>,
        bodies: Vec<Body>,
    ) -> Result<(), NotRecorded> {
        for body in bodies {
            let entry = Entry {
                id: EntryId(self.config.ids.next()),
                parent: self.state.last,
                time: self.config.clock.now(),
                agent: agent.clone(),
                body,
            };
            self.journal.append(&entry).map_err(|error| NotRecorded(error.to_string()))?;
            if entry.body.must_reach_disk() {
                self.sync().await;
            } else {
                self.sync_due.get_or_insert_with(|| Instant::now() + SYNC_WITHIN);
            }
            self.state.apply(&entry);
            self.keep_todos(&entry);
            self.hub.publish(Event::Recorded(Arc::new(entry)));
        }
        Ok(())
    }

    /// The todo file is a copy for other programs; the journal has the truth, so a failure is only told.
    fn keep_todos(&self, entry: &Entry) {
        let Body::Finished(finished) = &entry.body else { return };
        if !finished.effects.iter().any(|effect| matches!(effect, Effect::SetTodos { .. })) {
            return;
        }
        let Some(thread) = self.state.thread(entry.agent.as_ref()) else { return };
        let agent = entry.agent.clone().unwrap_or_else(|| AgentId::from(self.state.session));
        if let Err(error) = self.config.store.write_todos(self.state.session, &agent, &thread.todos) {
            self.hub.live(Live::Notice(Notice { level: NoticeLevel::Warning, text: error.to_string() }));
        }
    }

    /// Waits until everything written is on the disk itself.
    pub(super) async fn sync(&mut self) {
        self.sync_due = None;
        let syncer = self.journal.syncer();
        let done = tokio::task::spawn_blocking(move || syncer.sync_data()).await.map_err(|it| it.to_string());
        if let Err(error) = done.and_then(|synced| synced.map_err(|error| error.to_string())) {
            let text = format!(
                "The journal could not be forced to the disk ({error}); a power cut now may lose its end"
            );
            self.hub.live(Live::Notice(Notice { level: NoticeLevel::Warning, text }));
        }
    }
}
