//! How front ends come to a session.

use std::sync::Arc;

use forelook_protocol::{
    BoxFuture, Command, CommandAccepted, CommandError, Event, EventPort, FrontEnd, FrontEndId, Prompt, Query,
    Reply, SessionConnection, SessionPort, UserBlock,
};
use forelook_tools::picture_from_base64;
use tokio::sync::{mpsc, oneshot};

use crate::handle::{SessionMessage, send_detached};
use crate::hub::EventStream;

/// An open session. Cheap to clone; any number of front ends may attach.
#[derive(Clone)]
pub struct Client {
    messages: mpsc::Sender<SessionMessage>,
}

impl Client {
    pub(crate) fn new(messages: mpsc::Sender<SessionMessage>) -> Self {
        Self { messages }
    }

    /// Attaches a front end: it starts from how things stand now, and hears everything from then on.
    pub async fn attach(&self, front_end: FrontEnd) -> Result<SessionConnection, CommandError> {
        let (reply, attached) = oneshot::channel();
        let sent = self.messages.send(SessionMessage::Attach(front_end, reply)).await;
        sent.map_err(|_| CommandError::Closed)?;
        let (snapshot, stream) = attached.await.map_err(|_| CommandError::Closed)?;
        let port = Arc::new(FrontEndPort { messages: self.messages.clone(), id: snapshot.front_end });
        let events = Box::new(Events { stream, _port: Arc::clone(&port) });
        Ok(SessionConnection { session: port, events, snapshot })
    }

    /// Waits until the session has ended: all of it is written, and others may open it.
    pub async fn closed(&self) {
        self.messages.closed().await;
    }
}

/// The place of one front end. When it is dropped, the session knows that the front end is gone.
struct FrontEndPort {
    messages: mpsc::Sender<SessionMessage>,
    id: FrontEndId,
}

impl Drop for FrontEndPort {
    fn drop(&mut self) {
        send_detached(&self.messages, SessionMessage::Detach(self.id));
    }
}

impl SessionPort for FrontEndPort {
    fn send(&self, command: Command) -> BoxFuture<'_, Result<CommandAccepted, CommandError>> {
        Box::pin(async {
            let command = with_decoded_pictures(command).await?;
            let (reply, accepted) = oneshot::channel();
            let message = SessionMessage::Command(self.id, command, reply);
            self.messages.send(message).await.map_err(|_| CommandError::Closed)?;
            accepted.await.unwrap_or(Err(CommandError::Closed))
        })
    }

    fn query(&self, query: Query) -> BoxFuture<'_, Result<Reply, CommandError>> {
        Box::pin(async {
            let (reply, answer) = oneshot::channel();
            self.messages
                .send(SessionMessage::Query(query, reply))
                .await
                .map_err(|_| CommandError::Closed)?;
            answer.await.unwrap_or(Err(CommandError::Closed))
        })
    }
}

/// The command with its pictures as models take them. One that is none would be refused with every later request of the
/// session. Done here and not in the session: a large picture takes seconds, and meanwhile the session must hear others.
async fn with_decoded_pictures(command: Command) -> Result<Command, CommandError> {
    let is_picture = |block: &UserBlock| matches!(block, UserBlock::Image { .. });
    let prompt = match command {
        Command::Prompt(prompt) if prompt.content.iter().any(is_picture) => prompt,
        other => return Ok(other),
    };
    let decoded = tokio::task::spawn_blocking(|| decode_pictures(prompt)).await;
    decoded.map_err(|error| CommandError::BadPrompt(error.to_string()))?
}

fn decode_pictures(prompt: Prompt) -> Result<Command, CommandError> {
    let decoded = prompt.content.into_iter().map(|block| match block {
        UserBlock::Image { data, .. } => picture_from_base64(&data),
        block => Ok(block),
    });
    let content = decoded.collect::<Result<_, _>>();
    let content = content.map_err(|error| CommandError::BadPrompt(error.to_string()))?;
    Ok(Command::Prompt(Prompt { content, ..prompt }))
}

struct Events {
    stream: EventStream,
    _port: Arc<FrontEndPort>,
}

impl EventPort for Events {
    fn next(&mut self) -> BoxFuture<'_, Event> {
        Box::pin(self.stream.next())
    }

    fn skip_deltas(&mut self) {
        self.stream.skip_deltas();
    }
}
