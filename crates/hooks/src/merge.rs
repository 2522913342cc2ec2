//! One word out of many hooks'. Pure, and the same in whatever order they are asked.

use forelook_protocol::HookSays;
use serde_json::Value;

use crate::Outcome;

/// What one hook said.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    /// Where the hook stands.
    pub(crate) origin: String,
    /// What it said.
    pub(crate) outcome: Outcome,
}

/// The common word of several hooks, given in the order of the settings.
pub(crate) fn merge(all: Vec<Said>) -> Outcome {
    let input = updated_input(&all);
    let mut merged = Outcome::default();
    let mut words = Vec::new();
    let mut stops = Vec::new();
    for Said { outcome, .. } in all {
        words.extend(outcome.says);
        stops.extend(outcome.stop);
        merged.context.extend(outcome.context);
        merged.messages.extend(outcome.messages);
        merged.problems.extend(outcome.problems);
    }
    match input {
        Ok(input) => merged.updated_input = input,
        Err(conflict) => {
            words.push(HookSays::Ask(conflict.why));
            merged.problems.push(conflict.problem);
        }
    }
    merged.says = strictest(words);
    if matches!(merged.says, Some(HookSays::Deny(_))) {
        merged.updated_input = None;
    }
    merged.stop = joined(stops);
    merged
}

/// The strictest of several words, with the reasons of all that said it.
pub(crate) fn strictest(words: impl IntoIterator<Item = HookSays>) -> Option<HookSays> {
    let (mut denies, mut asks, mut allows) = (Vec::new(), Vec::new(), Vec::new());
    for word in words {
        match word {
            HookSays::Deny(why) => denies.push(why),
            HookSays::Ask(why) => asks.push(why),
            HookSays::Allow(why) => allows.push(why),
        }
    }
    let deny = joined(denies).map(HookSays::Deny);
    deny.or_else(|| joined(asks).map(HookSays::Ask)).or_else(|| joined(allows).map(HookSays::Allow))
}

/// Two hooks want different inputs.
struct Conflict {
    why: String,
    problem: String,
}

/// The input that all hooks agree on that want one.
///
/// If they do not agree, neither is taken and a person is asked. They ran side by side, so neither has seen
/// the other's version: to take one is to drop the other's correction unseen, perhaps the one that made the
/// call harmless, and which one would depend on the order of files. To run the call unchanged is what
/// neither wanted.
fn updated_input(all: &[Said]) -> Result<Option<Value>, Conflict> {
    let wanted: Vec<(&str, &Value)> = all
        .iter()
        .filter_map(|said| Some((said.origin.as_str(), said.outcome.updated_input.as_ref()?)))
        .collect();
    let Some((_, first)) = wanted.first() else { return Ok(None) };
    if wanted.iter().all(|(_, input)| input == first) {
        return Ok(Some((*first).clone()));
    }
    let origins = wanted.iter().map(|(origin, _)| *origin).collect::<Vec<_>>().join(", ");
    Err(Conflict {
        why: format!("Hooks want to change the input in different ways ({origins})"),
        problem: format!(
            "Hooks change the input of one call in different ways ({origins}), so no change is made and a \
             person decides\nLet only one hook change the input of a tool"
        ),
    })
}

/// All texts, each once.
fn joined(texts: Vec<String>) -> Option<String> {
    let mut once: Vec<String> = Vec::new();
    for text in texts {
        if !once.contains(&text) {
            once.push(text);
        }
    }
    (!once.is_empty()).then(|| once.join("\n"))
}

#[cfg(test)]
mod tests;
