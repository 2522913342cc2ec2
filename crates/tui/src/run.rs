//! The loop: what comes from the terminal and from the session goes into the program, and what it shows goes out.
//!
//! It waits in one place, its `select!`, and never for a disk: commands and queries are answered through it. Only while the
//! terminal is somebody else's does it wait for that.

mod surface;
mod timer;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_protocol::{Event, EventPort, HostServices, LiveEvent, SessionConnection};
use futures::FutureExt;

use crate::app::{App, ExitReason, Opening, TaskResult, UiEffect, UiTask};
use crate::command_sender::CommandSender;
use crate::lend::Lender;
use crate::setup::{PendingInput, TuiError, TuiExit, TuiSetup, depth, screen, window};
use crate::tasks::TaskRunner;
use crate::term::{Input, InputReader, Screen, TerminalGuard, TerminalWriter, output};
use crate::theme::Theme;
use surface::LoanEnd;
use timer::Timer;
pub(crate) use timer::{instant, milliseconds};

/// Frames follow each other no faster than this, unless somebody types.
const FRAME: Duration = Duration::from_millis(16);
/// Events are taken for so long before keys are looked at again, and before anything is drawn.
const EVENT_BATCH: Duration = Duration::from_millis(2);

/// Runs until the person leaves.
pub async fn run(run: TuiSetup) -> Result<TuiExit, TuiError> {
    let SessionConnection { session, events, snapshot } = run.attached;
    let timer = Timer::start(run.clock);
    let guard = TerminalGuard::enter()?;
    let size = window()?;
    let theme = run.preferences.theme.as_deref().and_then(Theme::named).unwrap_or(Theme::DARK);
    let mut app = App::new(&snapshot, theme.on(depth(run.terminal)), size, timer.now());
    app.apply_preferences(&run.preferences, run.terminal);
    let mut runner = Runner {
        app,
        screen: screen(run.terminal, size),
        writer: TerminalWriter::new(output()?, run.terminal.charset)?,
        guard: Some(guard),
        command_sender: CommandSender::to(Arc::clone(&session)),
        tasks: TaskRunner::new(session, Arc::clone(&run.services)),
        services: run.services,
        timer,
        drawn: None,
        failed: false,
        pending_input: run.pending_input.0,
    };
    runner.draw();
    let opening = Opening { snapshot, entrance: run.entrance, notices: run.notices, prompt: run.prompt };
    let mut first = runner.app.open_session(opening);
    // The next frame is drawn when this is back.
    runner.tasks.send(UiTask::History);
    first.extend(runner.app.effects());
    let reason = match runner.run_effects(first).await {
        Some(reason) => reason,
        None => runner.work(events, run.lender, run.signals).await,
    };
    let has_conversation = runner.app.has_conversation();
    Ok(TuiExit { reason, pending_input: runner.leave().await, has_conversation })
}

struct Runner {
    app: App,
    screen: Screen,
    writer: TerminalWriter,
    /// The terminal, while it is ours.
    guard: Option<TerminalGuard>,
    services: Arc<dyn HostServices>,
    command_sender: CommandSender,
    tasks: TaskRunner,
    timer: Timer,
    /// When the last frame was drawn.
    drawn: Option<Instant>,
    /// The session broke off.
    failed: bool,
    /// What was typed and has not been looked at: before this session, or behind what left it.
    pending_input: VecDeque<Input>,
}

