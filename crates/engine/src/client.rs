//! How front ends come to a session.

use std::sync::Arc;

use forelook_protocol::{
    Accepted, Attached, Boxed, Command, Event, EventPort, FrontEnd, FrontEndId, Query, Refused, Reply,
    SessionPort,
};
use tokio::sync::{mpsc, oneshot};

use crate::handle::{Message, send_later};
use crate::hub::EventStream;

/// An open session. Cheap to clone; any number of front ends may attach.
#[derive(Clone)]
pub struct Client {
    messages: mpsc::Sender<Message>,
}

impl Client {
    pub(crate) fn new(messages: mpsc::Sender<Message>) -> Self {
        Self { messages }
    }

    /// Attaches a front end: it starts from how things stand now, and hears everything from then on.
    pub async fn attach(&self, front_end: FrontEnd) -> Result<Attached, Refused> {
        let (reply, attached) = oneshot::channel();
        let sent = self.messages.send(Message::Attach(front_end, reply)).await;
        sent.map_err(|_| Refused::Closed)?;
        let (snapshot, stream) = attached.await.map_err(|_| Refused::Closed)?;
        let port = Arc::new(FrontEndPort { messages: self.messages.clone(), id: snapshot.front_end });
        let events = Box::new(Events { stream, _port: Arc::clone(&port) });
        Ok(Attached { session: port, events, snapshot })
    }

    /// Waits until the session has ended: all of it is written, and others may open it.
    pub async fn closed(&self) {
        self.messages.closed().await;
    }
}

/// The place of one front end. When it is dropped, the session knows that the front end is gone.
struct FrontEndPort {
    messages: mpsc::Sender<Message>,
    id: FrontEndId,
}

impl Drop for FrontEndPort {
    fn drop(&mut self) {
        send_later(&self.messages, Message::Detach(self.id));
    }
}

impl SessionPort for FrontEndPort {
    fn send(&self, command: Command) -> Boxed<'_, Result<Accepted, Refused>> {
        Box::pin(async {
            let (reply, accepted) = oneshot::channel();
            let message = Message::Command(self.id, command, reply);
            self.messages.send(message).await.map_err(|_| Refused::Closed)?;
            accepted.await.unwrap_or(Err(Refused::Closed))
        })
    }

    fn query(&self, query: Query) -> Boxed<'_, Result<Reply, Refused>> {
        Box::pin(async {
            let (reply, answer) = oneshot::channel();
            self.messages.send(Message::Query(query, reply)).await.map_err(|_| Refused::Closed)?;
            answer.await.unwrap_or(Err(Refused::Closed))
        })
    }
}

struct Events {
    stream: EventStream,
    _port: Arc<FrontEndPort>,
}

impl EventPort for Events {
    fn next(&mut self) -> Boxed<'_, Event> {
        Box::pin(self.stream.next())
    }

    fn skip_pieces(&mut self) {
        self.stream.skip_pieces();
    }
}
