//! Whose list counts, where the lists of all files are otherwise combined: the one place for what settings do and for what is
//! said about them.

use forelook_protocol::{Behavior, Source};

use crate::keys::{Key, NETWORK_COMMANDS, SANDBOX_NETWORK, SANDBOX_OUTSIDE, SANDBOX_WRITABLE, ValueKind};
use crate::layers::Layer;
use crate::resolve::Settings;

/// When an administrator's list is the whole list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ManagedAlone {
    Never,
    /// Where `permissions.managedRulesOnly` says so.
    IfSaid,
    /// There, and wherever the administrator has a list at all.
    IfThere,
}

impl ManagedAlone {
    fn of(key: &Key) -> Self {
        match key.kind {
            ValueKind::Rules(_) => Self::IfSaid,
            _ if *key == NETWORK_COMMANDS => Self::IfSaid,
            _ if [&SANDBOX_NETWORK, &SANDBOX_WRITABLE, &SANDBOX_OUTSIDE].contains(&key) => Self::IfThere,
            _ => Self::Never,
        }
    }
}

/// The layers whose list for a key counts, and those whose does not, in their order. `managed_only` is set where
/// `permissions.managedRulesOnly` is.
pub(crate) fn effective_layers<'a>(
    layers: &'a [Layer],
    key: &Key,
    managed_only: bool,
) -> (Vec<&'a Layer>, Vec<&'a Layer>) {
    let defining: Vec<&Layer> = layers.iter().filter(|layer| layer.get(key).is_some()).collect();
    let is_managed = |layer: &&Layer| layer.source == Source::PolicySettings;
    let alone = match ManagedAlone::of(key) {
        ManagedAlone::Never => false,
        ManagedAlone::IfSaid => managed_only,
        ManagedAlone::IfThere => managed_only || defining.iter().any(is_managed),
    };
    if alone { defining.into_iter().partition(is_managed) } else { (defining, Vec::new()) }
}

impl Settings {
    /// Whether rules of the command line count. A policy may say that only its own do; what forbids more never loosens that.
    pub fn flag_rules_count(&self, behavior: Behavior) -> bool {
        behavior == Behavior::Deny || self.managed_rules_only.is_none()
    }
}
