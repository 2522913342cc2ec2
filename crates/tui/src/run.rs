//! The loop: what comes from the terminal and from the session goes into the program, and what it shows goes out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_protocol::{Attached, Command, Event, EventPort, Live, Query, Reply, SessionPort, Snapshot};
use futures::FutureExt;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use crate::app::{App, Errand, Frame, Left, Wish};
use crate::errands::Errands;
use crate::lend::{Lender, Request};
use crate::machine::Machine;
use crate::sending::send;
use crate::setup::{Failed, Run, depth, screen, window};
use crate::term::{Guard, Input, Reader, Screen, Writer, input, output};
use crate::theme::Theme;

/// Frames follow each other no faster than this, unless somebody types.
const FRAME: Duration = Duration::from_millis(16);
/// So many events are taken before anything is drawn.
const BATCH: usize = 2000;

/// Runs until the person leaves.
pub async fn run(run: Run) -> Result<Left, Failed> {
    let Attached { session, events, snapshot } = run.attached;
    let guard = Guard::enter()?;
    let size = window()?;
    let theme = run.habits.theme.as_deref().and_then(Theme::named).unwrap_or(Theme::DARK);
    let mut app = App::new(&snapshot, theme.on(depth(run.terminal)), size, run.clock);
    app.live_with(&run.habits, run.terminal);
    let mut desk = Desk {
        app,
        screen: screen(run.terminal, size),
        writer: Writer::new(output()?)?,
        guard: Some(guard),
        errands: Errands::new(Arc::clone(&session), Arc::clone(&run.machine)),
        session,
        machine: run.machine,
        began: Instant::now(),
        drawn: None,
    };
    desk.draw();
    desk.begin(&snapshot, run.resumed).await;
    for notice in run.notices {
        desk.app.notice(notice);
    }
    // The next frame is drawn when this is back.
    desk.errands.send(Errand::History);
    let mut first = desk.app.wishes();
    first.extend(run.prompt.map(|words| desk.app.say(&words)).unwrap_or_default());
    let left = match desk.carry_out(first).await {
        Some(left) => left,
        None => desk.work(events, run.lender, run.signals).await,
    };
    desk.leave().await;
    Ok(left)
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
    /// Shows what there was before; every event came later.
    async fn begin(&mut self, snapshot: &Snapshot, resumed: bool) {
        let query = Query::Transcript { until: snapshot.last };
        let before = match resumed {
            true => self.session.query(query).await.ok(),
            false => None,
        };
        match before {
            Some(Reply::Transcript(before)) => self.app.begin(snapshot, &before),
            _ => self.app.begin(snapshot, &[]),
        }
    }

    async fn work(
        &mut self,
        mut events: Box<dyn EventPort>,
        mut lender: Lender,
        mut signals: tokio::sync::mpsc::Receiver<()>,
    ) -> Left {
        let Ok(mut keys) = Reader::begin() else { return Left::Lost };
        // When a frame is due that has not been drawn.
        let mut due: Option<Instant> = None;
        loop {
            let busy = self.writer.is_busy();
            let wake = self.app.wakes_at().map(|at| self.began + Duration::from_millis(at));
            // While a frame is on its way, its arrival is what the next one waits for.
            let wake = [due.filter(|_| !busy), wake].into_iter().flatten().min();
            let mut wishes = tokio::select! {
                biased;
                key = keys.next() => {
                    let Some(key) = key else { return Left::Lost };
                    due = Some(Instant::now());
                    self.key(key)
                }
                event = events.next() => {
                    if !self.take(event, &mut events) {
                        return Left::Done;
                    }
                    let next = self.drawn.map_or_else(Instant::now, |drawn| drawn + FRAME);
                    due = Some(due.map_or(next, |due| due.min(next)));
                    Vec::new()
                }
                brought = self.errands.next() => {
                    due = Some(Instant::now());
                    self.app.brought(brought)
                }
                Some(request) = lender.0.recv() => {
                    keys.end().await;
                    self.lend(request).await;
                    match Reader::begin() {
                        Ok(reader) => keys = reader,
                        Err(_) => return Left::Lost,
                    }
                    due = Some(Instant::now());
                    Vec::new()
                }
                Some(()) = signals.recv() => return Left::Lost,
                () = self.writer.idle(), if due.is_some() && busy => Vec::new(),
                () = tokio::time::sleep_until(wake.unwrap_or_else(Instant::now).into()), if wake.is_some() => {
                    due = Some(Instant::now());
                    Vec::new()
                }
            };
            self.tick();
            wishes.extend(self.app.wishes());
            if let Some(left) = self.carry_out(wishes).await {
                return left;
            }
            if self.writer.is_lost() {
                return Left::Lost;
            }
            if due.is_some_and(|due| due <= Instant::now()) && !self.writer.is_busy() {
                self.draw();
                due = self.app.is_behind().then(Instant::now);
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
            self.screen.resized(size);
            self.app.resized(size);
        }
    }

    /// Does what is wished for; how the program is left, if it is.
    async fn carry_out(&mut self, wishes: Vec<Wish>) -> Option<Left> {
        for wish in wishes {
            match wish {
                Wish::Send(command) => match send(command, &*self.session).await {
                    Ok(shown) => shown.into_iter().for_each(|shown| self.app.show_plan(shown)),
                    Err(refused) => self.app.turned_down(&refused),
                },
                Wish::See(errand) => self.errands.send(errand),
                Wish::Remember(said) => self.machine.remember(&said),
                Wish::Escape(bytes) => self.writer.send(&bytes),
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

    fn draw(&mut self) {
        if self.guard.as_ref().is_some_and(Guard::is_broken) {
            self.take_back();
        }
        // The window may have changed before we are told: a frame of the old size would be broken by it.
        if window().is_ok_and(|size| size != self.screen.size()) {
            self.resize();
        }
        let (bytes, page) = match self.app.frame() {
            Frame::Live { finished, live, cursor } => (self.screen.frame(&finished, live, cursor), false),
            Frame::Page { page, cursor } => (self.screen.page(page, cursor), true),
        };
        if let Some(guard) = &self.guard {
            guard.shows_page(page);
        }
        self.writer.send(&bytes);
        self.drawn = Some(Instant::now());
    }

    /// The terminal is somebody else's until they give it back. What happens meanwhile waits in the session's stream.
    async fn lend(&mut self, request: Request) {
        self.give_back().await;
        let _ = request.grant().await;
        self.take_back();
    }

    async fn give_back(&mut self) {
        self.writer.settled().await;
        // Behind a frame that never arrives, nothing else will.
        if !self.writer.is_busy() {
            let finished = self.app.take_finished();
            let mut bytes = self.screen.frame(&finished, Buffer::empty(Rect::ZERO), None);
            bytes.push_str(&self.screen.leave());
            self.writer.send(&bytes);
            self.writer.settled().await;
            if let Some(guard) = &self.guard {
                guard.shows_page(false);
            }
        }
        self.guard = None;
    }

    fn take_back(&mut self) {
        // First, for what the old one gives back when it goes is nothing by now.
        self.guard = None;
        match Guard::enter() {
            Ok(guard) => self.guard = Some(guard),
            Err(error) => tracing::error!(%error, "The terminal could not be taken back"),
        }
        self.screen.begin_here();
        self.app.came_back();
        // The window may have another size by now, and no event told of it.
        self.resize();
    }

    async fn leave(&mut self) {
        self.give_back().await;
        let _ = self.session.send(Command::Close).await;
    }
}
