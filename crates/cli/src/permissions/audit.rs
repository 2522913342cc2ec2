//! `forelook permissions audit`: what was decided in a session, and by whom.

use std::collections::BTreeMap;
use std::process::ExitCode;

use forelook_protocol::{
    Answer, AnswerBlock, Ask, Body, CallId, Decided, Decision, Entry, QuestionId, SessionId, ToolCall,
};
use forelook_sessions::Store;
use forelook_settings::Env;
use serde_json::{Value, json};

use crate::failure::{Failure, Kind};
use crate::out::say;
use crate::run::here;

/// Lists and sums up.
pub(crate) fn run(env: &Env, session: Option<SessionId>, as_json: bool) -> Result<ExitCode, Failure> {
    let store = Store::new(env.home.clone());
    let failed = |error: forelook_sessions::SessionError| Failure::of(Kind::Task, &error);
    let session = match session {
        Some(session) => session,
        None => store.newest(&here()?).map_err(failed)?.ok_or_else(|| {
            Failure::new(Kind::Usage, "There is no session in this folder")
                .hint("Name one: forelook permissions audit ID")
        })?,
    };
    let transcript = store.read(session).map_err(failed)?;
    let rows = rows(&transcript.entries);
    match as_json {
        true => say!("{}", json!(rows.iter().map(Row::object).collect::<Vec<_>>())),
        false => print(&rows),
    }
    Ok(ExitCode::SUCCESS)
}

/// One decision.
struct Row<'a> {
    time: jiff::Timestamp,
    decided: &'a Decided,
    call: Option<&'a ToolCall>,
    /// What a person, or the lack of one, made of a question.
    answer: Option<&'a Answer>,
}

/// The decisions of a journal, each with its call and its answer.
fn rows(entries: &[Entry]) -> Vec<Row<'_>> {
    let mut calls: BTreeMap<&CallId, &ToolCall> = BTreeMap::new();
    let mut asked: BTreeMap<QuestionId, &CallId> = BTreeMap::new();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for entry in entries {
        match &entry.body {
            Body::Answer(answered) => {
                let uses = answered.blocks.iter().filter_map(|block| match block {
                    AnswerBlock::ToolUse(call) => Some((&call.id, call)),
                    AnswerBlock::Text { .. } | AnswerBlock::Thinking { .. } => None,
                });
                calls.extend(uses);
            }
            Body::Decision(decided) => {
                let call = calls.get(&decided.call).copied();
                rows.push(Row { time: entry.time, decided, call, answer: None });
            }
            Body::Question(opened) if matches!(opened.question.ask, Ask::Permission { .. }) => {
                asked.insert(opened.question.id, &opened.question.call);
            }
            Body::Reply(replied) => {
                let call = asked.get(&replied.question);
                let row =
                    rows.iter_mut().rev().find(|row| call.is_some_and(|call| row.decided.call == **call));
                if let Some(row) = row {
                    row.answer = Some(&replied.answer);
                }
            }
            _ => {}
        }
    }
    rows
}

impl Row<'_> {
    fn verdict(&self) -> &'static str {
        match (&self.decided.decision, self.answer) {
            (Decision::Allow(_), _) => "allow",
            (Decision::Deny(_), _) => "deny",
            (_, Some(Answer::Allow { .. })) => "asked: yes",
            (_, Some(Answer::Nobody)) => "asked: nobody",
            (_, Some(_)) => "asked: no",
            (_, None) => "asked",
        }
    }

    fn reason(&self) -> Option<&forelook_protocol::Reason> {
        match &self.decided.decision {
            Decision::Allow(reason)
            | Decision::Ask(reason)
            | Decision::Deny(reason)
            | Decision::Judge(reason) => Some(reason),
            Decision::Need(_) => None,
        }
    }

    fn what(&self) -> String {
        let input = self.call.map(|call| &call.input);
        let field = |name: &str| input.and_then(|input| input.get(name)).and_then(Value::as_str);
        let what = field("command").or_else(|| field("file_path")).unwrap_or_default();
        let line: String = what.lines().next().unwrap_or_default().chars().take(60).collect();
        format!("{}({line})", self.decided.tool)
    }

    fn object(&self) -> Value {
        json!({
            "time": self.time, "call": self.decided.call, "tool": self.decided.tool,
            "input": self.call.map(|call| &call.input), "verdict": self.verdict(),
            "reason": self.reason(), "took_ms": self.decided.took_ms,
        })
    }
}

fn print(rows: &[Row<'_>]) {
    let mut sums: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        *sums.entry(row.verdict()).or_default() += 1;
        let step = row.reason().map_or(0, |reason| reason.step.number());
        let text = row.reason().map_or("", |reason| reason.text.lines().next().unwrap_or_default());
        say!("{}  {:<13} {step:>2}  {}  {text}", row.time.strftime("%H:%M:%S"), row.verdict(), row.what());
    }
    let total: u64 = rows.iter().map(|row| row.decided.took_ms).sum();
    let sums: Vec<String> = sums.iter().map(|(verdict, count)| format!("{verdict} {count}")).collect();
    say!("\n{} decisions in {total} ms: {}", rows.len(), sums.join(", "));
}
