//! The tools that the requests of one conversation begin with.
//!
//! Definitions of tools are the first thing of a request, then come the system text and the conversation. A provider
//! caches a request from its beginning, so one changed word there and all of it is paid for again. What was sent once
//! therefore stays, byte for byte, whatever joins and leaves; the model hears of changes behind it (`tool_news.rs`).

use std::sync::Arc;

use forelook_protocol::ToolSpec;
use forelook_providers::Kept;
use forelook_tools::Toolbox;

/// The tools that the requests of one conversation begin with.
pub(crate) struct ToolPrefix {
    /// All tools that there were when it was made.
    set: Arc<Toolbox>,
    /// Whether the provider can be sent more of them later without losing its cache.
    defers: bool,
    specs: Arc<Kept<Vec<ToolSpec>>>,
    /// How many tools were found by a search, and the version, when it was last looked whether to add any.
    looked: (usize, u64),
}

impl ToolPrefix {
    /// What a conversation begins with that begins now. Where the provider `defers` tools, only the `loaded` ones of
    /// those that can be held back.
    pub(crate) fn new(set: Arc<Toolbox>, defers: bool, loaded: &[String]) -> Self {
        let specs = Arc::new(Kept::new(set.specs_with(defers, loaded)));
        let looked = (loaded.len(), set.version());
        Self { set, defers, specs, looked }
    }

    /// Adds what was found by a search since, behind the rest, where the provider can take it there.
    pub(crate) fn load(&mut self, now: &Toolbox, loaded: &[String]) {
        let looked = (loaded.len(), now.version());
        if !self.defers || std::mem::replace(&mut self.looked, looked) == looked {
            return;
        }
        let mut specs = self.specs.to_vec();
        if now.load_onto(&mut specs, loaded) {
            self.specs = Arc::new(Kept::new(specs));
        }
    }

    /// As they are sent.
    pub(crate) fn specs(&self) -> Arc<Kept<Vec<ToolSpec>>> {
        Arc::clone(&self.specs)
    }

    /// All tools that there were when it was made.
    pub(crate) fn set(&self) -> &Toolbox {
        &self.set
    }
}
