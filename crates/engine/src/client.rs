//! What a front end holds.

use forelook_protocol::{Boxed, Command, Event, EventPort, Query, Refused, Reply, SessionPort};
use tokio::sync::{mpsc, oneshot};

use crate::hub::{EventStream, Hub};
use crate::session::Message;

/// The way into a session for a front end. Cheap to clone; any number of front ends may hold one.
#[derive(Clone)]
pub struct Client {
    pub(crate) messages: mpsc::Sender<Message>,
    pub(crate) hub: Hub,
}

impl Client {
    /// Sends a command and waits until it was taken (not until what it starts is over).
    pub async fn send(&self, command: Command) -> Result<(), Refused> {
        let (reply, taken) = oneshot::channel();
        self.messages.send(Message::Command(command, reply)).await.map_err(|_| Refused::Closed)?;
        taken.await.unwrap_or(Err(Refused::Closed))
    }

    /// Asks a question about the session.
    pub async fn query(&self, query: Query) -> Result<Reply, Refused> {
        let (reply, answer) = oneshot::channel();
        self.messages.send(Message::Query(query, reply)).await.map_err(|_| Refused::Closed)?;
        answer.await.map_err(|_| Refused::Closed)
    }

    /// Waits until the session has ended: all of it is written, and others may open it.
    pub async fn closed(&self) {
        self.messages.closed().await;
    }

    /// Another stream of events, from now on.
    pub fn events(&self) -> EventStream {
        self.hub.attach()
    }
}

impl SessionPort for Client {
    fn send(&self, command: Command) -> Boxed<'_, Result<(), Refused>> {
        Box::pin(Client::send(self, command))
    }

    fn query(&self, query: Query) -> Boxed<'_, Result<Reply, Refused>> {
        Box::pin(Client::query(self, query))
    }
}

impl EventPort for EventStream {
    fn next(&mut self) -> Boxed<'_, Event> {
        Box::pin(EventStream::next(self))
    }

    fn skip_pieces(&mut self) {
        EventStream::skip_pieces(self);
    }
}
