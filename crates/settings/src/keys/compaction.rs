//! Keys about conversations that become too long.

use super::{Key, KeyScope, ValueKind};

/// The most that `compaction.threshold` can be: the summary needs room too.
const MAX_THRESHOLD: u16 = 95;

/// `compaction.auto`
pub const COMPACTION_AUTO: Key = Key {
    name: "compaction.auto",
    kind: ValueKind::Switch,
    scope: KeyScope::Anyone,
    doc: "Whether Forelook replaces a long conversation by a summary before it fills the model's context window. Without it, this happens only when the window is full, or when you type `/compact`.",
    default: "`true`",
    example: "false",
};

/// `compaction.threshold`
pub const COMPACTION_THRESHOLD: Key = Key {
    name: "compaction.threshold",
    kind: ValueKind::Count { max: MAX_THRESHOLD },
    scope: KeyScope::Anyone,
    doc: "How full the context window is when a long conversation is replaced by a summary, in percent. Old results of tools are removed first, and often that is enough.",
    default: "`80`",
    example: "70",
};
