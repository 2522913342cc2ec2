//! A session that does what a test says, and everything else a front end is given.

mod samples;
mod stage;

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex, mpsc};

use forelook_protocol::{
    BoxFuture, Clock, Command, CommandAccepted, CommandError, Event, EventPort, IdGenerator, LiveEvent,
    ModelInfo, Query, Reply, RuleCheck, SessionConnection, SessionPort, SessionSnapshot,
};
use jiff::Timestamp;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::input::{InputLines, lines_of};

pub(crate) use samples::*;
pub(crate) use stage::Stage;

type React = Box<dyn FnMut(&mut Stage, &Command) -> Result<(), CommandError> + Send>;

#[derive(Default)]
struct Outbox {
    queue: Mutex<VecDeque<Event>>,
    ready: Notify,
}

impl Outbox {
    fn push(&self, event: Event) {
        self.queue.lock().unwrap().push_back(event);
        self.ready.notify_one();
    }
}

/// The session as a front end has it. What a command starts is what its reaction records.
pub(crate) struct FakeSession {
    stage: Mutex<Stage>,
    react: Mutex<React>,
}

impl SessionPort for FakeSession {
    fn send(&self, command: Command) -> BoxFuture<'_, Result<CommandAccepted, CommandError>> {
        let mut stage = self.stage.lock().unwrap();
        stage.accepted();
        let result = (self.react.lock().unwrap())(&mut stage, &command);
        let accepted = stage.accepted();
        if command == Command::Close {
            stage.live(LiveEvent::Closed);
        }
        stage.commands.push(command);
        Box::pin(std::future::ready(result.map(|()| accepted)))
    }

    fn query(&self, query: Query) -> BoxFuture<'_, Result<Reply, CommandError>> {
        let mut stage = self.stage.lock().unwrap();
        let reply = match query {
            Query::Models => Reply::Models(stage.models.clone()),
            Query::Rules => Reply::Rules(Vec::new()),
            Query::CheckRules { rules, .. } => Reply::CheckRules(RuleCheck {
                suggested: rules.iter().map(|rule| rule.as_str().into()).collect(),
                problem: rules
                    .iter()
                    .find(|rule| !rule.ends_with(')'))
                    .map(|rule| format!("`{rule}` is no rule")),
                covers: true,
                matched: Vec::new(),
                total: 2,
                rules,
            }),
            Query::SetAside => Reply::SetAside(Vec::new()),
            Query::Tasks => Reply::Tasks(stage.tasks.clone()),
            Query::TaskOutput(task) => Reply::TaskOutput { task, output: "up\nlistening on 3000".to_owned() },
            Query::Fence => Reply::Fence { report: Default::default(), outside: Vec::new() },
            Query::Hooks => Reply::Hooks(Vec::new()),
            Query::Settings => Reply::Settings(Vec::new()),
            Query::Trust => Reply::Trust(None),
            Query::Context => Reply::Context(Default::default()),
            Query::Changes => Reply::Changes(Default::default()),
            Query::Status => Reply::Status(stage.status()),
            Query::Files => Reply::Files(Arc::from(Vec::new())),
            Query::Transcript { .. } => {
                stage.journal_reads += 1;
                Reply::Transcript(stage.journal.clone())
            }
            Query::Plan(_) => Reply::Plan(stage.shown.clone()),
        };
        Box::pin(std::future::ready(Ok(reply)))
    }
}

impl FakeSession {
    /// Sets the stage before anything happens.
    pub(crate) fn set(&self, set: impl FnOnce(&mut Stage)) {
        set(&mut self.stage.lock().unwrap());
    }

    /// The models that there are to choose from.
    pub(crate) fn offer(&self, models: Vec<ModelInfo>) {
        self.set(|stage| stage.models = models);
    }

    /// How often the journal was read.
    pub(crate) fn journal_reads(&self) -> usize {
        self.stage.lock().unwrap().journal_reads
    }

    /// Everything that was sent, but for the farewell.
    pub(crate) fn commands(&self) -> Vec<Command> {
        let stage = self.stage.lock().unwrap();
        stage.commands.iter().filter(|command| **command != Command::Close).cloned().collect()
    }

    /// Attaches a front end, which hears everything from the beginning.
    pub(crate) fn attach(self: &Arc<Self>) -> SessionConnection {
        let stage = self.stage.lock().unwrap();
        let status = stage.status();
        let snapshot = SessionSnapshot { status, ..snapshot() };
        SessionConnection {
            session: Arc::<Self>::clone(self),
            events: Box::new(FakeEvents(stage.outbox())),
            snapshot,
        }
    }
}

struct FakeEvents(Arc<Outbox>);

impl EventPort for FakeEvents {
    fn next(&mut self) -> BoxFuture<'_, Event> {
        Box::pin(async {
            loop {
                if let Some(event) = self.0.queue.lock().unwrap().pop_front() {
                    return event;
                }
                self.0.ready.notified().await;
            }
        })
    }

    // They come all the same, as those do that were on their way.
    fn skip_deltas(&mut self) {}
}

/// Reads what the stage types.
struct TypedInput {
    lines: mpsc::Receiver<String>,
    rest: Vec<u8>,
}

impl Read for TypedInput {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.rest.is_empty() {
            let Ok(line) = self.lines.recv() else { return Ok(0) };
            self.rest = format!("{line}\n").into_bytes();
        }
        let count = buffer.len().min(self.rest.len());
        buffer[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(count)
    }
}

/// A writer that can be read.
#[derive(Clone, Default)]
pub(crate) struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Counts.
#[derive(Default)]
pub(crate) struct Counter(Mutex<u64>);

impl IdGenerator for Counter {
    fn next(&self) -> Uuid {
        let mut count = self.0.lock().unwrap();
        *count += 1;
        uuid(0x1000 + *count)
    }
}

pub(crate) struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        "2026-03-01T12:00:00Z".parse().unwrap()
    }
}

/// A session, and an input that it types into. `first` is typed before all else.
pub(crate) fn stage(
    first: &[&str],
    react: impl FnMut(&mut Stage, &Command) -> Result<(), CommandError> + Send + 'static,
) -> (Arc<FakeSession>, InputLines) {
    let outbox = Arc::new(Outbox::default());
    let (stdin, lines) = mpsc::channel();
    let stage = Stage::new(outbox, stdin);
    for line in first {
        stage.types(line);
    }
    let fake = FakeSession { stage: Mutex::new(stage), react: Mutex::new(Box::new(react)) };
    (Arc::new(fake), lines_of(TypedInput { lines, rest: Vec::new() }))
}
