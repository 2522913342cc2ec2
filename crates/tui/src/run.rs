//! The loop: what comes from the terminal and from the session goes into the program, and what it shows goes out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::EventStream;
use forelook_protocol::{Clock, Command, Event, EventPort, Live, Notice, Query, Reply, SessionPort};
use futures::{FutureExt, StreamExt};
use ratatui_core::layout::Size;

use crate::app::{App, Errand, Frame, Left, Wish};
use crate::errands::Errands;
use crate::lend::{Lender, Request};
use crate::machine::Machine;
use crate::term::{Depth, Guard, Input, Reflow, Screen, Writer, input};
use crate::theme::Theme;

/// Frames follow each other no faster than this, unless somebody types.
const FRAME: Duration = Duration::from_millis(16);
/// So many events are taken before anything is drawn.
const BATCH: usize = 2000;

/// What the terminal program needs.
pub struct Run {
    /// The session.
    pub session: Arc<dyn SessionPort>,
    /// Its events.
    pub events: Box<dyn EventPort>,
    /// What is said first, for the person.
    pub prompt: Option<String>,
    /// Whether the session is one from before.
    pub resumed: bool,
    /// What the person should know before anything else.
    pub notices: Vec<Notice>,
    /// What ages are told by.
    pub clock: Arc<dyn Clock>,
    /// What the terminal can do.
    pub terminal: Terminal,
    /// What is beyond the session and the terminal.
    pub machine: Arc<dyn Machine>,
    /// Asks for the terminal.
    pub lender: Lender,
    /// Each one is a wish to stop.
    pub signals: tokio::sync::mpsc::Receiver<()>,
}

/// What is known of the terminal.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// How many colours it has.
    pub colours: Colours,
    /// Whether rows that become too long for it are broken, as most do, or cut.
    pub reflows: bool,
}

/// How many colours a terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colours {
    /// None, or none are wanted.
    None,
    /// Sixteen.
    Sixteen,
    /// A palette of 256.
    Palette,
    /// Any.
    Full,
}

/// Why the program could not run.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// The terminal could not be used.
    #[error("The terminal cannot be used: {0}")]
    Terminal(#[from] std::io::Error),
    /// The session ended before it began.
    #[error("The session has ended")]
    Session,
}

/// Runs until the person leaves.
pub async fn run(run: Run) -> Result<Left, Failed> {
    let Ok(Reply::Status(status)) = run.session.query(Query::Status).await else {
        return Err(Failed::Session);
    };
    let guard = Guard::enter()?;
    let size = window()?;
    let app = App::new(&status, Theme::DARK, size, run.clock);
    let mut desk = Desk {
        app,
        screen: screen(run.terminal, size),
        writer: Writer::new(std::io::stdout())?,
        guard: Some(guard),
        errands: Errands::new(Arc::clone(&run.session), Arc::clone(&run.machine)),
        session: run.session,
        machine: run.machine,
        began: Instant::now(),
        drawn: None,
    };
    desk.draw();
    if run.resumed
        && let Ok(Reply::Transcript(entries)) = desk.session.query(Query::Transcript).await
    {
        desk.app.look_back(&entries, status.turns_due);
    }
    for notice in run.notices {
        desk.app.notice(notice);
    }
    // The next frame is drawn when this is back.
    desk.errands.send(Errand::History);
    let first = run.prompt.map(|words| desk.app.say(&words)).unwrap_or_default();
    let left = match desk.carry_out(first).await {
        Some(left) => left,
        None => desk.work(run.events, run.lender, run.signals).await,
    };
    desk.leave().await;
    Ok(left)
}

/// The screen that such a terminal has.
pub(crate) fn screen(terminal: Terminal, size: Size) -> Screen {
    let depth = match terminal.colours {
        Colours::None => Depth::None,
        Colours::Sixteen => Depth::Sixteen,
        Colours::Palette => Depth::Palette,
        Colours::Full => Depth::Full,
    };
    let reflow = if terminal.reflows { Reflow::Wraps } else { Reflow::Cuts };
    Screen::new(size, depth, reflow)
}

pub(crate) fn window() -> std::io::Result<Size> {
    let (width, height) = crossterm::terminal::size()?;
    Ok(Size::new(width.max(1), height.max(1)))
}

struct Desk {
    app: App,
    screen: Screen,
    writer: Writer,
    /// The terminal, while it is ours.
    guard: Option<Guard>,
    session: Arc<dyn SessionPort>,
    machine: Arc<dyn Machine>,
    errands: Errands,
    began: Instant,
    /// When the last frame was drawn.
    drawn: Option<Instant>,
}