impl Runner {
    async fn work(
        &mut self,
        mut events: Box<dyn EventPort>,
        mut lender: Lender,
        mut signals: tokio::sync::mpsc::Receiver<forelook_protocol::StopSignal>,
    ) -> ExitReason {
        let Ok(mut keys) = InputReader::begin() else { return ExitReason::Lost };
        // When a frame is due that has not been drawn.
        let mut due: Option<Instant> = None;
        loop {
            let busy = self.writer.is_busy();
            let wake = self.app.next_wakeup().map(|at| self.timer.at(at));
            // While a frame is on its way, its arrival is what the next one waits for.
            let wake = [due.filter(|_| !busy), wake].into_iter().flatten().min();
            let accepts_events = self.app.accepts_events() && !self.command_sender.holds_events();
            // The order is who goes first. Events do not end while an answer streams, so they come after all that is rare.
            let mut effects = tokio::select! {
                biased;
                key = next_key(&mut self.pending_input, &mut keys) => {
                    let Some(key) = key else { return ExitReason::Lost };
                    due = Some(self.timer.instant());
                    self.key(key)
                }
                Some(_) = signals.recv() => return ExitReason::Lost,
                sent = self.command_sender.next() => {
                    due = Some(self.timer.instant());
                    self.on_task_result(TaskResult::Sent(sent))
                }
                result = self.tasks.next() => {
                    due = Some(self.timer.instant());
                    self.on_task_result(result)
                }
                Some(request) = lender.0.recv() => {
                    keys.end().await;
                    if self.lend(request, &mut signals).await == LoanEnd::Lost {
                        return ExitReason::Lost;
                    }
                    match InputReader::begin() {
                        Ok(reader) => keys = reader,
                        Err(_) => return ExitReason::Lost,
                    }
                    due = Some(self.timer.instant());
                    self.edited().await
                }
                event = events.next(), if accepts_events => {
                    if let Some(reason) = self.take(event, &mut events) {
                        return reason;
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
            effects.extend(self.app.effects());
            if let Some(reason) = self.run_effects(effects).await {
                if matches!(reason, ExitReason::Resume(_) | ExitReason::NewSession | ExitReason::AskTrust) {
                    self.pending_input.extend(keys.end().await);
                }
                return reason;
            }
            if self.writer.is_lost() {
                return ExitReason::Lost;
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

    /// Takes an event and those that are there with it, for a while; how the program is left, at their end.
    fn take(&mut self, first: Event, events: &mut Box<dyn EventPort>) -> Option<ExitReason> {
        self.tick();
        let until = self.timer.instant() + EVENT_BATCH;
        let mut next = Some(first);
        while let Some(event) = next {
            match event {
                Event::Live(LiveEvent::Closed) => {
                    return Some(if self.failed { ExitReason::Failed } else { ExitReason::Done });
                }
                Event::Live(LiveEvent::Failed(_)) => self.failed = true,
                _ => {}
            }
            self.app.event(&event);
            let on = self.timer.instant() < until;
            next = if on { events.next().now_or_never() } else { None };
        }
        None
    }

    /// A key or something like it.
    fn key(&mut self, input: Input) -> Vec<UiEffect> {
        self.tick();
        if input == Input::Resized {
            self.resize();
        }
        self.app.input(input)
    }

    fn on_task_result(&mut self, result: TaskResult) -> Vec<UiEffect> {
        self.tick();
        self.app.on_task_result(result)
    }

    /// Does what is wished for; how the program is left, if it is. It waits for nothing but a terminal that is given away.
    async fn run_effects(&mut self, effects: Vec<UiEffect>) -> Option<ExitReason> {
        for effect in effects {
            match effect {
                UiEffect::Send(command) => {
                    if !self.command_sender.send(command) {
                        self.app.refused("The session is not responding; this was not sent");
                    }
                }
                UiEffect::Spawn(task) => self.tasks.send(task),
                UiEffect::Remember(said) => self.services.remember(&said),
                UiEffect::Escape(bytes) => self.writer.send(&bytes),
                UiEffect::Leave(reason) => return Some(reason),
                UiEffect::Suspend => {
                    self.give_back().await;
                    self.services.suspend();
                    self.take_back();
                }
            }
        }
        None
    }

    /// Gives the terminal back and closes the session; what was typed behind the end.
    async fn leave(mut self) -> PendingInput {
        // What somebody else has cannot be given back: an editor that we leave behind keeps its screen.
        if self.guard.is_some() {
            self.give_back().await;
        }
        self.command_sender.close().await;
        PendingInput(self.pending_input)
    }
}

/// What was typed next: before the reader began, or from it; nothing if the terminal is gone.
async fn next_key(pending_input: &mut VecDeque<Input>, keys: &mut InputReader) -> Option<Input> {
    match pending_input.pop_front() {
        Some(input) => Some(input),
        None => keys.next().await,
    }
}

async fn sleep_until(at: Option<Instant>) {
    if let Some(at) = at {
        tokio::time::sleep_until(at.into()).await;
    }
}

#[cfg(test)]
mod tests;
