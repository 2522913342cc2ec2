//! What takes a while and is seen to beside everything else. Errands end with the program: nobody waits for them.
//! Commands are no errands: they keep their order, and the program waits for them (`sending.rs`).

use std::sync::Arc;

use forelook_protocol::{HostServices, Query, Reply, SessionPort};
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;

use crate::app::{Brought, Errand};

/// Errands on their way.
pub(crate) struct Errands {
    session: Arc<dyn SessionPort>,
    services: Arc<dyn HostServices>,
    out: FuturesUnordered<BoxFuture<'static, Brought>>,
}

impl Errands {
    pub(crate) fn new(session: Arc<dyn SessionPort>, services: Arc<dyn HostServices>) -> Self {
        Self { session, services, out: FuturesUnordered::new() }
    }

    pub(crate) fn send(&self, errand: Errand) {
        let (session, services) = (Arc::clone(&self.session), Arc::clone(&self.services));
        self.out.push(Box::pin(async move { see_to(errand, &*session, &*services).await }));
    }

    /// What the next one to end brings; never, if none is on its way.
    pub(crate) async fn next(&mut self) -> Brought {
        match self.out.next().await {
            Some(brought) => brought,
            None => std::future::pending().await,
        }
    }
}

async fn see_to(errand: Errand, session: &dyn SessionPort, services: &dyn HostServices) -> Brought {
    match errand {
        Errand::Ask(query) => Brought::Reply(session.query(query).await),
        Errand::Before(until) => match session.query(Query::Transcript { until }).await {
            Ok(Reply::Transcript(entries)) => Brought::Before(entries),
            _ => Brought::Before(Vec::new()),
        },
        Errand::Edit(text) => Brought::Edited(services.edit(text).await),
        Errand::Sessions => Brought::Sessions(services.sessions().await),
        Errand::History => Brought::History(services.history().await),
        Errand::Picture(path) => {
            let picture = services.picture(path.clone()).await;
            Brought::Picture(Some(path), picture)
        }
        Errand::CopiedPicture => Brought::Picture(None, services.copied_picture().await),
        Errand::Branch => Brought::Branch(services.branch().await),
        Errand::StatusLine(facts) => Brought::StatusLine(services.status_line(facts).await),
        Errand::Write { name, text } => Brought::Written(services.write(name, text).await),
        Errand::KeepTheme(name) => Brought::ThemeKept(services.keep_theme(name).await),
        Errand::Match(matching) => {
            let number = matching.ticket.number;
            // Beside the loop: a hundred thousand paths take longer than a key may.
            let best = tokio::task::spawn_blocking(move || matching.best()).await;
            Brought::Matches(number, best.unwrap_or_default())
        }
    }
}
