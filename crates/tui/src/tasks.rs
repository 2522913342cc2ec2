//! What takes a while and is seen to beside everything else. Tasks end with the program: nobody waits for them.
//! Commands are no tasks: they keep their order, and the program waits for them (`command_sender.rs`).

use std::sync::Arc;

use forelook_protocol::{HostServices, Query, Reply, SessionPort};
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;

use crate::app::{TaskResult, UiTask};

/// Tasks on their way.
pub(crate) struct TaskRunner {
    session: Arc<dyn SessionPort>,
    services: Arc<dyn HostServices>,
    running: FuturesUnordered<BoxFuture<'static, TaskResult>>,
    /// Whether one of them is an editor.
    is_editing: bool,
}

impl TaskRunner {
    pub(crate) fn new(session: Arc<dyn SessionPort>, services: Arc<dyn HostServices>) -> Self {
        Self { session, services, running: FuturesUnordered::new(), is_editing: false }
    }

    pub(crate) fn send(&mut self, task: UiTask) {
        self.is_editing |= matches!(task, UiTask::Edit(_));
        let (session, services) = (Arc::clone(&self.session), Arc::clone(&self.services));
        self.running.push(Box::pin(async move { run_task(task, &*session, &*services).await }));
    }

    /// What the next one to end brings; never, if none is on its way.
    pub(crate) async fn next(&mut self) -> TaskResult {
        let Some(result) = self.running.next().await else { return std::future::pending().await };
        self.is_editing &= !matches!(result, TaskResult::Edited(_));
        result
    }

    /// Whether the text that is being written is in an editor.
    pub(crate) fn is_editing(&self) -> bool {
        self.is_editing
    }
}

async fn run_task(task: UiTask, session: &dyn SessionPort, services: &dyn HostServices) -> TaskResult {
    match task {
        UiTask::Ask(query) => match session.query(query.clone()).await {
            Ok(reply) => TaskResult::Reply(reply),
            Err(why) => TaskResult::Refused(query, why),
        },
        UiTask::Journal(until) => match session.query(Query::Transcript { until }).await {
            Ok(Reply::Transcript(entries)) => TaskResult::Journal(entries),
            _ => TaskResult::Journal(Vec::new()),
        },
        UiTask::Edit(text) => TaskResult::Edited(services.edit(text).await),
        UiTask::Sessions => TaskResult::Sessions(services.sessions().await),
        UiTask::History => TaskResult::History(services.history().await),
        UiTask::Picture(path) => {
            let picture = services.picture(path.clone()).await;
            TaskResult::Picture(Some(path), picture)
        }
        UiTask::ClipboardPicture => TaskResult::Picture(None, services.clipboard_image().await),
        UiTask::Branch => TaskResult::Branch(services.branch().await),
        UiTask::StatusLine(facts) => TaskResult::StatusLine(services.status_line(facts).await),
        UiTask::Write { name, text } => TaskResult::Written(services.write(name, text).await),
        UiTask::SaveTheme(name) => TaskResult::ThemeSaved(services.save_theme(name).await),
        UiTask::Match(matching) => {
            let number = matching.ticket.number;
            // Beside the loop: a hundred thousand paths take longer than a key may.
            let best = tokio::task::spawn_blocking(move || matching.best()).await;
            TaskResult::Matches(number, best.unwrap_or_default())
        }
    }
}
