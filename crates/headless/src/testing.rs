//! A session that does what a test says, and everything else a front end is given.

use std::collections::{BTreeMap, VecDeque};
use std::io::{Read, Write};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use forelook_protocol::{
    AbsPath, AgentId, AgentStarted, Answer, AnswerBlock, AnswerEvent, Answered, Ask, Body, Boxed, CallId,
    Clock, Command, Cost, EndReason, Entry, EntryId, Event, EventPort, FailureKind, FileChange, Finished,
    Ids, Live, Mode, ModelListed, Opened, PlanAnswer, PlanLength, Price, ProviderFailure, Query, Question,
    QuestionId, Refused, Rehearsal, RehearsedFile, Replied, Reply, Retry, Review, Reviewed, Reviewer,
    SessionId, SessionPort, Spent, Standing, Status, StopReason, Taken, ToolCall, ToolResult, TurnEnded,
    Usage, UserBlock, Verdict,
};
use jiff::Timestamp;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::input::{InputLines, lines_of};

type React = Box<dyn FnMut(&mut Stage, &Command) -> Result<(), Refused> + Send>;

#[derive(Default)]
struct Outbox {
    queue: Mutex<VecDeque<Event>>,
    ready: Notify,
}

/// What a scripted session can do.
pub(crate) struct Stage {
    outbox: Arc<Outbox>,
    stdin: Option<mpsc::Sender<String>>,
    pub(crate) due: usize,
    pub(crate) mode: Mode,
    pub(crate) commands: Vec<Command>,
    pub(crate) model: String,
    /// What there is to choose from.
    pub(crate) models: Vec<ModelListed>,
    pub(crate) spent: BTreeMap<String, Spent>,
    entries: u64,
}

impl Stage {
    pub(crate) fn live(&self, live: Live) {
        self.outbox.queue.lock().unwrap().push_back(Event::Live(live));
        self.outbox.ready.notify_one();
    }

    /// Later, when the front end has heard everything else.
    pub(crate) fn live_after(&self, wait: Duration, live: Live) {
        let outbox = Arc::clone(&self.outbox);
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            outbox.queue.lock().unwrap().push_back(Event::Live(live));
            outbox.ready.notify_one();
        });
    }

    /// Records an entry of the main agent's, or of a subagent's.
    pub(crate) fn record(&mut self, agent: Option<&str>, body: Body) {
        self.entries += 1;
        match (&body, agent) {
            (Body::Prompt(_), None) => self.due += 1,
            (Body::TurnEnd(_), None) => self.due -= 1,
            (Body::Mode(set), None) => self.mode = set.standing.mode(),
            (Body::Model(set), None) => self.model.clone_from(&set.model),
            _ => {}
        }
        let entry = Entry {
            id: EntryId(uuid(self.entries)),
            parent: None,
            time: START + Duration::from_secs(self.entries),
            agent: agent.map(|id| AgentId(id.into())),
            body,
        };
        self.outbox.queue.lock().unwrap().push_back(Event::Recorded(Arc::new(entry)));
        self.outbox.ready.notify_one();
    }

    fn status(&self) -> Status {
        Status {
            session: SessionId(uuid(0)),
            folder: AbsPath::new("/w").unwrap(),
            mode: self.mode,
            model: self.model.clone(),
            window: None,
            tools: vec!["Read".into()],
            spent: self.spent.clone(),
            todos: Vec::new(),
            plan: None,
            agents: vec!["Explore".into()],
            turns_due: self.due,
        }
    }

    /// A piece of an answer, of the main agent's or of a subagent's.
    pub(crate) fn piece(&self, agent: Option<&str>, event: AnswerEvent) {
        self.live(Live::Answer { agent: agent.map(|id| AgentId(id.into())), event });
    }

    /// The host, or the person, writes a line.
    pub(crate) fn types(&self, line: impl ToString) {
        if let Some(stdin) = &self.stdin {
            let _ = stdin.send(line.to_string());
        }
    }

    /// Standard input ends.
    pub(crate) fn hangs_up(&mut self) {
        self.stdin = None;
    }

    pub(crate) fn begins(&mut self, words: &str) {
        let content = vec![UserBlock::text(words)];
        self.record(None, Body::Prompt(Taken { content, queued: None, plan: None }));
    }

    pub(crate) fn ends(&mut self, reason: EndReason) {
        let (usage, cost) = (Usage::default(), Cost::default());
        let ended = TurnEnded { reason, answers: 1, usage, cost, took_ms: 1, model_ms: 1 };
        self.record(None, Body::TurnEnd(ended));
    }

    pub(crate) fn says(&mut self, agent: Option<&str>, words: &str) {
        self.answers(agent, vec![AnswerBlock::Text { text: words.into() }]);
    }

    pub(crate) fn calls(&mut self, agent: Option<&str>, id: &str, name: &str, input: serde_json::Value) {
        let call = ToolCall { id: CallId(id.into()), name: name.into(), input };
        self.answers(agent, vec![AnswerBlock::ToolUse(call)]);
    }

    /// Several calls in one answer, each with its id, name and input.
    pub(crate) fn calls_all(&mut self, agent: Option<&str>, calls: &[(&str, &str, serde_json::Value)]) {
        let call = |(id, name, input): &(&str, &str, serde_json::Value)| {
            AnswerBlock::ToolUse(ToolCall {
                id: CallId((*id).into()),
                name: (*name).into(),
                input: input.clone(),
            })
        };
        self.answers(agent, calls.iter().map(call).collect());
    }

    fn answers(&mut self, agent: Option<&str>, blocks: Vec<AnswerBlock>) {
        let usage = Usage { input_tokens: 10, output_tokens: 5, ..Usage::default() };
        let (message, model, stop) = ("m".to_owned(), "demo".to_owned(), StopReason::EndTurn);
        let answered = Answered { message, model, blocks, stop, usage, cost: None, took_ms: 1 };
        self.record(agent, Body::Answer(answered));
    }

    pub(crate) fn finishes(&mut self, agent: Option<&str>, id: &str, verdict: Verdict) {
        let mut result = ToolResult::ok(CallId(id.into()), "the result");
        result.is_error = verdict != Verdict::Ran;
        let output = (verdict == Verdict::Ran).then(|| serde_json::json!({"lines": 1}));
        self.record(agent, Body::Finished(Finished { result, verdict, effects: Vec::new(), output }));
    }

    pub(crate) fn finishes_with(&mut self, agent: Option<&str>, id: &str, words: &str) {
        let result = ToolResult::ok(CallId(id.into()), words);
        let (verdict, effects, output) = (Verdict::Ran, Vec::new(), None);
        self.record(agent, Body::Finished(Finished { result, verdict, effects, output }));
    }

    pub(crate) fn starts_agent(&mut self, agent: &str, call: &str) {
        let started = AgentStarted {
            call: CallId(call.into()),
            kind: "Explore".into(),
            description: format!("Look for {agent}"),
            model: "demo".into(),
            mode: None,
            read_only: true,
        };
        self.record(Some(agent), Body::AgentStarted(started));
    }

    pub(crate) fn asks(&mut self, number: u64, ask: Ask) {
        self.record(None, Body::Question(Opened { question: question(number, ask) }));
    }

    pub(crate) fn closes(&mut self, number: u64, answer: Answer) {
        self.record(None, Body::Reply(Replied { question: QuestionId(uuid(number)), answer }));
    }

    pub(crate) fn reviews(&mut self, number: u64, answer: PlanAnswer) {
        let (question, call) = (Some(QuestionId(uuid(number))), Some(CallId(format!("call_{number}"))));
        self.record(None, Body::Review(Reviewed { question, call, ..reviewed(answer) }));
    }
}

