//! The program, and a session for it that answers when it is let.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use forelook_protocol::{
    BoxFuture, Clock, Command, CommandAccepted, CommandError, Entry, EntryBody, Event, EventPort, FrontEndId,
    NoServices, Notice, NoticeLevel, PromptAccepted, Query, Reply, SessionConnection, SessionPort,
    SessionSnapshot, UserBlock,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::app::{ExitReason, status_sample};
use crate::{
    Colors, Entrance, NotifyStyle, PendingInput, Terminal, TuiExit, TuiSetup, UserPreferences, lending,
};

pub(super) const ROLE: &str = "FORELOOK_TEST_LOOP";
pub(super) const GATE: &str = "FORELOOK_TEST_GATE";

/// Runs the program, if this process is to be it.
pub(super) fn plays() -> bool {
    let Ok(role) = std::env::var(ROLE) else { return false };
    let gate = PathBuf::from(std::env::var(GATE).unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let heard = runtime.block_on(sessions(&role, gate));
    println!("\r\nheard: {} .", heard.join(" "));
    runtime.shutdown_background();
    true
}

/// Sessions one after the other, until the person leaves; all commands that they heard.
async fn sessions(role: &str, gate: PathBuf) -> Vec<String> {
    let (mut heard, mut pending_input) = (Vec::new(), PendingInput::default());
    for number in 1.. {
        let (events, stream) = unbounded_channel();
        let late =
            Arc::new(Late { role: role.to_owned(), gate: gate.clone(), heard: Mutex::default(), events });
        if role == "resumed" {
            late.tell(said("just now", 2));
        }
        let over = one(late.clone(), stream, number, pending_input).await;
        heard.extend(late.heard.lock().unwrap().drain(..));
        if over.reason != ExitReason::NewSession {
            break;
        }
        pending_input = over.pending_input;
    }
    heard
}

async fn one(
    session: Arc<Late>,
    stream: UnboundedReceiver<Event>,
    number: usize,
    pending_input: PendingInput,
) -> TuiExit {
    let entrance = if session.role == "resumed" { Entrance::Resumed } else { Entrance::Cleared };
    let snapshot = SessionSnapshot {
        front_end: FrontEndId(1),
        status: status_sample(),
        last: None,
        turn: None,
        queue: Vec::new(),
        shells: Vec::new(),
        requests: Vec::new(),
    };
    let (_borrower, lender) = lending();
    let (_signal, signals) = tokio::sync::mpsc::channel(1);
    let notice = Notice { level: NoticeLevel::Info, text: format!("session {number}") };
    let run = TuiSetup {
        attached: SessionConnection { session, events: Box::new(Stream(stream)), snapshot },
        prompt: None,
        entrance,
        pending_input,
        notices: vec![notice],
        clock: Arc::new(Noon),
        terminal: Terminal {
            colors: Colors::None,
            reflows: true,
            notify_style: NotifyStyle::Bell,
            tmux: false,
            charset: forelook_wording::Charset::Unicode,
        },
        preferences: UserPreferences::default(),
        services: Arc::new(NoServices),
        lender,
        signals,
    };
    crate::run(run).await.unwrap()
}

/// A session that answers nothing before its gate is open.
struct Late {
    role: String,
    gate: PathBuf,
    heard: Mutex<Vec<String>>,
    events: UnboundedSender<Event>,
}

impl Late {
    async fn open(&self) {
        while self.role == "never" || !(self.role == "typed" || self.gate.exists()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    fn tell(&self, entry: Arc<Entry>) {
        self.events.send(Event::Recorded(entry)).unwrap();
    }
}

fn entry(number: u64, kind: &str, data: &Value) -> Arc<Entry> {
    let id = format!("00000000-0000-7000-8000-{number:012}");
    let line = json!({"id": id, "parent": null, "time": "2026-01-02T03:04:05Z", "kind": kind, "data": data});
    Arc::new(Entry::parse(&line.to_string()).unwrap())
}

fn said(words: &str, number: u64) -> Arc<Entry> {
    let entry = Entry::clone(&entry(number, "mode_changed", &mode()));
    let body = EntryBody::PromptAccepted(PromptAccepted::person(vec![UserBlock::text(words)]));
    Arc::new(Entry { body, ..entry })
}

fn mode() -> Value {
    json!({"mode_state": {
        "mode": "acceptEdits", "exit_reminder_due": false, "auto_exit_reminder_due": false,
        "has_left_plan_mode": false,
    }})
}

impl SessionPort for Late {
    fn send(&self, command: Command) -> BoxFuture<'_, Result<CommandAccepted, CommandError>> {
        let name = format!("{command:?}");
        let name = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned();
        self.heard.lock().unwrap().push(name);
        Box::pin(async move {
            if command != Command::Close || self.role == "never" {
                self.open().await;
            }
            match command {
                Command::CycleMode => self.tell(entry(3, "mode_changed", &mode())),
                Command::Prompt(_) => self.tell(said("meanwhile", 4)),
                _ => {}
            }
            Ok(CommandAccepted::Nothing)
        })
    }

    fn query(&self, query: Query) -> BoxFuture<'_, Result<Reply, CommandError>> {
        Box::pin(async move {
            self.open().await;
            match query {
                Query::Transcript { .. } => Ok(Reply::Transcript(vec![said("long ago", 1)])),
                _ => Err(CommandError::Closed),
            }
        })
    }
}

struct Stream(UnboundedReceiver<Event>);

impl EventPort for Stream {
    fn next(&mut self) -> BoxFuture<'_, Event> {
        Box::pin(async {
            match self.0.recv().await {
                Some(event) => event,
                None => std::future::pending().await,
            }
        })
    }

    fn skip_deltas(&mut self) {}
}

struct Noon;

impl Clock for Noon {
    fn now(&self) -> jiff::Timestamp {
        "2026-03-01T12:00:00Z".parse().unwrap()
    }
}
