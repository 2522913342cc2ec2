//! One outcome from many hooks. Pure, and independent of their order.

use forelook_protocol::HookDecision;
use serde_json::Value;

use crate::HookOutcome;

/// What one hook said.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AttributedOutcome {
    /// Where the hook stands.
    pub(crate) origin: String,
    /// What it said.
    pub(crate) outcome: HookOutcome,
}

/// The common word of several hooks, given in the order of the settings.
pub(crate) fn merge(all: Vec<AttributedOutcome>) -> HookOutcome {
    let input = updated_input(&all);
    let mut merged = HookOutcome::default();
    let mut decisions = Vec::new();
    let mut stops = Vec::new();
    for AttributedOutcome { outcome, .. } in all {
        decisions.extend(outcome.decision);
        stops.extend(outcome.stop);
        merged.context.extend(outcome.context);
        merged.messages.extend(outcome.messages);
        merged.problems.extend(outcome.problems);
    }
    match input {
        Ok(input) => merged.updated_input = input,
        Err(conflict) => {
            decisions.push(HookDecision::Ask(conflict.why));
            merged.problems.push(conflict.problem);
        }
    }
    merged.decision = strictest(decisions);
    if matches!(merged.decision, Some(HookDecision::Deny(_))) {
        merged.updated_input = None;
    }
    merged.stop = joined(stops);
    merged
}

/// The strictest of several words, with the reasons of all that said it.
pub(crate) fn strictest(decisions: impl IntoIterator<Item = HookDecision>) -> Option<HookDecision> {
    let (mut denies, mut asks, mut allows) = (Vec::new(), Vec::new(), Vec::new());
    for decision in decisions {
        match decision {
            HookDecision::Deny(why) => denies.push(why),
            HookDecision::Ask(why) => asks.push(why),
            HookDecision::Allow(why) => allows.push(why),
        }
    }
    let deny = joined(denies).map(HookDecision::Deny);
    deny.or_else(|| joined(asks).map(HookDecision::Ask)).or_else(|| joined(allows).map(HookDecision::Allow))
}

/// Two hooks want different inputs.
struct InputConflict {
    why: String,
    problem: String,
}

/// The input that all hooks agree on that want one.
///
/// If they do not agree, neither is taken and a person is asked. They ran side by side, so neither has seen
/// the other's version: to take one is to drop the other's correction unseen, perhaps the one that made the
/// call harmless, and which one would depend on the order of files. To run the call unchanged is what
/// neither wanted.
fn updated_input(all: &[AttributedOutcome]) -> Result<Option<Value>, InputConflict> {
    let wanted: Vec<(&str, &Value)> = all
        .iter()
        .filter_map(|attributed| {
            Some((attributed.origin.as_str(), attributed.outcome.updated_input.as_ref()?))
        })
        .collect();
    let Some((_, first)) = wanted.first() else { return Ok(None) };
    if wanted.iter().all(|(_, input)| input == first) {
        return Ok(Some((*first).clone()));
    }
    let origins = wanted.iter().map(|(origin, _)| *origin).collect::<Vec<_>>().join(", ");
    Err(InputConflict {
        why: format!("Hooks change the input in different ways ({origins})"),
        problem: format!(
            "Hooks change the input of one call in different ways ({origins}), so Forelook applies no change and \
             asks for approval\nLet only one hook change a tool's input"
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