/// An answer of the main agent's, by itself.
pub(crate) fn answer(blocks: Vec<AnswerBlock>) -> Entry {
    let (message, model, stop) = ("m".to_owned(), "demo".to_owned(), StopReason::ToolUse);
    let answered = Answered { message, model, blocks, stop, usage: Usage::default(), cost: None, took_ms: 1 };
    Entry { id: EntryId(uuid(1)), parent: None, time: START, agent: None, body: Body::Answer(answered) }
}

const START: Timestamp = Timestamp::UNIX_EPOCH;

pub(crate) fn uuid(number: u64) -> Uuid {
    Uuid::from_u128(u128::from(number))
}

pub(crate) fn question(number: u64, ask: Ask) -> Question {
    Question { id: QuestionId(uuid(number)), call: CallId(format!("call_{number}")), agent: None, ask }
}

/// The third attempt of ten.
pub(crate) fn retry(message: &str, wait_ms: u64) -> Retry {
    let failure = ProviderFailure::new(FailureKind::Overloaded, message);
    Retry {
        failure: ProviderFailure { status: Some(529), ..failure },
        attempt: 3,
        of: 10,
        wait_ms,
        fallback: None,
    }
}

/// A model with a window of 200,000 tokens; what a token costs, read and written.
pub(crate) fn model(name: &str, price: Option<(u64, u64)>) -> ModelListed {
    let price = price.map(|(input, output)| Price {
        input: Cost(input),
        output: Cost(output),
        cache_read: Cost(input / 10),
        cache_write: Cost(input),
    });
    let title = name.split('/').next_back().unwrap().to_uppercase();
    let (name, window) = (name.to_owned(), Some(200_000));
    ModelListed { name, title, window, output: None, price, missing: None }
}

pub(crate) fn path() -> AbsPath {
    AbsPath::new("/plans/calm-weaving-otter.md").unwrap()
}

