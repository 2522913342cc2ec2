//! `-p`: a prompt in, its result out; or many, over `stream-json`.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use forelook_protocol::{
    Answer, AnswerBlock, Body, CallId, Command, Delivery, EndReason, Entry, Event, EventPort, Ids, Live,
    Mode, Notice, NoticeLevel, Prompt, Query, Refused, Reply, SessionPort, Status, ToolCall, TurnEnded,
    UserBlock, Verdict,
};
use serde_json::{Value, json};

use crate::Ended;
use crate::input::InputLines;
use crate::wire::incoming::{self, Control, Incoming};
use crate::wire::outgoing::{self, Outcome};
use crate::wire::partial::{self, Partial};

/// How the result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// The model's last words.
    Text,
    /// One JSON object at the end.
    Json,
    /// A line of JSON for everything that happens.
    Stream {
        /// Pieces of answers too.
        partial: bool,
    },
}

/// Where prompts come from.
pub enum Input {
    /// One prompt.
    Prompt(Vec<UserBlock>),
    /// Lines of `stream-json`, until they end.
    Stream(InputLines),
}

/// Everything a run needs.
pub struct Run {
    /// The session.
    pub session: Arc<dyn SessionPort>,
    /// Its events.
    pub events: Box<dyn EventPort>,
    /// What to do.
    pub input: Input,
    /// How to print it.
    pub output: Output,
    /// What the person should know before anything else.
    pub notices: Vec<Notice>,
    /// Standard output.
    pub stdout: Box<dyn Write + Send>,
    /// Standard error.
    pub stderr: Box<dyn Write + Send>,
    /// Ids for lines that stand in no journal.
    pub ids: Arc<dyn Ids>,
    /// Each one is a wish to stop: Ctrl+C, or a polite kill.
    pub signals: tokio::sync::mpsc::Receiver<()>,
}

/// Runs to the end of the input and of all turns.
pub async fn run(mut run: Run) -> Ended {
    let status = match run.session.query(Query::Status).await {
        Ok(Reply::Status(status)) => status,
        Err(_) => return Ended::Failed,
    };
    let (mut lines, first) = match std::mem::replace(&mut run.input, Input::Prompt(Vec::new())) {
        Input::Prompt(content) => (None, Some(content)),
        Input::Stream(lines) => (Some(lines), None),
    };
    let streaming_input = lines.is_some();
    let mut printer = Printer::new(&mut run, status);
    for notice in std::mem::take(&mut run.notices) {
        // Whoever does not read this will not read the rest either; that is noticed there.
        let _ = printer.notice(&notice);
    }
    if let Some(content) = first {
        printer.prompt(&*run.session, content).await;
    }
    loop {
        tokio::select! {
            biased;
            signal = run.signals.recv() => match signal {
                Some(()) => {
                    printer.stopped = true;
                    let _ = run.session.send(Command::Interrupt).await;
                    if printer.idle() {
                        break;
                    }
                }
                None => std::future::pending::<()>().await,
            },
            event = run.events.next() => {
                if printer.event(&*run.session, event).await.is_err() {
                    let _ = run.session.send(Command::Interrupt).await;
                    break;
                }
            }
            line = next_line(&mut lines) => match line {
                Some(Ok(line)) => printer.line(&*run.session, &line).await,
                Some(Err(error)) => {
                    printer.complain(&format!("The input could not be read: {error}"));
                    lines = None;
                }
                None => lines = None,
            },
        }
        if printer.idle() && (lines.is_none() || printer.stopped || printer.bad_input) {
            break;
        }
    }
    close(&*run.session, &mut run.events).await;
    printer.ended(streaming_input)
}

async fn next_line(lines: &mut Option<InputLines>) -> Option<std::io::Result<String>> {
    match lines {
        Some(lines) => lines.recv().await,
        None => std::future::pending().await,
    }
}

async fn close(session: &dyn SessionPort, events: &mut Box<dyn EventPort>) {
    if session.send(Command::Close).await.is_ok() {
        while !matches!(events.next().await, Event::Live(Live::Closed)) {}
    }
}

/// Turns events into output, and keeps what the last line of a turn needs.
struct Printer {
    output: Output,
    stdout: Box<dyn Write + Send>,
    stderr: Box<dyn Write + Send>,
    ids: Arc<dyn Ids>,
    status: Status,
    first_model: String,
    partial: Partial,
    /// Prompts that were sent and whose turn has not ended.
    due: usize,
    in_turn: bool,
    words: String,
    calls: HashMap<CallId, ToolCall>,
    denials: Vec<ToolCall>,
    nobody: bool,
    /// Whether the turn was interrupted while calls ran.
    cut_calls: bool,
    last: Option<EndReason>,
    stopped: bool,
    bad_input: bool,
    line_number: usize,
}

