//! Tools of others: whose they are, what they said of themselves, and which have gone.

use std::collections::BTreeMap;
use std::sync::Arc;

use forelook_protocol::ToolSpec;
use sha2::{Digest, Sha256};

use crate::output::shorten;
use crate::registry::{Joined, NotTaken};
use crate::seen::hex;
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
pub struct Guest {
    /// Whose it is.
    pub owner: Arc<str>,
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// Changes whenever the tool says something else of itself.
    pub fingerprint: String,
}

impl Guest {
    pub(crate) fn new(owner: &Arc<str>, tool: Arc<dyn Tool>) -> Self {
        let ToolSpec { name, description, input_schema } = tool.spec();
        let mut hasher = Sha256::new();
        for part in [name, description, &input_schema.to_string()] {
            hasher.update(part.len().to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut fingerprint = hex(hasher);
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
pub(crate) struct Guests {
    here: Vec<Guest>,
    /// What each owner had last and has no longer: whoever calls one of these is told more than that it is not known.
    gone: BTreeMap<Arc<str>, Vec<String>>,
}

impl Guests {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Guest> {
        self.here.iter()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Guest> {
        self.here.iter().find(|guest| guest.name() == name)
    }

    /// Whose tool of this name was, if it has gone.
    pub(crate) fn gone(&self, name: &str) -> Option<&str> {
        let had = |(_, names): &(&Arc<str>, &Vec<String>)| names.iter().any(|it| it == name);
        self.gone.iter().find(had).map(|(owner, _)| &**owner)
    }

    pub(crate) fn only(&self, keep: impl Fn(&str) -> bool) -> Self {
        let mut part = self.clone();
        part.here.retain(|guest| keep(guest.name()));
        part.gone.values_mut().for_each(|names| names.retain(|name| keep(name)));
        part
    }

    /// These are the owner's now. `own` says which names are ours.
    pub(crate) fn joined_by(
        &self,
        owner: &Arc<str>,
        coming: Vec<Guest>,
        own: impl Fn(&str) -> bool,
    ) -> (Self, Joined) {
        let (had, others): (Vec<Guest>, Vec<Guest>) =
            self.here.iter().cloned().partition(|guest| guest.owner == *owner);
        let mut next = Self { here: others, gone: self.gone.clone() };
        let at = next.here.iter().take_while(|guest| guest.owner < *owner).count();
        let mut report = Joined::default();
        let mut taken: Vec<Guest> = Vec::new();
        for guest in coming {
            match next.refuses(&guest, &taken, &own) {
                None => taken.push(guest),
                Some(why) => report.refused.push(why),
            }
        }
        for guest in &taken {
            let name = guest.name().to_owned();
            match had.iter().find(|before| before.name() == name) {
                None => report.joined.push(name),
                Some(before) if before.fingerprint != guest.fingerprint => report.changed.push(name),
                Some(_) => {}
            }
        }
        let is_left = |before: &&Guest| !taken.iter().any(|guest| guest.name() == before.name());
        report.left = had.iter().filter(is_left).map(|before| before.name().to_owned()).collect();
        next.remember_gone(owner, &report.left, &taken);
        next.here.splice(at..at, taken);
        (next, report)
    }

    fn refuses(&self, guest: &Guest, before: &[Guest], own: impl Fn(&str) -> bool) -> Option<NotTaken> {
        let name = guest.name();
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(plain) {
            return Some(NotTaken::BadName { name: shorten(name, MAX_NAME) });
        }
        if guest.tool.spec().input_schema["type"] != "object" {
            return Some(NotTaken::BadSchema { name: name.to_owned() });
        }
        let taken = |by: Option<&str>| NotTaken::Taken { name: name.to_owned(), by: by.map(str::to_owned) };
        if own(name) {
            return Some(taken(None));
        }
        let first = before.iter().chain(&self.here).find(|first| first.name() == name)?;
        Some(taken(Some(&first.owner)))
    }

    fn remember_gone(&mut self, owner: &Arc<str>, left: &[String], here: &[Guest]) {
        let gone = self.gone.entry(Arc::clone(owner)).or_default();
        gone.retain(|name| !here.iter().any(|guest| guest.name() == name));
        gone.extend(left.iter().cloned());
        gone.drain(..gone.len().saturating_sub(MAX_GONE));
    }
}
