//! What must be true of every request and every journal.

use std::collections::HashSet;
use std::path::Path;

use forelook_protocol::Entry;
use serde_json::Value;

/// Every request is a conversation that a provider accepts, and extends the one before it in its session.
pub fn requests(requests: &[Value]) {
    for request in requests {
        conversation(request["messages"].as_array().expect("messages"));
    }
    for pair in requests.windows(2) {
        extends(&pair[0], &pair[1]);
    }
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

/// A request of the same session only appends: a provider's cache can serve the whole former one.
fn extends(before: &Value, after: &Value) {
    let (old, new) = (before["messages"].as_array().unwrap(), after["messages"].as_array().unwrap());
    if new.first() != old.first() || new.len() < old.len() {
        return; // another session
    }
    assert_eq!(&new[..old.len()], &old[..], "the conversation changed instead of growing");
    assert_eq!(before["tools"], after["tools"], "the tools changed");
}

/// Every whole line of a journal is an entry, each has an id of its own, and follows one that is there.
pub fn journal(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let (whole, _torn) = text.rsplit_once('\n').unwrap_or_default();
    let mut ids = HashSet::new();
    let mut entries = Vec::new();
    for line in whole.lines() {
        let entry = Entry::parse(line).unwrap_or_else(|error| panic!("{}: {error}\n{line}", path.display()));
        assert!(entry.parent.is_none_or(|parent| ids.contains(&parent)), "an unknown parent: {line}");
        assert!(ids.insert(entry.id), "an id used twice: {line}");
        entries.push(serde_json::from_str(line).unwrap());
    }
    entries
}