/// Nobody reads our output any more.
struct Unheard;

impl Printer {
    fn new(run: &mut Run, status: Status) -> Self {
        Self {
            output: run.output,
            stdout: std::mem::replace(&mut run.stdout, Box::new(std::io::sink())),
            stderr: std::mem::replace(&mut run.stderr, Box::new(std::io::sink())),
            ids: Arc::clone(&run.ids),
            first_model: status.model.clone(),
            due: status.turns_due,
            status,
            partial: Partial::default(),
            in_turn: false,
            words: String::new(),
            calls: HashMap::new(),
            denials: Vec::new(),
            nobody: false,
            cut_calls: false,
            last: None,
            stopped: false,
            bad_input: false,
            line_number: 0,
        }
    }

    fn idle(&self) -> bool {
        self.due == 0
    }

    async fn prompt(&mut self, session: &dyn SessionPort, content: Vec<UserBlock>) {
        let prompt = Prompt { content, delivery: Delivery::NextTurn };
        match session.send(Command::Prompt(prompt)).await {
            Ok(()) => self.due += 1,
            Err(refused) => {
                self.complain(&refused.to_string());
                self.last = Some(EndReason::Internal { message: refused.to_string() });
            }
        }
    }

    async fn event(&mut self, session: &dyn SessionPort, event: Event) -> Result<(), Unheard> {
        match event {
            Event::Recorded(entry) => self.recorded(session, &entry).await,
            Event::Live(Live::Answer { agent: None, event }) => self.piece(&event),
            Event::Live(Live::Answer { .. } | Live::Output { .. } | Live::Closed) => Ok(()),
            Event::Live(Live::Notice(notice)) => self.notice(&notice),
            Event::Live(Live::Unrecorded(reason)) => self.turn_end(&outgoing::unrecorded(&reason)),
        }
    }

    async fn recorded(&mut self, session: &dyn SessionPort, entry: &Entry) -> Result<(), Unheard> {
        match &entry.body {
            Body::Prompt(_) if !self.in_turn => self.turn_begin(session).await,
            Body::Answer(answered) => {
                self.words = words(&answered.blocks);
                for block in &answered.blocks {
                    if let AnswerBlock::ToolUse(call) = block {
                        self.calls.insert(call.id.clone(), call.clone());
                    }
                }
                self.stream(|session| outgoing::assistant(entry, session, answered))
            }
            // What is recorded outside of a turn makes an old session whole; it is no news.
            Body::Finished(finished) if self.in_turn => {
                let call = self.calls.remove(&finished.result.call);
                match finished.verdict {
                    Verdict::Denied => self.denials.extend(call),
                    Verdict::Interrupted => self.cut_calls = true,
                    Verdict::Ran | Verdict::Invalid => {}
                }
                self.stream(|session| outgoing::tool_result(entry, session, finished))
            }
            Body::Reply(replied) => {
                self.nobody |= replied.answer == Answer::Nobody;
                Ok(())
            }
            Body::TurnEnd(ended) if self.in_turn => self.turn_end(ended),
            _ => Ok(()),
        }
    }

    async fn turn_begin(&mut self, session: &dyn SessionPort) -> Result<(), Unheard> {
        self.in_turn = true;
        self.words.clear();
        self.denials.clear();
        self.nobody = false;
        self.cut_calls = false;
        if let Ok(Reply::Status(status)) = session.query(Query::Status).await {
            self.status = status;
        }
        let line = outgoing::init(self.ids.next(), &self.status);
        self.stream(|_| line)
    }

    fn turn_end(&mut self, ended: &TurnEnded) -> Result<(), Unheard> {
        self.in_turn = false;
        self.due = self.due.saturating_sub(1);
        self.last = Some(ended.reason.clone());
        let outcome = Outcome {
            session: self.status.session,
            ended,
            words: &self.words,
            denials: &self.denials,
            cut_calls: self.cut_calls,
        };
        match self.output {
            Output::Text => self.print_words(ended),
            Output::Json | Output::Stream { .. } => {
                let line = outgoing::result(self.ids.next(), &outcome);
                self.write(&line.to_string())
            }
        }
    }