pub(crate) fn review() -> Review {
    Review {
        path: path(),
        plan: Some("# Add a flag\n\n1. Read the arguments\n2. Act on the flag, which is a long step and needs more than one line\n".into()),
        hash: "abc123".into(),
        length: PlanLength { characters: 1_830, lines: 4, rejected_percent: 20 },
        changes: Some("@@ -3 +3 @@\n-1. Guess\n+1. Read the arguments\n".into()),
        before: Mode::Default,
        modes: vec![Mode::Default, Mode::AcceptEdits],
        from: None,
        rehearsal: None,
    }
}

/// Three files that were tried.
pub(crate) fn rehearsal() -> Rehearsal {
    let file = |path: &str, change, added, removed| RehearsedFile {
        path: AbsPath::new(path).unwrap(),
        change,
        added,
        removed,
    };
    Rehearsal {
        files: vec![
            file("/w/src/main.rs", FileChange::Changed, 1, 1),
            file("/w/src/new.rs", FileChange::Added, 12, 0),
            file("/w/old.txt", FileChange::Removed, 0, 3),
        ],
        ignored: 2,
        diff: "--- a/src/main.rs\n+++ b/src/main.rs\n@@ -1 +1 @@\n-a\n+b\n".into(),
        hash: "r1".into(),
    }
}

pub(crate) fn reviewed(answer: PlanAnswer) -> Reviewed {
    let mut standing = Standing::default();
    if matches!(answer, PlanAnswer::KeepPlanning { .. }) {
        let (before, judge) = (Mode::Default, forelook_protocol::Judge::Never);
        standing.phase = forelook_protocol::Phase::Plan { before, judge };
    }
    Reviewed {
        question: Some(QuestionId(uuid(1))),
        call: Some(CallId("call_1".into())),
        by: Reviewer::Person,
        answer,
        path: path(),
        proposed: None,
        shown: "abc123".into(),
        plan: review().plan,
        standing,
        why: None,
    }
}

/// The session as a front end has it.
pub(crate) struct Fake {
    stage: Mutex<Stage>,
    react: Mutex<React>,
}

impl SessionPort for Fake {
    fn send(&self, command: Command) -> Boxed<'_, Result<(), Refused>> {
        let mut stage = self.stage.lock().unwrap();
        let result = (self.react.lock().unwrap())(&mut stage, &command);
        if command == Command::Close {
            stage.live(Live::Closed);
        }
        stage.commands.push(command);
        Box::pin(std::future::ready(result))
    }

    fn query(&self, query: Query) -> Boxed<'_, Result<Reply, Refused>> {
        let stage = self.stage.lock().unwrap();
        let reply = match query {
            Query::Models => Reply::Models(stage.models.clone()),
            Query::Rules => Reply::Rules(Vec::new()),
            Query::Fence => Reply::Fence { report: Default::default(), outside: Vec::new() },
            Query::Hooks => Reply::Hooks(Vec::new()),
            Query::Status => Reply::Status(stage.status()),
            Query::Files => Reply::Files(Arc::from(Vec::new())),
            Query::Transcript => Reply::Transcript(Vec::new()),
        };
        Box::pin(std::future::ready(Ok(reply)))
    }
}

impl Fake {
    /// The models that there are to choose from.
    pub(crate) fn offer(&self, models: Vec<ModelListed>) {
        self.stage.lock().unwrap().models = models;
    }

    /// Everything that was sent, but for the farewell.
    pub(crate) fn commands(&self) -> Vec<Command> {
        let stage = self.stage.lock().unwrap();
        stage.commands.iter().filter(|command| **command != Command::Close).cloned().collect()
    }
}

pub(crate) struct Events(Arc<Outbox>);

impl EventPort for Events {
    fn next(&mut self) -> Boxed<'_, Event> {
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
    fn skip_pieces(&mut self) {}
}

/// Reads what the stage types.
struct Typed {
    lines: mpsc::Receiver<String>,
    rest: Vec<u8>,
}

impl Read for Typed {
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
pub(crate) struct Page(Arc<Mutex<Vec<u8>>>);

impl Page {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Page {
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

impl Ids for Counter {
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

/// A session, its events, and an input that the stage types into. `first` is typed before all else.
pub(crate) fn stage(
    first: &[&str],
    react: impl FnMut(&mut Stage, &Command) -> Result<(), Refused> + Send + 'static,
) -> (Arc<Fake>, Box<Events>, InputLines) {
    let outbox = Arc::new(Outbox::default());
    let (stdin, lines) = mpsc::channel();
    let stage = Stage {
        outbox: Arc::clone(&outbox),
        stdin: Some(stdin),
        due: 0,
        mode: Mode::Default,
        commands: Vec::new(),
        model: "demo".into(),
        models: Vec::new(),
        spent: BTreeMap::new(),
        entries: 0x100,
    };
    for line in first {
        stage.types(line);
    }
    let fake = Fake { stage: Mutex::new(stage), react: Mutex::new(Box::new(react)) };
    (Arc::new(fake), Box::new(Events(outbox)), lines_of(Typed { lines, rest: Vec::new() }))
}
