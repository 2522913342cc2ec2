//! What the journals of a stage say about the calls that were tried.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::Stage;

/// A step of the file system's clock.
const STEP: Duration = Duration::from_millis(10);

fn time(entry: &Value) -> SystemTime {
    let time = entry["time"].as_str().unwrap();
    time.parse::<jiff::Timestamp>().unwrap().into()
}

/// What the journals say, all sessions of a place together.
pub struct Journal {
    entries: Vec<Value>,
    /// Names of plans.
    pub(super) slugs: Vec<String>,
    spans: Vec<Span>,
}

/// When a call ran.
struct Span {
    began: SystemTime,
    ended: Option<SystemTime>,
    /// Where its start is among the entries.
    entry: usize,
}

/// Looked up once: a journal may be long, and changes may be many.
fn spans(entries: &[Value]) -> Vec<Span> {
    let key = |call: &Value, agent: &Value| format!("{call} {agent}");
    let mut ends = HashMap::new();
    for ended in entries.iter().filter(|entry| entry["kind"] == "tool_finished") {
        let call = &ended["data"]["result"]["tool_use_id"];
        ends.entry(key(call, &ended["agent"])).or_insert_with(|| time(ended));
    }
    let started = entries.iter().enumerate().filter(|(_, entry)| entry["kind"] == "tool_started");
    let span = |(entry, began): (usize, &Value)| {
        let ended = ends.get(&key(&began["data"]["call"], &began["agent"])).copied();
        Span { began: time(began), ended, entry }
    };
    started.map(span).collect()
}

impl Journal {
    /// Reads them.
    pub fn read(stage: &Stage) -> Self {
        let entries: Vec<Value> =
            stage.journals().iter().flat_map(|path| crate::check::journal(path)).collect();
        let named = entries.iter().filter(|entry| entry["kind"] == "plan_named");
        let slugs = named.filter_map(|entry| entry["data"]["slug"].as_str()).map(str::to_owned).collect();
        let spans = spans(&entries);
        Self { entries, slugs, spans }
    }

    fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.entries.iter().filter(move |entry| entry["kind"] == kind)
    }

    /// How many calls whose ids begin so have a result.
    pub fn answered(&self, ids: &str) -> usize {
        let id = |entry: &Value| entry["data"]["result"]["tool_use_id"].as_str().map(str::to_owned);
        let mut all: Vec<String> = self.of_kind("tool_finished").filter_map(id).collect();
        all.retain(|id| id.starts_with(ids));
        all.sort();
        all.dedup();
        all.len()
    }

    /// How many calls whose ids begin so this step decided about, and those that another one did.
    pub fn decided_by(&self, step: &str, ids: &[&str]) -> (usize, Vec<String>) {
        let tried = |entry: &&Value| {
            let call = entry["data"]["call"].as_str().unwrap_or_default();
            ids.iter().any(|begin| call.starts_with(begin))
        };
        let (by, others): (Vec<&Value>, Vec<&Value>) = self
            .of_kind("permission_decided")
            .filter(tried)
            .partition(|entry| entry["data"]["reason"]["step"] == step);
        (by.len(), others.iter().map(|entry| entry["data"].to_string()).collect())
    }

    /// How many calls whose ids begin so ran where nothing can be changed.
    pub fn held(&self, ids: &str) -> usize {
        let ran = self.of_kind("tool_started").filter(|entry| entry["agent"].is_null());
        let ran =
            ran.filter(|entry| entry["data"]["call"].as_str().is_some_and(|call| call.starts_with(ids)));
        ran.filter(|entry| entry["data"]["sandbox"] == "read_only").count()
    }

    /// What was decided about each call whose id begins so.
    pub fn decisions(&self, ids: &str) -> HashMap<String, Value> {
        let call = |entry: &Value| entry["data"]["call"].as_str().unwrap_or_default().to_owned();
        let all = self.of_kind("permission_decided").map(|entry| (call(entry), entry["data"].clone()));
        all.filter(|(call, _)| call.starts_with(ids)).collect()
    }

    /// What came back from each call whose id begins so.
    pub fn results(&self, ids: &str) -> Vec<(String, Value)> {
        let result = |entry: &Value| entry["data"]["result"].clone();
        let named = |result: Value| Some((result["tool_use_id"].as_str()?.to_owned(), result));
        let all = self.of_kind("tool_finished").map(result).filter_map(named);
        all.filter(|(id, _)| id.starts_with(ids)).collect()
    }

    /// The starts of calls that were running at an instant, or began so much later.
    fn started_at(&self, when: SystemTime, later: Duration) -> Vec<&Value> {
        let running =
            |span: &&Span| span.began <= when + later && span.ended.is_none_or(|ended| when <= ended);
        self.spans.iter().filter(running).map(|span| &self.entries[span.entry]).collect()
    }

    /// The ids of the calls that were running at an instant. If none was: of the one that ended last, which may have left
    /// something running, and of the one that was decided about next.
    pub fn ids_at(&self, when: SystemTime) -> Vec<String> {
        let id = |entry: &Value| entry["data"]["call"].as_str().map(str::to_owned);
        for later in [Duration::ZERO, STEP] {
            let running: Vec<String> = self.started_at(when, later).into_iter().filter_map(id).collect();
            if !running.is_empty() {
                return running;
            }
        }
        let before = self.spans.iter().rfind(|span| span.began <= when).map(|span| &self.entries[span.entry]);
        let next = self.of_kind("permission_decided").find(|decided| when <= time(decided));
        before.into_iter().chain(next).filter_map(id).collect()
    }

    /// The calls that were running at an instant, in words; if none was, those that were decided about next: finding out what
    /// one of them would do may have done it.
    pub fn running_at(&self, when: SystemTime) -> String {
        // An entry may be older by a step of the file system's clock than what followed it.
        let mut running: Vec<String> =
            self.started_at(when, STEP).into_iter().map(|began| self.words(began)).collect();
        // Of an agent that is running, it is its calls that do something.
        running.retain(|words| !words.starts_with("Agent "));
        if !running.is_empty() {
            return format!("running then: {}", running.join(" | "));
        }
        let next = self.of_kind("permission_decided").filter(|decided| when <= time(decided)).take(3);
        let next: Vec<String> = next.map(|decided| self.words(decided)).collect();
        format!("nothing was running; decided about next: {}", next.join(" | "))
    }

    /// The call that an entry is about.
    fn words(&self, entry: &Value) -> String {
        let (id, agent) = (&entry["data"]["call"], &entry["agent"]);
        let whose = if agent.is_null() { "" } else { " (a subagent)" };
        match self.call(id, agent) {
            Some(call) => format!("{} {}{whose}", call["name"].as_str().unwrap_or("?"), call["input"]),
            None => format!("call {id}{whose}"),
        }
    }

    fn call(&self, id: &Value, agent: &Value) -> Option<&Value> {
        let answers = self.of_kind("model_answered").filter(|entry| entry["agent"] == *agent);
        let blocks = answers.flat_map(|entry| entry["data"]["blocks"].as_array().into_iter().flatten());
        blocks.into_iter().find(|block| block["type"] == "tool_use" && block["id"] == *id)
    }
}
