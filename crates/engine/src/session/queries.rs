//! What front ends want to know. Whatever takes a while is found out beside the session.

use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_protocol::{AbsPath, EntryId, Query, Refused, Reply, SessionId, Status};
use forelook_sessions::{Store, Transcript};
use forelook_tools::{Stop, project_files};
use tokio::sync::{Mutex, oneshot};

use super::Session;

/// For how long a list of files is good: somebody who names two of them is spared a second walk.
const FRESH: Duration = Duration::from_secs(5);

/// Names, and when they were found.
type Found = (Instant, Arc<[String]>);

/// The names of the project's files, as they were a moment ago.
#[derive(Default)]
pub(super) struct Files {
    /// Held while they are looked for, so that whoever asks meanwhile waits for the same walk.
    last: Arc<Mutex<Option<Found>>>,
    stop: Stop,
}

impl Drop for Files {
    fn drop(&mut self) {
        self.stop.set();
    }
}

impl Files {
    fn find(&self, folder: AbsPath, reply: oneshot::Sender<Result<Reply, Refused>>) {
        let (last, stop) = (Arc::clone(&self.last), self.stop.clone());
        tokio::spawn(async move {
            let mut last = last.lock().await;
            let found = match &*last {
                Some((at, files)) if at.elapsed() < FRESH => Arc::clone(files),
                _ => {
                    let walk = tokio::task::spawn_blocking(move || project_files(&folder, &stop));
                    let files: Arc<[String]> = walk.await.unwrap_or_default().into();
                    *last = Some((crate::clock::instant(), Arc::clone(&files)));
                    files
                }
            };
            // Nobody waits any more: that is no failure.
            let _ = reply.send(Ok(Reply::Files(found)));
        });
    }
}

impl Session {
    pub(super) fn query(&self, query: Query, reply: oneshot::Sender<Result<Reply, Refused>>) {
        match query {
            Query::Status => _ = reply.send(Ok(Reply::Status(self.status()))),
            Query::Models => {
                // A server on this machine may be asked for what it has.
                let models = Arc::clone(&self.config.models);
                tokio::task::spawn_blocking(move || reply.send(Ok(Reply::Models(models.list()))).is_ok());
            }
            Query::Files => self.files.find(self.state.folder.clone(), reply),
            Query::Fence => {
                let fences = Arc::clone(&self.runtime.fences);
                let (outside, at_home) = (self.outside(), self.authority.works_at_home());
                tokio::task::spawn_blocking(move || {
                    reply.send(Ok(Reply::Fence { report: fences.report(at_home), outside })).is_ok()
                });
            }
            Query::Hooks => _ = reply.send(Ok(Reply::Hooks(self.runtime.hooks.get().listed()))),
            Query::Rules => _ = reply.send(Ok(Reply::Rules(self.authority.rules()))),
            Query::Transcript { until } => {
                let (path, id) = (self.journal.path().clone(), self.state.session);
                tokio::task::spawn_blocking(move || reply.send(Ok(transcript(&path, id, until))).is_ok());
            }
            Query::Plan(query) => {
                let looking = self.plan_look();
                tokio::task::spawn_blocking(move || reply.send(looking.answer(query)).is_ok());
            }
        }
    }

    /// How much the model can read. Finding it out asks nobody: what is known of models comes with the program.
    fn window(&self) -> Option<u64> {
        self.config.models.find(self.model()).ok().and_then(|choice| choice.facts.window)
    }

    pub(super) fn status(&self) -> Status {
        Status {
            session: self.state.session,
            folder: self.state.folder.clone(),
            mode: self.state.standing.mode(),
            model: self.model().to_owned(),
            window: self.window(),
            tools: self.runtime.tools.snapshot().specs().iter().map(|spec| spec.name.clone()).collect(),
            spent: self.state.spent.clone(),
            todos: self.state.main.todos.clone(),
            plan: self.state.plan.named.as_ref().map(|named| named.path.clone()),
            agents: self.config.crew.kinds.iter().map(|kind| kind.name.clone()).collect(),
        }
    }
}

/// What stands in the file: every line is there as soon as it is written.
fn transcript(path: &AbsPath, id: SessionId, until: Option<EntryId>) -> Reply {
    let entries = match Store::read_at(path, id) {
        Ok(Transcript { entries, problems, .. }) => {
            for problem in problems {
                tracing::warn!(%problem, "A line of the journal was passed over");
            }
            entries
        }
        Err(error) => {
            tracing::warn!(%error, "The journal could not be read");
            Vec::new()
        }
    };
    let last = until.and_then(|until| entries.iter().position(|entry| entry.id == until));
    let count = last.map_or(entries.len(), |last| last + 1);
    Reply::Transcript(entries.into_iter().take(count).map(Arc::new).collect())
}
