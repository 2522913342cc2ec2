//! The loop: what comes from the terminal and from the session goes into the program, and what it shows goes out.
//!
//! It waits in one place, its `select!`, and never for a disk: commands and queries are answered through it. Only while the
//! terminal is somebody else's does it wait for that.

mod surface;
mod timer;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_protocol::{Attached, Event, EventPort, HostServices, Live};
use futures::FutureExt;

use crate::app::{App, Brought, Errand, Left, Opening, Wish};
use crate::errands::Errands;
use crate::lend::Lender;
use crate::sending::Sending;
use crate::setup::{Failed, Over, Run, Typed, depth, screen, window};
use crate::term::{Guard, Input, Reader, Screen, Writer, input, output};
use crate::theme::Theme;
use timer::Timer;
pub(crate) use timer::{instant, milliseconds};

/// Frames follow each other no faster than this, unless somebody types.
const FRAME: Duration = Duration::from_millis(16);
/// Events are taken for so long before keys are looked at again, and before anything is drawn.
const TAKING: Duration = Duration::from_millis(2);

/// Runs until the person leaves.
pub async fn run(run: Run) -> Result<Over, Failed> {
    let Attached { session, events, snapshot } = run.attached;
    let timer = Timer::start(run.clock);
    let guard = Guard::enter()?;
    let size = window()?;
    let theme = run.habits.theme.as_deref().and_then(Theme::named).unwrap_or(Theme::DARK);
    let mut app = App::new(&snapshot, theme.on(depth(run.terminal)), size, timer.now());
    app.live_with(&run.habits, run.terminal);
    let mut desk = Desk {
        app,
        screen: screen(run.terminal, size),
        writer: Writer::new(output()?)?,
        guard: Some(guard),
        sending: Sending::to(Arc::clone(&session)),
        errands: Errands::new(session, Arc::clone(&run.services)),
        services: run.services,
        timer,
        drawn: None,
        typed: run.typed.0,
    };
    desk.draw();
    let opening = Opening { snapshot, notices: run.notices, prompt: run.prompt };
    let mut first = desk.app.open_session(opening, run.resumed);
    // The next frame is drawn when this is back.
    desk.errands.send(Errand::History);
    first.extend(desk.app.wishes());
    let left = match desk.carry_out(first).await {
        Some(left) => left,
        None => desk.work(events, run.lender, run.signals).await,
    };
    Ok(Over { left, typed: desk.leave().await })
}

struct Desk {
    app: App,
    screen: Screen,
    writer: Writer,
    /// The terminal, while it is ours.
    guard: Option<Guard>,
    services: Arc<dyn HostServices>,
    sending: Sending,
    errands: Errands,
    timer: Timer,
    /// When the last frame was drawn.
    drawn: Option<Instant>,
    /// What was typed and has not been looked at: before this session, or behind what left it.
    typed: VecDeque<Input>,
}

impl Desk {
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
            let wake = self.app.wakes_at().map(|at| self.timer.at(at));
            // While a frame is on its way, its arrival is what the next one waits for.
            let wake = [due.filter(|_| !busy), wake].into_iter().flatten().min();
            let hears = self.app.hears() && !self.sending.holds_events();
            // The order is who goes first. Events do not end while an answer streams, so they come after all that is rare.
            let mut wishes = tokio::select! {
                biased;
                key = next_key(&mut self.typed, &mut keys) => {
                    let Some(key) = key else { return Left::Lost };
                    due = Some(self.timer.instant());
                    self.key(key)
                }
                Some(()) = signals.recv() => return Left::Lost,
                sent = self.sending.next() => {
                    due = Some(self.timer.instant());
                    self.brought(Brought::Sent(sent))
                }
                brought = self.errands.next() => {
                    due = Some(self.timer.instant());
                    self.brought(brought)
                }
                Some(request) = lender.0.recv() => {
                    keys.end().await;
                    self.lend(request).await;
                    match Reader::begin() {
                        Ok(reader) => keys = reader,
                        Err(_) => return Left::Lost,
                    }
                    due = Some(self.timer.instant());
                    Vec::new()
                }
                event = events.next(), if hears => {
                    if !self.take(event, &mut events) {
                        return Left::Done;
                    }
                    let next = self.drawn.map_or_else(|| self.timer.instant(), |drawn| drawn + FRAME);
                    due = Some(due.map_or(next, |due| due.min(next)));
                    Vec::new()
                }
                () = self.writer.idle(), if due.is_some() && busy => Vec::new(),
                () = sleep_until(wake), if wake.is_some() => {
                    due = Some(self.timer.instant());
                    Vec::new()
                }
            };
            self.tick();
            wishes.extend(self.app.wishes());
            if let Some(left) = self.carry_out(wishes).await {
                if matches!(left, Left::For(_) | Left::ForNew) {
                    self.typed.extend(keys.end().await.into_iter().filter_map(input));
                }
                return left;
            }
            if self.writer.is_lost() {
                return Left::Lost;
            }
            if due.is_some_and(|due| due <= self.timer.instant()) && !self.writer.is_busy() {
                self.draw();
                due = self.app.is_behind().then(|| self.timer.instant());
            }
        }
    }

    /// Tells the program what time it is; before whatever happens now.
    fn tick(&mut self) {
        self.app.at(self.timer.now());
    }

    /// Takes an event and those that are there with it, for a while; false at the end.
    fn take(&mut self, first: Event, events: &mut Box<dyn EventPort>) -> bool {
        self.tick();
        let until = self.timer.instant() + TAKING;
        let mut next = Some(first);
        while let Some(event) = next {
            if matches!(event, Event::Live(Live::Closed)) {
                return false;
            }
            self.app.event(&event);
            let on = self.timer.instant() < until;
            next = if on { events.next().now_or_never() } else { None };
        }
        true
    }

    /// A key or something like it.
    fn key(&mut self, input: Input) -> Vec<Wish> {
        self.tick();
        if input == Input::Resized {
            self.resize();
        }
        self.app.input(input)
    }

    fn brought(&mut self, brought: Brought) -> Vec<Wish> {
        self.tick();
        self.app.brought(brought)
    }

    /// Does what is wished for; how the program is left, if it is. It waits for nothing but a terminal that is given away.
    async fn carry_out(&mut self, wishes: Vec<Wish>) -> Option<Left> {
        for wish in wishes {
            match wish {
                Wish::Send(command) => {
                    if !self.sending.send(command) {
                        self.app.refused("The session has not answered for long: this was not sent");
                    }
                }
                Wish::See(errand) => self.errands.send(errand),
                Wish::Remember(said) => self.services.remember(&said),
                Wish::Escape(bytes) => self.writer.send(&bytes),
                Wish::Leave(left) => return Some(left),
                Wish::Suspend => {
                    self.give_back().await;
                    self.services.suspend();
                    self.take_back();
                }
            }
        }
        None
    }

    /// Gives the terminal back and closes the session; what was typed behind the end.
    async fn leave(mut self) -> Typed {
        self.give_back().await;
        self.sending.close().await;
        Typed(self.typed)
    }
}

/// What was typed next: before the reader began, or from it; nothing if the terminal is gone.
async fn next_key(typed: &mut VecDeque<Input>, keys: &mut Reader) -> Option<Input> {
    if let Some(input) = typed.pop_front() {
        return Some(input);
    }
    loop {
        if let Some(input) = input(keys.next().await?) {
            return Some(input);
        }
    }
}

async fn sleep_until(at: Option<Instant>) {
    if let Some(at) = at {
        tokio::time::sleep_until(at.into()).await;
    }
}

#[cfg(test)]
mod tests;
