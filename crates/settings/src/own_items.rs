//! What the person saved in a project's settings themselves, from a dialog: it is theirs, whether or not they trust the rest.

use std::collections::BTreeSet;

use forelook_protocol::Behavior;
use serde::{Deserialize, Serialize};

use crate::edit::{SettingsChange, SettingsList};
use crate::keys::{ADDITIONAL_DIRECTORIES, ValueKind};
use crate::layers::SettingEntry;
use crate::project_contents::{PowerItem, PowerKind};
use crate::values::Value;

/// What the person saved in one folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OwnItems {
    items: BTreeSet<PowerItem>,
}

impl OwnItems {
    pub(crate) fn contains(&self, item: &PowerItem) -> bool {
        self.items.contains(item)
    }

    pub(crate) fn has(&self, kind: PowerKind, name: &str) -> bool {
        self.contains(&PowerItem::new(kind, name, ""))
    }

    /// Notes a change that the person saved. A rule that was there already is theirs from now on, too.
    pub(crate) fn note(&mut self, change: &SettingsChange) {
        let kind = |list: &SettingsList| match list {
            SettingsList::Rules(Behavior::Allow) => Some(PowerKind::AllowRule),
            SettingsList::Rules(Behavior::Ask | Behavior::Deny)
            | SettingsList::Domains
            | SettingsList::Writable
            | SettingsList::Outside => None,
            SettingsList::Folders => Some(PowerKind::Directory),
        };
        match change {
            SettingsChange::Add(list, items) => {
                self.add(kind(list), items.iter().map(|item| item.text.as_str()));
            }
            SettingsChange::Replace(list, texts) => {
                if let Some(kind) = kind(list) {
                    self.items.retain(|item| item.kind != kind);
                }
                self.add(kind(list), texts.iter().map(String::as_str));
            }
            SettingsChange::Remove(list, texts) => {
                let is_removed = |item: &PowerItem| {
                    Some(item.kind) == kind(list) && texts.iter().any(|it| it.trim() == item.name)
                };
                self.items.retain(|item| !is_removed(item));
            }
            SettingsChange::Mode(mode) => {
                self.items.retain(|item| item.kind != PowerKind::Mode);
                self.items.insert(PowerItem::new(PowerKind::Mode, mode.name(), ""));
            }
            SettingsChange::Theme(_) | SettingsChange::Sandbox(_) | SettingsChange::Hooks(_) => {}
        }
    }

    fn add<'t>(&mut self, kind: Option<PowerKind>, texts: impl Iterator<Item = &'t str>) {
        let Some(kind) = kind else { return };
        self.items.extend(texts.map(|text| PowerItem::new(kind, text.trim(), "")));
    }

    /// Takes what is the person's own out of an entry of a project's file; nothing if there is nothing of theirs.
    pub(crate) fn take_from(&self, found: &mut SettingEntry) -> Option<SettingEntry> {
        let value = match (&mut found.value, found.key.kind) {
            (Value::Rules(rules), ValueKind::Rules(Behavior::Allow)) => {
                let own = rules
                    .extract_if(.., |rule| self.has(PowerKind::AllowRule, rule.text.trim()))
                    .collect::<Vec<_>>();
                (!own.is_empty()).then_some(Value::Rules(own))
            }
            (Value::Folders(folders), _) if found.key == &ADDITIONAL_DIRECTORIES => {
                let own = folders
                    .extract_if(.., |it| self.has(PowerKind::Directory, it.text.trim()))
                    .collect::<Vec<_>>();
                (!own.is_empty()).then_some(Value::Folders(own))
            }
            _ => None,
        }?;
        Some(SettingEntry { key: found.key, value, line: found.line })
    }
}
