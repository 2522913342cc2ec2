//! What must be true of every request and every journal.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use forelook_protocol::{Entry, EntryBody, TurnId};
use serde_json::Value;

/// Every request is a conversation that a provider accepts, and grew out of an earlier one.
///
/// Requests of several agents, models and sessions stand in one list, in the order in which they were sent. What holds
/// for all of them: an answer was given to exactly the messages before it. So a request without its last answer and
/// what follows that is, message for message, an earlier request with the same system prompt; and a provider's cache can
/// serve all of it.
pub fn requests(requests: &[Value]) {
    for request in requests {
        conversation(request["messages"].as_array().expect("messages"));
    }
    grew(requests);
}

/// Every request grew out of an earlier one. Of a message it is only looked at whether the model said it, and whether it
/// is still the same.
pub(crate) fn grew(requests: &[Value]) {
    // By system prompt and messages, the places of the requests that had them.
    let mut sent: HashMap<String, Vec<usize>> = HashMap::new();
    let mut parents: Vec<Option<usize>> = Vec::new();
    for (at, request) in requests.iter().enumerate() {
        let messages = request["messages"].as_array().expect("messages");
        let parent = messages.iter().rposition(|message| message["role"] == "assistant").map(|answer| {
            let before = key(request, &messages[..answer]);
            // Two sessions may begin alike; it grew out of the one whose tools it has.
            let could = sent.get(&before).map(Vec::as_slice).unwrap_or_default().iter().rev();
            let found = could.copied().find(|parent| tools_grew(requests, &parents, *parent, request));
            found.unwrap_or_else(|| {
                let changed = if sent.contains_key(&before) { "tools" } else { "conversation" };
                panic!("the {changed} of request {} changed instead of growing: {request:#}", at + 1)
            })
        });
        parents.push(parent);
        sent.entry(key(request, messages)).or_default().push(at);
    }
}

fn key(request: &Value, messages: &[Value]) -> String {
    serde_json::to_string(&(&request["system"], messages)).unwrap()
}

/// Whether the tools of a request begin with those of the last one before it that went to the same model. Another model
/// has a cache of its own, and may be sent them another way.
fn tools_grew(requests: &[Value], parents: &[Option<usize>], parent: usize, request: &Value) -> bool {
    let line = std::iter::successors(Some(parent), |at| parents[*at]);
    let same_model = line.map(|at| &requests[at]).find(|before| before["model"] == request["model"]);
    let tools = |request: &Value| request["tools"].as_array().expect("tools").clone();
    same_model.is_none_or(|before| tools(request).starts_with(&tools(before)))
}

/// Calls have ids of their own; after an answer with calls come exactly their results, in order.
pub fn conversation(messages: &[Value]) {
    let mut ids = HashSet::new();
    let mut due: Vec<String> = Vec::new();
    for message in messages {
        let blocks = message["blocks"].as_array().expect("blocks");
        let of = |kind: &str, key: &str| -> Vec<String> {
            let found = blocks.iter().filter(|block| block["type"] == kind);
            found.map(|block| block[key].as_str().unwrap().to_owned()).collect()
        };
        if message["role"] == "user" {
            assert_eq!(
                of("tool_result", "tool_use_id"),
                std::mem::take(&mut due),
                "results of {messages:#?}"
            );
        } else {
            assert!(due.is_empty(), "{due:?} have no result in {messages:#?}");
            due = of("tool_use", "id");
            for id in &due {
                assert!(ids.insert(id.clone()), "`{id}` is used twice in {messages:#?}");
            }
        }
        assert!(!blocks.is_empty(), "an empty message in {messages:#?}");
    }
    assert!(due.is_empty(), "{due:?} have no result in {messages:#?}");
    assert_eq!(messages.last().expect("a message")["role"], "user");
}

