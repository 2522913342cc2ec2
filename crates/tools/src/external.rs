//! Tools of others: whose they are, what they said of themselves, and which have gone.

use std::collections::BTreeMap;
use std::sync::Arc;

use forelook_protocol::{ToolSpec, to_hex};
use sha2::{Digest, Sha256};

use crate::output::shorten;
use crate::registry::{RegistryChange, RejectedTool};
use crate::tool::Tool;

/// Every provider takes a name of so many characters.
const MAX_NAME: usize = 64;
/// Characters of a tool's one line.
const MAX_ABOUT: usize = 120;
/// Names of tools that went, of one owner: one that renames its tools for ever fills nothing.
const MAX_GONE: usize = 200;
/// Hex digits of a fingerprint: nobody finds another description with the same 128 bits.
const FINGERPRINT: usize = 32;

/// A tool of somebody else's.
#[derive(Clone)]
pub struct ExternalTool {
    /// Whose it is.
    pub owner: Arc<str>,
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// Changes whenever the tool says something else of itself.
    pub fingerprint: String,
}

impl ExternalTool {
    pub(crate) fn new(owner: &Arc<str>, tool: Arc<dyn Tool>) -> Self {
        let ToolSpec { name, description, input_schema } = tool.spec();
        let mut hasher = Sha256::new();
        for part in [name, description, &input_schema.to_string()] {
            hasher.update(part.len().to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut fingerprint = to_hex(&hasher.finalize());
        fingerprint.truncate(FINGERPRINT);
        Self { owner: Arc::clone(owner), tool, fingerprint }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.tool.spec().name
    }

    /// What it is for, in one short line. The words are somebody else's: they cannot break out of the line, nor of the
    /// marks that it may stand in.
    pub fn about(&self) -> String {
        let first = self.tool.spec().description.trim_start().lines().next().unwrap_or_default();
        let harmless = |character: char| match character {
            '<' => Some('‹'),
            '>' => Some('›'),
            character if character.is_control() => None,
            character => Some(character),
        };
        shorten(first.trim_end().chars().filter_map(harmless).collect::<String>().as_str(), MAX_ABOUT)
    }
}

/// All guests, by owner, each owner's in its own order. Not in the order in which they came: servers race, and the list
/// of the next session should begin with the same bytes.
#[derive(Clone, Default)]
pub(crate) struct ExternalTools {
    present: Vec<ExternalTool>,
    /// What each owner had last and has no longer: whoever calls one of these is told more than that it is not known.
    gone: BTreeMap<Arc<str>, Vec<String>>,
}

impl ExternalTools {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &ExternalTool> {
        self.present.iter()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&ExternalTool> {
        self.present.iter().find(|external| external.name() == name)
    }

    /// Whose tool of this name was, if it has gone.
    pub(crate) fn gone(&self, name: &str) -> Option<&str> {
        let had = |(_, names): &(&Arc<str>, &Vec<String>)| names.iter().any(|it| it == name);
        self.gone.iter().find(had).map(|(owner, _)| &**owner)
    }

    pub(crate) fn only(&self, keep: impl Fn(&str) -> bool) -> Self {
        let mut part = self.clone();
        part.present.retain(|external| keep(external.name()));
        part.gone.values_mut().for_each(|names| names.retain(|name| keep(name)));
        part
    }

    /// These are the owner's now. `own` says which names are ours.
    pub(crate) fn with_tools_of(
        &self,
        owner: &Arc<str>,
        coming: Vec<ExternalTool>,
        own: impl Fn(&str) -> bool,
    ) -> (Self, RegistryChange) {
        let (had, others): (Vec<ExternalTool>, Vec<ExternalTool>) =
            self.present.iter().cloned().partition(|external| external.owner == *owner);
        let mut next = Self { present: others, gone: self.gone.clone() };
        let at = next.present.iter().take_while(|external| external.owner < *owner).count();
        let mut report = RegistryChange::default();
        let mut taken: Vec<ExternalTool> = Vec::new();
        for external in coming {
            match next.rejection(&external, &taken, &own) {
                None => taken.push(external),
                Some(why) => report.refused.push(why),
            }
        }
        for external in &taken {
            let name = external.name().to_owned();
            match had.iter().find(|before| before.name() == name) {
                None => report.added.push(name),
                Some(before) if before.fingerprint != external.fingerprint => report.changed.push(name),
                Some(_) => {}
            }
        }
        let is_left = |before: &&ExternalTool| !taken.iter().any(|external| external.name() == before.name());
        report.removed = had.iter().filter(is_left).map(|before| before.name().to_owned()).collect();
        next.record_removed(owner, &report.removed, &taken);
        next.present.splice(at..at, taken);
        (next, report)
    }

    fn rejection(
        &self,
        external: &ExternalTool,
        before: &[ExternalTool],
        own: impl Fn(&str) -> bool,
    ) -> Option<RejectedTool> {
        let name = external.name();
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(plain) {
            return Some(RejectedTool::BadName { name: shorten(name, MAX_NAME) });
        }
        if external.tool.spec().input_schema["type"] != "object" {
            return Some(RejectedTool::BadSchema { name: name.to_owned() });
        }
        let taken =
            |by: Option<&str>| RejectedTool::NameTaken { name: name.to_owned(), by: by.map(str::to_owned) };
        if own(name) {
            return Some(taken(None));
        }
        let first = before.iter().chain(&self.present).find(|first| first.name() == name)?;
        Some(taken(Some(&first.owner)))
    }

    fn record_removed(&mut self, owner: &Arc<str>, left: &[String], present: &[ExternalTool]) {
        let gone = self.gone.entry(Arc::clone(owner)).or_default();
        gone.retain(|name| !present.iter().any(|external| external.name() == name));
        gone.extend(left.iter().cloned());
        gone.drain(..gone.len().saturating_sub(MAX_GONE));
    }
}
