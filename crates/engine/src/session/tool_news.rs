//! Which tools a request begins with, and what the model is told of those that joined and left since.
//!
//! A prefix lives as long as what was sent of its conversation; a session that begins or is resumed, another model and a
//! conversation that begins anew make a new one, of the tools that there are then. What happens in between is told in a
//! reminder, which is an entry like any other: so a resumed session knows what the model was told, and after a kill
//! between a change and its reminder the difference is simply still there.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use forelook_protocol::{Body, Reminder, ReminderKind, ToolJoined, ToolSpec};
use forelook_providers::{Former, Kept};
use forelook_tools::{Guest, Toolbox};

use super::Session;
use super::conversation::{Conversation, ToldTools};
use crate::handle::{AgentRun, NotRecorded, gone};
use crate::model::ModelChoice;
use crate::prefix::ToolPrefix;

/// How many tools a reminder describes, a line each.
const MAX_LINES: usize = 40;
/// How many names it lists besides.
const MAX_NAMES: usize = 60;

/// What the main agent's requests begin with, model by model: while planning there may be another one for a while, and
/// the first has cached its own.
#[derive(Default)]
pub(super) struct Offer {
    /// Of which conversation: one that begins anew has sent nothing.
    of: Option<Arc<Former>>,
    prefixes: BTreeMap<String, ToolPrefix>,
}

impl Offer {
    fn prefix(
        &mut self,
        conversation: &Conversation,
        model: Option<&ModelChoice>,
        now: &Arc<Toolbox>,
        loaded: &[String],
    ) -> &ToolPrefix {
        let former = conversation.former();
        if !self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, former)) {
            *self = Self { of: Some(Arc::clone(former)), prefixes: BTreeMap::new() };
        }
        let id = model.map(|choice| choice.id.clone()).unwrap_or_default();
        let defers = model.is_some_and(|choice| choice.provider.defers_tools());
        let begin = || ToolPrefix::new(Arc::clone(now), defers, loaded);
        let prefix = self.prefixes.entry(id).or_insert_with(begin);
        prefix.load(now, loaded);
        prefix
    }
}

impl Session {
    /// The tools that the next request of this agent begins with. What changed since they were sent is written down.
    pub(super) async fn offered(
        &mut self,
        agent: Option<&AgentRun>,
        model: Option<&ModelChoice>,
    ) -> Result<Arc<Kept<Vec<ToolSpec>>>, NotRecorded> {
        let id = agent.map(|run| run.id.clone());
        let thread = self.state.thread(id.as_ref()).ok_or_else(gone)?;
        let conversation = &thread.conversation;
        let now = agent.map_or(&self.runtime.tools, |run| &run.tools).snapshot();
        let prefix = match agent {
            Some(run) => &run.prefix,
            None => self.offer.prefix(conversation, model, &now, &self.state.loaded),
        };
        let (specs, news) = (prefix.specs(), news(prefix.set(), conversation.told(), &now));
        if let Some(reminder) = news {
            self.record_for(id, vec![Body::Reminder(reminder)]).await?;
        }
        Ok(specs)
    }

    pub(super) fn forget_offer(&mut self) {
        self.offer = Offer::default();
    }
}

/// What the model must be told: how the tools of others are now, if that is not how they were when its requests began
/// and what it was told of them since.
fn news(began: &Toolbox, told: &ToldTools, now: &Toolbox) -> Option<Reminder> {
    if told.is_empty() && began.version() == now.version() {
        return None;
    }
    let known = |name: &str| match told.get(name) {
        Some(told) => told.as_deref(),
        None => began.guest(name).map(|guest| guest.fingerprint.as_str()),
    };
    let joined: Vec<&Guest> =
        now.guests().filter(|guest| known(guest.name()) != Some(guest.fingerprint.as_str())).collect();
    let names = began.guests().map(|guest| guest.name()).chain(told.keys().map(String::as_str));
    let is = |name: &str| now.guest(name).map(|guest| guest.fingerprint.as_str());
    let mut left: Vec<&str> = names.filter(|name| known(name).is_some() && known(name) != is(name)).collect();
    left.sort_unstable();
    left.dedup();
    if joined.is_empty() && left.is_empty() {
        return None;
    }
    let text = text(&joined, &left, now);
    let fingerprinted =
        |guest: &&Guest| ToolJoined { name: guest.name().to_owned(), fingerprint: guest.fingerprint.clone() };
    let joined = joined.iter().map(fingerprinted).collect();
    let left = left.into_iter().map(str::to_owned).collect();
    Some(Reminder { kind: ReminderKind::ToolsChanged { joined, left }, text })
}

fn text(joined: &[&Guest], left: &[&str], now: &Toolbox) -> String {
    let (changed, new): (Vec<&Guest>, Vec<&Guest>) =
        joined.iter().partition(|guest| left.contains(&guest.name()));
    let gone: Vec<&str> = left.iter().copied().filter(|name| now.guest(name).is_none()).collect();
    let mut text = String::new();
    if !gone.is_empty() {
        let _ = writeln!(text, "These tools have left and cannot be called now: {}.", listed(&gone));
    }
    if !changed.is_empty() {
        text.push_str("These tools have changed; what you were told of them before is out of date:\n");
        describe(&mut text, &changed);
    }
    if !new.is_empty() {
        text.push_str("These tools have joined:\n");
        describe(&mut text, &new);
    }
    if !joined.is_empty() {
        text.push_str(how_to_call(now));
    }
    text.trim_end().to_owned()
}

fn how_to_call(now: &Toolbox) -> &'static str {
    match now.has("ToolSearch") {
        true => {
            "ToolSearch (`select:` and exact names) tells what they take. Those that are not in your list of tools are \
             called with `CallTool`."
        }
        false => {
            "Those that are not in your list of tools are called with `CallTool`; an input that does not fit is answered \
             with what is wrong."
        }
    }
}

/// A line for each; those that are many enough to be held back are only counted, for the search to find.
fn describe(text: &mut String, guests: &[&Guest]) {
    let (many, few): (Vec<&Guest>, Vec<&Guest>) =
        guests.iter().partition(|guest| guest.tool.deferred().is_some());
    for guest in few.iter().take(MAX_LINES) {
        let _ = writeln!(text, "- `{}`: {}", guest.name(), guest.about());
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for guest in many.iter().chain(few.iter().skip(MAX_LINES)) {
        *counts.entry(&guest.owner).or_default() += 1;
    }
    for (owner, count) in counts {
        let _ = writeln!(text, "- {count} of `{owner}`, for ToolSearch to find");
    }
}

fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(MAX_NAMES) {
        0 => quoted.join(", "),
        more => format!("{} and {more} more", quoted.join(", ")),
    }
}

#[cfg(test)]
mod tests;
