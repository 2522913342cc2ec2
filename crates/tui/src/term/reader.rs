//! Reads the terminal on a thread of its own. What reads for us never comes back from a terminal that is gone: on the
//! thread that all tasks share, nobody would be left to end the program.

use std::io;
use std::time::Duration;

use crossterm::event::{Event, EventStream};
use futures::StreamExt;
use tokio::sync::{mpsc, oneshot};

use super::guard::PATIENCE;

/// So many keys may wait before the terminal does; pastes come as one.
const WAITING: usize = 64;

/// What comes from the terminal.
#[derive(Debug)]
pub(crate) struct Reader {
    events: mpsc::Receiver<io::Result<Event>>,
    /// Ends the reading when it is dropped.
    stop: oneshot::Sender<()>,
}

impl Reader {
    /// Begins to read.
    pub(crate) fn begin() -> io::Result<Self> {
        let (sender, events) = mpsc::channel(WAITING);
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let read = move || runtime.block_on(read(&sender, stopped));
        std::thread::Builder::new().name("keys".to_owned()).spawn(read)?;
        Ok(Self { events, stop })
    }

    /// What comes next; nothing if the terminal is gone.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        self.events.recv().await?.ok()
    }

    /// Stops, so that somebody else can read; what was read and nobody has taken.
    pub(crate) async fn end(mut self) -> Vec<Event> {
        drop(self.stop);
        let mut rest = Vec::new();
        let over = async {
            while let Some(event) = self.events.recv().await {
                rest.extend(event.ok());
            }
        };
        let _ = tokio::time::timeout(PATIENCE, over).await;
        rest
    }
}

async fn read(sender: &mpsc::Sender<io::Result<Event>>, stopped: oneshot::Receiver<()>) {
    let mut stream = EventStream::new();
    pass_on(&mut stream, sender, stopped).await;
    drop(stream);
    // Its end wakes whoever waits for keys. Where nobody did, that stays behind for the next reader, which then passes
    // over the keys that were typed before it began, until another one is.
    let _ = crossterm::event::poll(Duration::ZERO);
}

async fn pass_on(
    stream: &mut EventStream,
    sender: &mpsc::Sender<io::Result<Event>>,
    mut stopped: oneshot::Receiver<()>,
) {
    loop {
        let event = tokio::select! {
            biased;
            _ = &mut stopped => return,
            event = stream.next() => event,
        };
        let Some(event) = event else { return };
        if sender.send(event).await.is_err() {
            return;
        }
    }
}
