//! The loop: what comes from the terminal and from the session goes into the program, and what it shows goes out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::EventStream;
use forelook_protocol::{Command, Event, EventPort, Live, Notice, Prompt, Query, Reply, SessionPort, UserBlock};
use futures::{FutureExt, StreamExt};
use ratatui_core::layout::Size;

use crate::app::{App, Wish};
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
    /// What the person should know before anything else.
    pub notices: Vec<Notice>,
    /// What the person said in sessions before, oldest first.
    pub history: Vec<String>,
    /// What the terminal can do.
    pub terminal: Terminal,
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
pub async fn run(run: Run) -> Result<(), Failed> {
    let Ok(Reply::Status(status)) = run.session.query(Query::Status).await else { return Err(Failed::Session) };
    let guard = Guard::enter()?;
    let size = window()?;
    let mut app = App::new(&status, Theme::DARK, size, run.history);
    for notice in run.notices {
        app.notice(notice);
    }
    let depth = match run.terminal.colours {
        Colours::None => Depth::None,
        Colours::Sixteen => Depth::Sixteen,
        Colours::Palette => Depth::Palette,
        Colours::Full => Depth::Full,
    };
    let reflow = if run.terminal.reflows { Reflow::Wraps } else { Reflow::Cuts };
    let mut desk = Desk {
        app,
        screen: Screen::new(size, depth, reflow),
        writer: Writer::new(std::io::stdout())?,
        session: run.session,
        began: Instant::now(),
        drawn: None,
    };
    desk.draw();
    if let Some(words) = run.prompt {
        let content = vec![UserBlock::text(words)];
        desk.send(Command::Prompt(Prompt { content, delivery: forelook_protocol::Delivery::NextTurn })).await;
    }
    desk.work(run.events, run.signals).await;
    desk.leave().await;
    drop(desk);
    drop(guard);
    Ok(())
}

fn window() -> std::io::Result<Size> {
    let (width, height) = crossterm::terminal::size()?;
    Ok(Size::new(width.max(1), height.max(1)))
}

struct Desk {
    app: App,
    screen: Screen,
    writer: Writer,
    session: Arc<dyn SessionPort>,
    began: Instant,
    /// When the last frame was drawn.
    drawn: Option<Instant>,
}

impl Desk {
    async fn work(&mut self, mut events: Box<dyn EventPort>, mut signals: tokio::sync::mpsc::Receiver<()>) {
        let mut keys = EventStream::new();
        // When a frame is due that has not been drawn.
        let mut due: Option<Instant> = None;
        loop {
            let wake = self.app.wakes_at().map(|at| self.began + Duration::from_millis(at));
            let wake = [due, wake].into_iter().flatten().min();
            tokio::select! {
                biased;
                key = keys.next() => {
                    let Some(Ok(key)) = key else { return };
                    if !self.key(key).await {
                        return;
                    }
                    due = Some(Instant::now());
                }
                event = events.next() => {
                    if !self.take(event, &mut events) {
                        return;
                    }
                    let next = self.drawn.map_or_else(Instant::now, |drawn| drawn + FRAME);
                    due = Some(due.map_or(next, |due| due.min(next)));
                }
                wish = signals.recv() => {
                    if wish.is_some() {
                        return;
                    }
                }
                () = self.writer.idle(), if due.is_some() && self.writer.is_busy() => {}
                () = tokio::time::sleep_until(wake.unwrap_or_else(Instant::now).into()), if wake.is_some() => {
                    due = Some(Instant::now());
                }
            }
            self.app.at(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX));
            if due.is_some_and(|due| due <= Instant::now()) && !self.writer.is_busy() {
                self.draw();
                due = None;
            }
        }
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

    /// A key or something like it; false if the person leaves.
    async fn key(&mut self, event: crossterm::event::Event) -> bool {
        self.app.at(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX));
        let Some(input) = input(event) else { return true };
        if input == Input::Resized {
            if let Ok(size) = window() {
                let cleared = self.screen.resized(size);
                self.writer.send(cleared);
                self.app.resized(size);
            }
            return true;
        }
        for wish in self.app.input(input) {
            match wish {
                Wish::Send(command) => self.send(command).await,
                Wish::Leave => return false,
                Wish::Suspend => {}
            }
        }
        true
    }

    async fn send(&mut self, command: Command) {
        if let Err(refused) = self.session.send(command).await {
            self.app.refused(&refused.to_string());
        }
    }

    fn draw(&mut self) {
        let frame = self.app.frame();
        let bytes = self.screen.frame(&frame.finished, frame.live, frame.cursor);
        self.writer.send(bytes);
        self.drawn = Some(Instant::now());
    }

    async fn leave(&mut self) {
        while self.writer.is_busy() {
            self.writer.idle().await;
        }
        let bytes = self.screen.leave();
        self.writer.send(bytes);
        let _ = self.session.send(Command::Close).await;
    }
}
