//! Writing entries down: written, folded, told, in this order.

use std::sync::Arc;

use forelook_disk::DiskError;
use forelook_protocol::{
    AgentId, Entry, EntryBody, EntryId, Event, LiveEvent, Notice, NoticeLevel, SessionEffect,
};
use forelook_sessions::{FileLocation, SessionError};
use tokio::time::Instant;

use super::{SYNC_WITHIN, Session};
use crate::handle::RecordError;

impl Session {
    /// Writes entries of the main agent's.
    pub(super) async fn record(&mut self, bodies: Vec<EntryBody>) -> Result<(), RecordError> {
        self.record_for(None, bodies).await
    }

    /// Writes entries with one write, then folds them and tells of them, one by one.
    pub(super) async fn record_for(
        &mut self,
        agent: Option<AgentId>,
        bodies: Vec<EntryBody>,
    ) -> Result<(), RecordError> {
        if bodies.is_empty() {
            return Ok(());
        }
        let mut parent = self.state.last;
        let entries = bodies.into_iter().map(|body| {
            let id = EntryId(self.config.ids.next());
            let time = self.config.clock.now();
            Entry { id, parent: parent.replace(id), time, agent: agent.clone(), body }
        });
        let entries = entries.collect::<Vec<_>>();
        self.journal.append_all(&entries).map_err(|error| unwritten(&error))?;
        self.check_journal_place();
        if entries.iter().any(|entry| entry.body.must_reach_disk()) {
            self.sync().await;
        } else {
            self.sync_due.get_or_insert_with(|| Instant::now() + SYNC_WITHIN);
        }
        for entry in entries {
            self.state.apply(&entry);
            self.save_todos(&entry);
            self.hub.publish(Event::Recorded(Arc::new(entry)));
        }
        Ok(())
    }

    /// Says once if the journal is not where it was any more, or not ours alone. Writing to it still works, so nothing else
    /// would tell.
    ///
    /// The session does not begin a new journal in its place: whoever removed the folder may not want one there, and a
    /// journal without its beginning cannot be resumed.
    fn check_journal_place(&mut self) {
        if self.journal_lost {
            return;
        }
        let (path, location) = (self.journal.path(), self.journal.location());
        let text = match location {
            FileLocation::InPlace => return,
            FileLocation::Changed => format!(
                "The journal of this session was changed by another program: `{path}`\n\
                 The session goes on, but parts of it may be missing when it is resumed. Copy what you need from it before \
                 you leave"
            ),
            FileLocation::Removed => format!(
                "The journal of this session was removed: `{path}`\n\
                 The session goes on in memory, and is lost when Forelook exits. To keep the conversation, save it in the \
                 terminal program with `/export FILE`"
            ),
            FileLocation::Moved => format!(
                "The journal of this session was moved away or replaced: `{path}`\n\
                 The session still writes to the old file, wherever that is now, but `--continue` and `--resume` do not \
                 find it there. Move it back, or save the conversation in the terminal program with `/export FILE`"
            ),
        };
        self.journal_lost = true;
        self.hub.live(LiveEvent::JournalLost(Notice { level: NoticeLevel::Error, text }));
    }

    /// The todo file is a copy for other programs; the journal has the truth, so a failure is only told.
    fn save_todos(&self, entry: &Entry) {
        let EntryBody::ToolFinished(finished) = &entry.body else { return };
        if self.journal_lost {
            // It would be the beginning of a home folder that nobody wants, or of another session's.
            return;
        }
        if !finished.effects.iter().any(|effect| matches!(effect, SessionEffect::SetTodos { .. })) {
            return;
        }
        let Some(thread) = self.state.thread(entry.agent.as_ref()) else { return };
        let agent = entry.agent.clone().unwrap_or_else(|| AgentId::from(self.state.session));
        if let Err(error) = self.config.store.write_todos(self.state.session, &agent, &thread.todos) {
            let text = format!("The todo list stands in this session, but its file was not saved: {error}");
            self.hub.live(LiveEvent::Notice(Notice { level: NoticeLevel::Warning, text }));
        }
    }

    /// Waits until everything written is on the disk itself.
    pub(super) async fn sync(&mut self) {
        self.sync_due = None;
        let syncer = self.journal.syncer();
        let done = tokio::task::spawn_blocking(move || syncer.sync_data()).await.map_err(|it| it.to_string());
        let done = done.and_then(|synced| synced.map_err(|error| error.to_string()));
        // A folder that is gone cannot be synced; that has been said better.
        if let (Err(error), false) = (done, self.journal_lost) {
            let text = format!(
                "The journal could not be flushed to disk ({error}); a power failure now may lose its end"
            );
            self.hub.live(LiveEvent::Notice(Notice { level: NoticeLevel::Warning, text }));
        }
    }
}

/// Why an entry is not in the journal. What the disk says of a file that is full ("it was not changed") is true of the
/// journal, and whoever reads it takes it for their own files.
fn unwritten(error: &SessionError) -> RecordError {
    RecordError(match error {
        SessionError::Disk(DiskError::Full { path }) => format!(
            "The disk is full: cannot write the session's journal `{}`\nFree some space and try again",
            path.display()
        ),
        error => error.to_string(),
    })
}
