//! The tools that the requests of one conversation begin with.
//!
//! Definitions of tools are the first thing of a request, then come the system text and the conversation. A provider
//! caches a request from its beginning, so one changed word there and all of it is paid for again. What was sent once
//! therefore stays, byte for byte, whatever joins and leaves; the model hears of changes behind it (`tool_changes.rs`).

use std::sync::Arc;

use forelook_protocol::ToolSpec;
use forelook_providers::WireCached;
use forelook_tools::Toolbox;

use crate::context::reminder;

/// The tools that the requests of one conversation begin with.
pub(crate) struct ToolPrefix {
    /// All tools that there were when it was made.
    set: Arc<Toolbox>,
    /// Whether the provider can be sent more of them later without losing its cache.
    defers: bool,
    specs: Arc<WireCached<Vec<ToolSpec>>>,
    /// How many tools were found by a search, and the version, when it was last looked whether to add any.
    checked: (usize, u64),
}

impl ToolPrefix {
    /// What a conversation begins with that begins now. Where the provider `defers` tools, only the `loaded` ones of
    /// those that can be held back.
    pub(crate) fn new(set: Arc<Toolbox>, defers: bool, loaded: &[String]) -> Self {
        let specs = Arc::new(WireCached::new(escaped(set.specs_with(defers, loaded))));
        let checked = (loaded.len(), set.version());
        Self { set, defers, specs, checked }
    }

    /// Adds what was found by a search since, behind the rest, where the provider can take it there.
    pub(crate) fn load(&mut self, now: &Toolbox, loaded: &[String]) {
        let checked = (loaded.len(), now.version());
        if !self.defers || std::mem::replace(&mut self.checked, checked) == checked {
            return;
        }
        let mut specs = self.specs.to_vec();
        if now.load_onto(&mut specs, loaded) {
            self.specs = Arc::new(WireCached::new(escaped(specs)));
        }
    }

    /// As they are sent.
    pub(crate) fn specs(&self) -> Arc<WireCached<Vec<ToolSpec>>> {
        Arc::clone(&self.specs)
    }

    /// All tools that there were when it was made.
    pub(crate) fn set(&self) -> &Toolbox {
        &self.set
    }
}

/// External tools describe themselves, and a project describes its agents: neither may do it as a reminder.
fn escaped(mut specs: Vec<ToolSpec>) -> Vec<ToolSpec> {
    for spec in &mut specs {
        reminder::escape_owned(&mut spec.description);
        reminder::escape_json(&mut spec.input_schema);
    }
    specs
}
