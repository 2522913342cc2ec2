//! The keys about the terminal program.

use super::{Key, Kind, Who};

/// What `theme` can be; the first is the default.
pub const THEMES: &[&str] = &["dark", "light", "high-contrast", "colour-blind"];

/// What `notifications` can be; the first is the default.
pub const NOTIFICATIONS_WORDS: &[&str] = &["bell", "desktop", "off"];

/// The fields of `statusLine`.
pub const STATUS_LINE_FIELDS: &[&str] = &["command", "timeoutMs"];

/// The longest that a status line may take, in milliseconds.
pub const LONGEST_STATUS_LINE: u16 = 10_000;

/// `theme`
pub const THEME: Key = Key {
    name: "theme",
    kind: Kind::Word(THEMES),
    who: Who::Anyone,
    doc: "The colours of the terminal program. `/theme` shows them all and saves the one you choose in your own settings. `NO_COLOR` takes all colours away.",
    default: "`dark`",
    example: r#""light""#,
};

/// `statusLine`
pub const STATUS_LINE: Key = Key {
    name: "statusLine",
    kind: Kind::StatusLine,
    who: Who::Anyone,
    doc: "A command for the shell whose first line of output stands at the right of the last row, in the place of ours. It gets facts about the session as JSON on its standard input (mode, model, folder, tokens) and runs again when they change. It has `timeoutMs` milliseconds, 1000 if nothing is said. In a project's own files it does nothing until the folder is trusted.",
    default: "none",
    example: r#"{"command": "~/bin/status.sh", "timeoutMs": 500}"#,
};

/// `keys.vi`
pub const VI_KEYS: Key = Key {
    name: "keys.vi",
    kind: Kind::Switch,
    who: Who::Anyone,
    doc: "Whether the prompt is edited with the keys of vi.",
    default: "`false`",
    example: "true",
};

/// `notifications`
pub const NOTIFICATIONS: Key = Key {
    name: "notifications",
    kind: Kind::Word(NOTIFICATIONS_WORDS),
    who: Who::Anyone,
    doc: "How the terminal program calls you when it waits for you: with the terminal's `bell`, with a notification on the `desktop` where the terminal can do that, or not at all.",
    default: "`bell`",
    example: r#""desktop""#,
};
