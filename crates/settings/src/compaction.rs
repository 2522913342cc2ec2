//! When a long conversation is made shorter.

use crate::keys;
use crate::layers::Layer;
use crate::planning::as_small;
use crate::resolve::resolve_single;
use crate::values::Value;

/// In percent, if nobody says otherwise.
const THRESHOLD: u8 = 80;

/// When a long conversation is made shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionSettings {
    /// Whether before the model's window is full.
    pub auto: bool,
    /// How full the window is then, in percent.
    pub threshold: u8,
}

pub(crate) fn compaction(layers: &[Layer]) -> CompactionSettings {
    let auto = resolve_single(layers, &keys::COMPACTION_AUTO, Value::as_switch);
    let threshold = resolve_single(layers, &keys::COMPACTION_THRESHOLD, as_small);
    CompactionSettings {
        auto: auto.is_none_or(|layered| layered.value),
        threshold: threshold.map_or(THRESHOLD, |layered| layered.value),
    }
}
