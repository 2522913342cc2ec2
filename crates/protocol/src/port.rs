//! How a front end and a session meet: the engine implements these, and front ends know nothing else of it.

use std::pin::Pin;

use crate::{Command, Event, Query, Refused, Reply};

/// A future in a box, so that the traits here can be used as objects.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The way into a session.
pub trait SessionPort: Send + Sync {
    /// Sends a command; done when it was taken, not when what it starts is over.
    fn send(&self, command: Command) -> Boxed<'_, Result<(), Refused>>;

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