    fn print_words(&mut self, ended: &TurnEnded) -> Result<(), Unheard> {
        if let Some(problem) = outgoing::explain(&ended.reason) {
            self.complain(&problem);
        }
        if self.words.is_empty() {
            return Ok(());
        }
        let words = std::mem::take(&mut self.words);
        self.write(&words)
    }

    fn piece(&mut self, event: &forelook_protocol::AnswerEvent) -> Result<(), Unheard> {
        if self.output != (Output::Stream { partial: true }) {
            return Ok(());
        }
        for raw in self.partial.events(event) {
            let line = partial::line(self.ids.next(), self.status.session, raw);
            self.write(&line.to_string())?;
        }
        Ok(())
    }

    fn notice(&mut self, notice: &Notice) -> Result<(), Unheard> {
        if matches!(self.output, Output::Stream { .. }) {
            let uuid = self.ids.next();
            return self.stream(|session| outgoing::notice(uuid, session, notice));
        }
        self.complain(&notice.text);
        Ok(())
    }

    async fn line(&mut self, session: &dyn SessionPort, line: &str) {
        self.line_number += 1;
        if line.trim().is_empty() {
            return;
        }
        match incoming::parse(line) {
            Ok(Incoming::User(content)) => self.prompt(session, content).await,
            Ok(Incoming::Control { id, request }) => self.control(session, &id, request).await,
            Ok(Incoming::Other(kind)) => tracing::debug!(kind, "a line that is passed over"),
            Err(bad) => {
                self.complain(&format!("Line {} of the input was not understood. {bad}", self.line_number));
                self.bad_input = true;
            }
        }
    }

    async fn control(&mut self, session: &dyn SessionPort, id: &str, request: Control) {
        let refused = |refused: Refused| refused.to_string();
        let done = match request {
            Control::Initialize { hooks } => {
                if hooks {
                    let text = "Hooks of the host are not called by this version; put them into the settings"
                        .to_owned();
                    let _ = self.notice(&Notice { level: NoticeLevel::Warning, text });
                }
                Ok(outgoing::greeting(hooks))
            }
            Control::Interrupt => session.send(Command::Interrupt).await.map(|()| json!({})).map_err(refused),
            Control::SetMode(mode) => match mode.parse::<Mode>() {
                Ok(mode) => session.send(Command::SetMode(mode)).await.map(|()| json!({})).map_err(refused),
                Err(unknown) => Err(unknown.to_string()),
            },
            Control::SetModel(model) => {
                let model = model.unwrap_or_else(|| self.first_model.clone());
                session.send(Command::SetModel(model)).await.map(|()| json!({})).map_err(refused)
            }
            Control::Unknown(subtype) => Err(format!("Control request `{subtype}` is not known")),
        };
        // A host that is gone will be noticed at the next event.
        let _ = self.write(&outgoing::control_response(id, done).to_string());
    }

    fn stream(&mut self, line: impl FnOnce(forelook_protocol::SessionId) -> Value) -> Result<(), Unheard> {
        match self.output {
            Output::Stream { .. } => {
                let line = line(self.status.session);
                self.write(&line.to_string())
            }
            Output::Text | Output::Json => Ok(()),
        }
    }

    fn write(&mut self, line: &str) -> Result<(), Unheard> {
        let written = writeln!(self.stdout, "{line}").and_then(|()| self.stdout.flush());
        written.map_err(|_| {
            self.stopped = true;
            Unheard
        })
    }

    fn complain(&mut self, text: &str) {
        // If even this cannot be written there is nobody to tell.
        let _ = writeln!(self.stderr, "{text}");
    }

    fn ended(&self, streaming_input: bool) -> Ended {
        match &self.last {
            _ if self.bad_input => Ended::BadInput,
            Some(EndReason::Interrupted) => Ended::Interrupted,
            _ if self.stopped => Ended::Interrupted,
            Some(EndReason::Provider { .. }) => Ended::Provider,
            Some(EndReason::MaxTurns { .. } | EndReason::Internal { .. } | EndReason::Hook { .. }) => {
                Ended::Failed
            }
            Some(EndReason::Done | EndReason::MaxTokens | EndReason::Refusal) => {
                if self.nobody && !self.denials.is_empty() && !streaming_input {
                    return Ended::NobodyToAsk;
                }
                Ended::Done
            }
            None => Ended::Done,
        }
    }
}

fn words(blocks: &[AnswerBlock]) -> String {
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            AnswerBlock::Text { text } => Some(text.as_str()),
            AnswerBlock::Thinking { .. } | AnswerBlock::ToolUse(_) => None,
        })
        .collect();
    texts.join("\n")
}
