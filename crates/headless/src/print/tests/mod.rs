//! Runs against a scripted session: who is asked, what is printed, and that it always ends.

mod hosts;
mod models;
mod turns;

use std::time::Duration;

use forelook_protocol::{
    AgentEnded, Answer, AnswerEvent, Approval, Ask, Body, EndReason, Live, Mode, PlanAnswer, PlanShown,
    Reason, Refused, Step, Usage, Verdict,
};
use serde_json::{Value, json};

use super::*;
use crate::testing::{Counter, Fake, Noon, Page, Stage, path, review, stage, uuid};

const STREAM: Output = Output::Stream { partial: false };

struct Seen {
    ended: Ended,
    fake: Arc<Fake>,
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

    fn answers(&self) -> Vec<Answer> {
        let answer = |command| match command {
            Command::Answer { answer, .. } => Some(answer),
            _ => None,
        };
        self.fake.commands().into_iter().filter_map(answer).collect()
    }
}

/// Runs over `stream-json`, with lines that are there from the start.
async fn streamed(
    asks: Asks,
    output: Output,
    first: &[&str],
    react: impl FnMut(&mut Stage, &Command) -> Result<(), Refused> + Send + 'static,
) -> Seen {
    let (fake, events, lines) = stage(first, react);
    go(fake, events, Input::Stream(lines), asks, output).await
}

async fn prompted(
    words: &str,
    output: Output,
    react: impl FnMut(&mut Stage, &Command) -> Result<(), Refused> + Send + 'static,
) -> Seen {
    let (fake, events, _) = stage(&[], react);
    go(fake, events, Input::Prompt(vec![UserBlock::text(words)]), Asks::Nobody, output).await
}

async fn go(
    fake: Arc<Fake>,
    events: Box<crate::testing::Events>,
    input: Input,
    asks: Asks,
    output: Output,
) -> Seen {
    let (stdout, stderr) = (Page::default(), Page::default());
    let (_signal, signals) = tokio::sync::mpsc::channel(1);
    let run = Run {
        session: fake.clone(),
        events,
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
