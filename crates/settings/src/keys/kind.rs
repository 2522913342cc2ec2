//! What a key can hold.

use forelook_protocol::{Behavior, HookEvent, Mode};

/// What a key holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
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
        most: u16,
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

impl Kind {
    /// What it holds, in words that follow "must be".
    pub fn words(self) -> String {
        match self {
            Kind::Mode => format!("one of {}", quoted(Mode::ALL.map(Mode::name))),
            Kind::Cycle => {
                let modes = Mode::ALL.into_iter().filter(|mode| may_cycle(*mode)).map(Mode::name);
                format!("a list of modes, each one of {}", quoted(modes))
            }
            Kind::Text => "a text".to_owned(),
            Kind::Word(words) => format!("one of {}", quoted(words.iter().copied())),
            Kind::Count { most } => format!("a whole number from 1 to {most}"),
            Kind::Path => "a path".to_owned(),
            Kind::Switch => "`true` or `false`".to_owned(),
            Kind::Disable => "the text `disable`".to_owned(),
            Kind::Variables => "an object of texts".to_owned(),
            Kind::Rules(_) => {
                "a list of rules, each a text or `{\"rule\": …, \"match\": […], \"not_match\": […]}`"
                    .to_owned()
            }
            Kind::Folders => "a list of paths".to_owned(),
            Kind::Hosts => "a list of hosts, each like `localhost` or `localhost:3000`".to_owned(),
            Kind::Domains => {
                "a list of domains, each like `crates.io`, `*.npmjs.org` or `localhost:5432`".to_owned()
            }
            Kind::Commands => "a list of patterns, each like `gh pr view:*`".to_owned(),
            Kind::StatusLine => {
                format!("a command, or an object with {}", quoted(super::STATUS_LINE_FIELDS.iter().copied()))
            }
            Kind::Providers => format!(
                "an object of providers, each an object with {}",
                quoted(super::PROVIDER_FIELDS.iter().copied())
            ),
            Kind::Known => {
                format!(
                    "an object of models, each an object with {}",
                    quoted(super::KNOWN_FIELDS.iter().copied())
                )
            }
            Kind::Hooks => {
                format!("an object of lists; its names are {}", quoted(HookEvent::ALL.map(HookEvent::name)))
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