impl Desk {
    async fn work(
        &mut self,
        mut events: Box<dyn EventPort>,
        mut lender: Lender,
        mut signals: tokio::sync::mpsc::Receiver<()>,
    ) -> Left {
        let mut keys = EventStream::new();
        // When a frame is due that has not been drawn.
        let mut due: Option<Instant> = None;
        loop {
            let wake = self.app.wakes_at().map(|at| self.began + Duration::from_millis(at));
            let wake = [due, wake].into_iter().flatten().min();
            let wishes = tokio::select! {
                biased;
                key = keys.next() => {
                    let Some(Ok(key)) = key else { return Left::Lost };
                    due = Some(Instant::now());
                    self.key(key)
                }
                event = events.next() => {
                    if !self.take(event, &mut events) {
                        return Left::Done;
                    }
                    let next = self.drawn.map_or_else(Instant::now, |drawn| drawn + FRAME);
                    due = Some(due.map_or(next, |due| due.min(next)));
                    self.app.wishes()
                }
                brought = self.errands.next() => {
                    due = Some(Instant::now());
                    self.app.brought(brought)
                }
                Some(request) = lender.0.recv() => {
                    drop(keys);
                    self.lend(request).await;
                    keys = EventStream::new();
                    due = Some(Instant::now());
                    Vec::new()
                }
                Some(()) = signals.recv() => return Left::Lost,
                () = self.writer.idle(), if due.is_some() && self.writer.is_busy() => Vec::new(),
                () = tokio::time::sleep_until(wake.unwrap_or_else(Instant::now).into()), if wake.is_some() => {
                    due = Some(Instant::now());
                    Vec::new()
                }
            };
            self.tick();
            if let Some(left) = self.carry_out(wishes).await {
                return left;
            }
            if due.is_some_and(|due| due <= Instant::now()) && !self.writer.is_busy() {
                self.draw();
                due = None;
            }
        }
    }

    fn tick(&mut self) {
        self.app.at(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX));
    }

    /// Takes an event and all that are there with it; false at the end.
    fn take(&mut self, first: Event, events: &mut Box<dyn EventPort>) -> bool {
        let mut next = Some(first);
        for _ in 0..BATCH {
            let Some(event) = next else { return true };
            if matches!(event, Event::Live(Live::Closed)) {
                return false;
            }
            self.app.event(&event);
            next = events.next().now_or_never();
        }
        if let Some(event) = next {
            self.app.event(&event);
        }
        true
    }

    /// A key or something like it.
    fn key(&mut self, event: crossterm::event::Event) -> Vec<Wish> {
        self.tick();
        let Some(input) = input(event) else { return Vec::new() };
        if input == Input::Resized {
            self.resize();
        }
        self.app.input(input)
    }

    fn resize(&mut self) {
        if let Ok(size) = window() {
            let cleared = self.screen.resized(size);
            self.writer.send(cleared);
            self.app.resized(size);
        }
    }

    /// Does what is wished for; how the program is left, if it is.
    async fn carry_out(&mut self, wishes: Vec<Wish>) -> Option<Left> {
        for wish in wishes {
            match wish {
                Wish::Send(command) => {
                    if let Err(refused) = self.session.send(command).await {
                        self.app.refused(&refused.to_string());
                    }
                }
                Wish::See(errand) => self.errands.send(errand),
                Wish::Remember(said) => self.machine.remember(&said),
                Wish::Escape(bytes) => self.write(bytes).await,
                Wish::Leave(left) => return Some(left),
                Wish::Suspend => {
                    self.give_back().await;
                    self.machine.suspend();
                    self.take_back();
                }
            }
        }
        None
    }

    /// Writes this when what is on its way has arrived.
    async fn write(&mut self, bytes: String) {
        while self.writer.is_busy() {
            self.writer.idle().await;
        }
        self.writer.send(bytes);
    }

    fn draw(&mut self) {
        let bytes = match self.app.frame() {
            Frame::Live { finished, live, cursor } => self.screen.frame(&finished, live, cursor),
            Frame::Page { page, cursor } => self.screen.page(page, cursor),
        };
        self.writer.send(bytes);
        self.drawn = Some(Instant::now());
    }

    /// The terminal is somebody else's until they give it back. What happens meanwhile waits in the session's stream.
    async fn lend(&mut self, request: Request) {
        self.give_back().await;
        let _ = request.grant().await;
        self.take_back();
    }

    async fn give_back(&mut self) {
        let bytes = self.screen.leave();
        self.write(bytes).await;
        while self.writer.is_busy() {
            self.writer.idle().await;
        }
        self.guard = None;
    }

    fn take_back(&mut self) {
        match Guard::enter() {
            Ok(guard) => self.guard = Some(guard),
            Err(error) => tracing::error!(%error, "The terminal could not be taken back"),
        }
        // The window may have another size by now, and no event told of it.
        self.resize();
    }

    async fn leave(&mut self) {
        self.give_back().await;
        let _ = self.session.send(Command::Close).await;
    }
}
