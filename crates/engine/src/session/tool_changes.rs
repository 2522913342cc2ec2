//! Which tools a request begins with, and what the model is told of those that joined and left since.
//!
//! A prefix lives as long as what was sent of its conversation; a session that begins or is resumed, another model and a
//! conversation that begins anew make a new one, of the tools that there are then. What happens in between is told in a
//! reminder, which is an entry like any other: so a resumed session knows what the model was told, and after a kill
//! between a change and its reminder the difference is simply still there.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use forelook_protocol::{AddedTool, EntryBody, Reminder, ReminderKind, ToolSpec};
use forelook_providers::{PreviousBody, WireCached};
use forelook_tools::{ExternalTool, Toolbox};

use super::Session;
use super::conversation::{Conversation, ReportedTools};
use crate::handle::{AgentRun, RecordError, session_ended};
use crate::model::ResolvedModel;
use crate::prefix::ToolPrefix;

/// How many tools a reminder describes, a line each.
const MAX_LINES: usize = 40;
/// How many names it lists besides.
const MAX_NAMES: usize = 60;

/// What the main agent's requests begin with, model by model: while planning there may be another one for a while, and
/// the first has cached its own.
#[derive(Default)]
pub(super) struct ToolPrefixes {
    /// Of which conversation: one that begins anew has sent nothing.
    of: Option<Arc<PreviousBody>>,
    prefixes: BTreeMap<String, ToolPrefix>,
}

impl ToolPrefixes {
    fn prefix(
        &mut self,
        conversation: &Conversation,
        model: Option<&ResolvedModel>,
        now: &Arc<Toolbox>,
        loaded: &[String],
    ) -> &ToolPrefix {
        let previous_body = conversation.previous_body();
        if !self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, previous_body)) {
            *self = Self { of: Some(Arc::clone(previous_body)), prefixes: BTreeMap::new() };
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
    pub(super) async fn request_tools(
        &mut self,
        agent: Option<&AgentRun>,
        model: Option<&ResolvedModel>,
    ) -> Result<Arc<WireCached<Vec<ToolSpec>>>, RecordError> {
        let id = agent.map(|run| run.id.clone());
        let thread = self.state.thread(id.as_ref()).ok_or_else(session_ended)?;
        let conversation = &thread.conversation;
        let now = agent.map_or(&self.runtime.tools, |run| &run.tools).snapshot();
        let prefix = match agent {
            Some(run) => &run.prefix,
            None => self.tool_prefixes.prefix(conversation, model, &now, &self.state.loaded),
        };
        let (specs, tool_changes) =
            (prefix.specs(), tool_changes(prefix.set(), conversation.reported(), &now));
        if let Some(reminder) = tool_changes {
            self.record_for(id, vec![EntryBody::Reminder(reminder)]).await?;
        }
        Ok(specs)
    }

    pub(super) fn reset_tool_prefixes(&mut self) {
        self.tool_prefixes = ToolPrefixes::default();
    }
}

/// What the model must be told: how the tools of others are now, if that is not how they were when its requests began
/// and what it was told of them since.
fn tool_changes(began: &Toolbox, reported: &ReportedTools, now: &Toolbox) -> Option<Reminder> {
    if reported.is_empty() && began.version() == now.version() {
        return None;
    }
    let known = |name: &str| match reported.get(name) {
        Some(reported) => reported.as_deref(),
        None => began.external_tool(name).map(|external| external.fingerprint.as_str()),
    };
    let joined: Vec<&ExternalTool> = now
        .external_tools()
        .filter(|external| known(external.name()) != Some(external.fingerprint.as_str()))
        .collect();
    let names =
        began.external_tools().map(|external| external.name()).chain(reported.keys().map(String::as_str));
    let is = |name: &str| now.external_tool(name).map(|external| external.fingerprint.as_str());
    let mut left: Vec<&str> = names.filter(|name| known(name).is_some() && known(name) != is(name)).collect();
    left.sort_unstable();
    left.dedup();
    if joined.is_empty() && left.is_empty() {
        return None;
    }
    let text = text(&joined, &left, now);
    let fingerprinted = |external: &&ExternalTool| AddedTool {
        name: external.name().to_owned(),
        fingerprint: external.fingerprint.clone(),
    };
    let joined = joined.iter().map(fingerprinted).collect();
    let left = left.into_iter().map(str::to_owned).collect();
    Some(Reminder { kind: ReminderKind::ToolsChanged { added: joined, removed: left }, text })
}

fn text(joined: &[&ExternalTool], left: &[&str], now: &Toolbox) -> String {
    let (changed, new): (Vec<&ExternalTool>, Vec<&ExternalTool>) =
        joined.iter().partition(|external| left.contains(&external.name()));
    let gone: Vec<&str> = left.iter().copied().filter(|name| now.external_tool(name).is_none()).collect();
    let mut text = String::new();
    if !gone.is_empty() {
        let _ = writeln!(text, "These tools are gone and cannot be called now: {}.", listed(&gone));
    }
    if !changed.is_empty() {
        text.push_str("These tools have changed; earlier descriptions of them are out of date:\n");
        describe(&mut text, &changed);
    }
    if !new.is_empty() {
        text.push_str("These tools are new:\n");
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
            "ToolSearch (`select:` and exact names) shows their input. Call those that are not in your tool list \
             with `CallTool`."
        }
        false => {
            "Call those that are not in your tool list with `CallTool`; if the input is wrong, the result says why."
        }
    }
}

/// A line for each; those that are many enough to be held back are only counted, for the search to find.
fn describe(text: &mut String, externals: &[&ExternalTool]) {
    let (many, few): (Vec<&ExternalTool>, Vec<&ExternalTool>) =
        externals.iter().partition(|external| external.tool.deferred().is_some());
    for external in few.iter().take(MAX_LINES) {
        let _ = writeln!(text, "- `{}`: {}", external.name(), external.about());
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for external in many.iter().chain(few.iter().skip(MAX_LINES)) {
        *counts.entry(&external.owner).or_default() += 1;
    }
    for (owner, count) in counts {
        let _ = writeln!(text, "- {count} from `{owner}`, which ToolSearch can find");
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