/// Every whole line of a journal is an entry, each has an id of its own, and follows one that is there. Turns are numbered
/// from 1, one after the other, and whatever the main agent is told or says belongs to one.
pub fn journal(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let (whole, _torn) = text.rsplit_once('\n').unwrap_or_default();
    let mut ids = HashSet::new();
    let mut entries = Vec::new();
    let mut turns = Turns::default();
    for line in whole.lines() {
        let entry = Entry::parse(line).unwrap_or_else(|error| panic!("{}: {error}\n{line}", path.display()));
        assert!(entry.parent.is_none_or(|parent| ids.contains(&parent)), "an unknown parent: {line}");
        assert!(ids.insert(entry.id), "an id used twice: {line}");
        turns.check(&entry, line);
        entries.push(serde_json::from_str(line).unwrap());
    }
    entries
}

/// The turns of the main agent, as a journal tells of them.
#[derive(Default)]
struct Turns {
    newest: TurnId,
    open: Option<TurnId>,
}

impl Turns {
    fn check(&mut self, entry: &Entry, line: &str) {
        if entry.agent.is_some() {
            return;
        }
        match &entry.body {
            EntryBody::TurnStarted(started) => {
                assert_eq!(self.open, None, "a turn in a turn: {line}");
                assert_eq!(started.turn, self.newest.next(), "a turn out of order: {line}");
                (self.newest, self.open) = (started.turn, Some(started.turn));
            }
            EntryBody::TurnEnded(ended) => {
                assert_eq!(self.open.take(), Some(ended.turn), "the end of no turn: {line}");
            }
            EntryBody::PromptAccepted(_) | EntryBody::ModelAnswered(_) | EntryBody::ToolStarted(_) => {
                assert!(self.open.is_some(), "outside of a turn: {line}");
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(model: &str, tools: &[&str], words: &[&str]) -> Value {
        let message = |(at, words): (usize, &&str)| {
            let role = if at % 2 == 0 { "user" } else { "assistant" };
            json!({"role": role, "blocks": [{"type": "text", "text": words}]})
        };
        let messages: Vec<Value> = words.iter().enumerate().map(message).collect();
        json!({"model": model, "system": ["s"], "tools": tools, "messages": messages})
    }

    fn holds(list: &[Value]) -> bool {
        std::panic::catch_unwind(|| requests(list)).is_ok()
    }

    #[test]
    fn conversations_between_each_other_each_grow() {
        assert!(holds(&[
            request("m", &["A"], &["hi"]),
            request("small", &["R"], &["look"]),
            request("m", &["A"], &["hi", "a", "b"]),
            request("small", &["R"], &["look", "x", "y"]),
            request("plans", &["A", "B"], &["hi", "a", "b", "c", "d"]),
            request("m", &["A", "C"], &["hi", "a", "b", "c", "d", "e", "f"]),
            // A fresh context, a second session that begins like the first, and a fork of the first.
            request("m", &["A", "C"], &["the plan"]),
            request("m", &["A"], &["hi"]),
            request("m", &["A"], &["hi", "a", "other"]),
        ]));
    }

    #[test]
    fn what_changes_is_found() {
        let first = request("m", &["A", "B"], &["hi"]);
        for (second, why) in [
            (request("m", &["A", "B"], &["ho", "a", "b"]), "the first message changed"),
            (request("m", &["B", "A"], &["hi", "a", "b"]), "the tools are in another order"),
            (request("m", &["A"], &["hi", "a", "b"]), "a tool is gone"),
            (request("m", &["A", "B"], &["hi", "a", "b", "c", "d"]), "a request is missing"),
        ] {
            assert!(!holds(&[first.clone(), second]), "{why}");
        }
        let mut other = request("m", &["A", "B"], &["hi", "a", "b"]);
        other["system"] = json!(["t"]);
        assert!(!holds(&[first.clone(), other]), "the system prompt changed");
        let second = request("m", &["A", "B"], &["hi", "a", "b"]);
        let third = request("m", &["A", "B"], &["hi", "a", "changed", "c", "d"]);
        assert!(!holds(&[first.clone(), second.clone(), third]), "a message in the middle changed");
        let elsewhere = request("plans", &["B"], &["hi", "a", "b"]);
        let back = request("m", &["A"], &["hi", "a", "b", "c", "d"]);
        assert!(!holds(&[first, elsewhere, back]), "another model in between hides nothing");
    }
}
