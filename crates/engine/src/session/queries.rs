//! What front ends want to know. Whatever takes a while is found out beside the session.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_fences::list_set_aside;
use forelook_protocol::{AbsPath, CommandError, Entry, EntryId, Mode, Query, Reply, SetAsideFile, Status};
use forelook_sessions::{JournalReader, Transcript};
use forelook_tools::{StopFlag, project_files};
use tokio::sync::{Mutex, oneshot};

use super::Session;
use super::changes::changes;
use crate::agents::AgentDefinition;

/// For how long a list of files is good: somebody who names two of them is spared a second walk.
const CACHE_TTL: Duration = Duration::from_secs(5);

/// Names, and when they were found.
type CachedFiles = (Instant, Arc<[String]>);

/// The names of the project's files, as they were a moment ago.
#[derive(Default)]
pub(super) struct FileIndex {
    /// Held while they are looked for, so that whoever asks meanwhile waits for the same walk.
    last: Arc<Mutex<Option<CachedFiles>>>,
    stop: StopFlag,
}

impl Drop for FileIndex {
    fn drop(&mut self) {
        self.stop.set();
    }
}

impl FileIndex {
    fn find(&self, folder: AbsPath, reply: oneshot::Sender<Result<Reply, CommandError>>) {
        let (last, stop) = (Arc::clone(&self.last), self.stop.clone());
        tokio::spawn(async move {
            let mut last = last.lock().await;
            let found = match &*last {
                Some((at, files)) if at.elapsed() < CACHE_TTL => Arc::clone(files),
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
    pub(super) fn query(&self, query: Query, reply: oneshot::Sender<Result<Reply, CommandError>>) {
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
                let (outside, scope) = (self.shells_outside(), self.permission_state.workspace_scope());
                tokio::task::spawn_blocking(move || {
                    reply.send(Ok(Reply::Fence { report: fences.report(scope), outside })).is_ok()
                });
            }
            Query::Hooks => _ = reply.send(Ok(Reply::Hooks(self.runtime.hooks.get().list()))),
            Query::Settings => _ = reply.send(Ok(Reply::Settings(self.config.services.settings()))),
            Query::Trust => _ = reply.send(Ok(Reply::Trust(self.config.services.trust()))),
            Query::CheckRules { request, rules } => match self.rule_checker(request, rules) {
                Ok(checker) => {
                    tokio::spawn(
                        async move { reply.send(Ok(Reply::CheckRules(checker.check().await))).is_ok() },
                    );
                }
                Err(refused) => _ = reply.send(Err(refused)),
            },
            Query::Rules => _ = reply.send(Ok(Reply::Rules(self.permission_state.rules()))),
            Query::Transcript { until } => {
                let journal = self.journal.reader(self.state.session);
                tokio::task::spawn_blocking(move || reply.send(transcript(&journal, until)).is_ok());
            }
            Query::Changes => {
                let (journal, folder) = (self.journal.reader(self.state.session), self.state.folder.clone());
                tokio::task::spawn_blocking(move || {
                    let changes = entries(&journal).map(|entries| changes(&folder, &entries));
                    reply.send(changes.map(Reply::Changes)).is_ok()
                });
            }
            Query::Tasks => _ = reply.send(Ok(Reply::Tasks(self.tasks()))),
            Query::Context => _ = reply.send(Ok(Reply::Context(self.context_usage()))),
            Query::TaskOutput(task) => self.task_output(task, reply),
            Query::SetAside => {
                let (folder, folders) = (self.config.fences.set_aside.clone(), self.working_folders());
                tokio::task::spawn_blocking(move || {
                    reply.send(Ok(Reply::SetAside(set_aside(&folder, &folders)))).is_ok()
                });
            }
            Query::Plan(query) => {
                let handler = self.plan_query_handler();
                tokio::task::spawn_blocking(move || reply.send(handler.answer(query)).is_ok());
            }
        }
    }

    /// How much the model can read. Finding it out asks nobody: what is known of models comes with the program.
    fn window(&self) -> Option<u64> {
        self.config.models.resolve(self.model()).ok().and_then(|choice| choice.facts.window)
    }

    /// The modes that a person cannot have now, and why.
    fn unavailable_modes(&self) -> BTreeMap<Mode, String> {
        let conditions = self.permission_state.conditions();
        let now = self.state.mode_state.mode();
        let others = Mode::ALL.into_iter().filter(|mode| *mode != now);
        others.filter_map(|mode| Some((mode, conditions.available(mode).err()?))).collect()
    }

    pub(super) fn status(&self) -> Status {
        Status {
            session: self.state.session,
            folder: self.state.folder.clone(),
            mode: self.state.mode_state.mode(),
            model: self.model().to_owned(),
            window: self.window(),
            tools: self.runtime.tools.snapshot().specs().iter().map(|spec| spec.name.clone()).collect(),
            spent: self.state.spent.clone(),
            todos: self.state.main.todos.clone(),
            plan: self.state.plan.named.as_ref().map(|named| named.path.clone()),
            agents: self.config.agent_catalog.kinds.iter().map(AgentDefinition::info).collect(),
            unavailable_modes: self.unavailable_modes(),
        }
    }
}

/// What was moved out of these folders, in any session.
fn set_aside(kept_in: &AbsPath, folders: &[AbsPath]) -> Vec<SetAsideFile> {
    let is_here = |item: &SetAsideFile| folders.iter().any(|folder| item.from.is_inside(folder));
    list_set_aside(kept_in).into_iter().filter(is_here).collect()
}

/// What stands in the file: every line is there as soon as it is written. The file is read that we write, whatever has its
/// name now: a conversation whose journal was removed can still be saved elsewhere.
fn transcript(journal: &JournalReader, until: Option<EntryId>) -> Result<Reply, CommandError> {
    let entries = entries(journal)?;
    let last = until.and_then(|until| entries.iter().position(|entry| entry.id == until));
    let count = last.map_or(entries.len(), |last| last + 1);
    Ok(Reply::Transcript(entries.into_iter().take(count).map(Arc::new).collect()))
}

/// All entries. Where they cannot be read, that is said: an empty list would read as if nothing had happened.
fn entries(journal: &JournalReader) -> Result<Vec<Entry>, CommandError> {
    let Transcript { entries, problems, .. } = journal.read().map_err(|error| {
        tracing::warn!(%error, "The journal could not be read");
        CommandError::Journal(format!("The journal of this session could not be read: {error}"))
    })?;
    for problem in problems {
        tracing::warn!(%problem, "A line of the journal was skipped");
    }
    Ok(entries)
}
