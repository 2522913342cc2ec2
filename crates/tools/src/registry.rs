//! The tools of a session as they are now: our own, and guests that join and leave while it runs, as a server's do.
//!
//! What there is at one moment is an immutable [`Toolbox`] with a version; a change makes a new one. So whoever looks
//! takes a [snapshot](ToolRegistry::snapshot) and nothing changes under their hands.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use crate::agent::AgentListing;
use crate::external::ExternalTool;
use crate::tool::Tool;
use crate::toolbox::Toolbox;

/// A handle to the tools of a session; all clones see the same.
#[derive(Clone)]
pub struct ToolRegistry {
    sets: Arc<watch::Sender<Arc<Toolbox>>>,
    view: Option<Arc<FilteredView>>,
}

/// A part of the tools, as for a subagent.
struct FilteredView {
    keep: NameFilter,
    /// The part of the set that was looked at last.
    last: Mutex<Option<Arc<Toolbox>>>,
}

type NameFilter = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// What came of joining.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegistryChange {
    /// The version in which it holds.
    pub version: u64,
    /// Tools that were not there before.
    pub added: Vec<String>,
    /// Tools that are there under the same name and say something else of themselves: the old one left, another joined.
    /// Whoever remembers something about a tool, such as that a person trusts it, must ask again here.
    pub changed: Vec<String>,
    /// Tools that the owner had before and has no longer.
    pub removed: Vec<String>,
    /// Tools that were not taken.
    pub refused: Vec<RejectedTool>,
}

/// A tool that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RejectedTool {
    /// Of two tools with one name the first counts.
    #[error("`{name}` is already the name of another tool{}", by.as_ref().map(|by| format!(" (of `{by}`)")).unwrap_or_default())]
    NameTaken {
        /// The name.
        name: String,
        /// Whose the other is; nothing if it is our own.
        by: Option<String>,
    },
    /// Not every provider would take it.
    #[error("`{name}` is not a valid tool name: use 1 to 64 letters, digits, `-`, and `_`")]
    BadName {
        /// The name, cut.
        name: String,
    },
    /// A list with it would be refused, and every request with the list.
    #[error("`{name}` does not take an object: its schema must have the type `object`")]
    BadSchema {
        /// The name.
        name: String,
    },
}

/// Nobody can join: the model was not told how to call guests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("This session was started without support for external tools")]
pub struct ExternalToolsDisabled;

impl ToolRegistry {
    /// These tools, and nobody else's.
    ///
    /// Guests need a generic tool in every list from the start. A session that will never have any should not pay for
    /// it, and its requests stay what they were; so room for guests is asked for ([`ToolRegistry::with_external_tools`]).
    pub fn new(own: Toolbox) -> Self {
        Self { sets: Arc::new(watch::Sender::new(Arc::new(own))), view: None }
    }

    /// These tools, with room for guests: the generic tool by which they are called is among ours.
    pub fn with_external_tools(own: Toolbox) -> Self {
        Self::new(own.with_generic_tool())
    }

    /// Whether tools can join.
    pub fn accepts_external_tools(&self) -> bool {
        self.sets.borrow().has_generic_tool()
    }

    /// The tools as they are now.
    pub fn snapshot(&self) -> Arc<Toolbox> {
        let now = Arc::clone(&self.sets.borrow());
        let Some(view) = &self.view else { return now };
        let mut last = view.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(last) if last.version() == now.version() => Arc::clone(last),
            _ => Arc::clone(last.insert(Arc::new(now.only(&*view.keep)))),
        }
    }

    /// A handle to those whose names are to be kept, of the ones that are there and of all that will join.
    pub fn only(&self, keep: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        let keep: NameFilter = match self.view.clone() {
            None => Box::new(keep),
            Some(wider) => Box::new(move |name| (wider.keep)(name) && keep(name)),
        };
        Self {
            sets: Arc::clone(&self.sets),
            view: Some(Arc::new(FilteredView { keep, last: Mutex::default() })),
        }
    }

    /// These are the owner's tools from now on, in place of those it had. Of two with one name the first counts: who
    /// came later is told which of theirs were not taken, and nobody can take the place of a tool of ours.
    pub fn register(
        &self,
        owner: &str,
        tools: Vec<Arc<dyn Tool>>,
    ) -> Result<RegistryChange, ExternalToolsDisabled> {
        let owner: Arc<str> = owner.into();
        let coming: Vec<ExternalTool> =
            tools.into_iter().map(|tool| ExternalTool::new(&owner, tool)).collect();
        let mut outcome = Err(ExternalToolsDisabled);
        self.sets.send_if_modified(|set| {
            if !set.has_generic_tool() {
                return false;
            }
            let (next, change) = set.with_tools_of(&owner, coming);
            *set = Arc::new(next);
            outcome = Ok(change);
            true
        });
        outcome
    }

    /// The owner's tools are gone; their names.
    pub fn unregister(&self, owner: &str) -> Vec<String> {
        let mut left = Vec::new();
        self.sets.send_if_modified(|set| {
            if !set.external_tools().any(|external| *external.owner == *owner) {
                return false;
            }
            let (next, change) = set.with_tools_of(&owner.into(), Vec::new());
            *set = Arc::new(next);
            left = change.removed;
            true
        });
        left
    }

    /// These agents can be started, if there is a tool that starts any. For a session that has sent nothing yet.
    pub fn set_agents(&self, agents: Vec<AgentListing>) {
        self.sets.send_modify(|set| *set = Arc::new(set.with_agents(agents)));
    }

    /// Hears of changes from now on.
    pub fn changes(&self) -> ToolChanges {
        ToolChanges { sets: self.sets.subscribe(), registry: self.clone() }
    }
}

impl From<Toolbox> for ToolRegistry {
    fn from(own: Toolbox) -> Self {
        Self::new(own)
    }
}

/// Hears of changes of the tools.
pub struct ToolChanges {
    sets: watch::Receiver<Arc<Toolbox>>,
    registry: ToolRegistry,
}

impl ToolChanges {
    /// The next change that nobody was told of here: how things are then. Several at once are one.
    pub async fn next(&mut self) -> Arc<Toolbox> {
        // It cannot end: this holds a registry itself.
        let _ = self.sets.changed().await;
        self.registry.snapshot()
    }
}

#[cfg(test)]
mod tests;
