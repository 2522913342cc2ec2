//! The keys about the terminal program.

use super::{Key, KeyScope, ValueKind};

/// What `theme` can be; the first is the default.
pub const THEMES: &[&str] = &["dark", "light", "high-contrast", "color-blind"];

/// What `notifications` can be; the first is the default.
pub const NOTIFICATIONS_WORDS: &[&str] = &["bell", "desktop", "off"];

/// The fields of `statusLine`.
pub const STATUS_LINE_FIELDS: &[&str] = &["command", "timeoutMs"];

/// The longest that a status line may take, in milliseconds.
pub const MAX_STATUS_LINE_MS: u16 = 10_000;

/// `theme`
pub const THEME: Key = Key {
    name: "theme",
    kind: ValueKind::Word(THEMES),
    scope: KeyScope::Anyone,
    doc: "The color theme of the terminal interface. `/theme` shows all themes and saves your choice in your user settings. `NO_COLOR` turns off all colors.",
    default: "`dark`",
    example: r#""light""#,
};

/// `statusLine`
pub const STATUS_LINE: Key = Key {
    name: "statusLine",
    kind: ValueKind::StatusLine,
    scope: KeyScope::Anyone,
    doc: "A shell command whose first line of output replaces the built-in text at the right of the last row. It receives facts about the session as JSON on standard input (mode, model, folder, tokens) and runs again when they change. It must finish within `timeoutMs` milliseconds (default: 1000). In project files it has no effect until you trust the folder.",
    default: "none",
    example: r#"{"command": "~/bin/status.sh", "timeoutMs": 500}"#,
};

/// `keys.vi`
pub const VI_KEYS: Key = Key {
    name: "keys.vi",
    kind: ValueKind::Switch,
    scope: KeyScope::Anyone,
    doc: "Whether to edit the prompt with vi keys.",
    default: "`false`",
    example: "true",
};

/// `notifications`
pub const NOTIFICATIONS: Key = Key {
    name: "notifications",
    kind: ValueKind::Word(NOTIFICATIONS_WORDS),
    scope: KeyScope::Anyone,
    doc: "How the terminal interface notifies you when it is waiting for you: with the terminal `bell`, with a `desktop` notification if the terminal supports it, or not at all (`off`).",
    default: "`bell`",
    example: r#""desktop""#,
};
