//! `forelook permissions audit`: what was decided in a session, and by whom.

use std::collections::BTreeMap;
use std::process::ExitCode;

use forelook_host::{Failure, FailureClass};
use forelook_protocol::{
    AgentId, AnswerBlock, CallId, Confinement, Decision, Entry, EntryBody, HostAnswer, PermissionDecided,
    PlanAnswer, RequestId, SessionId, ToolCall,
};
use forelook_sessions::SessionStore;
use forelook_settings::Env;
use serde_json::{Value, json};

use super::confinement;
use crate::out::{print_note, say};
use crate::run::here;

/// Lists and sums up.
pub(crate) fn run(env: &Env, session: Option<SessionId>, as_json: bool) -> Result<ExitCode, Failure> {
    let store = SessionStore::new(env.home.clone());
    let failed = |error: forelook_sessions::SessionError| Failure::of(FailureClass::Task, &error);
    let session = match session {
        Some(session) => session,
        None => {
            let newest = store.newest(&here()?).map_err(failed)?;
            newest.passed_over.iter().for_each(|problem| print_note(&problem.to_string()));
            newest.id.ok_or_else(|| {
                Failure::new(FailureClass::Usage, "No session in this folder")
                    .hint("Give a session ID: forelook permissions audit ID")
            })?
        }
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
    decided: &'a PermissionDecided,
    call: Option<&'a ToolCall>,
    /// Whose call; nothing for the main agent's.
    agent: Option<&'a AgentId>,
    /// What a person, or the lack of one, made of a question.
    answer: Option<AuditAnswer<'a>>,
}

/// What was said to a question.
enum AuditAnswer<'a> {
    Answer(&'a HostAnswer),
    Review(&'a PlanAnswer),
}

/// The decisions of a journal, each with its call and its answer.
fn rows(entries: &[Entry]) -> Vec<Row<'_>> {
    // Two agents may use the same ids.
    let mut calls: BTreeMap<(Option<&AgentId>, &CallId), &ToolCall> = BTreeMap::new();
    let mut asked: BTreeMap<RequestId, (Option<&AgentId>, &CallId)> = BTreeMap::new();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for entry in entries {
        let agent = entry.agent.as_ref();
        let (question, heard) = match &entry.body {
            EntryBody::ModelAnswered(answered) => {
                calls.extend(answered.blocks.iter().filter_map(|block| match block {
                    AnswerBlock::ToolUse(call) => Some(((agent, &call.id), call)),
                    AnswerBlock::Text { .. } | AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } => {
                        None
                    }
                }));
                continue;
            }
            EntryBody::PermissionDecided(decided) => {
                let call = calls.get(&(agent, &decided.call)).copied();
                rows.push(Row { time: entry.time, decided, call, agent, answer: None });
                continue;
            }
            EntryBody::QuestionOpened(opened) => {
                if let Some(call) = &opened.question.call {
                    asked.insert(opened.question.id, (agent, call));
                }
                continue;
            }
            EntryBody::QuestionClosed(replied) => {
                (Some(replied.question), AuditAnswer::Answer(&replied.answer))
            }
            EntryBody::PlanReviewed(reviewed) => (reviewed.question, AuditAnswer::Review(&reviewed.answer)),
            _ => continue,
        };
        let Some(asked) = question.and_then(|question| asked.get(&question)) else { continue };
        if let Some(row) = rows.iter_mut().rev().find(|row| (row.agent, &row.decided.call) == *asked) {
            row.answer = Some(heard);
        }
    }
    rows
}

impl Row<'_> {
    fn verdict(&self) -> &'static str {
        match (&self.decided.decision, &self.answer) {
            (Decision::Allow(reason), _) if !reason.sandbox.is_unconfined() => "confined",
            (Decision::Allow(_), _) => "allow",
            (Decision::Deny(_), _) => "deny",
            (_, Some(AuditAnswer::Answer(HostAnswer::Allow { .. } | HostAnswer::Chosen { .. }))) => {
                "asked: yes"
            }
            (_, Some(AuditAnswer::Review(PlanAnswer::Approve(_)))) => "asked: yes",
            (_, Some(AuditAnswer::Answer(HostAnswer::Nobody))) => "cannot ask",
            (_, Some(AuditAnswer::Review(PlanAnswer::HandOver))) => "returned",
            (_, Some(_)) => "asked: no",
            (_, None) => "asked",
        }
    }

    fn reason(&self) -> Option<&forelook_protocol::Reason> {
        match &self.decided.decision {
            Decision::Allow(reason)
            | Decision::Ask(reason)
            | Decision::Deny(reason)
            | Decision::Classify(reason) => Some(reason),
            Decision::NeedFacts(_) => None,
        }
    }

    fn sandbox(&self) -> Confinement {
        self.reason().map(|reason| reason.sandbox).unwrap_or_default()
    }

    /// What the kernel held it to, and why it was decided so, in a line.
    fn why(&self) -> String {
        let text = self.reason().map_or("", |reason| reason.text.lines().next().unwrap_or_default());
        let runs = !matches!(self.verdict(), "deny" | "asked: no" | "cannot ask");
        match confinement::word(self.sandbox()).filter(|_| runs) {
            Some(held) => format!("[{held}] {text}"),
            None => text.to_owned(),
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
            "time": self.time, "agent": self.agent, "call": self.decided.call, "tool": self.decided.tool,
            "input": self.call.map(|call| &call.input), "verdict": self.verdict(),
            "reason": self.reason(), "sandbox": self.sandbox(), "took_ms": self.decided.took_ms,
        })
    }
}

fn print(rows: &[Row<'_>]) {
    let mut sums: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        *sums.entry(row.verdict()).or_default() += 1;
        let step = row.reason().map_or(0, |reason| reason.step.number());
        let (time, why) = (row.time.strftime("%H:%M:%S"), row.why());
        say!("{time}  {:<13} {step:>2}  {}  {why}", row.verdict(), row.what());
    }
    let total: u64 = rows.iter().map(|row| row.decided.took_ms).sum();
    let sums: Vec<String> = sums.iter().map(|(verdict, count)| format!("{verdict} {count}")).collect();
    let decisions = if rows.len() == 1 { "decision" } else { "decisions" };
    let sums = if sums.is_empty() { String::new() } else { format!(": {}", sums.join(", ")) };
    say!("\n{} {decisions} in {total} ms{sums}", rows.len());
}
