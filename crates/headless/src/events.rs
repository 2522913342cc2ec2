//! The events of a session, until it has ended.

use std::pin::pin;
use std::task::Poll;

use forelook_protocol::{Command, Event, EventPort, LiveEvent, SessionPort};

/// What a front end hears. After the last event nothing may be asked for any more, and here nothing is.
pub(crate) struct Events {
    port: Box<dyn EventPort>,
    over: bool,
}

impl Events {
    pub(crate) fn new(port: Box<dyn EventPort>) -> Self {
        Self { port, over: false }
    }

    pub(crate) fn skip_deltas(&mut self) {
        self.port.skip_deltas();
    }

    /// Whether the session has ended.
    pub(crate) fn over(&self) -> bool {
        self.over
    }

    /// The next event. May be dropped while it waits.
    pub(crate) async fn next(&mut self) -> Event {
        if self.over {
            return std::future::pending().await;
        }
        let event = self.port.next().await;
        self.over = matches!(event, Event::Live(LiveEvent::Closed));
        event
    }

    /// An event that is there already. Unconstrained: a task that has done much in one go is told by its runtime that
    /// nothing is ready, and an event that belongs before an answer would come after it.
    pub(crate) async fn waiting(&mut self) -> Option<Event> {
        let mut next = pin!(tokio::task::unconstrained(self.next()));
        std::future::poll_fn(|context| {
            Poll::Ready(match next.as_mut().poll(context) {
                Poll::Ready(event) => Some(event),
                Poll::Pending => None,
            })
        })
        .await
    }

    /// Ends the session, if it has not ended, and hears it out.
    pub(crate) async fn close(&mut self, session: &dyn SessionPort) {
        if !self.over && session.send(Command::Close).await.is_ok() {
            while !self.over {
                self.next().await;
            }
        }
    }
}
