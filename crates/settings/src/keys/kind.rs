//! What a key can hold.

use forelook_protocol::{Behavior, HookEvent, Mode};

/// What a key holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// The name of a permission mode.
    Mode,
    /// Names of permission modes that Shift+Tab goes through.
    Cycle,
    /// A text that is not empty.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number, from one on.
    Count {
        /// The largest.
        max: u16,
    },
    /// The path of a file or folder.
    Path,
    /// `true` or `false`.
    Switch,
    /// The word `disable`.
    Disable,
    /// Environment variables: names with texts.
    Variables,
    /// Rules that say this.
    Rules(Behavior),
    /// Paths of folders.
    Folders,
    /// Hosts, each with or without a port.
    Hosts,
    /// Domains, each perhaps with `*.` before it or a port after it.
    Domains,
    /// Patterns of shell commands.
    Commands,
    /// Commands to run when something happens.
    Hooks,
    /// A command, perhaps with how long it may take.
    StatusLine,
    /// Providers of models.
    Providers,
    /// What is known of models.
    Known,
}

impl ValueKind {
    /// What it holds, in words that follow "must be".
    pub fn words(self) -> String {
        match self {
            ValueKind::Mode => format!("one of {}", quoted(Mode::ALL.map(Mode::name))),
            ValueKind::Cycle => {
                let modes = Mode::ALL.into_iter().filter(|mode| may_cycle(*mode)).map(Mode::name);
                format!("a list of modes, each one of {}", quoted(modes))
            }
            ValueKind::Text => "a string".to_owned(),
            ValueKind::Word(words) => format!("one of {}", quoted(words.iter().copied())),
            ValueKind::Count { max } => format!("a whole number from 1 to {max}"),
            ValueKind::Path => "a path".to_owned(),
            ValueKind::Switch => "`true` or `false`".to_owned(),
            ValueKind::Disable => "the string `disable`".to_owned(),
            ValueKind::Variables => "an object with string values".to_owned(),
            ValueKind::Rules(_) => {
                "a list of rules, each a string or `{\"rule\": …, \"match\": […], \"not_match\": […]}`"
                    .to_owned()
            }
            ValueKind::Folders => "a list of paths".to_owned(),
            ValueKind::Hosts => "a list of hosts, each like `localhost` or `localhost:3000`".to_owned(),
            ValueKind::Domains => {
                "a list of domains, each like `crates.io`, `*.npmjs.org`, or `localhost:5432`".to_owned()
            }
            ValueKind::Commands => "a list of patterns, each like `gh pr view:*`".to_owned(),
            ValueKind::StatusLine => {
                format!("a command, or an object with {}", quoted(super::STATUS_LINE_FIELDS.iter().copied()))
            }
            ValueKind::Providers => format!(
                "an object with one field per provider, each an object with {}",
                quoted(super::PROVIDER_FIELDS.iter().copied())
            ),
            ValueKind::Known => {
                format!(
                    "an object with one field per model, each an object with {}",
                    quoted(super::KNOWN_FIELDS.iter().copied())
                )
            }
            ValueKind::Hooks => {
                format!(
                    "an object with a list for each event; the events are {}",
                    quoted(HookEvent::ALL.map(HookEvent::name))
                )
            }
        }
    }
}

fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// `dontAsk` is for runs that nobody watches: nobody should come into it by pressing a key once too often.
pub(crate) fn may_cycle(mode: Mode) -> bool {
    mode != Mode::DontAsk
}
