//! Runs against a scripted session: who is asked, what is printed, and that it always ends.

mod broken;
mod hooks;
mod hosts;
mod models;
mod plans;
mod queues;
mod refusals;
mod turns;

use std::time::Duration;

use forelook_protocol::{
    AgentEnded, AnswerEvent, Approval, CallStatus, CommandError, DecisionStep, Delivery, EndReason,
    EntryBody, HostAnswer, HostAsk, LiveEvent, Mode, PlanAnswer, Reason, Usage, UserBlock,
};
use serde_json::{Value, json};

use super::*;
use crate::testing::{Counter, FakeSession, Noon, SharedBuffer, Stage, path, review, stage, uuid};

const STREAM: Output = Output::Stream { partial: false };

struct Seen {
    ended: RunOutcome,
    fake: Arc<FakeSession>,
    stdout: String,
    stderr: String,
}

impl Seen {
    fn lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Lines of one type, or one subtype.
    fn of(&self, kind: &str) -> Vec<Value> {
        self.lines().into_iter().filter(|line| line["type"] == kind || line["subtype"] == kind).collect()
    }

    /// What each result says.
    fn results(&self) -> Vec<String> {
        let words = |line: &Value| line["result"].as_str().unwrap_or_default().to_owned();
        self.of("result").iter().map(words).collect()
    }

    fn answers(&self) -> Vec<HostAnswer> {
        let answer = |command| match command {
            Command::Answer { answer, .. } => Some(answer),
            _ => None,
        };
        self.fake.commands().into_iter().filter_map(answer).collect()
    }
}

/// Runs over `stream-json`, with lines that are there from the start.
async fn streamed(
    asks: HostQuestions,
    output: Output,
    first: &[&str],
    react: impl FnMut(&mut Stage, &Command) -> Result<(), CommandError> + Send + 'static,
) -> Seen {
    let (fake, lines) = stage(first, react);
    go(fake, Input::Stream(lines), asks, output).await
}

async fn prompted(
    words: &str,
    output: Output,
    react: impl FnMut(&mut Stage, &Command) -> Result<(), CommandError> + Send + 'static,
) -> Seen {
    prompted_in(Mode::Default, words, output, react).await
}

/// Runs a prompt in a session that has this mode.
async fn prompted_in(
    mode: Mode,
    words: &str,
    output: Output,
    react: impl FnMut(&mut Stage, &Command) -> Result<(), CommandError> + Send + 'static,
) -> Seen {
    let (fake, _) = stage(&[], react);
    fake.set(|stage| stage.mode = mode);
    go(fake, said(words), HostQuestions::Nobody, output).await
}

/// A prompt.
fn said(words: &str) -> Input {
    Input::Prompt(Prompt::person(vec![UserBlock::text(words)], Delivery::NextTurn))
}

async fn go(fake: Arc<FakeSession>, input: Input, asks: HostQuestions, output: Output) -> Seen {
    let attached = fake.attach();
    attached_to(fake, attached, input, asks, output).await
}

async fn attached_to(
    fake: Arc<FakeSession>,
    attached: SessionConnection,
    input: Input,
    asks: HostQuestions,
    output: Output,
) -> Seen {
    let (_signal, signals) = tokio::sync::mpsc::channel(1);
    stoppable(fake, attached, (input, asks, output), signals).await
}

async fn stoppable(
    fake: Arc<FakeSession>,
    attached: SessionConnection,
    (input, asks, output): (Input, HostQuestions, Output),
    signals: Receiver<StopSignal>,
) -> Seen {
    let (stdout, stderr) = (SharedBuffer::default(), SharedBuffer::default());
    let run = PrintSetup {
        attached,
        input,
        output,
        asks,
        notices: Vec::new(),
        stdout: Box::new(stdout.clone()),
        stderr: Box::new(stderr.clone()),
        ids: Arc::new(Counter::default()),
        clock: Arc::new(Noon),
        signals,
    };
    let ended = tokio::time::timeout(Duration::from_secs(20), super::run(run)).await.expect("it hangs");
    Seen { ended, fake, stdout: stdout.text(), stderr: stderr.text() }
}

fn user(words: &str) -> String {
    json!({"type": "user", "message": {"role": "user", "content": words}}).to_string()
}
