//! How a front end and a session meet: the engine implements these, and front ends know nothing else of it.

use std::pin::Pin;
use std::sync::Arc;

use crate::{Accepted, Command, Event, Query, Refused, Reply, Snapshot};

/// A future in a box, so that the traits here can be used as objects.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The way into a session.
pub trait SessionPort: Send + Sync {
    /// Sends a command; done when it was accepted, not when what it starts is over. By then every event that the command
    /// itself caused is waiting in the front end's stream.
    fn send(&self, command: Command) -> Boxed<'_, Result<Accepted, Refused>>;

    /// Asks how things stand.
    fn query(&self, query: Query) -> Boxed<'_, Result<Reply, Refused>>;
}

/// The way out of a session.
pub trait EventPort: Send {
    /// The next event. The last one is [`crate::Live::Closed`]; nothing may be asked for after it.
    fn next(&mut self) -> Boxed<'_, Event>;

    /// Says that pieces of answers are not wanted: whoever shows whole answers need not wake up for each of them. That
    /// an answer is asked for again is still told.
    fn skip_pieces(&mut self);
}

/// A front end's hold on a session. When all of it is dropped, the session knows that the front end is gone.
pub struct Attached {
    /// The way in.
    pub session: Arc<dyn SessionPort>,
    /// The way out.
    pub events: Box<dyn EventPort>,
    /// How things stood when it attached.
    pub snapshot: Snapshot,
}
