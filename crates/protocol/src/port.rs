//! How a front end connects to a session. The engine implements these traits, and front ends know nothing else about
//! it.

use std::pin::Pin;
use std::sync::Arc;

use crate::{Command, CommandAccepted, CommandError, Event, Query, Reply, SessionSnapshot};

/// A boxed future, so that the traits here can be used as trait objects.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The input side of a session.
pub trait SessionPort: Send + Sync {
    /// Sends a command. Returns when the command is accepted, not when what it starts is done. By then, every event
    /// that the command itself caused is in the front end's stream.
    fn send(&self, command: Command) -> BoxFuture<'_, Result<CommandAccepted, CommandError>>;

    /// Sends a query.
    fn query(&self, query: Query) -> BoxFuture<'_, Result<Reply, CommandError>>;
}

/// The output side of a session.
pub trait EventPort: Send {
    /// The next event. The last one is [`crate::LiveEvent::Closed`]; do not call this again after it.
    fn next(&mut self) -> BoxFuture<'_, Event>;

    /// Turns off partial responses, for front ends that show only complete ones and do not want to wake up for each
    /// part. Retries are still reported.
    fn skip_deltas(&mut self);
}

/// A front end's connection to a session. When all of it is dropped, the session knows that the front end is gone.
pub struct SessionConnection {
    /// The input side.
    pub session: Arc<dyn SessionPort>,
    /// The output side.
    pub events: Box<dyn EventPort>,
    /// The state when the front end attached.
    pub snapshot: SessionSnapshot,
}
