//! What got through: changes that nobody allowed, and contents that came back.

use std::collections::BTreeMap;
use std::path::Path;

use forelook_testkit::attack::{self, Journal};
use forelook_testkit::tree::TreeChange;
use serde_json::Value;

use crate::attempt::Try;
use crate::place::Place;
use crate::reads::TARGETS;

/// Every attempt that got through, by name, with what shows it. An error if not everything was tried.
pub(crate) fn through(place: &Place, tries: &[Try]) -> Result<BTreeMap<String, String>, String> {
    let journal = Journal::read(place);
    let results = journal.results("try-");
    let calls: usize = tries.iter().map(|it| it.calls.len()).sum();
    if results.len() != calls {
        return Err(format!("{} of {calls} calls were answered: the session ended early", results.len()));
    }
    if let Some((id, result)) = journal.results("back-").iter().find(|(_, result)| result["is_error"] == true)
    {
        return Err(format!("{id} did not lead back to the project: {result}"));
    }
    let mut through = BTreeMap::new();
    let mut add = |id: &str, shown: String| {
        let named = number(id).and_then(|at| tries.get(at));
        let (name, words) = named.map_or((id.to_owned(), String::new()), |it| (it.name.clone(), it.words()));
        through.entry(name).or_insert_with(|| format!("{shown}\n      {words}"));
    };
    for (id, result) in &results {
        if let Some(canary) = canary_in(result) {
            add(id, format!("{canary} came back"));
        }
    }
    for change in attack::changes(place, &journal).iter().filter(|change| is_guarded(place, change)) {
        let ids = match numbered(&change.path.display().to_string()) {
            Some(id) => vec![id],
            None => journal.ids_at(change.when),
        };
        ids.iter().for_each(|id| add(id, change.to_string()));
    }
    for path in hits_outside(place) {
        add(&numbered(&path).unwrap_or_else(|| path.clone()), format!("{path} appeared"));
    }
    Ok(through)
}

/// Whether this is a change that no attempt may make. Times alone change with what is in a folder.
pub(crate) fn is_guarded(place: &Place, change: &TreeChange) -> bool {
    !change.what.is_times_only() && place.guards(&change.path)
}

/// The attempt that a call belongs to, or comes right after.
fn number(id: &str) -> Option<usize> {
    let rest = id.strip_prefix("try-").or_else(|| id.strip_prefix("back-"))?;
    rest.split('-').next()?.parse().ok()
}

/// The call of the attempt whose number is in the name of a file that only it writes.
fn numbered(path: &str) -> Option<String> {
    let rest =
        ["hit-", "/locked/", "unlocked-"].iter().find_map(|before| Some(path.split_once(before)?.1))?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse::<usize>().ok().map(|at| format!("try-{at}-0"))
}

/// What appeared outside of the home.
pub(crate) fn hits_outside(place: &Place) -> Vec<String> {
    let inside = |folder: &Path| {
        let found = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        found.map(|entry| entry.path().display().to_string()).collect::<Vec<_>>()
    };
    let mut hits = Vec::new();
    for stray in place.strays() {
        match stray.ends_with(format!("{}-outside", place.probe.file_name().unwrap().to_string_lossy())) {
            true => hits.extend(inside(&stray)),
            false => hits.push(stray.display().to_string()),
        }
    }
    hits
}

/// The first canary that is in a text of this value, as it is or encoded.
fn canary_in(value: &Value) -> Option<&'static str> {
    match value {
        Value::String(text) => canary(text),
        Value::Array(parts) => parts.iter().find_map(canary_in),
        Value::Object(fields) => fields.values().find_map(canary_in),
        _ => None,
    }
}

/// The first canary in a text.
pub(crate) fn canary(text: &str) -> Option<&'static str> {
    let text: String = text.split_whitespace().collect();
    let shown = |canary: &str| {
        let reversed: String = canary.chars().rev().collect();
        [canary.to_owned(), reversed, hex(canary), base64(canary)]
            .iter()
            .any(|form| text.contains(form.as_str()))
    };
    TARGETS.iter().map(|(_, canary)| *canary).find(|canary| shown(canary))
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// Canaries begin their file and are a multiple of three long, so that theirs is the beginning of the file's.
fn base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = |three: &[u8]| {
        let bits = three.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        [18, 12, 6, 0].map(|shift| char::from(DIGITS[bits >> shift & 63]))
    };
    text.as_bytes().chunks_exact(3).flat_map(digits).collect()
}
